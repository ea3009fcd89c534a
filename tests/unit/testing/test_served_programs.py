"""The provider emulator as a person starts it, and the test that its page tells people to copy."""

import re
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "emulated-provider.md"
PLAN = '{"agents": {"editor": {"turn": [{"text": "hello"}]}}}'


def started(folder: Path, plan: str | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = folder / "plan.json"
    if plan is not None:
        script.write_text(plan, encoding="utf-8")
    program = [sys.executable, "-m", "postroom.testing.provider_emulator", "--script", str(script)]
    return subprocess.run([*program, *arguments], capture_output=True, text=True, check=False, timeout=60)


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = started(tmp_path, PLAN, "--port", port)

    assert ended.returncode == 1
    assert re.fullmatch(rf"port {port}: Address already in use \(0 picks a free port\)\n", ended.stderr)


@pytest.mark.parametrize(("plan", "words"), [(None, "No such file"), ("{", "Invalid JSON"), ("[]", "plan")])
def test_a_plan_that_cannot_be_read_is_one_line(tmp_path: Path, plan: str | None, words: str) -> None:
    ended = started(tmp_path, plan)

    assert ended.returncode == 3
    assert len(ended.stderr.splitlines()) == 1
    assert words in ended.stderr
    assert "Errno" not in ended.stderr


async def test_the_test_of_the_page_passes() -> None:
    program = PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    names: dict[str, Callable[[], Awaitable[None]]] = {}
    exec(program, names)  # pyright: ignore[reportArgumentType] # noqa: S102 -- people are told to copy it

    await names["test_the_editor_is_asked_once"]()
