"""Fork on `tree`: the words are shared, and nothing that waits, runs or was promised is (O-38)."""

from postroom.observe import looks
from postroom.rules.permissions import Effect, Rule
from postroom.service.contexts import chars_to
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.puppet import Puppet
from postroom.testing.script import call, say
from postroom.testing.world import World, texts, times
from tests.acceptance.family import accepted, code, delegate, family, idle_family, send


async def test_a_fork_has_the_words_and_nothing_else(world: World) -> None:
    """O-38, CK-38: no mail, task, child, grant or mode; the person's rules over the tree go along."""
    root, _ = await idle_family(world, "b")
    root_id = world.view("r").session_id
    await world.room.set_overlay(root_id, [Rule(action="message", effect=Effect.DENY, pattern="nobody")])
    await world.room.set_mode(root_id, "yolo")
    quiet = len(world.requests("r"))

    fork = await world.room.fork(root_id)
    rights = await world.room.rights(fork.session_id)
    one = next(v for v in world.views() if v.session_id == fork.session_id)

    assert len(world.requests("r")) == quiet
    assert (one.state, one.unread, one.depth, one.title) == ("idle", 0, 0, "begin (fork)")
    assert len(await world.room.agents_view(fork.session_id)) == 1
    assert (rights.mode, rights.grants) == ("ask", [])
    assert len(rights.overlay) == 1
    assert (await world.room.history(fork.session_id))[0].text == "begin"
    assert not root.is_asked
    await world.check()


async def test_a_fork_of_an_agent_at_work_begins_before_what_it_has_not_answered(world: World) -> None:
    """Mail that no answer has read is read by its recipient only."""
    root = world.puppet("r")
    root_id = (await world.prompt("r", "first")).session_id
    await root.says("one")
    await world.turn_end("r")
    await world.room.prompt("second", session=root_id)
    await root.asked()

    fork = await world.room.fork(root_id)
    await root.says("two")
    await world.turn_end("r", 2)
    await world.room.prompt("other", session=fork.session_id)
    request = await root.asked()

    assert (fork.place, fork.nodes_shared) == ("2", 2)
    assert texts(request) == ["first", "one", "other"]
    await world.check()


async def test_a_fork_of_a_fork_is_taken_back_into_what_it_inherited(world: World) -> None:
    """Nodes are shared across sessions; taking one path back changes no other, and no mail of another."""
    model = world.agent("r", *[say(f"answer {n}") for n in range(8)])
    root_id = (await world.prompt("r", "first")).session_id
    await world.quiesce()
    one = await world.room.fork(root_id)
    await world.room.prompt("second", session=one.session_id)
    await world.quiesce()
    two = await world.room.fork(one.session_id)

    done = await world.room.revert(two.session_id, "1")
    await world.room.prompt("other", session=two.session_id)
    await world.quiesce()
    whole = [len(await world.room.history(s)) for s in (root_id, one.session_id, two.session_id)]

    assert [v.title for v in world.views()] == ["first", "first (fork)", "first (fork 2)"]
    assert (done.nodes_left, done.read, done.unread) == (3, (), ())
    assert whole == [2, 4, 3]
    assert texts(model.requests[-1]) == ["first", "other"]
    assert not any(
        m.reverted for m in [world.room.store.look(looks.message, i) for i in _messages(world)] if m
    )
    assert world.room.store.look(_miscounted_contexts) == []
    await world.check()


async def test_a_child_can_be_forked_into_a_tree_of_its_own(world: World) -> None:
    _, b = await idle_family(world, "b")
    await b.says("child's answer")
    await world.turn_end("b")

    fork = await world.room.fork(world.handle("b"))
    await world.room.prompt("go on alone", session=fork.session_id)
    request = await b.asked()

    assert [item.text for item in request.items][-1] == "go on alone"
    assert times("child's answer", [request]) == 1
    assert len(await world.room.agents_view(fork.session_id)) == 1
    await world.check()


async def test_a_fork_sends_and_reads_nothing_of_its_original_again(world: World) -> None:
    """O-38: across a restart m2 goes out once, from A; i1 is read by A only; no window counts twice."""
    root, _ = await _busy(world)
    fork = await world.room.fork(world.view("r").session_id)
    counts = world.room.store.look(invariants.miscounts)

    await world.crash()
    await world.open()
    original = await root.asked()
    await root.says("read it")
    await world.room.resume(world.handle("c"))
    await world.puppets["c"].says("got m2")
    await world.turn_end("c", 2)
    await world.room.prompt("hello", session=fork.session_id)
    forked = await root.asked()

    assert counts == world.room.store.look(invariants.miscounts) == []
    assert (times("i1", [original]), times("i1", [forked])) == (1, 0)
    assert times("m2", world.requests("c")) == 1
    assert [e.agent for e in world.events("message.accepted") if e.facts["kind"] == "mail"] == [
        world.handle("b"), world.handle("c"), world.view("r").profile,
    ]  # fmt: skip
    await world.check()


