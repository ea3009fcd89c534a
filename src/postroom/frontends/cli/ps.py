"""`postroom ps`: who runs. Typed most of all, also by scripts, so it loads as little as can be.

What it reads a store with is loaded only where no process answers; the figures are in
docs/why/0012-a-command-line-that-starts-quickly.md.
"""

from typing import TYPE_CHECKING, Final

from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.words import counted
from postroom.observe.runner import is_run

if TYPE_CHECKING:
    from postroom.observe.glance import Glance

_IN_A_TURN: Final = frozenset(("running", "suspended"))
_CUT: Final = "; what stands there as running was cut, and goes on or ends when a process opens this store"


def ps(asked: Asked, out: Output) -> int:
    """List the agents."""
    folder, session = store_of(asked), asked.text_or_none("session")
    found = look(folder, "ps", {"session": session}, lambda glance: _agents(glance, session))
    running = is_run(folder)
    if out.as_json:
        out.document({"agents": found, "running": running})
        return 0
    listed = [agent for agent in texts.rows(found) if agent["state"] != "archived"]
    if listed:
        out.table(texts.AGENT_HEADER, [texts.agent_cells(agent) for agent in listed])
    else:
        out.note("there are no agents yet")
    if n_archived := len(texts.rows(found)) - len(listed):
        left_out = counted(n_archived, "archived agent")
        out.note(f"{left_out} left out, see `postroom agents SESSION --archived`")
    if not running:
        was_cut = any(agent["state"] in _IN_A_TURN for agent in listed)
        out.note(f"nothing is running{_CUT if was_cut else ''}")
    return 0


def _agents(glance: "Glance", session: str | None) -> Json:
    if session is None:
        from postroom.observe.agents import agent_rows  # noqa: PLC0415

        return glance.view(agent_rows, None)
    from postroom.observe import looks  # noqa: PLC0415

    return glance.read(looks.agents, session)
