"""Node: one immutable item of a branch's conversation."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Final, NamedTuple

from postroom.domain.keys import MessageKey, NodeKey, TurnKey
from postroom.errors import StoreNewer


class Role(StrEnum):
    """What a node is in a request."""

    USER = "user"  # text of the person or an agent, or a notice
    ASSISTANT = "assistant"
    TOOL = "tool"
    SUMMARY = "summary"  # stands for what it covers; only the newest on a path counts
    ATTACH = "attach"  # points from a spawning answer to the branch that it made; on nobody's path


SAID = frozenset({Role.USER, Role.ASSISTANT, Role.SUMMARY})
"""Roles that say something: what `node.said` counts, and what a reader numbers as a conversation's turns."""


class Provenance(StrEnum):
    """Whose text it is, never guessed from the text (G10)."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"
    PLUGIN = "plugin"
    MIXED = "mixed"  # the person and agents, joined; the record keeps the parts apart


class Node(NamedTuple):
    """`parts` is JSON; for mail it holds the rendering facts only, the body stays in the message (G12).

    Several messages may share a node: then `message` is none, and `body` is a JSON list of theirs (`Part`).
    A named tuple, because a request is built from ten thousand of them.
    """

    key: NodeKey
    role: Role
    provenance: Provenance
    parts: str
    message: MessageKey | None
    body: str | None
    turn: TurnKey
    round: int


class CallResult(NamedTuple):
    """The one result of a call, as its tool node shows it."""

    turn: TurnKey
    round: int
    position: int
    tool: str
    text: str | None
    is_error: int
    images: str | None = None
    """JSON list of pictures, each its `media_type` and its `data` in base64."""
    changed_by: str | None = None
    """The hooks that put other arguments in the place of the model's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailFacts:
    """All that rendering one delivery needs, fixed when it is claimed, so a request never changes."""

    kind: str
    sender: str = ""
    hint: bool = False
    limit_chars: int = 32_768
    outcome: str = ""
    task: str = ""
    """What it is about: the id of a task, or of the message that it answers."""
    letter: str = ""
    """The id by which the whole of its text is read, where it may not be shown whole; empty: `task`."""
    description: str = ""
    code: str = ""
    name: str = ""
    """The sender's name, where the reader's surface shows one."""
    owes: bool = False
    """Whether what the turn says last goes back to the sender by itself."""
    style: str = "tree"
    """Whose envelope it gets: the `addressing` of the reader's policy."""
    where: str = ""
    """Where the whole of a text is kept that is shown by head and tail; empty: with its message only."""
    attached: bool = False
    """Whether it came back from a branch that the reader made."""
    n: int = 0
    """Its number in the reader's mailbox, where the reader's surface shows one."""
    at_us: int = 0
    """When it was written."""
    age_s: int = 0
    """How old it was when it entered the conversation."""
    rounds: int = 0
    """How many answers its reader had given by then since it was accepted."""
    answers: int = 0
    """The mail that it answers, by its number in the mailbox of who answers."""
    batch: str = ""
    """Of the first of several that entered together: how many of how many that waited."""
    joins: bool = False
    """Whether it stands in one item with the one before it, because both entered together."""
    replayed: bool = False
    """Whether it was written before its reader began."""


_USUAL: Final = {fact.name: fact.default for fact in fields(MailFacts)}


def stored(facts: MailFacts) -> str:
    """The JSON that a node keeps of them, without what is as usual: most mail is alike, and decoded once."""
    values = ((name, getattr(facts, name)) for name in _USUAL)
    return json.dumps({name: value for name, value in values if value != _USUAL[name]})


class Part(NamedTuple):
    """One message of a node that several share."""

    message: MessageKey
    facts: MailFacts
    body: str


_JOINED = '{"parts": '
_JOINS = '"joins": true'


def is_joined(parts: str) -> bool:
    """Whether several messages share the node with these parts."""
    return parts.startswith(_JOINED)


def joins_last(parts: str) -> bool:
    """Whether the node with these parts stands in one item with the one before it."""
    return _JOINS in parts


def joined(shared: Sequence[Part]) -> tuple[str, str]:
    """The `parts` and the `body` of a node that these messages share."""
    facts = [{"message": one.message, **json.loads(stored(one.facts))} for one in shared]
    return json.dumps({"parts": facts}), json.dumps([one.body for one in shared])


def parts_of(parts: str, body: str | None = None) -> tuple[Part, ...]:
    """The messages that share a node, in the order in which they are read; without `body`, without texts."""
    listed: list[dict[str, object]] = json.loads(parts)["parts"]
    bodies: list[str] = json.loads(body) if body else [""] * len(listed)
    return tuple(_part(dict(one), text) for one, text in zip(listed, bodies, strict=True))


def messages_in(parts: str) -> tuple[MessageKey, ...]:
    """The messages that share a node; none where it shows one."""
    listed: list[dict[str, object]] = json.loads(parts)["parts"] if is_joined(parts) else []
    return tuple(MessageKey(int(str(one["message"]))) for one in listed)


def facts_of(parts: str) -> MailFacts:
    """How a node of mail is rendered; of one that several messages share, how the first of them is."""
    found: dict[str, object] = json.loads(parts)
    if is_joined(parts):
        found = dict(json.loads(parts)["parts"][0])
        found.pop("message")
    return _known(found)


def said(parts: str, body: str | None) -> str:
    """What a node of mail says, without an envelope: a paragraph for each message."""
    return "\n\n".join(one.body for one in parts_of(parts, body)) if body and is_joined(parts) else body or ""


def _part(facts: dict[str, object], body: str) -> Part:
    message = MessageKey(int(str(facts.pop("message"))))
    return Part(message, _known(facts), body)


def _known(facts: dict[str, object]) -> MailFacts:
    """What this version knows of them. The rest is how a text is shown, not whether, and is passed over."""
    return MailFacts(**{name: value for name, value in facts.items() if name in _FACTS})  # pyright: ignore[reportArgumentType] -- what a take wrote


_FACTS: Final = frozenset(fact.name for fact in fields(MailFacts))


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFacts:
    """The parts of a summary: its text, and what of the path before it is still sent beside it."""

    text: str
    through: int
    """The node up to which it stands for everything, older summaries included."""
    keeps: list[int] = field(default_factory=list[int])
    """Nodes up to there that are sent as they are: mail that no answer has read, and what opened the turn."""
    answers: int = 0
    """How many answers it stands for."""
    open: list[str] = field(default_factory=list[str])
    """What its agent had going when it was written, each on one line: tasks, then work."""


def summary_of(parts: str) -> SummaryFacts:
    """What a summary stands for, by its node.

    Raises `StoreNewer` for a field that this version does not know: it may name what is to be sent still, and
    whoever passed over it could lose mail.
    """
    found: dict[str, object] = json.loads(parts)
    for name in found.keys() - {known.name for known in fields(SummaryFacts)}:
        msg = f"a summary in this store has the field {name!r}, which this Postroom does not know"
        raise StoreNewer(msg, remedy="upgrade Postroom; nothing was changed")
    return SummaryFacts(**found)  # pyright: ignore[reportArgumentType] -- what a compaction wrote
