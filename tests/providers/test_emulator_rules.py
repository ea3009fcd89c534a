"""What all vendors refuse, sent over each of the emulator's wires: one bad request for every shared rule."""

import json
from collections.abc import Callable, Iterator

import pytest

from postroom.llm.strict import Flaw
from postroom.testing.provider_emulator import Plan, turns
from postroom.testing.provider_emulator.breach import Rule
from postroom.testing.provider_emulator.server import EmulatorServer
from postroom.testing.script import call, say
from tests.providers.test_emulator_anthropic import BAD as ANTHROPIC_BAD
from tests.providers.test_emulator_google import BAD as GOOGLE_BAD
from tests.providers.wire_talk import PNG, WIRES, Fields, WireTalk, last_failure, post, serving

WINDOW = 300
MOST_BYTES = 9_000
PLAN = Plan(
    agents=turns(b=[say("hello", call("look", at="x")), say("seen")]),
    context_window=WINDOW,
    most_bytes=MOST_BYTES,
)
BadRequest = Callable[[WireTalk], bytes | Fields]

BAD: dict[str, tuple[Rule, BadRequest]] = {
    "unpaired call": (
        Rule.UNPAIRED_CALL,
        lambda w: w.fields(w.user(), w.asks("a"), w.says("so"), w.user()),
    ),
    "one result short": (
        Rule.UNPAIRED_CALL,
        lambda w: w.fields(w.user(), w.asks("a", "b"), w.result("a"), w.says("so"), w.user()),
    ),
    "result without a call": (Rule.STRAY_RESULT, lambda w: w.fields(w.user(), w.result("a"))),
    "result of another call": (
        Rule.STRAY_RESULT,
        lambda w: w.fields(w.user(), w.asks("a"), w.result("b")),
    ),
    "result far from its call": (
        Rule.STRAY_RESULT,
        lambda w: w.fields(w.user(), w.asks("a"), w.result("a"), w.says("so"), w.user(), w.result("a")),
    ),
    "two results of one call": (
        Rule.REPEATED_RESULT,
        lambda w: w.fields(w.user(), w.asks("a"), w.result("a"), w.result("a")),
    ),
    "id twice in one answer": (
        Rule.REPEATED_ID,
        lambda w: w.fields(w.user(), w.asks("a", "a"), w.result("a")),
    ),
    "id twice in one request": (
        Rule.REPEATED_ID,
        lambda w: w.fields(w.user(), w.asks("a"), w.result("a"), w.asks("a"), w.result("a")),
    ),
    "text inside a pair": (
        Rule.TEXT_INSIDE_PAIR,
        lambda w: w.fields(w.user(), w.asks("a"), w.user(), w.result("a")),
    ),
    "empty text": (Rule.BLANK_TEXT, lambda w: w.fields(w.user(""))),
    "blank text": (Rule.BLANK_TEXT, lambda w: w.fields(w.user(" \u200b\n"))),
    "blank answer": (Rule.BLANK_TEXT, lambda w: w.fields(w.user(), w.says(" "), w.user())),
    "no JSON": (Rule.NOT_UTF8, lambda w: json.dumps(w.fields(w.user())).encode()[:-1]),
    "no UTF-8": (Rule.NOT_UTF8, lambda w: json.dumps(w.fields(w.user("@"))).encode().replace(b"@", b"\xff")),
    "lone surrogate": (Rule.NOT_UTF8, lambda w: w.fields(w.user("half \ud83d pair"))),
    "over the window": (Rule.OVER_WINDOW, lambda w: w.fields(w.user("x" * 4 * (WINDOW + 1)))),
    "too many bytes": (Rule.TOO_LARGE, lambda w: w.fields(w.user("x" * MOST_BYTES))),
    "unknown field": (Rule.UNKNOWN_FIELD, lambda w: w.fields(w.user()) | {"colour": "red"}),
    "no object": (Rule.WRONG_TYPE, lambda _: b"[]"),
    "message that is no object": (Rule.WRONG_TYPE, lambda w: w.fields("hi")),
    "tools of a wrong type": (Rule.WRONG_TYPE, lambda w: w.fields(w.user()) | {"tools": "look"}),
    "picture that is none": (Rule.BAD_IMAGE, lambda w: w.fields(w.picture("image/png", "aGVsbG8="))),
    "picture of another type": (Rule.BAD_IMAGE, lambda w: w.fields(w.picture("image/jpeg", PNG))),
    "picture of a type nobody takes": (Rule.BAD_IMAGE, lambda w: w.fields(w.picture("image/tiff", PNG))),
    "picture that is no base64": (Rule.BAD_IMAGE, lambda w: w.fields(w.picture("image/png", "!"))),
}


