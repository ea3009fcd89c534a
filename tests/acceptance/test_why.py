"""Why something happened, in one view: every link of it stands at both of its ends (product.md section 7)."""

import pytest

from postroom.errors import ModelFault, NotFound
from postroom.observe.why import Why
from postroom.observe.why.shapes import MessageWhy, TurnWhy
from postroom.testing.script import Gate, call
from postroom.testing.world import World
from tests.acceptance.damage import used_store
from tests.acceptance.family import delegate, family, send
from tests.acceptance.why_graph import flaws


async def told(world: World, reference: str) -> Why:
    """The view of one thing."""
    return await world.room.why(reference)


def both(found: Why) -> tuple[MessageWhy, TurnWhy]:
    """The message of a view, and the turn that read it."""
    assert found.message is not None
    assert found.turn is not None
    return found.message, found.turn


async def end(world: World) -> None:
    """Everything holds, and the views agree with the tables."""
    await world.check()
    assert flaws(world.folder) == []


async def test_a_message_leads_from_its_sender_to_what_it_caused(world: World) -> None:
    """O-13: message, consumption, the turn that it started, reply."""
    root, b = await family(world, "b")
    await root.says("I wait")
    await b.says("ready")
    await root.says("done")
    await world.quiesce()
    prompt = await world.prompt("r", "write to b")
    await root.does(send(world.handle("b"), "wake up"))
    await b.does(send(world.handle("r"), "awake"))
    await world.rest()
    sent = world.events("message.sent", agent="r")[-1]

    found = await told(world, sent.message_id)

    message, turn = both(found)
    assert (message.sender.by, message.sender.name) == ("agent", "r")
    assert (message.to.name, message.receipt) == (world.handle("b"), "waking_finished")
    assert [step.what for step in message.life] == ["accepted", "claimed", "consumed"]
    assert message.life[-1].turn_id == turn.turn_id
    assert turn.read[0].message_id == message.message_id
    assert (turn.read[0].how, turn.state, turn.end_reason) == ("opened", "finished", "answered")
    assert [(c.tool, c.outcome) for c in turn.calls] == [("send_message", "ok")]
    assert turn.sent[0].to.name == "r"
    assert [cause.message_id for cause in found.because] == [prompt.message_id]
    assert found.because[0].sender.by == "person"
    await end(world)


