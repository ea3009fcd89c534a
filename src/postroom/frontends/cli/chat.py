"""`postroom chat`: a conversation in the terminal.

A process that runs the store is talked to through its door; where none does, this one runs it, and talks to
itself in the same way.
"""

import asyncio
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

from postroom.app import Hooks, Postroom
from postroom.daemon.client import DoorClient
from postroom.daemon.line import DoorLine
from postroom.errors import ConfigFault, Fault, ModelUnavailable, StoreFault
from postroom.frontends.cli.beginning import beginning
from postroom.frontends.cli.chat_screen import Screen
from postroom.frontends.cli.chat_talk import Happenings, Talk, Wish, listen
from postroom.frontends.cli.keyboard import read_lines
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import config_of, patient_door
from postroom.frontends.cli.running import Plan, command_words, opened
from postroom.frontends.cli.signals import on_end


def chat(asked: Asked, out: Output) -> int:
    """Talk to an agent until the person leaves."""
    config = config_of(asked)
    wish = Wish(
        session=asked.text_or_none("session"), profile=asked.text_or_none("agent"), begins=beginning(asked)
    )
    door = patient_door(config.store)
    if door is not None:
        with door:
            _refuse_other_team(asked, door)
        return asyncio.run(_talk(Plan(config=config), wish, out, asyncio.Queue(), host=None))
    happenings: Happenings = asyncio.Queue()

    def on_wait(_branch: int, wait_s: float, fault: ModelUnavailable) -> None:
        happenings.put_nowait(("note", f"waiting {wait_s:.1f} s for the provider: {fault.code}"))

    def on_pause(fault: StoreFault) -> None:
        happenings.put_nowait(("note", f"turns are paused: {fault}"))

    def on_traces_lost(warning: str) -> None:
        out.note(f"warning: {warning}")

    team = asked.text_or_none("team") or ("." if wish.session is None else None)
    plan = Plan(
        config=config, team=team, tools=asked.texts("tools"), verbose=out.verbose,
        hooks=Hooks(on_wait=on_wait, on_pause=on_pause, on_traces_lost=on_traces_lost),
    )  # fmt: skip
    return asyncio.run(_host(plan, wish, out, happenings))


def _refuse_other_team(asked: Asked, door: DoorClient) -> None:
    """A process has one team for new conversations."""
    wanted, status = asked.text_or_none("team"), door.ask("status", {})
    runs = status.get("team") if isinstance(status, dict) else None
    if wanted is not None and (runs is None or Path(wanted).resolve() != Path(str(runs)).resolve()):
        raise ConfigFault(
            f"the process that runs the store has {f'the team {runs}' if runs else 'no team'}",
            remedy="leave --team out, or stop that process",
        )


async def _host(plan: Plan, wish: Wish, out: Output, happenings: Happenings) -> int:
    async with opened(plan) as room:
        for trouble in room.troubles():
            out.note(f"warning: {trouble}")
        if wish.session is not None:
            await room.check(wish.session)
        return await _talk(plan, wish, out, happenings, host=room)


async def _talk(plan: Plan, wish: Wish, out: Output, happenings: Happenings, *, host: Postroom | None) -> int:
    is_interactive = os.isatty(0)
    screen = Screen(out, is_interactive=is_interactive)
    async with AsyncExitStack() as stack:
        door, events, texts = [await _line(stack, plan.store) for _ in range(3)]
        status = await door.ask("status", {})
        pos = status.get("pos") if isinstance(status, dict) else 0
        talk = Talk(door, screen, wish, happenings, is_interactive=is_interactive)
        tasks = [
            asyncio.create_task(listen(happenings, events, "tail", {"pos": pos})),
            asyncio.create_task(listen(happenings, texts, "texts", {})),
        ]
        if host is not None:
            tasks.append(asyncio.create_task(_watch(host, talk, happenings)))
        _hear_the_person(happenings)
        try:
            code = await talk.go()
            screen.leave(_last_words(plan, talk.session_id, stays=host is None))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return code


async def _line(stack: AsyncExitStack, folder: Path) -> DoorLine:
    line = await DoorLine.connect(folder)
    stack.push_async_callback(line.close)
    return line


def _hear_the_person(happenings: Happenings) -> None:
    def on_line(line: str | None) -> None:
        happenings.put_nowait(("end", None) if line is None else ("line", line))

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, happenings.put_nowait, ("stop", None))
    on_end(lambda: happenings.put_nowait(("end" if os.isatty(0) else "stop", None)))
    read_lines(on_line)


async def _watch(host: Postroom, talk: Talk, happenings: Happenings) -> None:
    """A turn of the talk that cannot start (its profile is gone, its model unknown) ends no wait by itself.

    What keeps agents of other teams in the store from running is no matter of this talk.
    """
    listener = host.store.doorbell.listen()
    try:
        while True:
            listener.clear()
            await listener.wait()
            await host.quiesce()
            if host.agents.broken and talk.session_id:
                await host.check(talk.session_id)
    except Fault as fault:
        happenings.put_nowait(("fault", fault))
    finally:
        host.store.doorbell.leave(listener)


def _last_words(plan: Plan, session_id: str, *, stays: bool) -> str:
    if not session_id:
        return "nothing was said"
    words = command_words(plan, "chat", "--session", session_id)
    return f"{'what runs goes on; come back' if stays else 'go on'} with: {words}"
