"""The person's own words: a text starts a chain, and ends the pause of the branch it goes to (G11)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from postroom.domain.ask import ApprovalMode
from postroom.domain.keys import BranchKey, ChainKey, SessionKey
from postroom.domain.message import HARD_BODY_BYTES_MAX, Kind, Mode
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Receipt, RecipientState, Refusal
from postroom.rules import guards
from postroom.rules.selectors import EVERYONE
from postroom.service.addresses import closed_to_all
from postroom.service.budgets import LimitsNow, begin_chain, unknown_limits
from postroom.service.facts import Ring
from postroom.service.receipts import address_of, first_receipt, mode_at, recipient_state
from postroom.service.wake import hurry, wake
from postroom.store.rows import RecipientRow, SentRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.store.tx_rosters import Bus, Post
from postroom.store.tx_sessions import NewSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A new conversation: whose profile answers, where it works, under which policy."""

    team: str
    profile: str
    policy: Policy
    title: str
    cwd: str
    mode: ApprovalMode = ApprovalMode.ASK
    """Who decides the asks of its tree."""
    attended: bool = True
    """Whether somebody is there to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What the person says. `client_id` makes saying it again harmless."""

    body: str
    mode: Mode = Mode.QUEUE
    client_id: str | None = None
    limits: Mapping[str, int | None] = field(default_factory=dict[str, int | None])
    """Fields of `ChainLimits` that hold for what grows out of this text, whatever the settings say; `None` is
    no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The receipt, where the text went, and where the log stood before it."""

    receipt: Receipt
    session: SessionKey
    session_id: str
    branch: BranchKey
    message: int
    pos: int
    ring: Ring


def say_new(tx: Tx, opening: Opening, text: Text, limits: LimitsNow = unknown_limits) -> Said | Refusal:
    """Open a session and say the first text in it, in one commit; a known client id opens nothing."""
    known = _known(tx, text)
    if known is not None:
        return known
    if (code := check_text(text)) is not None:
        return Refusal(code=code)
    new = NewSession(
        root=None, parent=None, parent_turn=None, parent_branch=None, made_by_call=None, origin="person",
        handle=None, title=opening.title, cwd=opening.cwd, team=opening.team,
        policy=tx.keep_policy(opening.policy), depth=0, profile=opening.profile, mode=opening.mode,
        attended=opening.attended,
    )  # fmt: skip
    _, branch, _ = tx.insert_session(new)
    return post_text(tx, branch, text, limits)


def say(tx: Tx, branch: BranchKey, text: Text, limits: LimitsNow = unknown_limits) -> Said | Refusal:
    """Say a text to a branch. `steer` joins a running turn, `queue` opens a turn of its own."""
    known = _known(tx, text, branch) or closed_to_all(tx, branch)
    if known is not None:
        return known
    if (code := check_text(text)) is not None:
        return Refusal(code=code)
    return post_text(tx, branch, text, limits)


def check_text(text: Text) -> Code | None:
    """Why a text of the person cannot be said. It knows only the hard limit: a body limit is for agents."""
    return guards.check_body(text.body, HARD_BODY_BYTES_MAX)


def post_text(tx: Tx, branch: BranchKey, text: Text, limits: LimitsNow, *, lifts_pause: bool = True) -> Said:
    """The text is said: it begins a chain, and the person's own words end a pause."""
    ring, pos = Ring(), tx.last_pos()
    to = tx.recipient_by_branch(None, branch)
    bus = _bus_for(tx, to)
    chain = begin_chain(tx, to, limits, text.limits)  # first: a receipt that is given again looks for it
    if lifts_pause and lift_pause(tx, ring, branch):
        to = tx.recipient_by_branch(None, branch)
    if bus is not None:
        return _say_on_bus(tx, ring, to, bus, _letter(text, chain, Mode.STEER), pos)
    state, mode = recipient_state(tx, to), mode_at(tx, to, text.mode)
    message, public_id = tx.post(_letter(text, chain, mode), to, state)
    wake(tx, ring, branch)
    hurry(tx, ring, branch)
    receipt = Receipt(
        message_id=public_id, mode=mode, recipient_state=state, address=address_of(tx, to),
        number=to.mailbox_seq + 1,
    )  # fmt: skip
    return Said(
        receipt=receipt, session=to.session, session_id=to.public_id, branch=branch, message=message, pos=pos,
        ring=ring,
    )  # fmt: skip


