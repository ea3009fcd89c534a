"""The emulated provider refuses what vendors refuse: one bad request of every kind, byte for byte."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import cast

import pytest

from postroom.llm.port import Json
from postroom.llm.strict import Flaw
from postroom.testing.provider_emulator import CallIds, Plan, ProviderEmulator, turns
from postroom.testing.provider_emulator.server import EmulatorServer
from postroom.testing.script import call, say

COMPLETIONS = "/v1/chat/completions"
WINDOW = 200
PLAN = Plan(agents=turns(b=[say("hello", call("look", at="x")), say("seen")]), context_window=WINDOW)
Fields = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came back: status and decoded body."""

    status: int
    body: Fields

    @property
    def error(self) -> Fields:
        return cast("Fields", self.body["error"])


def post(server: EmulatorServer, raw: bytes, key: str | None = PLAN.key, agent: str = "b") -> Response:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)
    headers = {"content-type": "application/json", "x-postroom-agent": agent}
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    try:
        connection.request("POST", COMPLETIONS, raw, headers)
        response = connection.getresponse()
        return Response(status=response.status, body=json.loads(response.read()))
    finally:
        connection.close()


@pytest.fixture
def server() -> Iterator[EmulatorServer]:
    """The emulator's sockets in this process: a bad request needs no process of its own."""
    with EmulatorServer(PLAN) as served:
        thread = threading.Thread(target=served.serve_forever, args=(0.01,))
        thread.start()
        yield served
        served.shutdown()
        thread.join()


def user(content: Json = "hi") -> Json:
    return {"role": "user", "content": content}


def asks(*ids: str, **changed: Json) -> Json:
    function: Fields = {"name": "look", "arguments": "{}"}
    calls: list[Json] = [{"id": each, "type": "function", "function": function} for each in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **changed}


def result(call_id: str, content: str = "found") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def body(*messages: Json, **fields: Json) -> bytes:
    return json.dumps({"model": "m", "messages": list(messages), **fields}).encode()


BAD: dict[str, tuple[str, bytes]] = {
    "unpaired call": (Flaw.UNPAIRED_CALL, body(user(), asks("a"))),
    "one result short": (Flaw.UNPAIRED_CALL, body(user(), asks("a", "b"), result("a"))),
    "answer before the result": (
        Flaw.UNPAIRED_CALL,
        body(user(), asks("a"), {"role": "assistant", "content": "x"}, result("a")),
    ),
    "result without a call": (Flaw.STRAY_RESULT, body(user(), result("a"))),
    "result far from its call": (
        Flaw.STRAY_RESULT,
        body(user(), asks("a"), result("a"), user(), result("a")),
    ),
    "id twice in one answer": (Flaw.REPEATED_ID, body(user(), asks("a", "a"), result("a"))),
    "id twice in one request": (
        Flaw.REPEATED_ID,
        body(user(), asks("a"), result("a"), asks("a"), result("a")),
    ),
    "text inside a pair": (Flaw.TEXT_INSIDE_PAIR, body(user(), asks("a"), user(), result("a"))),
    "blank text": (Flaw.BLANK_TEXT, body(user(" \u200b\n"))),
    "blank block": (Flaw.BLANK_TEXT, body(user([{"type": "text", "text": ""}]))),
    "no content": (Flaw.BLANK_TEXT, body({"role": "user"})),
    "blank result": (Flaw.BLANK_TEXT, body(user(), asks("a"), result("a", ""))),
    "blank text beside a call": (
        Flaw.BLANK_TEXT,
        body(user(), asks("a", content=" "), result("a")),
    ),
    "no JSON": (Flaw.NOT_UTF8, b'{"model": "m"'),
    "no UTF-8": (Flaw.NOT_UTF8, b'{"model": "\xff"}'),
    "lone surrogate": (Flaw.NOT_UTF8, body(user("half \ud83d pair"))),
    "over the window": (Flaw.OVER_WINDOW, body(user("x" * 4 * (WINDOW + 1)))),
    "no object": ("wrong_type", b"[]"),
    "model of a wrong type": ("wrong_type", json.dumps({"model": 1, "messages": []}).encode()),
    "messages of a wrong type": ("wrong_type", b'{"model": "m", "messages": "hi"}'),
    "number of a wrong type": ("wrong_type", body(user(), max_tokens="many")),
    "number that is a flag": ("wrong_type", body(user(), max_tokens=True)),
    "flag that is a number": ("wrong_type", body(user(), stream=1)),
    "content of a wrong type": ("wrong_type", body(user(3))),
    "block of a wrong type": ("wrong_type", body(user([{"type": "sound"}]))),
    "unknown role": ("wrong_type", body({"role": "agent", "content": "hi"})),
    "no messages": ("wrong_type", body()),
    "call that is no function": ("wrong_type", body(user(), asks(tool_calls=[{"id": "a"}]))),
    "id too long": ("wrong_type", body(user(), asks("a" * 41), result("a" * 41))),
    "calls of a user": ("wrong_type", body(asks("a", role="user"), result("a"))),
    "tool with a strange name": (
        "wrong_type",
        body(user(), tools=[{"type": "function", "function": {"name": "a b"}}]),
    ),
    "unknown field": ("unknown_field", body(user(), colour="red")),
    "unknown field of a message": ("unknown_field", body({**cast("Fields", user()), "to": "x"})),
    "missing messages": ("missing_field", b'{"model": "m"}'),
    "missing model": ("missing_field", b'{"messages": []}'),
    "missing id of a result": ("missing_field", body({"role": "tool", "content": "x"})),
}


