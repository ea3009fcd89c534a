"""What agents do as OpenTelemetry traces, in the names of its conventions for generative AI.

The one module that knows OpenTelemetry; loaded only where `[otel] enabled` says so. A turn is a span, with
a span below it for each request to a model and for each call of a tool. A turn that runs a task lies below
the turn that gave the task, so one trace shows what one text of the person has set going. No texts leave the
process: spans hold names, ids, counts and codes. Where they go is said by the `OTEL_…` variables.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    set_span_in_context,
)

from postroom.domain.bus import BusEvent
from postroom.domain.plain import Json

TYPES: Final = (
    "turn.start", "turn.end", "chat.before_send", "model.response_completed", "tool.before", "tool.after",
    "branch.message_sent", "branch.message_replied",
)  # fmt: skip
KEPT: Final = 10_000
"""Turns that are remembered. One that is given up has no end; a trace begins anew behind it."""
END_S: Final = 1.5
"""Seconds that the last spans have to be sent; then they are given up, with an attempt that has begun."""
LOST: Final = "traces do not reach the collector that OTEL_EXPORTER_OTLP_ENDPOINT names; they are lost"
_NS: Final = 1_000


@dataclass(slots=True)
class _Turn:
    """A turn that is being traced. What comes before its start is told waits for it."""

    span: Span | None = None
    early: list[BusEvent] = field(default_factory=list[BusEvent])
    requests: list[Span] = field(default_factory=list[Span])
    calls: dict[str, Span] = field(default_factory=dict[str, Span])


class _Watched(SpanExporter):
    """An exporter whose failures are told: the first of each row. It is used in threads of OpenTelemetry."""

    def __init__(self, exporter: SpanExporter, on_lost: Callable[[], None]) -> None:
        self._exporter = exporter
        self._on_lost = on_lost
        self._is_lost = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans, and tell if that is the first time that it fails."""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self._is_lost = False
        else:
            self.lose()
        return result

    def lose(self) -> None:
        """What was to be sent is lost."""
        was_lost, self._is_lost = self._is_lost, True
        if not was_lost:
            self._on_lost()

    def shutdown(self) -> None:
        """Send nothing more; a try that waits for the next one ends."""
        self._exporter.shutdown()


