"""The bus of one process: who wants to hear is told, who wants to be asked is asked.

Telling waits for nobody: a listener that raises harms neither who tells nor the other listeners, and one
that is slow keeps a queue of its own (`observer`). Asking waits for each gate in the order in which it was
registered. Whoever has no answer allows: a gate that raises, one that is asked from within itself, and
those that are left when the time is over.
"""

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeAlias

from postroom.clock import Clock
from postroom.domain.bus import EVENT_TYPES, BusEvent, BusKind, Draft, EventType, Origin, Reason, Verdict
from postroom.domain.plain import Json
from postroom.tools.hooks.gate import HookFailure

Handler: TypeAlias = Callable[[BusEvent], None]
"""What is told: a plain function that returns at once. It runs on the room's loop."""
Unsubscribe: TypeAlias = Callable[[], None]
Answer: TypeAlias = str | HookFailure | None
"""`None`: it does not mind; a text: why not; a failure: it could not say."""
_NOWHERE: Final[Mapping[str, Json]] = {}
_UNKNOWN: Final = EventType(BusKind.NOTIFY, Origin.SYSTEM, "")
_PLACE: ContextVar[Mapping[str, Json]] = ContextVar("postroom_place", default=_NOWHERE)
"""Where the code that runs now belongs: a turn sets it, and tasks and threads that it begins inherit it."""
_ASKING: ContextVar[frozenset[str]] = ContextVar("postroom_asking", default=frozenset())
"""The types about which somebody is being asked, as seen from here."""


class Gate(Protocol):
    """Somebody who is asked before something is done."""

    @property
    def name(self) -> str:
        """As a denial names it."""
        ...

    def answer(self, event: BusEvent) -> Awaitable[Answer]:
        """Why not, or nothing. What it raises allows."""
        ...


@dataclass(frozen=True, slots=True)
class _Function:
    """A gate that is one function of a program."""

    name: str
    function: Callable[[BusEvent], Awaitable[str | None] | str | None]

    async def answer(self, event: BusEvent) -> Answer:
        """What the function says."""
        said = self.function(event)
        return await said if inspect.isawaitable(said) else said


@dataclass(frozen=True, slots=True, eq=False)
class _Listener:
    """Who is told of which types; of all, if it names none."""

    handler: Handler
    types: frozenset[str]
    since_us: int

    def wants(self, name: str) -> bool:
        """Whether it is told of a type."""
        return not self.types or name in self.types


@dataclass(frozen=True, slots=True, eq=False)
class _Guard:
    """Who is asked about which types."""

    gate: Gate
    types: frozenset[str]


@contextlib.contextmanager
def at_place(metadata: Mapping[str, Json]) -> Generator[None]:
    """Whatever is told inside happens at this place, unless the event says otherwise."""
    token = _PLACE.set({**_PLACE.get(), **metadata})
    try:
        yield
    finally:
        _PLACE.reset(token)


