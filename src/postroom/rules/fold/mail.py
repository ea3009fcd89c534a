"""Folding the events of messages and deliveries."""

from postroom.domain.message import Kind, Mode, State
from postroom.domain.turn import CallState, EndedBy
from postroom.rules import lifecycle
from postroom.rules.fold import buses, rows
from postroom.rules.fold.state import (
    Facts,
    Folded,
    NotFoldable,
    branch_of,
    delivery_of,
    known,
    put_delivery,
    put_held,
)

_END_THEIR_CALL = (Kind.MAIL, Kind.TASK)


def sent(state: Folded, facts: Facts) -> None:
    """`message.sent`: the call that sent it has its message; what an agent writes to another also ends
    it, unless the call waits for what comes of it.
    """
    message, call = facts.key("message"), facts.maybe("call")
    state.sent.add(message)
    if call is None:
        return
    row = state.calls.get(call)
    if row is None:
        raise NotFoldable(f"call {call} was never made")
    row = row._replace(message=message)
    if facts.word("kind") in _END_THEIR_CALL and not facts.maybe("waits"):
        row = row._replace(state=CallState.ENDED, ended_by=EndedBy.TOOL)
    state.calls[call] = row


def accepted(state: Folded, facts: Facts) -> None:
    """`message.accepted`: one more in a mailbox, at the next place."""
    message, branch, seq = facts.key("message"), facts.key("branch"), facts.key("seq")
    key, row = facts.key("delivery"), branch_of(state, branch)
    before = state.deliveries.get(key)
    is_there = branch in state.accepted.get(message, ())
    if is_there or (before is not None and before.state != State.HELD):
        state.doubled.add(message)
        raise NotFoldable(f"message {message} was accepted before in mailbox {branch}")
    if seq != row.mailbox_seq + 1:
        raise NotFoldable(f"place {seq} does not follow place {row.mailbox_seq} of mailbox {branch}")
    delivery = rows.Delivery(
        message=message, branch=branch, sender=facts.maybe("sender"), kind=Kind(facts.word("kind")).value,
        mode=Mode(facts.word("mode")).value, seq=seq, rounds_at=facts.maybe("rounds_at") or 0,
        expires_us=facts.maybe("expires_us") or (before.expires_us if before else None),
    )  # fmt: skip
    state.accepted.setdefault(message, set()).add(branch)
    state.branches[branch] = row._replace(mailbox_seq=seq)
    put_delivery(state, key, delivery)


def held(state: Folded, facts: Facts) -> None:
    """`message.held`: it lies with its sender, and ends its call."""
    message, key = facts.key("message"), facts.key("delivery")
    if key in state.deliveries:
        raise NotFoldable(f"delivery {key} was held before")
    put_held(state, key, rows.Delivery(
        message=message, branch=facts.key("branch"), sender=facts.maybe("sender"),
        kind=Kind(facts.word("kind")).value, mode=Mode(facts.word("mode")).value, seq=0,
        state=State.HELD.value, reason=facts.word("reason"), expires_us=facts.maybe("expires_us"),
    ))  # fmt: skip
    call = facts.key("call")
    row = known(state.calls, call, f"call {call} was never made")
    state.calls[call] = row._replace(
        message=message, state=CallState.ENDED.value, ended_by=EndedBy.TOOL.value
    )


def delivered(state: Folded, facts: Facts) -> None:
    """`message.delivered`: an outbox says so once of what was sent before."""
    message, key = facts.key("message"), facts.key("delivery")
    if message not in state.sent:
        raise NotFoldable(f"message {message} was never sent")
    if key in state.delivered:
        raise NotFoldable(f"delivery {key} was told of before")
    state.delivered.add(key)


def claimed(state: Folded, facts: Facts) -> None:
    """`message.claimed`: it entered a context, for one more attempt."""
    key, node = facts.key("delivery"), facts.maybe("node")
    row = _move(state, key, State.CLAIMED)
    if row.node is not None and node is not None and row.node != node:
        state.doubled.add(row.message)
    attempt = row._replace(attempts=row.attempts + 1, turn=facts.key("turn"), node=node)
    put_delivery(state, key, attempt)


def released(state: Folded, facts: Facts) -> None:
    """`message.released`: back in the mailbox; for one that was there already, only parked."""
    key, parked = facts.key("delivery"), facts.key("parked")
    row = delivery_of(state, key)
    if row.state != State.ACCEPTED:
        row = _move(state, key, State.ACCEPTED)._replace(turn=None)
    put_delivery(state, key, row._replace(parked=parked, node=facts.maybe("node")))


def placed(state: Folded, facts: Facts) -> None:
    """`message.placed`: a result that a call returned stands here, or after a revert nowhere."""
    key = facts.key("delivery")
    put_delivery(state, key, delivery_of(state, key)._replace(node=facts.maybe("node")))


def unparked(state: Folded, facts: Facts) -> None:
    """`message.unparked`: it may open a turn again."""
    key = facts.key("delivery")
    put_delivery(state, key, delivery_of(state, key)._replace(parked=0))


def consumed(state: Folded, facts: Facts) -> None:
    """`message.consumed`: the answer to a request that held it is committed."""
    key = facts.key("delivery")
    if delivery_of(state, key).state == State.CONSUMED:
        state.doubled.add(delivery_of(state, key).message)
    row = _move(state, key, State.CONSUMED)
    put_delivery(state, key, row._replace(round=facts.key("round")))


def discarded(state: Folded, facts: Facts) -> None:
    """`message.discarded`: it ended unread."""
    key = facts.key("delivery")
    if key not in state.deliveries:
        buses.stranded(state, facts, State.DISCARDED)
        return
    put_delivery(state, key, _move(state, key, State.DISCARDED)._replace(reason=facts.word("reason")))


def _move(state: Folded, key: int, after: State) -> rows.Delivery:
    """The delivery in its next state, if it may go there."""
    row = delivery_of(state, key)
    if not lifecycle.is_legal(State(row.state), after):
        raise NotFoldable(f"delivery {key} may not go from {row.state} to {after}")
    return row._replace(state=after.value)
