"""The real command line in processes of its own, and small teams for it to run."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self, cast

from postroom.domain.plain import Json

PATIENCE_S = 60
"""After so long a process is broken, not slow."""
POSTROOM = (sys.executable, "-m", "postroom")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Json]:
        """Standard output as one JSON object."""
        return cast("dict[str, Json]", json.loads(self.out))

    @property
    def documents(self) -> list[dict[str, Json]]:
        """Standard output as one JSON object a line."""
        return [cast("dict[str, Json]", json.loads(line)) for line in self.out.splitlines()]

    def fails(self, exit_code: int, code: str) -> bool:
        """Whether it ended with this exit code and one line on standard error that names the code."""
        lines = self.err.strip().splitlines()
        assert self.code == exit_code, f"exit {self.code}: {self.err}"
        assert len(lines) == 1, lines
        assert "Traceback" not in self.err
        return lines[0].startswith((f"{code}: ", f'{{"error": {{"code": "{code}"'))


class Process:
    """A command that goes on for a while. Leaving the context kills it if it still runs."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def await_error(self, *signs: str) -> None:
        """Read standard error until a line with each sign has come."""
        self._await(self._process.stderr, signs)

    def await_output(self, *signs: str) -> None:
        """Read standard output until a line with each sign has come."""
        self._await(self._process.stdout, signs)

    def _await(self, stream: IO[str] | None, signs: Sequence[str]) -> None:
        assert stream is not None
        missing, seen = set(signs), list[str]()
        while missing:
            line = stream.readline()
            assert line, f"the process ended before {missing}: {''.join(seen)}"
            seen.append(line)
            missing -= {sign for sign in missing if sign in line}

    def leave(self) -> None:
        """Read nothing more of its output."""
        assert self._process.stdout is not None
        self._process.stdout.close()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def end(self) -> Result:
        """Wait until it has ended."""
        out, err = self._process.communicate(timeout=PATIENCE_S)
        return Result(code=self._process.returncode, out=out, err=err)


class Cli:
    """Runs commands over one store, in an environment without settings of the machine."""

    def __init__(self, folder: Path, env: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.store = folder / "store"
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        self.env = {
            **kept, "HOME": str(folder), "POSTROOM_STORE": str(self.store), "PYTHONPATH": str(folder),
            "PYTHONUTF8": "1", **(env or {}),
        }  # fmt: skip

    @property
    def at_store(self) -> str:
        """How a command that a person may copy names the store."""
        return f"--store {shlex.quote(str(self.store))}"

    def run(self, *arguments: str | Path, text: str = "", within: Sequence[str] = ()) -> Result:
        """Run a command to its end; `within` stands before it."""
        done = subprocess.run(
            [*within, *POSTROOM, *map(str, arguments)], env=self.env, input=text, capture_output=True,
            text=True, timeout=PATIENCE_S, check=False, cwd=self.folder,
        )  # fmt: skip
        return Result(code=done.returncode, out=done.stdout, err=done.stderr)

    def start(self, *arguments: str | Path) -> Process:
        """Start a command and go on."""
        return Process([*POSTROOM, *map(str, arguments)], self.env)

    def runner(self, team: Path, *arguments: str) -> Process:
        """A process that runs the store, its door open and its first turn begun."""
        process = self.start("run", "--verbose", "--team", team, *arguments, "the task")
        process.await_error('"event": "door.opened"', '"event": "turn.started"')
        return process

    def agents(self) -> list[dict[str, Json]]:
        """What `ps` says."""
        return cast("list[dict[str, Json]]", self.run("ps", "--json").document["agents"])

    def session(self) -> str:
        """The session id of the newest conversation."""
        return str([agent for agent in self.agents() if agent["depth"] == 0][-1]["session_id"])

    def log(self) -> list[dict[str, Json]]:
        """What `log` says."""
        return self.run("log", "--json").documents


def write_team(folder: Path, scripts: Mapping[str, str], *, settings: str = "", front: str = "") -> Path:
    """A team folder with one agent a script, the first of them its entry; all may write and delegate."""
    names = list(scripts)
    for name, script in scripts.items():
        others = ", ".join(other for other in names if other != name)
        _write(
            folder / "agents" / f"{name}.md",
            f"---\nname: {name}\ndescription: The {name}.\nmodel: scripted:{name}\n"
            f"delegates_to: [{others}]\npermissions:\n  message: {{ child: allow, parent: allow }}\n"
            f"{front}---\nYou are {name}.\n",
        )
        _write(folder / "scripts" / f"{name}.yaml", script)
    surface = "" if "surface" in settings else 'surface = "tree"\n'
    _write(folder / "postroom.toml", f'entry = "{names[0]}"\n{surface}{settings}')
    return folder


def write_real_team(folder: Path, *, settings: str = "", model: str = "openai:any") -> Path:
    """A team of one agent with a model over HTTP."""
    _write(
        folder / "agents" / "ann.md",
        f"---\nname: ann\ndescription: Ann.\nmodel: {model}\n---\nYou are Ann.\n",
    )
    _write(folder / "postroom.toml", settings)
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


ANSWERS = "- text: Here you are.\n- text: And again.\n- text: And once more.\n"
"""A script that answers at once, three times."""
THINKS = "- text: Here you are.\n  think_s: 600\n- text: And again.\n  think_s: 600\n"
"""A script that thinks for longer than any test."""
