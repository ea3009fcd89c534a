"""Agents, messages and events as lines for people; the same for what comes through the door or not."""

import time
from collections.abc import Mapping
from typing import Final, cast

from postroom.domain.plain import Json

Row = Mapping[str, Json]
SHOWN_FACTS: Final = (
    "state", "end_reason", "outcome", "hook", "verdict", "code", "reason", "mode", "round", "kind",
    "number", "status",
)  # fmt: skip
"""The facts of an event that say more to people than keys do."""


def rows(value: Json) -> list[Row]:
    """A JSON list of objects."""
    return cast("list[Row]", list(value)) if isinstance(value, list | tuple) else []


def text(row: Row, key: str) -> str:
    """One value of an object as text."""
    found = row.get(key)
    return "" if found is None else str(found)


def clock(ts_us: Json) -> str:
    """`14:03:59`, in the time of this machine."""
    return time.strftime("%H:%M:%S", time.localtime(int(str(ts_us)) / 1_000_000))


def address(agent: Row) -> str:
    """How the person names an agent: by the handle or id of its session, or as `SESSION:BRANCH`."""
    return text(agent, "address")


def agent_cells(agent: Row) -> tuple[str, ...]:
    """One agent as cells of a table, indented as deep as it lies in its tree.

    A branch is shown by its name; an agent that a session is of by its address, its name before its title.
    """
    indent = "  " * int(text(agent, "depth") or 0)
    title = " ".join(text(agent, "title").split())
    is_branch = ":" in text(agent, "address")
    name = " ".join(text(agent, "name").split())
    shown = name if name and is_branch else address(agent)
    if name and not is_branch:
        title = f"«{name}» {title}".rstrip()
    return (f"{indent}{shown}", *[text(agent, key) for key in ("profile", "state", "unread")], title)


AGENT_HEADER: Final = ("AGENT", "PROFILE", "STATE", "UNREAD", "TITLE")


def event_line(event: Row) -> str:
    """One event on one line: when, who, what, to whom, and its facts."""
    facts = event.get("facts")
    known = facts if isinstance(facts, dict) else {}
    told = [f"{key}={known[key]}" for key in SHOWN_FACTS if known.get(key) not in {None, ""}]
    to = f"→ {text(event, 'to')}" if text(event, "to") not in {"", text(event, "agent")} else ""
    parts = [
        clock(event["ts_us"]), f"{text(event, 'pos'):>6}", f"{text(event, 'agent'):<20}",
        f"{text(event, 'kind'):<18}", to, *told, text(event, "message_id"),
    ]  # fmt: skip
    return "  ".join(part for part in parts if part)
