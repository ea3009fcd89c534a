"""Output without bounds: the model gets its head and tail, the disk a part, the memory none of it."""

import re
import resource
import sys
from pathlib import Path

import pytest

from tests.unit.tools.shell_room import ShellRoom

MEBIBYTE = 1024 * 1024


def memory_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


async def test_output_that_fits_leaves_no_file(tmp_path: Path) -> None:
    room = ShellRoom(tmp_path, output_chars_max=1_000)

    result = await room.call("printf '%01000d' 0")

    assert result.text == "0" * 1_000 + "\n[exit code 0]"
    assert room.files() == []


async def test_output_that_does_not_fit_shows_head_and_tail_and_where_the_rest_is(tmp_path: Path) -> None:
    room = ShellRoom(tmp_path, output_chars_max=1_000)

    result = await room.call("echo first; printf '%05000d' 0; echo; echo last")

    (file,) = room.files()
    whole = "first\n" + "0" * 5_000 + "\nlast\n"
    head, missing, tail = re.split(r"\n\[\.\.\. (.*) \.\.\.\]\n", result.text)
    assert whole.startswith(head)
    assert (head + tail).endswith("last\n[exit code 0]")
    assert missing == f"{len(whole) - 1_000} characters left out; the whole output is in {file}"
    assert file.read_text(encoding="utf-8") == whole
    assert file.stat().st_mode & 0o077 == 0


async def test_a_flood_fills_neither_memory_nor_disk(tmp_path: Path) -> None:
    room = ShellRoom(tmp_path, output_chars_max=2_000, output_bytes_max=MEBIBYTE)
    before = memory_bytes()

    result = await room.call("yes | head -c 100M")

    (file,) = room.files()
    assert file.stat().st_size == MEBIBYTE
    assert f"the first {MEBIBYTE} bytes are in {file}, {99 * MEBIBYTE} are lost" in result.text
    assert len(result.text) < 2_500
    assert memory_bytes() - before < 20 * MEBIBYTE


async def test_a_disk_that_cannot_be_written_costs_only_the_rest(tmp_path: Path) -> None:
    room = ShellRoom(tmp_path, output_chars_max=1_000)
    room.outputs.parent.write_text("a file where a folder should be", encoding="utf-8")

    short = await room.call("echo fine")
    long = await room.call("printf '%05000d' 0")

    assert short.text == "fine\n[exit code 0]"
    assert "4000 characters left out; they could not be kept: " in long.text


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (r"printf '\303'; printf '\244'", "ä"),
        (r"printf 'caf\351!'", "caf\N{REPLACEMENT CHARACTER}!"),
        (r"printf 'a\0b'", "a\N{REPLACEMENT CHARACTER}b"),
        (r"printf 'cut\303'", "cut\N{REPLACEMENT CHARACTER}"),
    ],
)
async def test_bytes_become_text_that_can_be_carried(tmp_path: Path, command: str, text: str) -> None:
    """O-27"""
    room = ShellRoom(tmp_path)

    assert (await room.call(command)).text == f"{text}\n[exit code 0]"
