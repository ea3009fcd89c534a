"""What was promised outside the store: receipts, requests and signs, one JSON object a line.

It lies beside the store's folder and is flushed before anybody goes on, so that "told the person,
then forgot" is seen after a kill. Several lives of one scenario write to the same journal.
"""

import asyncio
import hashlib
import json
import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias, cast

from postroom.domain.receipt import Receipt
from postroom.llm.port import Item, Json, ModelRequest, Purpose

NAME = "journal.jsonl"
RECEIPT = re.compile(r"^(?:message_id: |\[message (?:accepted|held)\] id=)(\S+)$", re.MULTILINE)
Entry: TypeAlias = Mapping[str, Json]


def digest(item: Item) -> str:
    """A short name of one item of a request: equal items have equal names."""
    return hashlib.blake2b(repr(item).encode(), digest_size=8).hexdigest()


def texts(value: Json) -> list[str]:
    """The texts of a list in an entry."""
    return [str(each) for each in value] if isinstance(value, list) else []


class Journal:
    """The journal of one store. `first` says that nobody wrote to it before this process."""

    def __init__(self, folder: Path) -> None:
        self.path = folder.parent / f"{folder.name}.{NAME}"
        self.first = not self.path.exists()
        self.may_go = threading.Event()

    def note(self, kind: str, **facts: Json) -> None:
        """Append one entry; on the disk when this returns."""
        line = json.dumps({"note": kind, **facts}) + "\n"
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(fd, line.encode())
            os.fsync(fd)
        finally:
            os.close(fd)

    def told(self, client_id: str, body: str, receipt: Receipt) -> None:
        """The person has this receipt."""
        self.note("told", client_id=client_id, body=body, message_id=receipt.message_id)

    def asked(self, request: ModelRequest) -> None:
        """A model has been asked this; the receipts that it reads count as promised."""
        items: list[Json] = [digest(item) for item in request.items]
        receipts: list[Json] = [found for item in request.items for found in RECEIPT.findall(item.text)]
        kind = "asked" if request.purpose is Purpose.TURN else "asked aside"
        self.note(kind, agent=request.agent, branch=request.branch, items=items, receipts=receipts)

    def sign(self, name: str) -> None:
        """Tell whoever started this process that it is this far; what follows may be a kill."""
        print(name, flush=True)  # noqa: T201 -- the parent reads this line

    async def wait_for_go(self) -> None:
        """Wait until the parent says `Child.go`; no deadline: without a parent there is no child."""
        await asyncio.to_thread(self.may_go.wait)

    def receipts(self) -> list[str]:
        """The message ids that models were given."""
        return sorted({r for entry in self.entries("asked") for r in texts(entry["receipts"])})

    def entries(self, kind: str | None = None) -> list[Entry]:
        """Every entry, or those of one kind, oldest first; nothing when there is no journal."""
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8").splitlines()
        entries = [cast("Entry", json.loads(line)) for line in lines]
        return [entry for entry in entries if kind in (None, entry["note"])]

    def has(self, kind: str, **facts: Json) -> bool:
        """Whether such an entry stands in it."""
        return any(all(entry.get(k) == v for k, v in facts.items()) for entry in self.entries(kind))
