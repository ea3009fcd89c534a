"""`roster`: who reads the bus of a turn, under which address, and whom a selector means (systems.md 2.3)."""

import pytest

from postroom.domain.keys import BranchKey
from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.rules import selectors
from postroom.service.bus import open_reader
from postroom.service.draft import Draft
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_rosters import Bus, Reader
from postroom.testing.script import Gate, batch, held, say
from postroom.testing.world import World, texts
from tests.acceptance.bus_team import after, assistant, look, make, post, results, roster_world, workers
from tests.acceptance.family import Worlds, draft


def addresses(world: World) -> list[str]:
    """Every address that was given, in the order of opening."""
    return [str(event.facts["address"]) for event in world.events("reader.opened")]


def bus(world: World, nth: int = 1) -> Bus:
    """The n-th bus of the store."""
    found = world.room.store.look(Tx.bus_row, nth)
    assert found is not None
    return found


def readers(world: World, nth: int = 1) -> list[Reader]:
    """Who reads the n-th bus."""
    return world.room.store.look(Tx.readers_of_bus, nth)


async def test_runs_are_numbered_for_each_label_from_one_on(worlds: Worlds) -> None:
    """KK-1: also where the runs of two labels alternate; the framework's prefix is no part of a label."""
    world = roster_world(worlds)
    a = assistant(world, "subagent-researcher", "writer")
    workers(world, {"work": [say("done")]}, "subagent-researcher")
    workers(world, {"work": [say("done")]}, "writer")
    await world.prompt("assistant", "begin")
    for profile in ("subagent-researcher", "writer", "subagent-researcher", "writer"):
        await a.does(make(profile, "work"))

    assert addresses(world) == ["assistant", "researcher#1", "writer#1", "researcher#2", "writer#2"]
    await world.check()


async def test_the_prefix_goes_once(worlds: Worlds) -> None:
    """KK-2: a label that begins with it once more keeps that."""
    world = roster_world(worlds)
    a = assistant(world, "subagent-subagent-foo")
    workers(world, {"work": [say("done")]}, "subagent-subagent-foo")
    await world.prompt("assistant", "begin")
    await a.does(make("subagent-subagent-foo", "work"))

    assert addresses(world)[1:] == ["subagent-foo#1"]
    await world.check()


async def test_the_entry_agent_has_one_reader_however_often_it_is_opened(worlds: Worlds) -> None:
    """KK-3: under its bare name, with one cursor."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "hello"))

    def open_again(tx: Tx) -> list[Reader]:
        row = tx.turn_row(tx.live_turns()[0])
        assert isinstance(row, TurnRow)
        return [open_reader(tx, row, bus(world)) for _ in range(2)]

    again = await world.room.store.write(open_again)
    assert again == [readers(world)[0]] * 2
    assert (again[0].address, again[0].ordinal, again[0].cursor_seq) == ("assistant", 0, 1)
    assert addresses(world) == ["assistant"]
    await world.check()


async def test_a_run_without_a_name_hears_only_what_is_for_everyone(worlds: Worlds) -> None:
    """KK-4, KK-31: it is on no roster, and without an address it cannot write."""
    world = roster_world(worlds)
    a = assistant(world, "subagent-")
    speaks = [post("everyone", "me too"), say("done")]
    workers(world, {"work": speaks}, "subagent-")
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "for all"), post("assistant", "not for it"))
    await a.does(make("subagent-", "work"))

    own = world.requests("subagent-")
    assert [text for text in texts(own[0]) if "for" in text] == [
        "[message from assistant, sent before you started] for all"
    ]
    assert results(own[-1])[0].startswith("send_message:no_address")
    assert [reader.address for reader in readers(world)] == ["assistant", ""]
    await world.check()


async def test_each_run_writes_under_its_own_address_around_a_nested_one(worlds: Worlds) -> None:
    """KK-5: before, during and after an agent that it has made and waits for."""
    world = roster_world(worlds)
    a = assistant(world, "researcher", "writer")
    workers(world, {"deep": [post("assistant", "within"), say("done")]}, "writer")
    await world.prompt("assistant", "begin")
    await a.does(post("assistant", "before"))
    await a.does(make("writer", "deep"))
    await a.does(post("assistant", "behind"))

    def written(tx: Tx) -> list[tuple[str, str]]:
        return [(one.sender_address, one.body) for one in tx.posts_behind(1, 0)]

    assert world.room.store.look(written) == [
        ("assistant", "before"), ("writer#1", "within"), ("assistant", "behind"),
    ]  # fmt: skip
    await world.check()


async def test_workers_at_once_that_make_workers_each_write_under_their_own_address(worlds: Worlds) -> None:
    """KK-5, KK-17: in one round with the call that makes one, and behind it; nobody ever as another."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    nest = batch(post("assistant", "one"), make("writer", "deep"), post("assistant", "two"))
    tasks = {f"task {n}": [nest, post("assistant", "three"), say("done")] for n in range(3)}
    workers(world, tasks, delegates_to=("writer",))
    workers(world, {"deep": [post("assistant", "within"), say("done")]}, "writer")
    await world.prompt("assistant", "begin")
    await a.does(*(make("researcher", task) for task in tasks))

    written = world.room.store.look(lambda tx: tx.posts_behind(1, 0))
    assert sorted((one.sender_address, one.body) for one in written) == sorted(
        [(f"researcher#{n}", text) for n in (1, 2, 3) for text in ("one", "two", "three")]
        + [(f"writer#{n}", "within") for n in (1, 2, 3)]
    )
    await world.check()


