"""`postroom config`: what is set, where it comes from, and changes that keep the person's file readable."""

import stat
import threading
from pathlib import Path

import pytest

from tests.cli.cli import Cli

KEY = "sk-ant-api03-0123456789abcdefghijklmnop"
COMMENTED = """\
# mine

[model]   # which one
name = "openai:a"  # the small one
# max_tokens = 5

[log]
level = "info"
"""


def own_file(cli: Cli) -> Path:
    """The person's file, whose folder is there."""
    file = cli.folder / ".config" / "postroom" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def test_a_setting_is_written_and_read_again(cli: Cli) -> None:
    file = own_file(cli)
    file.parent.rmdir()

    said = cli.run("config", "set", "model.name", "openai:gpt-5-mini")
    got = cli.run("config", "get", "model.name")
    told = cli.run("config", "get", "model.name", "--json").document

    assert said.out == f"model.name = openai:gpt-5-mini in {file}\n"
    assert got.out == "openai:gpt-5-mini\n"
    assert told == {"key": "model.name", "value": "openai:gpt-5-mini", "from": f"{file}:2"}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


def test_comments_order_and_rights_of_the_file_stay(cli: Cli) -> None:
    file = own_file(cli)
    file.write_text(COMMENTED)
    file.chmod(0o640)

    cli.run("config", "set", "model.name", "openai:b")
    cli.run("config", "set", "model.max_tokens", "100")
    cli.run("config", "set", "policy.hops_max", "off")
    cli.run("config", "unset", "policy.hops_max")

    expected = COMMENTED.replace('"openai:a"', '"openai:b"')
    assert file.read_text().startswith(expected.partition("\n\n[log]")[0])
    assert '[log]\nlevel = "info"\n' in file.read_text()
    assert "max_tokens = 100\n" in file.read_text()
    assert "hops_max" not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("key", "value", "held"),
    [
        ("log.level", "debug", '"debug"'), ("policy.rounds_max", "7", "7"),
        ("policy.messaging_enabled", "false", "false"), ("model.retry_for_s", "0.5", "0.5"),
        ("policy.mailbox_cap", "off", '"off"'),
        ("providers.openai.base_url", "http://localhost:1/v1", '"http'),
    ],
)  # fmt: skip
def test_a_value_is_written_as_what_the_key_takes(cli: Cli, key: str, value: str, held: str) -> None:
    said = cli.run("config", "set", key, value)

    assert said.code == 0, said.err
    assert f"{key.rpartition('.')[2]} = {held}" in own_file(cli).read_text()
    assert cli.run("config", "get", key).out == f"{value}\n"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("model.nam", "openai:a", "did you mean model.name?"),
        ("log.level", "loud", "`loud` is no level"),
        ("policy.rounds_max", "many", "whole number"),
        ("policy.rounds_max", "0", "out of range"),
        ("model.name", "gpt", "PROVIDER:MODEL"),
        ("model.name", " ", "is blank"),
    ],
)
def test_what_would_not_be_read_is_not_written(cli: Cli, key: str, value: str, words: str) -> None:
    file = own_file(cli)
    file.write_text(COMMENTED)

    said = cli.run("config", "set", key, value)

    assert said.fails(3, "config_invalid")
    assert words in said.err
    assert "partial" not in said.err
    assert file.read_text() == COMMENTED
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("providers.anthropic.api_key", KEY), ("api_key", "short"), ("model.token", "x"), ("model.name", KEY),
        ("providers.anthropic.api_key_file", KEY), ("log.level", "AIza0123456789abcdefghijklm"),
    ],
)  # fmt: skip
def test_a_key_is_refused_with_the_way_to_do_it_right(cli: Cli, key: str, value: str) -> None:
    said = cli.run("config", "set", key, value)

    assert said.fails(3, "config_invalid")
    assert value not in said.err
    assert ("ANTHROPIC_API_KEY" if "anthropic" in key else "OPENAI_API_KEY") in said.err
    assert "api_key_file FILE" in said.err
    assert not own_file(cli).exists()


def test_a_path_is_written_in_full(cli: Cli) -> None:
    (cli.folder / "key").write_text("secret")

    cli.run("config", "set", "providers.openai.api_key_file", "key")
    cli.run("config", "set", "store", "elsewhere")
    cli.env.pop("POSTROOM_STORE")

    assert cli.run("config", "get", "providers.openai.api_key_file").out == f"{cli.folder / 'key'}\n"
    assert cli.run("config", "get", "store").out == f"{cli.folder / 'elsewhere'}\n"
    assert str(cli.folder / "elsewhere") in cli.run("ps").err


