"""One plan for all wires: what goes wrong goes wrong on each of them, in the vendor's own way."""

import json
from http.client import HTTPConnection, IncompleteRead
from typing import cast

import pytest

from postroom.testing.provider_emulator import CallIds, Finish, Plan, Trouble, Wire, turns, wired
from postroom.testing.provider_emulator.recorded import recorded
from postroom.testing.provider_emulator.server import EmulatorServer
from postroom.testing.script import call, call_raw, say
from tests.providers.anthropic_blocks import EPHEMERAL
from tests.providers.wire_talk import WIRES, Fields, Response, WireTalk, post, serving

ANSWER = say("I look at it now.", call("look", at="abcdef"))
EACH_WIRE = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)


def plays(wire: Wire) -> Plan:
    return Plan(agents=turns(b=[wired(ANSWER, wire)]))


def ask(server: EmulatorServer, wire: WireTalk) -> Response:
    return post(server, wire, wire.fields(wire.user(), stream=True), stream=True)


def outcomes(server: EmulatorServer) -> list[object]:
    return [cast("Fields", entry)["outcome"] for entry in server.desk.log()]


@EACH_WIRE
@pytest.mark.parametrize("trouble", [Trouble.CUT_IN_TEXT, Trouble.CUT_IN_CALL])
def test_a_connection_breaks_in_the_middle_once_and_then_no_more(trouble: Trouble, wire: WireTalk) -> None:
    with serving(plays(Wire(trouble=trouble))) as server:
        with pytest.raises(IncompleteRead) as cut:
            ask(server, wire)
        whole = ask(server, wire).raw

        assert outcomes(server) == [trouble, "answered"]

    seen = cut.value.partial
    assert b"I loo" in seen
    assert (b"look at" in seen) is False
    assert (b'"look"' in seen) is (trouble is Trouble.CUT_IN_CALL)
    assert len(seen) < len(whole)


@EACH_WIRE
def test_a_stream_may_end_properly_before_its_answer_does(wire: WireTalk) -> None:
    with serving(plays(Wire(trouble=Trouble.ENDS_EARLY))) as server:
        early, whole = ask(server, wire), ask(server, wire)

    assert early.status == 200
    assert 0 < len(early.events) < len(whole.events)


@EACH_WIRE
def test_an_error_may_come_in_the_middle_of_a_stream(wire: WireTalk) -> None:
    with serving(plays(Wire(trouble=Trouble.ERROR_IN_STREAM, status=503))) as server:
        response = ask(server, wire)
        again = ask(server, wire)

    assert response.status == 200
    assert "error" in response.events[-1]
    assert "error" not in again.events[-1]


def listen(server: EmulatorServer, wire: WireTalk, count: int | None, wait_s: float = 60.0) -> bytes:
    """The first bytes of a stream, then hang up."""
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=wait_s)
    headers = wire.headers(server.desk.plan.key) | {"x-postroom-agent": "b"}
    body = json.dumps(wire.fields(wire.user(), stream=True))
    connection.request("POST", wire.stream_path, body, headers)
    try:
        return connection.getresponse().read(count)
    finally:
        connection.close()


@EACH_WIRE
def test_a_stream_may_only_show_that_the_connection_lives(wire: WireTalk) -> None:
    with serving(plays(Wire(trouble=Trouble.KEEPALIVE))) as server:
        heard = listen(server, wire, 600)

    assert len(heard) == 600
    assert (b"event: ping" if wire.name == "anthropic" else b": keepalive") in heard
    assert b"look" not in heard


@EACH_WIRE
def test_a_stream_may_say_nothing_more(wire: WireTalk) -> None:
    with serving(plays(Wire(trouble=Trouble.SILENT))) as server, pytest.raises(TimeoutError):
        listen(server, wire, None, wait_s=0.3)


EXPECTED: dict[tuple[str, int], tuple[str, object]] = {
    ("openai", 401): ("code", "invalid_api_key"),
    ("openai", 429): ("code", "rate_limit_exceeded"),
    ("openai", 500): ("type", "server_error"),
    ("anthropic", 400): ("type", "invalid_request_error"),
    ("anthropic", 401): ("type", "authentication_error"),
    ("anthropic", 413): ("type", "request_too_large"),
    ("anthropic", 429): ("type", "rate_limit_error"),
    ("anthropic", 500): ("type", "api_error"),
    ("anthropic", 529): ("type", "overloaded_error"),
    ("google", 400): ("status", "INVALID_ARGUMENT"),
    ("google", 429): ("status", "RESOURCE_EXHAUSTED"),
    ("google", 500): ("status", "INTERNAL"),
    ("google", 503): ("status", "UNAVAILABLE"),
}


