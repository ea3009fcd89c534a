"""A change to a store that no process runs: durable at once, read when somebody runs it, or run now."""

import asyncio

from postroom.app import Postroom
from postroom.config import Config
from postroom.daemon import commands
from postroom.domain.event import EventKind
from postroom.domain.plain import Json
from postroom.domain.receipt import Code
from postroom.domain.turn import OPEN_STATES
from postroom.errors import Refused
from postroom.frontends.cli.beginning import is_somebody_there
from postroom.frontends.cli.change import Change
from postroom.frontends.cli.ended import report
from postroom.frontends.cli.last_questions import rest_unless_asked
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.running import Plan, run_room
from postroom.frontends.cli.teller import Teller
from postroom.frontends.cli.watched import Here
from postroom.observe import looks
from postroom.observe.looks import as_json


def change_idle(config: Config, change: Change) -> dict[str, Json]:
    """Open the store, change it, close it; no turn runs."""

    async def work() -> dict[str, Json]:
        async with Postroom.open(config.store, config=config, idle=True) as room:
            return await _do(room, change)

    return asyncio.run(work())


def change_and_run(asked: Asked, out: Output, config: Config, change: Change) -> int:
    """Run the store with the change until nothing is left to do; print the agent's answer."""
    teller = Teller(out, config.store)
    plan = Plan(config=config, tools=asked.texts("tools"), verbose=out.verbose, hooks=teller.hooks)

    async def work(room: Postroom) -> int:
        result = await _do(room, change)
        if not out.as_json:
            out.note(change.told(result))
        agent = change.answers(result)
        async with teller.telling_asks(Here(room), agent):
            await (room.rest() if is_somebody_there() else rest_unless_asked(room))
        if agent is not None:
            await room.check(agent)
        end = None if agent is None else await room.last_end(agent)
        if end is None:
            if out.as_json:
                out.document({**result, "running": False})
            return 0
        if out.as_json:
            out.document({**result, "running": False, "end": as_json(end)})
        return report(out, plan, end, documented=True)

    return run_room(plan, work)


async def _do(room: Postroom, change: Change) -> dict[str, Json]:
    """The same command as behind the door. A turn that waits already needs no resuming."""
    command, values = commands.find(change.command, change.arguments)
    assert command.run is not None  # noqa: S101 -- every change is one
    result: Json
    try:
        result = await command.run(room, values)
    except Refused as refused:
        if refused.refusal_code != Code.NOTHING_TO_RESUME or not await _waits(room, change):
            raise
        result = {"resumed": False}
    return result if isinstance(result, dict) else {}


async def _waits(room: Postroom, change: Change) -> bool:
    """Whether a turn of the agent is open, or was: opening the store may have found a reason for it."""
    reference = str(change.arguments["session"])
    branch_id, agents = await room.find_branch(reference), await room.agents_view(reference)
    if any(agent.branch_id == branch_id and agent.state in OPEN_STATES for agent in agents):
        return True
    events = await room.store.read(looks.log_page, looks.Names(), None, room.opened_pos, looks.PAGE_MAX)
    return any(e.branch_id == branch_id and e.kind == EventKind.TURN_STARTED for e in events)
