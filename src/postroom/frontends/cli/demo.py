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
from postroom.frontends.cli.demo_screen import Screen
from postroom.frontends.cli.exits import DONE, TASK_FAILED, Interrupted
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.running import Plan, go_on_words, run_room
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
    said: list[Prompt] = []
    given: list[Outcome] = []

    async def work(room: Postroom) -> int:
        prompt = await room.prompt(TASK)
        said.append(prompt)
        async with screen.following(room, prompt.pos):
            end = await room.wait(prompt, tree=True)
        given.append(Outcome(end=end, count=recount(await _events_of(room, prompt))))
        return DONE

    out.note(f"a team of four works in {folder}")
    try:
        run_room(plan, work)
    except Interrupted as fault:
        # A real model ends with the demo, so nobody could go on from the command line.
        if not said or cast.models:
            raise
        raise Interrupted(fault.message, remedy=go_on_words(plan, said[0].session_id)) from None
    return _close(out, folder, given[0])


async def _events_of(room: Postroom, prompt: Prompt) -> list[EventView]:
    """Every event of the demo's own tree, read from the log."""
    tree = {agent.session_id for agent in await room.agents_view(prompt.session_id)}
    names, pos, events = looks.Names(), prompt.pos, list[EventView]()
    while page := await room.store.read(looks.log_page, names, None, pos, looks.PAGE_MAX):
        events += [event for event in page if event.session_id in tree]
        pos = page[-1].pos
    return events


def _close(out: Output, folder: Path, outcome: Outcome) -> int:
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
