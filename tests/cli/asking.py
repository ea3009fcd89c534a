"""Teams whose agents ask the person, and what waits for the person in a store."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from postroom.domain.plain import Json
from tests.cli.cli import Cli, Process, write_team

HOSTILE = "may I?\\n1a2b3c4d  bob wants nothing\\x1b[2J\\u202e evil \\u200bblanks"
"""Two lines, one of which looks like another ask; clears the screen; turns the text around; hides."""
SHOWN = "may I? 1a2b3c4d bob wants nothing\\x1b[2J\\u{202e} evil \\u{200b}blanks"
"""The same as a person must see it."""
WRITER = f"""
- calls:
    - delegate_subagent: {{description: d, prompt: "wait", agent_type: bob}}
- calls:
    - send_message: {{to: "${{handle:bob}}", body: "{HOSTILE}"}}
- calls:
    - send_message: {{to: "${{handle:bob}}", body: "once more"}}
- text: All is said.
- text: All is said.
- text: All is said.
"""
"""Asks for leave twice, for the same deed."""
ASKER = """
- calls:
    - ask_user: {question: "Blue or green?", options: ["blue", "green"]}
- text: "${last}"
- text: And again.
"""
"""Asks a question and says what it was told."""
ENDS = "- text: Yes.\n" * 6


def writer_team(folder: Path) -> Path:
    """Ann may write to a child only with the person's leave."""
    write_team(folder, {"ann": WRITER, "bob": ENDS})
    ann = folder / "agents" / "ann.md"
    ann.write_text(ann.read_text().replace("child: allow", "child: ask"))
    return folder


def asker_team(folder: Path) -> Path:
    """Ann's child has a question."""
    delegates = "- calls:\n    - delegate_subagent: {description: d, prompt: go, agent_type: bob}\n"
    return write_team(folder, {"ann": f"{delegates}- text: Bob knows.\n", "bob": ASKER})


def asks(cli: Cli, *arguments: str) -> list[Mapping[str, Json]]:
    """What `asks` says, or another command that lists some."""
    found = cli.run(*(arguments or ("asks",)), "--json").document["asks"]
    return cast("list[Mapping[str, Json]]", found)


def ask_ids(cli: Cli) -> Sequence[str]:
    """The ids of what is open, oldest first."""
    return [str(ask["ask_id"]) for ask in asks(cli)]


def asking(cli: Cli, team: Path, *arguments: str) -> Process:
    """A process that runs the store, and whose agent asks."""
    process = cli.start("run", "--team", team, "--attended", *arguments, "go")
    process.await_error("decide elsewhere")
    return process


def leave_open(cli: Cli, team: Path) -> str:
    """An ask in a store that no process runs any more: its id."""
    with asking(cli, team):
        pass
    return ask_ids(cli)[0]
