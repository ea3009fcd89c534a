"""`branch`: the mailbox of a busy agent (systems.md 1.8), and failures that come back (1.16)."""

from dataclasses import replace

from postroom.errors import ModelFault
from postroom.testing.clock import FakeClock
from postroom.testing.world import World, texts
from tests.acceptance.branches import POLICY, address, branch_world, crew, dispatch, message, pair, spawn
from tests.acceptance.family import Worlds


async def busy_pair(world: World) -> tuple[str, str]:
    """`a` and `b`, two sessions with an open turn each; their addresses."""
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("b", "hello")
    await b.asked()
    await world.prompt("a", "begin")
    await a.asked()
    return address(world, "a"), address(world, "b")


async def test_mail_to_a_busy_agent_waits_for_a_turn_of_its_own(worlds: Worlds) -> None:
    """OP-13, OP-36, OP-37: one turn an entry, in order; the running one is not touched."""
    world = branch_world(worlds)
    _, to = await busy_pair(world)
    a, b = world.puppets["a"], world.puppets["b"]
    for text in ("first", "second"):
        sent = (await a.does(message(to, text)))[0]
        assert sent.text.startswith("[queued] delivery_id=")
        assert to in sent.text
    assert len(world.requests("b")) == 1
    await b.says("hello")
    assert texts(await b.asked())[-1].endswith("first")
    assert "second" not in "".join(texts(await b.asked()))
    await b.says("one")
    assert texts(await b.asked())[-1].endswith("second")
    await b.says("two")
    await a.says("sent both")
    assert "one" in texts(await a.asked())[-1]
    await a.says("read one")
    assert "two" in texts(await a.asked())[-1]
    await world.check()


async def test_a_turn_that_fails_lets_the_next_entry_run(worlds: Worlds) -> None:
    """OP-39: on the error exit as well."""
    world = branch_world(worlds)
    _, to = await busy_pair(world)
    a, b = world.puppets["a"], world.puppets["b"]
    await a.does(message(to, "are you there?"))
    await b.fails(ModelFault("the model broke"))
    assert texts(await b.asked())[-1].endswith("are you there?")
    await world.check()


async def test_a_failed_answer_says_who_failed_and_why(worlds: Worlds) -> None:
    """OP-14: for mail, for a dispatch and for a spawn; nothing is read again."""
    world = branch_world(worlds)
    a, b = await pair(world)
    await a.does(message(address(world, "b"), "answer me"))
    await b.asked()
    await a.says("asked")
    await b.fails(ModelFault("the model broke"))
    told = texts(await a.asked())[-1]
    assert "failed: " in told
    assert "the model broke" in told
    given = (await a.does(dispatch(address(world, "b"), "do it")))[0]
    await b.asked()
    await a.says("given")
    await b.fails(ModelFault("broken again"))
    told = texts(await a.asked())[-1]
    assert given.text.split("task_id=")[1].split()[0] in told
    assert "failed: " in told
    await a.says("I see")
    await world.quiesce()
    assert len(world.requests("b")) == 3
    await world.check()


async def test_the_oldest_of_a_full_mailbox_gives_way_and_its_sender_is_told(worlds: Worlds) -> None:
    """OP-41: the notice is read at the next boundary."""
    world = branch_world(worlds, replace(POLICY, mailbox_cap=2, messages_max=None))
    _, to = await busy_pair(world)
    a = world.puppets["a"]
    for text in ("one", "two"):
        await a.does(message(to, text))
    third = await a.does(message(to, "three"))
    request = await a.asked()
    assert third[0].text.startswith("[queued]")
    assert "was dropped unread" in texts(request)[-1]
    assert "It began: one" in texts(request)[-1]
    dropped = world.events("message.discarded")
    assert [e.facts["reason"] for e in dropped] == ["overflow"]
    await world.check()


async def test_a_dropped_dispatch_ends_its_task(worlds: Worlds) -> None:
    """OP-41: `cancelled(overflow)`, and the dispatcher is told by the task's result."""
    world = branch_world(worlds, replace(POLICY, mailbox_cap=1, messages_max=None))
    _, to = await busy_pair(world)
    a, b = world.puppets["a"], world.puppets["b"]
    task = (await a.does(dispatch(to, "do it")))[0].text.split("task_id=")[1].split()[0]
    await a.does(message(to, "never mind"))
    await a.says("sent")
    told = texts(await a.asked())[-1]
    assert task in told
    assert "overflow" in told
    assert [(e.facts["state"], e.facts["cause"]) for e in world.events("task.ended")] == [
        ("cancelled", "overflow")
    ]
    await b.says("hello")
    assert texts(await b.asked())[-1].endswith("never mind")
    await world.check()


async def test_whose_mail_gives_way_is_neither_moved_nor_woken(worlds: Worlds) -> None:
    """OP-41: the head of a sender at rest stays; it reads the notice when it next runs."""
    world = branch_world(worlds, replace(POLICY, mailbox_cap=1, messages_max=None))
    c = world.puppet("c")
    own, to = await busy_pair(world)
    a = world.puppets["a"]
    await a.does(message(to, "one"))
    await a.says("sent")
    await world.turn_end("a")
    before = await world.room.history(own)
    await world.prompt("c", "begin")
    await c.does(message(to, "two"))
    await c.says("sent")
    await world.turn_end("c")

    assert [event.facts["reason"] for event in world.events("message.discarded")] == ["overflow"]
    assert await world.room.history(own) == before
    await world.prompt("a", "what became of it?")
    read = texts(await a.asked())
    assert "what became of it?" in read
    assert sum("was dropped unread" in text for text in read) == 1
    assert len(world.events("turn.started", agent="a")) == 2
    await world.check()


