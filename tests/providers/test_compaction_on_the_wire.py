"""Summaries with the vendors' own SDKs, against an emulator that is as strict as the strictest vendor."""

import json
from collections.abc import Mapping
from pathlib import Path

from postroom.app import Outfit, Postroom
from postroom.domain.policy import Policy
from postroom.llm.port import Json, ModelSettings, ToolSpec
from postroom.profiles.model_defaults import ModelDefaults
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team
from postroom.store.tx import Tx
from postroom.testing.provider_emulator import (
    EmulatedCall,
    EmulatedRound,
    Plan,
    ProviderEmulator,
    Trouble,
    Wire,
)
from postroom.tools.base import Caller, Tool, ToolResult
from tests.providers.provider_talk import MODELS, on_every_wire

LOOK = ToolSpec(name="look", description="Looks.", parameters={"type": "object", "properties": {}})
LOOKS = EmulatedRound(reasoning="Where?", calls=(EmulatedCall(tool="look", arguments="{}"),) * 2)
SAYS = EmulatedRound(reasoning="So it is.", text="Seen.")
TOO_LONG = EmulatedRound(reasoning="At last.", text="Seen.", wire=Wire(trouble=Trouble.TOO_LONG, times=1))
SUMMARY = EmulatedRound(text="They looked at many things.")


async def _look(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text="y" * 900)


def looking(model: str, folder: Path) -> Team:
    profile = Profile(
        name="r", description="The r.", instructions="You look.", model=model, tools=("look",),
        settings=ModelSettings(context_window=5_000, max_tokens=500),
    )  # fmt: skip
    return Team(
        name="wire", path=folder, entry="r", surface="tree", profiles={"r": profile},
        policy=Policy(surface="tree"), model=ModelDefaults(retry_for_s=0.0),
    )  # fmt: skip


def told(tx: Tx) -> list[str]:
    """Which turns ended how, and where summaries were made."""
    events = tx.events_after(0, 10_000)
    kinds = {"turn.ended": "state", "context.compacted": "branch"}
    return [str(json.loads(e.payload)[kinds[e.kind]]) for e in events if e.kind in kinds]


@on_every_wire
async def test_a_conversation_goes_on_behind_summaries(tmp_path: Path, vendor: str) -> None:
    """O-39: between turns, inside one, and once because the provider says too long."""
    rounds = (LOOKS, SAYS, LOOKS, LOOKS, LOOKS, LOOKS, SAYS, LOOKS, SAYS, TOO_LONG, SAYS)
    plan = Plan(agents={"r": {"turn": rounds, "summary": (SUMMARY,)}})
    async with ProviderEmulator(plan) as emulator:
        outfit = Outfit(
            team=looking(MODELS[vendor], tmp_path), tools=(Tool(spec=LOOK, run=_look),), env=emulator.env()
        )
        async with Postroom(tmp_path / "store", outfit) as room:
            prompt = await room.prompt("1: ".ljust(4_000, "x"))
            for number in range(2, 6):
                await room.quiesce()
                await room.prompt(f"{number}: ".ljust(4_000, "x"), session=prompt.session_id)
            await room.quiesce()
            end = await room.last_end(prompt.session_id)
            story = room.store.look(told)
        await emulator.assert_clean()

    assert end is not None
    assert (end.state, end.text) == ("finished", "Seen.")
    assert story.count("finished") == 5
    assert story.count("1") >= 3, story
