"""A message or a conversation in full: what `postroom show` prints."""

from collections.abc import Iterator, Mapping
from typing import cast

from postroom.domain.plain import Json
from postroom.frontends.cli.texts import Row, address, clock, rows, text
from postroom.rules.markers import neutralise
from postroom.rules.naming import HANDLE


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