async def test_a_refused_send_stands_in_the_view_of_its_turn_and_nowhere_else(world: World) -> None:
    """CK-29: delivered nowhere."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    world.puppet("b", may_message=("parent",))
    await world.prompt("r", "begin")
    await root.does(delegate("b"), send("nobody_00000000", "hello"))
    await world.rest()
    began = (await told(world, world.view("r").session_id)).because[-1]
    first = await told(world, began.message_id)

    assert first.turn is not None
    outcomes = [(c.tool, c.outcome, c.message_id != "") for c in first.turn.calls]
    assert outcomes == [("delegate_subagent", "ok", True), ("send_message", "unknown_reference", False)]
    assert [s.kind for s in first.turn.sent] == ["prompt"]
    refused = await told(world, first.turn.calls[1].call_id)
    assert refused.what == "call"
    assert refused.call is not None
    assert refused.call.outcome == "unknown_reference"
    await end(world)


async def test_a_task_leads_to_the_turn_that_ran_it_and_to_its_result(world: World) -> None:
    root, b = await family(world, "b")
    await root.says("I wait")
    await b.says("found it")
    await world.rest()
    task = world.events("task.queued")[0]
    prompt = world.events("message.accepted", agent="b")[0]

    found = await told(world, prompt.message_id)

    assert task.facts["task"]
    assert found.message is not None
    assert found.message.task is not None
    assert (found.message.task.state, found.message.task.outcome) == ("completed", "succeeded")
    (answer,) = found.message.answered_by
    assert (answer.kind, answer.message_id) == ("result", found.message.task.result_id)
    result = await told(world, answer.message_id)
    assert result.message is not None
    assert result.message.answers_id == prompt.message_id
    assert result.message.turn_id == found.message.task.turn_id
    assert result.turn is not None
    assert (result.turn.agent.name, result.turn.trigger) == ("r", "mail")
    await end(world)


async def test_a_result_that_a_call_returned_names_the_call(world: World) -> None:
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False))
    await b.says("here it is")
    await world.rest()

    found = await told(world, world.view("r").session_id)

    assert found.turn is not None
    (made,) = found.turn.calls
    assert made.awaits_id == made.message_id
    assert made.returned_id == found.turn.tasks[0].result_id
    returned = next(read for read in found.turn.read if read.how == "returned")
    assert returned.message_id == made.returned_id
    message = (await told(world, made.returned_id)).message
    assert message is not None
    assert message.life[1].call_id == made.call_id
    await end(world)


async def test_a_failed_turn_gives_its_mail_back_and_the_next_turn_has_it(world: World) -> None:
    """Released, parked, read with the next reason to run."""
    root = world.puppet("r")
    await world.prompt("r", "first")
    await root.fails(ModelFault("no"))
    await world.turn_end("r")
    await world.prompt("r", "second")
    await world.rest()
    first = world.events("message.accepted")[0]

    found = await told(world, first.message_id)

    assert found.message is not None
    steps = [step.what for step in found.message.life]
    assert steps[:3] == ["accepted", "claimed", "parked"]
    assert steps[-2:] == ["claimed", "consumed"]
    assert found.message.state == "consumed"
    assert found.turn is not None
    failed = await told(world, found.turn.previous_id)
    assert failed.turn is not None
    assert (failed.turn.state, failed.turn.next_id) == ("failed", found.turn.turn_id)
    assert [read.message_id for read in failed.turn.read] == [first.message_id]
    await end(world)


async def test_a_dropped_message_says_why_and_names_the_notice_about_it(world: World) -> None:
    """G8: quarantined at the fifth attempt; its retry names it too."""
    root, b = await family(world, "b")
    await b.says("ready")
    await root.does(send(world.handle("b"), "poison"))
    for _ in range(5):
        await b.fails(ModelFault("no"))
        await world.turn_end("b")
        if world.events("message.discarded", agent="b"):
            break
        await world.room.resume(world.handle("b"))
    sent = world.events("message.sent", agent="r")[-1]
    await world.room.retry(sent.message_id)
    await world.rest()

    found = (await told(world, sent.message_id)).message

    assert found is not None
    assert (found.state, found.reason) == ("discarded", "quarantined")
    assert [answer.kind for answer in found.answered_by] == ["notice", "mail"]
    again = (await told(world, found.answered_by[1].message_id)).message
    assert again is not None
    assert (again.sender.by, again.sender.name) == ("person", "r")
    assert again.answers_id == sent.message_id
    await end(world)


async def test_calls_that_a_stop_ended_and_the_turn_say_so(world: World) -> None:
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", tools=("slow",))
    await world.prompt("r", "begin")
    await root.starts(call("slow"))
    await gate.reached.wait()
    running = await told(world, world.view("r").session_id)
    await world.room.cancel(world.view("r").session_id)
    gate.open()
    await world.rest()

    found = await told(world, world.view("r").session_id)

    assert running.turn is not None
    assert found.turn is not None
    assert [c.outcome for c in running.turn.calls] == ["open"]
    assert (found.turn.state, [c.outcome for c in found.turn.calls]) == ("cancelled", ["cancelled"])
    await end(world)


async def test_a_cancelled_task_names_the_call_that_ended_it_and_the_call_names_the_task(
    world: World,
) -> None:
    """O-13: who stopped K's task?"""
    root, b = await family(world, "b")
    await b.asked()
    await root.does(call("cancel_subagent", session_id=world.handle("b"), reason="enough"))
    await world.prompt("r", "and b again")
    prompt = world.events("message.accepted", agent="b")[0]
    await world.rest()

    found = await told(world, prompt.message_id)

    message, turn = both(found)
    assert message.task is not None
    assert message.task.cancelled_by is not None
    assert (message.task.cause, message.task.cancelled_by.name) == ("enough", "r")
    assert (turn.state, turn.cancelled_by) == ("cancelled", message.task.cancelled_by)
    made = await told(world, message.task.cancelled_call_id)
    assert made.call is not None
    assert made.call.tool == "cancel_subagent"
    assert made.call.cancelled_ids == (message.message_id, turn.turn_id)
    await end(world)


async def test_a_turn_that_the_person_cancelled_says_so(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.asked()
    await world.room.cancel(world.view("r").session_id)
    await world.rest()

    found = (await told(world, world.view("r").session_id)).turn

    assert found is not None
    assert found.cancelled_by is not None
    assert (found.cancelled_by.by, found.cancelled_call_id) == ("person", "")
    await end(world)


async def test_the_whole_history_of_a_family_hangs_together(world: World) -> None:
    folder = await used_store(world)

    assert flaws(folder) == []


async def test_asking_twice_and_after_a_restart_gives_the_same(world: World) -> None:
    """O-13: a view adds nothing."""
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "one"))
    await b.says("done")
    await world.rest()
    ids = [e.message_id for e in world.events("message.accepted")]
    count = len(world.events())

    before = [await told(world, i) for i in ids]
    again = [await told(world, i) for i in ids]
    assert len(world.events()) == count
    await world.reopen()
    after = [await told(world, i) for i in ids]

    assert before == again == after
    await end(world)


@pytest.mark.parametrize(
    "reference",
    ["", "nobody", "c_1_1_1", "c_0_0_0", "c_9_9_9_9", "0" * 8, "\ud800", "'; DROP TABLE", "x" * 999],
)
async def test_what_there_is_not_is_said(world: World, reference: str) -> None:
    world.puppet("r")
    await world.prompt("r", "begin")

    with pytest.raises(NotFound):
        await told(world, reference)

    await world.check()
