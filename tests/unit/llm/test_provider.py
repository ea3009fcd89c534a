"""From a model's name to a model: what is missing is said before anything is asked."""

import subprocess
import sys
from pathlib import Path

import pytest

from postroom.errors import ConfigFault, MissingKey
from postroom.llm.provider import OpenAIModel, close_model, model_for
from tests.unit.llm.requests import JumpingClock, deaf, request, user

CLOCK = JumpingClock()
# A process in which the SDK is not installed: the extra is a fact of the environment, not of a flag.
WITHOUT_EXTRA = """
import sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "openai":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
from postroom.clock import SystemClock
from postroom.errors import MissingExtra
from postroom.llm.provider import model_for
try:
    model_for("openai:any", env={"OPENAI_API_KEY": "k"}, clock=SystemClock())
except MissingExtra as fault:
    print(fault)
"""
LAZY = """
import sys
from postroom.clock import SystemClock
from postroom.llm.provider import model_for
model_for("openai:any", env={"OPENAI_API_KEY": "k"}, clock=SystemClock())
print(sorted(sys.modules.keys() & {"openai", "pydantic_ai", "httpx2"}))
"""


def printed(program: str) -> str:
    run = [sys.executable, "-c", program]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("env", [{}, {"OPENAI_API_KEY": " "}])
def test_a_missing_key_is_named_with_its_remedy(env: dict[str, str]) -> None:
    with pytest.raises(MissingKey, match="set OPENAI_API_KEY"):
        model_for("openai:any", env=env, clock=CLOCK)


def test_a_missing_extra_is_named_with_its_remedy() -> None:
    assert "pip install 'postroom[openai]'" in printed(WITHOUT_EXTRA)


def test_no_sdk_is_loaded_before_the_first_request() -> None:
    assert printed(LAZY) == "[]"


@pytest.mark.parametrize("name", ["", "gpt", "openai:", "other:gpt", "scripted:"])
def test_an_unknown_name_is_a_config_fault_that_says_what_is_right(name: str) -> None:
    with pytest.raises(ConfigFault, match="use openai:NAME or scripted:NAME"):
        model_for(name, env={"OPENAI_API_KEY": "k"}, clock=CLOCK)


async def test_a_scripted_name_is_a_file_of_the_team(tmp_path: Path) -> None:
    (tmp_path / "planner.yaml").write_text("- text: I plan.\n")

    model = model_for("scripted:planner", env={}, clock=CLOCK, scripts=tmp_path)

    assert (await model.request(request(user()), deaf)).text == "I plan."
    await close_model(model)


@pytest.mark.parametrize("name", ["../planner", "a/b", ".hidden"])
def test_the_name_of_a_script_cannot_leave_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigFault, match="no name of a script"):
        model_for(f"scripted:{name}", env={}, clock=CLOCK, scripts=tmp_path)


def test_a_scripted_name_without_a_team_folder_is_a_config_fault() -> None:
    with pytest.raises(ConfigFault, match="needs a team folder"):
        model_for("scripted:planner", env={}, clock=CLOCK)


async def test_closing_a_model_that_was_never_asked_does_nothing() -> None:
    model = model_for("openai:any", env={"OPENAI_API_KEY": "k"}, clock=CLOCK)

    assert isinstance(model, OpenAIModel)
    await close_model(model)
    await close_model(model)
