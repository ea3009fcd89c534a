"""What the messages wire remembers: signatures of thinking and what they bind to, and the prompt cache."""

from collections.abc import Iterator
from typing import cast

import pytest

from postroom.llm.port import Json
from postroom.testing.provider_emulator import EmulatedCall, EmulatedRound, Plan, turns
from postroom.testing.provider_emulator.breach import Rule
from postroom.testing.provider_emulator.server import EmulatorServer
from postroom.testing.script import say
from tests.providers.anthropic_blocks import EPHEMERAL, W, changed, result, text, turn
from tests.providers.wire_talk import Fields, last_failure, post, serving

LOOKS = EmulatedCall(tool="look", arguments='{"at": "x"}')
PLAN = Plan(agents=turns(b=[EmulatedRound(reasoning="One, two.", calls=(LOOKS,)), say("seen")]))
BINDING = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}


@pytest.fixture
def server() -> Iterator[EmulatorServer]:
    with serving(PLAN) as served:
        yield served


def goes_on(server: EmulatorServer, opening: Fields) -> list[Json]:
    """The messages after the first answer: what was asked, the answer as it came, the result."""
    answered = cast("list[Json]", post(server, W, opening).body["content"])
    used = cast("Fields", answered[-1])
    told = turn("user", result(str(used["id"])))
    return [*cast("list[Json]", opening["messages"]), turn("assistant", *answered), told]


def test_thinking_that_comes_back_unchanged_is_taken(server: EmulatorServer) -> None:
    opening = changed(system="Be brief.")
    marked = turn("user", text("hi", cache_control=EPHEMERAL))
    messages = goes_on(server, opening)

    assert post(server, W, {**opening, "messages": messages}).status == 200
    # A marker that moves and a text in another form change nothing of what the model reads.
    assert post(server, W, {**opening, "messages": [marked, *messages[1:]]}).status == 200


@pytest.mark.parametrize("part", ["system", "tools", "messages"])
def test_thinking_is_refused_once_anything_before_it_has_changed(server: EmulatorServer, part: str) -> None:
    opening = changed(system="Be brief.")
    messages = goes_on(server, opening)
    others: Fields = {
        "system": "Be long.",
        "tools": [{"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}],
        "messages": [W.user("hello"), *messages[1:]],
    }

    response = post(server, W, {**opening, "messages": messages, part: others[part]})

    assert last_failure(server).startswith(f"{Rule.STALE_SIGNATURE}: messages.1.content.0: ")
    assert "bound to a different conversation" in str(response.error["message"])


def test_thinking_whose_words_were_changed_is_refused(server: EmulatorServer) -> None:
    messages = goes_on(server, changed())
    thinking = cast("Fields", cast("list[Json]", cast("Fields", messages[1])["content"])[0])
    thinking["thinking"] = "One, three."

    post(server, W, changed(messages=messages))

    assert last_failure(server).startswith(f"{Rule.BAD_SIGNATURE}: ")


def test_stale_thinking_is_dropped_and_reported_when_asked_for(server: EmulatorServer) -> None:
    messages = [W.user("hello"), *goes_on(server, changed())[1:]]
    drops: Json = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}

    body = post(server, W, changed(messages=messages, thinking=drops), more=BINDING).body

    assert body["input_transformations"] == [
        {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"}
    ]


def test_older_models_bind_no_thinking() -> None:
    with serving(PLAN.model_copy(update={"binds_thinking": False})) as server:
        messages = [W.user("hello"), *goes_on(server, changed())[1:]]

        assert post(server, W, changed(messages=messages)).status == 200


def usage(server: EmulatorServer, fields: Fields) -> tuple[Json, Json, Json]:
    """Tokens that are new, written to the cache and read from it."""
    used = cast("Fields", post(server, W, fields).body["usage"])
    return used["input_tokens"], used["cache_creation_input_tokens"], used["cache_read_input_tokens"]


def long_talk(*messages: Json) -> Fields:
    system: list[Json] = [text("s" * 400, cache_control=EPHEMERAL)]
    return W.fields(*messages) | {"system": system, "tools": []}


def test_what_is_marked_is_written_once_and_then_read() -> None:
    with serving(Plan(agents=turns(b=[say("one"), say("two")]), cache_min_tokens=1)) as server:
        marked = turn("user", text("x" * 400, cache_control=EPHEMERAL))
        first = usage(server, long_talk(marked))
        again = usage(server, long_talk(marked))
        unmarked = turn("user", text("x" * 400))
        more = turn("user", text("y" * 40, cache_control=EPHEMERAL))
        longer = usage(server, long_talk(unmarked, more))
        other = usage(server, long_talk(turn("user", text("z" * 400, cache_control=EPHEMERAL))))

    assert first == (0, 200, 0)
    assert again == (0, 0, 200)
    assert longer == (0, 10, 200)
    assert other == (0, 100, 100)


def test_without_a_marker_and_below_the_least_size_nothing_is_cached() -> None:
    with serving(Plan(agents=turns(b=[say("one")]), cache_min_tokens=1024)) as server:
        small = long_talk(turn("user", text("x" * 400)))
        assert usage(server, small) == usage(server, small) == (200, 0, 0)


def test_a_marker_for_the_whole_request_marks_its_last_block() -> None:
    with serving(Plan(agents=turns(b=[say("one")]), cache_min_tokens=1)) as server:
        fields = W.fields(W.user("x" * 400)) | {"tools": [], "cache_control": EPHEMERAL}

        assert usage(server, fields) == (0, 100, 0)
        assert usage(server, fields) == (0, 0, 100)
