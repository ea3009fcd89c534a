"""The stage in this process: a real room with scripted models over a real store."""

import asyncio
import contextlib
from collections.abc import Coroutine, Mapping, Sequence
from typing import Final, Self

from postroom import faults
from postroom.app import Hooks, Outfit, Postroom
from postroom.app.base import allowed
from postroom.clock import Clock, SystemClock
from postroom.daemon import commands
from postroom.daemon.door import open_door
from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.service.say import Opening, Text
from postroom.store.tx import Tx
from postroom.surfaces.presets import PRESETS
from postroom.testing.clock import FakeClock
from postroom.testing.ids import ChosenTokens
from postroom.testing.scenario.cast import build_cast, build_team, policies_beside
from postroom.testing.scenario.gates import Gates, Pulse
from postroom.testing.scenario.journal import Journal
from postroom.testing.scenario.models import Means, Trouble
from postroom.testing.scenario.record import WORKSPACE, Record
from postroom.testing.scenario.references import in_store
from postroom.testing.scenario.stage import Start

STEP_S: Final = 0.25
"""Seconds of the fake clock that pass at once while something sleeps."""
SETTLE_S: Final = 10.0
"""Real seconds for which what has come due is waited for while the writer is held."""
LOOK_S: Final = 0.02
"""Real seconds between two such steps: the threads that write need some."""


class RoomStage:
    """One life of a room in this process. Made by `open`."""

    def __init__(self, start: Start) -> None:
        self._pulse = Pulse()
        # Changed on the loop only: what goes on beside the turns adds itself and takes itself out.
        self._beside: set[asyncio.Task[None]] = set()
        read = start.read
        self._gates = Gates(read.scenario.gates, start.open_gates, self._pulse)
        self.clock: Clock = FakeClock(start.now_us) if read.scenario.clock == "fake" else SystemClock()
        troubles = [Trouble(part, self._gates) for part in read.scenario.troubles]
        self._watched = [(t.part.commit, t) for t in troubles if t.part.commit is not None]
        means = Means(
            clock=self.clock, gates=self._gates, journal=Journal(start.folder), troubles=troubles,
            lookup_on=lambda surface: in_store(Record(start.folder, surface)),
            on_request=self._pulse.beat, begin=self._begin_beside,
        )  # fmt: skip
        self._team = build_team(read, PRESETS[start.policy])
        self._cwd = (start.folder / WORKSPACE).absolute()
        self._beside_policies = policies_beside(read)
        cast = build_cast(read, self._team, means)
        outfit = Outfit(
            team=cast.team, models=cast.models, tools=cast.tools, clock=self.clock,
            ids=ChosenTokens(read.scenario.settings.tokens),
            cwd=self._cwd, hooks=Hooks(on_pause=lambda _: self._pulse.beat()),
        )  # fmt: skip
        self.room = Postroom(start.folder / "store", outfit)
        self._life = contextlib.AsyncExitStack()

    @classmethod
    async def open(cls, start: Start) -> Self:
        """Open the room and its control door. Raises `StoreInUse` if another process has the store."""
        stage = cls(start)
        try:
            await stage._begin()
        except BaseException:
            await stage.close()
            raise
        return stage

    async def _begin(self) -> None:
        for point, trouble in self._watched:
            faults.watch(f"{point}.before", trouble.strike)
        await self._life.enter_async_context(self.room)
        await self._life.enter_async_context(open_door(self.room))
        listening = asyncio.create_task(self._listen())
        self._life.callback(listening.cancel)

    def _begin_beside(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def _listen(self) -> None:
        """Every commit is a change."""
        rung = self.room.store.doorbell.listen()
        while True:
            await rung.wait()
            rung.clear()
            self._pulse.beat()

    async def do(self, command: str, arguments: dict[str, Json]) -> Json:
        """A command of the control door, without the door."""
        policy = self._beside_policies.get(str(arguments.get("profile"))) if command == "prompt" else None
        if policy is not None:
            return await self._open_on(policy, arguments)
        found, values = commands.find(command, arguments)
        assert found.run is not None, f"{command} is a stream"  # noqa: S101 -- a mistake of the caller
        return await found.run(self.room, values)

    async def _open_on(self, policy: Policy, given: Mapping[str, Json]) -> Json:
        """A first text, in a conversation of another surface than the team's."""
        text = str(given["text"])
        opening = Opening(
            team=str(self._team.path), profile=str(given["profile"]), policy=policy, title=text,
            cwd=str(self._cwd), attended=bool(given.get("attended", True)),
        )  # fmt: skip
        said = allowed(await self.room.office.say_new(opening, Text(body=text)))
        return {"session_id": said.session_id, "message_id": said.receipt.message_id, "pos": said.pos}

    async def open_gates(self, names: Sequence[str]) -> None:
        """Let everybody through."""
        self._gates.open(names)

    async def shut_gates(self, names: Sequence[str]) -> None:
        """Hold who comes from now on."""
        self._gates.shut(names)

    async def arrivals(self, gate: str) -> int:
        """How many have come to a gate in this life."""
        return self._gates.named(gate).arrivals

    async def pass_time(self, seconds: float) -> int:
        """Move the fake clock, or wait by the real one."""
        if isinstance(self.clock, FakeClock):
            await self.clock.advance(seconds)
        else:
            await self.clock.sleep_s(seconds)
        return self.clock.now_us()

    async def step_wall(self, seconds: float) -> int:
        """Step the fake wall clock; a real one is nobody's to step."""
        if isinstance(self.clock, FakeClock):
            self.clock.step_wall(seconds)
        return self.clock.now_us()

    async def quiesce(self) -> int:
        """Wait until all is quiet; a fake clock moves on while a turn sleeps."""
        quiet = asyncio.ensure_future(self._all_quiet())
        try:
            while not quiet.done():
                await asyncio.wait((quiet,), timeout=LOOK_S)
                runs = not self.room.scheduler.idle.is_set()
                if runs and isinstance(self.clock, FakeClock) and self.clock.sleepers:
                    await self.clock.advance(STEP_S)
        finally:
            quiet.cancel()
        return self.clock.now_us()

    async def _all_quiet(self) -> None:
        """No turn runs, and none has begun since for what had come due."""
        while True:
            await self.room.quiesce()
            await self._settle()
            if self.room.scheduler.idle.is_set():
                return

    async def _settle(self) -> None:
        """What has come due stands in line behind reads and writes of its own: stand there too."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_S):  # a writer that is held lets nobody pass
                for _ in range(3):
                    await self.room.store.read(Tx.last_pos)
                    await self.room.store.write(Tx.last_pos)

    async def changed(self, after: int) -> int:
        """The pulse."""
        return await self._pulse.after(after)

    async def slots_held(self) -> int:
        """How many slots of all trees are taken."""
        return self.room.scheduler.slots_held()

    async def arm(self, point: str) -> None:
        """Only for a process of its own: this one would die."""
        faults.arm(point)

    async def close(self) -> None:
        """Hold no commit any more, close door and room, end what goes on beside the turns."""
        self._gates.close()
        for point, trouble in self._watched:
            faults.unwatch(f"{point}.before", trouble.strike)
        await self._life.aclose()
        beside = list(self._beside)
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
