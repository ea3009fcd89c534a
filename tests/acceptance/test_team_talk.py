"""How the agents of a team write to each other: receipts, refusals, answers, recalls, long texts."""

import pytest

from postroom.domain.plain import Json
from postroom.rules.markers import restore
from postroom.testing.script import call
from postroom.testing.world import texts
from tests.acceptance.family import Worlds
from tests.acceptance.teams import (
    ASKS,
    address,
    batches,
    code,
    crew,
    message,
    newest,
    page,
    recall,
    receipt,
    status,
    team_world,
)


async def test_a_receipt_names_the_message_its_mode_its_number_and_how_the_recipient_stands(
    worlds: Worlds,
) -> None:
    """CK-13 on `team`: running, finished, and stopped by the user."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    there = address(world, "b")

    (woken,) = await a.does(message(there, "one"))
    await b.asked()
    (running,) = await a.does(message(there, "two"))
    (queued,) = await a.does(message(there, "three", mode="queue"))
    await world.room.stop(there)
    (stopped,) = await a.does(message(there, "four"))

    first = receipt(woken).line
    assert (first.to, first.mode, first.state, first.number) == (there, "steer", "waking_finished", 2)
    assert receipt(running).line.state == "running"
    assert receipt(running).line.number == 3
    assert receipt(queued).line.mode == "queue"
    assert "in its next turn" in receipt(queued).line.words
    assert receipt(stopped).line.state == "queued"
    assert "stopped by the user" in receipt(stopped).line.words
    await world.room.resume(there)
    await world.check()


@pytest.mark.parametrize(
    "arguments",
    [
        {"message": "x"},
        {"to": "b"},
        {"to": [], "message": "x"},
        {"to": [f"b{n}" for n in range(17)], "message": "x"},
        {"to": ["b", 3], "message": "x"},
        {"to": 3, "message": "x"},
        {"to": "b", "message": "x", "mode": "soon"},
        {"to": "b", "message": "x", "reply_to": 0},
        {"to": "b", "message": "x", "reply_to": "1"},
        {"to": "b", "message": "x", "expires_in_s": 0},
        {"to": "b", "message": "x", "expires_in_s": 30 * 86_400 + 1},
        {"to": "b", "message": "x", "expires_in_s": True},
        {"to": "b", "body": "x"},
    ],
)
async def test_arguments_are_strict(worlds: Worlds, arguments: dict[str, Json]) -> None:
    """CK-21 on `team`: a mistake is refused with its code and sends nothing."""
    world = team_world(worlds)
    a, _ = await crew(world, "b")

    (result,) = await a.does(call("send_message", **arguments))

    assert code(result) == "invalid_arguments"
    assert not world.events("message.sent")
    assert [e.facts["code"] for e in world.events("message.refused")] == ["invalid_arguments"]
    await world.check()


async def test_an_address_that_names_nobody_is_answered_with_those_one_may_write_to(worlds: Worlds) -> None:
    """CK-22 on `team`: the code, and candidates that the caller may see; itself and the blank are refused."""
    world = team_world(worlds)
    a, _ = await crew(world, "b")

    unknown, own, blank = await a.does(
        message("nobody", "x"), message(address(world, "a"), "x"), message(address(world, "b"), " \n")
    )

    assert code(unknown) == "unknown_reference"
    assert code(own) == "self_send"
    assert code(blank) == "invalid_body"
    assert not world.events("message.sent")
    await world.check()


@pytest.mark.parametrize(
    ("tool", "arguments", "refused"),
    [
        ("send_message", {"to": "b\ud83d", "message": "x"}, "unknown_reference"),
        ("send_message", {"to": ["b", "b\x00"], "message": "x"}, "several_refused"),
        ("wait", {"for": ["b\ud83d"]}, "unknown_reference"),
    ],
)
async def test_an_address_that_cannot_be_written_down_names_nobody_and_harms_nothing(
    worlds: Worlds, tool: str, arguments: dict[str, Json], refused: str
) -> None:
    """O-27."""
    world = team_world(worlds)
    a, _ = await crew(world, "b")

    (there,) = await a.does(call(tool, **arguments))

    assert code(there) == refused
    await world.check()


async def test_an_answer_names_the_mail_that_it_answers(worlds: Worlds) -> None:
    """`reply_to` takes a number of the own mailbox; the reader sees it as the number that it has there."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    (sent,) = await a.does(message(address(world, "b"), "what is the port?"))
    asked = newest(await b.asked())
    assert asked.number == receipt(sent).line.number

    (answered,) = await b.does(message(address(world, "a"), "8080", reply_to=asked.number))

    receipt(answered)
    (_,) = await a.does(status(receipt(sent).message_id))
    read = newest(await a.asked())
    assert (read.sender, read.body, read.answers) == (address(world, "b"), "8080", asked.number)
    await world.check()


