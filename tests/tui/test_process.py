"""`postroom tui` as a person has it: a process in a real terminal."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.cli import POSTROOM, Cli, write_team

PATIENCE_S = 60.0
MODES = re.compile(r"\x1b\[\?\d+[hl]")
"""What switches something of a terminal on or off."""
FRONT = "  write: ask\ntools: [files]\n"
WRITES = '- calls: [{write_file: {path: a.md, content: "x"}}]\n- text: Here you are.\n'


class Terminal:
    """A pseudo-terminal with a command in it."""

    def __init__(self, cli: Cli, *words: str, columns: int, lines: int, kind: str = "xterm-256color") -> None:
        self._fd, inner = pty.openpty()
        self.resize(columns, lines)
        env = {**cli.env, "TERM": kind}
        self._process = subprocess.Popen(
            [*POSTROOM, *words], env=env, stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
            cwd=cli.folder,
        )  # fmt: skip
        os.close(inner)
        self.seen = ""
        # A letter of several bytes may come in two pieces.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def resize(self, columns: int, lines: int) -> None:
        """Make the window larger or smaller; the process is told by a signal."""
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, sign: str) -> None:
        """Read until something new was drawn that has a sign in it."""
        deadline = time.monotonic() + PATIENCE_S
        while sign not in self.seen:
            assert time.monotonic() < deadline, self.seen[-2000:]
            self._read(deadline)
        self.seen = ""

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._fd, keys.encode())

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def end(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read(deadline):
            pass
        return self._process.wait(PATIENCE_S)

    def close(self) -> None:
        """End it, however it stands."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._fd)

    def _read(self, deadline: float) -> bool:
        readable, _, _ = select.select([self._fd], [], [], max(deadline - time.monotonic(), 0))
        assert readable, self.seen[-2000:]
        try:
            piece = os.read(self._fd, 65_536)
        except OSError:  # nobody has the terminal open any more
            return False
        self.seen += self._decoder.decode(piece)
        return bool(piece)


@pytest.fixture
def served_cli(tmp_path: Path) -> Iterator[Cli]:
    """A daemon in the background, whose agent asks for leave."""
    cli = Cli(tmp_path)
    team = write_team(tmp_path / "asks", {"ann": WRITES}, front=FRONT)
    begun = cli.run("up", "--detach", "--port", "0", "--team", team)
    assert begun.code == 0, begun.err
    yield cli
    cli.run("down")


def test_it_starts_shows_decides_and_leaves(served_cli: Cli) -> None:
    """At 80 by 24, smaller and larger; a letter in a line is a letter; nothing stops when it ends."""
    sent = served_cli.start("run", "--attended", "write it down")
    terminal = Terminal(served_cli, "tui", columns=80, lines=24)
    try:
        with sent:
            terminal.until("Asks (1)")
            terminal.press("\x1bOS")
            terminal.until("asks for leave")
            terminal.resize(40, 12)
            terminal.until("asks for")
            terminal.resize(200, 60)
            terminal.until("asks for leave")
            terminal.press("\t\ta\x1bOS")
            terminal.until("a")
            assert len(served_cli.run("asks", "--json").document["asks"]) == 1  # pyright: ignore[reportArgumentType]
            terminal.press("a")
            terminal.until("approved")
            assert sent.end().code == 0
        terminal.press("\x11")
        assert terminal.end() == 0
    finally:
        terminal.close()
    assert served_cli.run("status").code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(served_cli: Cli, number: signal.Signals) -> None:
    """Out of the other screen, the mouse let go, the cursor shown."""
    terminal = Terminal(served_cli, "tui", columns=80, lines=24)
    try:
        terminal.until("live")
        terminal.signal(number)
        assert terminal.end() == 0
        assert {"\x1b[?1049l", "\x1b[?1000l", "\x1b[?25h"} <= set(MODES.findall(terminal.seen))
    finally:
        terminal.close()


def test_a_terminal_that_cannot_be_drawn_on_is_told(tmp_path: Path) -> None:
    terminal = Terminal(Cli(tmp_path), "tui", columns=80, lines=24, kind="dumb")
    try:
        terminal.until("set TERM")
        assert terminal.end() == 2
    finally:
        terminal.close()


def test_without_a_daemon_it_says_how_to_begin_one(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    terminal = Terminal(cli, "tui", columns=80, lines=24)
    try:
        terminal.until("postroom up")
        assert terminal.end() == 1
    finally:
        terminal.close()
    assert cli.run("tui").fails(2, "usage")
