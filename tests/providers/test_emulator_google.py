"""What only the Gemini wire refuses, and what its answers look like."""

import base64
import json
from collections.abc import Iterator
from typing import cast

import pytest

from postroom.llm.port import Json
from postroom.testing.provider_emulator import (
    CallIds,
    EmulatedCall,
    EmulatedRound,
    Finish,
    Plan,
    Wire,
    turns,
    wired,
)
from postroom.testing.provider_emulator.breach import Rule
from postroom.testing.provider_emulator.server import EmulatorServer
from postroom.testing.script import call, call_raw, say
from tests.providers.wire_talk import DUMMY_SIGNATURE, GOOGLE, PNG, Fields, last_failure, post, serving

LOOKS = tuple(EmulatedCall(tool="look", arguments=f'{{"at": "{at}"}}') for at in "xy")
THINKS = EmulatedRound(reasoning="One, two.", text="Look.", calls=LOOKS)
PLAN = Plan(agents=turns(b=[THINKS, say("seen"), say("so")]), cache_min_tokens=1)
W = GOOGLE


def content(role: str, *parts: Json) -> Json:
    return {"role": role, "parts": list(parts)}


def calls(name: str = "look", **more: Json) -> Json:
    return {"functionCall": {"name": name, "args": {}}, "thoughtSignature": DUMMY_SIGNATURE, **more}


def responds(name: str = "look", **more: Json) -> Json:
    return {"functionResponse": {"name": name, "response": {"output": "found"}, **more}}


def declares(**more: Json) -> Fields:
    declaration: Json = {"name": "look", "description": "Looks.", **more}
    return {**W.fields(W.user()), "tools": [{"functionDeclarations": [declaration]}]}


def configures(**more: Json) -> Fields:
    return {**W.fields(W.user()), "generationConfig": dict(more)}


def calling(**more: Json) -> Fields:
    return {**W.fields(W.user()), "toolConfig": {"functionCallingConfig": dict(more)}}


