"""What agents ask the person: leave for a call, or a question. Decided here, it is closed everywhere."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from postroom.domain.ask import AskKind
from postroom.domain.plain import Json
from postroom.frontends.cli.texts import clock
from postroom.frontends.tui.client import Client, place
from postroom.frontends.tui.pane import Pane
from postroom.frontends.tui.rows import body, one_line
from postroom.observe.asks import AskView


class AsksPane(Pane):
    """Everything that is open, oldest first."""

    KINDS = ("ask.",)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "approve('once')", "Approve"), Binding("t", "approve('tree')", "For the tree"),
        Binding("d", "deny", "Deny"),
    ]  # fmt: skip

    def __init__(self, client: Client) -> None:
        super().__init__(client, id="asks-pane")
        self.open: dict[str, AskView] = {}

    def compose(self) -> ComposeResult:
        """The list, the one that is chosen, and where one answers it."""
        yield OptionList(id="asks-list", markup=False)
        yield Static("nobody asks you anything", id="asks-one", markup=False)
        yield Input(placeholder="answer, or a reason to deny; Enter answers a question", id="asks-input")

    async def load(self) -> None:
        """Ask for what is open now."""
        views = await self.client.get("/asks", list[AskView])
        chosen = self.chosen()
        self.open = {view.ask_id: view for view in views}
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options([Option(title(view), id=view.ask_id) for view in views])
        if views:
            there = chosen is not None and chosen.ask_id in self.open
            listed.highlighted = listed.get_option_index(chosen.ask_id) if chosen and there else 0
        self._show()

    def chosen(self) -> AskView | None:
        """The one that is decided by a key."""
        listed = self.query_one(OptionList)
        if listed.highlighted is None:
            return None
        return self.open.get(str(listed.get_option_at_index(listed.highlighted).id))

    def on_option_list_option_highlighted(self, _: OptionList.OptionHighlighted) -> None:
        """Another one is chosen."""
        self._show()

    def _show(self) -> None:
        ask = self.chosen()
        self.query_one("#asks-one", Static).update(
            Text("nobody asks you anything") if ask is None else details(ask)
        )

    async def action_approve(self, scope: str) -> None:
        """Give leave for this call, or for this kind of deed in its tree."""
        await self._decide("approve", {"scope": scope}, "approved")

    async def action_deny(self) -> None:
        """Refuse it; what stands in the line is the reason that its agent reads."""
        reason = self.query_one("#asks-input", Input)
        if await self._decide("deny", {"reason": reason.value}, "denied"):
            reason.value = ""

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: answer a question, with an option's number or in one's own words."""
        if event.value.strip() and await self._decide("answer", {"text": event.value}, "answered"):
            event.input.value = ""

    async def _decide(self, deed: str, given: dict[str, Json], done: str) -> bool:
        if (ask := self.chosen()) is None:
            return False
        return await self.attempt(self.client.do(place("asks", ask.ask_id, deed), given), done)


def title(ask: AskView) -> Text:
    """One line of the list."""
    what = one_line(ask.text) if ask.kind == AskKind.QUESTION else one_line(f"{ask.tool} {ask.resource}")
    return Text(f"{clock(ask.requested_us)} {who(ask)} {ask.kind}: {what}")


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
