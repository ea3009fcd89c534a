"""From a model's name to a model: what is missing is said before anything is asked."""

import subprocess
import sys
from pathlib import Path

import pytest

from postroom.errors import ConfigFault, MissingKey
from postroom.llm.provider import close_model, model_for
from postroom.llm.remote import RemoteModel
from tests.unit.llm.requests import JumpingClock, deaf, request, user

CLOCK = JumpingClock()
NAMES = ["openai:any", "anthropic:any", "google:any"]
VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}
# A process in which the SDK is not installed: the extra is a fact of the environment, not of a flag.
WITHOUT_EXTRA = """
import sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
from postroom.clock import SystemClock
from postroom.errors import MissingExtra
from postroom.llm.provider import model_for
try:
    model_for("{vendor}:any", env={{"{variable}": "k"}}, clock=SystemClock())
except MissingExtra as fault:
    print(fault)
"""
LAZY = """
import sys
from postroom.clock import SystemClock
from postroom.llm.provider import model_for
for name, variable in {pairs}:
    model_for(name, env={{variable: "k"}}, clock=SystemClock())
sdks = {{"openai", "anthropic", "google.genai", "pydantic_ai", "genai_prices", "httpx2", "httpx"}}
print(sorted(sys.modules.keys() & sdks))
"""


def env_of(name: str) -> dict[str, str]:
    """An environment with the key of this model's vendor."""
    return {VARIABLES[name.partition(":")[0]]: "k"}


def printed(program: str) -> str:
    run = [sys.executable, "-c", program]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [None, " "])
def test_a_missing_key_is_named_with_its_remedy(name: str, value: str | None) -> None:
    variable = VARIABLES[name.partition(":")[0]]
    env = {} if value is None else {variable: value}

    with pytest.raises(MissingKey, match=f"{name} needs {variable}.*set {variable}, or {variable}_FILE"):
        model_for(name, env=env, clock=CLOCK)


@pytest.mark.parametrize(
    ("vendor", "module"), [("openai", "openai"), ("anthropic", "anthropic"), ("google", "google.genai")]
)
def test_a_missing_extra_is_named_with_its_remedy(vendor: str, module: str) -> None:
    program = WITHOUT_EXTRA.format(module=module, vendor=vendor, variable=VARIABLES[vendor])

    assert f"pip install 'postroom[{vendor}]'" in printed(program)


def test_no_sdk_is_loaded_before_the_first_request() -> None:
    pairs = [(name, VARIABLES[name.partition(":")[0]]) for name in NAMES]

    assert printed(LAZY.format(pairs=pairs)) == "[]"


@pytest.mark.parametrize(
    "name", ["", "gpt", "openai:", "anthropic:", "google:", "other:gpt", "OpenAI:gpt", "scripted:"]
)
def test_an_unknown_name_is_a_config_fault_that_says_what_is_right(name: str) -> None:
    with pytest.raises(ConfigFault, match="use openai:NAME, anthropic:NAME, google:NAME or scripted:NAME"):
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


@pytest.mark.parametrize("name", NAMES)
async def test_closing_a_model_that_was_never_asked_does_nothing(name: str) -> None:
    model = model_for(name, env=env_of(name), clock=CLOCK)

    assert isinstance(model, RemoteModel)
    await close_model(model)
    await close_model(model)
