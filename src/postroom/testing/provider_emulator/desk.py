"""The emulated provider without its sockets: scripts, tries, gates, the prompt cache and the log.

Many threads come here, one a request. All mutable state is behind one lock, and whoever waits for
something waits on its condition.
"""

import base64
import json
import threading
from dataclasses import dataclass, field, replace
from typing import cast

from postroom.errors import ScriptEnded
from postroom.llm.port import Json, ModelRequest
from postroom.llm.script import Script, ScriptedAnswer, resolve_json, resolve_text
from postroom.testing.provider_emulator.answers import Answer, AnsweredCall
from postroom.testing.provider_emulator.asked import Asked, Incoming
from postroom.testing.provider_emulator.breach import Breach, Rule
from postroom.testing.provider_emulator.plan import CallIds, EmulatedRound, Plan, Trouble, Wire
from postroom.testing.provider_emulator.prefix_cache import Counted, PrefixCache
from postroom.testing.provider_emulator.seen import as_scripts_see
from postroom.testing.provider_emulator.wires import Dialect

# The vendor never comes to read the request, so nothing of it is kept.
_UNREAD = frozenset({Trouble.OVERLOAD, Trouble.TOO_LONG, Trouble.NO_CREDIT, Trouble.BLOCKED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, from the headers of the request."""

    agent: str
    branch: str
    purpose: str
    covered: int = 0
    """Answers that a summary stands for."""


@dataclass(slots=True, kw_only=True)
class Entry:
    """One request in the log. Written by the thread that serves it."""

    number: int
    asker: Asker
    dialect: Dialect
    incoming: Incoming
    body: Json = None
    status: int = 0
    outcome: str = "open"
    failure: str = ""

    def to_json(self) -> dict[str, Json]:
        """The entry as the control path shows it; the headers, and so the key, are left out."""
        return {
            "number": self.number,
            "wire": self.dialect.name,
            "path": self.incoming.path,
            "agent": self.asker.agent,
            "branch": self.asker.branch,
            "purpose": self.asker.purpose,
            "body": self.body,
            "raw": base64.b64encode(self.incoming.raw).decode(),
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

    dialect: Dialect
    answer: Answer
    wire: Wire
    stream: bool
    window: int

    def breach(self) -> Breach | None:
        """The error that the plan wants in place of the answer, or in the middle of it."""
        wire = self.wire
        match wire.trouble:
            case Trouble.OVERLOAD | Trouble.ERROR_IN_STREAM:
                return Breach(
                    Rule.STATUS,
                    names=(str(wire.status),),
                    status=wire.status,
                    retry_after_s=wire.retry_after_s,
                )
            case Trouble.TOO_LONG:
                return Breach(Rule.OVER_WINDOW, names=(str(self.window + 1), str(self.window)))
            case Trouble.NO_CREDIT:
                return Breach(Rule.NO_CREDIT)
            case Trouble.BLOCKED:
                return Breach(Rule.BLOCKED)
            case _:
                return None


@dataclass(slots=True)
class Desk:
    """Answers requests from a plan."""

    plan: Plan
    _cache: PrefixCache = field(default_factory=PrefixCache)
    _log: list[Entry] = field(default_factory=list[Entry])
    _tries: dict[tuple[str, str, str, int], int] = field(default_factory=dict[tuple[str, str, str, int], int])
    _gates: dict[str, _Gate] = field(default_factory=dict[str, _Gate])
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def arrive(self, asker: Asker, dialect: Dialect, incoming: Incoming) -> Entry:
        """Open an entry in the log."""
        with self._changed:
            entry = Entry(number=len(self._log) + 1, asker=asker, dialect=dialect, incoming=incoming)
            self._log.append(entry)
            self._changed.notify_all()
            return entry

    def decide(self, entry: Entry) -> Reply:
        """The reply to a request. Raises `Breach` for a bad one and when the script has ended."""
        asked = entry.dialect.read(entry.incoming, self.plan)
        entry.body = cast("Json", json.loads(entry.incoming.raw))
        rounds = self._rounds(entry.asker)
        request = as_scripts_see(
            asked, agent=entry.asker.agent, branch=entry.asker.branch, covered=entry.asker.covered
        )
        script = Script([each.scripted() for each in rounds])
        try:
            number, _ = script.position(request)
            played = _played(script, request)
            answer = self._answer(rounds[number], played, request, asked, entry)
        except ScriptEnded as fault:
            raise _script_ended(fault.message) from fault
        wire = self._wire(rounds[number], entry.asker, number)
        if wire.trouble not in _UNREAD:
            least = self.plan.cache_min_tokens
            counted = self._cache.count(asked.model, asked.segments, least_tokens=least)
            answer = replace(answer, counted=counted)
        return Reply(
            dialect=entry.dialect,
            answer=answer,
            wire=wire,
            stream=asked.stream,
            window=self.plan.context_window,
        )

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
        asked: Asked,
        entry: Entry,
    ) -> Answer:
        calls = tuple(
            AnsweredCall(
                id=self._call_id(entry, number),
                tool=call.tool,
                arguments=_resolved(str(call.arguments), request),
                number=number,
            )
            for number, call in enumerate(scripted.calls if asked.may_call else ())
        )
        return Answer(
            number=entry.number,
            model=asked.model,
            text=resolve_text(scripted.text, request),
            reasoning=played.reasoning,
            calls=calls,
            finish=(played.wire or self.plan.wire).finish,
            counted=Counted(fresh=asked.tokens),
            with_usage=asked.with_usage,
            key=self.plan.key,
            prefix=asked.prefix,
            dropped=asked.dropped,
        )

    def _call_id(self, entry: Entry, position: int) -> str:
        prefix = entry.dialect.call_prefix
        match self.plan.call_ids:
            case CallIds.UNIQUE:
                return f"{prefix}{entry.number}_{position}"
            case CallIds.PER_ANSWER:
                return f"{prefix}{position}"
            case CallIds.SAME:
                return f"{prefix}0"
            case CallIds.NONE:
                return "" if entry.dialect.may_omit_ids else f"{prefix}{entry.number}_{position}"


def _played(script: Script, request: ModelRequest) -> ScriptedAnswer:
    current = script.round_for(request)
    if isinstance(current, ScriptedAnswer):
        return current
    raise ScriptEnded("a plan holds answers, no code")


def _script_ended(message: str) -> Breach:
    return Breach(Rule.SCRIPT_ENDED, says=message)


def _resolved(arguments: str, request: ModelRequest) -> str:
    """References inside the values of valid JSON; anything else is sent as it stands."""
    if "${" not in arguments:
        return arguments
    try:
        value = cast("Json", json.loads(arguments))
    except ValueError:
        return arguments
    return json.dumps(resolve_json(value, request), ensure_ascii=False)
