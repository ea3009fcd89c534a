"""`postroom run` where a daemon runs the store: the task is handed to it, and its work is followed from here.

Ctrl-C leaves, and the work goes on: it is the daemon's.
"""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

from postroom.config import Config
from postroom.daemon.line import DoorLine
from postroom.daemon.wire import closed
from postroom.domain.plain import Json
from postroom.errors import StoreInUse
from postroom.frontends.cli.beginning import Beginning
from postroom.frontends.cli.ended import report
from postroom.frontends.cli.exits import Interrupted
from postroom.frontends.cli.last_questions import question_open
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.running import Plan, store_words
from postroom.frontends.cli.teller import Teller
from postroom.frontends.cli.texts import Row, text
from postroom.frontends.cli.watched import There
from postroom.frontends.cli.words import typed
from postroom.observe.views import End
from postroom.profiles.team import is_team_folder


def run_there(asked: Asked, out: Output, config: Config, begins: Beginning, daemon: Row) -> int:
    """Prompt an agent of the daemon and wait until its tree is quiet.

    Raises `StoreInUse` for another team.
    """
    _refuse_other_team(asked, config.store, daemon)
    if asked.texts("tools"):
        out.note("warning: the daemon has tools of its own; those of --tools are not added")
    errand = _Errand(out, config, begins)
    try:
        return asyncio.run(errand.go(_prompt(asked, begins)))
    except KeyboardInterrupt:
        raise errand.left() from None


def _refuse_other_team(asked: Asked, store: Path, daemon: Row) -> None:
    """A daemon has one team for new conversations; one that goes on has its own."""
    named, runs = asked.text_or_none("team"), text(daemon, "team")
    is_here = asked.text_or_none("session") is None and is_team_folder(Path())
    wanted = named or ("." if is_here else None)
    if wanted is None or (runs and Path(wanted).resolve() == Path(runs).resolve()):
        return
    has = f"the team {runs}" if runs else "no team"
    raise StoreInUse(
        f"a daemon runs this store with {has} (pid {text(daemon, 'pid')})",
        remedy=f"end it: {store_words(store, 'down')}; or choose another store with --store",
    )


def _prompt(asked: Asked, begins: Beginning) -> dict[str, Json]:
    session = asked.text_or_none("session")
    given: dict[str, Json] = {
        "text": typed(asked.text("task")), "session": session, "profile": asked.text_or_none("profile"),
        "client_id": asked.text_or_none("client_id"), "mode": begins.mode, "attended": begins.attended,
        "max_tokens": asked.number("max_tokens"), "max_cost_usd": asked.text_or_none("max_cost"),
    }  # fmt: skip
    return given


class _Errand:
    """One task, from the prompt to the answer."""

    def __init__(self, out: Output, config: Config, begins: Beginning) -> None:
        self._out = out
        self._plan = Plan(config=config)
        self._begins = begins
        self._teller = Teller(out, config.store)
        self._session_id = ""

    async def go(self, prompt: Mapping[str, Json]) -> int:
        """Say it, follow it, print how it ended; the exit code."""
        async with AsyncExitStack() as stack:
            door, texts, ends = [await self._line(stack) for _ in range(3)]
            session = prompt.get("session")
            if session is not None and self._begins.changes:
                await door.ask("set_attended", {"session": session, "attended": self._begins.attended})
            said = cast("Row", await door.ask("prompt", prompt))
            self._session_id, branch = text(said, "session_id"), int(text(said, "branch"))
            there = There(self._plan.store, door)
            async with self._teller.following(there, int(text(said, "pos")), branch, self._session_id):
                showing = asyncio.create_task(self._show(texts, branch))
                try:
                    end = await self._end(ends, said)
                finally:
                    showing.cancel()
                    await asyncio.gather(showing, return_exceptions=True)
        return report(self._out, self._plan, end, streamed=self._teller.last_text)

    def left(self) -> Interrupted:
        """What is said when the person leaves before the end."""
        self._teller.end_line()
        if not self._session_id:
            return Interrupted("nothing was said")
        return Interrupted(
            "the daemon goes on with it",
            remedy=f"watch it: {store_words(self._plan.store, 'chat', '--session', self._session_id)}; "
            f"pause it: {store_words(self._plan.store, 'stop', self._session_id)}",
        )

    async def _line(self, stack: AsyncExitStack) -> DoorLine:
        line = await DoorLine.connect(self._plan.store)
        stack.push_async_callback(line.close)
        return line

    async def _show(self, texts: DoorLine, branch: int) -> None:
        """The answer as it streams."""
        async for found in await texts.stream("texts", {"session": self._session_id}):
            piece = cast("Row", found)
            if text(piece, "branch_id") == self._teller.branch_id:
                self._teller.text(branch, text(piece, "text"))

    async def _end(self, ends: DoorLine, said: Row) -> End:
        """How it ended. Raises `QuestionOpen`, `Told`, and `DoorClosed` when the daemon ended before."""
        arguments: dict[str, Json] = {
            "session": self._session_id, "message": said["message"], "branch": said["branch"],
            "attended": self._begins.attended,
        }  # fmt: skip
        async for found in await ends.stream("ending", arguments):
            row = cast("Row", found)
            if isinstance(end := row.get("end"), dict):
                return End(**{key: text(end, key) for key in ("state", "reason", "text", "session_id")})
            asked = row.get("questions")
            raise question_open(
                self._plan.store, [str(one) for one in asked] if isinstance(asked, list) else []
            )
        raise closed()
