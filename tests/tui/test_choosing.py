"""A key does what the screen says: to what is chosen and seen, and to nothing that came in its place."""

from textual.widgets import DataTable, Input

from postroom.daemon.api.guard import Scope
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.asking import question
from tests.frontends.daemon import serving
from tests.tui.rig import at, looked_at


async def test_an_ask_that_slides_under_the_cursor_is_not_decided(world: World) -> None:
    """The one that was chosen is decided elsewhere, just before a key is pressed for it."""
    for name in ("a", "b"):
        world.agent(name, question(f"Which of {name}?", "red", "blue"), say("thanks"))
    for number, name in enumerate(("a", "b"), start=1):
        await world.prompt(name, "begin")
        await world.event("ask.opened", number)
    async with looked_at(world) as screen:
        await screen.until(lambda: len(screen.app.asks.open) == 2)
        await screen.pilot.press("f4", "tab", "tab", "2")
        chosen = screen.app.asks.chosen()
        assert chosen is not None
        await world.room.answer(chosen.ask_id, "red")
        await screen.until(lambda: len(screen.app.asks.open) == 1)
        await screen.pilot.press("enter")
        await screen.until(lambda: bool(screen.toasts()))
        line = screen.app.asks.query_one(Input)
        assert (screen.toasts(), line.value) == (["choose one with the arrow keys"], "2")
        assert len(await world.room.asks()) == 1

        await screen.pilot.press("shift+tab", "shift+tab", "down", "tab", "tab", "enter")
        await screen.until(lambda: not screen.app.asks.open)
        assert line.value == ""
    await world.quiesce()


async def test_an_agent_that_slides_under_the_cursor_is_not_stopped(world: World) -> None:
    world.agent("a", say("one"))
    world.agent("b", say("one"))
    gone = await world.prompt("a", "begin")
    await world.prompt("b", "begin")
    await world.quiesce()
    async with looked_at(world) as screen:
        table = screen.app.team.table
        await screen.until(lambda: table.row_count == 2)
        await screen.pilot.press("down")
        await world.room.delete(gone.session_id)
        await screen.until(lambda: table.row_count == 1)
        await screen.pilot.press("s")
        await screen.until(lambda: bool(screen.toasts()))

        assert "is gone" in screen.toasts()[0]
        assert not world.events("branch.paused")


async def test_who_may_not_do_it_any_more_is_told_so_and_keeps_what_was_typed(world: World) -> None:
    """A token that is revoked; and a letter in a line is a letter."""
    world.agent("r", say("one"))
    begun = await world.prompt("r", "begin")
    await world.quiesce()
    made = await world.room.add_token("a terminal", Scope.OPERATE)
    async with serving(world.room) as daemon, at(daemon.url, made.secret, agent=begun.session_id) as screen:
        await screen.until(lambda: len(screen.rows()) == 3)
        await screen.pilot.press("f3")
        await screen.until(lambda: screen.app.query_one("#mail-table", DataTable).row_count == 1)
        await world.room.revoke_token(made.token.token_id)
        await screen.until(lambda: "unauthenticated" in screen.state)
        await screen.pilot.press("enter")
        await screen.until(lambda: len(screen.toasts()) == 1)
        await screen.pilot.press("f2", *"as", "enter")
        await screen.until(lambda: len(screen.toasts()) == 2)

        refused = ("unauthenticated: ", "rate_limited: ")  # this terminal tries again very often
        assert all(toast.startswith(refused) for toast in screen.toasts())
        assert screen.app.talk.query_one(Input).value == "as"