@pytest.fixture(scope="module")
def server() -> Iterator[EmulatorServer]:
    with serving(PLAN) as served:
        yield served


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
@pytest.mark.parametrize(("rule", "bad"), BAD.values(), ids=BAD.keys())
def test_a_bad_request_of_every_kind_is_refused_on_every_wire(
    server: EmulatorServer, rule: Rule, bad: BadRequest, wire: WireTalk
) -> None:
    """V"""
    response = post(server, wire, bad(wire))

    assert last_failure(server).startswith(f"{rule}: ")
    assert response.status == (413 if rule is Rule.TOO_LARGE and wire.name != "google" else 400)
    assert response.error["message"]


def test_every_flaw_of_a_request_has_its_bad_request() -> None:
    assert set(Flaw) <= {rule.value for rule, _ in BAD.values()}


def test_every_rule_of_a_body_has_a_bad_request_on_some_wire() -> None:
    of_bodies = {rule for rule, _ in BAD.values()}
    of_bodies |= {rule for rule, _, _ in (*ANTHROPIC_BAD.values(), *GOOGLE_BAD.values())}
    # Tested by name: they are of headers, paths and plans, or need an answer before.
    others = {
        Rule.MISSING_KEY,
        Rule.WRONG_KEY,
        Rule.MISSING_VERSION,
        Rule.UNKNOWN_PATH,
        Rule.STALE_SIGNATURE,
        Rule.SCRIPT_ENDED,
        Rule.STATUS,
        Rule.NO_CREDIT,
        Rule.BLOCKED,
    }

    assert of_bodies | others == set(Rule)


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_texts_of_a_user_may_follow_each_other(server: EmulatorServer, wire: WireTalk) -> None:
    asked = wire.fields(wire.user(), wire.asks("a"), wire.result("a"), wire.user("and"), wire.user("more"))

    assert post(server, wire, asked).status == 200


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_a_picture_is_taken_and_has_its_weight(server: EmulatorServer, wire: WireTalk) -> None:
    post(server, wire, wire.fields(wire.picture("image/png", PNG)))

    assert last_failure(server).startswith(f"{Rule.OVER_WINDOW}: ")


@pytest.mark.parametrize(
    ("wire", "missing", "wrong"),
    [(WIRES[0], 401, 401), (WIRES[1], 401, 401), (WIRES[2], 403, 400)],
    ids=lambda each: getattr(each, "name", None),
)
def test_a_missing_or_wrong_key_is_refused_before_anything_is_read(
    server: EmulatorServer, wire: WireTalk, missing: int, wrong: int
) -> None:
    without, other = post(server, wire, b"", key=None), post(server, wire, b"", key="sk-of-another")

    assert (without.status, other.status) == (missing, wrong)
    assert last_failure(server).startswith(f"{Rule.WRONG_KEY}: ")
    assert "sk-of-another" not in json.dumps(server.desk.log())


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_a_script_that_runs_out_is_no_status_that_is_tried_again(
    server: EmulatorServer, wire: WireTalk
) -> None:
    asked = (wire.user(), wire.asks("a"), wire.result("a"), wire.asks("b"), wire.result("b"))

    response = post(server, wire, wire.fields(*asked))

    assert response.status == 400
    assert "round 3" in str(response.error["message"])
