"""What one plugin is handed when the room opens: how it writes mail, and how it hears of events."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt, Refusal
from postroom.errors import Refused
from postroom.observe.find import FoundAgent
from postroom.service.hooks import PluginText
from postroom.service.office import Office
from postroom.tools.hooks.bus import Unsubscribe
from postroom.tools.hooks.hook import Event

Ear: TypeAlias = Callable[[Event], Awaitable[None] | None]
Listen: TypeAlias = Callable[[str, Ear, tuple[str, ...]], Unsubscribe]
"""Tell a plugin's function of these types of events."""


class PluginPost:
    """How one plugin writes mail and takes it back, and what it hears of."""

    def __init__(
        self, plugin: str, find: Callable[[str], Awaitable[FoundAgent]], office: Office, listen: Listen
    ) -> None:
        self.plugin = plugin
        self._find = find
        self._office = office
        self._listen = listen
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    async def send(self, to: str, body: str, *, key: str, mode: str = "steer") -> Receipt:
        """Write to any agent, named in any way. Durable on return; the same key writes once.

        Raises `Refused` (`invalid_body`, `idempotency_conflict`, `mailbox_limit`), `NotFound`.
        """
        found = await self._find(to)
        text = PluginText(plugin=self.plugin, body=body, mode=Mode(mode), key=key)
        sent = await self._office.plugin_send(found.branch, text)
        if isinstance(sent, Refusal):
            raise Refused(sent.code, to)
        return sent.receipt

    async def recall(self, message_id: str) -> None:
        """Take an own message back that nobody has read. Twice is fine.

        Raises `Refused` (`unknown_reference`, `already_being_read`, `already_ended`).
        """
        outcome = await self._office.recall(message_id, self.plugin)
        if isinstance(outcome, Refusal):
            raise Refused(outcome.code, message_id)

    def send_from_thread(self, to: str, body: str, *, key: str, mode: str = "steer") -> Receipt:
        """`send` for a hook that is no `async` function: those run in threads of their own.

        Raises `RuntimeError` on the room's loop, which it would wait for.
        """
        if threading.get_ident() == self._thread:
            raise RuntimeError("send_from_thread would wait for itself here: await send")
        return asyncio.run_coroutine_threadsafe(self.send(to, body, key=key, mode=mode), self._loop).result()

    def subscribe(self, handler: Ear, types: Iterable[str] = ()) -> Unsubscribe:
        """Tell `handler` of these events of the bus, or of all, from now on; what it returns ends that."""
        wanted = tuple(types)
        if threading.get_ident() == self._thread:
            return self._listen(self.plugin, handler, wanted)

        async def begin() -> Unsubscribe:
            return self._listen(self.plugin, handler, wanted)

        return asyncio.run_coroutine_threadsafe(begin(), self._loop).result()
