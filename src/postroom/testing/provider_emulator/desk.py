"""The emulated provider without its sockets: keys, scripts, tries, gates and the log.

Many threads come here, one a request. All mutable state is behind one lock, and whoever waits for
something waits on its condition.
"""

import json
import threading
from dataclasses import dataclass, field
from typing import cast

from postroom.errors import ScriptEnded
from postroom.llm.port import (
    AssistantItem,
    CallItem,
    Item,
    Json,
    ModelRequest,
    ResultItem,
    UserItem,
)
from postroom.llm.script import Script, ScriptedAnswer, resolve_json, resolve_text
from postroom.testing.provider_emulator.answers import Answer, AnsweredCall
from postroom.testing.provider_emulator.bodies import Body, Refused, read_body
from postroom.testing.provider_emulator.plan import CallIds, EmulatedRound, Plan, Trouble, Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, from the headers of the request."""

    agent: str
    branch: str
    purpose: str
    authorization: str


@dataclass(slots=True, kw_only=True)
class Entry:
    """One request in the log. Written by the thread that serves it."""

    number: int
    asker: Asker
    body: Json = None
    status: int = 0
    outcome: str = "open"
    failure: str = ""

    def to_json(self) -> dict[str, Json]:
        """The entry as the control path shows it; the key is left out."""
        return {
            "number": self.number,
            "agent": self.asker.agent,
            "branch": self.asker.branch,
            "purpose": self.asker.purpose,
            "body": self.body,
            "status": self.status,
            "outcome": self.outcome,
            "failure": self.failure,
        }


@dataclass(slots=True)
class _Gate:
    arrivals: int = 0
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What to send and how it travels."""

    answer: Answer
    wire: Wire
    stream: bool
    with_usage: bool


