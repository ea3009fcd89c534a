"""What a tool call asks to send, and what came of it."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from postroom.domain.message import Kind, Mode
from postroom.domain.receipt import Receipt, Refusal
from postroom.service.facts import Ring
from postroom.service.start import Started

Render: TypeAlias = Callable[[Receipt | Refusal], str]
"""The surface's words for the outcome: the text that the calling model reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a tool call asks to send. The sender is the call's turn, never a field (G5)."""

    call: int
    fence: int
    to: str
    body: str
    mode: Mode
    render: Render
    tool: str = "send_message"
    kind: Kind = Kind.MAIL
    """`mail`, or `task`: its end is awaited, tracked and reported."""
    profile: str = ""
    """As whom the recipient is to run; empty: as itself."""
    description: str = ""
    """Of a task: a few words for lists."""
    waits: bool = False
    """Of a task: its call goes on until it has ended, unless the task is held."""
    may_start: bool = False
    """The runtime holds a free slot of the recipient's pool: an idle recipient may start in this commit."""
    also: tuple[str, ...] = ()
    """Further recipients of the same message."""
    reply_to: int | None = None
    """The mail that it answers, by its number in the sender's own mailbox."""
    expires_in_s: int | None = None
    """After which it is not read any more by who has not begun to; none: it stays."""
    summed_up: AbstractSet[int] = frozenset()
    """Agents whose conversations are being summed up for the person: none of them starts meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The outcome, the text that is now the call's result, and what is to be looked at next."""

    outcome: Receipt | Refusal
    text: str
    ring: Ring
    started: Started | None = None
