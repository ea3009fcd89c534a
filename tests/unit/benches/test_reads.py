"""What the benches count, they count for every build: statements do not depend on the machine."""

from pathlib import Path

from benches import accept, boundary
from benches.fill import fill
from benches.report import Figure, table
from benches.trace import Trace
from benches.world import BODY_512, add_calls, directory
from postroom.clock import SystemClock
from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt
from postroom.service.draft import Draft
from postroom.service.office import Office
from postroom.testing.script import say
from postroom.testing.world import World

STATEMENTS_OF_ACCEPT = 12
"""Begin and commit, two joined reads, four rows of the message, and branch, pair and call changed; one
to spare."""


async def _statements_of_a_send(town: accept.Town) -> list[str]:
    store = town.open()
    await store.write(add_calls, town.senders[:1], 2)
    office = Office(store, directory, SystemClock())
    trace = Trace(store)
    for call in town.senders[0].calls:  # the first send of a process looks where the logs end
        trace.statements.clear()
        draft = Draft(
            call=call, fence=1, to=town.recipients[0].handle, body=BODY_512, mode=Mode.STEER,
            render=lambda outcome: str(isinstance(outcome, Receipt)),
        )  # fmt: skip
        sent = await office.send(draft, lambda _: None)
        assert isinstance(sent.outcome, Receipt)
    trace.stop()
    store.close()
    town.senders[0].calls.clear()
    return trace.statements


async def test_a_send_runs_as_many_statements_however_much_is_stored(tmp_path: Path) -> None:
    town = accept.Town(tmp_path)
    await town.settle()

    few = await _statements_of_a_send(town)
    fill(tmp_path, town.everybody, 0, 20_000)
    many = await _statements_of_a_send(town)

    assert len(few) == len(many) <= STATEMENTS_OF_ACCEPT


async def test_two_rounds_read_no_text_again_and_no_transaction_asks_twice(tmp_path: Path) -> None:
    place = await boundary.Place.open(tmp_path, boundary.Shape(name="long", nodes=400, mails=50))

    figures = list(await boundary.reads(place))
    place.store.close()

    assert [figure.name for figure in figures if not figure.is_met] == []


async def test_an_agent_that_runs_again_has_its_conversation_in_memory(tmp_path: Path) -> None:
    world = World(tmp_path)
    model = world.agent("writer", say("one"), say("two"))
    await world.prompt("writer", "Say one.")
    await world.room.quiesce()
    trace = Trace(world.room.store)

    await world.prompt("writer", "Say two.")
    await world.room.quiesce()
    trace.stop()
    await world.close()

    assert len(model.requests[1].items) == 3
    assert [statement for statement in trace.statements if "RECURSIVE path" in statement] == []


def test_a_goal_that_is_missed_is_marked() -> None:
    slow = Figure(bench="b", name="rate", value=2.0, unit="a second", least=3.0)
    fast = Figure(bench="b", name="pause", value=2.0, unit="ms", most=3.0)

    shown = table([slow, fast]).splitlines()

    assert [line.split()[-1] for line in shown if "goal" in line] == ["MISSED", "met"]
