"""Commands in the background: written down before they exist, and their end is always told."""

import asyncio
import re
from pathlib import Path

import pytest

from postroom.tools.base import Work
from postroom.tools.shell.kit import BACKGROUND_CHARS_MAX, BACKGROUND_MAX
from tests.unit.tools.shell_room import BLOCK, PATIENCE_S, ShellRoom


@pytest.fixture
def room(tmp_path: Path) -> ShellRoom:
    return ShellRoom(tmp_path)


async def test_the_call_returns_at_once_with_process_and_file(room: ShellRoom) -> None:
    result = await room.call("echo said; read x <never; exit 2", background=True)

    assert re.search(r"as process \d+; its output goes to .*call-1-.*\.txt; a message will tell", result.text)
    assert not result.is_error
    assert room.works[0].ends == []
    await asyncio.to_thread((room.cwd / "never").write_text, "go\n", "utf-8")
    assert await room.works[0].text() == "said\n[exit code 2]"
    assert room.works[0].ends[0][1]
    assert room.files()[0].read_text(encoding="utf-8") == "said\n"


async def test_the_work_is_registered_before_anything_of_it_exists(tmp_path: Path) -> None:
    asked, may = asyncio.Event(), asyncio.Event()

    class Slow(ShellRoom):
        async def begin_work(self, label: str) -> Work:
            asked.set()
            await may.wait()
            return await super().begin_work(label)

    room = Slow(tmp_path)
    calling = room.start("touch begun; true", background=True)
    await asyncio.wait_for(asked.wait(), PATIENCE_S)
    begun_before = (room.cwd / "begun").exists()
    may.set()

    await calling

    assert not begun_before
    assert await room.works[0].text() == "[exit code 0]"
    assert (room.cwd / "begun").exists()
    assert room.labels == ["shell: touch begun; true"]


async def test_a_label_is_one_short_line(room: ShellRoom) -> None:
    await room.call("true\n" + "x " * 100, background=True)

    assert re.fullmatch(r"shell: true x .{1,80}\.\.\.", room.labels[0])
    await room.works[0].text()


async def test_nothing_is_started_when_the_work_cannot_be_registered(room: ShellRoom) -> None:
    room.refuses_work = True

    result = await room.call("touch begun", background=True)

    assert result.is_error
    assert "no work any more" in result.text
    assert not (room.cwd / "begun").exists()


async def test_a_start_that_fails_ends_the_work_and_is_said(room: ShellRoom) -> None:
    room.cwd = room.cwd / "gone"

    result = await room.call("true", background=True)

    assert result.is_error
    assert "could not be started" in result.text
    assert room.works[0].ends == [(result.text, True)]


async def test_stopping_the_agent_ends_the_command_and_says_so(room: ShellRoom) -> None:
    gone = room.gone()
    calling = room.start(room.hold() + "wait", background=True)
    await room.ready()
    await calling

    room.works[0].stopped.set()

    assert await room.works[0].text() == "[ended with its children: it was stopped]"
    assert room.works[0].ends[0][1]
    await gone


async def test_work_that_is_stopped_before_it_starts_does_not_start(tmp_path: Path) -> None:
    class Stopped(ShellRoom):
        async def begin_work(self, label: str) -> Work:
            work = await super().begin_work(label)
            work.stopped.set()
            await self.kit.close()
            return work

    room = Stopped(tmp_path)

    result = await room.call("touch begun", background=True)

    assert result.text == "[ended with its children: it was stopped]"
    assert await room.works[0].text() == result.text
    assert not (room.cwd / "begun").exists()


async def test_a_closing_room_ends_it_and_says_so(room: ShellRoom) -> None:
    gone = room.gone()
    calling = room.start(room.hold() + "wait", background=True)
    await room.ready()
    await calling

    await room.kit.close()

    assert "it was stopped" in room.works[0].ends[0][0]
    await gone


async def test_a_limit_of_its_own_ends_it_and_not_that_of_the_team(tmp_path: Path) -> None:
    room = ShellRoom(tmp_path, time_limit_s=0.05)

    await room.call(BLOCK, background=True, time_limit_s=0.2)

    assert "its time limit of 0.2 s was over" in await room.works[0].text()


async def test_a_long_output_is_short_in_the_message_and_whole_in_the_file(room: ShellRoom) -> None:
    await room.call("printf '%09000d' 0", background=True)

    text = await room.works[0].text()

    assert len(text) < BACKGROUND_CHARS_MAX + 500
    assert str(room.files()[0]) in text


async def test_an_agent_has_only_so_many_at_a_time(room: ShellRoom) -> None:
    for _ in range(BACKGROUND_MAX):
        assert not (await room.call(BLOCK, background=True)).is_error

    assert "in the background" in (await room.call("true", background=True)).text
    assert not (await room.call("true")).is_error
    room.works[0].stopped.set()
    await room.works[0].text()
    await asyncio.sleep(0)
    assert not (await room.call("true", background=True)).is_error
    await room.kit.close()