BAD: dict[str, tuple[Rule, str, Fields]] = {
    "no contents": (Rule.MISSING_FIELD, "contents: is not specified", W.fields()),
    "no parts": (Rule.WRONG_TYPE, "contents[0].parts: must not be empty", W.fields(content("user"))),
    "part of nothing": (
        Rule.MISSING_FIELD,
        "contents[0].parts[0].data: required oneof field 'data'",
        W.fields(content("user", {})),
    ),
    "part of two things": (
        Rule.MISSING_FIELD,
        "must have one initialized field",
        W.fields(content("user", {"text": "x", "inlineData": {}})),
    ),
    "another role": (Rule.BAD_VALUE, "Please use a valid role: user, model.", W.fields(content("tool", {}))),
    "call of a user": (Rule.BAD_VALUE, "no functionCall of a user", W.fields(content("user", calls()))),
    "response of a model": (
        Rule.BAD_VALUE,
        "no functionResponse of a model",
        W.fields(W.user(), content("model", responds())),
    ),
    "call first": (
        Rule.WRONG_TURN,
        "immediately after a user turn",
        W.fields(content("model", calls()), content("user", responds())),
    ),
    "call after an answer": (
        Rule.WRONG_TURN,
        "immediately after a user turn",
        W.fields(W.user(), W.says("so"), content("model", calls()), content("user", responds())),
    ),
    "model last": (Rule.WRONG_TURN, "end with a user turn", W.fields(W.user(), W.says("so"))),
    "responses in two contents": (
        Rule.UNPAIRED_CALL,
        "number of function response parts",
        W.fields(W.user(), W.asks("a", "b"), W.result("a"), W.result("b")),
    ),
    "nameless response of no call": (
        Rule.STRAY_RESULT,
        "immediately after a function call turn",
        W.fields(W.user(), content("model", calls()), content("user", responds(), responds())),
    ),
    "response without the call's id": (
        Rule.STRAY_RESULT,
        "immediately after a function call turn",
        W.fields(W.user(), W.asks("a"), content("user", responds())),
    ),
    "response of another function": (
        Rule.BAD_VALUE,
        "expected look",
        W.fields(W.user(), W.asks("a"), content("user", responds("hear", id="a"))),
    ),
    "response of no object": (
        Rule.WRONG_TYPE,
        "function_response.response': expected object",
        W.fields(W.user(), W.asks("a"), content("user", responds(id="a", response="found"))),
    ),
    "arguments of no object": (
        Rule.WRONG_TYPE,
        "function_call.args': expected object",
        W.fields(W.user(), content("model", {"functionCall": {"name": "look", "args": "{}"}})),
    ),
    "function of a strange name": (Rule.BAD_VALUE, "Invalid function name", declares(name="a b")),
    "function without a description": (Rule.MISSING_FIELD, "description", declares(description=None)),
    "whole JSON schema as parameters": (
        Rule.UNKNOWN_FIELD,
        'parameters.additionalProperties": Cannot find field',
        declares(parameters={"type": "OBJECT", "additionalProperties": False}),
    ),
    "whole JSON schema inside of parameters": (
        Rule.UNKNOWN_FIELD,
        "parameters.properties.at.const",
        declares(parameters={"type": "OBJECT", "properties": {"at": {"const": 1}}}),
    ),
    "two kinds of parameters": (
        Rule.BAD_VALUE,
        "Only one of parameters",
        declares(parameters={"type": "OBJECT"}, parametersJsonSchema={"type": "object"}),
    ),
    "unknown setting": (Rule.UNKNOWN_FIELD, "generation_config.heat", configures(heat=1)),
    "too hot": (Rule.BAD_VALUE, "generation_config.temperature", configures(temperature=3)),
    "limit of nothing": (Rule.BAD_VALUE, "max_output_tokens", configures(maxOutputTokens=0)),
    "unknown mode": (Rule.BAD_VALUE, "function_calling_config.mode", calling(mode="SOME")),
    "names without the mode for them": (
        Rule.BAD_VALUE,
        "only when function calling mode is ANY",
        calling(mode="AUTO", allowedFunctionNames=["look"]),
    ),
    "picture of a type the others take": (
        Rule.BAD_IMAGE,
        "Unsupported MIME type: image/gif",
        W.fields(W.picture("image/gif", base64.b64encode(b"GIF89a").decode())),
    ),
    "call without its signature": (
        Rule.MISSING_SIGNATURE,
        "missing a thought_signature in functionCall parts",
        W.fields(W.user(), content("model", calls(thoughtSignature=None)), content("user", responds())),
    ),
    "call with another's signature": (
        Rule.BAD_SIGNATURE,
        "Corrupted thought signature.",
        W.fields(W.user(), content("model", calls(thoughtSignature="c2ln")), content("user", responds())),
    ),
    "text with another's signature": (
        Rule.BAD_SIGNATURE,
        "Corrupted thought signature.",
        W.fields(W.user(), content("model", {"text": "so", "thoughtSignature": "c2ln"}), W.user()),
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
    assert (response.status, response.error["code"]) == (400, 400)
    assert response.error["status"] == "INVALID_ARGUMENT"
    assert words in str(response.error["message"])


def test_a_wrong_key_is_told_by_its_reason(server: EmulatorServer) -> None:
    (detail,) = cast("list[Fields]", post(server, W, b"", key="wrong").error["details"])

    assert detail["reason"] == "API_KEY_INVALID"


def test_a_prompt_that_is_too_long_says_by_how_much(server: EmulatorServer) -> None:
    with serving(PLAN.model_copy(update={"context_window": 100})) as small:
        message = str(post(small, W, W.fields(W.user("x" * 4000))).error["message"])

    assert message.startswith("The input token count (10")
    assert message.endswith(") exceeds the maximum number of tokens allowed (100).")


def parts_of(body: Fields) -> list[Fields]:
    (candidate,) = cast("list[Fields]", body["candidates"])
    return cast("list[Fields]", cast("Fields", candidate["content"])["parts"])


def finish_of(body: Fields) -> Json:
    (candidate,) = cast("list[Fields]", body["candidates"])
    return candidate.get("finishReason")


def test_an_answer_has_parts_a_reason_and_usage(server: EmulatorServer) -> None:
    body = post(server, W, W.fields(W.user())).body

    thought, said, first, second = parts_of(body)
    usage = cast("Fields", body["usageMetadata"])
    assert thought == {"text": "One, two.", "thought": True}
    assert said == {"text": "Look."}
    assert first["functionCall"] == {"id": "fc_1_0", "name": "look", "args": {"at": "x"}}
    assert "thoughtSignature" in first
    assert "thoughtSignature" not in second
    assert (finish_of(body), usage["thoughtsTokenCount"]) == ("STOP", 3)


def test_a_stream_ends_with_its_reason_and_whole_calls(server: EmulatorServer) -> None:
    events = post(server, W, W.fields(W.user()), stream=True).events

    found = [part for event in events for part in parts_of(event)]
    assert "".join(str(part.get("text", "")) for part in found if "thought" not in part) == "Look."
    assert [part["functionCall"] for part in found if "functionCall" in part] == [
        {"id": "fc_1_0", "name": "look", "args": {"at": "x"}},
        {"id": "fc_1_1", "name": "look", "args": {"at": "y"}},
    ]
    assert [finish_of(event) for event in events][-2:] == [None, "STOP"]


@pytest.mark.parametrize("arguments", ['{"at": ', "[1]"])
def test_arguments_that_are_no_object_end_the_answer(arguments: str) -> None:
    with serving(Plan(agents=turns(b=[call_raw("look", arguments)]))) as server:
        body = post(server, W, W.fields(W.user())).body

    assert (finish_of(body), parts_of(body)) == ("MALFORMED_FUNCTION_CALL", [])


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        (Finish.LENGTH, "MAX_TOKENS"),
        (Finish.REFUSAL, "SAFETY"),
        (Finish.CONTENT_FILTER, "SAFETY"),
        ("RECITATION", "RECITATION"),
        ("", "STOP"),
    ],
)
def test_every_end_has_the_vendors_word(finish: str, reason: str) -> None:
    with serving(Plan(agents=turns(b=[wired(say("no"), Wire(finish=finish))]))) as server:
        assert finish_of(post(server, W, W.fields(W.user())).body) == reason


