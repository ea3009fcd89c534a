"""A team that talks while it works, as a person sees it who watches (systems.md 2.7, 2.10)."""

import shlex
from pathlib import Path

import pytest

from postroom.profiles.example import example_names
from tests.cli.cli import Cli
from tests.cli.test_chat import talking

LOOK, THANK = "Look at both sides of the town", "Have it checked, and say thank you"
UNREAD = (
    "One message between agents was not delivered:",
    "- from assistant to checker#1: Thank you for reading it all.",
)
ALERT = f'One message between agents was not delivered in "{LOOK}".'


@pytest.fixture
def team(cli: Cli, tmp_path: Path) -> Path:
    """The shipped team."""
    cli.run("init", tmp_path / "talkers", "--example", "roster")
    return tmp_path / "talkers"


def test_a_message_is_shown_where_it_lands_with_what_it_is_and_who_wrote_it(cli: Cli, team: Path) -> None:
    """KK-47, systems.md 2.10: in a chat, live; and what nobody read is read out (KK-42)."""
    with talking(cli, "--team", str(team)) as chat:
        chat.type(f"{LOOK}\n")
        chat.await_signs(
            "· researcher#1: [message] [message from researcher#2] I have taken the south side",
            "· researcher#2: [message] [message from researcher#1] I have taken the north side",
            "Both sides are looked at.",
        )
        chat.type(f"{THANK}\n")
        chat.await_signs(*(f"· {line}" for line in UNREAD))
        chat.type("\x04")
        chat.end()


def test_what_nobody_read_is_said_also_where_nobody_watches(cli: Cli, team: Path) -> None:
    """KK-44: beside the answer, which stands alone; the texts are in the record."""
    first = cli.run("run", "--team", team, LOOK)
    then = cli.run("run", "--team", team, "--session", cli.session(), THANK)

    assert (first.err, first.out) == ("", "Both sides are looked at.\n")
    assert then.out == "The checker says that it holds, and I have thanked it.\n"
    assert then.err == f"· {ALERT}\n"


def test_a_program_is_told_both_in_a_record_each(cli: Cli, team: Path) -> None:
    """KK-44."""
    found = cli.run("chat", "--team", team, "--json", text=f"{LOOK}\n{THANK}\n").documents

    assert [record["text"] for record in found if record["type"] == "note"] == [ALERT]
    assert len([one for one in found if one["type"] == "mail" and one["kind"] == "mail"]) == len(
        ("north", "south") * 2
    )


@pytest.mark.parametrize("example", example_names())
def test_what_init_says_to_try_is_what_its_example_plays(cli: Cli, tmp_path: Path, example: str) -> None:
    team = tmp_path / "a team"

    made = cli.run("init", team, "--example", example)
    (hint,) = [line for line in made.err.splitlines() if line.startswith("try it: postroom ")]
    tried = cli.run(*shlex.split(hint.removeprefix("try it: postroom ")))

    settings = (team / "postroom.toml").read_text()
    assert f"#     {hint.removeprefix('try it: ').replace(shlex.quote(str(team)), '.')}\n" in settings
    assert (tried.code, tried.err) == (0, "")
