"""Plugins and hooks of a room: who is asked about calls, and who is told of events.

The log is followed only while somebody is told of it. Those who look on begin where the room begins,
or where a team is first read, and get nothing again.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Final, cast

from postroom.app.outfit import Outfit
from postroom.app.staff import Staff
from postroom.clock import Clock
from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt, Refusal
from postroom.domain.session import Session
from postroom.errors import Refused, StoreFault
from postroom.observe.event_view import EventView, Names, read_events
from postroom.observe.find import find_session
from postroom.observe.looks import as_json
from postroom.observe.tail import PAGE
from postroom.profiles.hook_settings import HookSettings, PersonHooks
from postroom.service.hooks import PluginText
from postroom.service.office import Office
from postroom.store.sqlite import SqliteStore
from postroom.tools.hooks.asking import HookGate
from postroom.tools.hooks.command import CommandHook
from postroom.tools.hooks.gate import HookFailure
from postroom.tools.hooks.hook import TIMED_OUT, Event, Hook
from postroom.tools.hooks.observer import Observer
from postroom.tools.hooks.plugins import Plugins, find_plugins

CLOSING_S: Final = 5.0
"""Real seconds that observers have, when the room closes, for what they were not told yet."""


class PluginPost:
    """How one plugin writes mail and takes it back."""

    def __init__(self, plugin: str, find: Callable[[str], Awaitable[Session]], office: Office) -> None:
        self.plugin = plugin
        self._find = find
        self._office = office
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    async def send(self, to: str, body: str, *, key: str, mode: str = "steer") -> Receipt:
        """Write to an agent, by session id or handle. Durable on return; the same key writes once.

        Raises `Refused` (`invalid_body`, `idempotency_conflict`, `mailbox_limit`), `NotFound`.
        """
        found = await self._find(to)
        text = PluginText(plugin=self.plugin, body=body, mode=Mode(mode), key=key)
        sent = await self._office.plugin_send(found.active_branch, text)
        if isinstance(sent, Refusal):
            raise Refused(sent.code, to)
        return sent.receipt

    async def recall(self, message_id: str) -> None:
        """Take an own message back that nobody has read. Twice is fine.

        Raises `Refused` (`unknown_reference`, `already_being_read`, `already_ended`).
        """
        done = await self._office.recall(message_id, self.plugin)
        if isinstance(done, Refusal):
            raise Refused(done.code, message_id)

    def send_from_thread(self, to: str, body: str, *, key: str, mode: str = "steer") -> Receipt:
        """`send` for a hook that is no `async` function: those run in threads of their own.

        Raises `RuntimeError` on the room's loop, which it would wait for.
        """
        if threading.get_ident() == self._thread:
            raise RuntimeError("send_from_thread would wait for itself here: await send")
        return asyncio.run_coroutine_threadsafe(self.send(to, body, key=key, mode=mode), self._loop).result()


class Onlookers:
    """Everybody who looks on. `load` first, then `open`; all of it belongs to the room's loop."""

    def __init__(self, outfit: Outfit, clock: Clock, staff: Staff) -> None:
        self.gate = HookGate(self._asked, self._team_of)
        self._outfit = outfit
        self._clock = clock
        self._staff = staff
        self._said = outfit.config.hooks if outfit.config else PersonHooks()
        self._plugins = Plugins()
        self._person: tuple[Hook, ...] = ()
        self._teams: dict[str, tuple[Hook, ...]] = {}
        self._hooks: tuple[Hook, ...] = ()
        self._observers: dict[Hook, Observer] = {}
        self._failures: dict[str, HookFailure] = {}
        self._team_of_session: dict[str, str] = {}
        self._store: SqliteStore
        self._heard = asyncio.Event()
        self._follower: asyncio.Task[None] | None = None
        self._pos = 0
        self._is_open = False

    def load(self) -> None:
        """Find the plugins and hooks. Raises `ConfigFault` for one that cannot be used."""
        self._plugins = find_plugins(self._outfit.plugins, self._said.plugins, self._clock)
        self._person = tuple(self._command(settings, "") for settings in self._said.hooks)

    async def open(self, store: SqliteStore, office: Office, pos: int) -> None:
        """Begin to look on, behind a position of the log; then the plugins hear that the room is open."""
        self._store, self._pos, self._is_open = store, pos, True
        self._look_around()
        self._staff.on_hired = self._look_around

        async def find(reference: str) -> Session:
            return await store.read(find_session, reference)

        for hook in self._plugins.starting:
            said = await hook.call(PluginPost(hook.name, find, office))
            if isinstance(said, HookFailure):
                self._failed(said)

    async def close(self) -> None:
        """Tell what is still to be told, as far as time allows, and end every hook. Idempotent."""
        if not self._is_open:
            return
        self._is_open = False
        self._staff.on_hired = lambda: None
        if self._follower is not None:
            self._heard.set()
            await self._follower
            self._follower = None
        observers, self._observers = tuple(self._observers.values()), {}
        await asyncio.gather(*(self._finish(observer) for observer in observers))
        ending = [asyncio.create_task(hook.call()) for hook in self._plugins.closing]
        if ending:
            await asyncio.wait(ending, timeout=CLOSING_S)
        await asyncio.gather(
            *(hook.close() for hook in (*self._hooks, *self._plugins.starting, *self._plugins.closing))
        )

    async def _finish(self, observer: Observer) -> None:
        if missed := await observer.finish(CLOSING_S):
            what = f"the room closed before it was told of {missed} events"
            self._failed(HookFailure(hook=observer.hook.name, code=TIMED_OUT, what=what))

    def troubles(self) -> tuple[str, ...]:
        """What is odd about the plugins, and the last failure of each hook, in sentences for the person."""
        failed = (f"the hook {name} failed: {one.what}" for name, one in self._failures.items())
        return (*self._plugins.troubles, *failed)

    def _asked(self) -> tuple[Hook, ...]:
        return self._hooks

    def _look_around(self) -> None:
        """Take up the hooks of teams that were read since: theirs first, the person's have the last word."""
        for team in self._staff.teams():
            folder = str(team.path)
            if folder not in self._teams:
                made = (self._command(settings, folder) for settings in team.tooling.hooks)
                self._teams[folder] = tuple(made)
        of_teams = (hook for hooks in self._teams.values() for hook in hooks)
        self._hooks = (*of_teams, *self._plugins.hooks, *self._person)
        for hook in self._hooks:
            if hook.observes and hook not in self._observers:
                self._observers[hook] = Observer(hook, self._failed)
        if self._observers and self._follower is None and self._is_open:
            self._follower = asyncio.get_running_loop().create_task(self._follow())

    def _command(self, settings: HookSettings, team: str) -> CommandHook:
        return CommandHook(settings, team=team, env=self._outfit.environ, clock=self._clock)

    def _failed(self, failure: HookFailure) -> None:
        self._failures[failure.hook] = failure

    async def _follow(self) -> None:
        """Read the log as it grows and hand it out; ends when the room closes and all of it was read."""
        names, self._heard = Names(), self._store.doorbell.listen()
        try:
            while await self._read_on(names):
                pass
        finally:
            self._store.doorbell.leave(self._heard)

    async def _read_on(self, names: Names) -> bool:
        """One page, or a wait for the next commit; `False` when nothing more will come."""
        self._heard.clear()
        try:
            page = await self._store.read(read_events, names, self._pos, PAGE)
            for event in page:
                await self._hand_out(event)
                self._pos = event.pos
        except StoreFault:  # the next commit, or the end of the room, brings the next try
            page = []
        if not page and self._is_open:
            await self._heard.wait()
        return bool(page) or self._is_open

    async def _hand_out(self, event: EventView) -> None:
        shown: Event | None = None
        for observer in tuple(self._observers.values()):
            hook = observer.hook
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
