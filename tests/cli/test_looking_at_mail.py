"""`show`, `why` and `log` of mail that is more than from one agent to another: on a bus, and to several."""

from pathlib import Path
from typing import Final, cast

import pytest

from postroom.domain.plain import Json
from tests.cli.cli import Cli, write_team

THANK: Final = "Have it checked, and say thank you"
SEVERAL: Final = """\
- calls:
    - agent: {description: north, prompt: look north, profile: bob}
    - agent: {description: south, prompt: look south, profile: bob}
- calls:
    - send_message: {to: [north, south], message: thank you both}
- text: I have thanked them.
"""


@pytest.fixture
def talk(cli: Cli, tmp_path: Path) -> str:
    """The shipped team on a bus, after a turn in which all was read and one in which something was not."""
    team = tmp_path / "talk"
    cli.run("init", team, "--example", "roster")
    cli.run("run", "--team", team, "Look at both sides of the town")
    session = cli.session()
    cli.run("run", "--team", team, "--session", session, THANK)
    return session


def newest(cli: Cli, kind: str, agent: str) -> str:
    """The id of the message of the newest such event of an agent."""
    found = [event for event in cli.log() if event["kind"] == kind and event["agent"] == agent]
    return str(found[-1]["message_id"])


def told(page: str, word: str) -> list[str]:
    """What stands behind a word at the beginning of a line."""
    return [line.removeprefix(word).strip() for line in page.splitlines() if line.startswith(f"{word} ")]


def row(value: Json) -> dict[str, Json]:
    """A JSON object."""
    return cast("dict[str, Json]", value)


def test_mail_on_a_bus_names_what_it_was_written_to_and_who_took_it(cli: Cli, talk: str) -> None:
    """KK-1: to a label there are as many readers as there are runs of it, the sender among them."""
    del talk
    message = next(str(event["message_id"]) for event in cli.log() if event["kind"] == "bus.posted")

    shown, why = cli.run("show", message), cli.run("why", message)

    ((to,), (also,)) = told(shown.out, "to"), told(shown.out, "also to")
    assert to.startswith("researcher, on the bus: researcher_")
    assert also.startswith("researcher_")
    assert told(why.out, "to")[0].startswith(to)
    assert len(told(why.out, "and to")) == 1
    assert row(cli.run("why", message, "--json").document["message"])["selector"] == "researcher"


def test_mail_that_nobody_took_from_a_bus_can_be_looked_at(cli: Cli, talk: str) -> None:
    """KK-11, KK-42: by itself, in the turn that it was written in, and in the log."""
    message = newest(cli, "message.undelivered", "assistant")

    shown, why, turn = cli.run("show", message), cli.run("why", message), cli.run("why", talk)

    assert told(shown.out, "to") == ["checker#1, on the bus: nobody"]
    assert told(shown.out, "state") == ["undelivered"]
    assert (why.code, told(why.out, "to")) == (0, ["checker#1, on the bus: nobody"])
    assert told(why.out, "from")[0].startswith("assistant, by call ")
    assert turn.code == 0
    assert f"mail {message} to checker#1: undelivered" in turn.out
    assert {str(event["to"]) for event in cli.log() if event["message_id"] == message} == {"", "checker#1"}


def test_mail_to_several_is_shown_with_all_of_them(cli: Cli, tmp_path: Path) -> None:
    """Read in the store itself, as while a process runs it."""
    scripts = {"ann": SEVERAL, "bob": "- text: done\n- text: you are welcome\n"}
    team = write_team(tmp_path / "team", scripts, settings='surface = "team"\n')
    cli.run("run", "--team", team, "look around")
    message = newest(cli, "message.sent", str(cli.agents()[0]["profile"]))

    page = cli.run("show", message).out

    names = {str(agent["handle"]) for agent in cli.agents()} - {""}
    assert {told(page, "to")[0], told(page, "also to")[0].partition(":")[0]} == names
    life = [line for line in cli.run("why", message).out.splitlines() if " by the answer of round " in line]
    assert {line.rpartition(" of ")[2] for line in life} == names


def test_two_conversations_that_write_to_each_other_are_told_apart(cli: Cli, tmp_path: Path) -> None:
    """Both may be of one profile; their sessions are not."""
    team = tmp_path / "peers"
    cli.run("init", team, "--example", "peer")
    cli.run("run", "--team", team, "--profile", "keeper", "Keep the list of free ports")
    keeper = cli.session()
    cli.run("run", "--team", team, "Get me a port")
    message = newest(cli, "message.sent", "builder")
    sessions = {str(agent["profile"]): str(agent["session_id"]) for agent in cli.agents()}

    shown, why = cli.run("show", message).out, cli.run("why", message).out

    assert sessions["keeper"] == keeper
    assert told(shown, "from") == [f"builder ({sessions['builder']})"]
    assert told(shown, "to") == [f"keeper ({keeper})"]
    assert told(why, "from")[0].startswith(f"builder ({sessions['builder']}), by call ")
    assert told(why, "to")[0].startswith(f"keeper ({keeper})")
