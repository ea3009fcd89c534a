"""Whether a message may enter a mailbox: what its sender may do, and what sender and recipient have left.

Asked at every accept, on what is read then: by a send, and by a held message that has got leave.
"""

from dataclasses import dataclass

from postroom.domain.keys import CallKey
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Refusal
from postroom.rules import guards
from postroom.rules.permissions import Effect
from postroom.service.facts import AgentFacts, Directory
from postroom.service.meeting import reach_of, relation_of, vantage_of
from postroom.service.receipts import address_of
from postroom.service.rights import Deed, asks_nobody, effect_of, is_allowed
from postroom.store.rows import RecipientRow, SenderRow
from postroom.store.tx import Tx

SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A message that is about to be accepted, as its rights and guards look at it."""

    call: CallKey
    body: str
    tool: str
    profile: str = ""
    """As whom the recipient is to run; empty: as itself."""
    is_group: bool = False
    """Whether others get it, too: then nobody was asked before, and what needs leave is held."""


def deed_of(tx: Tx, sender: SenderRow, to: RecipientRow, tool: str) -> Deed:
    """What a send is to rules, grants and asks; the recipient's side may want leave as well."""
    own = vantage_of(sender)
    label = relation_of(tx, own, sender.parent_branch, to)
    least = reach_of(tx, own, vantage_of(to)).effect
    return Deed(action="message", resource=label, recipient=to.branch, tool=tool, least=least)


def check_rights(
    tx: Tx, sender: SenderRow, to: RecipientRow, intent: Intent, facts: AgentFacts | None,
    directory: Directory,
) -> Refusal | None:  # fmt: skip
    """The rights of this moment. Leave that a rule wants was asked for before this call was made (CK-6)."""
    deed = deed_of(tx, sender, to, intent.tool)
    if facts is None or not _may_send(tx, sender, facts, deed, intent):
        return Refusal(
            code=Code.PERMISSION_DENIED,
            facts={"to": address_of(tx, to, sender.policy), "relation": deed.resource},
        )
    if not intent.profile or intent.profile == to.profile:
        return None
    return _may_run_as(tx, sender, to, intent, facts, directory)


def _may_send(tx: Tx, sender: SenderRow, facts: AgentFacts, deed: Deed, intent: Intent) -> bool:
    if is_allowed(tx, sender.root, intent.call, facts, sender.overlay, deed, intent.body):
        return True
    effect = effect_of(facts, sender.overlay, deed)
    policy = tx.policy(sender.policy)
    is_asked_later = intent.is_group and policy.asks_hold
    return effect is Effect.ASK and (is_asked_later or asks_nobody(tx, sender.root, policy, intent.call))


def _may_run_as(
    tx: Tx, sender: SenderRow, to: RecipientRow, intent: Intent, facts: AgentFacts, directory: Directory
) -> Refusal | None:
    """To let somebody run as a profile is to use that profile, which is a right of its own."""
    if directory(to.team, intent.profile) is None:
        return Refusal(code=Code.UNKNOWN_PROFILE, facts={"profile": intent.profile})
    deed = Deed(action="delegate", resource=intent.profile, tool=intent.tool)
    if is_allowed(tx, sender.root, intent.call, facts, sender.overlay, deed, intent.body):
        return None
    return Refusal(code=Code.PERMISSION_DENIED, facts={"profile": intent.profile})


def check_guards(
    tx: Tx, sender: SenderRow, to: RecipientRow, body: str, *, is_held: bool = False
) -> Refusal | None:
    """Guards on numbers read in this transaction; the recipient's policy rules its mailbox.

    What is `held` counts for the cap of its pair already.
    """
    policy, recipient = tx.policy(sender.policy), tx.policy(to.policy)
    code = (
        guards.check_chain(sender.chain_now)
        or guards.check_mailbox(to.n_cap, to.n_waiting, recipient)
        or guards.check_pair(to.unacked or 0, recipient)
        or guards.check_pair_cap(_of_pair(to) - is_held, recipient)
        or guards.check_hop(sender.messages, policy)
    )
    if code is None and _has_copy(tx, sender, to, body, policy):
        code = Code.DUPLICATE
    return None if code is None else Refusal(code=code, facts={"to": address_of(tx, to, sender.policy)})


def check_hold(tx: Tx, sender: SenderRow, to: RecipientRow, body: str) -> Refusal | None:
    """What is refused at once although it would only be held: what is spent, what is asked for already, and
    what is one too many of those that the recipient's policy counts while they are held.

    What else the recipient has room for is decided when it goes.
    """
    policy = tx.policy(sender.policy)
    code = (
        guards.check_chain(sender.chain_now)
        or guards.check_pair_cap(_of_pair(to), tx.policy(to.policy))
        or guards.check_hop(sender.messages, policy)
    )
    since_us = tx.now_us - policy.duplicate_s * SECOND_US
    if code is None and policy.duplicate_s and tx.held_copy(sender.branch, to.branch, body, since_us):
        code = Code.DUPLICATE
    return None if code is None else Refusal(code=code, facts={"to": address_of(tx, to, sender.policy)})


def _of_pair(to: RecipientRow) -> int:
    return (to.unacked or 0) + (to.held or 0)


def _has_copy(tx: Tx, sender: SenderRow, to: RecipientRow, body: str, policy: Policy) -> bool:
    """The same text of the same sender lies there unread and is younger than the window (OP-42)."""
    if not policy.duplicate_s:
        return False
    since_us = tx.now_us - policy.duplicate_s * SECOND_US
    return tx.waiting_copy(to.branch, sender.branch, body, since_us) is not None
