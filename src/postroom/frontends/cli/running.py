"""A room that runs in this process: the store taken, the door open, Ctrl-C answered cleanly."""

import asyncio
import contextlib
import shlex
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from postroom.app import Hooks, Postroom, ToolSource
from postroom.clock import Clock
from postroom.config import Config
from postroom.daemon.keeper import keep
from postroom.errors import ModelUnavailable, StoreFault
from postroom.frontends.cli.exits import Interrupted
from postroom.frontends.cli.signals import listen_for_signals
from postroom.llm.port import Model
from postroom.observe.logs import RoomLog, to_terminal
from postroom.profiles.team import Team

CUT_OFF: Final = "what ran was cut off, nothing is lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a command runs a store with."""

    config: Config
    team: str | Path | Team | None = None
    tools: tuple[ToolSource, ...] = ()
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    hooks: Hooks = field(default_factory=Hooks)
    clock: Clock | None = None
    verbose: bool = False

    @property
    def store(self) -> Path:
        """The store's folder."""
        return self.config.store


def run_room(plan: Plan, work: Callable[[Postroom], Awaitable[int]]) -> int:
    """Open the room, work in it, close it; the exit code of the work.

    The first Ctrl-C cuts off what runs and closes the store, then raises `Interrupted`: on `team` the next
    process goes on with it, elsewhere it has ended as interrupted. A second one ends the process at once,
    which loses nothing either.
    """
    return asyncio.run(_run(plan, work))


@contextlib.asynccontextmanager
async def opened(plan: Plan) -> AsyncGenerator[Postroom]:
    """The room of a plan with its door and its log, for as long as the context lasts."""
    room, log = made(plan)
    with contextlib.closing(log):
        async with room, keep(room, log):
            yield room


def made(plan: Plan) -> tuple[Postroom, RoomLog]:
    """The room of a plan, not yet entered, and the log of what goes wrong there."""
    settings = plan.config.log
    log = RoomLog(
        plan.store, level=settings.level, file_bytes_max=settings.file_bytes_max,
        files_kept=settings.files_kept, also=to_terminal() if plan.verbose else None,
    )  # fmt: skip
    room = Postroom.open(
        plan.store, team=plan.team, tools=plan.tools, models=plan.models, clock=plan.clock,
        config=plan.config, hooks=_also_to(log, plan.hooks),
    )  # fmt: skip
    return room, log


async def _run(plan: Plan, work: Callable[[Postroom], Awaitable[int]]) -> int:
    interrupted = listen_for_signals()
    async with opened(plan) as room:
        working = asyncio.ensure_future(work(room))
        waiting = asyncio.ensure_future(interrupted.wait())
        try:
            await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
            if interrupted.is_set():
                raise Interrupted(CUT_OFF, remedy=_run_again(plan.store))
            return working.result()
        finally:
            working.cancel()
            waiting.cancel()
            await asyncio.gather(working, waiting, return_exceptions=True)


def _also_to(log: RoomLog, hooks: Hooks) -> Hooks:
    """The hooks of the command, heard by the log too."""

    def on_wait(branch: int, wait_s: float, fault: ModelUnavailable) -> None:
        log.provider_waits(branch, wait_s, fault)
        hooks.on_wait(branch, wait_s, fault)

    def on_pause(fault: StoreFault) -> None:
        log.store_pauses(fault)
        hooks.on_pause(fault)

    def on_traces_lost(warning: str) -> None:
        log.traces_lost()
        hooks.on_traces_lost(warning)

    return replace(hooks, on_wait=on_wait, on_pause=on_pause, on_traces_lost=on_traces_lost)


def _run_again(store: Path) -> str:
    return f"see what waits: postroom ps --store {shlex.quote(str(store))}"


def go_on_words(plan: Plan, session_id: str) -> str:
    """The command that goes on with a conversation."""
    return f"go on with: {command_words(plan, 'resume', session_id, '--run')}"


def store_words(store: Path, *words: str) -> str:
    """A command for the same store."""
    return shlex.join(["postroom", *words, "--store", str(store)])


def command_words(plan: Plan, *words: str) -> str:
    """A command for the same store, with all that the store itself does not remember."""
    more = ["--store", str(plan.store)]
    for source in plan.tools:
        more += ["--tools", source] if isinstance(source, str) else []
    return shlex.join(["postroom", *words, *more])