class Traces:
    """A listener of the bus: subscribe `put` to `TYPES`. It belongs to the room's loop."""

    def __init__(self, on_lost: Callable[[str], None]) -> None:
        """`on_lost` hears a sentence, in any thread, when spans are lost and those before them were not."""
        ours = version("postroom")
        resource = Resource.create({"service.name": "postroom", "service.version": ours})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._exporter = _Watched(OTLPSpanExporter(), lambda: on_lost(LOST))
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        # Else what it complains of, such as a collector that is away, lands between the answers of a command.
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        self._tracer: Tracer = self._provider.get_tracer("postroom", ours)
        self._turns: OrderedDict[str, _Turn] = OrderedDict()
        self._places: OrderedDict[str, SpanContext] = OrderedDict()
        self._handlers = {
            "turn.end": self._turn_ended, "chat.before_send": self._asked,
            "model.response_completed": self._answered, "tool.before": self._calling,
            "tool.after": self._called, "branch.message_sent": _wrote, "branch.message_replied": _wrote,
        }  # fmt: skip

    def put(self, event: BusEvent) -> None:
        """One event; what belongs to no turn is passed over."""
        turn_id = event.metadata.get("turn_id")
        if not isinstance(turn_id, str):
            return
        turn = self._turns.setdefault(turn_id, _Turn())
        if event.type == "turn.start":
            self._turn_started(turn, turn_id, event)
        elif turn.span is None:
            turn.early.append(event)
        else:
            self._handlers[event.type](turn, event)
        if event.type == "turn.end":
            del self._turns[turn_id]
        elif len(self._turns) > KEPT:
            self._turns.popitem(last=False)

    def close(self) -> None:
        """Send what is left. Waits for the collector, for two seconds at most."""
        # In a thread that keeps no process: nothing ends a request that a collector takes and leaves.
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(END_S)
        if ending.is_alive():
            self._exporter.lose()
            self._exporter.shutdown()

    def _turn_started(self, turn: _Turn, turn_id: str, event: BusEvent) -> None:
        agent = str(event.metadata.get("agent", ""))
        about: dict[str, Json] = {
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent,
            "gen_ai.agent.id": event.metadata.get("branch_id"),
            "gen_ai.conversation.id": event.metadata.get("session_id"), "postroom.turn.id": turn_id,
            "postroom.turn.trigger": event.payload.get("trigger"),
            "postroom.task.id": event.payload.get("task_id"),
        }  # fmt: skip
        giver = self._places.get(str(event.payload.get("given_in_turn_id")))
        above = None if giver is None else set_span_in_context(NonRecordingSpan(giver))
        turn.span = self._begin(f"invoke_agent {agent}", SpanKind.INTERNAL, about, event, above)
        self._places[turn_id] = turn.span.get_span_context()
        if len(self._places) > KEPT:
            self._places.popitem(last=False)
        for early in turn.early:
            self._handlers[early.type](turn, early)
        turn.early.clear()

    def _turn_ended(self, turn: _Turn, event: BusEvent) -> None:
        span, state = turn.span, str(event.payload.get("state"))
        for left in (*turn.requests, *turn.calls.values()):
            left.end(event.ts_us * _NS)
        if span is None:
            return
        usage = event.payload.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        reason = str(event.payload.get("reason"))
        _set(span, {
            "postroom.turn.state": state, "postroom.turn.reason": reason.partition(":")[0],
            "gen_ai.usage.input_tokens": counts.get("input_tokens"),
            "gen_ai.usage.output_tokens": counts.get("output_tokens"),
            "postroom.cost_micros": counts.get("cost_micros"),
        })  # fmt: skip
        if state == "failed":
            _fail(span, reason.partition(":")[0])
        span.end(event.ts_us * _NS)

    def _asked(self, turn: _Turn, event: BusEvent) -> None:
        """A request goes out. One that is asked again counts as another."""
        provider, _, model = str(event.payload.get("model", "")).partition(":")
        about: dict[str, Json] = {
            "gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": model,
            "postroom.request.items": event.payload.get("items"),
            "postroom.request.tools": event.payload.get("tools"),
        }  # fmt: skip
        turn.requests.append(self._below(turn, f"chat {model}", SpanKind.CLIENT, about, event))

    def _answered(self, turn: _Turn, event: BusEvent) -> None:
        """The newest request was answered; those before it were not."""
        for at, span in enumerate(reversed(turn.requests)):
            if at == 0:
                _set(span, {
                    "gen_ai.usage.input_tokens": event.payload.get("input_tokens"),
                    "gen_ai.usage.output_tokens": event.payload.get("output_tokens"),
                    "postroom.turn.round": event.payload.get("round"),
                })  # fmt: skip
            else:
                _fail(span, "no_answer")
            span.end(event.ts_us * _NS)
        turn.requests.clear()

    def _calling(self, turn: _Turn, event: BusEvent) -> None:
        tool, call = str(event.payload.get("tool")), str(event.payload.get("tool_call_id"))
        about: dict[str, Json] = {
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.call.id": call,
        }  # fmt: skip
        turn.calls[call] = self._below(turn, f"execute_tool {tool}", SpanKind.INTERNAL, about, event)

    def _called(self, turn: _Turn, event: BusEvent) -> None:
        span = turn.calls.pop(str(event.payload.get("tool_call_id")), None)
        if span is None:
            return
        ended_by = str(event.payload.get("ended_by"))
        _set(span, {"postroom.call.ended_by": ended_by})
        if event.payload.get("is_error"):
            _fail(span, ended_by)
        span.end(event.ts_us * _NS)

    def _below(self, turn: _Turn, name: str, kind: SpanKind, about: dict[str, Json], event: BusEvent) -> Span:
        above = None if turn.span is None else set_span_in_context(turn.span)
        return self._begin(name, kind, about, event, above)

    def _begin(
        self, name: str, kind: SpanKind, about: dict[str, Json], event: BusEvent, above: Context | None
    ) -> Span:
        """A span that begins when the event happened; `above` none: a trace of its own."""
        span = self._tracer.start_span(
            name.strip(), context=above or Context(), kind=kind, start_time=event.ts_us * _NS
        )
        _set(span, about)
        return span


def _wrote(turn: _Turn, event: BusEvent) -> None:
    """Mail that the turn has sent, as a point in its span."""
    if turn.span is not None:
        facts = {name: str(event.payload.get(name)) for name in ("to", "message_id", "kind", "mode")}
        turn.span.add_event(event.type, facts, event.ts_us * _NS)


def _set(span: Span, about: dict[str, Json]) -> None:
    """Attributes that are known; the others are left out."""
    for name, value in about.items():
        if isinstance(value, str | int | float) and value != "":
            span.set_attribute(name, value)


def _fail(span: Span, code: str) -> None:
    span.set_attribute("error.type", code)
    span.set_status(Status(StatusCode.ERROR))
