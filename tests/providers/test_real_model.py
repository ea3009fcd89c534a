"""`postroom run` with a model over HTTP, through the vendor's SDK, and the ways in which that fails."""

from pathlib import Path

import pytest

from postroom.testing.provider_emulator import (
    EmulatedRound,
    Plan,
    ProviderEmulator,
    Trouble,
    Wire,
    turns,
    wired,
)
from postroom.testing.script import call, say
from tests.cli.cli import Cli, Result, write_real_team

MODELS = ["openai:any", "anthropic:claude-haiku-5-5", "google:gemini-3-flash-preview"]
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY")
MODELS_AND_KEYS = list(zip(MODELS, KEYS, strict=True))
IMPATIENT = "[model]\nretry_for_s = 0.5\n"
KEY = "sk-of-the-test"


@pytest.fixture
def real_team(tmp_path: Path) -> Path:
    return write_real_team(tmp_path / "team", settings=IMPATIENT)


async def runs(tmp_path: Path, team: Path, plan: Plan, *more: str) -> Result:
    """Run the team against an emulated provider."""
    async with ProviderEmulator(plan) as emulator:
        return Cli(tmp_path, emulator.env()).run("run", "--team", team, "hello", *more)


@pytest.mark.parametrize("model", MODELS)
async def test_a_real_model_answers_and_sends_mail(tmp_path: Path, model: str) -> None:
    team = write_real_team(tmp_path / "team", model=model)
    thinks = EmulatedRound(reasoning="Whom to ask?", text="I ask nobody.")
    plan = Plan(agents=turns(ann=[call("send_message", to="nobody", body="?"), thinks]))

    ran = await runs(tmp_path, team, plan)

    assert (ran.code, ran.out, ran.err) == (0, "I ask nobody.\n", "")


@pytest.mark.parametrize(("model", "name"), MODELS_AND_KEYS)
async def test_a_key_may_stand_in_a_file_and_is_written_nowhere_else(
    tmp_path: Path, model: str, name: str
) -> None:
    team = write_real_team(tmp_path / "team", model=model)
    (tmp_path / "key").write_text(f"{KEY}\n")
    plan = Plan(agents=turns(ann=[say("I am real.")]), key=KEY)

    async with ProviderEmulator(plan) as emulator:
        env = {key: value for key, value in emulator.env().items() if key not in KEYS}
        cli = Cli(tmp_path, {**env, f"{name}_FILE": str(tmp_path / "key")})
        ran = cli.run("run", "--team", team, "hello", "--verbose")

    assert (ran.code, ran.out) == (0, "I am real.\n")
    assert KEY not in ran.err
    kept = [path for path in cli.store.rglob("*") if path.is_file()]
    assert kept
    assert not [path.name for path in kept if KEY.encode() in path.read_bytes()]


async def test_an_overload_is_waited_out(tmp_path: Path) -> None:
    team = write_real_team(tmp_path / "team")
    busy = Wire(trouble=Trouble.OVERLOAD, times=1, status=503, retry_after_s=0.01)

    ran = await runs(tmp_path, team, Plan(agents=turns(ann=[wired(say("At last."), busy)])), "--verbose")

    assert (ran.code, ran.out) == (0, "At last.\n")
    assert '"event": "provider.waiting"' in ran.err
    assert '"code": "model_overloaded"' in ran.err


async def test_a_provider_that_stays_overloaded_is_exit_6(tmp_path: Path, real_team: Path) -> None:
    busy = Wire(trouble=Trouble.OVERLOAD, times=99, status=529, retry_after_s=0.1)

    ran = await runs(tmp_path, real_team, Plan(agents=turns(ann=[wired(say("x"), busy)])))

    assert ran.fails(6, "model_overloaded")
    assert "go on with: postroom resume" in ran.err


@pytest.mark.parametrize(("model", "name"), MODELS_AND_KEYS)
async def test_a_wrong_key_is_exit_6_and_is_not_printed(tmp_path: Path, model: str, name: str) -> None:
    team = write_real_team(tmp_path / "team", model=model, settings=IMPATIENT)

    async with ProviderEmulator(Plan(agents=turns(ann=[say("x")]))) as emulator:
        cli = Cli(tmp_path, {**emulator.env(), name: KEY})
        ran = cli.run("run", "--team", team, "hello")

    assert ran.fails(6, "model_auth")
    assert "(check the key and what it may use) (go on with: postroom resume" in ran.err
    assert KEY not in ran.err + ran.out


@pytest.mark.parametrize(("model", "name"), MODELS_AND_KEYS)
def test_a_missing_key_is_exit_3_and_makes_no_store(cli: Cli, tmp_path: Path, model: str, name: str) -> None:
    team = write_real_team(tmp_path / "team", model=model)

    ran = cli.run("run", "--team", team, "hello")

    assert ran.fails(3, "missing_key")
    assert name in ran.err
    assert not cli.store.exists()


def test_a_key_file_without_a_key_is_named_and_exit_3(tmp_path: Path, real_team: Path) -> None:
    (tmp_path / "key").write_text("two words\n")
    cli = Cli(tmp_path, {"OPENAI_API_KEY_FILE": str(tmp_path / "key")})

    ran = cli.run("run", "--team", real_team, "hello")

    assert ran.fails(3, "config_invalid")
    assert str(tmp_path / "key") in ran.err
    assert "two words" not in ran.err


def test_an_unreachable_provider_is_exit_6(tmp_path: Path, real_team: Path) -> None:
    cli = Cli(tmp_path, {"OPENAI_API_KEY": KEY, "POSTROOM_OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})

    ran = cli.run("run", "--team", real_team, "hello")
    again = cli.run("resume", cli.session(), "--run")

    assert ran.fails(6, "model_unavailable")
    assert "127.0.0.1:1" in ran.err
    assert KEY not in ran.err
    assert again.code == 6
    assert cli.agents()[0]["parked"] == 1
