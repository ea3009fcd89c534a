"""Any order of sends, ends, deaths, stops, forks, reverts and summaries among agents of several surfaces.

Every letter is read once, by whom it was for, or its end is told; the model is `any_surface_model`.
"""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path

from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from postroom.domain.message import State
from postroom.errors import ModelFault, Refused
from postroom.llm.port import ResultItem
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet, results_of
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World, texts
from tests.property.any_surface_cast import (
    POLICIES,
    SURFACE,
    TREES,
    begin,
    below,
    cast,
    letter_call,
    mode_of,
    person_address,
    reach,
)
from tests.property.any_surface_model import MARKER, PERSON, WAYS, Post

SEARCH = int(os.environ.get("POSTROOM_EXAMPLES", "0"))
"""How many runs a longer search makes, each time others; without it a few, always the same."""
MODES = st.sampled_from(("steer", "queue"))
PLACES = st.integers(min_value=0, max_value=40)
BUILT = sorted(TREES)
MIXES = st.lists(st.sampled_from(BUILT), min_size=1, max_size=3, unique=True)
RETIRES = ("tb", "bb")
"""Who may be archived: each is below somebody else."""
FORKS_MAX = 2
SETTLE_S = 20.0
_STANDS = {
    State.HELD: "held", State.ACCEPTED: "accepted", State.CLAIMED: "claimed", State.CONSUMED: "read",
    State.DISCARDED: "dropped", State.UNDELIVERED: "dropped",
}  # fmt: skip
_FULL = {"inbox_full", "inflight_full", "mailbox_full"}


