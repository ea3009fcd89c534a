"""How branches get their names after they were made: by the person, or by a model after some turns.
Sessions are called by their first words, until the person gives them another title.

The person's name stays. A model's name is written only if at that moment the branch is neither locked nor
archived: the person may have been quicker (OP-85, OP-86).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, SessionKey, TurnKey
from postroom.domain.node import Node, Role, said
from postroom.domain.receipt import Code, Refusal
from postroom.llm.port import Purpose
from postroom.rules import names
from postroom.rules.text import is_blank
from postroom.rules.titles import AFTER_TURNS, MESSAGES, Said
from postroom.service.charging import charge
from postroom.service.side_calls import SideAnswer
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_shelf import Naming

_LOOKED_AT = 8 * MESSAGES
"""Nodes at the end of a conversation among which its last messages are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A branch by its old name and its new one."""

    branch_id: str
    before: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retitled:
    """A session by its old title and its new one."""

    session_id: str
    before: str
    title: str


class TitleEnd(StrEnum):
    """What came of a model's name."""

    NAMED = "named"
    LOCKED = "locked"  # the person has named the branch meanwhile
    ARCHIVED = "archived"  # it was archived meanwhile
    FAILED = "failed"  # no name came


@dataclass(frozen=True, slots=True, kw_only=True)
class Unnamed:
    """A branch that is to be named, and what it is named from."""

    team: str
    profile: str
    branch_id: str
    said: tuple[Said, ...]


def rename(tx: Tx, branch: BranchKey, name: str) -> Named | Refusal:
    """The person names a branch; no model names it any more. Refuses `invalid_name`."""
    if (why := names.flaw(name)) is not None:
        return Refusal(code=Code.INVALID_NAME, facts={"why": why})
    row, now = tx.branch_row(branch), tx.naming_of_branch(branch)
    tx.name_branch(row.session, branch, name, "user", locked=True, count=now.times, actor="person")
    return Named(branch_id=row.public_id, before=now.name, name=name)


def retitle(tx: Tx, session: SessionKey, title: str) -> Retitled | Refusal:
    """The person gives a session another title. Refuses `invalid_title`; `not_found` for a deleted one."""
    title = title.strip()
    if not names.is_title(title):
        return Refusal(code=Code.INVALID_TITLE)
    row = tx.session_row(session)
    if not tx.title_session(session, title):
        return Refusal(code=Code.NOT_FOUND)
    return Retitled(session_id=row.public_id, before=row.title, title=title)


def is_name_due(tx: Tx, row: TurnRow) -> bool:
    """Whether the end of this turn is one after which a model names its branch."""
    if not tx.policy(row.policy).auto_names:
        return False
    now = tx.naming_of_branch(row.branch)
    return now.turns in AFTER_TURNS and _hindered(now) is None


def unnamed(tx: Tx, turn: TurnKey) -> Unnamed | None:
    """What a turn's branch is to be named from; nothing where that was said, or the chain is spent."""
    row = tx.turn_row(turn)
    if row is None or tx.chain_of(row.chain).is_spent:
        return None
    now = tx.naming_of_branch(row.branch)
    if _hindered(now) is not None or now.head is None:
        return None
    said = tuple(_said(tx.newest_texts(now.head, _LOOKED_AT)))[:MESSAGES][::-1]
    if not said:
        return None
    return Unnamed(team=row.team, profile=row.profile, branch_id=row.branch_id, said=said)


def record_title(tx: Tx, turn: TurnKey, answer: SideAnswer, name: str | None) -> TitleEnd:
    """Charge the side call to the chain of the turn that caused it, and write the name if it still may be."""
    row = tx.turn_row(turn)
    assert row is not None  # noqa: S101 -- its key came from a row
    now = tx.naming_of_branch(row.branch)
    outcome = TitleEnd.FAILED if name is None else _hindered(now) or TitleEnd.NAMED
    event = {
        "purpose": Purpose.TITLE, "turn": turn, "call": None, "outcome": outcome, "code": answer.code,
        **charge(tx, row, answer.usage, rounds=0).facts,
    }  # fmt: skip
    tx.event(row.session, EventKind.SIDE_CALL_MADE, json.dumps(event), turn=turn)
    if name is not None and outcome is TitleEnd.NAMED:
        tx.name_branch(
            row.session, row.branch, name, "auto", locked=False, count=now.times + 1, actor="system"
        )
    return outcome


def _hindered(now: Naming) -> TitleEnd | None:
    """Why a model may not name it."""
    if now.archived_us is not None:
        return TitleEnd.ARCHIVED
    return TitleEnd.LOCKED if now.locked else None


def _said(nodes: Sequence[Node]) -> Iterator[Said]:
    """The texts among some nodes, newest first; an answer of calls alone says nothing."""
    for node in nodes:
        if node.role == Role.USER:
            one = Said(role=str(node.provenance), text=said(node.parts, node.body))
        elif node.role == Role.ASSISTANT:
            one = Said(role="assistant", text=str(json.loads(node.parts)["text"]))
        else:
            continue
        if not is_blank(one.text):
            yield one
