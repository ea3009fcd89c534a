"""Every agent with what it does now; from here one goes to its talk, and stops or resumes it."""

import time
from collections.abc import Mapping
from typing import ClassVar, TypeAlias

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from postroom.frontends.tui.client import Client, place
from postroom.frontends.tui.listing import Listing
from postroom.frontends.tui.pane import Pane
from postroom.frontends.tui.rows import cut, one_line
from postroom.observe.board import Board, BoardAgent, BoardRoot

COLUMNS = ("agent", "does now", "unread", "tokens", "cost")
AGENT_CELLS = 28
DOES_CELLS = 30
AGE_S = 5.0
"""How often ages are drawn anew."""
Cells: TypeAlias = tuple[Text, ...]
_MORE = "more "
"""How the key of a row begins that stands for the rest of a tree; no address has a blank."""
_SECOND_US = 1_000_000


class TeamPane(Pane):
    """The agents of the newest conversations."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "stop", "Stop"), Binding("r", "resume", "Resume"), Binding("c", "cancel", "Cancel turn"),
        Binding("o", "older", "Older"),
    ]  # fmt: skip

    class Chosen(Message):
        """The person wants to see an agent."""

        def __init__(self, address: str) -> None:
            super().__init__()
            self.address = address

    def __init__(self, client: Client) -> None:
        super().__init__(client, id="team-pane")
        self.table = Listing(cursor_type="row", id="team-table")
        self._roots: list[BoardRoot] = []
        self._rows: dict[str, Cells] = {}
        self._pages = 1
        self._has_older = False
        self._whole: set[str] = set()
        """Conversations of which everybody is shown."""
        self._has_slid = False
        """Another agent is under the cursor than the one that the person had put it on."""

    def compose(self) -> ComposeResult:
        """One table."""
        yield self.table

    def on_mount(self) -> None:
        """Name the columns. What is unread grows older also while nothing happens."""
        for column in COLUMNS:
            self.table.add_column(column, key=column)
        self.set_interval(AGE_S, self._grow_older)

    def entered(self) -> None:
        """Whoever is under the cursor is seen."""
        self._has_slid = False

    async def load(self) -> None:
        """Ask for the board; the cursor stays on its agent."""
        self._roots = await self._ask()
        self._draw()

    def _draw(self) -> None:
        now_us, rows = _now_us(), dict[str, Cells]()
        for root in self._roots:
            rows |= {agent.address: cells(root, agent, now_us) for agent in root.agents}
            if root.hidden:
                rows[f"{_MORE}{root.session_id}"] = _hidden(root)
        if list(rows) == list(self._rows):
            self._redraw(rows)
        else:
            self._replace(rows)
        self._rows = rows

    def _grow_older(self) -> None:
        if any(agent.oldest_unread_us is not None for root in self._roots for agent in root.agents):
            self._draw()

    async def _ask(self) -> list[BoardRoot]:
        """As many pages as the person has asked for, and whole trees where they have."""
        roots, before = dict[str, BoardRoot](), None
        for _ in range(self._pages):
            page = await self.client.get("/board", Board, {"before": before})
            roots |= {root.session_id: root for root in page.roots if root.session_id not in roots}
            before = page.before
            if before is None:
                break
        self._has_older = before is not None
        for session in self._whole & roots.keys():
            page = await self.client.get("/board", Board, {"session": session})
            roots |= {root.session_id: root for root in page.roots}
        return list(roots.values())

    def _redraw(self, rows: Mapping[str, Cells]) -> None:
        """The same agents: only what has changed."""
        for address, row in rows.items():
            for column, cell, before in zip(COLUMNS, row, self._rows[address], strict=True):
                if cell != before:
                    self.table.update_cell(address, column, cell, update_width=True)

    def _replace(self, rows: Mapping[str, Cells]) -> None:
        chosen = self.chosen()
        self.table.clear()
        for address, row in rows.items():
            self.table.add_row(*row, key=address)
        if chosen is None:
            return
        if chosen in rows:
            self.table.move_cursor(row=self.table.get_row_index(chosen))
        else:
            self._has_slid = True

    def chosen(self) -> str | None:
        """The address of the agent under the cursor."""
        if not self.table.row_count:
            return None
        return self.table.coordinate_to_cell_key(self.table.cursor_coordinate).row_key.value

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter: to its talk; or to the rest of a tree."""
        key = event.row_key.value or ""
        if key.startswith(_MORE):
            self._whole.add(key.removeprefix(_MORE))
            self.is_stale = True
        elif key:
            self.post_message(self.Chosen(key))

    def action_older(self) -> None:
        """A page of older conversations more."""
        if self._has_older:
            self._pages += 1
            self.is_stale = True
        else:
            self.notify("these are all conversations")

    def action_stop(self) -> None:
        """Pause it and everything below it."""
        self._do("stop", "stopped")

    def action_resume(self) -> None:
        """Lift its pause, or let it go on."""
        self._do("resume", "resumed")

    def action_cancel(self) -> None:
        """End its turn, and pause nothing."""
        self._do("cancel", "its turn was cancelled")

    def _do(self, deed: str, done: str) -> None:
        agent = self.chosen()
        if agent is None or agent.startswith(_MORE):
            return
        if self._has_slid:
            self._has_slid = False
            self.notify("the agent that was chosen is gone; look, and press it again", severity="warning")
            return
        self.act(
            self.client.do(place("agents", agent, deed)), f"{done}: {self._rows[agent][0].plain.strip()}"
        )


