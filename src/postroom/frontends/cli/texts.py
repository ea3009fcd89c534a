"""Agents, messages and events as lines for people; the same for what comes through the door or not."""

import time
from collections.abc import Iterator, Mapping
from typing import Final, cast

from postroom.domain.plain import Json
from postroom.rules.markers import neutralise
from postroom.rules.naming import HANDLE

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


def _sender(message: Row) -> str:
    return text(message, "sender") or "Postroom"  # the runtime has no address


def message_line(message: Row) -> str:
    """One message on one line: its state, from whom, and its id."""
    reason = f" ({text(message, 'reason')})" if text(message, "reason") else ""
    parked = ", parked" if message.get("parked") else ""
    left = " in a reverted part" if message.get("reverted") else ""
    return (
        f"{text(message, 'state')}{left}{parked}{reason}  {text(message, 'kind')}"
        f" from {_sender(message)}  {text(message, 'message_id')}"
    )


def message_page(message: Row) -> Iterator[str]:
    """One message in full."""
    yield f"message    {text(message, 'message_id')}"
    own, other = text(message, "sender_session_id"), text(message, "recipient_session_id")
    sender, recipient = apart((_sender(message), own), (_recipient(message), other))
    yield f"from       {sender}"
    yield f"to         {recipient}"
    yield f"kind       {text(message, 'kind')}, {text(message, 'mode')}"
    yield f"written    {clock(message['created_us'])}"
    reason = f" ({text(message, 'reason')})" if text(message, "reason") else ""
    yield f"state      {text(message, 'state') or 'on the bus, not read yet'}{reason}"
    if message.get("round") is not None:
        left = ", in a reverted part" if message.get("reverted") else ""
        yield f"read       in round {text(message, 'round')} of turn {text(message, 'turn_id')}{left}"
    for other in rows(message.get("also_to") or []):
        yield f"also to    {text(other, 'recipient')}: {_standing(other)}"
    answers = message.get("answered_by")
    for answer in answers if isinstance(answers, list | tuple) else ():
        yield f"answered   by {answer}"
    if message.get("pruned_bytes") is not None:
        size, digest = text(message, "pruned_bytes"), text(message, "pruned_sha256")
        yield f"text       {size} bytes, pruned (SHA-256 {digest})"
    yield ""
    yield text(message, "body")


def apart(one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
    """Two labels as they are shown beside each other, each given with the session of its agent, if it is one.

    Where conversations of the person write to each other, profiles tell nobody which ones.
    """
    are_told = not all(session for _, session in (one, other)) or one[1] == other[1]
    if are_told or any(HANDLE.match(label) for label, _ in (one, other)):
        return one[0], other[0]
    return f"{one[0]} ({one[1]})", f"{other[0]} ({other[1]})"


def _recipient(message: Row) -> str:
    """Who got it; on a bus what it was written to, and the first of those who took it."""
    selector, name = text(message, "selector"), text(message, "recipient")
    return f"{selector}, on the bus: {name or 'nobody'}" if selector else name


def _standing(other: Row) -> str:
    """How a message stands with one more recipient."""
    reason = f" ({text(other, 'reason')})" if text(other, "reason") else ""
    left = ", in a reverted part" if other.get("reverted") else ""
    where = f", read in round {text(other, 'round')} of turn {text(other, 'turn_id')}{left}"
    return f"{text(other, 'state')}{reason}{where if other.get('round') is not None else ''}"


def session_page(found: Mapping[str, Json]) -> Iterator[str]:
    """A conversation, oldest first, and the mail of its agent."""
    agent = cast("Row", found["session"])
    yield "  ".join([address(agent), *(text(agent, key) for key in ("profile", "state", "title"))]).rstrip()
    for item in rows(found["history"]):
        yield ""
        yield from _item(item)
    messages = rows(found["messages"])
    if messages:
        yield ""
        yield "Mail:"
        for message in messages:
            yield f"  {message_line(message)}"


def _voice(item: Row) -> str:
    """Only what the person wrote is under their name, whatever role it has for a model (G10)."""
    by = text(item, "provenance")
    return by if by == "user" else f"user: {by}"


def _item(item: Row) -> Iterator[str]:
    tools = item.get("tools")
    named = ", ".join(str(tool) for tool in tools) if isinstance(tools, list | tuple) else ""
    role = text(item, "role")
    if role == "tool":
        yield f"[{role}: {named}]"
    else:
        yield f"[{role}]" if role == "assistant" else f"[{_voice(item)}]"
    if text(item, "text"):
        # Mail is neutral already; an answer must not go on with a heading of its own either.
        yield text(item, "text") if role == "user" else neutralise(text(item, "text"))
    if role == "assistant" and named:
        yield f"(calls {named})"
