"""What a plugin in Python may implement. Each hook may be a function or an `async` function.

A plugin needs nothing of Postroom: `pluggy.HookimplMarker("postroom")` marks its hooks. It may have
attributes `name`, `timeout_s` (2) and `on_failure` (`"allow"` or `"deny"`).
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Protocol, TypeAlias

from pluggy import HookimplMarker, HookspecMarker

from postroom.domain.plain import Json
from postroom.domain.receipt import Receipt
from postroom.tools.hooks.gate import GatedCall
from postroom.tools.hooks.hook import Event

PROJECT = "postroom"
hookspec = HookspecMarker(PROJECT)
hookimpl = HookimplMarker(PROJECT)
Said: TypeAlias = str | Mapping[str, Json] | None
"""`None`: the call may be made; a text: it may not, and why; a mapping: with these arguments instead."""


class Post(Protocol):
    """How a plugin writes mail. It writes as itself, never as the person or an agent."""

    @property
    def plugin(self) -> str:
        """The plugin's name, which the recipient reads."""
        ...

    async def send(self, to: str, body: str, *, key: str, mode: str = "steer") -> Receipt:
        """Write to any agent, named in any way. Durable on return; the same key writes once.

        Raises `Refused` (`invalid_body`, `idempotency_conflict`, `mailbox_limit`), `NotFound`.
        """
        ...

    async def recall(self, message_id: str) -> None:
        """Take an own message back that nobody has read. Twice is fine.

        Raises `Refused` (`unknown_reference`, `already_being_read`, `already_ended`).
        """
        ...

    def send_from_thread(self, to: str, body: str, *, key: str, mode: str = "steer") -> Receipt:
        """`send` for a hook that is no `async` function: those run in threads of their own."""
        ...

    def subscribe(
        self, handler: Callable[[Event], Awaitable[None] | None], types: Iterable[str] = ()
    ) -> Callable[[], None]:
        """Tell `handler` of these events of the bus, or of all; what it returns ends that.

        In order, at the handler's own speed, with the plugin's time for each; safe in any thread.
        """
        ...


class Specs:
    """The hooks of a plugin."""

    @hookspec
    def postroom_started(self, post: Post) -> Awaitable[None] | None:
        """The room is open; `post` writes mail for as long as it is."""

    @hookspec
    def postroom_event(self, event: Event) -> Awaitable[None] | None:
        """Something has happened and is durable. In order; a `gap` says that some were missed."""

    @hookspec
    def postroom_before_call(self, call: GatedCall) -> Awaitable[Said] | Said:
        """A call is about to be made: let it, say why not, or give other arguments."""

    @hookspec
    def postroom_before_stop(self, event: Event) -> Awaitable[str | None] | str | None:
        """A turn is about to end well: let it, or say what is still to be done. It goes on with that."""

    @hookspec
    def postroom_closing(self) -> Awaitable[None] | None:
        """The room closes: end what was begun."""
