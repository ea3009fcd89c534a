"""Whether a call may do what it is about to do: rules, then grants, then what the person said to it."""

from dataclasses import dataclass

from postroom.domain.ask import Ask, AskState
from postroom.domain.keys import BranchKey
from postroom.domain.policy import Policy
from postroom.rules.permissions import Effect, read_overlay
from postroom.rules.text import scrub
from postroom.service.facts import AgentFacts
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

    def is_of(self, ask: Ask, text: str) -> bool:
        """Whether this ask was about it, with this very text: a hook may have put another in its place."""
        asked = (ask.action, ask.resource, ask.tool, ask.recipient, ask.text)
        return asked == (self.action, self.resource, self.tool, self.recipient, scrub(text))


def is_allowed(  # noqa: PLR0913 -- whose deed it is, and all that decides on it
    tx: Tx, root: int, call: int, facts: AgentFacts, overlay: str, deed: Deed, text: str
) -> bool:
    """Whether the call may be made now. An ask rule needs a grant of the tree, or leave for this call."""
    effect = facts.effect(read_overlay(overlay), deed.action, deed.resource)
    if effect is not Effect.ASK:
        return effect is Effect.ALLOW
    return is_granted(tx, root, deed) or is_approved(tx, call, deed, text)


def is_still_allowed(tx: Tx, root: int, call: int, facts: AgentFacts, wish: Wish) -> bool:
    """Whether a tool's call that was judged before may be made by the rules of this moment.

    Nobody is asked any more: what needs leave by now and has none is refused.
    """
    deed = Deed(action=wish.action, resource=wish.resource, tool=wish.tool)
    return is_allowed(tx, root, call, facts, tx.tree_rights(root).overlay, deed, wish.body)


def asks_nobody(tx: Tx, root: int, policy: Policy) -> bool:
    """Whether nobody is asked before a send in this tree: nobody attends it, and the sender's policy says
    whether it then goes or is held.
    """
    return policy.unattended_sends != "ask" and not tx.tree_rights(root).attended


def is_granted(tx: Tx, root: int, deed: Deed) -> bool:
    """Whether the person has allowed it for the tree."""
    key = (deed.action, deed.resource, deed.recipient, deed.tool)
    return any((g.action, g.resource, g.recipient, g.tool) == key for g in tx.live_grants(root))


def is_approved(tx: Tx, call: int, deed: Deed, text: str) -> bool:
    """Whether this very call has leave, with this text."""
    return any(ask.state == AskState.APPROVED and deed.is_of(ask, text) for ask in tx.asks_of_call(call))
