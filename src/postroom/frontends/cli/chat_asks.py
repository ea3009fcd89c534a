"""The asks of a conversation's tree on the screen, and the lines that decide them: /approve, /deny, /answer.

An ask is named by the end of its id; where only one is open, it needs no name. A text that is no command
never decides anything.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from postroom.daemon.line import DoorLine
from postroom.daemon.wire import Failure, Told
from postroom.domain.plain import Json
from postroom.frontends.cli import ask_texts
from postroom.frontends.cli.chat_screen import Screen
from postroom.frontends.cli.texts import Row, rows, text
from postroom.rules.naming import TAIL_CHARS

HELP: Final = (
    "/asks lists what waits for you; /approve [ID] [tree] gives leave, once or for the tree",
    "/deny [ID] [reason] refuses it; /answer [ID] TEXT answers a question, of options one or its number",
    "ID is the end of an id as it is shown; it may be left out while only one is open",
    "anything else you type is mail for the agent, and answers no question; for a / in front, type a space",
)
_COMMAND: Final = re.compile(r"/([A-Za-z_]+)(?:\s+(.*))?", re.DOTALL)
"""A path has more than one of them, and is said to the agent."""
_LIKE_AN_ID: Final = re.compile(rf"(?=.*[0-9])(?=.*[a-f])[0-9a-f-]{{{TAIL_CHARS},}}")
"""A mistyped id must not become the reason or the answer of another ask; numbers alone may be an answer."""
_TREE: Final = "tree"


class Asks:
    """What is open in one tree, and what was."""

    def __init__(self, door: DoorLine, screen: Screen) -> None:
        self._door = door
        self._screen = screen
        self._open: dict[str, Row] = {}
        self._seen: dict[str, Row] = {}
        """All that were ever shown here: an id that was shown never becomes a word of a reason."""

    @property
    def any(self) -> bool:
        """Whether something waits for the person."""
        return bool(self._open)

    @property
    def question(self) -> str:
        """The end of the id of an open question; empty when there is none."""
        found = (ask_id for ask_id, ask in self._open.items() if ask_texts.is_question(ask))
        return ask_texts.short_id(next(found, ""))

    async def look(self, session_id: str) -> None:
        """Show what is open and was not shown before."""
        if not session_id:
            return
        found = rows(await self._door.ask("asks", {"session": session_id}))
        self._open = {text(ask, "ask_id"): ask for ask in found}
        for ask_id, ask in self._open.items():
            if ask_id not in self._seen:
                self._seen[ask_id] = ask
                self._screen.record("ask", **ask)
                self._show(ask)

    def end(self, ask_id: str, facts: Mapping[str, Json]) -> None:
        """One has ended."""
        self._open.pop(ask_id, None)
        if ask_id not in self._seen:
            return
        state, by, scope = (str(facts.get(key) or "") for key in ("state", "by", "scope"))
        self._screen.record("ask_ended", ask_id=ask_id, state=state, by=by, scope=scope)
        self._screen.tell(f"{ask_texts.short_id(ask_id)} {ask_texts.ended(facts)}")

    async def do(self, session_id: str, line: str) -> bool:
        """Do what a line says; `False` when it is no command but a text. Raises `Told`."""
        found = _COMMAND.fullmatch(line.rstrip())
        if found is None:
            return False
        await self.look(session_id)
        word, rest = found[1].lower(), (found[2] or "").strip()
        match word:
            case "help":
                for words in HELP:
                    self._screen.tell(words)
            case "asks":
                self._list()
            case "approve":
                await self._approve(rest)
            case "deny":
                ask_id, reason = self._named(rest, question=False)
                await self._decide("deny", ask_id, reason=reason)
            case "answer":
                ask_id, words = self._named(rest, question=True)
                await self._decide("answer_question", ask_id, text=words)
            case _:
                raise _slip(
                    f"there is no command /{word[:40]}", "see /help; with a space in front it is mail"
                )
        return True

    async def _approve(self, rest: str) -> None:
        ask_id, scope = self._named(rest, question=False)
        if scope not in {"", "once", _TREE}:
            raise _slip(f"{scope[:40]!r} is neither the end of an id nor `tree`", "nothing was decided")
        await self._decide("approve", ask_id, scope=scope or "once")

    async def _decide(self, command: str, ask_id: str, **given: Json) -> None:
        await self._door.ask(command, {"ask": ask_id, **given})
        self._open.pop(ask_id, None)  # the event of its end comes later, and the next line may be for another

    def _list(self) -> None:
        self._screen.record("asks", asks=[dict(ask) for ask in self._open.values()])
        for ask in self._open.values():
            self._show(ask)
        if not self._open:
            self._screen.tell("nothing waits for you")

    def _show(self, ask: Row) -> None:
        """Who wants what, what may be answered, and how."""
        short = ask_texts.short_id(text(ask, "ask_id"))
        self._screen.tell(
            " ".join(part for part in (short, ask_texts.wish(ask), ask_texts.until(ask)) if part)
        )
        if text(ask, "text"):
            self._screen.tell(f"  | {ask_texts.shortened(text(ask, 'text'))}")
        for line in ask_texts.option_lines(ask):
            self._screen.tell(f"  {line}")
        how = (
            "/answer {0} TEXT" if ask_texts.is_question(ask) else "/approve {0} [tree], or /deny {0} [reason]"
        )
        self._screen.tell(f"  {how.format(short)}")

    def _named(self, rest: str, *, question: bool) -> tuple[str, str]:
        """The ask that is meant and what else was typed. Raises `Told` where that is not sure."""
        word, _, more = rest.partition(" ")
        shown = [ask_id for ask_id in self._seen if _ends(ask_id, word)]
        meant = [ask_id for ask_id in shown if ask_id in self._open] or shown
        if len(meant) == 1:
            return meant[0], more.strip()
        if meant:
            raise _slip(f"{len(meant)} ids end with {word}", "type more of the one that is meant")
        if _LIKE_AN_ID.fullmatch(word.lower()):
            raise _slip(f"nothing that was asked here ends with {word[:40]}", "/asks lists what is open")
        fitting = [one for one, ask in self._open.items() if ask_texts.is_question(ask) is question]
        if len(fitting) == 1:
            return fitting[0], rest
        what = "questions are open" if question else "agents ask for leave"
        raise _slip(f"{len(fitting) or 'no'} {what}", _remedy(fitting))


def _remedy(fitting: Sequence[str]) -> str:
    return f"name one: {', '.join(map(ask_texts.short_id, fitting))}" if fitting else "nothing was decided"


def _ends(ask_id: str, word: str) -> bool:
    return len(word) >= TAIL_CHARS and ask_id.endswith(word.lower())


def _slip(message: str, remedy: str) -> Told:
    return Told(Failure(code="usage", message=message, remedy=remedy))
