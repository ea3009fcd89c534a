"""The shapes of what the tools of `peer` return: closed JSON schemas (systems.md 4.5, DS-31)."""

from collections.abc import Mapping
from typing import Final

from postroom.domain.plain import Json
from postroom.service.changes import CREATED, DELETED, MAIL, STATUS
from postroom.service.neighbours import STATUSES, PeerKind

TEXT_CHARS: Final = 2_000
"""Longest last text on a card (issue of the surface)."""


def _text(description: str, **more: Json) -> dict[str, Json]:
    return {"type": "string", "description": description, **more}


def _count(description: str) -> dict[str, Json]:
    return {"type": "integer", "minimum": 0, "description": description}


def _closed(properties: Mapping[str, Json], *optional: str) -> dict[str, Json]:
    required: list[Json] = [name for name in properties if name not in optional]
    return {
        "type": "object", "properties": dict(properties), "required": required, "additionalProperties": False,
    }  # fmt: skip


_STATUS: Final = _text("What it does, or how its last turn has ended.", enum=list(STATUSES))
_LINE: Final[Mapping[str, Json]] = {
    "id": _text("What it is written to by."),
    "title": _text("What it is about; may be empty."),
    "cwd": _text("The directory that it works in."),
    "status": _STATUS,
    "kind": _text(
        "derived: an agent made it, or it was forked. team: the person opened it from your team folder. "
        "peer: any other.",
        enum=[str(kind) for kind in PeerKind],
    ),
    "last_active_at": _text("When a turn of it last opened or ended, in UTC.", format="date-time"),
}
SENT: Final = _closed(
    {
        "messageId": _text("The id of the message, for the record."),
        "status": _text(
            "accepted: it is in the mailbox there. queued: it is kept for you until it can go there.",
            enum=["accepted", "queued"],
        ),
        "note": _text("Why it is not read soon, where the user has stopped the session."),
    },
    "note",
)
LISTED: Final = _closed({"sessions": {"type": "array", "items": _closed(_LINE)}})
CARD: Final = _closed(
    {
        **_LINE,
        "turns": _count("How many of its turns have ended."),
        "last_text": _text("What it said last, at most 2,000 characters of it.", maxLength=TEXT_CHARS),
        "open_asks": _count("How much it waits for its person to decide."),
        "waiting_mail": _count("Messages in its mailbox that it has not read."),
    }
)
_CHANGE: Final = _closed(
    {
        "id": _text("The session that changed; of mail, your own."),
        "what": _text("What changed.", enum=[STATUS, CREATED, MAIL]),
        "from": _text("The status before; of mail, the session that wrote it. Empty where there is none."),
        "to": _text(f"The status now, or `{DELETED}`; of mail, your own session."),
        "at": _text("When, in UTC.", format="date-time"),
    }
)
WAITED: Final = _closed(
    {
        "timedOut": {"type": "boolean", "description": "Nothing changed until the time was up."},
        "changes": {"type": "array", "items": _CHANGE},
        "reason": _text("Why it did not wait at all."),
    },
    "reason",
)
SPAWNED: Final = _closed(
    {
        "sessionId": _text("The new session: write to it by this id."),
        "taskId": _text("The task that it was given."),
        "origin": _text("Where it comes from.", enum=["subagent"]),
        "status": _text("started: it works in the background. Else how its task has ended."),
        "text": _text("What it said last: whole up to 64 KiB, else beginning and end."),
        "rest": _text("Where the whole of the text is, where it is not shown whole."),
        "error": _text("How its task has ended, where it did not succeed."),
    },
    "text",
    "rest",
    "error",
)
