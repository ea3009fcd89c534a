"""`roster`: what agents read of their own calls, and which tools they have (systems.md 2.5, 2.11)."""

from dataclasses import replace

import pytest

from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt, RecipientState
from postroom.errors import ModelRefusedRequest
from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.surfaces.roster.surface import ROSTER
from postroom.surfaces.roster.words import sent_text
from postroom.testing.script import Fail, Gate, fail, held, say
from postroom.testing.world import World, texts, times
from tests.acceptance.bus_team import (
    after,
    after_event,
    assistant,
    look,
    make,
    post,
    results,
    roster_world,
    workers,
)
from tests.acceptance.family import Worlds

HEDGE = "Whichever of them takes another step reads it before that; nobody else does."
ALL = "- everyone: all of these at once, you among them."


def given(world: World, profile: str) -> list[str]:
    """The tools that the newest request of a profile was told of."""
    return [tool.name for tool in world.requests(profile)[-1].tools]


async def test_a_receipt_names_every_run_of_a_label_and_promises_nothing(worlds: Worlds) -> None:
    """KK-23: and KK-1, the addresses."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    told, noted = post("researcher", "the answer is 42"), say("told")
    two = [after_event(world, "bus.posted", noted), say("noted")]
    workers(world, {"one": [after(world, 2, told), noted, say("noted")], "two": two})
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "one"), make("researcher", "two"))

    [receipt] = {text for request in world.requests("researcher") for text in results(request)}
    assert receipt == f"Accepted for researcher#1, researcher#2. {HEDGE}"
    await world.check()


@pytest.mark.parametrize("to", ["everyone", "researcher#1", "researcher"])
async def test_a_sender_is_among_those_it_writes_to(worlds: Worlds, to: str) -> None:
    """KK-24: by everyone and by its own address; it reads its own message with its name."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"one": [post(to, "the answer is 42"), say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "one"))

    own = world.requests("researcher")[-1]
    assert "researcher#1" in results(own)[0]
    assert texts(own)[-1] == "[message from researcher#1] the answer is 42"
    await world.check()


@pytest.mark.parametrize("to", ["research", "researcher#2", "nobody", "user", "Everyone", ""])
async def test_who_writes_to_nobody_reads_who_is_there(worlds: Worlds, to: str) -> None:
    """KK-25, KK-16: a beginning of a label is none; a refusal puts nothing on the bus."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"one": [post(to, "hello"), say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "one"))

    [refused] = results(world.requests("researcher")[-1])
    assert refused == (
        f'send_message:unknown_selector: nobody here is called "{to}". '
        "You can write to: assistant, researcher#1, or everyone."
    )
    assert world.events("bus.posted") == []
    assert len(world.events("message.refused")) == 1
    await world.check()


async def test_where_no_turn_has_a_bus_both_tools_say_so(worlds: Worlds) -> None:
    """KK-26: a text with "no turn", and no crash of the call."""
    world = worlds(policy=replace(ROSTER_POLICY, mailbox="durable"))
    a = assistant(world)
    await world.prompt("assistant", "begin")

    refused = [result.text for result in await a.does(post("everyone", "hello"), look())]

    assert refused[0].startswith("send_message:no_turn: no turn")
    assert refused[1].startswith("list_agents:no_turn: no turn")
    await world.check()


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u2028", "\x07"])
async def test_a_blank_text_is_refused_and_is_nowhere(worlds: Worlds, text: str) -> None:
    """KK-27."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")

    [refused] = await a.does(post("everyone", text))

    assert "send_message:invalid_body: the text is blank" in refused.text
    assert world.events("bus.posted") == []
    await world.check()


async def test_the_roster_lists_all_that_ever_read_and_marks_the_caller(worlds: Worlds) -> None:
    """KK-28: in the order in which they came, those that have finished too; no `user`."""
    world = roster_world(worlds)
    a = assistant(world, "researcher", "checker")
    workers(world, {"one": [look(), say("done")], "two": [say("done")]})
    workers(world, {"three": [say("done")]}, "checker", messaging=False)
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "one"))
    await a.does(make("checker", "three"))
    await a.does(make("researcher", "two"))
    [own] = await a.does(look())

    assert results(world.requests("researcher", 1)[-1]) == [f"- assistant\n- researcher#1 (you)\n{ALL}"]
    assert own.text == f"- assistant (you)\n- researcher#1\n- checker#1\n- researcher#2\n{ALL}"
    await world.check()


async def test_a_broadcast_that_nobody_can_read_yet_is_accepted_and_on_the_bus(worlds: Worlds) -> None:
    """KK-29: who writes is on the roster itself here, so the emptiest one holds the sender alone."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")

    [receipt] = await a.does(post("everyone", "is anybody there"))

    assert receipt.text == f"Accepted for assistant. {HEDGE}"
    assert len(world.events("bus.posted")) == 1
    empty = Receipt(message_id="m", mode=Mode.STEER, recipient_state=RecipientState.QUEUED, matches=())
    assert sent_text("everyone", empty).startswith("Accepted for everyone: nobody yet.")
    await world.check()


async def test_who_is_made_after_a_broadcast_reads_it_as_older_than_itself(worlds: Worlds) -> None:
    """KK-30, KK-20: the receipt names the sender alone, the worker's first drain has it."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"one": [say("done")]})
    await world.prompt("assistant", "begin")
    [receipt] = await a.does(post("everyone", "check the cache\nfirst"))
    await a.does(make("researcher", "one"))
    await a.says("finished")
    await world.quiesce()

    assert receipt.text == f"Accepted for assistant. {HEDGE}"
    assert texts(world.requests("researcher")[0]) == [
        "one", "[message from assistant, sent before you started] check the cache\n> first"
    ]  # fmt: skip
    assert world.events("message.undelivered") == []
    await world.check()


