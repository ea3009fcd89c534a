"""Plays a scenario file: takes its steps one after the other, then looks whether the invariants hold."""

import asyncio
import json
import random
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from pydantic import ValidationError

from postroom.daemon.wire import failure_of
from postroom.domain.plain import Json
from postroom.errors import ConfigFault, Fault, NotFound
from postroom.surfaces.presets import PRESETS
from postroom.testing.clock import START_US
from postroom.testing.scenario.cast import build_team
from postroom.testing.scenario.child import ChildStage, Died
from postroom.testing.scenario.document import Place
from postroom.testing.scenario.file import needs_process
from postroom.testing.scenario.foreign import ForeignLock
from postroom.testing.scenario.outcome import StepFailed
from postroom.testing.scenario.parts.part import Part
from postroom.testing.scenario.reading import Read
from postroom.testing.scenario.record import WORKSPACE, Record
from postroom.testing.scenario.references import fill_json, in_steps
from postroom.testing.scenario.room import RoomStage
from postroom.testing.scenario.stage import Stage, Start
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.stream import Clients

PATIENCE_S: Final = 60.0
"""Real seconds after which a step is given up: a bound for what is broken, never for order."""
Filled = TypeVar("Filled", bound=Part)
Verb: TypeAlias = "Callable[[Play, Step], Awaitable[Json]]"


