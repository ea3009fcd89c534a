"""Hooks on the bus: each is told of the events that it names, or asked about those that are gates."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from postroom.domain.bus import EVENT_TYPES, BusEvent, BusKind
from postroom.tools.hooks.asking import TeamOf
from postroom.tools.hooks.bus import Answer, Bus, Unsubscribe
from postroom.tools.hooks.gate import HookFailure
from postroom.tools.hooks.hook import Event, Hook
from postroom.tools.hooks.observer import Observer


@dataclass(frozen=True, slots=True)
class _OfTeam:
    """A hook that hears, and is asked, only of agents of its team."""

    hook: Hook
    team_of: TeamOf

    @property
    def name(self) -> str:
        """As denials, the log and the person read it."""
        return self.hook.name

    async def hear(self, event: Event) -> HookFailure | None:
        """Tell it of an event, if that is of its team."""
        return await self.hook.hear(event) if await self._concerns(event) else None

    async def answer(self, event: BusEvent) -> Answer:
        """Ask it, if the event is of its team."""
        record = event.record()
        if not await self._concerns(record):
            return None
        answer = await self.hook.judge(record)
        return answer if isinstance(answer, HookFailure) else answer.reason

    async def _concerns(self, event: Event) -> bool:
        if not self.hook.team:
            return True
        metadata = event.get("metadata")
        session_id = metadata.get("session_id") if isinstance(metadata, dict) else None
        return await self.team_of(str(session_id or "")) == self.hook.team


class BusHooks:
    """Every hook of a room that is on the bus. Belongs to the room's loop."""

    def __init__(self, bus: Bus, team_of: TeamOf, failed: Callable[[HookFailure], None]) -> None:
        self._bus = bus
        self._team_of = team_of
        self._failed = failed
        self._known: dict[Hook, list[Unsubscribe]] = {}
        self._observers: dict[Hook, Observer] = {}

    def add(self, hook: Hook) -> None:
        """From now on a hook is told and asked what it names. A second time is harmless."""
        if hook in self._known or not hook.types:
            return
        self._known[hook] = []
        asked = {name for name in hook.types if EVENT_TYPES[name].kind is BusKind.GATE}
        if asked:
            self._known[hook].append(self._bus.guard(_OfTeam(hook, self._team_of), asked))
        if told := set(hook.types) - asked:
            self.listen(hook, told)

    def listen(self, hook: Hook, types: Iterable[str]) -> Unsubscribe:
        """Tell a hook of these types, or of all if there are none, at its own speed."""
        observer, count = Observer(_OfTeam(hook, self._team_of), self._failed), itertools.count(1)
        self._observers[hook] = observer
        leave = self._bus.subscribe(lambda event: observer.offer(next(count), event.record()), types)
        self._known.setdefault(hook, []).append(leave)
        return leave

    def drop(self, hook: Hook) -> tuple[Observer, ...]:
        """Tell and ask one hook no more; it comes back if it has not been told everything yet."""
        for unsubscribe in self._known.pop(hook, ()):
            unsubscribe()
        observer = self._observers.pop(hook, None)
        return () if observer is None else (observer,)

    def leave(self) -> tuple[Observer, ...]:
        """Tell and ask nobody more; those who have not been told everything yet."""
        return tuple(observer for hook in tuple(self._known) for observer in self.drop(hook))
