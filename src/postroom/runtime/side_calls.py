"""Side calls of a turn: a model is asked something beside the conversation (product.md section 5).

The classifier and reviewers give opinions on a call that needs leave. They are no door: rules that deny come
before them, and whatever goes wrong with them, the person is asked. A title is a short name for a branch.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from postroom.clock import Clock
from postroom.domain.ask import Opinion
from postroom.errors import Fault
from postroom.llm.port import Model, ModelAnswer, ModelRequest, Purpose, Usage, UserItem
from postroom.rules import review as reviews
from postroom.rules import titles
from postroom.rules.classifier import INSTRUCTIONS, CallInQuestion, ask_text, read_answer
from postroom.rules.text import is_blank
from postroom.rules.titles import Said

Answer = TypeVar("Answer")
CLASSIFY_S: Final = 30.0
"""Seconds that the classifier has, all in all; it is not asked again."""
REVIEW_S: Final = 10.0
"""Seconds that all reviewers have together (systems.md 2.9)."""
TITLE_S: Final = 30.0
"""Seconds that naming a branch may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A call that needs leave, and the person's word that counts for it; empty if there is none."""

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
    """Why there is none: `too_long`, `timed_out`, `answer_form`, `crashed`, `no_request`, or a fault's own
    code; or what a reviewer has against the call."""
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
    answer = await _asked(model, request, clock, CLASSIFY_S)
    if isinstance(answer, str):
        return Advice(opinion=Opinion.FAILED, code=answer)
    opinion = read_answer(answer.text)
    code = "answer_form" if opinion is Opinion.FAILED else ""
    return Advice(opinion=opinion, code=code, usage=answer.usage)


async def review(models: Sequence[Model], question: Question, clock: Clock) -> tuple[Advice, ...]:
    """The opinions of reviewers on one call, who are asked at once. Raises and takes as `classify` does.

    What is too long to be shown whole no reviewer is asked about, nor what nobody has asked for.
    """
    nothing = Usage(cost_micros=0)
    if is_blank(question.person):
        return (Advice(opinion=Opinion.FAILED, code="no_request", usage=nothing),)
    text = reviews.ask_text(question.person, question.call)
    if text is None:
        return (Advice(opinion=Opinion.ESCALATE, code="too_long", usage=nothing),)
    request = ModelRequest(
        agent=question.agent, branch=question.branch, instructions=reviews.INSTRUCTIONS,
        items=(UserItem(text),), purpose=Purpose.REVIEW, force_text=True,
    )  # fmt: skip
    answers = await asyncio.gather(*(_asked(model, request, clock, REVIEW_S) for model in models))
    return tuple(map(_advice, answers))


def _advice(answer: ModelAnswer | str) -> Advice:
    if isinstance(answer, str):
        return Advice(opinion=Opinion.FAILED, code=answer)
    opinion, code = reviews.read_answer(answer.text)
    return Advice(opinion=opinion, code=code, usage=answer.usage)


def combined(advice: Sequence[Advice]) -> Opinion:
    """One opinion of several: all that have one must approve, and at least one must have one."""
    opinions = {one.opinion for one in advice} - {Opinion.FAILED}
    if not opinions:
        return Opinion.FAILED
    return Opinion.APPROVE if opinions == {Opinion.APPROVE} else Opinion.ESCALATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """A name for a branch, or why there is none, and what it cost."""

    name: str | None
    code: str = ""
    """As of `Advice`."""
    usage: Usage = field(default_factory=Usage)


async def entitle(model: Model, agent: str, branch: str, said: Sequence[Said], clock: Clock) -> Title:
    """A model's name for a conversation. Raises nothing but a cancel; takes `TITLE_S` at most."""
    request = ModelRequest(
        agent=agent, branch=branch, instructions=titles.INSTRUCTIONS,
        items=(UserItem(titles.ask_text(said)),), purpose=Purpose.TITLE, force_text=True,
    )  # fmt: skip
    answer = await _asked(model, request, clock, TITLE_S)
    if isinstance(answer, str):
        return Title(name=None, code=answer)
    name = titles.read_answer(answer.text)
    return Title(name=name, code="" if name else "answer_form", usage=answer.usage)


async def _asked(model: Model, request: ModelRequest, clock: Clock, most_s: float) -> ModelAnswer | str:
    answer = await answer_or_code(_answer(model, request, clock, most_s), request)
    return "timed_out" if answer is None else answer


async def answer_or_code(asking: Awaitable[Answer], request: ModelRequest) -> Answer | str:
    """What a model says beside a conversation, or the code that says why there is nothing.

    Raises nothing but a cancel. Of what is raised and no fault the handler of the loop hears: `crashed`.
    """
    try:
        return await asking
    except Fault as fault:
        return fault.code
    except Exception as error:  # outermost frame of a side call: no answer, and the loop's handler hears why
        told = {"message": f"a {request.purpose} for {request.agent} failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(told)
        return "crashed"


async def _answer(model: Model, request: ModelRequest, clock: Clock, most_s: float) -> ModelAnswer | None:
    """The answer, unless it takes too long or the model's own work is cut off."""
    asking = asyncio.ensure_future(model.request(request, unheard))
    limit = asyncio.ensure_future(clock.sleep_s(most_s))
    try:
        await asyncio.wait((asking, limit), return_when=asyncio.FIRST_COMPLETED)
        return asking.result() if asking.done() and not asking.cancelled() else None
    finally:
        # Not awaited: a provider that does not even let go must not hold the turn.
        limit.cancel()
        asking.cancel()


def unheard(_text: str) -> None:
    """Nobody watches a side call."""
