"""Whoever watches a turn cannot change it."""

import asyncio
from pathlib import Path

from postroom.app import Hooks, Outfit, Postroom
from postroom.domain.policy import Policy
from postroom.profiles.model_defaults import ModelDefaults
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team
from postroom.testing.script import ScriptedModel, say


async def test_a_listener_that_fails_is_reported_and_the_turn_answers_as_ever(tmp_path: Path) -> None:
    model = ScriptedModel(say("four pieces of text"))
    profile = Profile(name="r", description="One.", instructions="Answer.", model="scripted:r")
    team = Team(
        name="t", path=tmp_path / "team", entry="r", surface="tree", profiles={"r": profile},
        policy=Policy(surface="tree"), model=ModelDefaults(),
    )  # fmt: skip
    reported: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: reported.append(told))

    def broken(_branch: int, _text: str) -> None:
        raise ValueError("the screen is gone")

    outfit = Outfit(team=team, models={"scripted:r": model}, hooks=Hooks(on_text=broken))
    async with Postroom(tmp_path / "store", outfit) as room:
        end = await room.wait(await room.prompt("hello"))

    assert end.ok
    assert end.text == "four pieces of text"
    assert len(model.requests) == 1
    assert {str(told["exception"]) for told in reported} == {"the screen is gone"}
