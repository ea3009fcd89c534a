"""`postroom fork`, `revert` and `compact`: what a person does to a conversation."""

from collections.abc import Iterator
from typing import Final, cast

from postroom.daemon.fields import LISTED
from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.frontends.cli.ask_texts import plain
from postroom.frontends.cli.change import Change
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.words import counted
from postroom.observe.glance import Glance

_FOR_NOW: Final = "it was opened for this only"
HEADER: Final = ("PLACE", "ITEM", "TURN", "TEXT")


def fork(asked: Asked, out: Output) -> int:
    """Begin a new conversation where an agent stood."""
    session, to = asked.text("session"), asked.text_or_none("to")
    if asked.flag("dry_run"):
        if to is not None:
            raise Usage("--dry-run lists the places of a fork", remedy="leave out --to, or --dry-run")
        return _places(asked, out, session)
    arguments: dict[str, Json] = {"session": session}
    if to is not None:
        arguments["to"] = to
    return do_change(asked, out, Change(command="fork", arguments=arguments, told=_forked))


def _forked(found: dict[str, Json]) -> str:
    return f"forked at {found['place']} into {found['session_id']}"


def revert(asked: Asked, out: Output) -> int:
    """Take an agent back, or say what that would do."""
    session, to, keep = asked.text("session"), asked.text_or_none("to"), asked.flag("keep_tasks")
    dry_run = asked.flag("dry_run")
    if to is None:
        if not dry_run:
            raise Usage("--to is missing", remedy=f"`postroom revert {session} --dry-run` lists the places")
        return _places(asked, out, session)
    arguments: dict[str, Json] = {"session": session, "to": to, "keep_tasks": keep}
    if not dry_run:
        return do_change(asked, out, Change(command="revert", arguments=arguments, told=_reverted))
    found = cast("dict[str, Json]", look(
        store_of(asked), "revert", {**arguments, "dry_run": True},
        lambda glance: _would(glance, session, to, keep=keep),
    ))  # fmt: skip
    if out.as_json:
        out.document(found)
    else:
        out.line(_reverted(found))
    return DONE


def _would(glance: Glance, session: str, to: str, *, keep: bool) -> Json:
    from postroom.observe import looks, paths  # noqa: PLC0415 - slow to load

    return looks.as_json(glance.read(paths.would_revert, session, to, keep_tasks=keep))


def _reverted(found: dict[str, Json]) -> str:
    """The report, line by line; what has happened stands last."""
    would = "would go" if found["dry_run"] else "went"
    if not found["nodes_left"]:
        return f"{would} nowhere: {found['place']} is where it stands"
    kept = f", and what was taken back is kept as {found['sealed_id']}" if found["sealed_id"] else ""
    return "\n".join([*_report(found), f"{would} back to {found['place']}{kept}"])


def _report(found: dict[str, Json]) -> Iterator[str]:
    read, unread = _list(found, "read"), _list(found, "unread")
    if read:
        yield f"stays read: {counted(len(read), 'message')} ({', '.join(read)})"
    if unread:
        yield f"is read again: {counted(len(unread), 'message')} ({', '.join(unread)})"
    for task in texts.rows(found["tasks"]):
        fate = "goes on" if found["keeps_tasks"] else "is cancelled"
        yield f"the task of {texts.text(task, 'agent')} {fate}: {plain(texts.text(task, 'description'))}"
    for agent in _list(found, "agents"):
        yield f"stays: agent {agent}"
    for work in _list(found, "work"):
        yield f"goes on in the background: {plain(work)}"
    if found["goal"]:
        yield f"stays: the goal {plain(str(found['goal']))}"


def _list(found: dict[str, Json], key: str) -> list[str]:
    return cast("list[str]", found[key])


def compact(asked: Asked, out: Output) -> int:
    """Have the beginning of a conversation summed up."""
    return do_change(asked, out, Change(
        command="compact", arguments={"session": asked.text("session")}, told=_compacted, idle=_FOR_NOW,
    ))  # fmt: skip


def _compacted(found: dict[str, Json]) -> str:
    return f"summed up: {found['chars_before']} characters are {found['chars']} now"


def _places(asked: Asked, out: Output, session: str) -> int:
    found = look(
        store_of(asked), "places", {"session": session, "limit": LISTED},
        lambda glance: _read_places(glance, session),
    )  # fmt: skip
    if out.as_json:
        out.document({"places": found})
        return DONE
    listed = texts.rows(found)
    if listed:
        out.table(HEADER, [_cells(place) for place in listed])
    else:
        out.note("nothing was said yet")
    return DONE


def _read_places(glance: Glance, session: str) -> Json:
    from postroom.observe import paths  # noqa: PLC0415 - slow to load

    return glance.read(paths.place_rows, session, LISTED)


def _cells(place: texts.Row) -> tuple[str, ...]:
    return (
        *(texts.text(place, key) for key in ("place", "role", "turn_id")),
        plain(texts.text(place, "text")),
    )
