"""What only the messages wire refuses, and what its answers look like."""

from collections.abc import Iterator
from typing import cast

import pytest

from postroom.llm.port import Json
from postroom.testing.provider_emulator import EmulatedCall, EmulatedRound, Finish, Plan, Wire, turns, wired
from postroom.testing.provider_emulator.breach import Rule
from postroom.testing.provider_emulator.server import EmulatorServer
from postroom.testing.script import call, call_raw, say
from tests.providers.anthropic_blocks import (
    EPHEMERAL,
    TOOLS,
    W,
    changed,
    content,
    result,
    text,
    turn,
    use,
    with_tool,
)
from tests.providers.wire_talk import PNG, Fields, last_failure, post, serving

THINKS = EmulatedRound(
    reasoning="One, two.", text="Look.", calls=(EmulatedCall(tool="look", arguments='{"at": "x"}'),)
)
PLAN = Plan(agents=turns(b=[THINKS, say("seen"), say("so")]), cache_min_tokens=1)
THINKING: Json = {"type": "enabled", "budget_tokens": 2000}
BAD: dict[str, tuple[Rule, str, Fields]] = {
    "no limit": (Rule.MISSING_FIELD, "max_tokens: Field required", changed(max_tokens=None)),
    "limit of nothing": (Rule.BAD_VALUE, "max_tokens: Input should be", changed(max_tokens=0)),
    "too hot": (Rule.BAD_VALUE, "temperature: Input should be", changed(temperature=1.5)),
    "system as a message": (
        Rule.BAD_VALUE,
        "messages.0.role: ",
        W.fields({"role": "system", "content": "x"}),
    ),
    "blank system block": (Rule.BLANK_TEXT, "system: text content", changed(system=[text(" ")])),
    "picture as system": (Rule.BAD_VALUE, "system.0: Input tag", changed(system=[{"type": "image"}])),
    "assistant first": (Rule.WRONG_TURN, 'must use the "user" role', W.fields(W.says("x"), W.user())),
    "empty content": (
        Rule.BLANK_TEXT,
        "messages.1: all messages must have non-empty content",
        content("assistant"),
    ),
    "final answer with a space": (
        Rule.TRAILING_SPACE,
        "cannot end with trailing whitespace",
        W.fields(W.user(), W.says("I ")),
    ),
    "call id of strange letters": (
        Rule.BAD_VALUE,
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        content("assistant", use("a.b")),
    ),
    "arguments as text": (
        Rule.WRONG_TYPE,
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
        content("assistant", use(input="{}")),
    ),
    "call of a user": (Rule.BAD_VALUE, "Input tag 'tool_use' found", content("user", use())),
    "result of an assistant": (Rule.BAD_VALUE, "Input tag 'tool_result'", content("assistant", result())),
    "text before the result": (
        Rule.TEXT_INSIDE_PAIR,
        "were found without `tool_result` blocks immediately after: a",
        W.fields(W.user(), W.asks("a"), turn("user", text("so"), result())),
    ),
    "results in two messages": (
        Rule.UNPAIRED_CALL,
        "immediately after: b",
        W.fields(W.user(), W.asks("a", "b"), W.result("a"), W.result("b")),
    ),
    "failed result that says nothing": (
        Rule.BLANK_TEXT,
        "content cannot be empty if `is_error` is true",
        W.fields(W.user(), W.asks("a"), turn("user", result(content=[], is_error=True))),
    ),
    "field of a block": (
        Rule.UNKNOWN_FIELD,
        "messages.1.content.0.text.colour: Extra inputs are not permitted",
        content("user", text("x", colour="red")),
    ),
    "calls without tools": (
        Rule.MISSING_FIELD,
        "must define tools",
        {
            name: value
            for name, value in W.fields(W.user(), W.asks("a"), W.result("a")).items()
            if name != "tools"
        },
    ),
    "tool without a schema": (Rule.MISSING_FIELD, "input_schema: Field", with_tool(input_schema=None)),
    "schema of no object": (
        Rule.BAD_VALUE,
        "input_schema.type: Input should be 'object'",
        with_tool(input_schema={"type": "string"}),
    ),
    "schema of alternatives": (
        Rule.BAD_VALUE,
        "does not support oneOf",
        with_tool(input_schema={"type": "object", "anyOf": []}),
    ),
    "property of a strange name": (
        Rule.BAD_VALUE,
        "input_schema.properties: String should match",
        with_tool(input_schema={"type": "object", "properties": {"a b": {}}}),
    ),
    "tool of a strange name": (Rule.BAD_VALUE, "tools.0.custom.name: String", with_tool(name="a b")),
    "two tools of a name": (
        Rule.BAD_VALUE,
        "Tool names must be unique",
        changed(tools=[*TOOLS, *TOOLS]),
    ),
    "choice of an unknown tool": (
        Rule.BAD_VALUE,
        "Tool 'hear' not found",
        changed(tool_choice={"type": "tool", "name": "hear"}),
    ),
    "choice without tools": (
        Rule.BAD_VALUE,
        "while providing tools",
        changed(tools=[], tool_choice={"type": "auto"}),
    ),
    "five markers": (
        Rule.TOO_MANY_MARKERS,
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        content("user", *[text("x", cache_control=EPHEMERAL)] * 5),
    ),
    "five markers with those inside a result": (
        Rule.TOO_MANY_MARKERS,
        "Found 5.",
        W.fields(
            W.user(),
            W.asks("a"),
            turn("user", result(content=[text("x", cache_control=EPHEMERAL)] * 4, cache_control=EPHEMERAL)),
        ),
    ),
    "marker of a strange kind": (
        Rule.BAD_VALUE,
        "cache_control.type: Input should be 'ephemeral'",
        content("user", text("x", cache_control={"type": "for ever"})),
    ),
    "long life after a short one": (
        Rule.BAD_VALUE,
        "ttl='1h' cache_control block must not come after",
        content(
            "user",
            text("x", cache_control=EPHEMERAL),
            text("y", cache_control={"type": "ephemeral", "ttl": "1h"}),
        ),
    ),
    "thinking with a small budget": (
        Rule.BAD_VALUE,
        "greater than or equal to 1024",
        changed(thinking={"type": "enabled", "budget_tokens": 9}),
    ),
    "budget above the limit": (
        Rule.BAD_VALUE,
        "must be greater than `thinking.budget_tokens`",
        changed(thinking=THINKING),
    ),
    "thinking that must call": (
        Rule.BAD_VALUE,
        "Thinking may not be enabled when",
        changed(thinking=THINKING, max_tokens=4000, tool_choice={"type": "any"}),
    ),
    "thinking that is cool": (
        Rule.BAD_VALUE,
        "may only be set to 1",
        changed(thinking=THINKING, max_tokens=4000, temperature=0.5),
    ),
    "answer that lost its thinking": (
        Rule.MISSING_THINKING,
        "messages.1.content.0.type: Expected `thinking`",
        W.fields(W.user(), W.asks("a"), W.result("a")) | {"thinking": THINKING, "max_tokens": 4000},
    ),
    "thinking without a signature": (
        Rule.MISSING_FIELD,
        "thinking.signature: Field required",
        content("assistant", {"type": "thinking", "thinking": "x"}),
    ),
    "thinking of another's making": (
        Rule.BAD_SIGNATURE,
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        content("assistant", {"type": "thinking", "thinking": "x", "signature": "c2ln"}),
    ),
    "redacted thinking of another's making": (
        Rule.BAD_SIGNATURE,
        "Invalid `signature`",
        content("assistant", {"type": "redacted_thinking", "data": "c2ln"}),
    ),
    "binding without the header": (
        Rule.UNKNOWN_FIELD,
        "thinking.block_binding: Extra inputs are not permitted",
        changed(thinking={"type": "adaptive", "block_binding": {}}),
    ),
}


