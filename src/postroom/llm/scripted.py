"""`scripted:NAME` models: a script behind the model port. The demo runs on them; so do the tests."""

import json
from collections.abc import Iterator

from postroom.clock import Clock
from postroom.errors import ModelRefusedRequest
from postroom.llm import strict
from postroom.llm.port import CallItem, ModelAnswer, ModelRequest, OnText, Usage
from postroom.llm.script import (
    Play,
    Round,
    Script,
    ScriptedAnswer,
    ScriptedCall,
    resolve_json,
    resolve_text,
)
from postroom.llm.script_file import load_script
from postroom.rules.text import CHARS_PER_TOKEN, scrub

__all__ = [
    "Play",
    "Round",
    "Script",
    "ScriptPlayer",
    "ScriptedAnswer",
    "ScriptedCall",
    "load_script",
]

PROVIDER = "scripted"
_PIECES = 4


class ScriptPlayer:
    """Plays a script as a model that is as strict as the strictest provider.

    Raises `ModelRefusedRequest` for a request that `strict.check` faults and `ScriptEnded` when the
    script has no round for it.
    """

    def __init__(self, script: Script, *, clock: Clock) -> None:
        self._script = script
        self._clock = clock

    @property
    def has_price(self) -> bool:
        """Always: a script costs nothing."""
        return True

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The script's answer to this request."""
        if fault := strict.check(request):
            raise ModelRefusedRequest(fault)
        current = self._script.round_for(request)
        played = current if isinstance(current, ScriptedAnswer) else await current(request)
        if isinstance(played, ScriptedAnswer):
            answer, think_s = _answer(played, request), played.think_s
        else:
            answer, think_s = played, 0.0
        await self._stream(answer.text, think_s, on_text)
        return answer

    async def _stream(self, text: str, think_s: float, on_text: OnText) -> None:
        pieces = list(_pieces(text)) or [""]
        for piece in pieces:
            if think_s:
                await self._clock.sleep_s(think_s / len(pieces))
            if piece:
                on_text(piece)


def _answer(scripted: ScriptedAnswer, request: ModelRequest) -> ModelAnswer:
    # A model that is told to answer in text has no tools to call.
    wanted = () if request.force_text else scripted.calls
    calls = tuple(_call(call, number, request) for number, call in enumerate(wanted))
    text = scrub(resolve_text(scripted.text, request))
    written = -(-(len(text) + sum(len(call.arguments) for call in calls)) // CHARS_PER_TOKEN)
    read = strict.estimated_tokens(request)
    if scripted.tokens is not None:
        written = min(written, scripted.tokens)
        read = scripted.tokens - written
    usage = Usage(input_tokens=read, output_tokens=written, cost_micros=scripted.cost_micros)
    return ModelAnswer(text=text, calls=calls, usage=usage, provider=PROVIDER)


def _call(call: ScriptedCall, number: int, request: ModelRequest) -> CallItem:
    arguments = call.arguments
    if not isinstance(arguments, str):
        resolved = resolve_json(dict(arguments), request)
        arguments = json.dumps(resolved, ensure_ascii=False)
    return CallItem(
        call_id="",
        tool=call.tool,
        arguments=scrub(arguments),
        provider_call_id=call.provider_call_id or f"call_{number}",
    )


def _pieces(text: str) -> Iterator[str]:
    """The text in a few pieces of about the same length, none of them empty."""
    step = max(1, -(-len(text) // _PIECES))
    return (text[start : start + step] for start in range(0, len(text), step))
