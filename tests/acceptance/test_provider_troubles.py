"""What goes wrong on the wire becomes a fault of ours, told apart, tried again in one place."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from postroom.clock import SystemClock
from postroom.errors import (
    AnswerCut,
    ContextTooLong,
    ModelAuth,
    ModelRefusedRequest,
    ModelUnavailable,
)
from postroom.llm.port import (
    Item,
    ModelAnswer,
    ModelRequest,
    ResultItem,
    UserItem,
)
from postroom.llm.provider import close_model, model_for
from postroom.llm.retry import request_with_retry
from postroom.testing.provider_emulator import (
    Plan,
    Trouble,
    Wire,
    turns,
    wired,
)
from postroom.testing.script import call, call_raw, say
from tests.acceptance.provider_talk import Talk, connected, plays


@pytest.mark.parametrize("trouble", [Trouble.CUT_IN_CALL, Trouble.CUT_IN_TEXT, Trouble.ENDS_EARLY])
async def test_a_cut_stream_is_no_answer_and_may_be_tried_again(trouble: Trouble) -> None:
    round_ = wired(say("I look now.", call("look", at="abcdef")), Wire(trouble=trouble))

    async with connected(plays(round_)) as (talk, emulator):
        with pytest.raises(ModelUnavailable):
            await talk.ask()
        again = await talk.ask()

        await emulator.assert_clean()
        outcomes = [entry["outcome"] for entry in await emulator.log()]

    assert again.calls[0].arguments == '{"at": "abcdef"}'
    assert outcomes == [trouble, "answered"]


async def test_a_silent_stream_is_given_up() -> None:
    async with connected(plays(wired(say("x"), Wire(trouble=Trouble.SILENT))), idle_s=0.2) as (
        talk,
        _,
    ):
        with pytest.raises(ModelUnavailable):
            await talk.ask()


async def test_a_slow_stream_is_not_silent() -> None:
    slow = wired(say("one two three"), Wire(slow_s=0.25))

    async with connected(plays(slow), idle_s=1.0) as (talk, _):
        answer = await talk.ask()

    assert answer.text == "one two three"


async def test_a_call_cut_by_the_length_limit_is_never_run() -> None:
    cut = wired(call_raw("look", '{"at": "abc'), Wire(finish="length"))

    async with connected(plays(cut)) as (talk, _):
        with pytest.raises(AnswerCut):
            await talk.ask()


async def test_a_text_cut_by_the_length_limit_is_kept() -> None:
    async with connected(plays(wired(say("so far"), Wire(finish="length")))) as (talk, _):
        assert (await talk.ask()).text == "so far"


@pytest.mark.parametrize("status", [429, 500, 503, 529])
async def test_an_overload_is_tried_once_a_request_and_later_by_our_retry(status: int) -> None:
    """The SDK's own retries are off: each request of ours is one on the wire."""
    busy = Wire(trouble=Trouble.OVERLOAD, times=2, status=status, retry_after_s=0.01)
    waits: list[float] = []

    async with connected(plays(wired(say("at last"), busy))) as (talk, emulator):
        with pytest.raises(ModelUnavailable) as caught:
            await talk.ask()
        answer = await request_with_retry(
            Tried(talk),
            talk.request(),
            talk.heard.append,
            clock=QuickClock(),
            random_source=random.Random(1),
            on_wait=lambda seconds, _: waits.append(seconds),
        )
        tries = len(await emulator.log())

    assert caught.value.retry_after_s == pytest.approx(0.01)
    assert (answer.text, tries, len(waits)) == ("at last", 3, 1)


class Tried:
    """The model of a talk."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    async def request(self, request: ModelRequest, on_text: object) -> ModelAnswer:
        return await self._talk.ask(request)


class QuickClock(SystemClock):
    """The machine's clock, whose sleeps are over at once."""

    async def sleep_s(self, seconds: float) -> None:
        await asyncio.sleep(0)


async def test_a_wrong_key_is_a_fault_that_does_not_name_it() -> None:
    async with connected(plays(say("x")), key="sk-wrong") as (talk, _):
        with pytest.raises(ModelAuth) as caught:
            await talk.ask()

    assert "sk-wrong" not in str(caught.value)


async def test_a_request_over_the_window_is_told_apart() -> None:
    async with connected(plays(say("x"), context_window=100)) as (talk, _):
        talk.items.append(UserItem(text="x" * 1_000))
        with pytest.raises(ContextTooLong):
            await talk.ask()


BAD_ITEMS: dict[str, Sequence[Item]] = {
    "stray result": [ResultItem(call_id="c_1", tool="look", text="x")],
    "blank text": [UserItem(text=" ")],
    "lone surrogate": [UserItem(text="half \ud83d pair")],
}


@pytest.mark.parametrize("items", BAD_ITEMS.values(), ids=BAD_ITEMS.keys())
async def test_a_bad_request_is_refused_and_not_tried_again(items: Sequence[Item]) -> None:
    async with connected(plays(say("x"))) as (talk, _):
        talk.items += items
        with pytest.raises(ModelRefusedRequest):
            await talk.ask()


async def test_a_host_that_is_not_there_is_unavailable() -> None:
    env = {"OPENAI_API_KEY": "k", "POSTROOM_OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    model = model_for("openai:any", env=env, clock=SystemClock())

    with pytest.raises(ModelUnavailable, match=r"openai@127\.0\.0\.1:1: .*reachable"):
        await Talk(model).ask()

    await close_model(model)


async def test_a_held_answer_comes_when_its_gate_opens() -> None:
    async with connected(plays(wired(say("open"), Wire(gate="g/1")))) as (talk, emulator):
        asking = asyncio.create_task(talk.ask())
        await emulator.reached("g/1")
        assert not asking.done()
        await emulator.open("g/1")

        assert (await asking).text == "open"


async def test_a_cancelled_request_ends_at_once_and_the_model_works_on() -> None:
    rounds = wired(say("late"), Wire(trouble=Trouble.SILENT))

    async with connected(plays(rounds)) as (talk, emulator):
        asking = asyncio.create_task(talk.ask())
        await emulator.received(1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

        assert (await talk.ask()).text == "late"


async def test_many_agents_share_one_model() -> None:
    agents = [f"a{number}" for number in range(20)]
    plan = Plan(agents=turns(**{agent: [say(f"I am {agent}")] for agent in agents}))

    async with connected(plan) as (talk, emulator):
        answers = await asyncio.gather(*(talk.ask(replace(talk.request(), agent=agent)) for agent in agents))
        await emulator.assert_clean()

    assert [answer.text for answer in answers] == [f"I am {agent}" for agent in agents]


async def test_a_script_that_runs_out_fails_the_test_at_its_end() -> None:
    async with connected(plays(say("one"))) as (talk, emulator):
        talk.commit(await talk.ask())
        with pytest.raises(ModelRefusedRequest):
            await talk.ask()

        with pytest.raises(AssertionError, match="script_ended"):
            await emulator.assert_clean()
