"""Refusals that say nothing: whom a sender may not reach reads like what is not there (systems.md 4.6).

It must cost the same, too. Whatever an id names, the same statements run: who has it, who the sender is, what
policy decides, and how the two stand to each other. Where nothing has the id, the sender is looked at in its
place, and the answer thrown away (docs/why/0039). The true reason goes to the operator's log.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from postroom.domain.event import EventKind, actor_of
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Refusal
from postroom.rules import naming
from postroom.rules.permissions import Effect, read_overlay
from postroom.rules.reach import Why
from postroom.service.facts import AgentFacts
from postroom.service.meeting import reach_of, vantage_of
from postroom.store.rows import RecipientRow, SenderRow
from postroom.store.tx import Tx

_ALIKE: Final[Mapping[Code, Code]] = {
    Code.PERMISSION_DENIED: Code.NOT_FOUND,
    Code.APPROVAL_EXPIRED: Code.NOT_FOUND,
    Code.ARCHIVED: Code.NOT_FOUND,
    Code.INBOX_FULL: Code.MAILBOX_FULL,
    Code.INFLIGHT_FULL: Code.MAILBOX_FULL,
    Code.MAILBOX_LIMIT: Code.MAILBOX_FULL,
}
"""What is told in the place of codes that would say how the recipient stands, or that it is there."""


def find_masked(
    tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None, *, archived: bool = False
) -> RecipientRow | Refusal:
    """The session that an id names, if the sender may reach it; else `not_found`, always at the same cost.

    `archived`: an archived one and the sender's own are meant, too.
    """
    found = tx.recipient_by_public_id(sender.branch, to.lower() if naming.is_uuid(to) else "")
    own = tx.recipient_by_branch(sender.branch, sender.branch)
    judged = found or own
    tx.load_policy(judged.policy)
    reach = reach_of(tx, vantage_of(sender), vantage_of(judged))
    if found is None:
        return _nobody(Why.ABSENT)
    if found.branch == sender.branch:
        return found if archived else _nobody(Why.SELF)
    if reach.effect is Effect.DENY:
        return _nobody(reach.why or Why.ABSENT)
    if found.archived_us is not None and not archived:
        return _nobody(Why.ARCHIVED)
    return found if _rules_allow(sender, facts, found) else _nobody(Why.RULES)


def _nobody(why: Why) -> Refusal:
    return Refusal(code=Code.NOT_FOUND, why=why)


def _rules_allow(sender: SenderRow, facts: AgentFacts | None, to: RecipientRow) -> bool:
    """Whether its rules deny it for good. Where they want leave, that is asked for later."""
    if facts is None:
        return True
    label = naming.relation(sender.branch, sender.parent_branch, to.branch, to.parent_branch)
    return facts.effect(read_overlay(sender.overlay), "message", label) is not Effect.DENY


def masked(policy: Policy, refusal: Refusal) -> Refusal:
    """A refusal as a sender of this policy reads it, with the true reason beside it."""
    told = _ALIKE.get(refusal.code) if policy.refusals == "masked" else None
    if told is None:
        return refusal
    facts = refusal.facts if told is Code.MAILBOX_FULL else dict[str, str | int]()
    return replace(refusal, code=told, facts=facts, why=refusal.why or str(refusal.code))


def log_true_reason(tx: Tx, sender: SenderRow, call: int, refusal: Refusal) -> None:
    """`message.masked` in the sender's log, if the refusal does not say why. No agent ever reads it."""
    if refusal.why:
        event = f'{{"call":{call},"why":"{refusal.why}"}}'
        tx.event(
            sender.session, EventKind.MESSAGE_MASKED, event, actor=actor_of(sender.branch), turn=sender.turn
        )
