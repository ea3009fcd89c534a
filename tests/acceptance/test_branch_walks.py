"""The two walk-throughs of `branch` with the vendors' own SDKs: the emulator plays the models."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from postroom.app import Outfit, Postroom
from postroom.domain.bus import BusEvent
from postroom.domain.plain import Json
from postroom.observe.views import AgentView, HistoryItem
from postroom.profiles.team import load_team
from postroom.testing.provider_emulator import Plan, ProviderEmulator, Wire, turns, wired
from postroom.testing.script import ScriptedAnswer, call, say
from tests.acceptance.branches import message, spawn
from tests.providers.provider_talk import MODELS, on_every_wire

SETTINGS = 'surface = "branch"\nentry = "{entry}"\n\n[policy]\nauto_names = false\n'
PROFILE = "---\nname: {name}\ndescription: The {name}.\nmodel: {model}\n---\nYou are {name}.\n"

LEAD = (
    call("todo_create", subject="mend the roof", description="before the rain"),
    call("todo_update", id="1", status="in_progress"),
    spawn("Mend the roof.", agent_id="worker", description="roof"),
    call("list_tasks"),
    message("roof", "What took the longest?"),
    call("list_tasks"),
    call("task_output", task_id="${task}"),
    call("todo_update", id="1", status="completed"),
    say("The roof is mended."),
    say("It was the ridge."),
    call("archive_agent", to="roof", reason="the roof is mended"),
    call("list_agents"),
    call("list_agents", scope="archived"),
    message("roof", "One more thing."),
    say("All is done."),
)
"""What the roofer's model says, round by round, in the reference walk-through."""
WORKER = (say("The roof is tight again."), say("The ridge took the longest."))


