"""Side calls of a turn: a model is asked something beside the conversation (product.md section 5).

The classifier gives an opinion on a call that needs leave. It is no door: rules that deny come before it,
and whatever goes wrong with it, the person is asked.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from postroom.clock import Clock
from postroom.domain.ask import Opinion
from postroom.errors import Fault
from postroom.llm.port import Model, ModelAnswer, ModelRequest, Purpose, Usage, UserItem
from postroom.rules.classifier import INSTRUCTIONS, CallInQuestion, ask_text, read_answer

CLASSIFY_S: Final = 30.0
"""Seconds that the classifier has, all in all; it is not asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A call that needs leave, and what the person wrote last; empty if nothing."""

    agent: str
    """The name of the profile whose turn makes the call."""
    branch: str
    """Public id of the branch."""
    call: CallInQuestion
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """An opinion, and what it cost."""

    opinion: Opinion
    code: str = ""
    """Why there is none: `too_long`, `timed_out`, `answer_form`, `crashed`, or a fault's own code."""
    usage: Usage = field(default_factory=Usage)
    """Nothing when no answer came; at an unknown price, unless nothing was asked."""


async def classify(model: Model, question: Question, clock: Clock) -> Advice:
    """The opinion of a model on one call. Raises nothing but a cancel; takes `CLASSIFY_S` at most.

    What a model raises that is no fault goes to the handler of the loop as well.
    """
    text = ask_text(question.person, question.call)
    if text is None:
        return Advice(opinion=Opinion.FAILED, code="too_long", usage=Usage(cost_micros=0))
    request = ModelRequest(
        agent=question.agent, branch=question.branch, instructions=INSTRUCTIONS,
        items=(UserItem(text),), purpose=Purpose.CLASSIFICATION, force_text=True,
    )  # fmt: skip
    try:
        answer = await _answer(model, request, clock)
    except Fault as fault:
        return _failed(fault.code)
    except Exception as error:  # outermost frame of a side call: no opinion, and the loop's handler hears why
        told = {"message": f"a classifier of {question.agent} failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(told)
        return _failed("crashed")
    if answer is None:
        return _failed("timed_out")
    opinion = read_answer(answer.text)
    code = "answer_form" if opinion is Opinion.FAILED else ""
    return Advice(opinion=opinion, code=code, usage=answer.usage)


async def _answer(model: Model, request: ModelRequest, clock: Clock) -> ModelAnswer | None:
    """The answer, unless it takes too long or the model's own work is cut off."""
    asking = asyncio.ensure_future(model.request(request, _unheard))
    limit = asyncio.ensure_future(clock.sleep_s(CLASSIFY_S))
    try:
        await asyncio.wait((asking, limit), return_when=asyncio.FIRST_COMPLETED)
        return asking.result() if asking.done() and not asking.cancelled() else None
    finally:
        # Not awaited: a provider that does not even let go must not hold the turn.
        limit.cancel()
        asking.cancel()


def _unheard(_text: str) -> None:
    """Nobody watches a side call."""


def _failed(code: str) -> Advice:
    return Advice(opinion=Opinion.FAILED, code=code)
