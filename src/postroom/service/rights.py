"""Whether a call may do what it is about to do: rules, then grants, then what the person said to it."""

from collections.abc import Iterator
from dataclasses import dataclass

from postroom.domain.ask import ApprovalMode, Ask, AskState
from postroom.domain.keys import BranchKey, SessionKey, TurnKey
from postroom.domain.policy import Policy
from postroom.rules.permissions import Effect, read_overlay, strictness
from postroom.rules.text import scrub
from postroom.service.facts import AgentFacts
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a call wants to do, as rules, the person and hooks see it before it is done.

    `to` names a recipient: then the resource is the recipient's relation, which only the store can tell.
    """

    tool: str
    action: str
    resource: str = ""
    to: str | None = None
    body: str = ""
    """What would be written or done, for whoever is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """The key of a permission: a grant holds for this and not for the text (product.md 5)."""

    action: str
    resource: str
    tool: str
    recipient: BranchKey | None = None
    least: Effect = Effect.ALLOW
    """What the recipient's side wants, whatever the sender's rules say."""

    def is_of(self, ask: Ask, text: str) -> bool:
        """Whether this ask was about it, with this very text: a hook may have put another in its place."""
        asked = (ask.action, ask.resource, ask.tool, ask.recipient, ask.text)
        return asked == (self.action, self.resource, self.tool, self.recipient, scrub(text))


def effect_of(facts: AgentFacts, overlay: str, deed: Deed) -> Effect:
    """What the rules of both sides say of a deed: the strictest counts."""
    own = facts.effect(read_overlay(overlay), deed.action, deed.resource)
    return max(own, deed.least, key=strictness)


def is_allowed(  # noqa: PLR0913 -- whose deed it is, and all that decides on it
    tx: Tx, root: int, call: int, facts: AgentFacts, overlay: str, deed: Deed, text: str
) -> bool:
    """Whether the call may be made now. An ask rule needs a grant of the tree, or leave for this call."""
    effect = effect_of(facts, overlay, deed)
    if effect is not Effect.ASK:
        return effect is Effect.ALLOW
    return has_grant(tx, root, call, deed) or is_approved(tx, call, deed, text)


def is_still_allowed(tx: Tx, root: int, call: int, facts: AgentFacts, wish: Wish) -> bool:
    """Whether a tool's call that was judged before may be made by the rules of this moment.

    Nobody is asked any more: what needs leave by now and has none is refused.
    """
    deed = Deed(action=wish.action, resource=wish.resource, tool=wish.tool)
    return is_allowed(tx, root, call, facts, tx.tree_rights(root).overlay, deed, wish.body)


def asks_nobody(tx: Tx, root: int, policy: Policy, call: int) -> bool:
    """Whether nobody is asked before a call sends: its policy holds what needs leave; or nobody attends the
    tree, nor one that has a say over it, and the policy says whether it then goes or is held.
    """
    if policy.asks_hold:
        return mode_over(tx, root, call) is ApprovalMode.ASK
    if policy.unattended_sends == "ask" or tx.tree_rights(root).attended:
        return False
    return not any(tx.tree_rights(beside).attended for beside in trees_beside(tx, call))


def mode_over(tx: Tx, root: int, call: int) -> ApprovalMode:
    """Who decides what a call needs leave for. Where the trees that have a say over it differ, the person."""
    modes = {tx.tree_rights(tree).mode for tree in (root, *trees_beside(tx, call))}
    return ApprovalMode(modes.pop()) if len(modes) == 1 else ApprovalMode.ASK


def has_grant(tx: Tx, root: int, call: int, deed: Deed) -> bool:
    """Whether the person has allowed it for the tree, and for each other that has a say over the call."""
    return is_granted(tx, root, deed) and all(
        is_granted(tx, beside, deed) for beside in trees_beside(tx, call)
    )


def trees_beside(tx: Tx, call: int) -> list[SessionKey]:
    """The trees beside its own that have a say over a call: of all by whose word its turn does what it does.
    An ask that is one in these is not answered by the rights of another.
    """
    sender = tx.sender_of_call(call)
    if sender is None or not tx.policy(sender.policy).limits_by_caller:
        return []
    rows = (tx.branch_row(branch) for branch in _behind(tx, sender.turn))
    roots = dict.fromkeys(tx.session_row(row.session).root for row in rows)
    return [root for root in roots if root != sender.root]


def _behind(tx: Tx, turn: TurnKey) -> Iterator[BranchKey]:
    """The agents that made the one of a turn, and that let it run as another profile; and those behind them,
    as they were in the turns in which they did so.
    """
    found, seen = [turn], set[TurnKey]()
    while found:
        row = tx.turn_row(found.pop())
        if row is None or row.turn in seen:
            continue
        seen.add(row.turn)
        for branch, at in filter(None, (_maker(tx, row), _lender(tx, row))):
            yield branch
            found.append(at)


def _maker(tx: Tx, row: TurnRow) -> tuple[BranchKey, TurnKey] | None:
    call = tx.maker_call(row.branch)
    maker = None if call is None else tx.sender_of_call(call)
    return None if maker is None else (maker.branch, maker.turn)


def _lender(tx: Tx, row: TurnRow) -> tuple[BranchKey, TurnKey] | None:
    """The agent that has said as whom a turn runs."""
    opener = row.task or row.answers
    if opener is None or not tx.terms_of_message(opener).profile:
        return None
    writer = tx.sender_of_message(opener)
    return None if writer.branch is None or writer.turn is None else (writer.branch, writer.turn)


def is_granted(tx: Tx, root: int, deed: Deed) -> bool:
    """Whether the person has allowed it for the tree."""
    key = (deed.action, deed.resource, deed.recipient, deed.tool)
    return any((g.action, g.resource, g.recipient, g.tool) == key for g in tx.live_grants(root))


def is_approved(tx: Tx, call: int, deed: Deed, text: str) -> bool:
    """Whether this very call has leave, with this text."""
    return any(ask.state == AskState.APPROVED and deed.is_of(ask, text) for ask in tx.asks_of_call(call))
