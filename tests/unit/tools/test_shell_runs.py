"""Commands: what they see, what is told of them, and that nothing of them is ever left."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from postroom.profiles.tool_settings import ShellSettings
from postroom.tools.shell.environment import clean_environment
from postroom.tools.shell.kit import ShellKit
from tests.pipes import lines
from tests.unit.tools.shell_room import BLOCK, PATIENCE_S, ShellRoom


@pytest.fixture
def room(tmp_path: Path) -> ShellRoom:
    return ShellRoom(tmp_path)


def test_there_is_no_shell_unless_it_is_allowed(tmp_path: Path) -> None:
    assert ShellKit(ShellSettings(), tmp_path).toolsets() == ()


def test_the_shell_is_a_group_of_its_own_and_runs_alone(room: ShellRoom) -> None:
    (toolset,) = room.kit.toolsets()
    (tool,) = toolset.tools

    assert (toolset.group, tool.spec.name, tool.parallel) == ("shell", "shell", False)
    assert room.kit.generation == 0


async def test_output_and_errors_come_in_order_with_the_exit_code(room: ShellRoom) -> None:
    result = await room.call("echo one; echo two >&2; echo three; exit 3")

    assert result.text == "one\ntwo\nthree\n[exit code 3]"
    assert result.is_error


async def test_a_command_that_says_nothing_still_tells_its_end(room: ShellRoom) -> None:
    result = await room.call("true")

    assert (result.text, result.is_error) == ("[exit code 0]", False)


async def test_the_signal_that_killed_a_command_is_named(room: ShellRoom) -> None:
    result = await room.call("kill -SEGV $$")

    assert (result.text, result.is_error) == ("[killed by SIGSEGV]", True)


async def test_a_command_runs_in_the_directory_of_its_session_without_input(room: ShellRoom) -> None:
    result = await room.call("pwd -P; cat; read line || echo no line")

    assert result.text == f"{room.cwd.resolve()}\nno line\n[exit code 0]"


async def test_a_command_may_begin_with_a_dash(room: ShellRoom) -> None:
    assert "exit code 127" in (await room.call("-x")).text


@pytest.mark.parametrize("command", ["", " \n", "echo a\0b"])
async def test_what_is_no_command_is_refused(room: ShellRoom, command: str) -> None:
    assert (await room.call(command)).is_error


@pytest.mark.parametrize("limit_s", [0, -1, 0.0])
async def test_a_time_limit_must_be_one(room: ShellRoom, limit_s: float) -> None:
    assert "more than 0" in (await room.call("echo no", time_limit_s=limit_s)).text


async def test_a_command_that_cannot_be_started_says_why(room: ShellRoom) -> None:
    long = await room.call("true " + "x" * 4_000_000)
    room.cwd = room.cwd / "gone"
    gone = await room.call("true")

    assert "could not be started" in long.text
    assert "could not be started" in gone.text
    assert long.is_error
    assert gone.is_error


async def test_a_command_sees_no_variable_but_those_it_needs_and_those_that_are_named(tmp_path: Path) -> None:
    ours = {
        "PATH": os.environ["PATH"], "HOME": "/h", "LC_ALL": "C", "LANG": "C", "OPENAI_API_KEY": "sk",
        "AWS_SECRET_ACCESS_KEY": "aws", "POSTROOM_STORE": "s", "BASH_ENV": "/x", "LD_PRELOAD": "y",
        "MINE": "m",
    }  # fmt: skip
    room = ShellRoom(tmp_path, env=ours)

    seen = {line.partition("=")[0] for line in (await room.call("env")).text.splitlines()[:-1]}

    assert seen - {"PWD", "OLDPWD", "SHLVL", "_"} == {"PATH", "HOME", "LC_ALL", "LANG"}
    assert clean_environment(ours, ("MINE", "MISSING"))["MINE"] == "m"
    assert "MISSING" not in clean_environment(ours, ("MINE", "MISSING"))
    assert clean_environment({}, ())["PATH"] == os.defpath


async def test_at_its_time_limit_a_command_ends_with_all_its_children(room: ShellRoom) -> None:
    result = await room.cut()

    assert re.fullmatch(r"begun\n\[ended with its children: its time limit of .* s was over\]", result.text)
    assert result.is_error


async def test_the_team_limits_what_a_call_may_ask_for(tmp_path: Path) -> None:
    room = ShellRoom(tmp_path, time_limit_s=0.1)

    assert "its time limit of 0.1 s was over" in (await room.call(BLOCK, time_limit_s=1_000)).text


async def test_what_ignores_the_polite_signal_is_killed(room: ShellRoom) -> None:
    assert re.search("^begun\n.*time limit", (await room.cut("trap '' TERM\n")).text)


async def test_what_is_ended_may_tidy_up_first(room: ShellRoom) -> None:
    running = room.start("trap 'echo tidied; exit 0' TERM; echo up >ready; " + BLOCK + " & wait")
    await room.ready()

    await room.kit.close()

    assert "tidied" in (await running).text


async def test_a_cancelled_call_leaves_nothing(room: ShellRoom) -> None:
    gone = room.gone()
    running = room.start(room.hold(3) + "wait")
    await room.ready(3)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await gone


async def test_a_call_that_is_cancelled_twice_ends_when_its_command_is_dead(room: ShellRoom) -> None:
    running = room.start("trap '' TERM\n" + "echo $$ >ready\n" + BLOCK + "\n" + BLOCK)
    group = int((await lines(room.cwd / "ready"))[0])

    running.cancel()
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    with pytest.raises(ProcessLookupError):
        os.kill(group, 0)


async def test_a_closing_room_ends_every_command_and_starts_none(room: ShellRoom) -> None:
    gone = room.gone()
    running = room.start(room.hold() + "wait")
    await room.ready()

    await room.kit.close()
    await room.kit.close()

    assert (await running).text == "[ended with its children: it was stopped]"
    assert "closing" in (await room.call("echo no")).text
    await gone


async def test_no_dead_process_is_left_unasked_for(room: ShellRoom) -> None:
    group = int((await room.call("echo $$; (true) & (true) & true")).text.split()[0])

    with pytest.raises(ChildProcessError):
        os.waitpid(-group, os.WNOHANG)  # noqa: ASYNC222 -- it does not wait


@pytest.mark.parametrize("output", ["", " >other 2>&1"])
async def test_what_a_command_leaves_running_is_ended_and_said(room: ShellRoom, output: str) -> None:
    gone = room.gone()

    result = await room.call(f"(exec 9>alive; echo up >ready; {BLOCK}){output} &\nread x <ready")

    assert "[what it left running was ended; background=true lets a command go on]" in result.text
    assert not result.is_error
    await gone


async def test_many_children_end_together(room: ShellRoom) -> None:
    gone = room.gone()
    running = room.start(room.hold(60) + "wait")
    await room.ready(60)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await gone


async def test_a_child_that_leaves_the_group_is_not_waited_for(room: ShellRoom) -> None:
    """It is not killed either: that is said in docs/how-to/file-tools.md."""
    leave = (
        "import os; os.setsid(); print('away', flush=True); "
        "open('ready', 'w').write('up'); open('never').read()"
    )
    running = room.start(f'{sys.executable} -c "{leave}" & read x <ready; echo done')
    result = await asyncio.wait_for(running, PATIENCE_S)

    assert "away" in result.text
    assert "done" in result.text
    await asyncio.to_thread((room.cwd / "never").write_text, "end", "utf-8")


async def test_the_loop_goes_on_while_a_command_runs(room: ShellRoom) -> None:
    running = room.start("echo up >ready; read x <never; echo $x")
    await room.ready()

    await asyncio.to_thread((room.cwd / "never").write_text, "heard\n", "utf-8")

    assert (await running).text == "heard\n[exit code 0]"
