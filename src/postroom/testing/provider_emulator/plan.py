"""What an emulated provider plays: rounds by agent and purpose, and how each goes wrong on the wire.

A plan crosses a process border as JSON, because the emulator is a program of its own.
"""

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from postroom.errors import ConfigFault
from postroom.llm.script import OTHERWISE
from postroom.llm.scripted import ScriptedAnswer, ScriptedCall

DEFAULT_KEY = "emulator-key"
_STRICT = ConfigDict(extra="forbid", frozen=True)


class Trouble(StrEnum):
    """What goes wrong with an answer."""

    NONE = "none"
    OVERLOAD = "overload"  # the error of `status` before anything else
    TOO_LONG = "too_long"  # the prompt is refused as longer than the window
    NO_CREDIT = "no_credit"  # the account has nothing left to spend
    BLOCKED = "blocked"  # the vendor's filter does not let the prompt through
    CUT_IN_TEXT = "cut_in_text"  # the connection breaks in the middle of the text
    CUT_IN_CALL = "cut_in_call"  # the connection breaks inside a call's arguments
    ENDS_EARLY = "ends_early"  # the body ends properly in the middle of the answer
    SILENT = "silent"  # the stream opens and says nothing more
    KEEPALIVE = "keepalive"  # the stream opens and then only shows that the connection lives
    ERROR_IN_STREAM = "error_in_stream"  # the error of `status` in the middle of the answer


class CallIds(StrEnum):
    """How the provider names its calls."""

    UNIQUE = "unique"  # never the same twice
    PER_ANSWER = "per_answer"  # call_0, call_1 … again in each answer
    SAME = "same"  # call_0 for each call
    NONE = "none"  # none at all where the wire allows that (Gemini), else as UNIQUE


class Finish(StrEnum):
    """Why an answer ends, in words that every wire has its own for."""

    LENGTH = "length"  # the length limit was reached
    CONTENT_FILTER = "content_filter"  # the vendor's filter withheld it
    REFUSAL = "refusal"  # the model declines; the text says so


class Wire(BaseModel):
    """How a round travels. A trouble strikes the first `times` tries of the round, then it is over.

    `slow_s` seconds pass before each piece. Nothing is sent before the gate of that name was opened.
    `finish` is one of `Finish`, or a vendor's own word which is sent as it stands.
    """

    model_config = _STRICT

    trouble: Trouble = Trouble.NONE
    times: int = 1
    status: int = 503
    retry_after_s: float | None = None
    slow_s: float = 0.0
    gate: str = ""
    finish: str = ""


class EmulatedCall(BaseModel):
    """One call; `arguments` is the JSON text a model writes, valid or not."""

    model_config = _STRICT

    tool: str
    arguments: str = "{}"


class EmulatedRound(BaseModel):
    """One answer. Without a `wire` it travels as the plan says for all.

    `text_json` is the text as a JSON string, for what plain text cannot hold: a lone surrogate.
    """

    model_config = _STRICT

    text: str = ""
    text_json: str = ""
    reasoning: str = ""
    calls: tuple[EmulatedCall, ...] = ()
    when: tuple[str, ...] = ()
    otherwise: str = OTHERWISE
    wire: Wire | None = None

    def scripted(self) -> ScriptedAnswer:
        """The same as a scripted answer."""
        text = str(json.loads(self.text_json)) if self.text_json else self.text
        return ScriptedAnswer(
            text=text,
            calls=tuple(ScriptedCall(tool=c.tool, arguments=c.arguments) for c in self.calls),
            when=self.when,
            otherwise=self.otherwise,
        )


Purposes: TypeAlias = dict[str, tuple[EmulatedRound, ...]]


class Plan(BaseModel):
    """The whole of an emulated provider. `agents` maps an agent's name to purpose to rounds.

    The round to play is the number of assistant messages in the request, as for `scripted:` models.
    A plan is for all wires. Prefixes below `cache_min_tokens` are not cached. `most_bytes` replaces
    each vendor's limit of a body. With `binds_thinking` reasoning is refused when
    anything before it has changed, as newer Anthropic models do. `dummy_signatures` lets the value
    pass that Google documents for calls which another model made.
    """

    model_config = _STRICT

    agents: dict[str, Purposes] = Field(default_factory=dict[str, Purposes])
    key: str = DEFAULT_KEY
    context_window: int = 128_000
    call_ids: CallIds = CallIds.UNIQUE
    wire: Wire = Wire()
    cache_min_tokens: int = 1024
    most_bytes: int | None = None
    binds_thinking: bool = True
    dummy_signatures: bool = True


def load_plan(text: str) -> Plan:
    """The plan of a JSON text. Raises `ConfigFault` naming what is wrong."""
    try:
        return Plan.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise ConfigFault(f"plan {where}: {first['msg']}") from error


def turns(**agents: Sequence[ScriptedAnswer | EmulatedRound]) -> dict[str, Purposes]:
    """The `agents` of a plan in which everyone only takes turns."""
    return {agent: {"turn": tuple(_emulated(r) for r in rounds)} for agent, rounds in agents.items()}


def wired(answer: ScriptedAnswer | EmulatedRound, wire: Wire) -> EmulatedRound:
    """The answer, travelling like this."""
    return _emulated(answer).model_copy(update={"wire": wire})


def _emulated(answer: ScriptedAnswer | EmulatedRound) -> EmulatedRound:
    if isinstance(answer, EmulatedRound):
        return answer
    return EmulatedRound(
        text=answer.text,
        calls=tuple(EmulatedCall(tool=call.tool, arguments=_as_text(call)) for call in answer.calls),
        when=answer.when,
        otherwise=answer.otherwise,
    )


def _as_text(call: ScriptedCall) -> str:
    if isinstance(call.arguments, str):
        return call.arguments
    return json.dumps(dict(call.arguments), ensure_ascii=False)