def _hidden(root: BoardRoot) -> Cells:
    return (Text(f"  … {root.hidden} more"), Text("Enter shows them"), Text(), Text(), Text())


def cells(root: BoardRoot, agent: BoardAgent, now_us: int) -> Cells:
    """One agent as cells of the table."""
    name = agent.label if not agent.is_root else f"{agent.label} {root.title}"
    asks = f" ?{agent.open_asks}" if agent.open_asks else ""
    does = f"{doing(agent)}{asks}"
    style = {"running": "green", "failed": "red", "paused": "yellow"}.get(agent.state, "")
    return (
        Text(cut("  " * agent.depth + one_line(name), AGENT_CELLS)),
        Text(cut(does, DOES_CELLS), style=style),
        Text(unread(agent, now_us)),
        Text(f"{agent.input_tokens + agent.output_tokens}", justify="right"),
        Text(f"${agent.cost_micros / 1_000_000:.2f}", justify="right"),
    )  # fmt: skip


def doing(agent: BoardAgent) -> str:
    """What an agent does now, in words."""
    act = agent.doing
    waits_for = ", ".join(one_line(one.label or one.what) for one in act.waits_for)
    match act.kind:
        case "model":
            waits = act.provider_wait
            return (
                f"waits for the provider ({waits.code})"
                if waits
                else f"asks its model, round {act.round + 1}"
            )
        case "tool":
            return f"calls {one_line(act.tool)}" + (f", waits for {waits_for}" if waits_for else "")
        case "wait":
            return f"waits for {waits_for}" if waits_for else "waits"
        case "ask" | "question":
            return "asks you for leave" if act.kind == "ask" else "asks you a question"
        case "slot":
            return "waits for its turn"
        case _:
            return agent.state


def unread(agent: BoardAgent, now_us: int) -> str:
    """How much waits for it, and for how long."""
    if not agent.unread:
        return ""
    if agent.oldest_unread_us is None:
        return str(agent.unread)
    return f"{agent.unread}, {age(now_us - agent.oldest_unread_us)}"


def age(us: int) -> str:
    """How long ago, in the largest unit of which there are two."""
    left = max(us // _SECOND_US, 0)
    for unit, many in (("s", 60), ("min", 60), ("h", 24)):
        if left < 2 * many:
            return f"{left} {unit}"
        left //= many
    return f"{left} d"


def _now_us() -> int:
    return time.time_ns() // 1_000
