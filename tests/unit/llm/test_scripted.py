"""Scripted models: the round follows from the request, references from its items."""

import pytest

from postroom.errors import ModelRefusedRequest, ScriptEnded
from postroom.llm.port import Item, ModelAnswer, ModelRequest
from postroom.llm.scripted import Round, Script, ScriptedAnswer, ScriptedCall, ScriptPlayer
from tests.unit.llm.requests import JumpingClock, asks, deaf, request, result, user


def says(text: str, when: tuple[str, ...] = ()) -> ScriptedAnswer:
    return ScriptedAnswer(text=text, when=when)


def player(*rounds: Round) -> ScriptPlayer:
    return ScriptPlayer(Script(rounds), clock=JumpingClock())


async def said(model: ScriptPlayer, *items: Item) -> str:
    return (await model.request(request(*items), deaf)).text


async def test_the_round_is_the_number_of_answers_so_a_restart_goes_on() -> None:
    rounds = (says("one"), says("two"), says("three"))
    history = (user(), asks(text="one"), user(), asks(text="two"), user())

    assert await said(player(*rounds), user()) == "one"
    assert await said(player(*rounds), *history) == "three"


async def test_the_same_request_is_answered_the_same_way_again() -> None:
    model = player(says("one"), says("two"))

    assert [await said(model, user()) for _ in range(3)] == ["one", "one", "one"]


async def test_a_script_that_runs_out_says_how_long_it_was() -> None:
    with pytest.raises(ScriptEnded, match="has 1 rounds, round 2"):
        await said(player(says("one")), user(), asks(text="one"), user())


async def test_a_bad_request_is_refused_before_anything_is_played() -> None:
    """V: strict in every scenario."""
    with pytest.raises(ModelRefusedRequest, match="unpaired_call"):
        await said(player(says("one"), says("two")), user(), asks("a"))


async def test_calls_get_the_same_provider_ids_in_every_answer() -> None:
    """O-04"""
    two = tuple(ScriptedCall(tool="look", arguments={"n": n}) for n in (1, 2))
    model = player(ScriptedAnswer(calls=two), ScriptedAnswer(calls=two))

    first = await model.request(request(user()), deaf)
    second = await model.request(request(user(), asks("a"), result("a")), deaf)

    assert [call.provider_call_id for call in first.calls] == ["call_0", "call_1"]
    assert [call.provider_call_id for call in second.calls] == ["call_0", "call_1"]
    assert [call.arguments for call in first.calls] == ['{"n": 1}', '{"n": 2}']
    assert {call.call_id for call in first.calls} == {""}


async def test_arguments_given_as_text_are_sent_as_they_stand() -> None:
    """O-27"""
    raw = '{"body": "\\ud83d ${last}"'
    calls = (ScriptedCall(tool="send", arguments=raw),)

    answer = await player(ScriptedAnswer(calls=calls)).request(request(user()), deaf)

    assert answer.calls[0].arguments == raw


async def test_an_answer_in_text_has_no_calls_when_text_is_forced() -> None:
    calls = (ScriptedCall(tool="look", arguments={}),)
    forced = ModelRequest(agent="a", branch="b", instructions="", items=(user(),), force_text=True)

    answer = await player(ScriptedAnswer(text="so far", calls=calls)).request(forced, deaf)

    assert (answer.text, answer.calls) == ("so far", ())


async def test_text_streams_in_a_few_pieces_over_the_time_of_thinking() -> None:
    clock = JumpingClock()
    pieces: list[str] = []
    model = ScriptPlayer(Script([ScriptedAnswer(text="a plan in four", think_s=2.0)]), clock=clock)

    answer = await model.request(request(user()), pieces.append)

    assert "".join(pieces) == answer.text == "a plan in four"
    assert len(pieces) == 4
    assert sum(clock.slept_s) == pytest.approx(2.0)


async def test_broken_characters_never_leave_a_scripted_model() -> None:
    """O-27"""
    assert await said(player(says("half \ud83d pair\x00")), user()) == "half \ufffd pair\ufffd"


async def test_a_round_in_code_sees_the_request() -> None:
    async def count(asked: ModelRequest) -> ModelAnswer:
        return ModelAnswer(text=f"{len(asked.items)} items")

    assert await said(player(count), user()) == "1 items"


