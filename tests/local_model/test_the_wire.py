"""The endpoint in front of the small model, asked through the vendor's own SDK as any other."""

import json
from collections.abc import AsyncIterator

import pytest

from postroom.clock import SystemClock
from postroom.errors import ContextTooLong
from postroom.llm.port import Model, ModelRequest, ModelSettings, ToolSpec, UserItem
from postroom.llm.provider import close_model, model_for
from postroom.testing.local_model import MODEL_NAME, LocalModel

HANDLE = "bob_1a2b3c4d"
SEND = ToolSpec(
    name="send_message",
    description="Write to another agent.",
    parameters={
        "type": "object",
        "properties": {
            "to": {"type": "string", "description": "Handle of the recipient."},
            "body": {"type": "string", "description": "What to write. Not blank."},
            "mode": {"type": "string", "enum": ["steer", "queue"]},
        },
        "required": ["to", "body"],
        "additionalProperties": False,
    },
)


@pytest.fixture
async def model(local_model: LocalModel) -> AsyncIterator[Model]:
    found = model_for(MODEL_NAME, env=local_model.env(), clock=SystemClock())
    yield found
    await close_model(found)


def request(text: str, *tools: ToolSpec, force_text: bool = False) -> ModelRequest:
    return ModelRequest(
        agent="worker", branch="b", instructions="You do what you are asked.", items=(UserItem(text=text),),
        tools=tools, force_text=force_text, settings=ModelSettings(max_tokens=200),
    )  # fmt: skip


async def test_text_streams_in_pieces_that_make_the_whole(model: Model) -> None:
    heard: list[str] = []

    answer = await model.request(request("Write one sentence about bees."), heard.append)

    assert len(heard) > 1
    assert "".join(heard).strip() == answer.text.strip() != ""
    assert answer.usage.output_tokens >= len(heard) > 0
    assert answer.usage.input_tokens > 0


@pytest.mark.parametrize("number", range(5))
async def test_a_tool_that_is_named_between_backticks_is_called_with_valid_arguments(
    model: Model, number: int
) -> None:
    handle = f"bob_{number}a2b3c4d"

    answer = await model.request(
        request(f"Tell {handle} that the bees dance. Use `send_message`.", SEND), lambda _text: None
    )

    assert [call.tool for call in answer.calls] == ["send_message"]
    arguments = json.loads(answer.calls[0].arguments)
    assert set(arguments) == {"to", "body"}
    assert arguments["to"] == handle
    assert arguments["body"].strip()


async def test_without_an_order_it_makes_a_call_or_says_something(model: Model) -> None:
    answer = await model.request(request(f"Here is {HANDLE}. Good morning.", SEND), lambda _text: None)

    if answer.calls:
        assert json.loads(answer.calls[0].arguments)["to"] == HANDLE
    else:
        assert answer.text


async def test_where_only_text_is_asked_for_no_tool_is_called(model: Model) -> None:
    answer = await model.request(
        request(f"Tell {HANDLE} something with `send_message`.", SEND, force_text=True), lambda _text: None
    )

    assert not answer.calls
    assert answer.text


async def test_a_request_that_does_not_fit_is_told_as_one(model: Model) -> None:
    with pytest.raises(ContextTooLong):
        await model.request(request("bees and ants " * 9_000), lambda _text: None)
