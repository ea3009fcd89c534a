"""Budgets from the command line: settings that hold from the next chain on, and runs with a limit."""

from pathlib import Path

import pytest

from postroom.domain.plain import Json
from tests.cli.cli import ANSWERS, Cli, Result, write_real_team, write_team

COMMENTED = "# mine\n[agent]   # how far they go\nmax_messages = 8  # as it was\n"
ASKS_ON = "- calls: [{nothing: {}}]\n  tokens: 400\n" * 5 + "- text: done\n"
DEAR = "- calls: [{nothing: {}}]\n  cost_usd: 0.30\n" * 5 + "- text: done\n"


def own_file(cli: Cli) -> Path:
    """The person's file, whose folder is there."""
    file = cli.folder / ".config" / "postroom" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def limits(cli: Cli) -> list[dict[str, Json]]:
    """The limits of every chain so far, oldest first."""
    begun = (event["facts"] for event in cli.log() if event["kind"] == "chain.began")
    return [facts for facts in begun if isinstance(facts, dict)]


def is_spent(done: Result) -> bool:
    """Whether a run ended at its budget: who took the last of it, and how it ended."""
    told, last = done.err.strip().splitlines()
    return done.code == 8 and "the last of its budget" in told and last.startswith("chain_spent: ")


def test_a_depth_that_is_set_holds_for_the_next_chain_also_of_an_old_session(
    cli: Cli, tmp_path: Path
) -> None:
    """OP-97: and the chain before it keeps what it was born with."""
    file = own_file(cli)
    file.write_text(COMMENTED)
    team = write_team(tmp_path / "team", {"ann": ANSWERS}, settings='surface = "branch"\n')
    cli.run("run", "--team", team, "one")

    said = cli.run("config", "set", "agent.max_spawn_depth", "2")
    again = cli.run("run", "--session", cli.session(), "two")
    cli.run("config", "set", "agent.max_spawn_depth", "0")
    cli.run("send", cli.session(), "three")

    assert said.out == f"agent.max_spawn_depth = 2 in {file}\n"
    assert again.code == 0, again.err
    assert [chain["generations_max"] for chain in limits(cli)] == [1, 2, None]
    assert [chain["messages_max"] for chain in limits(cli)] == [8, 8, 8]
    assert file.read_text() == COMMENTED + "max_spawn_depth = 0\n"


@pytest.mark.parametrize(
    ("key", "value", "same", "held"),
    [
        ("agent.max_spawn_fanout", "3", "policy.fan_out_max", "3"),
        ("agent.max_messages", "off", "policy.messages_max", "off"),
        ("agent.resource_limits.max_total_tokens", "5000", "policy.tokens_max", "5000"),
        ("budget.max_tokens", "0", "policy.tokens_max", "off"),
        ("budget.max_cost_usd", "0.5", "policy.cost_micros_max", "500000"),
        ("messaging.max_hops", "6", "policy.hops_max", "6"),
        ("budget.assume_price", "3/15", "budget.assume_price", "3/15"),
    ],
)
def test_a_key_of_another_system_sets_the_field_that_is_meant(
    cli: Cli, key: str, value: str, same: str, held: str
) -> None:
    """systems.md 1.19: what is set can be read under both names, and taken away again."""
    done = cli.run("config", "set", key, value)
    shown, meant = cli.run("config", "get", key, "--json").document, cli.run("config", "get", same)
    cli.run("config", "unset", key)

    assert done.code == 0, done.err
    assert meant.out == f"{held}\n"
    assert shown["from"] == f"{own_file(cli)}:2"
    assert cli.run("config", "get", same, "--json").document["from"] == "default"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("budget.max_cost_usd", "much", "must be an amount in dollars"),
        ("budget.max_cost_usd", "-1", "must be an amount in dollars"),
        ("budget.max_cost_usd", "0.0000001", "is less than a millionth of a dollar"),
        ("budget.max_tokens", "1.5", "whole number"),
        ("budget.assume_price", "3/4/5", "is no price"),
        ("agent.max_spawn_dept", "2", "did you mean agent.max_spawn_depth?"),
    ],
)
def test_a_limit_that_cannot_be_read_is_not_written(cli: Cli, key: str, value: str, words: str) -> None:
    refused = cli.run("config", "set", key, value)

    assert refused.fails(3, "config_invalid")
    assert words in refused.err
    assert "nothing was written" in refused.err
    assert not own_file(cli).exists()