async def test_a_fork_hears_nothing_of_a_task_and_cannot_end_it(world: World) -> None:
    """O-38: T reports to A only, A2 may not stop it and cannot write to what is in A's tree."""
    root, b = await _busy(world)
    fork = await world.room.fork(world.view("r").session_id)
    await root.says("waiting")
    await root.asked()
    await root.says("read i1")
    await world.turn_end("r", 2)

    await world.room.prompt("hello", session=fork.session_id)
    await root.asked()
    stopped, strange, other = await root.does(
        call("cancel_subagent", session_id=world.handle("b")), send(world.handle("b"), "new"),
        send(world.view("b").session_id, "new"), shared_id="call_1",
    )  # fmt: skip
    await root.says("so be it")
    await world.turn_end("r", 3)
    await b.says("T is done")
    told = await root.asked()

    assert "not_your_child" in stopped.text
    assert (code(strange), code(other)) == ("unknown_reference", "not_tree_peer")
    assert times("T is done", [told]) == 1
    assert told.branch == world.requests("r")[0].branch
    assert times("T is done", world.requests("r", 2)) == 0
    await world.check()


async def test_a_call_id_that_the_original_has_used_is_another_call_in_a_fork(world: World) -> None:
    """O-38: "new" has its own id although the provider repeats its own, and A2's child its own handle."""
    root, b = await family(world, "b")
    (old,) = await root.does(send(world.handle("b"), "old"), shared_id="call_1")
    await root.says("idle")
    await world.turn_end("r")
    fork = await world.room.fork(world.view("r").session_id)
    await b.does(call("nothing"))

    await world.room.prompt("hello", session=fork.session_id)
    await root.does(delegate("b", "another"), shared_id="call_1")
    mine = next(v for v in await world.room.agents_view(fork.session_id) if v.profile == "b")
    (new,) = await root.does(send(mine.handle, "new"), shared_id="call_1")

    assert accepted(new).message_id != accepted(old).message_id
    assert mine.handle != world.handle("b")
    assert [e.message_id for e in world.events("message.accepted") if e.facts["kind"] == "mail"] == [
        accepted(old).message_id, accepted(new).message_id,
    ]  # fmt: skip
    await world.check()


async def test_a_fork_of_an_agent_that_asks_the_person_asks_nothing(world: World) -> None:
    """O-38: the ask stays with its call, and the fork begins before the answer that waits for it."""
    ask_first = (Rule(action="message", effect=Effect.ASK, pattern="child"),)
    root = world.puppet("r", rules=ask_first, delegates_to=("b",))
    b = world.puppet("b")
    root_id = (await world.prompt("r", "begin")).session_id
    await root.does(delegate("b"))
    await b.asked()
    await root.starts(send(world.handle("b"), "may I?"))
    await world.event("ask.opened")

    fork = await world.room.fork(root_id)
    asks = [ask.session_id for ask in await world.room.asks()]
    await world.room.approve((await world.room.asks())[0].ask_id)
    await root.asked()

    assert (fork.place, fork.nodes_shared) == ("3", 3)
    assert asks == [root_id]
    assert await world.room.asks(fork.session_id) == []
    assert (await world.room.rights(fork.session_id)).grants == []
    await world.check()


async def _busy(world: World) -> tuple[Puppet, Puppet]:
    """O-38: A has m1 delivered to B, m2 accepted for C, which is stopped, T at work, i1 unread."""
    root, b, c = await family(world, "b", "c")
    await root.does(send(world.handle("b"), "m1"))
    await b.does(call("nothing"))
    await c.says("c is done")
    await root.does(call("nothing"))
    await world.room.stop(world.handle("c"))
    await root.does(send(world.handle("c"), "m2"), shared_id="call_1")
    await b.does(send(world.view("r").session_id, "i1", "queue"))
    return root, b


def _messages(world: World) -> list[str]:
    return [e.message_id for e in world.events("message.accepted")]


def _miscounted_contexts(tx: Tx) -> list[int]:
    """Branches whose context is not as long as its nodes are."""
    found = list[int]()
    for branch in invariants.read_ledger(tx).branches:
        row = tx.branch_row(branch)
        if chars_to(tx, row.head) != row.context_chars:
            found.append(branch)
    return found
