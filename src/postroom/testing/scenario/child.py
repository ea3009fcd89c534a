"""The stage in a process of its own: it can be killed, frozen and joined by others."""

import asyncio
import itertools
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self, cast

from postroom.daemon.wire import Failure, Told
from postroom.domain.plain import Json
from postroom.errors import Fault
from postroom.testing.scenario.stage import Start

LINE_BYTES_MAX: Final = 1 << 24
ERRORS: Final = "stderr.txt"


class Died(Fault):
    """The process of a scenario ended before it answered."""

    code = "process_died"


class ChildStage:
    """One life of a room in a process of its own. Made by `open`."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._reading = asyncio.create_task(self._read())
        self.armed = ""
        """The crash point at which it is meant to die; empty when it is not."""

    @classmethod
    async def open(cls, start: Start) -> Self:
        """Start the process and wait until its room is open. Raises `Died` with what it said."""
        stage = cls(await start_process(start), start.folder)
        try:
            await stage._wait(0)
        except BaseException:  # also of whoever has no more patience: nobody else knows the process
            await stage.kill()
            raise
        return stage

    @property
    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self._process.returncode is not None

    async def do(self, command: str, arguments: dict[str, Json]) -> Json:
        """A command of the control door."""
        return await self._ask("do", command, arguments)

    async def open_gates(self, names: Sequence[str]) -> None:
        """Let everybody through."""
        await self._ask("open_gates", list(names))

    async def shut_gates(self, names: Sequence[str]) -> None:
        """Hold who comes from now on."""
        await self._ask("shut_gates", list(names))

    async def arrivals(self, gate: str) -> int:
        """How many have come to a gate in this life."""
        return cast("int", await self._ask("arrivals", gate))

    async def pass_time(self, seconds: float) -> int:
        """Move its clock."""
        return cast("int", await self._ask("pass_time", seconds))

    async def step_wall(self, seconds: float) -> int:
        """Step its wall clock."""
        return cast("int", await self._ask("step_wall", seconds))

    async def quiesce(self) -> int:
        """Wait until all is quiet."""
        return cast("int", await self._ask("quiesce"))

    async def changed(self, after: int) -> int:
        """A number that grows with every change."""
        return cast("int", await self._ask("changed", after))

    async def slots_held(self) -> int:
        """How many slots of all trees are taken."""
        return cast("int", await self._ask("slots_held"))

    async def arm(self, point: str) -> None:
        """Let it die at a crash point."""
        self.armed = point
        await self._ask("arm", point)

    @property
    def has_outlived(self) -> bool:
        """Whether it was meant to die somewhere, has ended, and never came there."""
        return bool(self.armed) and self.is_dead and self._process.returncode != -signal.SIGKILL

    async def close(self) -> None:
        """Let it close its room and end; kill it when that is waited for no longer. Idempotent."""
        if not self.is_dead:
            self._send({"id": 0, "do": "close"})
            try:
                await self._process.wait()
            finally:
                if not self.is_dead:
                    self._process.kill()
        await self._reading

    async def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        if not self.is_dead:
            self._process.kill()
        await self.death()

    async def death(self) -> int:
        """Wait until it is gone; its exit code, or minus the signal that it died of."""
        code = await self._process.wait()
        await self._reading
        return code

    def freeze(self) -> None:
        """SIGSTOP."""
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        if not self.is_dead:
            os.kill(self._process.pid, signal.SIGCONT)

    def _wait(self, number: int) -> asyncio.Future[Json]:
        self._waiting[number] = asyncio.get_running_loop().create_future()
        return self._waiting[number]

    async def _ask(self, order: str, *given: Json) -> Json:
        number = next(self._numbers)
        answer = self._wait(number)
        if self._reading.done():
            raise self._died()
        self._send({"id": number, "do": order, "with": list(given)})
        return await answer

    def _send(self, line: dict[str, Json]) -> None:
        assert self._process.stdin is not None  # noqa: S101 -- start_process opened it
        self._process.stdin.write(json.dumps(line).encode() + b"\n")

    async def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 -- start_process opened it
        while (line := await self._process.stdout.readline()).endswith(b"\n"):
            self._hear(cast("Mapping[str, Json]", json.loads(line)))
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(self._died())
                answer.exception()  # whoever asked may have been cancelled: nobody is told twice

    def _hear(self, line: Mapping[str, Json]) -> None:
        answer = self._waiting.pop(cast("int", line["id"]), None)
        if answer is None or answer.done():
            return
        if "error" in line:
            error = cast("Mapping[str, str]", line["error"])
            answer.set_exception(Told(Failure(**error)))
        else:
            answer.set_result(line["value"])

    def _died(self) -> Died:
        said = (self._folder / ERRORS).read_text(encoding="utf-8").strip().splitlines()
        return Died("the process of the scenario has ended", remedy=said[-1] if said else "")


async def start_process(start: Start, *more: str) -> asyncio.subprocess.Process:
    """Start another process on the file's store."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    environment.pop("POSTROOM_FAULT", None)
    with (start.folder / ERRORS).open("a", encoding="utf-8") as errors:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "postroom.testing.scenario", str(start.read.path), start.policy,
            str(start.folder), str(start.now_us), *more, "--open", *start.open_gates,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors,
            limit=LINE_BYTES_MAX, env=environment, start_new_session=True,
        )  # fmt: skip
