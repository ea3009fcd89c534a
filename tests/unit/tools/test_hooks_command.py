"""Shell hooks: what they are given, what their exit codes mean, and hostile ones."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from postroom.profiles.hook_settings import Moment, OnFailure
from postroom.testing.clock import FakeClock
from postroom.tools.hooks.command import OUTPUT_BYTES_MAX
from postroom.tools.hooks.gate import GateVerdict
from tests.pipes import heard
from tests.unit.tools.hook_rig import TEAM, ask, command, gate, gated, until


async def test_it_reads_the_call_as_json_in_the_folder_of_its_settings(tmp_path: Path) -> None:
    await ask(command(tmp_path, "cat > seen.json"), call=gated(command="ls -l"))

    seen = json.loads((tmp_path / "seen.json").read_text("utf-8"))
    assert (seen["hook"], seen["on"]) == ("keeper", "tool_before_call")
    assert seen["call"] == {
        "session_id": "s", "branch_id": "b", "turn_id": "t", "call_id": "c_1_1_0", "agent": "writer",
        "tool": "shell", "arguments": {"command": "ls -l"}, "action": "shell", "resource": "ls", "to": None,
        "body": "ls",
    }  # fmt: skip


async def test_exit_code_0_lets_the_call_through(tmp_path: Path) -> None:
    for text in ("true", "echo; echo '  '", "echo '{}'", "echo chatter >&2"):
        assert await ask(command(tmp_path, text)) == GateVerdict()


async def test_json_on_its_output_changes_the_arguments(tmp_path: Path) -> None:
    verdict = await ask(command(tmp_path, """echo '{"arguments": {"command": "ls -1"}}'"""))

    assert verdict == GateVerdict(arguments={"command": "ls -1"}, hook="keeper")


async def test_exit_code_2_denies_with_the_reason_on_the_error_stream(tmp_path: Path) -> None:
    verdict = await ask(command(tmp_path, """echo '{"arguments": {}}'; echo ' not now ' >&2; exit 2"""))
    mute = await ask(command(tmp_path, "exit 2"))

    assert verdict == GateVerdict(allowed=False, reason="not now", hook="keeper", denied_by=("keeper",))
    assert mute.reason == "it gave no reason"


FAILURES = {
    "another exit code": ("echo oh >&2; exit 1", "hook_failed", "exit code 1: oh"),
    "no such program": ("/no/such/program", "hook_failed", "exit code 127"),
    "killed": ("kill -KILL $$", "hook_failed", "it was killed by signal 9"),
    "not JSON": ("echo allowed", "hook_answer_invalid", "its answer is not JSON"),
    "not UTF-8": (r"printf '\377\376{}'", "hook_answer_invalid", "its answer is not JSON"),
    "a list": ("echo '[]'", "hook_answer_invalid", "its answer is not {"),
    "another key": ("""echo '{"verdict": "no"}'""", "hook_answer_invalid", "its answer is not {"),
    "no object": ("""echo '{"arguments": []}'""", "hook_answer_invalid", "its arguments are no JSON object"),
    "a broken text": (r"""echo '{"arguments": {"a": "\ud800"}}'""", "hook_answer_invalid", "its arguments"),
    "two objects": ("echo '{}{}'", "hook_answer_invalid", "its answer is not JSON"),
    "deep": ("""for i in $(seq 50000); do printf '['; done""", "hook_answer_invalid", "its answer is not"),
    "huge": ("head -c 50000000 /dev/zero", "hook_answer_invalid", "its answer is longer"),
    "huge errors": ("head -c 50000000 /dev/zero >&2; exit 3", "hook_failed", "exit code 3"),
}


@pytest.mark.parametrize("on_failure", list(OnFailure))
@pytest.mark.parametrize("how", list(FAILURES))
async def test_everything_else_is_a_failure(how: str, on_failure: OnFailure, tmp_path: Path) -> None:
    text, code, what = FAILURES[how]

    verdict = await ask(command(tmp_path, text, on_failure=on_failure))

    assert verdict.allowed is (on_failure is OnFailure.ALLOW)
    ((hook, found, told),) = [(one.hook, one.code, one.what) for one in verdict.failed]
    assert (hook, found) == ("keeper", code)
    assert told.startswith(what)
    assert len(told) < 1_000
    assert verdict.arguments is None


async def test_a_folder_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    verdict = await ask(command(tmp_path / "gone", "true"))

    assert verdict.failed[0].what.startswith("it could not be started")


@pytest.mark.parametrize("text", ["exec <&-; true", "true", "head -c 1 >/dev/null"])
async def test_a_hook_that_does_not_read_blocks_nobody(text: str, tmp_path: Path) -> None:
    call = gated(body="x" * 5_000_000)

    assert await ask(command(tmp_path, text), call=call) == GateVerdict()


async def test_it_may_close_what_it_writes_to(tmp_path: Path) -> None:
    assert await ask(command(tmp_path, "exec >&- 2>&-; true")) == GateVerdict()


async def test_the_longest_answer_is_read_whole(tmp_path: Path) -> None:
    size = OUTPUT_BYTES_MAX - len('{"arguments": {"a": ""}}') - 1
    text = f"""printf '{{"arguments": {{"a": "'; head -c {size} /dev/zero | tr '\\0' x; printf '"}}}}'"""

    verdict = await ask(command(tmp_path, text))

    assert verdict.arguments is not None, verdict.failed
    assert len(str(verdict.arguments["a"])) == size


HOLDS = "exec 9>alive; echo up >ready; trap '' TERM; (trap '' TERM; read x <go) & read x <go"
"""A hook with a child, both deaf to the polite signal and waiting for a word that never comes."""


def _pipes(folder: Path) -> "asyncio.Task[str]":
    """A task that is done once every process that held `alive` is dead."""
    for name in ("alive", "ready", "go"):
        os.mkfifo(folder / name)
    return asyncio.get_running_loop().create_task(heard(folder / "alive"))


async def test_a_hook_that_hangs_is_killed_with_its_children_when_its_time_is_over(tmp_path: Path) -> None:
    clock, dead = FakeClock(), _pipes(tmp_path)
    asking = asyncio.ensure_future(ask(command(tmp_path, HOLDS, clock=clock)))
    await heard(tmp_path / "ready")

    await clock.advance(59.0)
    assert not asking.done()
    await clock.advance(2.0)
    verdict = await asking

    assert [one.code for one in verdict.failed] == ["hook_timed_out"]
    assert verdict.allowed
    await dead


async def test_a_turn_that_ends_kills_the_hook_that_it_waits_for(tmp_path: Path) -> None:
    dead, hook = _pipes(tmp_path), command(tmp_path, HOLDS)
    asking = asyncio.ensure_future(ask(hook))
    await heard(tmp_path / "ready")

    asking.cancel()
    await asyncio.wait((asking,))
    await hook.close()

    assert asking.cancelled()
    await until(dead.done)


async def test_what_a_hook_leaves_running_is_ended(tmp_path: Path) -> None:
    dead = _pipes(tmp_path)

    verdict = await ask(command(tmp_path, "exec 9>alive; (read x <go) >/dev/null 2>&1 & true"))

    assert verdict == GateVerdict()
    await dead


async def test_its_environment_holds_no_keys_but_what_its_settings_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-1")
    monkeypatch.setenv("PLACE", "here")
    monkeypatch.setenv("HOME", str(tmp_path))

    verdict = await ask(
        command(tmp_path, 'echo "$SOME_API_KEY|$PLACE|${HOME:+home}" >&2; exit 2', env=("PLACE",))
    )

    assert verdict.reason == "|here|home"


async def test_it_is_asked_about_the_tools_and_the_agents_that_it_is_for(tmp_path: Path) -> None:
    denies = "exit 2"

    assert not (await ask(command(tmp_path, denies, tools=("sh*",)))).allowed
    assert (await ask(command(tmp_path, denies, tools=("write_*", "edit")))).allowed
    assert not (await ask(command(tmp_path, denies, team=TEAM))).allowed
    assert (await ask(command(tmp_path, denies, team="/teams/other"))).allowed
    assert gate(command(tmp_path, denies, on=(Moment.EVENT,))).is_idle
    assert not gate(command(tmp_path, denies)).is_idle
