"""`postroom agents`, `postroom tasks` and `postroom todo`: what agents are doing together, as lists."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.frontends.cli.ask_texts import plain
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import look, store_of
from postroom.observe.glance import Glance

_AGENTS: Final = ("AGENT", "PROFILE", "STATE", "TURNS", "CHARS", "NEWEST")
_TASKS: Final = ("TASK", "STATE", "FROM", "TO", "DESCRIPTION")
_GROUPS: Final = ("in_progress", "pending", "completed")


def agents(asked: Asked, out: Output) -> int:
    """List the agents of a session, of all, or those that were archived."""
    session, every, archived = asked.text_or_none("session"), asked.flag("all"), asked.flag("archived")
    if every and (session is not None or archived):
        raise Usage("--all goes without an agent and without --archived", remedy="leave one of them away")
    scope = "all" if every else "archived" if archived else "session"
    asking: dict[str, Json] = {"session": session, "scope": scope}
    found = look(store_of(asked), "agents", asking, lambda glance: _agents(glance, session, scope))
    if out.as_json:
        out.document({"sessions": found})
        return DONE
    rows = [cells for listed in texts.rows(found) for cells in _session(listed)]
    if rows:
        out.table(_AGENTS, rows)
    else:
        more = "" if archived or every else " at work, see `postroom agents SESSION --archived`"
        out.note(f"there are no {'archived ' if archived else ''}agents{more}")
    return DONE


def _agents(glance: Glance, session: str | None, scope: str) -> Json:
    from postroom.observe.lists import agent_list_rows  # noqa: PLC0415 - as in `look`

    return glance.read(agent_list_rows, session, scope)


def _session(listed: texts.Row) -> list[tuple[str, ...]]:
    """Its agents, the others below the one that it is of, by their names."""
    rows = cast("Sequence[texts.Row]", listed["agents"])
    return [_agent(row, str(listed["handle"] or listed["session_id"])) for row in rows]


def _agent(row: texts.Row, session: str) -> tuple[str, ...]:
    address = texts.text(row, "address")
    name = plain(texts.text(row, "name"))
    own = f"{address} «{name}»" if name else address
    shown = own if address == session else f"  {name or address}"
    state = f"{texts.text(row, 'state')}{' (merged)' if row['merged'] else ''}"
    cells = (
        shown,
        texts.text(row, "profile"),
        state,
        texts.text(row, "turns"),
        texts.text(row, "chars"),
    )
    return (*cells, plain(texts.text(row, "preview")))


def tasks(asked: Asked, out: Output) -> int:
    """List tasks, newest first."""
    session, limit = asked.text_or_none("session"), asked.number("limit") or 1
    asking: dict[str, Json] = {"session": session, "limit": limit}
    found = look(store_of(asked), "tasks", asking, lambda glance: _tasks(glance, session, limit))
    if out.as_json:
        out.document({"tasks": found})
        return DONE
    rows = texts.rows(found)
    if rows:
        out.table(_TASKS, [_task(row) for row in rows])
    else:
        out.note("no task has been handed out")
    return DONE


def _tasks(glance: Glance, session: str | None, limit: int) -> Json:
    from postroom.observe.lists import task_rows  # noqa: PLC0415 - as in `look`

    return glance.read(task_rows, session, limit)


def _task(row: texts.Row) -> tuple[str, ...]:
    outcome = texts.text(row, "outcome")
    state = texts.text(row, "state")
    told = state if outcome in {"", "succeeded", state} else f"{state} ({outcome})"
    names = (
        texts.text(row, "task_id"),
        told,
        plain(texts.text(row, "dispatcher")),
        plain(texts.text(row, "target")),
    )
    return (*names, plain(texts.text(row, "description")))


def todo(asked: Asked, out: Output) -> int:
    """Show the board of a session."""
    session = asked.text_or_none("session")
    found = look(store_of(asked), "todo", {"session": session}, lambda glance: _board(glance, session))
    assert isinstance(found, dict)  # noqa: S101 -- both ways give an object
    if out.as_json:
        out.document(found)
        return DONE
    entries = texts.rows(found["todos"])
    if not entries:
        out.note("the board is empty")
    for group in _GROUPS:
        _print_group(out, group, [entry for entry in entries if entry["status"] == group], entries)
    return DONE


def _board(glance: Glance, session: str | None) -> Json:
    from postroom.observe.lists import board_row  # noqa: PLC0415 - as in `look`

    return glance.read(board_row, session)


def _print_group(
    out: Output, group: str, entries: Sequence[Mapping[str, Json]], everything: Sequence[Mapping[str, Json]]
) -> None:
    if not entries:
        return
    is_open = [entry["id"] for entry in everything if entry["status"] != "completed"]
    out.line(f"{group}:")
    for entry in entries:
        blockers = [n for n in cast("Sequence[Json]", entry["blocked_by"]) if n in is_open]
        blocked = f" (blocked by {', '.join(f'#{n}' for n in blockers)})" if blockers else ""
        out.line(f"  #{entry['id']} {plain(str(entry['subject']))} ({plain(str(entry['owner']))}){blocked}")
        if entry["description"]:
            out.line(f"      {plain(str(entry['description']))}")