def write_team(folder: Path, model: str, *names: str) -> Path:
    """A team of the `branch` surface whose agents all have the same model."""
    (folder / "agents").mkdir(parents=True)
    (folder / "postroom.toml").write_text(SETTINGS.format(entry=names[0]), encoding="utf-8")
    for name in names:
        text = PROFILE.format(name=name, model=model)
        (folder / "agents" / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@asynccontextmanager
async def room(folder: Path, vendor: str, plan: Plan) -> AsyncIterator[tuple[Postroom, ProviderEmulator]]:
    """A room whose agents ask the emulated vendor."""
    team = load_team(write_team(folder / "team", MODELS[vendor], *plan.agents))
    async with ProviderEmulator(plan) as emulator:
        async with Postroom(folder / "store", Outfit(team=team, env=emulator.env(), cwd=folder)) as opened:
            yield opened, emulator
        await emulator.assert_clean()


def results(items: Sequence[HistoryItem], tool: str) -> list[str]:
    """What the calls of a tool have given, in order."""
    return [item.text for item in items if item.role == "tool" and item.tools == (tool,)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What is there to see of the reference walk-through."""

    busy: list[AgentView]
    """While the worker works."""
    middle: list[HistoryItem]
    """The roofer's conversation when the task is done."""
    items: list[HistoryItem]
    """The roofer's conversation at the end."""
    worker: AgentView


async def walk(folder: Path, vendor: str) -> Walk:
    """Play it: the roofer looks and writes while the worker works."""
    lead = (*LEAD[:6], wired(LEAD[6], Wire(gate="looked")), *LEAD[7:])
    worker = (wired(WORKER[0], Wire(gate="working")), WORKER[1])
    plan = Plan(agents=turns(roofer=lead, worker=worker))
    async with room(folder, vendor, plan) as (opened, emulator):
        session = (await opened.prompt("See to the roof.")).session_id
        await emulator.reached("working")
        await emulator.reached("looked")
        busy = await opened.agents_view(session)
        await emulator.open("looked")
        await emulator.open("working")
        await opened.rest()
        middle = await opened.history(session)
        await opened.prompt("Then let the worker go.", session=session)
        await opened.rest()
        items, views = await opened.history(session), await opened.agents_view(session)
    return Walk(busy=busy, middle=middle, items=items, worker=views[-1])


@on_every_wire
async def test_from_a_plan_to_a_retired_agent_on_every_wire(tmp_path: Path, vendor: str) -> None:
    """OP-95."""
    walked = await walk(tmp_path, vendor)
    items = walked.items
    before, after = results(items, "list_tasks")
    task = before.split()[0]
    live, archived = results(items, "list_agents")

    assert [(view.name, view.unread) for view in walked.busy] == [("", 0), ("roof", 1)]
    assert before.startswith(f"{task} running — roof")
    assert after == before
    assert results(items, "task_output") == [
        f"The roof is tight again.\n\n[task_output] task_id={task} status=completed"
    ]
    assert results(items, "todo_update")[-1] == "[todo updated] #1 mend the roof (main): completed"
    assert [item.text for item in walked.middle if item.role == "user"][1:] == [_reply(walked.middle)]
    assert "«roof»" not in live
    assert f"to={walked.worker.address} «roof»" in archived
    assert walked.worker.state == "archived"
    assert results(items, "send_message")[1].endswith("(archived)")


def _reply(items: Sequence[HistoryItem]) -> str:
    """The answer to the message, as the last item before the last answer; the result came by the wait."""
    text = items[-2].text
    assert text.startswith("[reply to message ")
    assert text.endswith("The ridge took the longest.")
    return text


FORTH = ("Is it open today?", "And tomorrow?")
ANN = (
    say("I carry on."),
    say("Ann wants to know."),
    say("So it is open."),
    message("mill", FORTH[1]),
    say("I carry on again."),
    say("So it is closed tomorrow."),
)
"""What A says once its first message is on its way."""
MILL = (
    call("list_agents", scope="all"),
    message("${sender}", "Who wants to know?"),
    say("It is open."),
    say("I shall tell the miller."),
    say("It is closed."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What is there to see of two agents that have talked, each by its profile."""

    views: dict[str, AgentView]
    items: dict[str, list[HistoryItem]]
    events: list[BusEvent]


async def talk(folder: Path, vendor: str, sessions: int) -> Talk:
    """Play it, with one listener from the beginning to the end."""
    opening: tuple[ScriptedAnswer, ...] = ()
    if sessions == 1:
        opening = (spawn("Get ready.", background=False, agent_id="b", description="mill"),)
    a = (*opening, call("list_agents", scope="all"), message("mill", FORTH[0]), *ANN)
    plan = Plan(agents=turns(a=a, b=(say("I am ready."), *MILL)))
    events: list[BusEvent] = []
    async with room(folder, vendor, plan) as (opened, _):
        opened.bus.subscribe(events.append, ("branch_message", "turn.start"))
        if sessions > 1:
            other = await opened.prompt("The mill is yours.", profile="b")
            await opened.rest()
            await opened.rename(other.session_id, "mill")
        said = await opened.prompt("Ask the mill.", profile="a")
        await opened.rest()
        await opened.prompt("Ask again.", session=said.session_id)
        await opened.rest()
        views = {view.profile: view for view in await opened.agents_view()}
        items = {name: await opened.history(view.address) for name, view in views.items()}
    return Talk(views=views, items=items, events=events)


@on_every_wire
@pytest.mark.parametrize("sessions", [1, 2])
async def test_two_agents_talk_while_both_are_watched(tmp_path: Path, vendor: str, sessions: int) -> None:
    """OP-96, for two branches of one session and for two sessions; nobody looks anew."""
    talked = await talk(tmp_path, vendor, sessions)
    views, items, events = talked.views, talked.items, talked.events
    printed = {name: f"{view.session_id}:{view.branch_id}" for name, view in views.items()}
    assert len({view.session_id for view in views.values()}) == sessions
    assert f"to={printed['b']} «mill» [idle]" in results(items["a"], "list_agents")[0]
    assert re.search(rf"to={printed['a']} \[(?:busy|idle)\]", results(items["b"], "list_agents")[0])
    assert [text.split()[0] for text in results(items["a"], "send_message")] == ["[delivered,"] * 2
    assert _answers(items["a"])[-len(ANN) + 1 :] == [answer.text for answer in ANN if answer.text]
    assert _answers(items["b"])[1:] == [answer.text for answer in MILL if answer.text]
    assert _frames(events, views["a"]) == [
        ("sent", printed["b"], FORTH[0]), ("replied", printed["b"], "It is open."),
        ("sent", printed["b"], FORTH[1]), ("replied", printed["b"], "It is closed."),
    ]  # fmt: skip
    assert _frames(events, views["b"]) == [
        ("sent", printed["a"], "Who wants to know?"), ("replied", printed["a"], "Ann wants to know."),
    ]  # fmt: skip
    turned = [event.metadata["branch_id"] for event in events if event.type == "turn.start"]
    assert (turned.count(views["a"].branch_id), turned.count(views["b"].branch_id)) == (5, 4)


def _answers(items: Sequence[HistoryItem]) -> list[str]:
    return [item.text for item in items if item.role == "assistant" and item.text]


def _frames(events: Sequence[BusEvent], view: AgentView) -> list[tuple[Json, Json, Json]]:
    """What a page that shows this agent was told of its messages, live."""
    frames = [e for e in events if e.type == "branch_message" and e.metadata["branch_id"] == view.branch_id]
    return [(e.payload["kind"], e.payload["peer"], e.payload["summary"]) for e in frames]
