"""What agents of several surfaces and the person do to each other, each told to the model as it happens."""

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path

from hypothesis import note

from postroom.domain.message import State
from postroom.errors import ModelFault, Refused
from postroom.llm.port import ResultItem
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet, results_of
from postroom.testing.script import ScriptedAnswer
from postroom.testing.world import World, texts
from tests.property.any_surface_cast import (
    POLICIES,
    SURFACE,
    begin,
    below,
    cast,
    letter_call,
    mode_of,
    person_address,
    reach,
)
from tests.property.any_surface_model import MARKER, PERSON, WAYS, Post

SETTLE_S = 60.0
_STANDS = {
    State.HELD: "held", State.ACCEPTED: "accepted", State.CLAIMED: "claimed", State.CONSUMED: "read",
    State.DISCARDED: "dropped", State.UNDELIVERED: "dropped",
}  # fmt: skip
_FULL = {"inbox_full", "inflight_full", "mailbox_full"}


class Deeds:
    """A world, a puppet for every agent in it, and the model."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="postroom-"))
        self.runner = asyncio.Runner()
        self.clock = FakeClock()
        self.world = World(self.folder / "store", policy=POLICIES["tree"], clock=self.clock)
        self.puppets: dict[str, Puppet] = {}
        self.model = Post({})
        self.forks = 0

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
    def pick(names: list[str], place: int) -> str:
        """One of them."""
        return names[place % len(names)]

    async def begin(self, mix: list[str]) -> None:
        """The conversations of a mix of surfaces."""
        puppets = cast(self.world, mix)
        self.model = Post({name: WAYS[SURFACE[name]] for name in puppets})
        await begin(self.world, puppets)
        self.puppets = puppets
        await self.settle()

    async def send(self, sender: str, names: list[str], mode: str) -> None:
        """One message, to one or to several."""
        letters = self.model.draft(sender, names, mode_of(sender, names[0], mode))
        note(f"{letters[0].body} is sent")
        can = ["absent" if to in self.model.archived else reach(sender, to) for to in names]
        order = letter_call(self.world, sender, names, letters[0].body, mode)
        if can == ["waits"]:
            result, can = await self.sent_with_leave(sender, order), ["yes"]
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
        await self.settle()

    async def sent_with_leave(self, sender: str, order: ScriptedAnswer) -> ResultItem:
        """The call waits for the person, who lets it go."""
        before, opened = {one.ask_id for one in await self.world.room.asks()}, "ask.opened"
        count = len(self.world.events(opened))
        await self.puppets[sender].starts(order)
        await self.world.event(opened, count + 1)
        (ask,) = [ask for ask in await self.world.room.asks() if ask.ask_id not in before]
        await self.world.room.approve(ask.ask_id)
        return results_of(await self.puppets[sender].asked())[0]

    async def write(self, to: str, mode: str) -> None:
        """The person says something."""
        (letter,) = self.model.draft(PERSON, [to], mode_of("tr", to, mode))
        note(f"{letter.body} is said")
        await self.world.room.send(person_address(self.world, to), letter.body, mode=mode)
        self.model.accept(letter)
        await self.settle()

    def answer(self, agent: str, order: Callable[[Puppet], Coroutine[None, None, None]]) -> None:
        """The open request of an agent is answered so."""
        note(f"{agent} answers")
        self.runner.run(order(self.puppets[agent]))
        self.model.answered(agent)
        self.runner.run(self.settle())

    async def fail(self, agent: str) -> None:
        """The provider of an agent fails."""
        note(f"{agent} fails")
        await self.puppets[agent].fails(ModelFault("broken"))
        self.model.died(agent, parks=True, spares=False)
        await self.settle()

    async def cancel(self, agent: str) -> None:
        """The person ends a turn."""
        note(f"{agent} is cancelled")
        await self.world.room.cancel(person_address(self.world, agent))
        self.model.died(agent, parks=True, spares=True)
        await self.settle()

    async def stop(self, agent: str) -> None:
        """The person stops an agent and who is below it."""
        note(f"{agent} is stopped")
        await self.world.room.stop(person_address(self.world, agent))
        self.model.stop([one for one in below(agent) if one in self.living()], agent)
        await self.settle()

    async def resume(self, agent: str) -> None:
        """The person lets it go on."""
        note(f"{agent} is resumed")
        try:
            await self.world.room.resume(person_address(self.world, agent))
        except Refused:
            assert agent not in self.model.paused
        self.model.lift(agent)
        self.model.unpark(agent)
        await self.settle()

    async def decide(self, *, has_leave: bool) -> None:
        """The person decides on the oldest that is held."""
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
        await self.settle()

    async def revert(self, agent: str, to: int) -> None:
        """The person takes an agent back to a place."""
        note(f"{agent} goes back")
        address = person_address(self.world, agent)
        places = [one for one in await self.world.room.places(address) if not one.sealed_id]
        if places:
            await self.world.room.revert(address, places[to % len(places)].place)
            self.model.cut.add(agent)
        await self.settle()

    async def compact(self, agent: str) -> None:
        """The person has a conversation summed up."""
        note(f"{agent} is summed up")
        try:
            await self.world.room.compact(person_address(self.world, agent))
            self.model.cut.add(agent)
        except Refused:
            pass
        await self.settle()

    async def fork(self, agent: str) -> None:
        """It reads nothing that the original has not read, and what waits there stays there."""
        note(f"{agent} is forked")
        self.forks += 1
        made = await self.world.room.fork(person_address(self.world, agent))
        await self.settle()
        await self.world.room.prompt("what do you know?", session=made.session_id)
        found = MARKER.findall("".join(texts(await self.puppets[agent].asked())))
        known = {m.number for m in self.model.letters if m.to == agent and m.is_shown}
        assert {int(one[3]) for one in found if one[0] != agent} <= known, (
            f"the copy of {agent} reads its mail"
        )
        await self.puppets[agent].says("bye")
        await self.settle()

    async def archive(self, agent: str) -> None:
        """The person retires an agent."""
        note(f"{agent} is archived")
        await self.world.room.archive(person_address(self.world, agent))
        self.model.retire(agent)
        await self.settle()

    async def restart(self, *, crash: bool) -> None:
        """The process ends, well or not, and another one begins."""
        await (self.world.crash() if crash else self.world.close())
        for agent in self.puppets:
            self.model.host_died(agent)
        await self.world.open()
        await self.settle()

    async def elapse(self, seconds: float) -> None:
        """Time passes."""
        await self.clock.advance(seconds)
        await self.settle()

    async def settle(self) -> None:
        """Wait until every agent asks or is idle; tell the model what the open requests took and show."""
        settled = 0
        async with asyncio.timeout(SETTLE_S):
            while settled < 2:  # what a commit rings stands in line behind one write
                await self.world.room.store.write(Tx.last_pos)
                settled = settled + 1 if self.is_settled() else 0
        standing = self.standing()
        for agent in self.asking():
            self.model.claim(
                agent, [n for (n, to), how in standing.items() if (to, how) == (agent, "claimed")]
            )
            self.model.show(agent, texts(await self.puppets[agent].asked()))

    def is_settled(self) -> bool:
        views = self.world.views()
        busy = [view.profile for view in views if view.state in ("running", "waiting", "suspended")]
        return sorted(busy) == sorted(self.asking())

    def standing(self) -> dict[tuple[int, str], str]:
        """How every letter of the store stands."""
        return self.world.room.store.look(_standing)

    async def finish(self) -> None:
        """Everything that is open comes to its end."""
        while self.model.first_held():
            await self.decide(has_leave=False)
        for agent in list(self.model.paused):
            if agent in self.model.paused and agent in self.living():
                await self.resume(agent)
        await self.restart(crash=False)
        assert self.standing() == self.model.stands()
        await self.world.rest()
        for agent in self.living():
            self.model.claim(
                agent, [m.number for m in self.model.letters if (m.to, m.state) == (agent, "accepted")]
            )
            self.model.show(agent, texts(self.world.requests(agent, 1)[-1]))
            self.model.answered(agent)
        assert self.standing() == self.model.stands()
        await self.world.check()


def _standing(tx: Tx) -> dict[tuple[int, str], str]:
    """How every letter of the store stands, by its number and its recipient."""
    found = dict[tuple[int, str], str]()
    for told in invariants.read_ledger(tx).deliveries.values():
        view = tx.message_view(told.message)
        if view is not None and (letter := MARKER.fullmatch(view.body)):
            found[int(letter[4]), tx.branch_row(told.branch).profile] = _STANDS[told.state]
    return found
