"""One agent in talk with the emulated provider, as the loop would keep it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from postroom.clock import SystemClock
from postroom.llm.port import (
    AssistantItem,
    Image,
    Item,
    Json,
    Model,
    ModelAnswer,
    ModelRequest,
    ResultItem,
    ToolSpec,
    UserItem,
)
from postroom.llm.provider import close_model, model_for
from postroom.testing.provider_emulator import (
    EmulatedRound,
    Plan,
    ProviderEmulator,
    turns,
)
from postroom.testing.script import ScriptedAnswer

LOOK = ToolSpec(
    name="look",
    description="Looks at a place.",
    parameters={
        "type": "object",
        "properties": {"at": {"type": "string"}, "deep": {"type": "boolean"}},
        "required": ["at"],
        "additionalProperties": False,
    },
)


# One model of each wire; the names matter to the adapters, and to nobody else.
MODELS = {
    "openai": "openai:any-vision",
    "anthropic": "anthropic:claude-haiku-5-5",
    "google": "google:gemini-3-flash-preview",
}
on_every_wire = pytest.mark.parametrize("vendor", MODELS)
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}


class Talk:
    """One agent's side of a conversation: keeps the items as the loop would, with our call ids."""

    def __init__(self, model: Model) -> None:
        self.items: list[Item] = [UserItem(text="begin")]
        self.heard: list[str] = []
        self._model = model
        self._rounds = 0

    def request(self) -> ModelRequest:
        return ModelRequest(
            agent="b",
            branch="branch-1",
            instructions="Be brief.",
            items=tuple(self.items),
            tools=(LOOK,),
        )

    async def ask(self, request: ModelRequest | None = None) -> ModelAnswer:
        return await self._model.request(request or self.request(), self.heard.append)

    def commit(self, answer: ModelAnswer, *images: Image, mail: str = "more", is_error: bool = False) -> None:
        """Keep an answer with a result for each of its calls, and the mail that came meanwhile."""
        calls = tuple(
            each._replace(call_id=f"c_17_{self._rounds}_{position}")
            for position, each in enumerate(answer.calls)
        )
        self._rounds += 1
        self.items.append(
            AssistantItem(
                text=answer.text,
                calls=calls,
                provider=answer.provider,
                provider_parts=answer.provider_parts,
            )
        )
        self.items += [
            ResultItem(call_id=c.call_id, tool=c.tool, text="ok", is_error=is_error, images=images)
            for c in calls
        ]
        if mail:
            self.items.append(UserItem(text=mail))


@asynccontextmanager
async def connected(
    plan: Plan, *, vendor: str = "openai", model: str = "", idle_s: float = 20.0, key: str | None = None
) -> AsyncIterator[tuple[Talk, ProviderEmulator]]:
    async with ProviderEmulator(plan) as emulator:
        env = emulator.env() | ({KEYS[vendor]: key} if key else {})
        asked = model_for(model or MODELS[vendor], env=env, clock=SystemClock(), idle_s=idle_s)
        try:
            yield Talk(asked), emulator
        finally:
            await close_model(asked)


def plays(*rounds: ScriptedAnswer | EmulatedRound, **fields: int) -> Plan:
    return Plan(agents=turns(b=rounds)).model_copy(update=fields)


def messages(sent: dict[str, Json]) -> list[dict[str, Json]]:
    found = sent["messages"]
    assert isinstance(found, list)
    return [each for each in found if isinstance(each, dict)]