@dataclass(slots=True)
class Desk:
    """Answers requests from a plan."""

    plan: Plan
    _log: list[Entry] = field(default_factory=list[Entry])
    _tries: dict[tuple[str, str, str, int], int] = field(default_factory=dict[tuple[str, str, str, int], int])
    _gates: dict[str, _Gate] = field(default_factory=dict[str, _Gate])
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def arrive(self, asker: Asker) -> Entry:
        """Open an entry in the log."""
        with self._changed:
            entry = Entry(number=len(self._log) + 1, asker=asker)
            self._log.append(entry)
            self._changed.notify_all()
            return entry

    def decide(self, entry: Entry, raw: bytes) -> Reply:
        """The reply to a request. Raises `Refused` for a bad one and when the script has ended."""
        self._check_key(entry.asker.authorization)
        body = read_body(raw, window=self.plan.context_window)
        entry.body = cast("Json", json.loads(raw))
        rounds = self._rounds(entry.asker)
        request = _request(body, entry.asker)
        script = Script([each.scripted() for each in rounds])
        try:
            number, _ = script.position(request)
            played = _played(script, request)
            answer = self._answer(rounds[number], played, request, body, entry.number)
        except ScriptEnded as fault:
            raise _script_ended(fault.message) from fault
        wire = self._wire(rounds[number], entry.asker, number)
        return Reply(answer=answer, wire=wire, stream=body.stream, with_usage=body.with_usage)

    def close(self, entry: Entry, outcome: str, *, status: int, failure: str = "") -> None:
        """Write down how the request ended."""
        with self._changed:
            entry.outcome, entry.status, entry.failure = outcome, status, failure
            self._changed.notify_all()

    def pass_gate(self, name: str) -> None:
        """Wait until the gate is open; without a name there is none."""
        if not name:
            return
        with self._changed:
            gate = self._gates.setdefault(name, _Gate())
            gate.arrivals += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: gate.is_open)

    def open_gate(self, name: str) -> None:
        """Open the gate for all who wait and all who come."""
        with self._changed:
            self._gates.setdefault(name, _Gate()).is_open = True
            self._changed.notify_all()

    def await_arrivals(self, name: str, count: int, wait_s: float) -> bool:
        """Wait until `count` requests have reached the gate; False when time ran out first."""
        with self._changed:
            gate = self._gates.setdefault(name, _Gate())
            return self._changed.wait_for(lambda: gate.arrivals >= count, wait_s)

    def await_requests(self, count: int, wait_s: float) -> bool:
        """Wait until `count` requests have come in; False when time ran out first."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._log) >= count, wait_s)

    def log(self) -> list[Json]:
        """Every request so far, in order of arrival."""
        with self._changed:
            return [entry.to_json() for entry in self._log]

    def _check_key(self, authorization: str) -> None:
        if authorization == f"Bearer {self.plan.key}":
            return
        if not authorization:
            raise Refused(kind="missing_key", status=401, message="You didn't provide an API key.")
        raise Refused(
            kind="wrong_key",
            status=401,
            message="Incorrect API key provided.",
            code="invalid_api_key",
        )

    def _rounds(self, asker: Asker) -> tuple[EmulatedRound, ...]:
        rounds = self.plan.agents.get(asker.agent, {}).get(asker.purpose)
        if rounds is None:
            raise _script_ended(f"no script for agent {asker.agent!r}, purpose {asker.purpose!r}")
        return rounds

    def _wire(self, played: EmulatedRound, asker: Asker, number: int) -> Wire:
        """How this try travels: a trouble that has struck often enough is over."""
        wire = played.wire or self.plan.wire
        place = (asker.agent, asker.branch, asker.purpose, number)
        with self._changed:
            tried = self._tries.get(place, 0)
            self._tries[place] = tried + 1
        return wire if tried < wire.times else wire.model_copy(update={"trouble": Trouble.NONE})

    def _answer(
        self,
        played: EmulatedRound,
        scripted: ScriptedAnswer,
        request: ModelRequest,
        body: Body,
        entry_number: int,
    ) -> Answer:
        calls = tuple(
            AnsweredCall(
                id=self._call_id(entry_number, number),
                tool=call.tool,
                arguments=_resolved(str(call.arguments), request),
            )
            for number, call in enumerate(scripted.calls if body.may_call else ())
        )
        wire = played.wire or self.plan.wire
        return Answer(
            id=f"chatcmpl-{entry_number}",
            model=body.model,
            text=resolve_text(scripted.text, request),
            reasoning=played.reasoning,
            calls=calls,
            finish=wire.finish or ("tool_calls" if calls else "stop"),
            input_tokens=body.tokens,
        )

    def _call_id(self, entry_number: int, position: int) -> str:
        match self.plan.call_ids:
            case CallIds.UNIQUE:
                return f"call_{entry_number}_{position}"
            case CallIds.PER_ANSWER:
                return f"call_{position}"
            case CallIds.SAME:
                return "call_0"


def _played(script: Script, request: ModelRequest) -> ScriptedAnswer:
    current = script.round_for(request)
    if isinstance(current, ScriptedAnswer):
        return current
    raise ScriptEnded("a plan holds answers, no code")


def _script_ended(message: str) -> Refused:
    # A status that is tried again would hide a script that is too short behind minutes of waiting.
    return Refused(kind="script_ended", message=message, error_type="script_ended")


def _request(body: Body, asker: Asker) -> ModelRequest:
    """The request as scripts see it."""
    items: list[Item] = []
    tools = {call.id: call.tool for message in body.messages for call in message.calls}
    for message in body.messages:
        match message.role:
            case "assistant":
                calls = tuple(
                    CallItem(call_id=call.id, tool=call.tool, arguments=call.arguments)
                    for call in message.calls
                )
                items.append(AssistantItem(text=message.text, calls=calls))
            case "tool":
                call_id = message.tool_call_id
                items.append(ResultItem(call_id=call_id, tool=tools[call_id], text=message.text))
            case "user":
                items.append(UserItem(text=message.text))
            case _:
                pass
    return ModelRequest(agent=asker.agent, branch=asker.branch, instructions="", items=tuple(items))


def _resolved(arguments: str, request: ModelRequest) -> str:
    """References inside the values of valid JSON; anything else is sent as it stands."""
    if "${" not in arguments:
        return arguments
    try:
        value = cast("Json", json.loads(arguments))
    except ValueError:
        return arguments
    return json.dumps(resolve_json(value, request), ensure_ascii=False)