async def test_a_message_keeps_who_wrote_it_to_whom_and_a_client_s_own_id(worlds: Worlds) -> None:
    """KK-6: what enters a context is the text; the id of the client never does."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "and this", client_id="bubble-7")
    await a.does(post("assistant", "to myself"))

    found = world.room.store.look(lambda tx: tx.posts_behind(1, 0))
    assert [(p.sender_address, p.selector, p.client_id) for p in found] == [
        ("user", "everyone", "bubble-7"), ("assistant", "assistant", None),
    ]  # fmt: skip
    assert "bubble-7" not in "".join(texts(world.requests("assistant")[-1]))
    await world.check()


async def test_a_reader_gets_what_was_written_before_and_after_it_began_and_nothing_twice(
    worlds: Worlds,
) -> None:
    """KK-7, KK-8, KK-17: each reader has a cursor of its own; a label means all of its runs."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    gate = Gate()
    two = [held(gate, look()), look(), say("done")]
    workers(world, {"one": two, "two": two})
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "first"))
    await a.starts(make("researcher", "one"), make("researcher", "two"))
    await world.models["researcher"].nth_request(2)
    await world.room.send(world.handle("assistant"), "second")
    gate.open()
    await a.asked()

    for nth in (1, 2):
        newest = "".join(texts(world.requests("researcher", nth)[-1]))
        assert (newest.count("first"), newest.count("second")) == (1, 1)
    assert [reader.cursor_seq for reader in readers(world)] == [2, 2, 2]
    await world.check()


