"""What a talk shows of a stream that does not come as one would wish."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.daemon.door import open_door
from postroom.daemon.line import DoorLine
from postroom.daemon.wire import Told
from postroom.domain.event import EventKind
from postroom.domain.plain import Json
from postroom.errors import Fault
from postroom.frontends.cli.chat_asks import Asks
from postroom.frontends.cli.chat_screen import Screen
from postroom.frontends.cli.chat_talk import Happenings, Talk, Wish
from postroom.frontends.cli.output import Output
from postroom.observe import looks
from tests.cli.asking import writer_team
from tests.cli.cli import write_team


class Pipe:
    """A talk of a program that reads JSON, with a process whose agent thinks for long."""

    def __init__(self, room: Postroom, door: DoorLine) -> None:
        self.room = room
        self.happenings: Happenings = asyncio.Queue()
        screen = Screen(Output(as_json=True, verbose=False), is_interactive=True)
        wish = Wish(session=None, profile=None)
        self.talk = Talk(door, screen, wish, self.happenings, is_interactive=True)
        self._going = asyncio.create_task(self.talk.go())

    async def begin(self) -> str:
        """Say the first words; the branch of the agent that is talked to."""
        self.happenings.put_nowait(("line", "hello"))
        while not self.talk.session_id:  # noqa: ASYNC110 -- a talk says it on its output alone
            await asyncio.sleep(0)
        return await self.room.find_branch(self.talk.session_id)

    def hear(self, branch_id: str, text: str, *, attempt: int = 1, round_: int = 1) -> None:
        """A piece of streamed text comes."""
        piece: Json = {
            "session_id": self.talk.session_id, "branch_id": branch_id, "turn_id": "t", "agent": "ann",
            "round": round_, "attempt": attempt, "text": text,
        }  # fmt: skip
        self.happenings.put_nowait(("text", piece))

    async def leave(self) -> int:
        """Press Ctrl-C twice."""
        for _ in range(2):
            self.happenings.put_nowait(("stop", None))
        return await self._going


@pytest.fixture
async def pipe(tmp_path: Path, slow_team: Path) -> AsyncIterator[Pipe]:
    async with Postroom.open(tmp_path / "store", team=slow_team) as room, open_door(room):
        door = await DoorLine.connect(room.folder)
        yield Pipe(room, door)
        await door.close()


async def test_an_answer_that_is_begun_again_is_said_to_be(
    pipe: Pipe, capsys: pytest.CaptureFixture[str]
) -> None:
    branch = await pipe.begin()
    pipe.hear(branch, "On")
    pipe.hear(branch, "ce")
    pipe.hear(branch, "Twice", attempt=2)

    assert await pipe.leave() == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    shown = [(r["type"], r.get("text")) for r in records if r["type"] in {"text", "note"}]

    assert shown[:4] == [
        ("text", "On"), ("text", "ce"), ("note", "begins its answer again"), ("text", "Twice"),
    ]  # fmt: skip
    assert [agent.state for agent in await pipe.room.agents_view()] == ["paused"]


async def test_text_of_other_conversations_is_not_heard(
    pipe: Pipe, capsys: pytest.CaptureFixture[str]
) -> None:
    await pipe.begin()
    pipe.hear("another", "not for you")

    await pipe.leave()

    assert "not for you" not in capsys.readouterr().out


async def test_a_talk_with_a_process_that_is_gone_ends(pipe: Pipe) -> None:
    await pipe.begin()
    pipe.happenings.put_nowait(("gone", None))

    with pytest.raises(Fault, match="door_closed"):
        await pipe.leave()


async def test_a_talk_from_a_file_tells_all_that_was_said_before_it_leaves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """News may come later than the work ends: a child's end is told when its root has ended already."""
    asks = "- calls:\n    - delegate_subagent: {description: d, prompt: go, agent_type: bob}\n"
    team = write_team(tmp_path / "team", {"ann": f"{asks}- text: Bob knows.\n", "bob": "- text: Yes.\n"})
    happenings: Happenings = asyncio.Queue()
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        door = await DoorLine.connect(room.folder)
        screen = Screen(Output(as_json=True, verbose=False), is_interactive=False)
        wish = Wish(session=None, profile=None)
        going = asyncio.create_task(Talk(door, screen, wish, happenings, is_interactive=False).go())
        happenings.put_nowait(("line", "hello"))
        happenings.put_nowait(("end", None))
        async for event in room.subscribe():
            if event.kind == EventKind.TURN_STARTED:
                break
        await room.quiesce()

        for event in await room.store.read(looks.log_rows, looks.Names(), None, 0, 1000):
            happenings.put_nowait(("event", event))

        assert await going == 0
        await door.close()
    assert '"text": "Bob knows."' in capsys.readouterr().out


async def test_what_is_asked_is_shown_once_and_named_by_what_was_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """O-23: an id that was shown and has ended never becomes the first word of a reason for another ask."""
    team = writer_team(tmp_path / "writers")
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        prompt = await room.prompt("go")
        door = await DoorLine.connect(room.folder)
        asks = Asks(door, Screen(Output(as_json=True, verbose=False), is_interactive=True))
        first = await _opened(room)
        await asks.look(prompt.session_id)
        await asks.look(prompt.session_id)
        await room.deny(first)
        second = await _opened(room, but=first)

        with pytest.raises(Told, match="denied by person"):
            await asks.do(prompt.session_id, f"/deny {first[-8:]} not so")
        open_now = [ask.ask_id for ask in await room.asks()]
        assert await asks.do(prompt.session_id, "/deny not so")
        await door.close()
        await room.quiesce()

    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["ask_id"] for record in records if record["type"] == "ask"] == [first, second]
    assert open_now == [second]


async def _opened(room: Postroom, but: str = "") -> str:
    """The id of the ask that is open, once there is another one."""
    async for event in room.subscribe():
        if event.kind == EventKind.ASK_OPENED and event.ask_id != but:
            return event.ask_id
    return ""
