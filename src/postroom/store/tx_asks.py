"""Asks, grants and the rights of a tree: the statements, with their events."""

import json
from dataclasses import dataclass
from typing import NamedTuple

from postroom.domain.ask import Ask, AskKind, AskState, Scope
from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import GrantKey
from postroom.store.tx_log import LogTx


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAsk:
    """The person is about to be asked. `options` is a JSON list of texts."""

    kind: AskKind
    root: int
    session: int
    branch: int
    turn: int
    call: int
    action: str
    resource: str
    recipient: int | None
    tool: str
    text: str
    options: str = "[]"
    due_us: int | None = None
    message: int | None = None
    """The held message that it is asked for."""


class Grant(NamedTuple):
    """What the person has allowed for a tree."""

    key: GrantKey
    action: str
    resource: str
    recipient: int | None
    tool: str


class TreeRights(NamedTuple):
    """How the asks of a tree are decided, the person's rules over it, and whether anybody is there."""

    mode: str
    overlay: str
    attended: int


class AskTx(LogTx):
    """Asks in the store."""

    __slots__ = ()

    def insert_ask(self, new: NewAsk) -> Ask:
        """The person is asked."""
        key = self._insert(
            "insert_ask", self.new_id(), str(new.kind), new.root, new.session, new.branch, new.turn, new.call,
            new.action, new.resource, new.recipient, new.tool, new.text, new.options, self.now_us, new.due_us,
            new.message,
        )  # fmt: skip
        event = {
            "ask": key, "kind": new.kind, "root": new.root, "branch": new.branch, "turn": new.turn,
            "call": new.call, "action": new.action, "resource": new.resource, "recipient": new.recipient,
            "tool": new.tool, "due_us": new.due_us, "message": new.message,
        }  # fmt: skip
        actor = actor_of(new.branch)
        self.event(new.session, EventKind.ASK_OPENED, json.dumps(event), actor=actor, turn=new.turn)
        ask = self.ask_row(key)
        assert ask is not None  # noqa: S101 -- it was inserted two lines ago
        return ask

    def ask_row(self, key: int) -> Ask | None:
        """One ask."""
        return self._find("ask_row", Ask._make, key)

    def ask_by_public_id(self, public_id: str) -> Ask | None:
        """One ask by the id that the person was shown."""
        return self._find("ask_by_public_id", Ask._make, public_id)

    def asks_by_tail(self, tail: str) -> list[Ask]:
        """Asks whose public id ends with these eight characters, newest first."""
        return self._each("asks_by_tail", Ask._make, tail)

    def asks_of_call(self, call: int) -> list[Ask]:
        """Everything that was asked for one call, newest first."""
        return self._each("asks_of_call", Ask._make, call)

    def open_asks_of_turn(self, turn: int) -> list[Ask]:
        """What one turn waits for the person for."""
        return self._each("open_asks_of_turn", Ask._make, turn)

    def ask_of_message(self, message: int, recipient: int) -> Ask | None:
        """What was asked for a held message to one agent; nothing when it only waits behind others."""
        return self._find("ask_of_message", Ask._make, message, recipient)

    def open_asks_of_root(self, root: int) -> list[Ask]:
        """What the agents of one tree ask, oldest first."""
        return self._each("open_asks_of_root", Ask._make, root)

    def open_asks(self) -> list[Ask]:
        """What all agents ask, oldest first."""
        return self._each("open_asks", Ask._make)

    def due_asks(self) -> list[Ask]:
        """Asks whose time is over, oldest first."""
        return self._each("due_asks", Ask._make, self.now_us)

    def next_due_ask(self) -> int | None:
        """When the next ask ends undecided, in microseconds of wall time."""
        return self._value("next_due_ask", int)

    def end_ask(
        self, ask: Ask, state: AskState, by: str, *, scope: Scope | None = None, answer: str = ""
    ) -> bool:
        """The end of an ask, once; `False` when it had ended before. `by` is `person` or what decided."""
        said = str(scope or "")
        if not self._do("end_ask", str(state), by, said, answer, self.now_us, ask.key):
            return False
        event = f'{{"ask":{ask.key},"state":"{state}","by":"{by}","scope":"{said}"}}'
        actor = "person" if by == "person" else "system"
        self.event(ask.session, EventKind.ASK_ENDED, event, actor=actor, turn=ask.turn)
        return True

    def insert_grant(self, ask: Ask) -> GrantKey:
        """The person allows this kind of deed for the whole tree."""
        key = self._insert(
            "insert_grant", ask.root, ask.action, ask.resource, ask.recipient, ask.tool, ask.key, self.now_us
        )
        event = {
            "grant": key, "root": ask.root, "ask": ask.key, "action": ask.action, "resource": ask.resource,
            "recipient": ask.recipient, "tool": ask.tool,
        }  # fmt: skip
        self.event(ask.root, EventKind.GRANT_GIVEN, json.dumps(event), actor="person")
        return GrantKey(key)

    def live_grants(self, root: int) -> list[Grant]:
        """What the person has allowed for one tree."""
        return self._each("live_grants", Grant._make, root)

    def revoke_grant(self, root: int, grant: GrantKey) -> None:
        """One grant holds no longer."""
        if self._do("revoke_grant", self.now_us, grant):
            self.event(root, EventKind.GRANT_REVOKED, f'{{"grant":{grant}}}', actor="person")

    def tree_rights(self, root: int) -> TreeRights:
        """The rights of a tree, kept at its root session."""
        return TreeRights._make(self._one("tree_rights", root) or ("ask", "[]", 1))

    def set_mode(self, root: int, mode: str) -> None:
        """Who decides the asks of a tree from now on; open ones stay as they are."""
        self._do("set_mode", str(mode), root)
        event = f'{{"session":{root},"mode":"{mode}"}}'
        self.event(root, EventKind.MODE_CHANGED, event, actor="person")

    def set_attended(self, root: int, *, attended: bool) -> None:
        """Whether somebody is there to answer the questions of a tree from now on."""
        self._do("set_attended", int(attended), root)
        event = f'{{"session":{root},"attended":{int(attended)}}}'
        self.event(root, EventKind.ATTENDED_CHANGED, event, actor="person")

    def set_overlay(self, root: int, overlay: str) -> None:
        """The person's rules over a tree."""
        self._do("set_overlay", overlay, root)
        event = f'{{"session":{root},"overlay":{overlay}}}'
        self.event(root, EventKind.OVERLAY_CHANGED, event, actor="person")

    def newest_text_of_person(self, branch: int, root: int) -> str:
        """What the person alone wrote last, to an agent or to the root of its tree; empty if nothing."""
        return self._text("newest_text_of_person", branch, root)

    def request_of_turn(self, turn: int, branch: int) -> list[str]:
        """What the person has asked for in a turn of an agent, oldest first; nothing else counts (G10)."""
        return self._values("request_of_turn", str, turn, branch, turn)
