"""What happens to processes: kill9, boot, freeze, thaw, second_process."""

import asyncio

from postroom.domain.plain import Json
from postroom.testing.scenario.child import start_process
from postroom.testing.scenario.parts.doing import Kill9, SecondProcess
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.steps import Step


async def kill9(play: Play, step: Step) -> Json:
    """SIGKILL now, or at a crash point that is armed now."""
    part = step.kill9 or Kill9()
    await play.stage()
    child = play.child()
    if part.at is not None:
        await child.arm(f"{part.at}:{part.nth}")
        return {"armed": part.at}
    await child.kill()
    play.lose()
    return {"died": True}


async def boot(play: Play, step: Step) -> Json:
    """Start on the same store; a process that runs is closed in good order first."""
    del step
    await play.boot()
    return {"now_us": play.now_us}


async def freeze(play: Play, step: Step) -> Json:
    """SIGSTOP: it holds its store and does nothing."""
    del step
    await play.stage()
    play.child().freeze()
    return None


async def thaw(play: Play, step: Step) -> Json:
    """SIGCONT."""
    del step
    play.child().thaw()
    return None


async def second_process(play: Play, step: Step) -> Json:
    """Start other runners on the store and wait for their ends."""
    count = (step.second_process or SecondProcess()).count
    started = [await start_process(play.start(), "--visit") for _ in range(count)]
    try:
        await asyncio.gather(*(process.communicate() for process in started))
    finally:
        for process in started:
            if process.returncode is None:
                process.kill()
    codes: list[Json] = [process.returncode for process in started]
    return {"exit_codes": sorted(codes, key=str)}
