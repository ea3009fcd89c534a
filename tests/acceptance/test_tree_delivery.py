"""How mail of the `tree` surface is delivered: to running, waiting, finished and cold recipients."""

from postroom.domain.policy import Policy
from postroom.llm.port import AssistantItem, ResultItem, UserItem
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts, times
from postroom.tools.base import ToolResult
from tests.acceptance.family import Worlds, accepted, delegate, family, send


async def test_a_running_child_reads_a_steer_at_its_next_boundary(world: World) -> None:
    """CK-1"""
    world.tool("look", _look)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", tools=("look",))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    first = await b.asked()

    (receipt,) = await root.does(send(world.handle("b"), "look left"))
    await b.starts(call("look"))
    second = await world.request("b", 2)

    assert accepted(receipt).recipient_state == "running"
    assert "look left" not in "".join(texts(first))
    assert isinstance(second.items[-2], ResultItem)
    assert "look left" in texts(second)[-1]
    await world.check()


async def test_a_child_that_waits_for_a_slot_keeps_mail_and_claims_it_when_it_starts(worlds: Worlds) -> None:
    """CK-2"""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b", "the task"))

    (receipt,) = await root.does(send(world.handle("b"), "and mind the step"))

    assert accepted(receipt).recipient_state == "queued"
    assert not b.is_asked
    assert world.view("b").unread == 2
    await root.says("over to you")
    first = await b.asked()
    assert texts(first)[0] == "the task"
    assert "and mind the step" in texts(first)[1]
    await world.check()


async def test_a_finished_recipient_wakes_and_its_task_stays_as_it_ended(world: World) -> None:
    """CK-7"""
    root, b = await family(world, "b")
    await b.says("first result")
    await world.turn_end("b")

    (receipt,) = await root.does(send(world.handle("b"), "one more thing"))
    woken = await world.request("b", 2)
    await b.says("second answer")
    await world.turn_end("b", 2)
    await root.says("done")
    await world.quiesce()

    assert accepted(receipt).recipient_state == "waking_finished"
    assert "one more thing" in texts(woken)[-1]
    assert len(world.events("task.ended")) == 1
    assert sum("second answer" in text for text in texts(world.requests("r")[-1])) == 0
    assert times("<subagent_notification", world.requests("r")) == 1
    await world.check()


async def test_a_receipt_names_message_mode_and_the_state_of_the_recipient(worlds: Worlds) -> None:
    """CK-10"""
    world = worlds(policy=Policy(surface="tree", concurrency=2))
    root, running, waiting = (
        world.puppet("r", may_message=("child",), delegates_to=("b", "c")),
        world.puppet("b"),
        world.puppet("c"),
    )
    await world.prompt("r", "begin")
    await root.does(delegate("b"), delegate("c"))
    await running.asked()

    to_running, to_waiting = await root.does(
        send(world.handle("b"), "one", "queue"), send(world.handle("c"), "two", "steer")
    )
    running.rests()
    waiting.rests()
    await world.turn_end("b", 2)
    await world.turn_end("c")
    (to_finished,) = await root.does(send(world.handle("c"), "three"))

    found = [accepted(r) for r in (to_running, to_waiting, to_finished)]
    assert [(f.mode, f.recipient_state) for f in found] == [
        ("queue", "running"),
        ("steer", "queued"),
        ("steer", "waking_finished"),
    ]
    sent = [e.message_id for e in world.events("message.sent") if e.facts["call"] is not None]
    assert [f.message_id for f in found] == [i for i in sent if i in {f.message_id for f in found}]
    assert len({f.message_id for f in found}) == 3
    await world.check()


async def test_a_message_accepted_before_a_crash_is_read_once_after_it(worlds: Worlds) -> None:
    """CK-13"""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    (receipt,) = await root.does(send(world.handle("b"), "survive"))

    await world.crash()
    await world.open()
    b.rests()
    root.rests()
    await world.quiesce()

    assert accepted(receipt).recipient_state == "queued"
    assert times("survive", world.requests("b")) == 1
    await world.check()


