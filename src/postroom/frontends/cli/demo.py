"""`postroom demo`: a team that plans, delegates, writes, steers, wakes and reviews, without a key.

Its models are scripts, or with `--model local` a real small one; the store, the mail, the turns and the
tools are what any team gets. At the end it counts again from the log what became of every message, and
has the doctor look at the store.
"""

import os
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from postroom.app import Hooks, Postroom, Prompt
from postroom.clock import SystemClock
from postroom.config import read_config
from postroom.daemon.api.house import House
from postroom.frontends.cli.browser import show_page
from postroom.frontends.cli.daemon_running import run_daemon
from postroom.frontends.cli.demo_screen import Screen
from postroom.frontends.cli.exits import DONE, TASK_FAILED, Interrupted
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.running import CUT_OFF, Plan, go_on_words, run_room
from postroom.frontends.cli.up import NO_PAGE, link
from postroom.frontends.web import is_built
from postroom.llm.port import Model
from postroom.llm.provider import model_for
from postroom.observe import doctor, looks
from postroom.observe.event_view import EventView
from postroom.observe.recount import Recount, recount
from postroom.observe.views import End
from postroom.testing.local_model import MODEL_NAME, LocalModel

TEAM: Final = Path(__file__).parent / "demo_team"
LOCAL_TEAM: Final = Path(__file__).parent / "demo_local_team"
"""The same team with a real model: the planner stays a script, because a small model makes no plan."""
TOOLS: Final = "postroom.frontends.cli.demo_tools:tools"
TASK: Final = "Write a short page: why do agents need durable mail?"
HASTE: Final = 0.02
"""What is left of every pause with `--fast`."""


class HastyClock(SystemClock):
    """The machine's clock, whose waits are short."""

    async def sleep_s(self, seconds: float) -> None:
        """Wait a small part of what was asked for."""
        await super().sleep_s(seconds * HASTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the room gave before it was closed."""

    end: End
    count: Recount


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who plays."""

    team: Path = TEAM
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])


def demo(asked: Asked, out: Output) -> int:
    """Run the demo team and look at what it left."""
    if asked.text("model") == "scripted":
        return _play(Cast(), asked, out)
    out.note("a model of 135 million parameters is loaded")
    with LocalModel() as local:
        model = model_for(MODEL_NAME, env=local.env(), clock=SystemClock())
        return _play(Cast(team=LOCAL_TEAM, models={MODEL_NAME: model}), asked, out)


def _play(cast: Cast, asked: Asked, out: Output) -> int:
    folder = Path(asked.text_or_none("store") or tempfile.mkdtemp(prefix="postroom-demo-")).absolute()
    screen = Screen(out)
    plan = Plan(
        config=read_config(environ=os.environ, command_line={"store": str(folder)}), team=cast.team,
        tools=(TOOLS,), models=cast.models, clock=HastyClock() if asked.flag("fast") else None,
        hooks=Hooks(on_text=screen.text), verbose=out.verbose,
    )  # fmt: skip
    play = Play(out, screen, folder)
    out.note(f"a team of four works in {folder}")
    try:
        if out.as_json:
            run_room(plan, play.perform)
        else:
            run_daemon(plan, play.serve)
    except Interrupted as fault:
        # A real model ends with the demo, so nobody could go on from the command line.
        if play.session_id and not cast.models:
            raise Interrupted(fault.message, remedy=go_on_words(plan, play.session_id)) from None
        raise
    if play.outcome is None:
        remedy = go_on_words(plan, play.session_id) if play.session_id and not cast.models else ""
        raise Interrupted(CUT_OFF, remedy=remedy)
    return close(out, folder, play.outcome) if play.code is None else play.code


class Play:
    """One demo: what was said, and what came of it."""

    def __init__(self, out: Output, screen: Screen, folder: Path) -> None:
        self._out = out
        self._screen = screen
        self._folder = folder
        self.session_id = ""
        """Empty until the team has its task."""
        self.outcome: Outcome | None = None
        self.code: int | None = None
        """As soon as its end was told; elsewhere than on a terminal that is done when the store is closed."""

    async def perform(self, room: Postroom) -> int:
        """Give the team its task and show what it does, to the end."""
        prompt = await room.prompt(TASK)
        self.session_id = prompt.session_id
        async with self._screen.following(room, prompt.pos):
            end = await room.wait(prompt, tree=True)
        self.outcome = Outcome(end=end, count=recount(await _events_of(room, prompt)))
        return DONE

    async def serve(self, house: House) -> int:
        """The same, with a page beside it, which stays for whoever sits at a terminal."""
        page = link(house)
        self._out.note(f"the page: {page}")
        if not is_built():
            self._out.note(NO_PAGE)
        show_page(page, os.environ)
        done = await self.perform(house.room)
        if self._out.is_terminal and self.outcome is not None:
            self.code = close(self._out, self._folder, self.outcome)
            self._out.note(f"the daemon stays: {link(house)}")
            self._out.note("Ctrl-C ends it")
            await house.life.ended()
        return done


async def _events_of(room: Postroom, prompt: Prompt) -> list[EventView]:
    """Every event of the demo's own tree, read from the log."""
    tree = {agent.session_id for agent in await room.agents_view(prompt.session_id)}
    names, pos, events = looks.Names(), prompt.pos, list[EventView]()
    while page := await room.store.read(looks.log_page, names, None, pos, looks.PAGE_MAX):
        events += [event for event in page if event.session_id in tree]
        pos = page[-1].pos
    return events


def close(out: Output, folder: Path, outcome: Outcome) -> int:
    """The page, the recount, the doctor's report, and where it all lies."""
    count, report = outcome.count, doctor.examine(folder)
    ok = outcome.end.ok and count.ok and report.ok
    if out.as_json:
        out.json_line({
            "end": looks.as_json(outcome.end), "recount": looks.as_json(count), "store": str(folder),
            "doctor": {"ok": report.ok, "findings": [str(finding) for finding in report.findings]},
        })  # fmt: skip
        return DONE if ok else TASK_FAILED
    out.line()
    out.line(
        outcome.end.text.strip() or f"the planner's turn ended {outcome.end.state}: {outcome.end.reason}"
    )
    out.line()
    out.line(
        f"messages {count.messages}, turns {count.turns}, lost {count.lost}, doubled {count.doubled}"
        "  (counted again from the log)"
    )
    out.line(f"postroom doctor: {'; '.join(report.lines())}")
    out.line(f"the store stays: postroom log --store {shlex.quote(str(folder))}")
    return DONE if ok else TASK_FAILED
