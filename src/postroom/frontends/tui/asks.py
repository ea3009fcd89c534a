"""What agents ask the person: leave for a call, or a question. Decided here, it is closed everywhere."""

from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from postroom.domain.ask import AskKind
from postroom.domain.plain import Json
from postroom.frontends.cli.texts import clock
from postroom.frontends.tui.client import Client, place
from postroom.frontends.tui.pane import Pane
from postroom.frontends.tui.rows import body, one_line
from postroom.frontends.tui.walled import Walled
from postroom.observe.asks import AskView

NOBODY: Final = "nobody asks you anything"
CHOOSE: Final = "choose one with the arrow keys"


class AsksPane(Pane):
    """Everything that is open, oldest first.

    A key decides the ask whose whole text is shown, and no other: when that one is gone, nothing is chosen
    until the person chooses again.
    """

    KINDS = ("ask.",)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "approve('once')", "Approve"), Binding("t", "approve('tree')", "For the tree"),
        Binding("d", "deny", "Deny"),
    ]  # fmt: skip

    def __init__(self, client: Client) -> None:
        super().__init__(client, id="asks-pane")
        self.open: dict[str, AskView] = {}
        self._seen: AskView | None = None
        self._listed = OptionList(id="asks-list", markup=False)
        self._scroll = VerticalScroll(id="asks-text", can_focus=True)
        self._text = Static(NOBODY, id="asks-one", markup=False)
        self._line = Input(
            placeholder="answer, or a reason to deny; Enter answers a question", id="asks-input"
        )

    def compose(self) -> ComposeResult:
        """The list, the one that is chosen, and where one answers it."""
        yield self._listed
        with self._scroll:
            yield self._text
        yield self._line

    def entered(self) -> None:
        """The oldest is chosen, if none is."""
        listed = self._listed
        if listed.highlighted is None and listed.option_count:
            listed.highlighted = 0

    async def load(self) -> None:
        """Ask for what is open now."""
        views = await self.client.get("/asks", list[AskView])
        listed = self._listed
        chosen = None
        if listed.highlighted is not None:
            chosen = listed.get_option_at_index(listed.highlighted).id
        self.open = {view.ask_id: view for view in views}
        listed.clear_options()
        listed.add_options([Option(title(view), id=view.ask_id) for view in views])
        listed.highlighted = listed.get_option_index(chosen) if chosen in self.open else None
        self._show()

    def chosen(self) -> AskView | None:
        """The one that is decided by a key: its text is on the screen, and it is open."""
        return self._seen if self._seen is not None and self._seen.ask_id in self.open else None

    def on_option_list_option_highlighted(self, _: OptionList.OptionHighlighted) -> None:
        """Another one is chosen."""
        self._show()

    def _show(self) -> None:
        listed = self._listed
        at = listed.highlighted
        ask = None if at is None else self.open.get(str(listed.get_option_at_index(at).id))
        is_other = ask != self._seen
        self._seen = ask
        nothing = f"{CHOOSE}: {len(self.open)} open" if self.open else NOBODY
        self._text.update(Walled(Text(nothing) if ask is None else details(ask)))
        if is_other:
            self._scroll.scroll_home(animate=False)

    def action_approve(self, scope: str) -> None:
        """Give leave for this call, or for this kind of deed in its tree."""
        self._decide("approve", {"scope": scope}, "approved")

    def action_deny(self) -> None:
        """Refuse it; what stands in the line is the reason that its agent reads."""
        reason = self._line.value
        self._decide("deny", {"reason": reason}, "denied", said=(self._line, reason))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: answer a question, with an option's number or in one's own words."""
        if event.value.strip():
            self._decide("answer", {"text": event.value}, "answered", said=(event.input, event.value))

    def _decide(
        self, deed: str, given: dict[str, Json], done: str, *, said: tuple[Input, str] | None = None
    ) -> None:
        if (ask := self.chosen()) is None:
            self.notify(CHOOSE if self.open else NOBODY, severity="warning")
            return
        self.act(
            self.client.do(place("asks", ask.ask_id, deed), given), f"{done}: {one_line(who(ask))}", said=said
        )


def title(ask: AskView) -> Text:
    """One line of the list."""
    what = one_line(ask.text) if ask.kind == AskKind.QUESTION else one_line(f"{ask.tool} {ask.resource}")
    return Text(f"{clock(ask.requested_us)} {who(ask)} {ask.kind}: {what}", no_wrap=True, overflow="ellipsis")


def who(ask: AskView) -> str:
    """The agent that asks: by its handle or name; one that has neither by its profile."""
    return one_line(ask.profile if ask.agent == ask.session_id else f"{ask.agent} ({ask.profile})")


def details(ask: AskView) -> Text:
    """All that one decides by. Nothing in it is markup, and none of its lines can pass for one of ours."""
    to = f" to {one_line(ask.to)}" if ask.to else ""
    due = f", until {clock(ask.due_us)}" if ask.due_us is not None else ""
    wants = "asks you" if ask.kind == AskKind.QUESTION else f"asks for leave: {ask.action} {ask.resource}{to}"
    head = Text(one_line(f"{who(ask)} {wants}")).append(due)
    head.append_text(body(ask.text))
    for number, option in enumerate(ask.options, start=1):
        head.append(f"\n  {number}. {one_line(option)}")
    return head
