"""From a request to an answer on the OpenAI wire: the schema shim around the model.

Asked for a tool call, a model of this size writes prose about it. So it is never asked for one: it is
asked for the arguments as JSON held to the tool's schema, and the call is made of them here.
"""

import json
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import assert_never

from postroom.testing.local_model.mind import Mind, OnPiece, Question, Spoken
from postroom.testing.local_model.prompt import Line, asking_for, asking_to_close, asking_which, told
from postroom.testing.local_model.schema import addresses_in, asked_fields, fitted
from postroom.testing.local_model.step import Call, Choose, Say, Step, next_step
from postroom.testing.local_model.wire import BadRequest, Body

NO_TOOL = "answer"
_CUT = "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer: a text or one call. `finish` is `stop`, `tool_calls`, or `length` when it was cut."""

    text: str = ""
    call_id: str = ""
    tool: str = ""
    arguments: str = ""
    finish: str
    input_tokens: int = 0
    output_tokens: int = 0


class Answering:
    """Answers one request. `on_text` hears the text of an answer that is text, as it comes."""

    def __init__(self, mind: Mind, body: Body, on_text: OnPiece) -> None:
        self._mind = mind
        self._body = body
        self._on_text = on_text
        self._input_tokens = 0
        self._output_tokens = 0

    def answer(self) -> Answer:
        """The answer in full, with the tokens of all questions it took. Raises `BadRequest`."""
        answer = self._take(next_step(self._body))
        return replace(answer, input_tokens=self._input_tokens, output_tokens=self._output_tokens)

    def _take(self, step: Step) -> Answer:
        match step:
            case Say():
                return self._say(asking_to_close(self._body) if step.done else told(self._body))
            case Call():
                return self._call(step.tool)
            case Choose():
                tool = self._choose(step)
                return self._say(told(self._body)) if tool == NO_TOOL else self._call(tool)
            case _:
                assert_never(step)

    def _say(self, lines: list[Line]) -> Answer:
        spoken = self._ask(Question(lines=lines), self._on_text)
        return Answer(text=spoken.text, finish=spoken.finish)

    def _call(self, name: str) -> Answer:
        tool = self._body.tools_by_name.get(name)
        if tool is None:
            raise BadRequest(f"no tool of the request is called {name}")
        arguments, finish = "{}", "stop"
        if fields := asked_fields(tool.parameters):
            schema = fitted(tool.parameters, addresses_in(self._body))
            spoken = self._ask(Question(lines=asking_for(self._body, tool, fields), schema=schema), _unheard)
            arguments, finish = spoken.text, spoken.finish
        return Answer(
            call_id=f"call_{token_hex(8)}", tool=name, arguments=_compact(arguments),
            finish=finish if finish == _CUT else "tool_calls",
        )  # fmt: skip

    def _choose(self, step: Choose) -> str:
        choices = [*step.tools, NO_TOOL] if step.may_say else [*step.tools]
        tools = [self._body.tools_by_name[name] for name in step.tools]
        lines = asking_which(self._body, tools, NO_TOOL if step.may_say else "")
        spoken = self._ask(Question(lines=lines, schema={"enum": [*choices]}), _unheard)
        chosen = _compact(spoken.text).strip('"')
        return chosen if chosen in choices else choices[-1]

    def _ask(self, question: Question, on_piece: OnPiece) -> Spoken:
        body = self._body
        spoken = self._mind.ask(
            Question(
                lines=question.lines, schema=question.schema, tokens_max=body.tokens_max,
                temperature=body.temperature, seed=body.seed,
            ),
            on_piece,
        )  # fmt: skip
        self._input_tokens += spoken.input_tokens
        self._output_tokens += spoken.output_tokens
        return spoken


def _unheard(piece: str) -> bool:
    del piece
    return True


def _compact(text: str) -> str:
    """JSON on one line; as it is where the answer was cut."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return text
