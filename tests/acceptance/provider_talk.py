"""One agent in talk with the emulated provider, as the loop would keep it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from postroom.clock import SystemClock
from postroom.llm.port import (
    AssistantItem,
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

    def commit(self, answer: ModelAnswer) -> None:
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
        self.items += [ResultItem(call_id=c.call_id, tool=c.tool, text="ok") for c in calls]
        self.items.append(UserItem(text="more"))


@asynccontextmanager
async def connected(
    plan: Plan, *, idle_s: float = 20.0, key: str | None = None
) -> AsyncIterator[tuple[Talk, ProviderEmulator]]:
    async with ProviderEmulator(plan) as emulator:
        env = emulator.env() | ({"OPENAI_API_KEY": key} if key else {})
        model = model_for("openai:any", env=env, clock=SystemClock(), idle_s=idle_s)
        try:
            yield Talk(model), emulator
        finally:
            await close_model(model)


def plays(*rounds: ScriptedAnswer | EmulatedRound, **fields: int) -> Plan:
    return Plan(agents=turns(b=rounds)).model_copy(update=fields)


def messages(sent: dict[str, Json]) -> list[dict[str, Json]]:
    found = sent["messages"]
    assert isinstance(found, list)
    return [each for each in found if isinstance(each, dict)]
