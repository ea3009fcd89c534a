"""Which part of a request the provider has seen before: prompt caching, counted from what really came.

A prefix is known by a digest over everything in it, so a single changed byte makes all after it new.
"""

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from postroom.rules.text import CHARS_PER_TOKEN

# So many blocks before a marker are tried as well: the vendor's documentation of prompt caching.
_LOOK_BACK = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of a request in the order the model reads it. `marked`: the prefix up to here is kept."""

    content: bytes
    chars: int
    marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Tokens of one request: read from the cache, written to it, and neither."""

    fresh: int
    read: int = 0
    written: int = 0

    @property
    def total(self) -> int:
        """All tokens of the request."""
        return self.fresh + self.read + self.written


def tokens_of(segments: Sequence[Segment]) -> int:
    """The size of a request by the rough measure of the strict check."""
    return -(-sum(each.chars for each in segments) // CHARS_PER_TOKEN)


@dataclass(slots=True)
class PrefixCache:
    """The prefixes seen so far, by model. Nothing is forgotten: tests are shorter than any lifetime."""

    _seen: set[tuple[str, bytes]] = field(default_factory=set[tuple[str, bytes]])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, model: str, segments: Sequence[Segment], *, least_tokens: int) -> Counted:
        """Count the request and remember its marked prefixes of at least `least_tokens`."""
        total = tokens_of(segments)
        prefixes = _prefixes(segments)
        marked = [
            number
            for number, segment in enumerate(segments)
            if segment.marked and prefixes[number][1] >= least_tokens
        ]
        if not marked:
            return Counted(fresh=total)
        with self._lock:
            read = max((self._known(model, prefixes, number) for number in marked), default=0)
            self._seen.update((model, prefixes[number][0]) for number in marked)
        end = prefixes[marked[-1]][1]
        return Counted(fresh=total - end, read=read, written=end - read)

    def _known(self, model: str, prefixes: list[tuple[bytes, int]], last: int) -> int:
        """The tokens of the longest known prefix that ends at this marker or a little before."""
        for number in range(last, max(-1, last - _LOOK_BACK), -1):
            digest, tokens = prefixes[number]
            if (model, digest) in self._seen:
                return tokens
        return 0


def _prefixes(segments: Sequence[Segment]) -> list[tuple[bytes, int]]:
    """Digest and tokens of every prefix, shortest first."""
    running = hashlib.sha256()
    chars = 0
    found: list[tuple[bytes, int]] = []
    for segment in segments:
        running.update(b"%d:" % len(segment.content))
        running.update(segment.content)
        chars += segment.chars
        found.append((running.digest(), -(-chars // CHARS_PER_TOKEN)))
    return found
