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

CALLS = 4
NODES_OF_TASK = 2 * CALLS + 2
"""A mail, four calls with their results, an answer: what one task leaves in a conversation."""
ARGUMENTS = '{"what": "the weather in the town of the letter", "days": 3}'


def add_mail(tx: Tx, root: Person, sender: Worker, to: Worker, count: int, mode: Mode = Mode.QUEUE) -> None:
    """Mail that waits for its recipient."""
    for _ in range(count):
        _post(tx, root.chain, sender, to, mode)


def add_history(tx: Tx, root: Person, sender: Worker, worker: Worker, nodes: int) -> None:
    """Tasks that were given by mail and answered, all in the worker's running turn."""
    assert worker.turn is not None
    turn, head = worker.turn, tx.head_of(worker.branch)
    for _ in range(nodes // NODES_OF_TASK):
        head = _mail(tx, root.chain, sender, worker, turn, head)
        for _ in range(CALLS):
            turn = replace(turn, rounds=turn.rounds + 1)
            head = _call(tx, worker, turn, head)
        turn = replace(turn, rounds=turn.rounds + 1)
        head = _answer(tx, worker, turn, head, BODY_512, [])
    if head is not None:
        tx.move_head(worker.session, worker.branch, head, turn.key, 0)
    worker.turn = turn


def _post(tx: Tx, chain: ChainKey, sender: Worker, to: Worker, mode: Mode) -> MessageKey:
    letter = Letter(
        kind=Kind.MAIL, mode=mode, body=BODY_512, chain=chain, sender=sender.branch,
        sender_session=sender.session, sender_address=sender.handle,
    )  # fmt: skip
    message, _ = tx.post(letter, tx.recipient_by_branch(sender.branch, to.branch), "running")
    return message


def _mail(tx: Tx, chain: ChainKey, sender: Worker, to: Worker, turn: Turn, head: NodeKey | None) -> NodeKey:
    """A mail that was read and answered."""
    message, round_ = _post(tx, chain, sender, to, Mode.STEER), turn.rounds + 1
    parts = json.dumps(asdict(MailFacts(kind=Kind.MAIL, sender=sender.handle, hint=True)))
    node = tx.append_node(
        to.session, head, Role.USER, Provenance.AGENT, parts, turn.key, round_, message, root_of=to.branch
    )
    tx.claim(to.session, tx.accepted(to.branch, 1)[0].delivery, turn.key, node)
    tx.consume(to.session, tx.claimed(turn.key)[0], turn.key, round_)
    return node


def _call(tx: Tx, worker: Worker, turn: Turn, head: NodeKey) -> NodeKey:
    """An answer with one call, and the node of its result."""
    call = tx.insert_call(turn.key, turn.rounds, 0, "call_0", "look", ARGUMENTS)
    node = _answer(tx, worker, turn, head, "I look it up.", [["look", ARGUMENTS]])
    tx.end_call(worker.session, turn.key, call.key, EndedBy.TOOL, BODY_512, is_error=False)
    return tx.append_node(worker.session, node, Role.TOOL, Provenance.SYSTEM, "{}", turn.key, turn.rounds)


def _answer(tx: Tx, worker: Worker, turn: Turn, head: NodeKey, text: str, calls: list[list[str]]) -> NodeKey:
    content = {"text": text, "calls": calls, "provider": "bench", "provider_parts": None}
    parts = json.dumps(content)
    return tx.append_node(
        worker.session, head, Role.ASSISTANT, Provenance.AGENT, parts, turn.key, turn.rounds
    )
