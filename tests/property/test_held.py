"""Any order of sends that nobody attends, of decisions and deaths: nothing goes without leave, or too early.

The machine of `test_mail`, in a tree whose sends are held. Beside its mailboxes the model keeps what lies
with whom, and lets it go in order.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from postroom.domain.policy import Policy
from tests.acceptance.family import code, send
from tests.property.mailbox_model import CAP, WINDOW, Letter
from tests.property.test_mail import AGENTS, MODES, PLACES, MailMachine


@dataclass(slots=True)
class Held:
    """One letter that lies with its sender, and whether the person has given leave."""

    letter: Letter
    message: str
    has_leave: bool


@dataclass(slots=True)
class Outbox:
    """What lies with the senders, oldest first."""

    held: list[Held] = field(default_factory=list[Held])
    is_attended: bool = False

    def holds(self, letter: Letter) -> bool:
        """Whether a send is held: for want of leave, or behind an older one of the pair."""
        return not self.is_attended or any(_same(h.letter, letter) for h in self.held)

    def free(self) -> list[Held]:
        """Takes out what may go now: of each pair, what stands before the first without leave."""
        gone, waits = list[Held](), list[Held]()
        for one in self.held:
            behind = any(_same(one.letter, other.letter) for other in waits)
            (gone if one.has_leave and not behind else waits).append(one)
        self.held = waits
        return gone


class HeldMachine(MailMachine):
    """The same agents and the same person, who is away."""

    policy: ClassVar[Policy] = Policy(
        surface="tree", mailbox_cap=CAP, pair_window=WINDOW, chain_turns_max=None, rounds_max=500,
        unattended_sends="hold",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.outbox = Outbox()

    @rule(place=PLACES, has_leave=st.booleans())
    @precondition(lambda self: self.open_asks())
    def the_person_decides(self, place: int, *, has_leave: bool) -> None:
        self.runner.run(self._decide(self._pick_held(place), has_leave=has_leave))

    @rule(place=PLACES)
    @precondition(lambda self: self.outbox.held)
    def the_person_takes_back(self, place: int) -> None:
        self.runner.run(self._recall(self.outbox.held[place % len(self.outbox.held)]))

    @rule(is_there=st.booleans())
    def the_person_comes_or_goes(self, *, is_there: bool) -> None:
        self.runner.run(self._attend(is_there=is_there))

    @rule(place=PLACES, to=st.sampled_from(AGENTS), mode=MODES)
    @precondition(lambda self: self.asking())
    def an_agent_sends_more(self, place: int, to: str, mode: str) -> None:
        self.an_agent_sends(place, to, mode)

    def open_asks(self) -> list[Held]:
        """What the person may decide on."""
        return [one for one in self.outbox.held if not one.has_leave]

    def _pick_held(self, place: int) -> Held:
        asks = self.open_asks()
        return asks[place % len(asks)]

    async def _begin(self) -> None:
        await super()._begin()
        await self._attend(is_there=False)

    async def _attend(self, *, is_there: bool) -> None:
        await self.world.room.set_attended(self.world.view("r").session_id, attended=is_there)
        self.outbox.is_attended = is_there

    async def _send(self, sender: str, to: str, mode: str) -> None:
        letter = self.model.draft(sender, to, mode)
        (result,) = await self.puppets[sender].does(send(self.world.handle(to), letter.body, mode))
        self.model.answered(sender)
        if self.outbox.holds(letter):
            assert result.text.startswith("Held for "), result.text
            message = result.text.partition("message_id: ")[2].partition("\n")[0]
            self.outbox.held.append(Held(letter, message, self.outbox.is_attended))
        else:
            refusal = self.model.refusal(letter)
            assert (code(result) if result.is_error else None) == refusal, result.text
            if refusal is None:
                self.model.accept(letter)
        await self._settle()

    async def _decide(self, one: Held, *, has_leave: bool) -> None:
        asks = {ask.message_id: ask.ask_id for ask in await self.world.room.asks()}
        decide = self.world.room.approve if has_leave else self.world.room.deny
        await decide(asks[one.message])
        one.has_leave = has_leave
        if not has_leave:
            self.outbox.held.remove(one)
        await self._let_go()

    async def _recall(self, one: Held) -> None:
        await self.world.room.recall(one.message)
        self.outbox.held.remove(one)
        await self._let_go()

    async def _let_go(self) -> None:
        """What goes now is decided on by the guards of now; what they refuse is gone."""
        for one in self.outbox.free():
            if self.model.refusal(one.letter) is None:
                self.model.accept(one.letter)
        await self._settle()


TestHeld = HeldMachine.TestCase


def _same(one: Letter, other: Letter) -> bool:
    return (one.sender, one.to) == (other.sender, other.to)


# Without shrinking, as the machine below it.
TestHeld.settings = settings(
    max_examples=15,
    stateful_step_count=20,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
)
