"""Any order of sends, spawns, ends, deaths, stops and restarts on the bus of a turn.

What agents say is read once by each whom it is for, or reported; the model is `bus_model`.
"""

import asyncio
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from postroom.domain.message import State
from postroom.errors import ModelFault, Refused
from postroom.llm.port import ModelRequest
from postroom.rules.fold import rows
from postroom.store.tx import Tx
from postroom.surfaces.presets import PRESETS
from postroom.testing import invariants
from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World, texts
from tests.property.any_surface_deeds import SETTLE_S
from tests.property.any_surface_model import MARKER, PERSON
from tests.property.bus_model import Bus, Said
from tests.property.test_any_surface import SEARCH

WORKERS = ("ka", "kb")
AGENTS = ("kr", *WORKERS)
SELECTORS = st.sampled_from(("kr", "ka", "kb", "ka#1", "kb#2", "k", "everyone"))
PLACES = st.integers(min_value=0, max_value=12)
POLICY = replace(PRESETS["roster"], rounds_max=500)
_BUSY = ("running", "waiting", "suspended")


class AnyBus(RuleBasedStateMachine):
    """`kr` is who the person speaks to; it hands out work to `ka` and `kb` and waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="postroom-"))
        self.runner = asyncio.Runner()
        self.world = World(self.folder / "store", policy=POLICY)
        self.puppets: dict[str, Puppet] = {}
        self.buses: list[Bus] = []
        self.address: dict[str, str] = {}
        """Of whoever works now."""
        self.known: dict[str, ModelRequest] = {}
        self.next_number = 0

    @initialize()
    def begins(self) -> None:
        """The person has said something."""
        self.runner.run(self._begin())

    @rule()
    def the_person_writes(self) -> None:
        self.runner.run(self._write())

    @rule(names=st.lists(st.sampled_from(WORKERS), min_size=1, max_size=2, unique=True))
    @precondition(lambda self: "kr" in self.asking())
    def the_entry_agent_hands_out_work(self, names: list[str]) -> None:
        self.runner.run(self._spawn(names))

    @rule(place=PLACES, selector=SELECTORS)
    @precondition(lambda self: self.asking())
    def an_agent_sends(self, place: int, selector: str) -> None:
        self.runner.run(self._send(self._pick(place), selector))

    @rule(place=PLACES, selector=SELECTORS)
    @precondition(lambda self: self.asking())
    def an_agent_sends_more(self, place: int, selector: str) -> None:
        self.an_agent_sends(place, selector)

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def an_agent_ends(self, place: int) -> None:
        self.runner.run(self._end(self._pick(place)))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def a_provider_fails(self, place: int) -> None:
        self.runner.run(self._fail(self._pick(place)))

    @rule(how=st.sampled_from(("stop", "cancel", "resume")))
    def the_person_acts(self, how: str) -> None:
        self.runner.run(self._act(how))

    @rule(crash=st.booleans())
    def the_process_starts_again(self, *, crash: bool) -> None:
        self.runner.run(self._restart(crash=crash))

    @invariant()
    def what_nobody_read_of_a_closed_bus_is_undelivered(self) -> None:
        if not self.puppets:
            return
        standing = self.world.room.store.look(_standing)
        for bus in self.buses[: None if self.is_over() else -1]:
            for one in (m for m in bus.said if m.sender != PERSON):
                states = standing.get(one.number, set[State]())
                is_read = State.CONSUMED in states
                assert is_read is bool(one.read), f"{one.body}: {states}, read by {one.read}"
                assert is_read or states == {State.UNDELIVERED}, f"{one.body}: {states}"
        assert not self.world.room.store.look(invariants.miscounts)

    def teardown(self) -> None:
        """All invariants hold in the end."""
        try:
            if self.puppets:
                self.runner.run(self._finish())
        finally:
            self.runner.run(self.world.close())
            self.runner.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def asking(self) -> list[str]:
        """The agents with an open request."""
        return [agent for agent in AGENTS if agent in self.puppets and self.puppets[agent].is_asked]

    def is_over(self) -> bool:
        """Whether no turn of the entry agent is open."""
        return self.world.view("kr").state not in _BUSY

    def _pick(self, place: int) -> str:
        return self.asking()[place % len(self.asking())]

    async def _begin(self) -> None:
        tools = ("messaging",)
        puppets = {"kr": self.world.puppet("kr", delegates_to=WORKERS, tools=tools)}
        puppets |= {name: self.world.puppet(name, tools=tools) for name in WORKERS}
        await self.world.prompt("kr", "begin")
        self.puppets = puppets
        await puppets["kr"].asked()
        await self._settle()

    async def _write(self) -> None:
        self.next_number += 1
        said = Said(PERSON, "everyone", self.next_number)
        note(f"{said.body} is said")
        await self.world.room.send(self.world.view("kr").session_id, said.body)
        await self._settle()

    async def _spawn(self, names: list[str]) -> None:
        note(f"{names} get work")
        bus = self.buses[-1]
        bus.answered("kr")
        await self.puppets["kr"].starts(*(call(name, task="work") for name in names))
        for name in names:
            await self.puppets[name].asked()
        named = self.world.room.store.look(_addresses)
        for name in names:
            self.address[name] = bus.open_reader(name)
            assert self.address[name] in named, named
        await self._settle()

    async def _send(self, sender: str, selector: str) -> None:
        self.next_number += 1
        said, bus = Said(sender, selector, self.next_number), self.buses[-1]
        note(f"{said.body} is sent")
        (result,) = await self.puppets[sender].does(call("send_message", to=selector, text=said.body))
        bus.answered(self.address[sender])
        assert result.is_error is not bus.has(selector), f"{said.body}: {result.text}"
        if not result.is_error:
            bus.said.append(said)
        await self._settle()

    async def _end(self, agent: str) -> None:
        note(f"{agent} ends")
        await self.puppets[agent].says("done")
        self.buses[-1].answered(self.address[agent])
        await self._settle()

    async def _fail(self, agent: str) -> None:
        note(f"{agent} fails")
        await self.puppets[agent].fails(ModelFault("broken"))
        await self._settle()

    async def _act(self, how: str) -> None:
        note(f"kr: {how}")
        room, session = self.world.room, self.world.view("kr").session_id
        with suppress(Refused):
            await {"stop": room.stop, "cancel": room.cancel, "resume": room.resume}[how](session)
        await self._settle()

    async def _restart(self, *, crash: bool) -> None:
        await (self.world.crash() if crash else self.world.close())
        await self.world.open()
        await self._settle()

    async def _settle(self) -> None:
        """Wait until everybody asks, waits or rests; tell the model what the open requests show."""
        settled = 0
        async with asyncio.timeout(SETTLE_S):
            while settled < 2:  # what a commit rings stands in line behind one write
                await self.world.room.store.write(Tx.last_pos)
                settled = settled + 1 if self._is_settled() else 0
        for _ in range(len(self.world.events("bus.opened")) - len(self.buses)):
            self.buses.append(Bus(addresses=["kr"]))
            self.address["kr"] = "kr"
        for agent in self.asking():
            request = await self.puppets[agent].asked()
            is_new = request is not self.known.get(agent)
            self.known[agent] = request
            self.buses[-1].show(self.address[agent], texts(request), is_new=is_new)

    def _is_settled(self) -> bool:
        """Who waits for workers has some that work; their end is on its way otherwise."""
        states = {view.profile: view.state for view in self.world.views() if view.state in _BUSY}
        running = [name for name, state in states.items() if state == "running"]
        waits = "suspended" in states.values() and not running
        return not waits and "waiting" not in states.values() and sorted(running) == sorted(self.asking())

    async def _finish(self) -> None:
        await self._act("resume")
        await self.world.rest()
        await self.world.check()


def _standing(tx: Tx) -> dict[int, set[State]]:
    """How everything that agents said stands, by its number."""
    found = dict[int, set[State]]()
    for told in invariants.read_ledger(tx).deliveries.values():
        view = tx.message_view(told.message)
        if view is not None and (said := MARKER.fullmatch(view.body)):
            found.setdefault(int(said[4]), set()).add(told.state)
    return found


def _addresses(tx: Tx) -> list[str]:
    """Every address of the newest bus."""
    newest = max(key for key, _ in tx.every_row(rows.Bus) if isinstance(key, int))
    return [one.address for one in tx.readers_of_bus(newest)]


TestAnyBus = AnyBus.TestCase
# Without shrinking, as the machine beside it.
TestAnyBus.settings = settings(
    max_examples=SEARCH or 20,
    derandomize=not SEARCH,
    stateful_step_count=25,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
