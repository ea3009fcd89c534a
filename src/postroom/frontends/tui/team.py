"""Every agent with what it does now; from here one goes to its talk, and stops or resumes it."""

import time
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from postroom.frontends.tui.client import Client, place
from postroom.frontends.tui.pane import Pane
from postroom.frontends.tui.rows import one_line
from postroom.observe.board import Board, BoardAgent, BoardRoot

COLUMNS = ("agent", "does now", "unread", "tokens", "cost")
AGENT_CHARS = 28
DOES_CHARS = 30
_SECOND_US = 1_000_000


class TeamPane(Pane):
    """The agents of the newest conversations."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "stop", "Stop"), Binding("r", "resume", "Resume"), Binding("c", "cancel", "Cancel turn"),
    ]  # fmt: skip

    class Chosen(Message):
        """The person wants to see an agent."""

        def __init__(self, address: str) -> None:
            super().__init__()
            self.address = address

    def __init__(self, client: Client) -> None:
        super().__init__(client, id="team-pane")
        self.table: DataTable[Text] = DataTable(cursor_type="row", id="team-table")

    def compose(self) -> ComposeResult:
        """One table."""
        yield self.table

    def on_mount(self) -> None:
        """Name the columns."""
        self.table.add_columns(*COLUMNS)

    async def load(self) -> None:
        """Ask for the board; the cursor stays on its agent."""
        board = await self.client.get("/board", Board)
        chosen = self.chosen()
        self.table.clear()
        for root in board.roots:
            for agent in root.agents:
                self.table.add_row(*cells(root, agent, _now_us()), key=agent.address)
        if chosen is not None and chosen in self.table.rows:
            self.table.move_cursor(row=self.table.get_row_index(chosen))

    def chosen(self) -> str | None:
        """The address of the agent under the cursor."""
        if not self.table.row_count:
            return None
        return self.table.coordinate_to_cell_key(self.table.cursor_coordinate).row_key.value

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter: to its talk."""
        if event.row_key.value is not None:
            self.post_message(self.Chosen(event.row_key.value))

    async def action_stop(self) -> None:
        """Pause it and everything below it."""
        await self._do("stop", "stopped")

    async def action_resume(self) -> None:
        """Lift its pause, or let it go on."""
        await self._do("resume", "resumed")

    async def action_cancel(self) -> None:
        """End its turn, and pause nothing."""
        await self._do("cancel", "its turn was cancelled")

    async def _do(self, deed: str, done: str) -> None:
        if (agent := self.chosen()) is not None:
            await self.attempt(self.client.do(place("agents", agent, deed)), done)


def cells(root: BoardRoot, agent: BoardAgent, now_us: int) -> tuple[Text, ...]:
    """One agent as cells of the table."""
    name = agent.label if not agent.is_root else f"{agent.label} {root.title}"
    asks = f" ?{agent.open_asks}" if agent.open_asks else ""
    does = f"{doing(agent)}{asks}"
    style = {"running": "green", "failed": "red", "paused": "yellow"}.get(agent.state, "")
    return (
        Text(_cut("  " * agent.depth + one_line(name), AGENT_CHARS)),
        Text(_cut(does, DOES_CHARS), style=style),
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
    return f"{agent.unread}, {max(now_us - agent.oldest_unread_us, 0) // _SECOND_US} s"


def _cut(words: str, chars: int) -> str:
    return words if len(words) <= chars else f"{words[: chars - 1]}…"


def _now_us() -> int:
    return time.time_ns() // 1_000