def test_all_settings_are_listed_with_their_places(cli: Cli) -> None:
    own_file(cli).write_text(COMMENTED)
    cli.env["POSTROOM_LOG_LEVEL"] = "debug"

    listed = cli.run("config", "list", "--json").document["settings"]
    shown = cli.run("config", "get")

    assert isinstance(listed, list)
    places = {str(row["key"]): row["from"] for row in listed if isinstance(row, dict)}
    assert places["store"] == "environment, POSTROOM_STORE"
    assert places["model.name"] == f"{own_file(cli)}:4"
    assert places["log.level"] == "environment, POSTROOM_LOG_LEVEL"
    assert places["model.max_tokens"] == "default"
    assert [
        line for line in shown.out.splitlines() if line.startswith("policy.hops_max ") and " off " in line
    ]


def test_a_variable_that_counts_more_is_named(cli: Cli) -> None:
    cli.env["POSTROOM_LOG_LEVEL"] = "debug"

    said = cli.run("config", "set", "log.level", "error")

    assert said.err == "POSTROOM_LOG_LEVEL in the environment counts more\n"


def test_a_file_that_is_no_toml_is_left_as_it_is(cli: Cli) -> None:
    file = own_file(cli)
    file.write_text("[model\n")

    for command in (["set", "log.level", "info"], ["unset", "log.level"], ["get"]):
        assert cli.run("config", *command).fails(3, "config_invalid")
    assert file.read_text() == "[model\n"


@pytest.mark.parametrize("command", [("get",), ("set", "true")])
def test_a_setting_of_teams_is_sent_to_their_file(cli: Cli, command: tuple[str, ...]) -> None:
    action, *value = command

    said = cli.run("config", action, "shell.allowed", *value)

    assert said.fails(3, "config_invalid")
    assert "(`shell` belongs to a team: write it into its postroom.toml)" in said.err


def test_what_nobody_knows_can_be_taken_out(cli: Cli) -> None:
    own_file(cli).write_text('[model]\nnam = "x"\n')

    broken = cli.run("config", "get")
    taken = cli.run("config", "unset", "model.nam", "--json").document
    again = cli.run("config", "unset", "model.nam", "--json").document

    assert broken.fails(3, "config_invalid")
    assert (taken["was_set"], again["was_set"]) == (True, False)
    assert cli.run("config", "get").code == 0


def test_a_link_to_the_file_stays_a_link(cli: Cli) -> None:
    file = own_file(cli)
    (cli.folder / "dotfiles.toml").write_text(COMMENTED)
    file.symlink_to(cli.folder / "dotfiles.toml")

    cli.run("config", "set", "log.level", "error")

    assert file.is_symlink()
    assert 'level = "error"' in (cli.folder / "dotfiles.toml").read_text()


def test_changes_at_once_lose_none(cli: Cli) -> None:
    keys = ["policy.rounds_max", "policy.depth_max", "policy.concurrency", "model.max_tokens"]
    ended: dict[str, int] = {}

    def change(key: str) -> None:
        ended[key] = cli.run("config", "set", key, "9").code

    threads = [threading.Thread(target=change, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    written = [key for key in keys if cli.run("config", "get", key).out == "9\n"]
    assert written == [key for key in keys if ended[key] == 0]
    assert written


@pytest.mark.parametrize(
    "arguments", [["set"], ["set", "log.level"], ["unset"], ["get", "a", "b"], ["fly"], []]
)
def test_a_wrong_use_is_said(cli: Cli, arguments: list[str]) -> None:
    assert cli.run("config", *arguments).fails(2, "usage")


def test_the_password_of_an_address_is_written_and_never_shown(cli: Cli) -> None:
    address = "https://me:sesame@proxy.example:8080/v1"
    file, key = own_file(cli), "providers.openai.base_url"

    said = [
        cli.run("config", "set", key, address), cli.run("config", "get", key),
        cli.run("config", "get", key, "--json"), cli.run("config", "list"),
        cli.run("config", "list", "--json"),
    ]  # fmt: skip

    assert address in file.read_text()
    assert all("https://***@proxy.example:8080/v1" in each.out for each in said)
    assert not any("sesame" in each.out + each.err for each in said)
