"""The demo on a terminal: two tables that change while the agents work."""

import asyncio
from types import TracebackType
from typing import Final, Self

from rich.console import Group
from rich.live import Live
from rich.table import Column, Table
from rich.text import Text

from postroom.frontends.cli.demo_story import Story
from postroom.frontends.cli.output import shown

LETTERS_SHOWN: Final = 20
SPARE_LINES: Final = 5
"""Headers, the gap, and the line of the cursor."""
WIDE_CHARS: Final = 110
"""From this width on every state that a message has had is shown, below it the newest."""
LETTER_COLUMNS: Final = ("#", "from", "", "to", "kind", "state", "text")
SAID_CHARS: Final = 48
DRAW_S: Final = 0.1
"""Between two pictures at the least: each travels over the line, whoever is at its other end."""
_COLOURS: Final = {
    "running": "green",
    "finished": "dim",
    "accepted": "yellow",
    "claimed": "cyan",
    "consumed": "green",
    "failed": "red",
}


class LiveView:
    """Draws a story. Use it as a context; `draw` after each change, however many there are."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._said: dict[str, str] = {}
        self._live = Live(auto_refresh=False)
        self._due: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the last picture standing."""
        if self._due is not None:
            self._due.cancel()
        self._draw()
        self._live.stop()

    def say(self, agent: str, text: str) -> None:
        """An agent's newest words."""
        self._said[agent] = " ".join(text.split())[:SAID_CHARS]

    def draw(self) -> None:
        """Draw it soon."""
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(DRAW_S, self._draw)

    def _draw(self) -> None:
        self._due = None
        self._live.update(Group(self._agents(), "", self._letters()), refresh=True)

    def _agents(self) -> Table:
        table = Table(*_columns("agent", "state", "says"), box=None, pad_edge=False)
        for agent, state in self._story.agents.items():
            table.add_row(agent, _coloured(state), _one_line(self._said.get(agent, ""), "italic"))
        return table

    def _letters(self) -> Table:
        table = Table(*_columns(*LETTER_COLUMNS), box=None, pad_edge=False)
        first = 0 if self._live.console.width >= WIDE_CHARS else -1
        room = self._live.console.height - len(self._story.agents) - SPARE_LINES
        for letter in list(self._story.letters.values())[-max(min(room, LETTERS_SHOWN), 1) :]:
            states = Text(" → ").join(_coloured(state) for state in letter.states[first:])
            text = _one_line(letter.excerpt, "dim")
            table.add_row(str(letter.number), letter.sender, "→", letter.recipient, letter.kind, states, text)
        return table


def _columns(*names: str) -> list[Column]:
    """The last one gives way on a narrow terminal."""
    return [*(Column(name, no_wrap=True) for name in names[:-1]), Column(names[-1])]


def _one_line(text: str, style: str) -> Text:
    return Text(shown(text), style=style, overflow="ellipsis", no_wrap=True)


def _coloured(state: str) -> Text:
    return Text(state, style=_COLOURS.get(state, ""))