async def test_the_fifty_first_that_waits_drops_the_first(worlds: Worlds) -> None:
    """OP-41: the cap of the surface is 50; what a turn has claimed counts no more."""
    world = branch_world(worlds, replace(POLICY, messages_max=None))
    _, to = await busy_pair(world)
    a, b = world.puppets["a"], world.puppets["b"]
    await a.does(*(message(to, f"number {n} ".ljust(300, "x")) for n in range(50)))
    before = len(world.events("message.discarded"))
    (sent,) = await a.does(message(to, "number 50"))
    notice = texts(await a.asked())[-1]
    after = len(world.events("message.discarded"))
    await b.says("hello")
    first = texts(await b.asked())[-1]
    await a.does(message(to, "number 51"))

    assert sent.text.startswith("[queued]")
    assert (before, after, len(world.events("message.discarded"))) == (0, 1, 1)
    assert notice.endswith(f"It began: {'number 0 '.ljust(200, 'x')}")
    assert "\n\nnumber 1 " in first
    await world.check()


async def test_the_same_text_is_a_duplicate_while_a_copy_waits_for_a_minute(worlds: Worlds) -> None:
    """OP-42: in the last second of it, too; another text, and after the minute, it is accepted."""
    world = branch_world(worlds, replace(POLICY, messages_max=None))
    _, to = await busy_pair(world)
    a, b = world.puppets["a"], world.puppets["b"]
    assert isinstance(world.clock, FakeClock)
    await a.does(message(to, "hurry"))
    again = (await a.does(message(to, "hurry")))[0]
    assert again.text.startswith("[send_message] duplicate ignored")
    assert (await a.does(message(to, "hurry up")))[0].text.startswith("[queued]")
    await world.clock.advance(59)
    assert "duplicate" in (await a.does(message(to, "hurry")))[0].text
    await world.clock.advance(1)
    assert (await a.does(message(to, "hurry")))[0].text.startswith("[queued]")
    await b.says("hello")
    await b.asked()
    await b.says("yes")
    assert len(world.events("message.refused")) == 2
    await world.check()


async def test_a_copy_is_a_duplicate_of_its_own_sender_and_only_until_it_is_read(worlds: Worlds) -> None:
    """OP-42: somebody else may write the same, and so may the sender once the copy was delivered."""
    world = branch_world(worlds, replace(POLICY, messages_max=None))
    c = world.puppet("c")
    _, to = await busy_pair(world)
    a, b = world.puppets["a"], world.puppets["b"]
    await world.prompt("c", "begin")
    await a.does(message(to, "hurry"))
    (other,) = await c.does(message(to, "hurry"))
    (given, twice) = await a.does(dispatch(to, "do it"), dispatch(to, "do it"))
    await b.says("hello")
    await b.asked()
    (again,) = await a.does(message(to, "hurry"))

    assert other.text.startswith("[queued]")
    assert given.text.startswith("[task dispatched, queued]")
    assert twice.text.startswith("[agent] duplicate dispatch ignored")
    assert again.text.startswith("[queued]")
    assert len(world.events("task.queued")) == 1
    await world.check()


async def test_a_mailbox_outlives_its_process(worlds: Worlds) -> None:
    """OP-45, OP-38: what was accepted is read by the next process, in order, once."""
    world = branch_world(worlds)
    _, to = await busy_pair(world)
    a, b = world.puppets["a"], world.puppets["b"]
    await a.does(message(to, "first"))
    await a.does(message(to, "second"))
    await world.crash()
    await world.open()
    assert texts(await b.asked())[-1].endswith("hello")  # the cut turn's own text is read again
    await b.says("hello")
    assert texts(await b.asked())[-1].endswith("first")
    await b.says("one")
    assert texts(await b.asked())[-1].endswith("second")
    await world.check()


async def test_agents_of_one_session_write_to_each_other_while_both_work(worlds: Worlds) -> None:
    """OP-46, OP-44: the sender's own turn holds nothing up, and an idle branch runs at once."""
    world = branch_world(worlds)
    a, b, c = await crew(world, "b", "c")
    await c.says("done")
    sent = (await b.does(message("c", "one more thing")))[0]
    assert sent.text.startswith("[delivered, running async]")
    assert texts(await c.asked())[-1].endswith("one more thing")
    await a.asked()
    await world.check()


async def test_a_stop_empties_the_mailbox_and_tells_every_sender(worlds: Worlds) -> None:
    """OP-47: mail is discarded with a notice, attached tasks are cancelled and reported."""
    world = branch_world(worlds)
    _, to = await busy_pair(world)
    a = world.puppets["a"]
    await a.does(message(to, "a question"))
    task = (await a.does(dispatch(to, "a task")))[0].text.split("task_id=")[1].split()[0]
    await world.room.stop(to.partition(":")[0])
    assert sorted(str(e.facts["reason"]) for e in world.events("message.discarded")) == ["stopped"] * 2
    await a.says("sent")
    read = "\n".join(texts(await a.asked()))
    assert task in read
    assert "It began: a question" in read
    await world.check()


async def test_path_numbers_cross_the_mailbox(worlds: Worlds) -> None:
    """OP-33, OP-40: one message more than its sender had, and as many generations."""
    world = branch_world(worlds)
    await crew(world, "w")
    w = world.puppets["w"]
    refused = (await w.does(spawn("x")))[0]
    assert "(generations_spent)" in refused.text
    sent = (await w.does(message("main", "report")))[0]
    assert sent.text.startswith("[queued]")
    await world.puppets["a"].says("waiting")
    started = (await world.event("turn.started", 3)).facts
    assert (started["messages"], started["generations"]) == (2, 1)
    await world.check()
