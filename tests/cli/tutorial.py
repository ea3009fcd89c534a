"""Follows a page of the documentation as a newcomer would: writes its files, types its commands."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cli.cli import PATIENCE_S, Cli

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"`([\w-]+(?:/[\w.-]+)*\.\w+)`")
_HANDLE = re.compile(r"\b([a-z]+)_1a2b3c4d\b")
_TASK = "t_1a2b3c4d5e6f70"
_NEWS = "· "
NOT_TYPED = ("make run", ". .venv/bin/activate")
"""What has been done on this machine already; the tests of the demo and of a fresh clone do it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of a page: a file to write, commands to type, or what they show."""

    kind: str
    text: str
    file: str = ""


def blocks(page: str) -> Iterator[Block]:
    """The blocks in order. A block with a language is the file that the text before it named last."""
    before = 0
    for found in _BLOCK.finditer(page):
        language, text = found[1], found[2]
        if language == "text":
            yield Block(kind="shown", text=text)
        elif language:
            named = _FILE.findall(page[before : found.start()])
            yield Block(kind="file", text=text, file=named[-1])
        else:
            yield Block(kind="typed", text=text)
        before = found.end()


class Reader:
    """Somebody who does what a page says, in an empty folder."""

    def __init__(self, cli: Cli) -> None:
        self.cli = cli
        self.shown = ""
        """What the newest commands printed on the terminal."""

    def do(self, block: Block) -> None:
        """Write, type, or compare."""
        match block.kind:
            case "file":
                path = self.cli.folder / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            case "typed":
                commands = [line for line in block.text.splitlines() if line and line not in NOT_TYPED]
                self.shown = "".join(self._type(command) for command in commands)
            case _:
                self._compare(block.text)

    def _compare(self, text: str) -> None:
        """Text streams from the model and news comes from the log: each keeps its own order only."""
        wanted, shown = text.splitlines(), self.shown.splitlines()
        for is_news in (True, False):
            lines = iter([line for line in shown if line.startswith(_NEWS) is is_news])
            for one in (line for line in wanted if line.startswith(_NEWS) is is_news):
                any_task = re.escape(one).replace(_TASK, "t_[0-9a-f]{14}")
                pattern = re.compile(_HANDLE.sub(r"\1_[0-9a-f]{8}", any_task))
                assert any(pattern.search(line) for line in lines), f"not shown: {one}\n{self.shown}"

    def _type(self, command: str) -> str:
        """One line in a shell whose output is a terminal; it must succeed."""
        typed = _HANDLE.sub(lambda found: self._handle(found[1]), command)
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            ["bash", "-c", typed], env=self.env(), cwd=self.cli.folder, stdin=subprocess.DEVNULL,
            stdout=theirs, stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        shown = read_all(ours)
        assert process.wait(PATIENCE_S) == 0, f"{typed}\n{shown}"
        return shown

    def env(self) -> Mapping[str, str]:
        """The environment of a shell at this terminal."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {**self.cli.env, "PATH": path, "TERM": "dumb"}

    def _handle(self, profile: str) -> str:
        """The handle of the newest agent of that profile."""
        found = self.cli.run("ps", "--json")
        agents = json.loads(found.out)["agents"]
        return str([agent["handle"] for agent in agents if agent["profile"] == profile][-1])


def read_all(terminal: int) -> str:
    """Everything that is written to the other side of a terminal, until it is gone."""
    pieces: list[bytes] = []
    try:
        while piece := os.read(terminal, 65_536):
            pieces.append(piece)
    except OSError:  # how a terminal says that its other side is gone
        pass
    os.close(terminal)
    return b"".join(pieces).decode(errors="replace").replace("\r\n", "\n")
