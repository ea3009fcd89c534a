"""How turns and tasks end and wait: parked mail, quarantine, blocking calls, results."""

import asyncio

import pytest

from postroom.domain.policy import Policy
from postroom.errors import ModelFault, Refused
from postroom.llm.port import ResultItem
from postroom.testing.script import Gate, call, held, say
from postroom.testing.world import World, texts, times
from tests.acceptance.family import Worlds, accepted, delegate, family, send


async def test_a_failed_turn_parks_its_mail_until_something_else_opens_one(world: World) -> None:
    """O-02, I8"""
    root, b = await family(world, "b")
    await b.says("free")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "m1"))
    await b.fails(ModelFault("broken"))
    await world.turn_end("b", 2)
    parked = world.view("b")

    await root.does(send(world.handle("b"), "m2"))
    request = await b.asked()

    assert (parked.unread, parked.parked, parked.state) == (1, 1, "failed")
    assert [times(m, [request]) for m in ("m1", "m2")] == [1, 1]
    await world.check()


async def test_a_start_of_the_process_reads_parked_mail(world: World) -> None:
    """O-02 b"""
    root, b = await family(world, "b")
    await b.says("free")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "m1"))
    await b.fails(ModelFault("broken"))
    await world.turn_end("b", 2)

    await world.reopen()
    request = await b.asked()

    assert times("m1", [request]) == 1
    await world.check()


async def test_the_fifth_attempt_sets_mail_aside_and_a_retry_sends_it_anew(world: World) -> None:
    """O-32: quarantine; a notice tells the sender, and `retry` takes the id of the old message."""
    root, b = await family(world, "b")
    await b.says("free")
    await world.turn_end("b")
    (receipt,) = await root.does(send(world.handle("b"), "poison"))
    for attempt in range(5):
        await b.fails(ModelFault("broken"))
        await world.turn_end("b", attempt + 2)
        if attempt < 4:
            await world.room.resume(world.handle("b"))
    await root.does(call("nothing"))
    notice = texts(await root.asked())[-1]
    again = await world.room.retry(accepted(receipt).message_id)
    await b.asked()
    await b.says("read at last")
    await world.turn_end("b", 7)

    assert notice.startswith("[notice]")
    assert "set aside" in notice
    assert again.message_id != accepted(receipt).message_id
    with pytest.raises(Refused, match="not_quarantined"):
        await world.room.retry(again.message_id)
    with pytest.raises(Refused, match="nothing_to_resume"):
        await world.room.resume(world.handle("b"))
    assert world.view("b").unread == 0
    await world.check()


async def test_an_outage_of_the_provider_counts_against_no_message(world: World) -> None:
    """O-32: nor does a cancel."""
    root, b = await family(world, "b")
    await b.says("free")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "m1"))
    for n in range(6):
        await b.asked()
        await world.room.cancel(world.handle("b"))
        await world.turn_end("b", n + 2)
        await world.room.resume(world.handle("b"))
    await b.says("read")
    await world.turn_end("b", 8)

    assert not world.events("message.discarded")
    assert times("m1", world.requests("b")) == 1
    await world.check()


async def test_a_blocking_delegation_returns_the_result_once(world: World) -> None:
    """The tool result is the claim of the delivery, the next answer consumes it; no turn is opened for it."""
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    working = asyncio.ensure_future(root.does(delegate("b", background=False)))
    await b.says("the answer")
    (result,) = await working
    claimed = world.events("message.claimed", agent="r")[-1]
    before = world.events("message.consumed", agent="r")
    await root.says("thank you")
    await world.quiesce()

    assert not result.is_error
    assert "the answer" in result.text
    after = world.events("message.consumed", agent="r")
    assert [e.facts["delivery"] for e in after[len(before) :]] == [claimed.facts["delivery"]]
    assert len(world.events("turn.started", agent="r")) == 1
    assert times("the answer", world.requests("r")) == 1
    await world.check()


async def test_a_result_that_nobody_answered_is_put_back_by_a_failure(world: World) -> None:
    """The answer after the blocking call fails: the result is read again, as it stands in the context."""
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    working = asyncio.ensure_future(root.does(delegate("b", background=False)))
    await b.says("the answer")
    await working
    await root.fails(ModelFault("broken"))
    await world.turn_end("r")
    parked = world.view("r").parked

    await world.room.resume(world.view("r").session_id)
    request = await root.asked()

    assert parked == 1
    assert times("the answer", [request]) == 1
    assert isinstance(request.items[-1], ResultItem)
    await world.check()


@pytest.mark.parametrize("text", ["", "\n", "\u200b \ufeff"])
async def test_an_empty_answer_is_reported_in_our_own_words(world: World, text: str) -> None:
    """O-28, O-40"""
    root, b = await family(world, "b")

    await b.says(text)
    await world.turn_end("b")
    await root.says("noted")
    report = texts(await root.asked())[-1]

    assert 'status="empty"' in report
    assert "ended without any text" in report
    (ended,) = world.events("task.ended")
    assert (ended.facts["state"], ended.facts["outcome"]) == ("completed", "empty")
    await world.check()


async def test_waiting_holds_no_slot(worlds: Worlds) -> None:
    """O-20: one slot, three levels of blocking delegation, and all finish."""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    world.agent("r", delegate("a", background=False), say("r is done"), delegates_to=("a",))
    world.agent("a", delegate("b", background=False), say("a is done"), delegates_to=("b",))
    world.agent("b", delegate("c", background=False), say("b is done"), delegates_to=("c",))
    world.agent("c", say("c is done"))

    prompt = await world.prompt("r", "begin")
    end = await world.room.wait(prompt)

    assert end.text == "r is done"
    assert [times(f"{p} is done", world.requests(q)) for p, q in ("ar", "ba", "cb")] == [1, 1, 1]
    await world.check()


async def test_eight_blocking_delegations_in_one_batch_share_one_slot(worlds: Worlds) -> None:
    """O-20: also where a batch waits for several children at once."""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root = world.puppet("r", delegates_to=("b",))
    world.agent("b", say("one of eight"))
    await world.prompt("r", "begin")

    results = await root.does(*(delegate("b", background=False) for _ in range(8)))

    assert ["one of eight" in r.text for r in results] == [True] * 8
    await world.check()


async def test_the_result_of_a_task_is_one_delivery_also_when_it_is_fetched(world: World) -> None:
    """Fetching it is its claim: it does not arrive a second time."""
    gate = Gate()
    root = world.puppet("r", delegates_to=("b",))
    world.agent("b", held(gate, say("the answer")))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    wait = call("get_subagent_result", session_id=world.handle("b"), wait=True)
    fetching = asyncio.ensure_future(root.does(wait))
    await world.event("turn.suspended", agent="r")

    gate.open()
    (result,) = await fetching
    (again,) = await root.does(call("get_subagent_result", session_id=world.handle("b")))
    await root.says("thank you")
    await world.quiesce()

    assert "the answer" in result.text
    assert "the answer" in again.text
    assert not any("<subagent_notification" in t for t in texts(world.requests("r")[-1]))
    accepted_results = [e for e in world.events("message.accepted", agent="r") if e.facts["kind"] == "result"]
    assert len(accepted_results) == 1
    await world.check()
