"""Copied texts as they are stored: who wrote each, oldest first, and whether older ones were left out."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self


class Text(NamedTuple):
    """One text of a conversation, and who wrote it: `user`, or an agent's address."""

    by: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The newest texts of a conversation, oldest of them first."""

    texts: tuple[Text, ...]
    is_cut: bool = False
    """Older text was left out, perhaps the beginning of the first one here."""

    def dump(self) -> str:
        """As it is stored: the texts are exactly what was written."""
        return json.dumps({"is_cut": self.is_cut, "texts": self.texts}, ensure_ascii=False)

    @classmethod
    def load(cls, stored: str) -> Self:
        """What `dump` gave."""
        found = json.loads(stored)
        return cls(texts=tuple(Text(by, text) for by, text in found["texts"]), is_cut=bool(found["is_cut"]))


def newest(texts: Iterable[Text], limit_bytes: int) -> Copied:
    """As many texts as fit, from the newest backwards; of the one that does not fit its end is kept."""
    kept: list[Text] = []
    room = limit_bytes
    for by, text in texts:
        size = len(text.encode())
        if size > room:
            tail = text.encode()[size - room :].decode(errors="ignore") if room else ""
            kept += [Text(by, tail)] if tail else []
            return Copied(texts=tuple(reversed(kept)), is_cut=True)
        kept.append(Text(by, text))
        room -= size
    return Copied(texts=tuple(reversed(kept)))
