"""The worked example: its team does the whole job, played from scripts and over a provider's real wire."""

import re
import shutil
from pathlib import Path

import pytest

from postroom.domain.plain import Json
from postroom.llm.script import ScriptedAnswer
from postroom.llm.script_file import load_script
from postroom.profiles.profile import Profile
from postroom.profiles.team import load_team
from postroom.testing.provider_emulator import Plan, ProviderEmulator, turns
from tests.cli.cli import Cli

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "notes-report"
AGENTS = ("editor", "researcher", "writer", "reviewer")
READ = ("list_files", "read_file", "search_files")
TOOLS = (*READ, "write_file", "edit_file", "shell", "send_message", "delegate_subagent")
TASK = "Write report.md about the new pump from the notes in notes/."
SOURCE = re.compile(r"notes/[\w-]+\.md")
ROUND_TRIP = [("editor", "writer"), ("writer", "editor"), ("editor", "reviewer"), ("reviewer", "editor")]
"""The mails of a review: findings, their answer, the request to look again, the verdict."""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example, which is where the agents work."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "work"))


@pytest.mark.parametrize("team", ["team", "rehearsal"])
def test_both_teams_are_in_order(example: Path, team: str) -> None:
    checked = Cli(example).run("check", team)

    assert (checked.code, checked.out) == (0, ""), checked.err


def test_the_rehearsal_has_the_agents_and_the_rights_of_the_team() -> None:
    real, played = load_team(EXAMPLE / "team"), load_team(EXAMPLE / "rehearsal")

    assert {name: _rights(profile) for name, profile in real.profiles.items()} == {
        name: _rights(profile) for name, profile in played.profiles.items()
    }
    assert (real.entry, real.surface) == (played.entry, played.surface)


def test_the_team_played_from_scripts_writes_the_report(example: Path) -> None:
    cli = Cli(example)

    ran = cli.run("run", "--team", "rehearsal", TASK)

    assert ran.code == 0, ran.err
    assert "approved after one correction" in ran.out
    _assert_the_job_is_done(cli)


@pytest.mark.parametrize("model", ["openai:any", "anthropic:any", "google:any"])
async def test_the_team_does_its_job_over_a_providers_wire(example: Path, model: str) -> None:
    """The real profiles, each vendor's SDK, HTTP, and a provider that forgives nothing."""
    async with ProviderEmulator(Plan(agents=turns(**{name: _rounds(name) for name in AGENTS}))) as emulator:
        cli = Cli(example, {**emulator.env(), "POSTROOM_MODEL_NAME": model})
        ran = cli.run("run", "--team", "team", TASK)
        await emulator.assert_clean()
        asked = str((await emulator.bodies("reviewer"))[0])

    assert ran.code == 0, ran.err
    assert "approved after one correction" in ran.out
    _assert_the_job_is_done(cli)
    assert {name for name in TOOLS if f"'{name}'" in asked} == {*READ, "send_message"}
    assert asked.count("You check a report against the notes") == 1


def test_the_scenario_file_holds(example: Path) -> None:
    played = Cli(example).run("scenario", "run", "scenario.yaml")

    assert played.code == 0, played.out + played.err


def _assert_the_job_is_done(cli: Cli) -> None:
    report = (cli.folder / "report.md").read_text(encoding="utf-8")
    named = set(SOURCE.findall(report))
    assert "EUR 1,840, type S3" in report
    assert "- Pump: EUR 1,480" not in report
    assert len(named) >= 8
    assert all((cli.folder / name).is_file() for name in named)
    assert [(_profile(mail["actor"]), _profile(mail["to"])) for mail in _mails(cli)] == ROUND_TRIP
    assert "lost 0, doubled 0" in cli.run("doctor").out
    agents = cli.agents()
    assert sorted(str(agent["profile"]) for agent in agents) == [
        "editor", "researcher", "researcher", "researcher", "reviewer", "writer",
    ]  # fmt: skip
    assert {(str(agent["state"]), agent["unread"]) for agent in agents} == {("finished", 0)}


def _mails(cli: Cli) -> list[dict[str, Json]]:
    """Every mail from agent to agent, in the order of acceptance."""
    accepted = [event for event in cli.log() if event["kind"] == "message.accepted"]
    return [event for event in accepted if isinstance(f := event["facts"], dict) and f["kind"] == "mail"]


def _profile(label: Json) -> str:
    """`writer_1a2b3c4d` is a writer."""
    return str(label).partition("_")[0]


def _rights(profile: Profile) -> tuple[object, ...]:
    return (profile.description, profile.tools, profile.permissions, profile.delegates_to)


def _rounds(agent: str) -> list[ScriptedAnswer]:
    """The script of the rehearsal, for the provider to play."""
    rounds = load_script(EXAMPLE / "rehearsal" / "scripts" / f"{agent}.yaml").rounds
    return [each for each in rounds if isinstance(each, ScriptedAnswer)]
