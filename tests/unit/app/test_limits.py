"""Limits of this moment: what a folder says now, what a program has said, and what a broken file leaves."""

from dataclasses import replace
from pathlib import Path

from postroom.app.limits import PresentLimits
from postroom.app.outfit import Outfit
from postroom.config import read_config
from postroom.domain.chain import ChainLimits
from postroom.profiles.team import Team, load_team
from tests.unit.profiles.folder import agent, write


def folder_with(tmp_path: Path, settings: str) -> Path:
    folder = tmp_path / "team"
    write(folder / "agents" / "a.md", agent("a"))
    write(folder / "postroom.toml", settings)
    return folder


def tokens(found: ChainLimits | None) -> int | None:
    assert found is not None
    return found.tokens_max


def limits(person: Path, *teams: Team) -> PresentLimits:
    return PresentLimits(Outfit(config=read_config(environ={}, person_file=person)), lambda: teams)


def test_what_a_folder_and_the_persons_file_say_now(tmp_path: Path) -> None:
    """OP-97: each is read again when it has changed, the folder counts more."""
    folder, person = folder_with(tmp_path, ""), tmp_path / "config.toml"
    now = limits(person)
    said = [tokens(now(str(folder), "team"))]
    write(person, "[budget]\nmax_tokens = 5\n")
    said.append(tokens(now(str(folder), "team")))
    write(folder / "postroom.toml", "[budget]\nmax_tokens = 77\n")
    said.append(tokens(now(str(folder), "team")))

    assert said == [None, 5, 77]


def test_a_broken_file_leaves_things_as_they_were(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "[budget]\nmax_tokens = 5\n")
    now = limits(tmp_path / "config.toml")
    before = now(str(folder), "team")
    write(folder / "postroom.toml", "[budget]\nmax_tokens = -1 # oh\n")

    assert now(str(folder), "team") == before
    assert tokens(before) == 5


def test_nobody_knows_the_limits_of_a_folder_that_is_gone_or_speaks_otherwise(tmp_path: Path) -> None:
    """Then the session's own policy counts."""
    folder = folder_with(tmp_path, "")
    now = limits(tmp_path / "config.toml")

    assert now(str(tmp_path / "nowhere"), "team") is None
    assert now(str(folder), "branch") is None


def test_what_a_program_hands_over_counts_until_its_folder_changes(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "[budget]\nmax_tokens = 5\n")
    team = load_team(folder)
    handed = replace(team, policy=replace(team.policy, tokens_max=9))
    now = limits(tmp_path / "config.toml", handed)
    first = tokens(now(str(folder), "team"))
    write(folder / "postroom.toml", "[budget]\nmax_tokens = 77\n")

    assert [first, tokens(now(str(folder), "team"))] == [9, 77]
