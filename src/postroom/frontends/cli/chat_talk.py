"""One conversation: lines from the person, events and streamed text from the process that runs the store.

Everything that happens goes through one queue and is handled in order, so nothing here is shared between
tasks. The process may be this one: it is spoken to through its door all the same.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from postroom.daemon.line import DoorLine
from postroom.daemon.wire import Failure, Told, closed, failure_of
from postroom.domain.event import EventKind
from postroom.domain.plain import Json
from postroom.domain.turn import OPEN_STATES
from postroom.errors import Fault
from postroom.frontends.cli.beginning import PRESENT, Beginning
from postroom.frontends.cli.chat_asks import Asks
from postroom.frontends.cli.chat_screen import Screen
from postroom.frontends.cli.exits import DONE, INTERRUPTED, exit_code_of
from postroom.frontends.cli.last_questions import question_open
from postroom.frontends.cli.notices import landed_key, landed_words, notice_key, notice_words
from postroom.frontends.cli.teller import BETWEEN_AGENTS
from postroom.frontends.cli.texts import Row, address, rows, text
from postroom.rules.text import scrub
from postroom.runtime.scheduler import STOP_GRACE_S

Kind: TypeAlias = Literal["line", "end", "stop", "text", "event", "note", "gone", "fault"]
Happening: TypeAlias = tuple[Kind, Json | Fault]
Happenings: TypeAlias = asyncio.Queue[Happening]
_MAY_END: Final = frozenset(
    (EventKind.TURN_ENDED, EventKind.TASK_ENDED, EventKind.BRANCH_PAUSED, EventKind.WORK_ENDED)
)
_ASKS: Final = frozenset((EventKind.ASK_OPENED, EventKind.ASK_ENDED))
_BY_HAND: Final = frozenset(("stopped", "cancelled"))
_ROUNDS_KEPT: Final = 16
_LEAVE: Final = "Ctrl-C again leaves"
_STOPPED: Final = f"stopped, your next words go on with it; a tool at work has {STOP_GRACE_S:.0f} s to end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Whom the person wants to talk to."""

    session: str | None
    profile: str | None
    begins: Beginning = PRESENT
    """How a new conversation begins, and whether somebody is there."""


