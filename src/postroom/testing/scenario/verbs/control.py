"""What a person and a test do beside talking: stop, cancel, resume, gates, time, waiting."""

import asyncio

from postroom.domain.plain import Json
from postroom.errors import NotFound
from postroom.testing.scenario.expect.all import differences
from postroom.testing.scenario.expect.differ import Difference
from postroom.testing.scenario.outcome import StepFailed
from postroom.testing.scenario.parts.expecting import WaitFor
from postroom.testing.scenario.play import PATIENCE_S, Play
from postroom.testing.scenario.room import LOOK_S, STEP_S
from postroom.testing.scenario.stage import Stage
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.need import need
from postroom.testing.scenario.verbs.talk import address


async def stop(play: Play, step: Step) -> Json:
    """Pause an agent and everything below it."""
    return await (await play.stage()).do("stop", {"session": address(play, need(step.stop))})


async def cancel(play: Play, step: Step) -> Json:
    """End an agent's turn or task."""
    return await (await play.stage()).do("cancel", {"session": address(play, need(step.cancel))})


async def resume(play: Play, step: Step) -> Json:
    """Lift a pause, or go on."""
    return await (await play.stage()).do("resume", {"session": address(play, need(step.resume))})


async def retry(play: Play, step: Step) -> Json:
    """Accept a message again that was set aside."""
    return await (await play.stage()).do("retry", {"message_id": need(step.retry)})


async def open_gates(play: Play, step: Step) -> Json:
    """Let everybody through."""
    names = need(step.open)
    play.open_gates.update(names)
    if play.is_open:
        await (await play.stage()).open_gates(names)
    return list(names)


async def shut_gates(play: Play, step: Step) -> Json:
    """Hold who comes from now on."""
    names = need(step.shut)
    play.open_gates.difference_update(names)
    if play.is_open:
        await (await play.stage()).shut_gates(names)
    return list(names)


async def advance(play: Play, step: Step) -> Json:
    """Let time pass."""
    play.now_us = await (await play.stage()).pass_time(need(step.advance))
    return play.now_us


async def set_wall_clock(play: Play, step: Step) -> Json:
    """Step the wall clock alone."""
    play.now_us = await (await play.stage()).step_wall(need(step.set_wall_clock).by_s)
    return play.now_us


async def quiesce(play: Play, step: Step) -> Json:
    """Wait until nothing runs."""
    del step
    play.now_us = await (await play.stage()).quiesce()
    return play.now_us


async def expect(play: Play, step: Step) -> Json:
    """Look, and fail where something differs."""
    found = await differences(play, need(step.expect))
    if found:
        raise StepFailed(found[0].expected, found[0].seen)
    return None


async def wait_for(play: Play, step: Step) -> Json:
    """Look again at each change until nothing differs."""
    part = need(step.wait_for)
    if part.killed:
        return await _death(play)
    if part.step is not None:
        return await _step(play, part.step)
    found: list[Difference] = []
    seen, deadline_s = -1, asyncio.get_running_loop().time() + PATIENCE_S
    stage = await play.stage()
    while asyncio.get_running_loop().time() < deadline_s:
        found = await _look(play, part)
        if not found:
            return None
        seen = await _next_change(play, stage, seen, time_passes=part.time_passes)
    raise StepFailed(found[0].expected, f"{found[0].seen}, after {PATIENCE_S:.0f} s")


async def _look(play: Play, part: WaitFor) -> list[Difference]:
    """What a reference points at may not be there yet."""
    try:
        return await differences(play, play.filled(part))
    except NotFound as fault:
        return [Difference(expected="what it refers to", seen=fault.message)]


async def _next_change(play: Play, stage: Stage, seen: int, *, time_passes: bool) -> int:
    """Wait for a change in the room, or a little: a client of the stream gives no sign."""
    if time_passes:
        play.now_us = await stage.pass_time(STEP_S)
    wait_s = LOOK_S if time_passes or play.clients.any else PATIENCE_S
    try:
        async with asyncio.timeout(wait_s):
            return await stage.changed(seen)
    except TimeoutError:
        return seen


async def _step(play: Play, name: str) -> Json:
    """The value of a step that was begun in the background."""
    if name not in play.running:
        raise StepFailed(f"a step in the background called {name}", ", ".join(play.running) or "none")
    async with asyncio.timeout(PATIENCE_S):
        play.kept[name] = value = await play.running.pop(name)
    return value


async def _death(play: Play) -> Json:
    """Wait until the process has died at the place that was named."""
    async with asyncio.timeout(PATIENCE_S):
        code = await play.child().death()
    play.lose()
    return code