@pytest.mark.parametrize(
    ("reference", "meaning"),
    [
        ("${handle:researcher}", "researcher_00000002"),
        ("${handle:researcher:1}", "researcher_1a2b3c4d"),
        ("${handle:researcher:2}", "researcher_00000002"),
        ("${handle:co-writer}", "co-writer_99999999"),
        ("${sender}", "researcher_00000002"),
        ("${last}", "go on"),
        ("$${last}", "${last}"),
    ],
)
async def test_a_reference_means_what_the_items_say(reference: str, meaning: str) -> None:
    items = (
        user("researcher_1a2b3c4d and co-writer_99999999 work; old_researcher_77777777 does not"),
        asks("a", text="I ask researcher_1a2b3c4d", arguments='{"to": "researcher_1a2b3c4d"}'),
        result("a", "accepted"),
        user('<agent_message from="researcher_00000002">hi</agent_message>'),
        user("go on"),
    )

    assert await said(player(says("-"), says(f"<{reference}>")), *items) == f"<{meaning}>"


@pytest.mark.parametrize(
    ("reference", "meaning"), [("${session}", "2"), ("${session:1}", "1"), ("${session:2}", "2")]
)
async def test_a_reference_to_a_session_means_one_that_a_tool_has_shown(reference: str, meaning: str) -> None:
    ids = [f"00000000-0000-7000-8000-00000000000{n}" for n in range(4)]
    items = (
        user(f"session {ids[3]}"),
        asks("a", arguments=f'{{"id":"{ids[0]}"}}'),
        result("a", f'{{"sessions":[{{"id":"{ids[1]}"}},{{"id":"{ids[2]}"}}]}}'),
    )

    assert await said(player(says("-"), says(f"<{reference}>")), *items) == f"<{ids[int(meaning)]}>"


@pytest.mark.parametrize(
    ("reference", "meaning"),
    [("${task}", "t_00000000000002"), ("${task:1}", "t_00000000000001"), ("${sender}", "sid:two")],
)
async def test_a_reference_means_what_the_items_of_branches_say(reference: str, meaning: str) -> None:
    items = (
        user("[message from sid:one]\nUse send_message to reply.\n\nhi"),
        asks("a", arguments='{"to": "t_00000000000009"}'),
        result("a", "[agent spawned async] task_id=t_00000000000001\nt_00000000000002 xt_00000000000003"),
        user("[task from sid:two]\nThis is a tracked task.\n\n[message from sid:three] is no header"),
    )

    assert await said(player(says("-"), says(f"<{reference}>")), *items) == f"<{meaning}>"


@pytest.mark.parametrize(
    "reference",
    [
        "${handle:nobody}",
        "${handle:writer:2}",
        "${sender}",
        "${who}",
        "${handle:writer:x}",
        "${task}",
        "${task:x}",
    ],
)
async def test_a_reference_to_nothing_ends_the_script_with_its_name(reference: str) -> None:
    with pytest.raises(ScriptEnded, match=reference.strip("${}")):
        await said(player(says(reference)), user("writer_00000001"))


async def test_references_are_filled_in_inside_arguments() -> None:
    arguments = {"to": "${handle:writer}", "list": ["${last}"], "n": 1}
    calls = (ScriptedCall(tool="send", arguments=arguments),)

    answer = await player(ScriptedAnswer(calls=calls)).request(request(user('"writer_00000001"')), deaf)

    assert answer.calls[0].arguments == '{"to": "writer_00000001", "list": ["\\"writer_00000001\\""], "n": 1}'


async def test_a_round_waits_for_what_it_needs_however_many_turns_that_takes() -> None:
    rounds = (says("begun"), says("both are here", when=("report A", "report B")), says("end"))
    begun = (user("plan"), asks(text="begun"))
    apart = (*begun, user("report A"), asks(text="Waiting for more."), user("report B"))

    assert await said(player(*rounds), *begun, user("report A")) == "Waiting for more."
    assert await said(player(*rounds), *begun, user("report A, report B")) == "both are here"
    assert await said(player(*rounds), *apart) == "both are here"
    assert await said(player(*rounds), *apart, asks(text="both are here"), user()) == "end"
