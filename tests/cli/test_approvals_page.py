"""The page on asks is typed as it stands, at two terminals."""

import codecs
import os
import pty
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.cli.asking import ask_ids
from tests.cli.cli import PATIENCE_S, Cli
from tests.cli.tutorial import Block, Reader, blocks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "approvals.md"
ID = "5e6f7a8b"
"""Stands in the page for the end of whatever id is open."""
TRIED = 10
"""So many blocks are the part that is tried; the others show what commands look like."""


class FirstTerminal:
    """A command that a person has left running at a terminal of its own."""

    def __init__(self, command: str, reader: Reader) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            ["bash", "-c", command], env=reader.env(), cwd=reader.cli.folder, stdin=theirs, stdout=theirs,
            stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self._seen = ""
        # A letter of several bytes may come in two pieces.
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def shows(self, *signs: str) -> None:
        """Read until each sign has come."""
        deadline = time.monotonic() + PATIENCE_S
        while missing := [sign for sign in signs if sign not in self._seen]:
            ready, _, _ = select.select([self._ours], [], [], max(deadline - time.monotonic(), 0))
            try:
                got = os.read(self._ours, 65_536) if ready else b""
            except OSError:  # how a terminal says that its other side is gone
                got = b""
            assert got, f"no {missing} in {self._seen}"
            self._seen += self._decoder.decode(got).replace("\r", "")

    def end(self) -> int:
        """Wait for the end of the command; its exit code."""
        return self._process.wait(PATIENCE_S)

    def close(self) -> None:
        """Leave nothing running."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._ours)


@contextmanager
def first_terminal(command: str, reader: Reader) -> Iterator[FirstTerminal]:
    terminal = FirstTerminal(command, reader)
    try:
        yield terminal
    finally:
        terminal.close()


def _meant(block: Block, cli: Cli) -> Block:
    """The block with the id that is open now."""
    return replace(block, text=block.text.replace(ID, ask_ids(cli)[0][-len(ID) :]))


def test_whoever_follows_the_page_on_asks_decides_two(cli: Cli) -> None:
    """O-23, O-26: asks are told, listed and decided by the end of their ids."""
    reader, steps = Reader(cli), list(blocks(PAGE.read_text(encoding="utf-8")))[:TRIED]
    *files, begins, told, asks, listed, questions, asked, ends = steps
    for file in files:
        reader.do(file)

    with first_terminal(begins.text, reader) as terminal:
        terminal.shows("decide elsewhere: ")
        terminal.shows(*_meant(told, cli).text.splitlines())
        meant = [_meant(block, cli) for block in (asks, listed)]
        for block in meant:
            reader.do(block)
        terminal.shows("clerk asks")
        for block in [_meant(block, cli) for block in (questions, asked)]:
            reader.do(block)
        terminal.shows(*ends.text.splitlines())

        assert terminal.end() == 0
    assert (cli.folder / "notes.md").read_text(encoding="utf-8") == "The shop opens at nine."
