"""Held mail after a kill: nothing entered a mailbox before the person gave the leave that was asked for."""

from collections.abc import Iterator
from typing import TypeAlias

from postroom.domain.ask import AskState
from postroom.domain.event import EventKind
from postroom.testing.crash.finding import Finding, Trouble
from postroom.testing.crash.record import Logged, Record

Kind: TypeAlias = tuple[str, ...]
"""What a leave for the tree is for: root, action, resource, recipient and tool."""


def leave(record: Record) -> Iterator[Finding]:
    """Of every message that was held: the ask for it, its end, and only then its acceptance.

    Leave for the tree is leave for every message of the kind.
    """
    held, asked, allowed = dict[int, int](), dict[int, int](), set[int]()
    kinds, granted = dict[int, Kind](), set[Kind]()
    for event in record.events:
        match event.kind:
            case EventKind.MESSAGE_HELD:
                held[event.num("delivery")] = event.num("message")
            case EventKind.ASK_OPENED if event.num("message"):
                asked[event.num("ask")] = event.num("message")
                kinds[event.num("message")] = _kind(event)
            case EventKind.ASK_ENDED if event.facts.get("state") == AskState.APPROVED:
                allowed.add(asked.get(event.num("ask"), 0))
            case EventKind.GRANT_GIVEN:
                granted.add(_kind(event))
            case EventKind.MESSAGE_ACCEPTED if event.num("delivery") in held:
                message = held[event.num("delivery")]
                if message in kinds and message not in allowed and kinds[message] not in granted:
                    text = f"message {message} was accepted before leave was given"
                    yield Finding(trouble=Trouble.INVALID, text=text)
            case _:
                pass


def _kind(event: Logged) -> Kind:
    return tuple(str(event.facts.get(name)) for name in ("root", "action", "resource", "recipient", "tool"))
