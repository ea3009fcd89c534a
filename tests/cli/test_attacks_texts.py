"""Attacks on the eyes of a person: texts of agents that would reorder or forge what a terminal shows."""

import json
from pathlib import Path

from tests.cli.cli import Cli, write_team

TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029"
HOSTILE = f"\x1b[2J\x1b]0;title\x07\r\x9b31m{TURNS}done"


def test_no_text_of_an_agent_steers_the_terminal_or_turns_a_line(tmp_path: Path) -> None:
    """O-13, O-24: a page of the audit reads as it was written, whatever agents have written into it."""
    cli, word = Cli(tmp_path), json.dumps(HOSTILE)
    script = (
        f"- calls:\n    - delegate_subagent: {{description: {word}, prompt: {word}, agent_type: kid}}\n"
        f"- calls:\n    - send_message: {{to: {word}, body: {word}}}\n    - {word}: {{}}\n- text: {word}\n"
    )
    team = write_team(tmp_path / "team", {"boss": script, "kid": f"- text: {word}\n"})
    cli.run("run", "--team", team, HOSTILE)
    root, kid = (str(agent["session_id"]) for agent in cli.agents())
    places = cli.run("revert", root, "--dry-run").out
    cli.run("goal", "set", root, HOSTILE)

    pages = [
        cli.run(*words).out
        for words in (
            ("ps",), ("log",), ("show", root), ("show", kid), ("why", root), ("why", kid),
            ("goal", "show", root), ("search", "done"),
        )
    ]  # fmt: skip

    assert all(pages)
    assert places
    assert not {char for page in [places, *pages] for char in page if char in f"{TURNS}\x1b\x07\r\x9b"}
