"""A job in which one of the agents is a real model: delegated to, calling tools, writing mail, done."""

from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.clock import SystemClock
from postroom.domain.event import EventKind
from postroom.llm.provider import model_for
from postroom.observe import looks
from postroom.observe.doctor import examine
from postroom.observe.event_view import EventView
from postroom.observe.recount import recount
from postroom.observe.views import HistoryItem
from postroom.testing.local_model import MODEL_NAME, LocalModel
from tests.local_model.notebook import NOTES, look_up, write_team


@pytest.mark.parametrize("subject", sorted(NOTES))
async def test_a_real_worker_reads_its_task_calls_its_tools_writes_and_ends(
    tmp_path: Path, local_model: LocalModel, subject: str
) -> None:
    """Facts only: a model of this size words things as it likes."""
    model = model_for(MODEL_NAME, env=local_model.env(), clock=SystemClock())
    team = write_team(tmp_path / "team", subject)

    async with Postroom.open(
        tmp_path / "store", team=team, tools=[look_up], models={MODEL_NAME: model}
    ) as room:
        prompt = await room.prompt(f"Find out about {subject}")
        end = await room.wait(prompt, tree=True)
        agents = {agent.profile: agent for agent in await room.agents_view(prompt.session_id)}
        worked = await room.history(agents["worker"].session_id)
        filed = await room.history(agents["clerk"].session_id)
        events = await _events(room)

    assert end.ok
    assert end.text.startswith("The worker says: ")
    assert end.text != "The worker says: "
    assert _calls(worked) == ["look_up", "send_message"]
    assert any(item.text in NOTES.values() for item in worked), "the notebook was asked for what it has"
    _assert_one_mail(events, agents["worker"].handle, agents["clerk"].handle)
    assert filed[-1].text == "Filed."
    assert recount(events).ok
    assert examine(tmp_path / "store").ok


def _assert_one_mail(events: list[EventView], sender: str, recipient: str) -> None:
    mails = [e for e in events if e.kind == EventKind.MESSAGE_ACCEPTED and e.facts.get("kind") == "mail"]
    assert [(mail.actor, mail.to) for mail in mails] == [(sender, recipient)]
    read = [e.message_id for e in events if e.kind == EventKind.MESSAGE_CONSUMED]
    assert read.count(mails[0].message_id) == 1
    assert not [e for e in events if e.kind == EventKind.MESSAGE_REFUSED]


def _calls(history: list[HistoryItem]) -> list[str]:
    return [name for item in history if item.role == "assistant" for name in item.tools]


async def _events(room: Postroom) -> list[EventView]:
    return list(await room.store.read(looks.log_page, looks.Names(), None, 0, 10_000))
