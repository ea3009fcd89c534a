"""Plugins and hooks of a room: who is asked about calls, and who is told of events.

The log is followed only while somebody is told of it. Those who look on begin where the room begins,
or where a team is first read, and get nothing again.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from postroom.app.bus_hooks import BusHooks
from postroom.app.follower import LogFollower
from postroom.app.outfit import Outfit
from postroom.app.plugin_post import Ear, PluginPost
from postroom.app.staff import Staff
from postroom.clock import Clock
from postroom.extras import is_installed, missing_extra
from postroom.observe.derived import Told
from postroom.observe.event_view import EventView
from postroom.observe.find import FoundAgent, find_agent, find_session
from postroom.observe.looks import as_json
from postroom.observe.mirror import Mirror
from postroom.profiles.hook_settings import HookSettings, PersonHooks
from postroom.service.office import Office
from postroom.store.sqlite import SqliteStore
from postroom.tools.hooks.asking import HookGate
from postroom.tools.hooks.bus import Bus, Unsubscribe
from postroom.tools.hooks.command import CommandHook
from postroom.tools.hooks.gate import HookFailure
from postroom.tools.hooks.hook import TIMED_OUT, Event, Hook
from postroom.tools.hooks.observer import Observer
from postroom.tools.hooks.plugin import PythonHook
from postroom.tools.hooks.plugins import Plugins, find_plugins

if TYPE_CHECKING:
    from postroom.observe.traces import Traces

CLOSING_S: Final = 5.0
"""Real seconds that observers have, when the room closes, for what they were not told yet."""
WARNINGS_KEPT: Final = 20
"""How many different sentences of the bus are shown to the person: the newest."""


class _OfTeam(NamedTuple):
    """The hooks of a team, and what its files say of them."""

    said: tuple[HookSettings, ...]
    made: tuple[Hook, ...]


class Onlookers:
    """Everybody who looks on. `load` first, then `open`; all of it belongs to the room's loop."""

    def __init__(self, outfit: Outfit, clock: Clock, staff: Staff, new_id: Callable[[], str]) -> None:
        self.bus = Bus(clock, new_id, self._warned)
        self.gate = HookGate(self._asked, self._team_of, self.bus)
        self._on_bus = BusHooks(self.bus, self._team_of, self._failed)
        self._outfit = outfit
        self._clock = clock
        self._staff = staff
        self._said = outfit.config.hooks if outfit.config else PersonHooks()
        self._plugins = Plugins()
        self._person: tuple[Hook, ...] = ()
        self._teams: dict[str, _OfTeam] = {}
        # Of hooks that the files have no more: what they were asked or told before still goes on.
        self._left, self._finishing = list[Hook](), list[Observer]()
        self._hooks: tuple[Hook, ...] = ()
        self._subscribed: list[PythonHook] = []
        self._observers: dict[Hook, Observer] = {}
        self._failures: dict[str, HookFailure] = {}
        # Newest last; changed under the lock, because the mirror and tools warn from threads of their own.
        self._warnings: dict[str, None] = {}
        self._warning = threading.Lock()
        self._team_of_session: dict[str, str] = {}
        self._store: SqliteStore
        self._follower: LogFollower | None = None
        self._mirror: Mirror | None = None
        self._traces: Traces | None = None
        self._pos = 0
        self._is_open = False

    def load(self) -> None:
        """Find the plugins and hooks. Raises `ConfigFault` for one that cannot be used.

        Raises `MissingExtra` where traces are wanted and nothing is installed that could send them.
        """
        config = self._outfit.config
        if config is not None and config.otel.enabled and not is_installed("opentelemetry.sdk"):
            raise missing_extra("[otel] enabled", "otel")
        self._plugins = find_plugins(self._outfit.plugins, self._said.plugins, self._clock)
        self._person = tuple(self._command(settings, "") for settings in self._said.hooks)

    async def open(self, store: SqliteStore, office: Office, pos: int) -> None:
        """Begin to look on, behind a position of the log; then the plugins hear that the room is open."""
        self._store, self._pos, self._is_open = store, pos, True
        self.bus.open()
        self.bus.on_heard = self._begin_to_follow
        self._look_around()
        self._staff.on_hired = self._look_around
        self._begin_mirror(store.folder)
        self._begin_traces()
        self._tell_of_plugins()

        async def find(reference: str) -> FoundAgent:
            return await store.read(find_agent, reference)

        for hook in self._plugins.starting:
            said = await hook.call(PluginPost(hook.name, find, office, self._listen))
            if isinstance(said, HookFailure):
                self._failed(said)

    async def close(self) -> None:
        """Tell what is still to be told, as far as time allows, and end every hook. Idempotent."""
        if not self._is_open:
            return
        self._is_open = False
        self._staff.on_hired = lambda: None
        if self._follower is not None:
            await self._follower.close()
            self._follower = None
        observers = (*self._finishing, *self._observers.values(), *self._on_bus.leave())
        self._observers = {}
        await asyncio.gather(*(self._finish(observer) for observer in observers))
        ending = [asyncio.create_task(hook.call()) for hook in self._plugins.closing]
        if ending:
            await asyncio.wait(ending, timeout=CLOSING_S)
        others = (*self._plugins.starting, *self._plugins.closing, *self._subscribed)
        await asyncio.gather(*(hook.close() for hook in (*self._hooks, *self._left, *others)))
        if self._mirror is not None:
            await self._mirror.close()
        if self._traces is not None:
            await asyncio.to_thread(self._traces.close)  # it may wait for the collector

    async def _finish(self, observer: Observer) -> None:
        if missed := await observer.finish(CLOSING_S):
            what = f"the room closed before it was told of {missed} events"
            self._failed(HookFailure(hook=observer.hook.name, code=TIMED_OUT, what=what))

    def troubles(self) -> tuple[str, ...]:
        """What is odd about the plugins, and the last failure of each hook, in sentences for the person."""
        failed = (f"the hook {name} failed: {one.what}" for name, one in self._failures.items())
        with self._warning:
            return (*self._plugins.troubles, *failed, *self._warnings)

    def _asked(self) -> tuple[Hook, ...]:
        return self._hooks

    def _look_around(self) -> None:
        """Take up the hooks of teams that were read since: theirs first, the person's have the last word."""
        for team in self._staff.teams():
            folder, said = str(team.path), team.tooling.hooks
            known = self._teams.get(folder)
            if known is None or known.said != said:
                made = tuple(self._command(settings, folder) for settings in said)
                self._teams[folder] = _OfTeam(said, made)
                self._dismiss(() if known is None else known.made)
        of_teams = (hook for hooks in self._teams.values() for hook in hooks.made)
        self._hooks = (*of_teams, *self._plugins.hooks, *self._person)
        for hook in self._hooks:
            if hook.observes and hook not in self._observers:
                self._observers[hook] = Observer(hook, self._failed)
            self._on_bus.add(hook)
        self._begin_to_follow()

    def _dismiss(self, hooks: tuple[Hook, ...]) -> None:
        """From now on they are told and asked nothing new."""
        for hook in hooks:
            self._left.append(hook)
            self._finishing += self._on_bus.drop(hook)
            if (observer := self._observers.pop(hook, None)) is not None:
                self._finishing.append(observer)

    def _begin_to_follow(self) -> None:
        """Follow the log as soon as there is somebody to tell."""
        has_ears = bool(self._observers) or self.bus.is_heard
        if has_ears and self._follower is None and self._is_open:
            self._follower = LogFollower(
                self._store, self._pos, wants=self.bus.wants, hand_out=self._hand_out,
                has_watchers=lambda: bool(self._observers),
            )  # fmt: skip

    def _listen(self, plugin: str, handler: Ear, types: tuple[str, ...]) -> Unsubscribe:
        """Tell a function of a plugin of these types of events."""
        hook = PythonHook(handler, self._plugins.treatments[plugin], self._clock, types=types)
        self._subscribed.append(hook)
        return self._on_bus.listen(hook, types)

    def _begin_mirror(self, folder: Path) -> None:
        settings = self._outfit.mirroring
        if settings.enabled:
            self._mirror = Mirror(folder, settings.file_bytes_max, self._warned)
            self.bus.subscribe(self._mirror.put)

    def _begin_traces(self) -> None:
        config = self._outfit.config
        if config is None or not config.otel.enabled:
            return
        from postroom.observe.traces import TYPES, Traces  # noqa: PLC0415 - an extra

        loop = asyncio.get_running_loop()

        def on_lost(warning: str) -> None:  # in a thread of those who send
            with contextlib.suppress(RuntimeError):  # the loop is over, and nobody looks any more
                loop.call_soon_threadsafe(self._lost_traces, warning)

        self._traces = Traces(on_lost)
        self.bus.subscribe(self._traces.put, TYPES)

    def _lost_traces(self, warning: str) -> None:
        self._warned(warning)
        self._outfit.hooks.on_traces_lost(warning)

    def _tell_of_plugins(self) -> None:
        for name in self._plugins.treatments:
            self.bus.emit("plugin.enable", {"plugin": name})
        for name in self._plugins.disabled:
            self.bus.emit("plugin.disable", {"plugin": name})

    def _command(self, settings: HookSettings, team: str) -> CommandHook:
        return CommandHook(settings, team=team, env=self._outfit.environ, clock=self._clock)

    def _failed(self, failure: HookFailure) -> None:
        self._failures[failure.hook] = failure

    def _warned(self, warning: str) -> None:
        """A sentence for the person, from any thread."""
        with self._warning:
            self._warnings.pop(warning, None)
            self._warnings[warning] = None
            if len(self._warnings) > WARNINGS_KEPT:
                del self._warnings[next(iter(self._warnings))]

    async def _hand_out(self, told: Told) -> None:
        if told.view is not None:
            await self._show(told.view)
        for draft in told.drafts:
            self.bus.tell(draft)

    async def _show(self, event: EventView) -> None:
        """An entry of the log to every hook that wants to see such entries."""
        shown: Event | None = None
        for hook, observer in tuple(self._observers.items()):
            if not hook.wants_event(event.kind):
                continue
            if hook.team and hook.team != await self._team_of(event.session_id):
                continue
            shown = shown or cast("Event", as_json(event))
            observer.offer(event.pos, shown)

    async def _team_of(self, session_id: str) -> str:
        """The folder of a session's team; it never changes, so each is read once."""
        if not session_id:
            return ""
        if session_id not in self._team_of_session:
            found = await self._store.read(find_session, session_id)
            self._team_of_session[session_id] = found.team
        return self._team_of_session[session_id]
