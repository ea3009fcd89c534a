"""What people look at: agents, messages, conversations, and how a prompt ended."""

import json
from dataclasses import dataclass

from postroom.domain.message import State
from postroom.domain.node import CallResult, Node, Role
from postroom.domain.turn import LIVE_STATES, TurnState
from postroom.observe.agents import AgentView, agents
from postroom.rules.changed import noted
from postroom.rules.envelope import render_node
from postroom.store.tx import Tx
from postroom.store.tx_letters import StandingRow

__all__ = ["AgentView", "End", "HistoryItem", "MessageView", "agents", "ending", "history", "message"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """One message with its receipt all the way to "read in round k of turn t"."""

    message_id: str
    kind: str
    mode: str
    sender: str
    recipient: str
    state: str
    reason: str
    attempts: int
    parked: bool
    turn_id: str
    round: int | None
    created_us: int
    body: str
    reverted: bool
    """It was read in a part of the conversation that a revert has left."""
    also_to: tuple["AlsoTo", ...] = ()
    """Its other recipients."""
    answered_by: tuple[str, ...] = ()
    """The ids of the messages that answer it."""
    selector: str = ""
    """What it was written to on the bus of a turn; its recipients are those who took it. Empty elsewhere."""
    sender_session_id: str = ""
    """The session of the agent that sent it."""
    recipient_session_id: str = ""
    """The session of its recipient."""
    pruned_bytes: int | None = None
    """How long a body was that is gone because its conversation is over; none while it is there."""
    pruned_sha256: str = ""
    """The SHA-256 of that body; empty while it is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlsoTo:
    """One more recipient of a message, and how it stands there."""

    recipient: str
    state: str
    reason: str
    turn_id: str
    round: int | None
    reverted: bool
    """It was read in a part of the conversation that the person has left since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryItem:
    """One item of a conversation: text, the calls of an answer, or the result of a call."""

    role: str
    provenance: str
    text: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How the turn that read a prompt ended."""

    state: str
    reason: str
    text: str
    session_id: str

    @property
    def ok(self) -> bool:
        """Finished with an answer."""
        return self.state == TurnState.FINISHED and self.reason == "answered"


def message(tx: Tx, key: int, to: int | None = None) -> MessageView | None:
    """One message by key, as it stands with one of its recipients, or with the first."""
    row = tx.message_view(key, to)
    if row is None:
        return None
    sender = tx.branch_label(row.sender_branch) if row.sender_branch else None
    recipient = tx.branch_label(row.recipient_branch) if row.recipient_branch else None
    post = tx.post_row(key)
    digest = None if row.body else tx.digest_of_body(key)
    return MessageView(
        message_id=row.public_id, kind=row.kind, mode=row.mode,
        sender=sender[0] if sender else row.sender_address,
        recipient=recipient[0] if recipient else "", state=row.state or "", reason=row.reason or "",
        attempts=row.attempts or 0, parked=bool(row.parked), turn_id=row.turn_id, round=row.round,
        created_us=row.created_us, body=row.body, reverted=bool(row.reverted),
        also_to=tuple(_also_to(tx, one) for one in tx.standings(key) if one.branch != row.recipient_branch),
        answered_by=tuple(one.public_id for one in tx.answers_given(key)),
        selector=post.selector if post else "", sender_session_id=sender.session_id if sender else "",
        recipient_session_id=recipient.session_id if recipient else "",
        pruned_bytes=digest[0] if digest else None, pruned_sha256=digest[1] if digest else "",
    )  # fmt: skip


def _also_to(tx: Tx, one: StandingRow) -> AlsoTo:
    label = tx.branch_label(one.branch)
    return AlsoTo(
        recipient=label.label if label else "", state=one.state, reason=one.reason, turn_id=one.turn_id,
        round=one.round or None, reverted=bool(one.is_reverted),
    )  # fmt: skip


def history(tx: Tx, branch: int) -> list[HistoryItem]:
    """A branch's conversation, oldest first."""
    head = tx.head_of(branch)
    nodes = [] if head is None else tx.path_to_head(head)
    calls: dict[tuple[int, int], list[CallResult]] = {}
    for call in tx.calls_of_turns(sorted({n.turn for n in nodes if n.role == Role.TOOL})):
        calls.setdefault((call.turn, call.round), []).append(call)
    return [item for node in nodes for item in _items(node, calls)]


def _items(node: Node, calls: dict[tuple[int, int], list[CallResult]]) -> list[HistoryItem]:
    if node.role == Role.TOOL:
        own = calls.get((node.turn, node.round), ())
        return [
            HistoryItem(
                role="tool",
                provenance=node.provenance,
                text=noted(c.text or "", c.changed_by),
                tools=(c.tool,),
            )
            for c in own
        ]
    parts = json.loads(node.parts)
    if node.role == Role.SUMMARY:
        return [HistoryItem(role="summary", provenance=node.provenance, text=parts["text"])]
    if node.role == Role.ASSISTANT:
        tools = tuple(tool for tool, _ in parts["calls"])
        return [HistoryItem(role="assistant", provenance=node.provenance, text=parts["text"], tools=tools)]
    text = render_node(node.parts, node.body)
    return [HistoryItem(role="user", provenance=node.provenance, text=text)]


def ending(tx: Tx, key: int, session_id: str) -> End | None:
    """How the turn that read a message ended; `None` while that is still open.

    A text that went to everyone in a turn is the entry agent's to read; unread, it went on as its next turn.
    """
    row = tx.delivery_of_message(key)
    if (row is None or row.state == State.UNDELIVERED) and (again := tx.follow_up(key)) is not None:
        row = tx.delivery_of_message(again)
    if row is None:
        return None
    if row.state == State.DISCARDED:
        return End(state="discarded", reason=row.reason, text="", session_id=session_id)
    if row.paused_by is not None and row.turn_state not in {TurnState.FINISHED, *LIVE_STATES}:
        return End(state=TurnState.STOPPED, reason="stopped", text="", session_id=session_id)
    if row.state == State.ACCEPTED and row.parked:
        last = tx.ended_turn_of_branch(row.branch)
        state, reason = (last[1], last[2]) if last else (TurnState.FAILED, "")
        return End(state=state, reason=reason, text="", session_id=session_id)
    if row.state != State.CONSUMED or row.turn_state in LIVE_STATES:
        return None
    return End(
        state=row.turn_state, reason=row.end_reason, text=answer_text(tx, row.turn), session_id=session_id
    )


def tree_ending(tx: Tx, root: int, branch: int, session_id: str) -> End | None:
    """How the newest turn of a tree's root ended, once nothing of the tree runs or waits."""
    if tx.open_turns_of_tree(root):
        return None
    last = tx.ended_turn_of_branch(branch)
    if last is None:
        return None
    return End(state=last[1], reason=last[2], text=answer_text(tx, last[0]), session_id=session_id)


def whole_ending(tx: Tx, key: int, root: int, branch: int, session_id: str) -> End | None:
    """How the tree ended that grew out of a message; `None` while the message or the tree is open."""
    own = ending(tx, key, session_id)
    if own is None or tx.open_turns_of_tree(root):
        return None
    if own.state in {"discarded", TurnState.STOPPED}:  # no later turn says anything about this message
        return own
    return tree_ending(tx, root, branch, session_id) or own


def answer_text(tx: Tx, turn: int) -> str:
    """The text of a turn's newest answer."""
    parts = tx.answer_of_turn(turn)
    return str(json.loads(parts)["text"]) if parts else ""
