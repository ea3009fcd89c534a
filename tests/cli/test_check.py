"""`postroom check`: everything that is wrong with a team folder, and what it still needs."""

import json
from pathlib import Path

from postroom.frontends.cli.texts import rows
from tests.cli.cli import Cli, write_team


def test_check_names_every_problem_with_its_place(cli: Cli, team: Path) -> None:
    profile = team / "agents" / "ann.md"
    profile.write_text(profile.read_text().replace("description", "descriptoin"))
    (team / "postroom.toml").write_text('entry = "bob"\nfoo = 1\n')

    said = cli.run("check", team)
    listed = cli.run("check", team, "--json")

    assert said.code == listed.code == 3
    assert f"{profile}:3: descriptoin" in said.out
    assert f"{team / 'postroom.toml'}:2: foo" in said.out
    assert len(rows(listed.document["problems"])) == len(said.out.splitlines())


def test_check_says_which_keys_are_not_here_yet(tmp_path: Path) -> None:
    """A team without its keys is in order, for instance where it is tested; running it needs them."""
    team = write_team(tmp_path / "team", {"ann": "- text: x\n"})
    profile = team / "agents" / "ann.md"
    profile.write_text(profile.read_text().replace("scripted:ann", "anthropic:claude-haiku-5-5"))

    without = Cli(tmp_path).run("check", team)
    listed = Cli(tmp_path).run("check", team, "--json").document
    with_key = Cli(tmp_path, {"ANTHROPIC_API_KEY": "sk-none-of-yours"}).run("check", team)

    wanted = "anthropic:claude-haiku-5-5 needs ANTHROPIC_API_KEY (set ANTHROPIC_API_KEY, or "
    assert without.code == 0
    assert f"before it can run here: {wanted}" in without.err
    assert wanted in json.dumps(listed["lacking"])
    assert (with_key.code, with_key.err) == (0, f"{team} is in order\n")


def test_check_names_every_tool_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "team", {"ann": "- text: x\n"}, front="tools: [shell, shout, sing]\n")

    told = cli.run("check", team)

    assert told.code == 3
    assert all(f"`{name}`" in told.out for name in ("shell", "shout", "sing"))


def test_check_says_whose_a_group_of_another_surface_is(cli: Cli, tmp_path: Path) -> None:
    scripts, front = {"ann": "- text: x\n"}, "tools: [messaging]\n"
    here = write_team(tmp_path / "here", scripts, settings='surface = "team"\n', front=front)
    there = write_team(tmp_path / "there", scripts, settings='surface = "roster"\n', front=front)

    told = cli.run("check", here)

    assert told.code == 3
    assert "`messaging` is not allowed here (only agents of `roster` have it;" in told.out
    assert cli.run("check", there).code == 0


def test_check_knows_the_tools_it_is_given(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "team", {"ann": "- text: x\n"}, front="tools: [shout]\n")
    (tmp_path / "voices.py").write_text(
        'def shout(text: str) -> str:\n    """Shout."""\n    return text.upper()\n'
    )

    without, given = cli.run("check", team), cli.run("check", team, "--tools", "voices:shout")

    assert (without.code, given.code) == (3, 0)
    assert "shout" in without.out


def test_a_setting_of_a_plugin_that_is_not_there_is_a_warning(cli: Cli, team: Path) -> None:
    """The guard that it should make strict would go on failing open, and nobody would know."""
    file = cli.folder / ".config" / "postroom" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[plugins.gaurd]\non_failure = "deny"\n')

    checked, listed = cli.run("check", team), cli.run("check", team, "--json")
    ran = cli.run("run", "--team", team, "hello")

    told = "[plugins.gaurd] of your config.toml has no effect: no plugin here has that name"
    assert (checked.code, listed.code, ran.code) == (0, 0, 0)
    assert f"warning: {told}" in checked.err
    assert f"warning: {told}" in ran.err
    assert listed.document["troubles"] == [told]