async def test_a_message_that_names_none_answers_nothing(worlds: Worlds) -> None:
    """Also one that is written right after the question was read."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    (sent,) = await a.does(message(address(world, "b"), "what is the port?"))
    await b.asked()
    await b.does(message(address(world, "a"), "8080"))

    (told,) = await a.does(status(receipt(sent).message_id))

    assert newest(await a.asked()).answers == 0
    assert "answered by" not in told.text
    assert "no answer yet" in told.text
    await world.check()


@pytest.mark.parametrize("number", [1, 3, 4, 99])
async def test_only_mail_that_one_was_sent_can_be_answered(worlds: Worlds, number: int) -> None:
    """Not the person's text (1), not what is not there, and nothing of another mailbox; nothing is sent."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "a question"))
    assert newest(await b.asked()).number == 2

    (result,) = await b.does(message(address(world, "a"), "x", reply_to=number))

    assert code(result) == "unknown_message"
    assert len(world.events("message.sent")) == 1
    await world.check()


async def test_mail_can_be_answered_before_and_after_it_was_read(worlds: Worlds) -> None:
    """Its number is all that counts."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "one"))
    await b.asked()
    await a.does(message(address(world, "b"), "two"))

    early, late = await b.does(
        message(address(world, "a"), "to two", reply_to=3), message(address(world, "a"), "to one", reply_to=2)
    )

    assert not early.is_error
    assert not late.is_error
    await world.check()


async def test_unread_mail_is_taken_back_and_never_read(worlds: Worlds) -> None:
    """The call's result is the notice; twice answers the same; its chain gets nothing back."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "first"))
    await b.asked()
    (sent,) = await a.does(message(address(world, "b"), "never mind"))

    (once,) = await a.does(recall(receipt(sent).message_id))
    (twice,) = await a.does(recall(receipt(sent).message_id))

    assert once.text == twice.text
    assert once.text.startswith("[message recalled]")
    (gone,) = world.events("message.discarded")
    assert gone.facts["reason"] == "recalled"
    await b.says("read")
    await a.says("done")
    await world.quiesce()
    assert not any("never mind" in text for request in world.requests("b") for text in texts(request))
    assert batches(world.requests("a")[-1]) == []
    await world.check()


async def test_an_id_is_taken_however_it_is_written(worlds: Worlds) -> None:
    """Models write ids in capitals and with blanks: a message is taken back by what shows how it stands."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "first"))
    await b.asked()
    (sent,) = await a.does(message(address(world, "b"), "never mind"))
    written = f" {receipt(sent).message_id.upper()} "

    (before,) = await a.does(status(written))
    (taken,) = await a.does(recall(written))
    (after,) = await a.does(status(written))

    assert "pending: not read yet" in before.text
    assert taken.text.startswith("[message recalled]")
    assert "was taken back before it was read" in after.text
    await world.check()


async def test_mail_that_is_being_read_stays(worlds: Worlds) -> None:
    """Claimed, and answered: each has its own code; a stranger's message is nobody's."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    (sent,) = await a.does(message(address(world, "b"), "read me"))
    await b.asked()

    (claimed,) = await a.does(recall(receipt(sent).message_id))
    await b.says("read")
    await world.turn_end("b", 2)
    (read,) = await a.does(recall(receipt(sent).message_id))
    (unknown,) = await a.does(recall("0193b2c4-7e1f-7a2b-8c3d-4e5f60718293"))

    assert code(claimed) == "already_being_read"
    assert code(read) == "already_ended"
    assert code(unknown) == "unknown_message"
    await world.check()


async def test_only_its_sender_takes_a_message_back(worlds: Worlds) -> None:
    """To anybody else it is as if it were not there."""
    world = team_world(worlds)
    a, b, c = await crew(world, "b", "c")
    await a.does(message(address(world, "c"), "wake up"))
    await c.asked()
    await a.does(message(address(world, "b"), "read me"))
    await b.asked()
    (sent,) = await a.does(message(address(world, "b"), "keep me"))

    (result,) = await c.does(recall(receipt(sent).message_id))

    assert code(result) == "unknown_message"
    assert not world.events("message.discarded")
    await world.check()


async def test_a_held_message_is_taken_back_with_its_ask(worlds: Worlds) -> None:
    """Who needs leave gets the receipt at once; after a recall the person is asked for nothing."""
    world = team_world(worlds, ASKS)
    a, b = await crew(world, "b")

    (sent,) = await a.does(message(address(world, "b"), "may I?"))
    held = receipt(sent)
    assert held.what == "held"
    assert "waits for the person's leave" in held.line.words
    assert len(await world.room.asks()) == 1

    (taken,) = await a.does(recall(held.message_id))

    assert taken.text.startswith("[message recalled]")
    assert await world.room.asks() == []
    assert not b.is_asked
    await world.check()