def _letter(text: Text, chain: ChainKey, mode: Mode) -> Letter:
    return Letter(
        kind=Kind.USER, mode=mode, body=text.body, chain=chain, sender_address="user",
        client_id=text.client_id, actor="person",
    )  # fmt: skip


def _bus_for(tx: Tx, to: RecipientRow) -> Bus | None:
    """On which bus a text goes to everyone: that of a turn which is under way and not stopped."""
    if tx.policy(to.policy).user_text != "everyone" or to.turn is None or to.paused_by is not None:
        return None
    bus = tx.bus_of_turn(to.turn)
    return bus if bus is not None and bus.closed_us is None else None


def _say_on_bus(tx: Tx, ring: Ring, to: RecipientRow, bus: Bus, letter: Letter, pos: int) -> Said:
    """Every reader of the turn gets it, and the entry agent owes it: what it does not read opens its next."""
    message, public_id = tx.post_on_bus(letter, bus, EVERYONE)
    receipt = Receipt(
        message_id=public_id, mode=letter.mode, recipient_state=RecipientState.RUNNING,
        address=address_of(tx, to),
    )  # fmt: skip
    return Said(
        receipt=receipt, session=to.session, session_id=to.public_id, branch=to.branch, message=message,
        pos=pos, ring=ring,
    )  # fmt: skip


def lift_pause(tx: Tx, ring: Ring, branch: BranchKey) -> bool:
    """End the pause of this branch and of those that its stop paused; wake what waited there.

    `False` when there was no pause to end.
    """
    freed = [BranchKey(b) for b in tx.paused_by(branch)]
    if tx.branch_row(branch).paused_by is not None and branch not in freed:
        freed.append(branch)
    for one in freed:
        tx.unpause_branch(tx.branch_row(one).session, one)
    for one in freed:
        wake(tx, ring, one)
    return bool(freed)


def _known(tx: Tx, text: Text, branch: BranchKey | None = None) -> Said | Refusal | None:
    """What the client id said first; another text, mode or recipient under it is refused (CK-12)."""
    if (code := guards.check_client_id(text.client_id)) is not None:
        return Refusal(code=code)
    if text.client_id and (posted := tx.post_of_client(text.client_id)) is not None:
        return _posted(tx, text, posted, branch)
    first = tx.message_of_client(text.client_id) if text.client_id else None
    if first is None:
        return None
    mode = mode_at(tx, tx.recipient_by_branch(None, first.recipient), text.mode)
    same = first.body == text.body and first.mode == mode and branch in (None, first.recipient)
    if not same:
        return Refusal(code=Code.IDEMPOTENCY_CONFLICT)
    return _first_receipt(tx, first)


def _posted(tx: Tx, text: Text, first: Post, branch: BranchKey | None) -> Said | Refusal:
    """The same for a text that went to everyone in a turn."""
    bus = tx.bus_row(first.bus)
    turn = tx.turn_row(bus.turn) if bus is not None else None
    if first.body != text.body or turn is None:
        return Refusal(code=Code.IDEMPOTENCY_CONFLICT)
    to = tx.recipient_by_branch(None, branch or turn.branch)
    receipt = Receipt(
        message_id=first.public_id, mode=first.mode, recipient_state=RecipientState.RUNNING,
        address=address_of(tx, to),
    )  # fmt: skip
    return Said(
        receipt=receipt, session=to.session, session_id=to.public_id, branch=to.branch, message=first.message,
        pos=tx.pos_before_post(turn.turn, first.message), ring=Ring(),
    )  # fmt: skip


def _first_receipt(tx: Tx, first: SentRow) -> Said:
    to = tx.recipient_by_branch(None, first.recipient)
    delivery = tx.deliveries_of_message(first.message)[0].delivery
    return Said(
        receipt=first_receipt(tx, first), session=to.session, session_id=to.public_id, branch=first.recipient,
        message=first.message, pos=tx.pos_before_text(delivery.key), ring=Ring(),
    )  # fmt: skip