@pytest.mark.parametrize(("kind", "raw"), BAD.values(), ids=BAD.keys())
def test_a_bad_request_of_every_kind_is_refused_as_the_vendor_does(
    server: EmulatorServer, kind: str, raw: bytes
) -> None:
    """V"""
    response = post(server, raw)

    assert response.status == 400
    assert response.error.keys() == {"message", "type", "param", "code"}
    assert response.error["type"] == "invalid_request_error"
    (entry,) = server.desk.log()
    assert str(cast("Fields", entry)["failure"]).startswith(f"{kind}: ")


def test_every_flaw_of_a_request_has_its_bad_request() -> None:
    assert set(Flaw) <= {kind for kind, _ in BAD.values()}


def test_a_request_over_the_window_has_the_code_sdks_look_for(server: EmulatorServer) -> None:
    _, raw = BAD["over the window"]

    assert post(server, raw).error["code"] == "context_length_exceeded"


@pytest.mark.parametrize(("key", "code"), [(None, None), ("wrong", "invalid_api_key")])
def test_a_missing_or_wrong_key_is_401(server: EmulatorServer, key: str | None, code: str | None) -> None:
    response = post(server, body(user()), key)

    assert response.status == 401
    assert response.error["code"] == code


def test_a_path_that_is_not_there_is_404(server: EmulatorServer) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)
    connection.request("POST", "/v1/embeddings", b"{}")

    assert connection.getresponse().status == 404
    connection.close()


def test_a_good_request_is_answered_whole(server: EmulatorServer) -> None:
    response = post(server, body(user(), temperature=0.5, max_tokens=10, stream=False))

    (choice,) = cast("list[Fields]", response.body["choices"])
    message = cast("Fields", choice["message"])
    (made,) = cast("list[Fields]", message["tool_calls"])
    assert response.status == 200
    assert choice["finish_reason"] == "tool_calls"
    assert message["content"] == "hello"
    assert made["function"] == {"name": "look", "arguments": '{"at": "x"}'}
    assert cast("Fields", response.body["usage"])["prompt_tokens"] == 1


def test_a_script_that_runs_out_is_refused_and_remembered(server: EmulatorServer) -> None:
    asked = (user(), asks("a"), result("a"), asks("b"), result("b"))

    response = post(server, body(*asked))

    assert (response.status, response.error["type"]) == (400, "script_ended")


def test_an_agent_without_a_script_is_refused(server: EmulatorServer) -> None:
    response = post(server, body(user()), agent="nobody")

    assert "'nobody'" in str(response.error["message"])


@pytest.mark.parametrize(
    ("call_ids", "expected"),
    [
        (CallIds.PER_ANSWER, ["call_0", "call_1"]),
        (CallIds.SAME, ["call_0", "call_0"]),
        (CallIds.UNIQUE, ["call_1_0", "call_1_1"]),
    ],
)
async def test_a_plan_crosses_into_the_process_and_says_how_calls_are_named(
    call_ids: CallIds, expected: list[str]
) -> None:
    """O-04"""
    two = say("", call("look", at="😀"), call("look", at="${last}"))
    plan = Plan(agents=turns(b=[two]), call_ids=call_ids)

    async with ProviderEmulator(plan) as emulator:
        port = int(emulator.url.split(":")[2].split("/")[0])
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"authorization": f"Bearer {plan.key}", "x-postroom-agent": "b"}
        connection.request("POST", COMPLETIONS, body(user("hey")), headers)
        answer = cast("Fields", json.loads(connection.getresponse().read()))
        connection.close()
        await emulator.assert_clean()

    (choice,) = cast("list[Fields]", answer["choices"])
    made = cast("list[Fields]", cast("Fields", choice["message"])["tool_calls"])
    assert [each["id"] for each in made] == expected
    assert [cast("Fields", each["function"])["arguments"] for each in made] == [
        '{"at": "😀"}',
        '{"at": "hey"}',
    ]
