"""Long conversations and full mailboxes, written with the statements that turns use."""

import json
from dataclasses import asdict, replace

from benches.world import BODY_512, Person, Worker
from postroom.domain.keys import ChainKey, MessageKey, NodeKey
from postroom.domain.message import Kind, Mode
from postroom.domain.node import MailFacts, Provenance, Role
from postroom.domain.turn import EndedBy, Turn
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

NODES_PER_ROUND = 4
ARGUMENTS = '{"what": "the weather in the town of the letter", "days": 3}'


def add_mail(tx: Tx, root: Person, sender: Worker, to: Worker, count: int, mode: Mode = Mode.QUEUE) -> None:
    """Mail that waits for its recipient."""
    for _ in range(count):
        _post(tx, root.chain, sender, to, mode)


def add_history(tx: Tx, root: Person, sender: Worker, worker: Worker, nodes: int) -> None:
    """Rounds of a mail, a call, its result and an answer, all in the worker's running turn."""
    assert worker.turn is not None
    turn, head = worker.turn, tx.head_of(worker.branch)
    for round_ in range(1, nodes // NODES_PER_ROUND + 1):
        head = _mail(tx, root.chain, sender, worker, turn, round_, head)
        head = _call(tx, worker, turn, round_, head)
        head = _answer(tx, worker, turn, round_, head)
    if head is not None:
        tx.move_head(worker.session, worker.branch, head, turn.key, 0)
    worker.turn = replace(turn, rounds=nodes // NODES_PER_ROUND)


def _post(tx: Tx, chain: ChainKey, sender: Worker, to: Worker, mode: Mode) -> MessageKey:
    letter = Letter(
        kind=Kind.MAIL, mode=mode, body=BODY_512, chain=chain, sender=sender.branch,
        sender_session=sender.session, sender_address=sender.handle,
    )  # fmt: skip
    message, _ = tx.post(letter, tx.recipient_by_branch(sender.branch, to.branch), "running")
    return message


def _mail(
    tx: Tx, chain: ChainKey, sender: Worker, to: Worker, turn: Turn, round_: int, head: NodeKey | None
) -> NodeKey:
    """A mail that was read and answered."""
    message = _post(tx, chain, sender, to, Mode.STEER)
    parts = json.dumps(asdict(MailFacts(kind=Kind.MAIL, sender=sender.handle, hint=True)))
    node = tx.append_node(to.session, head, Role.USER, Provenance.AGENT, parts, turn.key, round_, message)
    tx.claim(to.session, tx.accepted(to.branch, 1)[0].delivery, turn.key, node)
    tx.consume(to.session, tx.claimed(turn.key)[0], turn.key, round_)
    return node


def _call(tx: Tx, worker: Worker, turn: Turn, round_: int, head: NodeKey) -> NodeKey:
    """An answer with one call, and the node of its result."""
    call = tx.insert_call(turn.key, round_, 0, "call_0", "look", ARGUMENTS)
    node = _answer(tx, worker, turn, round_, head, [["look", ARGUMENTS]])
    tx.end_call(worker.session, turn.key, call.key, EndedBy.TOOL, BODY_512, is_error=False)
    return tx.append_node(worker.session, node, Role.TOOL, Provenance.SYSTEM, "{}", turn.key, round_)


def _answer(
    tx: Tx, worker: Worker, turn: Turn, round_: int, head: NodeKey, calls: list[list[str]] | None = None
) -> NodeKey:
    content = {"text": BODY_512, "calls": calls or [], "provider": "bench", "provider_parts": None}
    return tx.append_node(
        worker.session, head, Role.ASSISTANT, Provenance.AGENT, json.dumps(content), turn.key, round_
    )
