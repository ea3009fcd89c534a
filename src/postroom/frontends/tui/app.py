"""The terminal as a whole: four views over one stream, and whether what one sees is live."""

from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.widgets import Footer, Input, Static, TabbedContent, TabPane

from postroom.daemon.wire import DoorClosed
from postroom.frontends.tui.asks import AsksPane
from postroom.frontends.tui.client import Client
from postroom.frontends.tui.feed import Ears, Feed, State
from postroom.frontends.tui.mail import MailPane
from postroom.frontends.tui.pane import Event, Pane
from postroom.frontends.tui.rows import one_line
from postroom.frontends.tui.talk import TalkPane
from postroom.frontends.tui.team import TeamPane

FRESHEN_S = 0.25
"""How often views that are stale are asked anew, at most."""

ASKS = "F4 Asks"


class PostroomTerminal(App[None]):
    """The terminal user interface of one daemon."""

    TITLE = "Postroom"
    CSS_PATH = Path(__file__).parent / "terminal.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "view('team')", show=False), Binding("f2", "view('talk')", show=False),
        Binding("f3", "view('mail')", show=False), Binding("f4", "view('asks')", show=False),
        Binding("ctrl+q", "quit", "Quit"),
    ]  # fmt: skip

    def __init__(
        self, client: Client, *, agent: str = "", back_off_s: tuple[float, ...] | None = None
    ) -> None:
        super().__init__()
        self._client = client
        self._agent = agent
        self._is_reachable = True
        self._count = 0
        self._line = Static("connecting", id="state", markup=False)
        self._views = TabbedContent(initial="talk" if agent else "team")
        ears = Ears(on_state=self._state, on_event=self._event, on_text=self._text, on_reset=self._all_stale)
        self.feed = Feed(client, ears) if back_off_s is None else Feed(client, ears, back_off_s=back_off_s)
        self.team = TeamPane(client)
        self.talk = TalkPane(client)
        self.mail = MailPane(client)
        self.asks = AsksPane(client)
        self._panes: tuple[Pane, ...] = (self.team, self.talk, self.mail, self.asks)

    def compose(self) -> ComposeResult:
        """The state line, the views, the keys."""
        yield self._line
        with self._views:
            with TabPane("F1 Team", id="team"):
                yield self.team
            with TabPane("F2 Talk", id="talk"):
                yield self.talk
            with TabPane("F3 Mail", id="mail"):
                yield self.mail
            with TabPane(ASKS, id="asks"):
                yield self.asks
        yield Footer()

    def on_mount(self) -> None:
        """Begin to listen. Nothing moves by itself: over a slow line that would cost more than it shows."""
        self.animation_level = "none"
        for line in self.query(Input):
            line.cursor_blink = False
        self.talk.show(self._agent)
        self.run_worker(self.feed.run(), name="feed", exit_on_error=True)
        self.set_interval(FRESHEN_S, self.freshen)
        self.action_view("talk" if self._agent else "team")

    async def freshen(self) -> None:
        """What is shown, and the asks, whose number is always shown. A daemon that is away is not asked."""
        if not self._is_reachable:
            return
        try:
            await self.asks.freshen()
            if (shown := self._shown()) is not self.asks:
                await shown.freshen()
        except DoorClosed:
            self._is_reachable = False  # until the stream is tried again; the first line tells of it
        self._show_count()

    def action_view(self, name: str) -> None:
        """To another view; its keys work at once."""
        self._views.active = name
        place = "#talk-input" if name == "talk" else f"#{name}-pane DataTable, #{name}-pane OptionList"
        self.query(place).first().focus()
        self._shown().entered()

    def on_team_pane_chosen(self, event: TeamPane.Chosen) -> None:
        """From the team to the talk of one agent."""
        self.talk.show(event.address)
        self.action_view("talk")

    def _shown(self) -> Pane:
        active = self._views.active
        return next(pane for pane in self._panes if pane.id == f"{active}-pane")

    def _state(self, state: State, why: str) -> None:
        self._is_reachable = state != "NOT live"
        marks = {"live": "●", "NOT live": "▲"}
        self._line.update(one_line(f"Postroom {marks.get(state, '◌')} {state}{': ' if why else ''}{why}"))
        self._line.set_class(state == "NOT live", "lost")

    def _show_count(self) -> None:
        """Only when it has changed: each new label is drawn, and travels over the line."""
        if (n := len(self.asks.open)) == self._count:
            return
        self._count = n
        with suppress(NoMatches):  # the person leaves just now
            self._views.get_tab("asks").label = f"{ASKS} ({n})" if n else ASKS

    def _event(self, event: Event) -> None:
        for pane in self._panes:
            pane.heard(event)

    def _text(self, piece: Event) -> None:
        self.talk.streamed(piece)

    def _all_stale(self) -> None:
        for pane in self._panes:
            pane.is_stale = True
