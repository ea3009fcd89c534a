"""The one place where a model request is tried again."""

import random

import pytest

from postroom.errors import ModelAuth, ModelFault, ModelUnavailable
from postroom.llm.port import ModelAnswer
from postroom.llm.retry import FIRST_WAIT_S, LONGEST_WAIT_S, request_with_retry
from postroom.testing.script import ScriptedModel, fail, say
from tests.unit.llm.requests import JumpingClock, deaf, request, user


class Asking:
    """Asks one model with a clock that jumps, and keeps what the views were told."""

    def __init__(self, model: ScriptedModel) -> None:
        self.clock = JumpingClock()
        self.waits: list[tuple[float, str]] = []
        self._model = model

    async def __call__(self, retry_for_s: float = 600.0) -> ModelAnswer:
        return await request_with_retry(
            self._model,
            request(user()),
            deaf,
            clock=self.clock,
            random_source=random.Random(7),
            on_wait=lambda seconds, cause: self.waits.append((seconds, cause.message)),
            retry_for_s=retry_for_s,
        )


def overloaded(times: int | None = None, retry_after_s: float | None = None) -> ScriptedModel:
    fault = ModelUnavailable("overloaded", retry_after_s=retry_after_s)
    return ScriptedModel(fail(fault, times=times, then=say("at last")))


async def test_an_overload_is_tried_again_and_the_views_hear_of_each_wait() -> None:
    asking = Asking(overloaded(times=3))

    answer = await asking()

    assert answer.text == "at last"
    assert asking.waits == [(seconds, "overloaded") for seconds in asking.clock.slept_s]
    assert len(asking.waits) == 3


async def test_waits_grow_with_jitter_between_half_a_second_and_thirty() -> None:
    asking = Asking(overloaded(times=20))

    await asking()

    slept = asking.clock.slept_s
    assert slept[0] == FIRST_WAIT_S
    assert all(FIRST_WAIT_S <= seconds <= LONGEST_WAIT_S for seconds in slept)
    assert max(slept) > 10
    assert len(set(slept[6:])) == len(slept[6:])


async def test_it_never_comes_back_sooner_than_the_provider_asks() -> None:
    asking = Asking(overloaded(times=1, retry_after_s=42.0))

    await asking()

    assert asking.clock.slept_s == [42.0]


async def test_it_gives_up_with_the_last_fault_when_the_time_is_over() -> None:
    asking = Asking(overloaded())

    with pytest.raises(ModelUnavailable, match="overloaded"):
        await asking(retry_for_s=60.0)

    assert asking.clock.monotonic_s() == pytest.approx(60.0)


async def test_it_does_not_wait_for_a_time_it_may_not_reach() -> None:
    asking = Asking(overloaded(retry_after_s=61.0))

    with pytest.raises(ModelUnavailable):
        await asking(retry_for_s=60.0)

    assert asking.clock.slept_s == []


async def test_any_other_fault_is_raised_at_once() -> None:
    fault: ModelFault = ModelAuth("the key is wrong")
    asking = Asking(ScriptedModel(fail(fault)))

    with pytest.raises(ModelAuth):
        await asking()

    assert asking.clock.slept_s == []