def test_one_limit_under_two_names_is_refused(cli: Cli) -> None:
    own_file(cli).write_text("[policy]\ngenerations_max = 1\n")
    refused = cli.run("config", "set", "agent.max_spawn_depth", "2")

    assert refused.fails(3, "config_invalid")
    assert "is the same setting as policy.generations_max" in refused.err


def test_a_limit_that_postroom_does_not_have_is_named_with_what_there_is(cli: Cli) -> None:
    own_file(cli).write_text("[agent.resource_limits]\nmax_runtime_seconds = 5\n")
    refused = cli.run("config", "get")

    assert refused.fails(3, "config_invalid")
    assert "agent.resource_limits.max_runtime_seconds: is no limit of Postroom" in refused.err
    assert "budget.max_tokens" in refused.err


def test_a_run_ends_when_its_tokens_are_spent_and_says_how_to_go_on(cli: Cli, tmp_path: Path) -> None:
    """O-33: exit code 8; what was done is kept, and a new text has a budget of its own."""
    team = write_team(tmp_path / "team", {"ann": ASKS_ON}, settings="[budget]\nmax_tokens = 9000\n")

    done = cli.run("run", "--team", team, "--max-tokens", "1000", "begin")
    again = cli.run("run", "--session", cli.session(), "--max-tokens", "0", "go on")

    assert is_spent(done)
    assert "1,200 of 1,000 tokens" in done.err
    assert f"--session {cli.session()}" in done.err
    assert again.code == 0, again.err
    assert [chain["tokens_max"] for chain in limits(cli)] == [1000, None]


def test_a_run_ends_when_its_money_is_spent(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "team", {"ann": DEAR})

    done = cli.run("run", "--team", team, "--max-cost", "0.50", "begin")

    assert is_spent(done)
    assert "$0.60 of $0.50" in done.err
    assert limits(cli)[0]["cost_micros_max"] == 500_000


def test_a_budget_that_is_no_amount_begins_nothing(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "team", {"ann": ANSWERS})

    assert (
        "usage: lots is no amount in dollars" in cli.run("run", "--team", team, "--max-cost", "lots", "x").err
    )
    assert not cli.store.exists()


def test_money_cannot_be_bounded_where_no_price_is_known(tmp_path: Path) -> None:
    """Refused before anything is stored; an assumed price makes it go, as far as the provider does."""
    cli = Cli(tmp_path, {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    team = write_real_team(tmp_path / "team", settings="[model]\nretry_for_s = 0\n")
    dear = write_real_team(
        tmp_path / "dear", settings="[model]\nretry_for_s = 0\n[budget]\nmax_cost_usd = 0.5\n"
    )

    by_flag = cli.run("run", "--team", team, "--max-cost", "1", "x")
    by_file = cli.run("run", "--team", dear, "x")
    told = len(cli.run("ps", "--json").document["agents"])  # pyright: ignore[reportArgumentType]
    cli.run("config", "set", "budget.assume_price", "3/15")
    assumed = cli.run("run", "--team", dear, "x")

    assert by_flag.fails(5, "price_unknown")
    assert by_file.fails(3, "config_invalid")
    assert "openai:any" in by_file.err
    assert "assume_price" in by_file.err
    assert told == 0
    assert assumed.fails(6, "model_unavailable")


def test_a_running_process_hears_of_a_changed_limit(cli: Cli, slow_team: Path) -> None:
    """OP-97: nothing has to be started again."""
    with cli.runner(slow_team):
        cli.run("config", "set", "budget.max_tokens", "77")
        cli.run("send", cli.session(), "and this")
        cli.run("config", "unset", "budget.max_tokens")
        cli.run("send", cli.session(), "and that")
        begun = limits(cli)

    assert [chain["tokens_max"] for chain in begun] == [None, 77, None]


def test_a_check_says_beforehand_which_model_has_no_price(tmp_path: Path) -> None:
    cli = Cli(tmp_path, {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    team = write_real_team(tmp_path / "team", settings="[budget]\nmax_cost_usd = 0.5\n")

    checked = cli.run("check", team)

    assert "nobody knows what openai:any costs" in checked.out + checked.err
    assert checked.code == 0
