"""The one place where a model request is tried again. Every SDK's own retries are switched off."""

import random
from collections.abc import Callable

from postroom.clock import Clock
from postroom.errors import ModelUnavailable
from postroom.llm.port import Model, ModelAnswer, ModelRequest, OnText

# The first wait, doubled each time up to the longest: product text, "retried inside the turn".
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
RETRY_FOR_S = 600.0


async def request_with_retry(  # noqa: PLR0913 - time, chance and views are passed in, never found
    model: Model,
    request: ModelRequest,
    on_text: OnText,
    *,
    clock: Clock,
    random_source: random.Random,
    on_wait: Callable[[float, ModelUnavailable], None],
    retry_for_s: float = RETRY_FOR_S,
) -> ModelAnswer:
    """Ask until the model answers, for at most `retry_for_s` seconds.

    Only `ModelUnavailable` is tried again, after exponential back-off with jitter and never sooner than
    the provider asks for. `on_wait(seconds, cause)` is called before each wait; what `on_text` heard of
    the failed try is void then. When the time is over, or the provider asks to come back only after
    that, the last fault is raised. Every other fault is raised at once.
    """
    started_s = clock.monotonic_s()
    failed = 0
    while True:
        try:
            return await model.request(request, on_text)
        except ModelUnavailable as fault:
            left_s = started_s + retry_for_s - clock.monotonic_s()
            wait_s = _wait_s(failed, fault.retry_after_s, left_s, random_source)
            if wait_s is None:
                raise
            failed += 1
            on_wait(wait_s, fault)
        await clock.sleep_s(wait_s)


def _wait_s(failed: int, asked_s: float | None, left_s: float, random_source: random.Random) -> float | None:
    """How long to wait before the next try, or None when it is not worth it."""
    if left_s <= 0 or (asked_s or 0.0) > left_s:
        return None
    # The exponent is capped too: ten minutes of tries would otherwise build huge numbers.
    ceiling_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** min(failed, 10))
    jittered_s = random_source.uniform(FIRST_WAIT_S, ceiling_s)
    return max(min(jittered_s, left_s), asked_s or 0.0)