class AnySurface(RuleBasedStateMachine):
    """Between two steps each agent is idle, asks its model, or waits for the person."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="postroom-"))
        self.runner = asyncio.Runner()
        self.clock = FakeClock()
        self.world = World(self.folder / "store", policy=POLICIES["tree"], clock=self.clock)
        self.puppets: dict[str, Puppet] = {}
        self.model = Post({})
        self.forks = 0

    @initialize(mix=MIXES)
    def begins(self, mix: list[str]) -> None:
        """Every agent of the mix asks; some of their children may have ended once."""
        self.runner.run(self._begin(mix))

    # ------------------------------------------------------------------------- what agents do

    @rule(place=PLACES, to=PLACES, mode=MODES)
    @precondition(lambda self: self.asking())
    def an_agent_sends(self, place: int, to: int, mode: str) -> None:
        sender, names = self._pick(self.asking(), place), list(self.puppets)
        near = [name for name in names if reach(sender, name) != "absent"]
        self.runner.run(self._send(sender, [self._pick([*near, *near, *near, *names], to)], mode))

    @rule(place=PLACES, to=st.lists(PLACES, min_size=2, max_size=3, unique=True), mode=MODES)
    @precondition(lambda self: self.writers_to_groups())
    def an_agent_sends_to_several(self, place: int, to: list[int], mode: str) -> None:
        sender = self._pick(self.writers_to_groups(), place)
        near = [name for name in self.puppets if reach(sender, name) != "absent"]
        self.runner.run(self._send(sender, list(dict.fromkeys(self._pick(near, one) for one in to)), mode))

    @rule(place=PLACES, to=PLACES, mode=MODES)
    @precondition(lambda self: self.asking())
    def an_agent_sends_more(self, place: int, to: int, mode: str) -> None:
        self.an_agent_sends(place, to, mode)

    @rule(place=PLACES, to=PLACES, mode=MODES)
    @precondition(lambda self: self.asking())
    def an_agent_sends_again(self, place: int, to: int, mode: str) -> None:
        self.an_agent_sends(place, to, mode)

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def an_agent_goes_on(self, place: int) -> None:
        self._answer(place, lambda p: p.starts(call("nothing")))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def an_agent_ends(self, place: int) -> None:
        self._answer(place, lambda p: p.says("done"))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def a_provider_fails(self, place: int) -> None:
        self.runner.run(self._fail(self._pick(self.asking(), place)))

    # ------------------------------------------------------------------------- what the person does

    @rule(to=PLACES, mode=MODES)
    def the_person_writes(self, to: int, mode: str) -> None:
        self.runner.run(self._write(self._pick(self.living(), to), mode))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def the_person_cancels(self, place: int) -> None:
        self.runner.run(self._cancel(self._pick(self.asking(), place)))

    @rule(place=PLACES)
    def the_person_stops(self, place: int) -> None:
        self.runner.run(self._stop(self._pick(self.living(), place)))

    @rule(place=PLACES)
    def the_person_resumes(self, place: int) -> None:
        self.runner.run(self._resume(self._pick(self.living(), place)))

    @rule(has_leave=st.booleans())
    @precondition(lambda self: self.model.first_held())
    def the_person_decides(self, *, has_leave: bool) -> None:
        self.runner.run(self._decide(has_leave=has_leave))

    @rule(place=PLACES, to=PLACES)
    @precondition(lambda self: self.idle())
    def the_person_reverts(self, place: int, to: int) -> None:
        self.runner.run(self._revert(self._pick(self.idle(), place), to))

    @rule(place=PLACES)
    @precondition(lambda self: self.idle())
    def the_person_compacts(self, place: int) -> None:
        self.runner.run(self._compact(self._pick(self.idle(), place)))

    @rule(place=PLACES)
    @precondition(lambda self: self.idle() and self.forks < FORKS_MAX)
    def the_person_forks(self, place: int) -> None:
        self.runner.run(self._fork(self._pick(self.idle(), place)))

    @rule(agent=st.sampled_from(RETIRES))
    @precondition(lambda self: any(name in self.living() for name in RETIRES))
    def the_person_archives(self, agent: str) -> None:
        if agent in self.living():
            self.runner.run(self._archive(agent))

    # ------------------------------------------------------------------------- what the world does

    @rule(crash=st.booleans())
    def the_process_starts_again(self, *, crash: bool) -> None:
        self.runner.run(self._restart(crash=crash))

    @rule(step_s=st.sampled_from((-7_200, -5, 0, 5)), passes_s=st.sampled_from((1, 60, 4_000)))
    def time_passes(self, step_s: int, passes_s: int) -> None:
        self.clock.step_wall(step_s)
        self.runner.run(self._pass(passes_s))

    @invariant()
    def everything_stands_as_the_model_says(self) -> None:
        if not self.puppets:
            return
        assert self._standing() == self.model.stands()
        for agent in self.living():
            is_busy = self.puppets[agent].is_asked
            assert is_busy or not self.model.must_run(agent), f"{agent} does not run although mail waits"
            assert not (agent in self.model.paused and is_busy), f"{agent} runs although it is paused"
        assert not self.world.room.store.look(invariants.miscounts)

    def teardown(self) -> None:
        """Everything is read in the end, once, and all invariants hold."""
        try:
            if self.puppets:
                self.runner.run(self._finish())
        finally:
            self.runner.run(self.world.close())
            self.runner.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def asking(self) -> list[str]:
        """The agents with an open request."""
        return [agent for agent, puppet in self.puppets.items() if puppet.is_asked]

    def writers_to_groups(self) -> list[str]:
        """Those with an open request whose tool takes several addresses."""
        return [agent for agent in self.asking() if SURFACE[agent] == "team"]

    def living(self) -> list[str]:
        """The agents that are not archived."""
        return [agent for agent in self.puppets if agent not in self.model.archived]

    def idle(self) -> list[str]:
        """The agents without a turn."""
        return [agent for agent in self.living() if not self.puppets[agent].is_asked]

    @staticmethod
    def _pick(names: list[str], place: int) -> str:
        return names[place % len(names)]

    async def _begin(self, mix: list[str]) -> None:
        puppets = cast(self.world, mix)
        self.model = Post({name: WAYS[SURFACE[name]] for name in puppets})
        await begin(self.world, puppets)
        self.puppets = puppets
        await self._settle()

    async def _send(self, sender: str, names: list[str], mode: str) -> None:
        letters = self.model.draft(sender, names, mode_of(sender, names[0], mode))
        note(f"{letters[0].body} is sent")
        can = ["absent" if to in self.model.archived else reach(sender, to) for to in names]
        order = letter_call(self.world, sender, names, letters[0].body, mode)
        if can == ["waits"]:
            result, can = await self._sent_with_leave(sender, order), ["yes"]
        else:
            (result,) = await self.puppets[sender].does(order)
        self.model.answered(sender)
        is_full = any(
            way != "absent" and self.model.is_full(letter, holds=way == "asks")
            for way, letter in zip(can, letters, strict=True)
        )
        assert result.is_error is ("absent" in can or is_full), f"{letters[0].body}: {result.text}"
        if result.is_error and len(names) == 1:
            code = str(self.world.events("message.refused")[-1].facts["code"])
            assert (code in _FULL) is is_full, f"{letters[0].body}: {code}"
        for way, letter in zip(can, letters, strict=True):
            if not result.is_error:
                (self.model.accept if way == "yes" else self.model.hold)(letter)
        await self._settle()

    async def _sent_with_leave(self, sender: str, order: ScriptedAnswer) -> ResultItem:
        """The call waits for the person, who lets it go."""
        before, opened = {one.ask_id for one in await self.world.room.asks()}, "ask.opened"
        count = len(self.world.events(opened))
        await self.puppets[sender].starts(order)
        await self.world.event(opened, count + 1)
        (ask,) = [ask for ask in await self.world.room.asks() if ask.ask_id not in before]
        await self.world.room.approve(ask.ask_id)
        return results_of(await self.puppets[sender].asked())[0]

    async def _write(self, to: str, mode: str) -> None:
        (letter,) = self.model.draft(PERSON, [to], mode_of("tr", to, mode))
        note(f"{letter.body} is said")
        await self.world.room.send(person_address(self.world, to), letter.body, mode=mode)
        self.model.accept(letter)
        await self._settle()

    def _answer(self, place: int, order: Callable[[Puppet], Coroutine[None, None, None]]) -> None:
        agent = self._pick(self.asking(), place)
        note(f"{agent} answers")
        self.runner.run(order(self.puppets[agent]))
        self.model.answered(agent)
        self.runner.run(self._settle())

    async def _fail(self, agent: str) -> None:
        note(f"{agent} fails")
        await self.puppets[agent].fails(ModelFault("broken"))
        self.model.died(agent, parks=True, spares=False)
        await self._settle()

    async def _cancel(self, agent: str) -> None:
        note(f"{agent} is cancelled")
        await self.world.room.cancel(person_address(self.world, agent))
        self.model.died(agent, parks=True, spares=True)
        await self._settle()

    async def _stop(self, agent: str) -> None:
        note(f"{agent} is stopped")
        await self.world.room.stop(person_address(self.world, agent))
        self.model.stop([one for one in below(agent) if one in self.living()], agent)
        await self._settle()

    async def _resume(self, agent: str) -> None:
        note(f"{agent} is resumed")
        try:
            await self.world.room.resume(person_address(self.world, agent))
        except Refused:
            assert agent not in self.model.paused
        self.model.lift(agent)
        self.model.unpark(agent)
        await self._settle()

    async def _decide(self, *, has_leave: bool) -> None:
        letter = self.model.first_held()
        assert letter is not None
        ask, *_ = await self.world.room.asks()
        note(f"{letter.body} gets leave" if has_leave else f"{letter.body} is denied")
        decide = self.world.room.approve if has_leave else self.world.room.deny
        await decide(ask.ask_id)
        if not has_leave or letter.to in self.model.archived or self.model.is_full(letter):
            letter.state = "dropped"
        else:
            self.model.accept(letter)
        await self._settle()

    async def _revert(self, agent: str, to: int) -> None:
        note(f"{agent} goes back")
        address = person_address(self.world, agent)
        places = [one for one in await self.world.room.places(address) if not one.sealed_id]
        if places:
            await self.world.room.revert(address, places[to % len(places)].place)
            self.model.cut.add(agent)
        await self._settle()

    async def _compact(self, agent: str) -> None:
        note(f"{agent} is summed up")
        try:
            await self.world.room.compact(person_address(self.world, agent))
            self.model.cut.add(agent)
        except Refused:
            pass
        await self._settle()

    async def _fork(self, agent: str) -> None:
        """It reads nothing that the original has not read, and what waits there stays there."""
        note(f"{agent} is forked")
        self.forks += 1
        made = await self.world.room.fork(person_address(self.world, agent))
        await self._settle()
        await self.world.room.prompt("what do you know?", session=made.session_id)
        found = MARKER.findall("".join(texts(await self.puppets[agent].asked())))
        known = {m.number for m in self.model.letters if m.to == agent and m.is_shown}
        assert {int(one[3]) for one in found if one[0] != agent} <= known, (
            f"the copy of {agent} reads its mail"
        )
        await self.puppets[agent].says("bye")
        await self._settle()

    async def _archive(self, agent: str) -> None:
        note(f"{agent} is archived")
        await self.world.room.archive(person_address(self.world, agent))
        self.model.retire(agent)
        await self._settle()

    async def _restart(self, *, crash: bool) -> None:
        await (self.world.crash() if crash else self.world.close())
        for agent in self.puppets:
            self.model.host_died(agent)
        await self.world.open()
        await self._settle()

    async def _pass(self, seconds: float) -> None:
        await self.clock.advance(seconds)
        await self._settle()

    async def _settle(self) -> None:
        """Wait until every agent asks or is idle; tell the model what the open requests took and show."""
        settled = 0
        async with asyncio.timeout(SETTLE_S):
            while settled < 2:  # what a commit rings stands in line behind one write
                await self.world.room.store.write(Tx.last_pos)
                settled = settled + 1 if self._is_settled() else 0
        standing = self._standing()
        for agent in self.asking():
            self.model.claim(
                agent, [n for (n, to), how in standing.items() if (to, how) == (agent, "claimed")]
            )
            self.model.show(agent, texts(await self.puppets[agent].asked()))

    def _is_settled(self) -> bool:
        views = self.world.views()
        busy = [view.profile for view in views if view.state in ("running", "waiting", "suspended")]
        return sorted(busy) == sorted(self.asking())

    def _standing(self) -> dict[tuple[int, str], str]:
        return self.world.room.store.look(_standing)

    async def _finish(self) -> None:
        while self.model.first_held():
            await self._decide(has_leave=False)
        for agent in list(self.model.paused):
            if agent in self.model.paused and agent in self.living():
                await self._resume(agent)
        await self._restart(crash=False)
        self.everything_stands_as_the_model_says()
        await self.world.rest()
        for agent in self.living():
            self.model.claim(
                agent, [m.number for m in self.model.letters if (m.to, m.state) == (agent, "accepted")]
            )
            self.model.show(agent, texts(self.world.requests(agent, 1)[-1]))
            self.model.answered(agent)
        assert self._standing() == self.model.stands()
        await self.world.check()


def _standing(tx: Tx) -> dict[tuple[int, str], str]:
    """How every letter of the store stands, by its number and its recipient."""
    found = dict[tuple[int, str], str]()
    for told in invariants.read_ledger(tx).deliveries.values():
        view = tx.message_view(told.message)
        if view is not None and (letter := MARKER.fullmatch(view.body)):
            found[int(letter[4]), tx.branch_row(told.branch).profile] = _STANDS[told.state]
    return found


TestAnySurface = AnySurface.TestCase
# Without shrinking: the steps can be read as they are, and each try of shorter ones opens a store.
TestAnySurface.settings = settings(
    max_examples=SEARCH or 30,
    derandomize=not SEARCH,
    stateful_step_count=30,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
