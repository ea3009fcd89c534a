"""Node: one immutable item of a branch's conversation."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from postroom.domain.keys import MessageKey, NodeKey, TurnKey


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFacts:
    """The parts of a summary: its text, and what of the path before it is still sent beside it."""

    text: str
    through: int
    """The node up to which it stands for everything, older summaries included."""
    keeps: list[int]
    """Nodes up to there that are sent as they are: mail that no answer has read, and what opened the turn."""
    answers: int
    """How many answers it stands for."""
    open: list[str]
    """What its agent had going when it was written, each on one line: tasks, then work."""