class Talk:
    """A conversation with one agent and the tree below it."""

    def __init__(
        self, door: DoorLine, screen: Screen, wish: Wish, happenings: Happenings, *, is_interactive: bool
    ) -> None:
        self.session_id = ""
        self._to = ""
        """What means the agent that is talked to: the id or handle of its session, or `SESSION:BRANCH`."""
        self._branch_id = ""
        self._happenings = happenings
        self._door = door
        self._screen = screen
        self._wish = wish
        self._is_interactive = is_interactive
        self._waiting: deque[str] = deque()
        self._has_ended = False
        self._is_warned = False
        self._is_busy = False
        self._asks = Asks(door, screen)
        self._pos = 0
        self._rests_at: int | None = None
        """Where the log stood when nobody worked any more; what was said before may still be on its way."""
        self._works: set[str] = set()
        self._tree: set[str] = set()
        self._strangers: set[str] = set()
        # By (turn, round): what was streamed of it, and in which attempt.
        self._said: dict[tuple[str, int], tuple[int, str]] = {}
        self._whole: deque[tuple[str, int]] = deque(maxlen=_ROUNDS_KEPT)
        self._exit_code = DONE

    async def go(self) -> int:
        """Talk until the person leaves; the exit code. Raises `DoorClosed` when the process has ended."""
        if self._wish.session is not None:
            await self._join(self._wish.session)
        self._screen.ready()
        while True:
            kind, what = await self._happenings.get()
            if await self._handle(kind, what):
                return DONE if self._is_interactive else self._exit_code

    async def _handle(self, kind: str, what: Json | Fault) -> bool:
        """Whether the person has left."""
        match kind:
            case "line":
                self._waiting.extend(() if self._has_ended else (str(what),))
            case "end":
                self._has_ended = True
            case "stop":
                return await self._stop()
            case "text" if isinstance(what, dict):
                self._text(what)
            case "event" if isinstance(what, dict):
                self._pos = int(text(what, "pos"))
                await self._event(what)
                await self._catch_up()
            case "note":
                self._screen.note(str(what))
            case "fault" if isinstance(what, Fault):
                raise what
            case _:
                raise closed()
        return await self._speak()

    async def _speak(self) -> bool:
        """Say what waits to be said. A person interrupts; a file waits until the agents are done."""
        while self._waiting and (
            self._is_interactive or not self._is_busy or self._decides(self._waiting[0])
        ):
            await self._say(self._waiting.popleft())
        is_at_rest = not self._is_busy and not self._works
        return self._has_ended and (self._is_interactive or is_at_rest or await self._is_only_asked())

    async def _is_only_asked(self) -> bool:
        """A file has ended, nobody else is there, and only a question keeps its agents from ending.

        What the file has still to say is kept as mail, or is the answer.
        """
        if self._wish.begins.attended or not self._asks.question:
            return False
        left = await self._last_questions()
        if left and self._waiting:
            while self._waiting:
                await self._say(self._waiting.popleft())
            left = await self._last_questions()
        if not left:
            return False
        status = await self._door.ask("status", {})
        assert isinstance(status, dict)  # noqa: S101 -- the door answers with an object
        fault = question_open(Path(text(status, "store")), [text(ask, "ask_id") for ask in left])
        self._screen.fail(failure_of(fault))
        self._exit_code = exit_code_of(fault.code)
        return True

    async def _last_questions(self) -> list[Row]:
        return rows(await self._door.ask("last_questions", {"session": self.session_id}))

    def _decides(self, line: str) -> bool:
        """A file's next line may be what its agents wait for."""
        return line.startswith("/") and self._asks.any

    async def _say(self, words: str) -> None:
        self._is_warned = False
        self._screen.heard()
        try:
            if not words.strip() or await self._asks.do(self.session_id, words):
                self._screen.ready()
                return
            await self._mail(words)
        except Told as told:
            self._screen.fail(told.failure)
            self._exit_code = exit_code_of(told.failure.code)
            self._screen.ready()
            return
        self._is_busy = True

    async def _mail(self, words: str) -> None:
        if not self.session_id:
            await self._begin(words)
            return
        await self._door.ask("send", {"to": self._to, "body": words})
        if question := self._asks.question:
            self._screen.tell(
                f"that was mail and answers nothing; the question is open: /answer {question} TEXT"
            )
            self._screen.ready()

    async def _begin(self, words: str) -> None:
        begins = self._wish.begins
        said = await self._door.ask("prompt", {
            "text": words, "profile": self._wish.profile, "mode": begins.mode, "attended": begins.attended,
        })  # fmt: skip
        assert isinstance(said, dict)  # noqa: S101 -- a prompt answers with an object
        await self._find(text(said, "session_id"))
        self._tree.add(self.session_id)
        self._screen.record("session", session_id=self.session_id)

    async def _find(self, reference: str) -> None:
        """Talk to this agent from now on."""
        found = await self._door.ask("find", {"session": reference})
        assert isinstance(found, dict)  # noqa: S101 -- the door answers with an object
        self.session_id, self._branch_id = text(found, "session_id"), text(found, "branch_id")
        self._to = text(found, "address")

    async def _join(self, reference: str) -> None:
        await self._find(reference)
        await self._door.ask("open", {"session": reference})
        for agent in rows(await self._door.ask("ps", {"session": reference})):
            self._tree.add(text(agent, "session_id"))
            if text(agent, "branch_id") == self._branch_id:
                self._screen.note(f"{address(agent)} {text(agent, 'state')}: {text(agent, 'title')}")
        self._screen.record("session", session_id=self.session_id)
        if (begins := self._wish.begins).changes:
            arguments: dict[str, Json] = {"session": self.session_id, "attended": begins.attended}
            await self._door.ask("set_attended", arguments)
        await self._asks.look(self.session_id)
        await self._look()

    async def _stop(self) -> bool:
        """The first Ctrl-C stops what runs, the next one without a word between them leaves.

        A file that talks says nothing more after the first.
        """
        if not self._is_interactive:
            self._has_ended, self._exit_code = True, INTERRUPTED
            self._waiting.clear()
        if self._is_warned:
            return True
        self._is_warned = True
        try:
            if self._is_busy:
                await self._door.ask("stop", {"session": self._to})
        except Told as told:  # it has ended by itself just now
            self._screen.note(told.failure.describe())
        self._screen.note(f"{_STOPPED}; {_LEAVE}" if self._is_busy else _LEAVE)
        return self._has_ended and not self._is_busy

    def _text(self, piece: Row) -> None:
        """Some streamed text. A new attempt begins the answer anew."""
        turn_id, round_, attempt = (text(piece, key) for key in ("turn_id", "round", "attempt"))
        key = (turn_id, int(round_))
        if text(piece, "branch_id") != self._branch_id or key in self._whole:
            return
        before, said = self._said.get(key, (int(attempt), ""))
        if before != int(attempt):
            self._screen.end_line()
            self._screen.note("begins its answer again")
            said = ""
        self._said[key] = (int(attempt), said + text(piece, "text"))
        self._screen.piece(*key, text(piece, "text"))

    async def _event(self, event: Row) -> None:
        if not await self._is_ours(text(event, "session_id")):
            return
        kind, facts = text(event, "kind"), event.get("facts")
        known = facts if isinstance(facts, dict) else {}
        await self._notified(kind, event, known)
        if kind == EventKind.ANSWER_COMMITTED and text(event, "branch_id") == self._branch_id:
            await self._answered(known)
        elif kind == EventKind.MESSAGE_ACCEPTED and known.get("kind") in BETWEEN_AGENTS:
            await self._mailed(kind, event, known)
        elif kind == EventKind.MESSAGE_REFUSED:
            self._screen.note(f"{text(event, 'agent')} was refused: {known.get('code')}")
        elif kind == EventKind.TURN_ENDED:
            self._turn_ended(event, known)
        elif kind in _ASKS:
            await self._asked(kind, text(event, "ask_id"), known)
        self._count_works(kind, text(known, "producer"))
        if kind in _MAY_END:
            await self._look()

    async def _mailed(self, kind: str, event: Row, facts: Mapping[str, Json]) -> None:
        """Who writes to whom; what is said on a bus in its words, where it lands."""
        key, words = landed_key(kind, facts), ""
        if key is not None:
            words = landed_words(await self._door.ask("landed", {"message": key[0], "branch": key[1]}))
        self._screen.mail(event, words)

    async def _notified(self, kind: str, event: Row, facts: Mapping[str, Json]) -> None:
        if words := notice_words(kind, text(event, "agent"), facts):
            self._screen.note(words)
        if (key := notice_key(kind, facts)) is not None:
            self._screen.read_out(str(await self._door.ask("notice", {"notice": key})))

    async def _asked(self, kind: str, ask_id: str, facts: Mapping[str, Json]) -> None:
        """The person is asked, or an ask is over."""
        if kind == EventKind.ASK_ENDED:
            self._asks.end(ask_id, facts)
            return
        await self._asks.look(self.session_id)
        self._screen.ready()

    def _count_works(self, kind: str, producer: str) -> None:
        """What goes on in the background brings the agent its end as a message."""
        if kind == EventKind.WORK_BEGAN:
            self._works.add(producer)
        elif kind == EventKind.WORK_ENDED:
            self._works.discard(producer)

    async def _answered(self, facts: Mapping[str, Json]) -> None:
        """An answer is durable: show what of it was not streamed, and what it calls."""
        answer = await self._door.ask("answer", {"turn": facts.get("turn"), "round": facts.get("round")})
        assert isinstance(answer, dict)  # noqa: S101 -- the door answers with an object
        key, whole = (text(answer, "turn_id"), int(text(answer, "round"))), text(answer, "text")
        _, streamed = self._said.pop(key, (0, ""))
        said = scrub(streamed)
        if not whole.startswith(said):
            self._screen.end_line()
            said = ""
        if len(whole) > len(said):
            self._screen.piece(*key, whole[len(said) :])
        self._screen.end_line()
        self._whole.append(key)
        for call in rows(answer.get("calls")):
            self._screen.call(text(call, "tool"), text(call, "arguments"))

    def _turn_ended(self, event: Row, facts: Mapping[str, Json]) -> None:
        state, reason = str(facts.get("state")), str(facts.get("end_reason") or "")
        if text(event, "branch_id") != self._branch_id:
            if state == "failed":
                self._screen.note(f"{text(event, 'agent')} failed: {reason}")
            return
        self._said.clear()
        self._screen.record("ended", state=state, reason=reason)
        code, _, cause = reason.partition(": ")
        if self._exit_code != INTERRUPTED:
            self._exit_code = DONE if reason == "answered" else exit_code_of(code)
        if state in _BY_HAND:
            self._screen.note(f"its turn was {state}")
        elif reason != "answered":
            self._screen.fail(
                Failure(code=code, message=cause or f"the turn ended {state} without an answer")
            )

    async def _is_ours(self, session_id: str) -> bool:
        """Whether an agent belongs to this conversation; others may work in the same store."""
        if session_id in self._tree or not self.session_id:
            return session_id in self._tree
        if session_id not in self._strangers:
            await self._read_tree()
            if session_id not in self._tree:
                self._strangers.add(session_id)
        return session_id in self._tree

    async def _look(self) -> None:
        """See whether anybody still works; the person may speak when nobody does."""
        agents = await self._read_tree()
        is_busy = any(text(agent, "state") in OPEN_STATES for agent in agents)
        if is_busy or not self._is_busy:
            self._is_busy = is_busy
            return
        status = await self._door.ask("status", {})
        self._rests_at = int(text(status, "pos")) if isinstance(status, dict) else self._pos
        await self._catch_up()

    async def _catch_up(self) -> None:
        """Nobody works, and all that they did has been told: the person may speak."""
        if self._rests_at is None or self._pos < self._rests_at:
            return
        self._rests_at, agents = None, await self._read_tree()
        if self._is_busy and not any(text(agent, "state") in OPEN_STATES for agent in agents):
            self._is_busy = False
            self._screen.ready()

    async def _read_tree(self) -> list[Row]:
        if not self.session_id:
            return []
        agents = rows(await self._door.ask("ps", {"session": self.session_id}))
        self._tree.update(text(agent, "session_id") for agent in agents)
        return agents


async def listen(happenings: Happenings, line: DoorLine, command: str, arguments: Mapping[str, Json]) -> None:
    """Hand a stream of the door on, until the process ends."""
    kind: Kind = "text" if command == "texts" else "event"
    try:
        async for found in await line.stream(command, arguments):
            happenings.put_nowait((kind, found))
    except Fault as fault:
        happenings.put_nowait(("fault", fault))
    else:
        happenings.put_nowait(("gone", None))