def test_mode_none_gets_no_calls(server: EmulatorServer) -> None:
    parts = parts_of(post(server, W, calling(mode="NONE")).body)

    assert not [part for part in parts if "functionCall" in part]


def goes_on(server: EmulatorServer) -> tuple[Json, list[Fields]]:
    """The answer as it came, and the parts of it that may be changed."""
    parts = parts_of(post(server, W, W.fields(W.user())).body)
    return content("model", *cast("list[Json]", parts)), parts


TOLD = content("user", responds(id="fc_1_0"), responds(id="fc_1_1"))


def test_signatures_that_come_back_unchanged_are_taken(server: EmulatorServer) -> None:
    answer, _ = goes_on(server)

    assert post(server, W, W.fields(W.user(), answer, TOLD)).status == 200


def test_a_signature_of_a_call_that_was_changed_is_refused(server: EmulatorServer) -> None:
    answer, parts = goes_on(server)
    cast("Fields", parts[2]["functionCall"])["args"] = {"at": "z"}

    post(server, W, W.fields(W.user(), answer, TOLD))

    assert last_failure(server).startswith(f"{Rule.BAD_SIGNATURE}: ")


def test_a_signature_is_only_needed_in_the_current_turn(server: EmulatorServer) -> None:
    answer, parts = goes_on(server)
    del parts[2]["thoughtSignature"]

    lost = post(server, W, W.fields(W.user(), answer, TOLD))
    later = post(server, W, W.fields(W.user(), answer, TOLD, W.user()))

    assert (lost.status, later.status) == (400, 200)


def test_the_dummy_signature_passes_unless_the_plan_forbids_it(server: EmulatorServer) -> None:
    encoded = base64.urlsafe_b64encode(DUMMY_SIGNATURE.encode()).decode()
    asked = [
        W.fields(W.user(), content("model", calls(thoughtSignature=each)), content("user", responds()))
        for each in (DUMMY_SIGNATURE, encoded)
    ]
    assert [post(server, W, each).status for each in asked] == [200, 200]

    with serving(PLAN.model_copy(update={"dummy_signatures": False})) as strict:
        assert [post(strict, W, each).status for each in asked] == [400, 400]


def test_calls_without_ids_are_matched_by_their_place(server: EmulatorServer) -> None:
    plan = Plan(agents=turns(b=[say("", call("look"), call("hear")), say("seen")]), call_ids=CallIds.NONE)

    with serving(plan) as nameless:
        answer = parts_of(post(nameless, W, W.fields(W.user())).body)
        told = content("user", responds("look"), responds("hear"))
        later = post(nameless, W, W.fields(W.user(), content("model", *cast("list[Json]", answer)), told))

    assert "id" not in cast("Fields", answer[0]["functionCall"])
    assert (later.status, parts_of(later.body)[0]["text"]) == (200, "seen")


def test_names_of_protocol_buffers_are_taken_as_well(server: EmulatorServer) -> None:
    snake = json.loads(
        json.dumps(W.fields(W.user(), W.asks("a"), W.result("a"), W.picture("image/png", PNG)))
        .replace("functionCall", "function_call")
        .replace("functionResponse", "function_response")
        .replace("functionDeclarations", "function_declarations")
        .replace("thoughtSignature", "thought_signature")
        .replace("inlineData", "inline_data")
        .replace("mimeType", "mime_type")
    )

    assert post(server, W, snake).status == 200


def test_what_was_sent_before_is_read_from_the_cache(server: EmulatorServer) -> None:
    def cached(*messages: Json) -> Json:
        body = post(server, W, W.fields(*messages)).body
        return cast("Fields", body["usageMetadata"]).get("cachedContentTokenCount")

    first, again = cached(W.user("x" * 400)), cached(W.user("x" * 400), W.user("more"))

    assert first is None
    assert int(str(again)) >= 100


def test_a_stream_without_events_is_not_served(server: EmulatorServer) -> None:
    class ListTalk(type(W)):
        stream_path = "/v1beta/models/gemini-3-pro:streamGenerateContent"

    assert post(server, ListTalk(), W.fields(W.user()), stream=True).status == 400