async def test_a_reader_passes_over_what_is_not_for_it(worlds: Worlds) -> None:
    """KK-18: the cursor stands at the end, whatever matched."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"work": [look(), say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(post("assistant", "left"), post("everyone", "middle"), post("assistant", "right"))
    await a.does(make("researcher", "work"))

    own = "".join(texts(world.requests("researcher")[-1]))
    assert ("left" in own, "middle" in own, "right" in own) == (False, True, False)
    assert readers(world)[1].cursor_seq == 3
    await world.check()


@pytest.mark.parametrize(
    ("selector", "address", "does"),
    [
        ("everyone", "researcher#2", True),
        ("everyone", "", True),
        ("researcher#2", "researcher#2", True),
        ("researcher", "researcher#2", True),
        ("research", "researcher#2", False),
        ("writer", "researcher#2", False),
        ("researcher#", "researcher#2", False),
        ("researcher#20", "researcher#2", False),
        ("assistant", "assistant", True),
        ("", "assistant", False),
        ("", "", False),
    ],
)
def test_a_selector_is_an_address_a_label_or_everyone(selector: str, address: str, *, does: bool) -> None:
    """KK-16: never a part of one."""
    assert selectors.matches(selector, address) is does


async def test_a_turn_never_sees_what_was_written_in_the_one_before(worlds: Worlds) -> None:
    """KK-14, KK-51: each turn has a bus of its own, and an address of the last one means nobody."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"work": [say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "work"))
    await a.does(post("researcher#1", "for nobody any more"))
    await a.says("over")
    await world.turn_end("assistant")
    await world.prompt("assistant", "once more")
    (refused,) = await a.does(post("researcher#1", "still there?"))

    assert refused.text.startswith("send_message:unknown_selector")
    assert "You can write to: assistant, or everyone." in refused.text
    newest = [item for item in texts(world.requests("assistant")[-1]) if "for nobody" in item]
    assert newest == []
    assert [reader.address for reader in readers(world, 2)] == ["assistant"]
    await world.check()


async def test_a_closed_bus_takes_nothing(worlds: Worlds) -> None:
    """KK-9: a call that comes late finds no turn."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "hello"))
    sent = await world.event("message.sent")
    await world.room.store.write(lambda tx: tx.close_bus(bus(world), "[]", 0))
    (late,) = await a.does(post("everyone", "too late"))

    assert late.text.startswith("send_message:no_turn")
    assert bus(world).seq == 1
    assert sent.facts["to"] == BranchKey(0)
    await world.close()


async def test_a_call_that_is_made_again_gets_its_first_receipt(worlds: Worlds) -> None:
    """CK-11, CK-12 on a bus: it names whom the selector meant then; another text or selector is refused."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"work": [say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "hello"))
    await a.does(make("researcher", "work"))
    again = draft(world, await world.event("message.sent"), "hello")

    async def outcome(body: str, to: str) -> Receipt | Refusal:
        made = Draft(
            call=again.call, fence=again.fence, to=to, body=body, mode=again.mode, render=str,
        )  # fmt: skip
        return (await world.room.office.send(made, lambda _: None)).outcome

    first = await outcome("hello", "everyone")
    assert isinstance(first, Receipt)
    assert first.matches == ("assistant",)
    for other in (await outcome("another", "everyone"), await outcome("hello", "assistant")):
        assert isinstance(other, Refusal)
        assert other.code is Code.IDEMPOTENCY_CONFLICT
    assert bus(world).seq == 1
    await world.check()


async def test_only_what_the_entry_agent_reads_counts_for_the_person_s_text(worlds: Worlds) -> None:
    """KK-15: a worker's reading of it changes nothing; it opens the next turn."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    gate, never = Gate(), Gate()
    workers(world, {"work": [held(gate, look()), look(), held(never, say("done"))]})
    await world.prompt("assistant", "begin")
    await a.starts(make("researcher", "work"))
    await world.models["researcher"].nth_request(1)
    await world.prompt("assistant", "and another thing")
    gate.open()
    await never.reached.wait()
    await world.room.cancel(world.view("assistant").session_id)
    await world.turn_end("assistant")
    opened = await a.asked()

    assert "and another thing" in texts(world.requests("researcher")[-1])
    assert texts(opened)[-1] == "and another thing"
    await world.check()


async def test_two_senders_in_one_round_stand_on_the_bus_one_after_the_other(worlds: Worlds) -> None:
    """KK-8: each reader takes both."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    tell = [after(world, 2, post("assistant", "from me")), say("told")]
    workers(world, {"one": tell, "two": tell})
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "one"), make("researcher", "two"))

    newest = texts(world.requests("assistant")[-1])[-1]
    assert newest.count("from me") == 2
    await world.check()