@pytest.mark.parametrize(("name", "status"), EXPECTED.keys())
def test_every_status_has_the_vendors_kind_of_error(name: str, status: int) -> None:
    (wire,) = (each for each in WIRES if each.name == name)
    key, value = EXPECTED[name, status]

    with serving(plays(Wire(trouble=Trouble.OVERLOAD, status=status))) as server:
        response = ask(server, wire)

        assert outcomes(server) == ["overloaded"]

    assert (response.status, response.error[key]) == (status, value)


@EACH_WIRE
def test_a_rate_limit_says_when_to_try_again(wire: WireTalk) -> None:
    limited = Wire(trouble=Trouble.OVERLOAD, status=429, retry_after_s=2.0)

    with serving(plays(limited)) as server:
        response = ask(server, wire)

    if wire.name == "google":
        (detail,) = cast("list[Fields]", response.error["details"])
        assert detail["retryDelay"] == "2s"
    else:
        assert response.headers["retry-after"] == "2"


@EACH_WIRE
@pytest.mark.parametrize("trouble", [Trouble.TOO_LONG, Trouble.NO_CREDIT])
def test_a_planned_refusal_is_no_failure_of_the_asker(trouble: Trouble, wire: WireTalk) -> None:
    with serving(plays(Wire(trouble=trouble))) as server:
        response = ask(server, wire)
        (entry,) = server.desk.log()

    words = {
        Trouble.TOO_LONG: ("maximum", "too long", "exceeds"),
        Trouble.NO_CREDIT: ("quota", "credit balance"),
    }
    assert any(each in str(response.error["message"]) for each in words[trouble])
    assert (cast("Fields", entry)["failure"], cast("Fields", entry)["outcome"]) == ("", trouble)


@EACH_WIRE
def test_a_prompt_may_be_blocked(wire: WireTalk) -> None:
    with serving(plays(Wire(trouble=Trouble.BLOCKED))) as server:
        response = ask(server, wire)

    if wire.name == "google":
        assert response.events == [{"promptFeedback": {"blockReason": "SAFETY"}}]
    else:
        assert response.status == 400
        assert "filter" in str(response.error["message"])


@EACH_WIRE
def test_what_a_vendor_refused_to_read_is_not_in_its_cache(wire: WireTalk) -> None:
    plan = plays(Wire(trouble=Trouble.OVERLOAD)).model_copy(update={"cache_min_tokens": 1})
    asked = {
        **wire.fields(wire.user("x" * 400)),
        **({"cache_control": EPHEMERAL} if wire.name == "anthropic" else {}),
    }

    with serving(plan) as server:
        refused, first, again = (post(server, wire, asked) for _ in range(3))

    assert refused.status == 503
    assert first.cached == 0
    assert again.cached >= 100


@EACH_WIRE
@pytest.mark.parametrize("finish", Finish)
def test_every_end_is_told_on_every_wire(finish: Finish, wire: WireTalk) -> None:
    usual, other = plays(Wire()), Plan(agents=turns(b=[wired(say("no"), Wire(finish=finish))]))

    with serving(usual) as server:
        plain = ask(server, wire).raw
    with serving(other) as server:
        ended = ask(server, wire).raw

    words = (b"length", b"max_tokens", b"MAX_TOKENS", b"refusal", b"content_filter", b"SAFETY")
    assert not any(b'"%s"' % word in plain for word in words)
    assert any(b'"%s"' % word in ended for word in words)


@EACH_WIRE
@pytest.mark.parametrize("call_ids", [CallIds.PER_ANSWER, CallIds.SAME])
def test_ids_of_calls_repeat_when_the_plan_says_so(call_ids: CallIds, wire: WireTalk) -> None:
    """O-04"""
    plan = Plan(agents=turns(b=[say("", call("look"), call("look"))]), call_ids=call_ids)

    with serving(plan) as server:
        first, again = ask(server, wire).raw, ask(server, wire).raw

    prefix = {"openai": b"call_", "anthropic": b"toolu_", "google": b"fc_"}[wire.name]
    expected = 1 if call_ids is CallIds.PER_ANSWER else 2
    assert first.count(b'"%s0"' % prefix) == again.count(b'"%s0"' % prefix) == expected


@EACH_WIRE
def test_a_model_may_call_what_is_not_there(wire: WireTalk) -> None:
    with serving(Plan(agents=turns(b=[call_raw("nowhere", "{}")]))) as server:
        assert b'"nowhere"' in ask(server, wire).raw


@EACH_WIRE
def test_the_log_keeps_the_wire_and_the_very_bytes(wire: WireTalk) -> None:
    raw = json.dumps(wire.fields(wire.user("ü"), stream=True), indent=1, ensure_ascii=False).encode()

    with serving(plays(Wire())) as server:
        post(server, wire, raw, stream=True)
        post(server, wire, b"\xff", stream=True)
        kept, refused = (recorded(cast("Fields", entry)) for entry in server.desk.log())

    assert (kept.wire, kept.agent, kept.raw, kept.body) == (wire.name, "b", raw, json.loads(raw))
    assert (refused.raw, refused.body) == (b"\xff", None)
