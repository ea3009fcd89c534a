"""Every request that a model received, in all lives of a scenario: one JSON object a line.

It lies beside the store and is read by whoever expects something. A later request of a branch holds
only what it adds, so that a long conversation does not fill the disk.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from postroom.domain.plain import Json
from postroom.llm.port import (
    AssistantItem,
    CallItem,
    Item,
    ModelRequest,
    Purpose,
    ResultItem,
    ToolSpec,
    UserItem,
)

NAME = "requests.jsonl"
Line: TypeAlias = Mapping[str, Json]
_Thread: TypeAlias = tuple[str, Purpose]
"""Branch and purpose: what a request may continue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """One request and what was wrong with it."""

    request: ModelRequest
    flaw: str


class Journal:
    """The journal of one scenario; `note` it, or read it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._last: dict[_Thread, list[Json]] = {}
        for noted in self.read():
            self._last[_thread(noted.request)] = [_as_json(item) for item in noted.request.items]

    def note(self, request: ModelRequest, flaw: str) -> None:
        """Append one request. A process that is killed after this has written it."""
        items = [_as_json(item) for item in request.items]
        last = self._last.get(_thread(request), [])
        continues = items[: len(last)] == last
        line: dict[str, Json] = {
            "agent": request.agent, "branch": request.branch, "purpose": request.purpose,
            "continues": continues, "items": items[len(last) :] if continues else items,
            "tools": [tool.name for tool in request.tools], "flaw": flaw,
        }  # fmt: skip
        self._last[_thread(request)] = items
        self._append(line)

    def note_flaw(self, agent: str, flaw: str) -> None:
        """Something that no request shows: a script that has no more to say."""
        self._append({"agent": agent, "flaw": flaw})

    def read(self) -> list[Noted]:
        """Every request so far, oldest first."""
        items: dict[_Thread, tuple[Item, ...]] = {}
        return [_noted(line, items) for line in self._lines() if "branch" in line]

    def flaws(self) -> list[str]:
        """What was wrong with requests and scripts."""
        return [f"{line['agent']}: {line['flaw']}" for line in self._lines() if line.get("flaw")]

    def _append(self, line: Line) -> None:
        # One write for each line: a process that is killed leaves it whole or not at all.
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(fd, json.dumps(line).encode() + b"\n")
        finally:
            os.close(fd)

    def _lines(self) -> Iterator[Line]:
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                yield cast("Line", json.loads(line))


def _thread(request: ModelRequest) -> _Thread:
    """A side call continues nothing of a turn."""
    return request.branch, request.purpose


def _noted(line: Line, items: dict[_Thread, tuple[Item, ...]]) -> Noted:
    branch, purpose = str(line["branch"]), Purpose(str(line["purpose"]))
    thread = (branch, purpose)
    more = tuple(_as_item(cast("Line", item)) for item in cast("Sequence[Json]", line["items"]))
    items[thread] = (*items.get(thread, ()), *more) if line["continues"] else more
    tools = tuple(
        ToolSpec(name=str(name), description="", parameters={})
        for name in cast("Sequence[Json]", line["tools"])
    )
    request = ModelRequest(
        agent=str(line["agent"]), branch=branch, instructions="", items=items[thread], tools=tools,
        purpose=purpose,
    )  # fmt: skip
    return Noted(request=request, flaw=str(line["flaw"]))


def _as_json(item: Item) -> Json:
    match item:
        case UserItem():
            return {"role": "user", "text": item.text}
        case ResultItem():
            return {
                "role": "tool", "text": item.text, "id": item.call_id, "tool": item.tool,
                "is_error": item.is_error,
            }  # fmt: skip
        case AssistantItem():
            calls: list[Json] = [
                {"id": call.call_id, "tool": call.tool, "arguments": call.arguments} for call in item.calls
            ]
            return {"role": "assistant", "text": item.text, "calls": calls}


def _as_item(line: Line) -> Item:
    text = str(line["text"])
    match line["role"]:
        case "user":
            return UserItem(text=text)
        case "tool":
            return ResultItem(
                call_id=str(line["id"]), tool=str(line["tool"]), text=text, is_error=bool(line["is_error"])
            )
        case _:
            calls = (cast("Line", call) for call in cast("Sequence[Json]", line["calls"]))
            return AssistantItem(
                text=text,
                calls=tuple(
                    CallItem(call_id=str(c["id"]), tool=str(c["tool"]), arguments=str(c["arguments"]))
                    for c in calls
                ),
            )


def role_of(item: Item) -> str:
    """Who speaks: user, assistant or tool."""
    match item:
        case UserItem():
            return "user"
        case ResultItem():
            return "tool"
        case AssistantItem():
            return "assistant"