class Play:
    """One run of one file on one policy."""

    def __init__(self, read: Read, policy: str, folder: Path, verbs: Mapping[str, Verb]) -> None:
        self.read = read
        self.policy = policy
        self.folder = folder
        self.agents = frozenset(build_team(read, PRESETS[policy]).profiles)
        """The names of everybody who may take part."""
        self.record = Record(folder, policy)
        self.kept: dict[str, Json] = {}
        self.conversations: dict[str, str] = {}
        """Session of the conversation that the person has with an agent, by the agent's name."""
        self.now_us = START_US
        self.open_gates = {name for name, gate in read.scenario.gates.items() if gate.open}
        self.chance = random.Random(1)  # noqa: S311 -- schedules must be repeatable
        self.clients = Clients(folder / "store")
        self.lock = ForeignLock(folder / "store")
        self.place: Place = ("steps", 0)
        self.running: dict[str, asyncio.Task[Json]] = {}
        """Steps in the background, by the name that their result will have."""
        self._verbs = verbs
        self._stage: Stage | None = None

    # ---------------------------------------------------------------- the stage

    @property
    def is_open(self) -> bool:
        """Whether a room runs."""
        return self._stage is not None

    async def stage(self) -> Stage:
        """The life that runs; the first use begins it."""
        return self._stage or await self.boot()

    async def boot(self) -> Stage:
        """Begin a life on the store; one that runs is closed in good order first."""
        await self.leave()
        start = self.start()
        child = needs_process(self.read.scenario)
        self._stage = await (ChildStage.open(start) if child else RoomStage.open(start))
        return self._stage

    def start(self) -> Start:
        """How the next life begins."""
        return Start(
            read=self.read, policy=self.policy, folder=self.folder, now_us=self.now_us,
            open_gates=sorted(self.open_gates),
        )  # fmt: skip

    async def leave(self) -> None:
        """Close the room that runs, in good order. Idempotent. Raises `StepFailed` for a kill that missed."""
        await self.clients.hang_up()
        stage, self._stage = self._stage, None
        if stage is not None:
            await stage.close()
        if isinstance(stage, ChildStage) and stage.has_outlived:
            raise StepFailed(f"the process to die at {stage.armed}", "it never came there")

    def child(self) -> ChildStage:
        """The process of the room. Raises `StepFailed` when none runs."""
        if not isinstance(self._stage, ChildStage):
            raise StepFailed("a process that runs", "none runs")
        return self._stage

    def let_go(self) -> None:
        """Nothing is locked or frozen any more."""
        self.lock.release()
        if isinstance(self._stage, ChildStage):
            self._stage.thaw()

    def lose(self) -> None:
        """The process is dead: the next use of a stage needs a `boot`."""
        self._stage = None

    async def close(self) -> None:
        """Leave nothing behind, whatever has happened."""
        for task in self.running.values():
            task.cancel()
        await asyncio.gather(*self.running.values(), return_exceptions=True)
        self.let_go()
        if isinstance(self._stage, ChildStage):
            await self.clients.hang_up()
            await self._stage.kill()
            self._stage = None
        await self.leave()

    # ---------------------------------------------------------------- the steps

    async def take(self, steps: list[Step], place: Place, kept: Mapping[str, Json] | None = None) -> None:
        """Take steps one after the other."""
        for number, step in enumerate(steps):
            self.place = (*place, number)
            self.kept.update(kept or {})
            await self.take_one(step)

    async def take_one(self, step: Step) -> None:
        """Take one step, or begin it in the background; one for other policies is left out."""
        if step.only is not None and self.policy not in step.only:
            return
        ready = self._filled(step)
        work = self._act(ready)
        name = ready.as_
        if ready.background and name is not None:
            self.running[name] = asyncio.create_task(work)
            await asyncio.sleep(0)
            return
        value = await work
        if name is not None:
            self.kept[name] = value

    async def _act(self, step: Step) -> Json:
        try:
            async with asyncio.timeout(self._patience_s(step)):
                value = await self._verbs[step.verb](self, step)
        except TimeoutError:
            raise StepFailed(f"{step.verb} to end", f"nothing within {PATIENCE_S:.0f} s") from None
        except Died as fault:
            return self._died(fault)
        except ConfigFault:
            raise
        except Fault as fault:
            return self._refused(step, fault)
        if step.refused is not None:
            raise StepFailed(f"refused: {step.refused}", f"done: {json.dumps(value)}")
        return value

    @staticmethod
    def _patience_s(step: Step) -> float | None:
        """Steps with steps inside are as patient as these are; the others wait for something."""
        return None if step.repeat or step.together or step.wait_for else PATIENCE_S

    def _died(self, fault: Died) -> Json:
        """A process that is to die somewhere may do so in the middle of a step."""
        if isinstance(self._stage, ChildStage) and self._stage.armed:
            return {"died": True}
        raise StepFailed("a process that lives", str(fault)) from None

    @staticmethod
    def _refused(step: Step, fault: Fault) -> Json:
        failure = failure_of(fault)
        if failure.code in {step.refused, step.may_be_refused}:
            return {"code": failure.code}
        expected = f"refused: {step.refused}" if step.refused else f"{step.verb} to be done"
        raise StepFailed(expected, failure.describe())

    def _filled(self, step: Step) -> Step:
        """The step with its references filled in, unless they are to be filled in later.

        Steps inside it keep theirs until they are taken; what is waited for may be what they point at.
        """
        if step.repeat or step.together or step.wait_for:
            return step
        try:
            return self.filled(step)
        except NotFound as fault:
            raise StepFailed("references that lead somewhere", fault.message) from None

    def filled(self, part: Filled) -> Filled:
        """Anything of the file with its references filled in. Raises `NotFound` or `ConfigFault`."""
        given: dict[str, Json] = part.model_dump(exclude_unset=True, by_alias=True)
        lookup = in_steps(self.record, self.kept)
        try:
            return type(part).model_validate({key: fill_json(value, lookup) for key, value in given.items()})
        except ConfigFault as fault:
            raise self.read.document.fault(self.place, fault.message, fault.remedy) from None
        except ValidationError as error:
            raise self.read.document.fault(self.place, f"with its references filled in: {error}") from error


def _make_workspace(read: Read, folder: Path) -> None:
    """The folder of a run with the directory in which its agents work: a copy, so that none is harmed."""
    folder.mkdir(parents=True, exist_ok=True)
    given = read.scenario.workspace
    if given is None:
        (folder / WORKSPACE).mkdir(exist_ok=True)
        return
    inside = {folder.resolve(), *folder.resolve().parents}

    def skipped(where: str, names: list[str]) -> list[str]:
        """The run itself may lie inside of what is copied (`--keep`)."""
        return [name for name in names if (Path(where) / name).resolve() in inside]

    shutil.copytree(read.path.parent / given, folder / WORKSPACE, ignore=skipped, dirs_exist_ok=True)


@asynccontextmanager
async def playing(read: Read, policy: str, folder: Path, verbs: Mapping[str, Verb]) -> AsyncGenerator[Play]:
    """A run that leaves nothing behind."""
    _make_workspace(read, folder)
    play = Play(read, policy, folder, verbs)
    try:
        yield play
    finally:
        await play.close()
