"""Any order of sends, failures, cancels, stops and restarts: nothing lost, nothing twice, counters exact."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import ClassVar

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from postroom.domain.policy import Policy
from postroom.errors import ModelFault, Refused
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World, texts
from tests.acceptance.family import code, family, send
from tests.property.mailbox_model import CAP, PERSON, WINDOW, Mailboxes

AGENTS = ("a", "b", "c")
MODES = st.sampled_from(("steer", "queue"))
PLACES = st.integers(min_value=0, max_value=2)
SETTLE_S = 60.0


class MailMachine(RuleBasedStateMachine):
    """Three agents below a root that only rests. Between two steps each agent is idle or asks."""

    policy: ClassVar[Policy] = Policy(
        surface="tree", mailbox_cap=CAP, pair_window=WINDOW, chain_turns_max=None, rounds_max=500
    )

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="postroom-"))
        self.runner = asyncio.Runner()
        self.world = World(self.folder / "store", policy=self.policy)
        self.puppets: dict[str, Puppet] = {}
        self.model = Mailboxes()

    @initialize()
    def begins(self) -> None:
        """Every agent has run once and is idle."""
        self.runner.run(self._begin())

    @rule(place=PLACES, to=st.sampled_from(AGENTS), mode=MODES)
    @precondition(lambda self: self.asking())
    def an_agent_sends(self, place: int, to: str, mode: str) -> None:
        sender = self.pick(place)
        if sender != to:
            self.runner.run(self._send(sender, to, mode))

    @rule(to=st.sampled_from(AGENTS), mode=MODES)
    def the_person_writes(self, to: str, mode: str) -> None:
        self.runner.run(self._write(to, mode))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def an_agent_goes_on(self, place: int) -> None:
        self.runner.run(self._answer(self.pick(place), lambda p: p.starts(call("nothing"))))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def an_agent_ends(self, place: int) -> None:
        self.runner.run(self._answer(self.pick(place), lambda p: p.says("done")))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def a_provider_fails(self, place: int) -> None:
        self.runner.run(self._fail(self.pick(place)))

    @rule(place=PLACES)
    @precondition(lambda self: self.asking())
    def the_person_cancels(self, place: int) -> None:
        self.runner.run(self._cancel(self.pick(place)))

    @rule(agent=st.sampled_from((*AGENTS, "r")))
    def the_person_stops(self, agent: str) -> None:
        self.runner.run(self._stop(agent))

    @rule(agent=st.sampled_from((*AGENTS, "r")))
    def the_person_resumes(self, agent: str) -> None:
        self.runner.run(self._resume(agent))

    @rule(crash=st.booleans())
    def the_process_starts_again(self, *, crash: bool) -> None:
        self.runner.run(self._restart(crash=crash))

    @invariant()
    def mailboxes_are_as_the_model_says(self) -> None:
        if not self.puppets:
            return
        waiting = self.world.room.store.look(_waiting)
        for agent in AGENTS:
            assert waiting[agent] == (self.model.unread(agent), self.model.parked(agent))
            if self.model.must_run(agent):
                assert self.puppets[agent].is_asked, f"{agent} does not run although mail waits"
            assert not (agent in self.model.paused and self.puppets[agent].is_asked)
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
        return [agent for agent in AGENTS if agent in self.puppets and self.puppets[agent].is_asked]

    def pick(self, place: int) -> str:
        """One of them."""
        asking = self.asking()
        return asking[place % len(asking)]

    async def _begin(self) -> None:
        root, *puppets = await family(self.world, *AGENTS)
        self.puppets = dict(zip(AGENTS, puppets, strict=True))
        root.rests()
        for puppet in puppets:
            await puppet.says("ready")
        await self.world.quiesce()

    async def _send(self, sender: str, to: str, mode: str) -> None:
        letter = self.model.draft(sender, to, mode)
        (result,) = await self.puppets[sender].does(send(self.world.handle(to), letter.body, mode))
        self.model.answered(sender)
        refusal = self.model.refusal(letter)
        assert (code(result) if result.is_error else None) == refusal, result.text
        if refusal is None:
            self.model.accept(letter)
        await self._settle()

    async def _write(self, to: str, mode: str) -> None:
        letter = self.model.draft(PERSON, to, mode)
        await self.world.room.send(self.world.handle(to), letter.body, mode=mode)
        self.model.accept(letter)
        await self._settle()

    async def _answer(self, agent: str, order: Callable[[Puppet], Coroutine[None, None, None]]) -> None:
        await order(self.puppets[agent])
        self.model.answered(agent)
        await self._settle()

    async def _fail(self, agent: str) -> None:
        await self.puppets[agent].fails(ModelFault("broken"))
        self.model.died(agent, parks=True, spares=False)
        await self._settle()

    async def _cancel(self, agent: str) -> None:
        await self.world.room.cancel(self.world.handle(agent))
        self.model.died(agent, parks=True, spares=True)
        await self._settle()

    async def _stop(self, agent: str) -> None:
        await self.world.room.stop(self.world.view(agent).session_id)
        below = (agent,) if agent in AGENTS else ("r", *AGENTS)
        for one in below:
            if one not in self.model.paused:
                self.model.died(one, parks=False, spares=True)
        self.model.stop(below, agent)
        await self._settle()

    async def _resume(self, agent: str) -> None:
        try:
            await self.world.room.resume(self.world.view(agent).session_id)
        except Refused:
            assert agent not in self.model.paused
            assert not self.model.parked(agent)
        self.model.lift(agent)
        self.model.unpark(agent)
        await self._settle()

    async def _restart(self, *, crash: bool) -> None:
        await (self.world.crash() if crash else self.world.close())
        for agent in AGENTS:
            self.model.died(agent, parks=False, spares=False)
            self.model.unpark(agent)
        await self.world.open()
        await self._settle()

    async def _settle(self) -> None:
        """Wait until every agent either asks or is idle; tell the model what the open requests show."""
        async with asyncio.timeout(SETTLE_S):
            while not self._is_settled():  # noqa: ASYNC110 -- two signs must agree; neither rings
                await asyncio.sleep(0)
        for agent in self.asking():
            self.model.show(agent, texts(await self.puppets[agent].asked()))

    def _is_settled(self) -> bool:
        views = {v.profile: v for v in self.world.views()}
        return views["r"].state not in ("running", "waiting") and all(
            self.puppets[a].is_asked == (views[a].state == "running") and views[a].state != "waiting"
            for a in AGENTS
        )

    async def _finish(self) -> None:
        for agent in list(self.model.paused):
            if agent in self.model.paused:
                await self._resume(agent)
        await self._restart(crash=False)
        await self.world.rest()
        for agent in AGENTS:
            self.model.answered(agent)
            requests = self.world.requests(agent)
            self.model.show(agent, texts(requests[-1]))
            self.model.answered(agent)
            assert not self.model.unread(agent)
        await self.world.check()


TestMail = MailMachine.TestCase


def _waiting(tx: Tx) -> dict[str, tuple[int, int]]:
    """How many letters wait for each agent, and how many of them are parked; notices are no letters."""
    rows = tx.agents_of_tree(tx.newest_roots(1)[0])
    return {r.profile: (r.n_steer + r.n_queue + r.n_parked, r.n_parked) for r in rows}


# Without shrinking: twenty steps can be read as they are, and each try of a shorter one opens a store.
TestMail.settings = settings(
    max_examples=20,
    stateful_step_count=20,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
)
