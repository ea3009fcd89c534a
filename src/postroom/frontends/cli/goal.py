"""`postroom goal`: what the person sets an agent out to do."""

import shlex
from typing import Final, cast

from postroom.domain.goal import GoalState
from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.frontends.cli.ask_texts import plain
from postroom.frontends.cli.change import NOTHING_RUNS, Change
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.words import counted, typed
from postroom.observe.glance import Glance

_LATER: Final = f"{NOTHING_RUNS}; the agent works on it when a process opens this store"
_REPEATABLE: Final = frozenset(("pause", "resume"))


def goal(asked: Asked, out: Output) -> int:
    """Set, pause, resume, cancel or show a goal."""
    do, session, text = asked.text("do"), asked.text("session"), asked.text_or_none("text")
    if (text is not None) != (do == "set"):
        raise Usage(
            "a goal is set with its text" if do == "set" else f"`{do}` takes no text",
            remedy=f"write: postroom goal {do} AGENT{' TEXT' if do == 'set' else ''}",
        )
    if do == "show":
        return _show(asked, out, session)
    arguments: dict[str, Json] = {"session": session}
    if text is not None:
        arguments["text"] = typed(text)
    return do_change(asked, out, Change(
        command=f"goal_{do}", arguments=arguments, told=lambda found: _told(found, session),
        idle=_idle, repeatable=do in _REPEATABLE, agent=session,
    ))  # fmt: skip


def _told(found: dict[str, Json], session: str) -> str:
    told = f"the goal is {texts.text(_goal(found), 'state')}"
    return f"{told}, but {_stopped(session)}" if _waits_for_resume(found) else told


def _idle(found: dict[str, Json]) -> str:
    is_active = _goal(found)["state"] == GoalState.ACTIVE
    return _LATER if is_active and not _waits_for_resume(found) else NOTHING_RUNS


def _waits_for_resume(found: dict[str, Json]) -> bool:
    """Whether the goal would be worked on if its agent were not stopped."""
    shown = _goal(found)
    return shown["state"] == GoalState.ACTIVE and bool(shown["agent_paused"])


def _stopped(session: str) -> str:
    return f"its agent is stopped: it works on it after `postroom resume {shlex.quote(session)}`"


def _show(asked: Asked, out: Output, session: str) -> int:
    found = cast("dict[str, Json]", look(
        store_of(asked), "goal_show", {"session": session}, lambda glance: _read(glance, session),
    ))  # fmt: skip
    if out.as_json:
        out.document(found)
        return DONE
    if found["goal"] is None:
        out.note("it has no goal")
        return DONE
    shown = _goal(found)
    items = texts.rows(shown["items"])
    out.line(f"{texts.text(shown, 'state')}: {plain(texts.text(shown, 'text'))}")
    for item in items:
        out.line(f"  [{'x' if item['done'] else ' '}] {plain(texts.text(item, 'text'))}")
    reminders = counted(shown["reminders"], "reminder")
    out.note(f"{shown['done']} of {len(items)} done, {reminders} since the list changed")
    if _waits_for_resume(found):
        out.note(_stopped(session))
    return DONE


def _goal(found: dict[str, Json]) -> texts.Row:
    return cast("texts.Row", found["goal"])


def _read(glance: Glance, session: str) -> Json:
    from postroom.observe import goals  # noqa: PLC0415 - slow to load

    return glance.read(goals.goal_row, session)
