"""Summing up: a model is asked what the older part of a conversation comes to.

It is a side call: it writes nothing but the summary, is tried again for a while as any request is, and
where it fails everything stays as it was. Mail that comes meanwhile lies in its mailbox until then.
"""

from typing import Final, NamedTuple, TypeAlias

from postroom.errors import ModelUnavailable
from postroom.llm.port import Model, ModelAnswer, ModelRequest, ModelSettings, Purpose, Usage, UserItem
from postroom.llm.retry import request_with_retry
from postroom.rules.compaction import EARLY_PERCENT, FULL_PERCENT, ONLY_IF_OVER
from postroom.rules.summary import ask_text, instructions, read_answer
from postroom.rules.text import CHARS_PER_TOKEN
from postroom.runtime.agents import Agent
from postroom.runtime.means import Means
from postroom.runtime.side_calls import answer_or_code, unheard
from postroom.service.compaction import Occasion, Plan, Summed, Tried
from postroom.tools.hooks.bus import at_place

RETRY_FOR_S: Final = 60.0
"""Seconds for which a summary is tried again at most: a turn waits for it that may do without."""
ANSWER_TOKENS: Final = 4_096
"""What the answer may take; more than a summary has, because some models think aloud first."""


class Failed(NamedTuple):
    """There is no summary, and why: a code of ours, never a model's own words."""

    code: str


Outcome: TypeAlias = Summed | Failed
NOTHING: Final = Failed("nothing_to_compact")


async def sum_up(means: Means, agent: Agent, occasion: Occasion) -> Outcome:
    """Make a summary; durable on return. Raises `StaleFence` when its turn has ended meanwhile."""
    model = agent.aside.get(Purpose.SUMMARY)
    made = None if model is None else await means.office.plan_summary(occasion)
    if model is None or made is None:
        return NOTHING
    with at_place({"branch_id": occasion.branch_id, "agent": occasion.profile}):
        means.bus.emit(
            "context.compaction_recommended", {"branch_id": occasion.branch_id, "why": occasion.why}
        )
    answer = await _answer(means, agent, model, made)
    if isinstance(answer, Failed):
        await means.office.fail_summary(made, answer.code, Usage())
        return answer
    text = read_answer(answer.text, made.summary_chars)
    if text is None:
        await means.office.fail_summary(made, "blank", answer.usage)
        return Failed("blank")
    return await means.office.commit_summary(made, text, answer.usage)


def tried(outcome: Outcome, percent: int) -> Tried:
    """When the next summary is due. One that failed is tried again only when there is no room at all, and
    after that only where no request would hold the conversation any more.
    """
    if isinstance(outcome, Summed):
        return Tried(EARLY_PERCENT)
    is_first = 0 <= percent < FULL_PERCENT
    return Tried(FULL_PERCENT if is_first else ONLY_IF_OVER, f"no summary was made ({outcome.code})")


async def _answer(means: Means, agent: Agent, model: Model, made: Plan) -> ModelAnswer | Failed:
    request = _request(agent, made)
    asking = request_with_retry(
        model,
        request,
        unheard,
        clock=means.clock,
        random_source=means.random_source,
        on_wait=lambda wait_s, fault: _waits(means, made, wait_s, fault),
        retry_for_s=min(agent.retry_for_s, RETRY_FOR_S),
    )
    answer = await answer_or_code(asking, request)
    return Failed(answer) if isinstance(answer, str) else answer


def _waits(means: Means, made: Plan, wait_s: float, fault: ModelUnavailable) -> None:
    means.on_wait(made.occasion.branch, wait_s, fault)


def _request(agent: Agent, made: Plan) -> ModelRequest:
    """Its own window limits what it is shown: it must never be what does not fit."""
    window = agent.summary_window_tokens
    answer = min(ANSWER_TOKENS, window // 4)
    told = instructions(made.summary_chars)
    room_chars = (window - window // 10 - answer) * CHARS_PER_TOKEN - len(told) - 100
    return ModelRequest(
        agent=agent.profile.name, branch=made.occasion.branch_id, instructions=told,
        items=(UserItem(ask_text(made.lines, room_chars)),), purpose=Purpose.SUMMARY, force_text=True,
        settings=ModelSettings(max_tokens=answer, context_window=window),
    )  # fmt: skip