async def test_a_claim_that_a_crash_left_open_is_released_and_read_again(world: World) -> None:
    """CK-14"""
    root, b = await family(world, "b")
    await b.says("first result")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "claimed at the crash"))
    claimed = await b.asked()

    await world.crash()
    await world.open()
    again = await world.request("b", len(world.requests("b")) + (0 if b.is_asked else 1))
    await b.says("read it")
    await world.turn_end("b", 3)

    assert "claimed at the crash" in texts(claimed)[-1]
    assert times("claimed at the crash", [again]) == 1
    released = [e for e in world.events("message.released", agent="b") if not e.facts["parked"]]
    assert len(released) == 1
    await world.check()


async def test_queued_mail_stays_out_of_the_running_turn_and_opens_the_next(world: World) -> None:
    """CK-26"""
    world.tool("look", _look)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", tools=("look",))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.asked()

    await root.does(send(world.handle("b"), "for later", "queue"))
    await b.does(call("look"))
    await b.does(call("look"))
    running = world.requests("b")
    await b.says("done")
    next_turn = await world.request("b", 4)

    assert times("for later", running) == 0
    assert "for later" in texts(next_turn)[-1]
    assert len(world.events("turn.started", agent="b")) == 2
    await world.check()


async def test_a_steer_neither_aborts_a_request_nor_splits_a_call_from_its_result(world: World) -> None:
    """CK-27"""
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", tools=("slow",))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.asked()

    await root.does(send(world.handle("b"), "during the request"))
    still_open = b.is_asked
    await b.starts(call("slow"), call("slow"))
    await gate.reached.wait()
    await root.does(send(world.handle("b"), "during the tools"))
    gate.open()
    request = await world.request("b", 2)

    assert still_open
    assert gate.arrivals == 2
    kinds = [type(item) for item in request.items]
    assert kinds == [UserItem, AssistantItem, ResultItem, ResultItem, UserItem, UserItem]
    assert [r.text for r in request.items if isinstance(r, ResultItem)] == ["done", "done"]
    assert "during the request" in texts(request)[-2]
    assert "during the tools" in texts(request)[-1]
    await world.check()


async def test_a_recipient_that_is_in_no_memory_is_opened_by_a_send(world: World) -> None:
    """CK-36: the room is opened anew, so that nothing of the recipient is resident."""
    root, b = await family(world, "b")
    await b.says("early result")
    await world.turn_end("b")
    for _ in range(2):  # the result joins the turn, which reads it in a second request
        await root.says("noted")
    await world.quiesce()
    await world.reopen()

    await world.prompt("r", "write to it")
    (receipt,) = await root.does(send(world.handle("b"), "wake up"))
    woken = await world.request("b", 2)

    assert accepted(receipt).recipient_state == "waking_finished"
    assert texts(woken)[:2] == ["work", "early result"]
    assert "wake up" in texts(woken)[2]
    await world.check()


async def test_a_background_result_arrives_by_itself_and_only_own_children_can_be_asked(world: World) -> None:
    """CK-40"""
    root = world.puppet("r", delegates_to=("b", "c"), may_message=("child",))
    b = world.puppet("b", delegates_to=("d",))
    c = world.puppet("c", delegates_to=("d",))
    world.puppet("d")
    await world.prompt("r", "begin")
    await root.does(delegate("b"), delegate("c"))
    await b.does(delegate("d"))

    foreign, by_id, nobody = await c.does(
        call("get_subagent_result", session_id=world.handle("d")),
        call("cancel_subagent", session_id=world.view("b").session_id),
        call("get_subagent_result", session_id="d_00000000"),
    )
    (own,) = await b.does(call("get_subagent_result", session_id=world.handle("d")))
    await c.says("the result of c")
    await world.turn_end("c")
    (noted,) = await root.does(call("get_subagent_result", session_id=world.handle("c")))

    assert all("not_your_child" in r.text for r in (foreign, by_id, nobody))
    assert not own.is_error
    assert "status running" in own.text
    assert "the result of c" in noted.text
    await world.check()


async def _look(*_: object) -> ToolResult:
    return ToolResult(text="nothing there")