class Bus:
    """Listeners and gates of one process. It belongs to the room's loop; `emit` to any thread."""

    def __init__(self, clock: Clock, new_id: Callable[[], str], warn: Callable[[str], None]) -> None:
        self._clock = clock
        self._new_id = new_id
        self._warn = warn
        self._listeners: tuple[_Listener, ...] = ()
        self._guards: tuple[_Guard, ...] = ()
        self._warned: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self.on_heard: Callable[[], None] = lambda: None
        """Called when somebody has begun to listen."""

    def open(self) -> None:
        """From now on other threads may tell something, too."""
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()

    @property
    def is_heard(self) -> bool:
        """Whether anybody is told of anything."""
        return bool(self._listeners)

    def wants(self, name: str) -> bool:
        """Whether anybody is told of this type: else its payload need not be made."""
        return any(listener.wants(name) for listener in self._listeners)

    def is_gated(self, name: str) -> bool:
        """Whether anybody is asked about this type."""
        return any(name in guard.types for guard in self._guards)

    def subscribe(self, handler: Handler, types: Iterable[str] = ()) -> Unsubscribe:
        """Tell `handler` of these types, or of all, from now on; what it returns ends that."""
        listener = _Listener(handler, self._known(types), self._clock.now_us())
        self._listeners = (*self._listeners, listener)
        self.on_heard()

        def unsubscribe() -> None:
            self._listeners = tuple(one for one in self._listeners if one is not listener)

        return unsubscribe

    def guard(
        self, gate: Gate | Callable[[BusEvent], Awaitable[str | None] | str | None], types: Iterable[str]
    ) -> Unsubscribe:
        """Ask `gate` about these types, after those that are asked already; what it returns ends that."""
        asked = _Function(_name_of(gate), gate) if callable(gate) else gate
        guard = _Guard(asked, self._known(types))
        self._guards = (*self._guards, guard)

        def unsubscribe() -> None:
            self._guards = tuple(one for one in self._guards if one is not guard)

        return unsubscribe

    def emit(
        self,
        name: str,
        payload: Mapping[str, Json],
        *,
        origin: Origin | None = None,
        metadata: Mapping[str, Json] = _NOWHERE,
    ) -> None:
        """Tell everybody who wants this type. Never raises and never waits; safe in any thread.

        `metadata` wins over what is known of the place.
        """
        where = {**_PLACE.get(), **metadata}
        self.tell(Draft(name, payload, where, self._clock.now_us(), origin))

    def tell(self, draft: Draft) -> None:
        """`emit` for something that has happened at another time or place."""
        if self._type(draft.type) is _UNKNOWN or self.wants(draft.type):
            self._put(self._event(draft))

    async def ask(
        self, name: str, payload: Mapping[str, Json], *, also: Sequence[Gate] = (),
        timeout_s: float | None = None, failed: Callable[[HookFailure], None] = lambda _: None,
    ) -> Verdict:  # fmt: skip
        """Ask every gate of this type, and then `also`; all of them, for each reason counts.

        When `timeout_s` is over, nobody else is asked. The event is told with its verdict.
        """
        gates = (*(guard.gate for guard in self._guards if name in guard.types), *also)
        event = self._event(Draft(name, payload, _PLACE.get(), self._clock.now_us()))
        if name in _ASKING.get():
            self._warn(f"{name} was asked from within a gate of the same type: it is allowed")
            return Verdict(subscribers=len(gates))
        token = _ASKING.set(_ASKING.get() | {name})
        try:
            verdict = await self._asked(gates, event, timeout_s, failed)
        finally:
            _ASKING.reset(token)
        if self.wants(name):
            self._put(replace(event, verdict=verdict))
        return verdict

    async def _asked(
        self, gates: Sequence[Gate], event: BusEvent, timeout_s: float | None,
        failed: Callable[[HookFailure], None],
    ) -> Verdict:  # fmt: skip
        begun_s, reasons = self._clock.monotonic_s(), list[Reason]()
        for i, gate in enumerate(gates):
            if timeout_s is not None and self._clock.monotonic_s() - begun_s > timeout_s:
                left = len(gates) - i
                self._warn(f"{event.type}: {left} gates were not asked, {timeout_s:g} s were over")
                break
            said = await self._one(gate, event)
            if isinstance(said, str):
                reasons.append(Reason(by=gate.name, text=said))
            elif said is not None:
                self._warn(f"{event.type}: the gate {gate.name} failed: {said.what}")
                failed(said)
        took_ms = round((self._clock.monotonic_s() - begun_s) * 1000, 3)
        return Verdict(reasons=tuple(reasons), duration_ms=took_ms, subscribers=len(gates))

    async def _one(self, gate: Gate, event: BusEvent) -> Answer:
        try:
            return await gate.answer(event)
        except Exception as error:  # outermost frame of a gate: one that raises allows
            self._hand_on(f"the gate {gate.name} failed", error)
            return HookFailure(hook=gate.name, code="hook_failed", what=f"{type(error).__name__}: {error}")

    def _put(self, event: BusEvent) -> None:
        if self._loop is None or threading.get_ident() == self._thread:
            self._deliver(event)
            return
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._deliver, event)

    def _deliver(self, event: BusEvent) -> None:
        for listener in self._listeners:
            if not listener.wants(event.type) or event.ts_us < listener.since_us:
                continue
            try:
                listener.handler(event)
            except Exception as error:  # outermost frame of a listener: it harms nobody else
                self._hand_on(f"a listener of {event.type} failed", error)
                self._warn(f"a listener of {event.type} failed: {type(error).__name__}: {error}")

    def _hand_on(self, message: str, error: Exception) -> None:
        """The warning names the failure; where it was raised is for whoever wrote what failed."""
        if self._loop is not None:
            self._loop.call_exception_handler({"message": message, "exception": error})

    def _event(self, draft: Draft) -> BusEvent:
        return BusEvent(
            id=self._new_id(), ts_us=draft.ts_us, type=draft.type, payload=draft.payload,
            origin=draft.origin or self._type(draft.type).origin, metadata=draft.metadata,
        )  # fmt: skip

    def _type(self, name: str) -> EventType:
        """What is registered of a type. An unknown one is told all the same, with one warning for ever."""
        found = EVENT_TYPES.get(name, _UNKNOWN)
        if found is _UNKNOWN:
            self._warn_once(name)
        return found

    def _known(self, types: Iterable[str]) -> frozenset[str]:
        """The same types; for one that nobody ever tells there is a warning."""
        wanted = frozenset(types)
        for name in sorted(wanted - EVENT_TYPES.keys()):
            self._warn_once(name)
        return wanted

    def _warn_once(self, name: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            self._warn(f"{name} is no registered type of event")


def _name_of(function: Callable[..., object]) -> str:
    """As a denial names it: what the program calls it."""
    return str(getattr(function, "__name__", type(function).__name__))
