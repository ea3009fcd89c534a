"""What a child inherits: the newest texts of its parent's conversation, copied once, as an agent's text.

The copy is a notice of its own that the child reads in front of its task, so the prompt stays what was
sent. Whoever wrote a text is named beside it, but nothing in a copy is the person speaking (G10).
"""

import json
from collections.abc import Iterator
from dataclasses import asdict

from postroom.domain.event import actor_of
from postroom.domain.keys import BranchKey
from postroom.domain.message import Kind, Mode
from postroom.domain.node import MailFacts, Node, Provenance, Role, SummaryFacts, facts_of, said, summary_of
from postroom.rules.envelope import INHERITED
from postroom.rules.inherited import Text, newest
from postroom.rules.permissions import read_overlay
from postroom.rules.text import CHARS_PER_TOKEN
from postroom.service.facts import AgentFacts
from postroom.service.receipts import address_of_sender
from postroom.store.rows import SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

CONTEXT_BYTES_MAX = 64 * 1024
"""What a child inherits at most (systems.md 3.8)."""
NODES_MAX = 4096
"""How far back a conversation is looked through: 64 KiB in texts of 16 bytes."""
_COPIED = frozenset({Kind.USER, Kind.PROMPT, Kind.MAIL, Kind.RESULT})
"""Texts of people and agents. What the runtime says, and what was inherited itself, is left out."""


def post_context(tx: Tx, sender: SenderRow, child: BranchKey, prompt: str, facts: AgentFacts) -> None:
    """Put the copy into the child's mailbox, in front of its task; an empty conversation leaves no copy.

    It is no message of the call: that is the task.
    """
    copied = newest(_texts(tx, sender), _limit_bytes(sender, prompt, facts))
    if not copied.texts:
        return
    shown = json.dumps(asdict(MailFacts(kind=INHERITED)))
    letter = Letter(
        kind=Kind.NOTICE, mode=Mode.STEER, body=copied.dump(), facts=shown,
        chain=sender.chain, sender=sender.branch, sender_session=sender.session,
        sender_address=address_of_sender(tx, sender), sender_turn=sender.turn,
        task=sender.task, generations=sender.generations + 1, actor=actor_of(sender.branch),
    )  # fmt: skip
    tx.post(letter, tx.recipient_by_branch(sender.branch, child), "queued")


def _limit_bytes(sender: SenderRow, prompt: str, facts: AgentFacts) -> int:
    """Never more than a quarter of the child's window, nor than half of what its task leaves free."""
    reserve = facts.seen(read_overlay(sender.overlay)).reserve_tokens
    free = (facts.window_tokens - reserve) * CHARS_PER_TOKEN - len(prompt)
    return max(min(CONTEXT_BYTES_MAX, facts.window_tokens * CHARS_PER_TOKEN // 4, free // 2), 0)


def _texts(tx: Tx, sender: SenderRow) -> Iterator[Text]:
    """The texts of the parent's conversation as it reads them, newest first, each with who wrote it."""
    head, own = tx.head_of(sender.branch), address_of_sender(tx, sender)
    summary: SummaryFacts | None = None
    for node in tx.newest_texts(head, NODES_MAX) if head else ():
        if summary is not None and node.key <= summary.through:
            break
        if node.role == Role.SUMMARY:
            summary = summary or summary_of(node.parts)
            continue
        text = _text(node, own)
        if text is not None and text.text:
            yield text
    if summary is not None:
        yield Text(own, summary.text)


def _text(node: Node, own: str) -> Text | None:
    parts = json.loads(node.parts)
    if node.role == Role.ASSISTANT:
        return Text(own, str(parts["text"]))
    facts = facts_of(node.parts) if node.role == Role.USER else None
    if facts is None or facts.kind not in _COPIED:
        return None
    by = "user" if node.provenance == Provenance.USER else facts.sender
    return Text(by, said(node.parts, node.body))