@pytest.fixture
def server() -> Iterator[EmulatorServer]:
    with serving(PLAN) as served:
        yield served


@pytest.mark.parametrize(("rule", "words", "bad"), BAD.values(), ids=BAD.keys())
def test_a_bad_request_of_every_kind_is_refused_as_the_vendor_does(
    server: EmulatorServer, rule: Rule, words: str, bad: Fields
) -> None:
    response = post(server, W, bad)

    assert last_failure(server).startswith(f"{rule}: ")
    assert response.status == 400
    assert response.body["type"] == "error"
    assert response.error["type"] == "invalid_request_error"
    assert words in str(response.error["message"])


def test_a_request_that_names_no_version_is_refused(server: EmulatorServer) -> None:
    response = post(server, W, changed(), more={"anthropic-version": ""})

    assert response.error["message"] == "anthropic-version: header is required"


def test_a_prompt_that_is_too_long_says_by_how_much(server: EmulatorServer) -> None:
    with serving(PLAN.model_copy(update={"context_window": 100})) as small:
        response = post(small, W, changed(messages=[W.user("x" * 4000)]))

    assert str(response.error["message"]).startswith("prompt is too long: 10")
    assert str(response.error["message"]).endswith(" tokens > 100 maximum")


def test_an_answer_has_blocks_a_reason_and_usage(server: EmulatorServer) -> None:
    body = post(server, W, changed()).body

    thinking, said, used = cast("list[Fields]", body["content"])
    assert (thinking["type"], thinking["thinking"]) == ("thinking", "One, two.")
    assert said == {"type": "text", "text": "Look."}
    assert used == {"type": "tool_use", "id": "toolu_1_0", "name": "look", "input": {"at": "x"}}
    assert body["stop_reason"] == "tool_use"


