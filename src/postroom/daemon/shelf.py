"""Archiving, deleting, pruning and naming through the door."""

from dataclasses import dataclass
from typing import Final

from postroom.app import Postroom
from postroom.daemon.fields import SESSION, Values, flag, number, text_of, words
from postroom.domain.plain import Json
from postroom.observe.looks import as_json

ARCHIVE: Final = (
    SESSION,
    words("agent", "one of several in the session, by name or id", required=False),
    words("reason", "why, for the record", required=False, default=""),
)
RENAME: Final = (words("agent", "session id, handle, name or SESSION:AGENT"), words("name", "the new name"))
RETITLE: Final = (SESSION, words("title", "the new title, one line"))
DELETE: Final = (SESSION,)
PRUNE: Final = (
    number("older_than_s", "for so many seconds nothing has happened in a conversation", None, least=0),
    flag("dry_run", "only say what would go"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedView:
    """What went with a session."""

    session_id: str
    agents: int
    messages: int
    """Messages whose text is gone."""
    nodes: int
    """Items of conversations whose text is gone."""
    kept: int
    """Items that stay, because the conversation of another session goes through them."""


async def archive(room: Postroom, values: Values) -> Json:
    """Retire an agent."""
    return as_json(await room.archive(
        str(values["session"]), agent=text_of(values, "agent"), reason=str(values["reason"])
    ))  # fmt: skip


async def rename(room: Postroom, values: Values) -> Json:
    """Name an agent."""
    return as_json(await room.rename(str(values["agent"]), str(values["name"])))


async def retitle(room: Postroom, values: Values) -> Json:
    """Call a session otherwise."""
    return as_json(await room.retitle(str(values["session"]), str(values["title"])))


async def delete(room: Postroom, values: Values) -> Json:
    """Delete a session."""
    return as_json(await delete_session(room, str(values["session"])))


async def delete_session(room: Postroom, session: str) -> DeletedView:
    """Delete a session for good. Raises `NotFound` and `Refused`."""
    done = await room.delete(session)
    return DeletedView(
        session_id=done.session_id, agents=done.agents, messages=done.messages, nodes=done.nodes,
        kept=done.kept,
    )  # fmt: skip


async def prune(room: Postroom, values: Values) -> Json:
    """Remove the texts of conversations that are over."""
    return as_json(await room.prune(int(values["older_than_s"]), dry_run=bool(values["dry_run"])))
