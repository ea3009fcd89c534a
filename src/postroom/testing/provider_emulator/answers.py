"""What the emulated model says, in no vendor's form, and the pieces a stream of it is made of."""

from collections.abc import Iterator
from dataclasses import dataclass

from postroom.llm.port import Json
from postroom.rules.text import CHARS_PER_TOKEN
from postroom.testing.provider_emulator.prefix_cache import Counted

_PIECES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCall:
    """One call as the provider sends it. `number` counts the calls of the answer from 0."""

    id: str
    tool: str
    arguments: str
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer in full. `finish` is one of `Finish` or the vendor's own word; empty means usual.

    `key` signs reasoning, `prefix` is the digest of the conversation that the answer ends.
    """

    number: int
    model: str
    text: str
    reasoning: str
    calls: tuple[AnsweredCall, ...]
    finish: str
    counted: Counted
    with_usage: bool = True
    key: str = ""
    prefix: bytes = b""
    dropped: tuple[Json, ...] = ()

    @property
    def output_tokens(self) -> int:
        """Tokens of text and arguments by the rough measure of the strict check."""
        written = len(self.text) + sum(len(call.arguments) for call in self.calls)
        return -(-written // CHARS_PER_TOKEN)

    @property
    def reasoning_tokens(self) -> int:
        """Tokens of the reasoning by the same measure."""
        return -(-len(self.reasoning) // CHARS_PER_TOKEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a stream. `of` says what it carries: start, reasoning, text, call, finish, usage, mark."""

    of: str
    data: bytes


def parts(text: str) -> Iterator[str]:
    """The text in a few parts of about the same length, none of them empty."""
    step = max(1, -(-len(text) // _PIECES))
    return (text[start : start + step] for start in range(0, len(text), step))