async def test_a_run_without_an_address_may_not_speak_as_another(worlds: Worlds) -> None:
    """KK-31, KK-4: it is refused though whom it names is there, and nothing is on the bus."""
    world = roster_world(worlds)
    a = assistant(world, "subagent-")
    workers(world, {"one": [post("assistant", "hello"), say("done")]}, "subagent-")
    await world.prompt("assistant", "begin")
    await a.does(make("subagent-", "one"))

    [refused] = results(world.requests("subagent-")[-1])
    assert refused.startswith("send_message:no_address: ")
    assert "no address" in refused
    assert world.events("bus.posted") == []
    await world.check()


def test_the_group_messaging_is_two_tools() -> None:
    """KK-32."""
    assert [tool.spec.name for tool in ROSTER.groups["messaging"]] == ["send_message", "list_agents"]


async def test_who_does_not_name_messaging_has_neither_tool_and_receives_all_the_same(worlds: Worlds) -> None:
    """KK-50, KK-32: workers have them too, where they name the group."""
    world = roster_world(worlds)
    a = assistant(world, "researcher", "checker")
    gate = Gate()
    workers(world, {"one": [held(gate, post("checker", "look again")), say("done")]})
    workers(
        world,
        {"two": [look(), after_event(world, "bus.posted", look()), say("done")]}, "checker", messaging=False
    )  # fmt: skip
    await world.prompt("assistant", "begin")
    await a.starts(make("researcher", "one"), make("checker", "two"))
    await world.request("checker", 2)
    gate.open()
    await a.asked()

    assert {"send_message", "list_agents"} <= set(given(world, "researcher"))
    assert {"send_message", "list_agents"}.isdisjoint(given(world, "checker"))
    assert results(world.requests("checker")[-1])[0].startswith("unknown tool list_agents")
    assert texts(world.requests("checker")[-1])[-1] == "[message from researcher#1] look again"
    await world.check()


async def test_each_profile_that_may_be_made_is_a_tool_with_one_argument(worlds: Worlds) -> None:
    """Product.md section 5: spawn tools are named after `delegates_to`, and described as the profiles are."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"one": [say("done")]}, "research lead")
    workers(world, {"one": [say("done")]})
    await world.prompt("assistant", "begin")
    request = await a.asked()

    [tool] = [tool for tool in request.tools if tool.name not in ("ask_user", "send_message", "list_agents")]
    assert (tool.name, list(tool.parameters["properties"])) == ("researcher", ["task"])  # pyright: ignore[reportArgumentType]
    assert tool.description.startswith("The researcher.\n")
    [missing, strange] = await a.does(make("researcher", None), make("research_lead", "one"))
    assert missing.text == "researcher:invalid_arguments: argument task must be of type string"
    assert strange.text.startswith("unknown tool research_lead")
    await world.check()


async def test_several_agents_of_one_answer_work_at_once_and_answer_in_full(worlds: Worlds) -> None:
    """KK-39: none waits for another, and the result is the whole of the last text."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    long = "\n".join(f"line {n}" for n in range(2_000))
    both = {"one": [after(world, 2, say(long))], "two": [after(world, 2, say("[notice] x"))]}
    workers(world, both)
    await world.prompt("assistant", "begin")

    one, two = await a.does(make("researcher", "one"), make("researcher", "two"))

    assert (one.text, one.is_error) == (long, False)
    assert two.text == "\u2045notice] x"
    await world.check()


async def test_a_worker_that_fails_is_an_error_with_its_cause(worlds: Worlds) -> None:
    """Systems.md 2.5: the agent that made it reads why, and goes on."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    broken: Fail = fail(ModelRefusedRequest("the key is wrong"))
    world.agent("researcher", broken)
    await world.prompt("assistant", "begin")

    [failed] = await a.does(make("researcher", "one"))

    assert failed.is_error
    assert failed.text == "ERROR: researcher failed: model_invalid_request: the key is wrong."
    await a.says("so be it")
    await world.check()


async def test_a_worker_that_says_nothing_is_an_error_in_the_runtimes_words(worlds: Worlds) -> None:
    """O-40."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"one": [say("")]})
    await world.prompt("assistant", "begin")

    [empty] = await a.does(make("researcher", "one"))

    assert empty.is_error
    assert empty.text == "ERROR: researcher ended without any text."
    await world.check()


async def test_two_workers_at_once_and_a_message_from_one_to_the_other(worlds: Worlds) -> None:
    """KK-39, KK-41, KK-33, seed 003, the captured run: a sibling reads between two of its rounds, and the
    thanks to a worker that has finished are accepted and reported.
    """
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    tell = [after(world, 2, post("everyone", "the answer is 42")), look(), say("I have told them.")]
    hear = [look(), after_event(world, "bus.posted", look()), say("I was told that the answer is 42.")]
    workers(world, {"tell": tell, "hear": hear})
    first = await world.prompt("assistant", "Two at once.")
    await a.does(make("researcher", "tell"), make("researcher", "hear"))
    hearing = world.requests("researcher", 2)[-1]
    await a.says("both have answered")
    await world.quiesce()
    await world.prompt("assistant", "Say thank you.")
    [gone] = await a.does(post("researcher#1", "thank you"))
    workers_done = await a.does(make("researcher", "tell"))
    [thanked] = await a.does(post("researcher#1", "Thank you for telling them!"))
    await a.says("thanked")
    await world.quiesce()

    assert times("[message from researcher#1] the answer is 42", [hearing]) == 1
    assert "unknown_selector" in gone.text
    assert workers_done[0].text == "I have told them."
    assert thanked.text == f"Accepted for researcher#1. {HEDGE}"
    assert len(world.events("message.undelivered")) == 1
    assert first.session_id
    await world.check()
