"""`postroom why`: read-only, with or without a process, the same for people and programs."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import cast

from postroom.domain.plain import Json
from postroom.frontends.cli.why_page import SHOWN, why_page
from tests.cli.cli import Cli, write_team

SCREEN_LINES = 40
WRITER = """\
- calls:
    - delegate_subagent: {description: helps, prompt: "look it up", agent_type: bob, background: false}
- calls:
    - send_message: {to: nobody_00000000, body: "a secret\\e[31m"}
- text: "Done: \\e[31mred."
"""


def row(value: Json) -> dict[str, Json]:
    """A JSON object."""
    assert isinstance(value, dict)
    return value


def listed(value: Json) -> list[dict[str, Json]]:
    """A JSON list of objects."""
    return cast("list[dict[str, Json]]", value)


def team(folder: Path) -> Path:
    """Ann asks bob, writes to nobody, and is done."""
    return write_team(folder / "team", {"ann": WRITER, "bob": "- text: I found it.\n"})


def counted(store: Path) -> tuple[int, ...]:
    """How much a store holds."""
    with closing(sqlite3.connect(store / "postroom.db")) as connection:
        tables = ("event", "message", "turn")
        return tuple(connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables)  # noqa: S608


def test_an_agent_says_why_it_woke_and_every_id_can_be_asked_for(cli: Cli, tmp_path: Path) -> None:
    cli.run("run", "--team", team(tmp_path), "find out")
    before = counted(cli.store)

    found = cli.run("why", cli.session(), "--json").document

    turn = row(found["turn"])
    assert (found["what"], turn["trigger"], turn["state"]) == ("turn", "user", "finished")
    assert [call["outcome"] for call in listed(turn["calls"])] == ["ok", "unknown_reference"]
    assert [row(cause["sender"])["by"] for cause in listed(found["because"])] == ["person"]
    (task,) = listed(turn["tasks"])
    ids = (turn["turn_id"], task["task_id"], task["result_id"], listed(turn["calls"])[1]["call_id"])
    for each in map(str, ids):
        assert each in cli.run("why", each).out
    assert counted(cli.store) == before


def test_a_message_is_told_on_one_screen_and_steers_no_terminal(cli: Cli, tmp_path: Path) -> None:
    cli.run("run", "--team", team(tmp_path), "find out")
    found = cli.run("why", cli.session(), "--json").document
    (read, *_) = listed(row(found["turn"])["read"])

    page = cli.run("why", str(read["message_id"]))

    assert page.code == 0
    assert len(page.out.splitlines()) <= SCREEN_LINES
    assert "from       the person" in page.out
    assert "Done: \\x1b[31mred." in page.out
    assert "send_message (c_1_2_0) → unknown_reference" in page.out
    assert "\x1b" not in page.out + cli.run("why", str(read["message_id"]), "--json").out


def test_the_process_that_runs_the_store_answers_the_same(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        session = cli.session()
        asked = cli.run("why", session, "--json").document
        text = cli.run("why", session)

    turn = row(asked["turn"])
    assert (turn["state"], turn["ended_us"]) == ("running", None)
    assert "running; 0 rounds" in text.out


def test_what_there_is_not_is_one_line_and_exit_5(cli: Cli, tmp_path: Path) -> None:
    cli.run("run", "--team", team(tmp_path), "find out")

    for reference in ("nobody", "c_7_7_7", "\udcff", "0123456789abcdef"):
        assert cli.run("why", reference).fails(5, "not_found")
    assert cli.run("why").fails(2, "usage")


def test_a_list_that_is_too_long_for_a_screen_is_counted() -> None:
    made: dict[str, Json] = {
        "call_id": "c_1_1_0",
        "tool": "look",
        "outcome": "ok",
        "changed_by": "",
        "hooks": [],
    }
    calls: list[Json] = [made for _ in range(SHOWN + 5)]
    turn: dict[str, Json] = {
        "turn_id": "t", "agent": {"by": "agent", "name": "ann"}, "trigger": "user", "state": "finished",
        "end_reason": "", "cancelled_by": None, "spent": {}, "read": [], "calls": calls,
        "sent": [], "tasks": [], "asks": [], "side_calls": [], "goals": [], "text": "",
    }  # fmt: skip
    found: dict[str, Json] = {
        "what": "turn", "message": None, "turn": turn, "call": None, "ask": None, "because": [],
    }  # fmt: skip

    lines = list(why_page(found))

    assert sum("look (c_1_1_0)" in line for line in lines) == SHOWN - 1
    assert lines[-1].strip() == "and 6 more, see --json"
