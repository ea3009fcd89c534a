"""What became of one message: with each of its recipients, and which answers it got."""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, MessageKey
from postroom.store.tx_base import BaseTx


class StandingRow(NamedTuple):
    """A message at one recipient."""

    branch: BranchKey
    state: str
    reason: str
    number: int
    """Its place in the mailbox; 0 while it is held."""
    round: int
    """In whose answer it was read; 0 before."""
    turn_id: str
    """The turn that holds it, or has read it."""
    is_placed: int
    """Whether it stands in the recipient's conversation."""
    expires_us: int | None
    is_paused: int
    """Whether the person has stopped the recipient."""
    is_reverted: int
    """Whether it was read in a part of the conversation that the person has left since."""


class AnswerRow(NamedTuple):
    """A message that answers another one."""

    message: MessageKey
    public_id: str
    sender: BranchKey | None


class EnvelopeRow(NamedTuple):
    """A message without its text."""

    message: MessageKey
    public_id: str
    kind: str
    mode: str
    sender: BranchKey | None
    written_us: int


class LetterTx(BaseTx):
    """Reading statements."""

    __slots__ = ()

    def standings(self, message: int) -> list[StandingRow]:
        """How a message stands with each of its recipients, in the order in which they were named."""
        return self._each("standings", StandingRow._make, message)

    def answers_given(self, message: int) -> list[AnswerRow]:
        """What agents have written as an answer to a message, oldest first."""
        return self._each("answers_given", AnswerRow._make, message)

    def envelope_of(self, public_id: str) -> EnvelopeRow | None:
        """A message by the id that its sender got."""
        return self._find("envelope_of", EnvelopeRow._make, public_id)
