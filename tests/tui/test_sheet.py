"""The rows of a talk on the screen: one unbroken piece of the conversation, in its order, within bounds."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text
from textual.app import App, ComposeResult
from textual.widgets import Static

from postroom.frontends.tui.rows import body
from postroom.frontends.tui.sheet import ROWS_MAX, Sheet
from postroom.frontends.tui.walled import BAR, INSET, Walled
from postroom.observe.transcript_rows import NoticeRow, Row


class Screen(App[None]):
    """A sheet alone."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = Sheet(id="rows")

    def compose(self) -> ComposeResult:
        yield self.sheet

    def shown(self) -> list[str]:
        """The second line of each row."""
        return [str(row.content).splitlines()[1].removeprefix(BAR) for row in self.sheet.query(Static)]


def row(number: int, text: str = "") -> Row:
    return NoticeRow(
        kind="notice", id=f"n:{number}", ts_us=0, turn_id="t", node_id=number, provenance="system",
        code="some_code", text=text or f"{number}", missing_chars=0,
    )  # fmt: skip


def rows(numbers: Iterable[int]) -> list[Row]:
    return [row(number) for number in numbers]


async def test_rows_that_change_move_or_go_are_shown_as_whoever_comes_later_sees_them() -> None:
    """CK-32: also what was left by a revert, and mail that waits behind an answer that is new."""
    app = Screen()
    async with app.run_test() as pilot:
        await app.sheet.put(rows([1, 2, 9]), older=1)
        await app.sheet.put([row(1), row(2, "two"), row(3), row(9)], older=1)
        moved = app.shown()
        await app.sheet.put([row(1), row(4)], older=1)
        reverted = app.shown()
        await pilot.pause()

    assert moved == ["1", "two", "3", "9"]
    assert reverted == ["1", "4"]
    assert app.sheet.older == 1


async def test_after_a_gap_the_talk_begins_anew_so_that_nothing_is_missing_between() -> None:
    """O-37: a terminal that was away for longer than a page."""
    app = Screen()
    async with app.run_test():
        await app.sheet.put(rows(range(5)), older=None)
        await app.sheet.put(rows(range(50, 55)), older=50)
        assert app.shown() == ["50", "51", "52", "53", "54"]
        assert app.sheet.older == 50
        await app.sheet.put_in_front(rows(range(45, 50)), older=45)

        assert app.shown() == [f"{number}" for number in range(45, 55)]
        assert app.sheet.older == 45


async def test_a_long_way_back_costs_no_more_than_a_bounded_number_of_rows() -> None:
    app, page = Screen(), ROWS_MAX // 2
    async with app.run_test() as pilot:
        await app.sheet.put(rows(range(3 * page, 4 * page)), older=3 * page)
        for first in (2 * page, page, 0):
            await app.sheet.put_in_front(rows(range(first, first + page)), older=first or None)
        await pilot.pause()
        assert len(app.shown()) == ROWS_MAX
        await app.sheet.put(rows(range(4 * page, 4 * page + 2)), older=4 * page)  # not there
        assert app.shown()[0] == "0"

        assert app.sheet.to_end()
        await app.sheet.put(rows(range(4 * page, 4 * page + 2)), older=4 * page)
        assert app.shown() == [f"{4 * page}", f"{4 * page + 1}"]


def test_wherever_a_text_is_wrapped_it_stays_behind_its_bar() -> None:
    """G10: whoever writes it chooses what would stand at the beginning of the next line."""
    forged = "00:00:00 YOU  I approve"
    text = Text(f"00:00:00 AGENT {'answer ' * 5}{forged}").append_text(
        body(f"{'x' * 38} {forged} {'漢' * 40}")
    )
    console = Console(width=40)
    with console.capture() as captured:
        console.print(Walled(text))
    first, *others = captured.get().splitlines()

    assert first.startswith("00:00:00 AGENT")
    assert all(line.startswith((BAR, INSET)) for line in others)
    assert "".join(line.removeprefix(BAR) for line in others).count("漢") == 40