async def test_a_long_message_is_read_whole_in_pages(worlds: Worlds) -> None:
    """O-29 on `team`: what the window rule cut comes back character for character, markers and all."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    hard = "<mail n=1>\u2039[notice]\n</mail>\n\u2039\u2039" * 20
    body = hard + "".join(f"line {n:05}\n" for n in range(2_700)) + hard
    assert len(body) > 30_000

    await a.does(message(address(world, "b"), body))
    shown = newest(await b.asked())
    assert not shown.is_whole
    assert shown.where == f"read_message(n={shown.number})"
    parts = list[str]()
    while len("".join(parts)) < len(body):
        (result,) = await b.does(page(shown.number, offset=len("".join(parts)), limit=15_000))
        head, _, text = result.text.partition("\n")
        assert f"of {len(body)}" in head
        parts.append(restore(text))

    assert "".join(parts) == body
    assert [len(part) for part in parts] == [15_000, 15_000, len(body) - 30_000]
    await world.check()


async def test_only_what_was_read_is_paged(worlds: Worlds) -> None:
    """G2: no tool brings unread mail into a conversation, and none that of another mailbox."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "first"))
    await b.asked()
    await a.does(message(address(world, "b"), "later", mode="queue"))

    unread, absent, much = await b.does(page(3), page(9), page(2, limit=30_001))

    assert code(unread) == "unknown_message"
    assert code(absent) == "unknown_message"
    assert code(much) == "invalid_arguments"
    await world.check()


async def test_a_fork_numbers_its_mail_behind_what_it_shows_of_before(worlds: Worlds) -> None:
    """`reply_to` and `read_message` take a number: in one conversation no number means two messages."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "before the fork"))
    before = newest(await b.asked()).number
    await b.says("read")
    await world.turn_end("b", 2)
    of_agent = await world.room.fork(address(world, "b"))
    left = await world.room.revert(address(world, "b"), "1")
    of_path = await world.room.fork(address(world, "b"), left.sealed_id)
    assert before == 2
    for made in (of_agent, of_path):
        await a.does(message(made.session_id, "behind the fork"))
        assert newest(await b.asked()).number == before + 1
        (unknown,) = await b.does(message(address(world, "a"), "yes", reply_to=before))
        (known,) = await b.does(message(address(world, "a"), "yes", reply_to=before + 1))
        assert code(unknown) == "unknown_message"
        receipt(known)
        await b.says("done")
    await world.reopen()
    await world.check()


async def test_a_fork_pages_what_it_has_inherited_by_the_number_that_it_shows(worlds: Worlds) -> None:
    """O-29, O-38: also of a fork of the fork; what was written to the other since is not in it."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    body = "".join(f"line {n:05}\n" for n in range(2_800))
    await a.does(message(address(world, "b"), body))
    number = newest(await b.asked()).number
    await b.says("read")
    await world.turn_end("b", 2)
    made = await world.room.fork(address(world, "b"))
    await a.does(message(address(world, "b"), "behind the fork"))
    later = newest(await b.asked()).number
    await b.says("read")
    await world.turn_end("b", 3)
    again = await world.room.fork(made.session_id)
    for one in (made, again):
        await world.room.prompt("read it again", session=one.session_id)
        await b.asked()

        result, behind = await b.does(page(number, offset=20_000, limit=15_000), page(later + 1))

        assert restore(result.text.partition("\n")[2]) == body[20_000:]
        assert code(behind) == "unknown_message"
        await b.says("done")
    await world.check()


async def test_who_inherits_a_conversation_numbers_its_mail_behind_it(worlds: Worlds) -> None:
    """Also where a call makes the fork: its prompt takes the first number that is free."""
    world = team_world(worlds)
    a, b = world.puppet("a"), world.puppet("b", delegates_to=("c",))
    c = world.puppet("c")
    for puppet, name in ((b, "b"), (a, "a")):
        await world.prompt(name, "hello")
        await puppet.asked()
    await a.does(message(address(world, "b"), "to its maker"))
    await b.does()
    before = newest(await b.asked()).number

    await b.does(call("agent", prompt="dig", profile="c", context="inherit", background=True))
    await c.asked()
    await a.does(message(world.view("c").session_id, "to itself"))
    await c.does()

    assert [one.number for batch in batches(await c.asked()) for one in batch.readings] == [
        before,
        before + 2,
    ]
    await world.check()
