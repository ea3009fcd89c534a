"""`send --at`, `timers`, `spend` and `search`: with a process that runs the store and without one."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from postroom.domain.ask import ApprovalMode
from postroom.errors import ModelUnavailable
from postroom.frontends.cli.parser import Usage
from postroom.frontends.cli.texts import rows
from postroom.frontends.cli.times import due_us
from postroom.profiles.rights import Rights
from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import ScriptedModel, fail
from postroom.testing.world import World
from tests.acceptance.family import delegate
from tests.cli.cli import Cli

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
SECOND = 1_000_000


def micros(moment: datetime) -> int:
    """Since the epoch."""
    return int(moment.timestamp()) * SECOND


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("+10m", NOW + timedelta(minutes=10)), ("+1h30m", NOW + timedelta(hours=1, minutes=30)),
        ("+90s", NOW + timedelta(seconds=90)), ("+2d", NOW + timedelta(days=2)),
        ("2026-12-01T09:00+01:00", datetime(2026, 12, 1, 8, tzinfo=UTC)),
        ("2026-12-01 09:00:30Z", datetime(2026, 12, 1, 9, 0, 30, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_a_time_is_read_as_it_is_meant(text: str, moment: datetime) -> None:
    assert due_us(text, micros(NOW)) == micros(moment)


def test_a_time_of_the_day_is_one_of_today_and_here() -> None:
    morning = datetime(2026, 11, 30, 0, 0, 1).astimezone()

    for text, hour, minute in (("18:30", 18, 30), ("7:05", 7, 5), ("18:30:00", 18, 30)):
        expected = morning.replace(hour=hour, minute=minute, second=0)
        assert due_us(text, micros(morning)) == micros(expected)


@pytest.mark.parametrize(
    "text",
    [
        "+0s", "2026-11-30T11:59:59Z", "2026-12-01T09:00", "0:00", "tomorrow", "+", "+10", "-10m", "25:00",
        "", "+99999999999999999d", "9999-12-31T23:59:59-14:00",
    ],
)  # fmt: skip
def test_what_is_no_time_or_has_passed_is_refused(text: str) -> None:
    local_midnight = datetime(2026, 11, 30, 23, 59, 59).astimezone()
    now = micros(local_midnight) if text == "0:00" else micros(NOW)

    with pytest.raises(Usage):
        due_us(text, now)


def test_a_text_for_later_is_kept_listed_and_taken_back(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    sent = cli.run("send", session, "later", "--at", "+2h", "--json").document
    (listed,) = rows(cli.run("timers", "--json").document["timers"])
    shown = cli.run("timers")
    taken = cli.run("timers", "--cancel", str(sent["timer_id"]))
    again = cli.run("timers", "--cancel", str(sent["timer_id"]))
    nobody = cli.run("timers", "--cancel", "nothing")

    assert listed["timer_id"] == sent["timer_id"]
    assert (listed["due_us"], listed["body_bytes"], listed["to"]) == (sent["due_us"], 5, session)
    assert int(str(sent["due_us"])) // SECOND - time.time() == pytest.approx(7200, abs=3000)
    assert str(sent["timer_id"]) in shown.out
    assert taken.out == "taken back; nothing is running\n"
    assert again.fails(5, "not_found")
    assert nobody.fails(5, "not_found")
    assert cli.run("timers").err == "nothing waits for its time\n"


def test_saying_it_again_with_the_same_client_id_is_harmless(cli: Cli, team: Path) -> None:
    """Although a while from now is another moment by then."""
    cli.run("run", "--team", team, "hello")
    wish = ("send", cli.session(), "later", "--at", "+2h", "--client-id", "once", "--json")

    first, again = cli.run(*wish).document, cli.run(*wish).document

    assert again == first
    assert len(rows(cli.run("timers", "--json").document["timers"])) == 1


def test_a_text_whose_time_has_come_is_said_by_the_next_process(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    sent = cli.run("send", cli.session(), "now then", "--at", "+1s", "--json").document
    told = cli.run("send", cli.session(), "never", "--at", "+1s", "--run")
    past = cli.run("send", cli.session(), "never", "--at", "2020-01-01T00:00Z")
    while time.time() * SECOND < int(str(sent["due_us"])):
        cli.run("version")
    cli.run("run", "--team", team, "again")

    assert told.fails(2, "usage")
    assert past.fails(2, "usage")
    assert "now then" in cli.run("export").out


def test_timers_of_a_running_process_are_its_own(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        sent = cli.run("send", cli.session(), "later", "--at", "+1h", "--json").document
        (listed,) = rows(cli.run("timers", "--json").document["timers"])
        taken = cli.run("timers", "--cancel", str(sent["timer_id"]))

    assert sent["running"] is True
    assert listed["timer_id"] == sent["timer_id"]
    assert taken.out == "taken back\n"


@pytest.mark.parametrize("by", ["agent", "chain", "day"])
def test_spend_is_told_by_agent_chain_and_day(cli: Cli, team: Path, by: str) -> None:
    cli.run("run", "--team", team, "hello")
    cli.run("run", "--team", team, "again")

    told = rows(cli.run("spend", "--by", by, "--json").document["spend"])
    shown = cli.run("spend", "--by", by)
    one = rows(cli.run("spend", "--by", by, "--session", cli.session(), "--json").document["spend"])

    assert sum(int(str(line["rounds"])) for line in told) == 2
    assert shown.out.splitlines()[0].split()[:2] == [by.upper(), "ROUNDS"]
    assert len(shown.out.splitlines()) == 1 + len(told)
    assert sum(int(str(line["rounds"])) for line in one) == 1


async def test_spend_calls_no_side_call_a_round_and_no_round_an_answer(cli: Cli, world: World) -> None:
    """What has no price is said of requests: here of one beside the only round, which has its price."""
    world.rights = Rights(mode=ApprovalMode.AUTO_APPROVE, side_calls={"classification": "scripted:judge"})
    world.models["judge"] = ScriptedModel(fail(ModelUnavailable("away")), clock=world.clock)
    root = world.puppet(
        "r", rules=(Rule(action="delegate", pattern="b", effect=Effect.ASK),), delegates_to=("b",)
    )
    world.puppet("b").rests()
    await world.prompt("r", "ask b")
    await root.starts(delegate("b"))
    await world.event("ask.opened")

    (line,) = await world.room.spend("chain")
    told = await asyncio.to_thread(cli.run, "spend", "--store", world.folder)

    assert (line.rounds, line.unpriced) == (1, 1)
    assert "1 request had no known price: a round each, or a side call, which is none" in told.err


def test_texts_are_found_by_their_words(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "the quick brown fox")
    cli.run("run", "--team", team, "the brown quick dog")

    def found(*words: str) -> list[str]:
        return [str(hit["excerpt"]) for hit in rows(cli.run("search", *words, "--json").document["hits"])]

    assert found("quick", "FOX") == ["the quick brown fox"]
    assert found("quick brown") == ["the quick brown fox"]
    assert sorted(found("qui*")) == ["the brown quick dog", "the quick brown fox"]
    assert found("are") == ["Here you are.", "Here you are."]
    assert found("nowhere") == []
    shown = cli.run("search", "fox", "dog*").out + cli.run("search", "fox").out + cli.run("search", "are").out
    for line in [line for line in shown.splitlines() if not line.startswith(" ")]:
        assert cli.run("show", line.split()[-1]).code == 0
    assert cli.run("search", "fox").err == "1 text found\n"
    assert cli.run("search", "quick", "--limit", "0", "--json").document == {"hits": []}
    assert cli.run("search", "...").fails(5, "invalid_query")
    assert cli.run("search").fails(2, "usage")


def test_a_text_that_a_running_process_has_just_accepted_is_found(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        cli.run("send", cli.session(), "a needle of text")
        hits = rows(cli.run("search", "needle", "--session", cli.session(), "--json").document["hits"])

    assert [(hit["where"], hit["who"]) for hit in hits] == [("mail", "user")]


def test_what_a_killed_process_left_is_found_too(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        cli.run("send", cli.session(), "a needle of text")

    before = len(cli.log())
    hits = rows(cli.run("search", "needle", "--json").document["hits"])

    assert len(hits) == 1
    assert len(cli.log()) == before
    assert cli.agents()[0]["state"] == "running"