def test_a_stream_has_the_events_of_the_vendor_in_its_order(server: EmulatorServer) -> None:
    events = post(server, W, changed(stream=True), stream=True).events

    kinds = [str(event["type"]) for event in events]
    block = ["content_block_start", "content_block_stop"]
    assert kinds[:2] == ["message_start", "ping"]
    assert [kind for kind in kinds if kind in block] == block * 3
    assert kinds[-2:] == ["message_delta", "message_stop"]
    deltas = [cast("Fields", event["delta"]) for event in events if event["type"] == "content_block_delta"]
    assert "".join(str(each.get("partial_json", "")) for each in deltas) == '{"at": "x"}'
    assert [each["type"] for each in deltas].count("signature_delta") == 1


def test_arguments_that_are_no_json_travel_as_they_stand() -> None:
    plan = Plan(agents=turns(b=[call_raw("look", '{"at": ')]))

    with serving(plan) as server:
        events = post(server, W, changed(stream=True), stream=True).events

    deltas = [cast("Fields", event["delta"]) for event in events if event["type"] == "content_block_delta"]
    assert "".join(str(each["partial_json"]) for each in deltas) == '{"at": '


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        (Finish.LENGTH, "max_tokens"),
        (Finish.REFUSAL, "refusal"),
        (Finish.CONTENT_FILTER, "refusal"),
        ("", "end_turn"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_every_end_has_the_vendors_word(finish: str, reason: str) -> None:
    with serving(Plan(agents=turns(b=[wired(say("no"), Wire(finish=finish))]))) as server:
        assert post(server, W, changed()).body["stop_reason"] == reason


def test_tool_choice_none_gets_no_calls(server: EmulatorServer) -> None:
    body = post(server, W, changed(tool_choice={"type": "none"})).body

    assert "tool_use" not in [each["type"] for each in cast("list[Fields]", body["content"])]


def test_pictures_go_into_results(server: EmulatorServer) -> None:
    source: Json = {"type": "base64", "media_type": "image/png", "data": PNG}
    told = turn("user", result(content=[text("see"), {"type": "image", "source": source}]))

    assert post(server, W, W.fields(W.user(), W.asks("a"), told)).status == 200


def test_repeated_calls_get_a_result_each() -> None:
    with serving(Plan(agents=turns(b=[say("", call("look"), call("look"))]))) as server:
        used = cast("list[Fields]", post(server, W, changed()).body["content"])

    assert [each["id"] for each in used] == ["toolu_1_0", "toolu_1_1"]
