"""What became of a message, for those who may know, and the whole of a long one for its reader.

Who wrote it may ask, whoever made that agent, and the person. A part of a message is shown only to the agent
in whose conversation it stands already: mail enters a context in one place only (`service.take`).
"""

from dataclasses import dataclass

from postroom.domain.keys import BranchKey
from postroom.domain.message import State
from postroom.domain.receipt import Code, Refusal
from postroom.rules.naming import SHOWN_CHARS, id_of
from postroom.service.receipts import address_of
from postroom.store.tx import Tx
from postroom.store.tx_letters import StandingRow

_OVER = frozenset({State.DISCARDED, State.UNDELIVERED})
SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A message that answers the one that is asked about."""

    message_id: str
    number: int
    """Its number in the asker's mailbox; 0 where it went to others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The message at one recipient."""

    address: str
    """The recipient, as the asker's surface prints it."""
    state: State
    reason: str
    """Why it is held, or was discarded."""
    number: int
    """Its number in the recipient's mailbox; 0 while it is held."""
    turn_id: str
    round: int
    """In which turn it is read, and once it was, in which round."""
    was_cut: bool
    """Whether the turn that had begun to read it was cut, so that it is read again."""
    is_stopped: bool
    """Whether the person has stopped the recipient."""
    is_reverted: bool
    """Whether it was read in a part of the conversation that the person has left since."""
    expires_us: int | None
    answers: tuple[Answer, ...]

    @property
    def owes(self) -> bool:
        """Whether an answer may still come: it was not discarded, and none came."""
        return not self.answers and self.state not in _OVER


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStatus:
    """A message at each of its recipients."""

    message_id: str
    kind: str
    mode: str
    written_us: int
    age_s: int
    standings: tuple[Standing, ...]


def message_status(tx: Tx, asker: BranchKey | None, message_id: str) -> MessageStatus | Refusal:
    """How a message stands; no `asker` is the person. Refuses `unknown_message` for what one may not know."""
    row = tx.envelope_of(id_of(message_id))
    if row is None or not _may_ask(tx, asker, row.sender):
        return Refusal(code=Code.UNKNOWN_MESSAGE, facts={"id": message_id[:SHOWN_CHARS]})
    answers: dict[BranchKey | None, list[Answer]] = {}
    for one in tx.answers_given(row.message):
        number = tx.number_of(one.message, asker) if asker is not None else 0
        answers.setdefault(one.sender, []).append(Answer(message_id=one.public_id, number=number))
    standings = tuple(
        _standing(tx, asker, one, tuple(answers.get(one.branch, ()))) for one in tx.standings(row.message)
    )
    return MessageStatus(
        message_id=row.public_id, kind=row.kind, mode=row.mode, written_us=row.written_us,
        age_s=max(tx.now_us - row.written_us, 0) // SECOND_US, standings=standings,
    )  # fmt: skip


def _may_ask(tx: Tx, asker: BranchKey | None, sender: BranchKey | None) -> bool:
    if asker is None:
        return True
    return sender is not None and (sender == asker or tx.is_above(asker, sender))


def _standing(tx: Tx, asker: BranchKey | None, row: StandingRow, answers: tuple[Answer, ...]) -> Standing:
    to = tx.recipient_by_branch(None, row.branch)
    reader = None if asker is None else tx.recipient_by_branch(None, asker).policy
    state = State(row.state)
    return Standing(
        address=address_of(tx, to, reader), state=state, reason=row.reason, number=row.number,
        turn_id=row.turn_id, round=row.round, was_cut=state is State.ACCEPTED and bool(row.is_placed),
        is_stopped=bool(row.is_paused), is_reverted=bool(row.is_reverted), expires_us=row.expires_us,
        answers=answers,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A part of a message, character for character as it was sent."""

    number: int
    sender: str
    """Who wrote it, as its reader's surface prints it; empty: no agent."""
    text: str
    offset: int
    total: int
    """Characters of the whole."""

    @property
    def next(self) -> int | None:
        """Where the next page begins; none behind the last one."""
        end = self.offset + len(self.text)
        return end if end < self.total else None


def read_letter(tx: Tx, reader: BranchKey, number: int, offset: int, limit: int) -> Page | Refusal:
    """`limit` characters from `offset` on of what stands in the reader's conversation.

    Refuses `unknown_message` for a number that nothing has in it, and for what the reader has not read yet.
    """
    found = tx.mail_numbered(reader, number) or tx.inherited_mail(reader, number)
    if found is None or (
        found.delivery.node is None and found.delivery.state not in (State.CLAIMED, State.CONSUMED)
    ):
        return Refusal(code=Code.UNKNOWN_MESSAGE, facts={"n": number})
    sender, policy = found.sender_address, tx.recipient_by_branch(None, reader).policy
    if found.delivery.sender is not None:
        sender = address_of(tx, tx.recipient_by_branch(None, found.delivery.sender), policy)
    text = found.body[offset : offset + limit]
    return Page(number=number, sender=sender, text=text, offset=offset, total=len(found.body))
