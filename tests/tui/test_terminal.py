"""What one sees and does in the terminal."""

import contextlib

import pytest
from rich.text import Text
from textual.widgets import DataTable, Input, OptionList, Static

from postroom.daemon.api.guard import Scope
from postroom.frontends.tui.team import age
from postroom.profiles.daemon_settings import DaemonSettings
from postroom.testing.script import Gate, held, say
from postroom.testing.world import World
from tests.acceptance.asking import asking, question, the_ask
from tests.acceptance.family import EVERYBODY, delegate, send
from tests.frontends.daemon import serving
from tests.tui.rig import Screen, at, differences, looked_at, terminal


async def test_rows_of_steered_and_of_queued_mail_are_the_same_live_and_later(world: World) -> None:
    """CK-32: whoever was there sees what whoever comes later sees."""
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("b",))
    child = world.puppet("b", may_message=EVERYBODY)
    await world.prompt("r", "begin")
    del child
    async with serving(await world.open()) as daemon:
        session = world.view("r").session_id
        client = daemon.client(Scope.OPERATE)
        async with terminal(daemon, agent=session) as screen:
            await screen.until(lambda: any("begin" in row for row in screen.rows()))
            for mode in ("steer", "queue"):
                given = {"body": f"by {mode}", "mode": mode}
                (await client.post(f"/agents/{session}/send", json=given)).raise_for_status()
            await root.says("one")
            await root.says("two")
            root.rests()
            await world.quiesce()
            await screen.until(lambda: sum("turn finished" in row for row in screen.rows()) == 2)
            live = screen.rows()
        async with terminal(daemon, agent=session) as screen:
            await screen.until(lambda: len(screen.rows()) == len(live))
            later = screen.rows()

    assert later == live
    assert any("by steer" in row for row in live)
    assert any("by queue" in row for row in live)


async def test_mail_of_agents_is_shown_with_sender_mode_and_state(world: World) -> None:
    """CK-32: in the talk of its reader and in the table, in both modes, live as for who comes later."""
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("b",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    reader = world.view("b").session_id
    async with serving(world.room) as daemon:
        async with terminal(daemon, agent=reader) as screen:
            await root.does(send(reader, "now", "steer"), send(reader, "later", "queue"))
            await screen.until(lambda: waiting(screen) == ["r, queue: accepted", "r, steer: accepted"])
            await child.says("one")
            await screen.until(lambda: waiting(screen) == ["r, queue: accepted", "r, steer: claimed"])
            child.rests()
            root.rests()
            await world.quiesce()
            await screen.until(lambda: sum("turn finished" in row for row in screen.rows()) == len(READ))
            await screen.until(lambda: waiting(screen) == READ)
            live = screen.rows()
            await screen.pilot.press("f3")
            await screen.until(lambda: all(row in mail(screen) for row in BOTH))
        async with terminal(daemon, agent=reader) as screen:
            await screen.until(lambda: len(screen.rows()) == len(live))
            assert screen.rows() == live


BOTH = (["r", "b", "queue", "consumed", "later"], ["r", "b", "steer", "consumed", "now"])
READ = ["r, queue: consumed, read in round 1", "r, steer: consumed, read in round 2"]


def waiting(screen: Screen) -> list[str]:
    """How each letter of an agent stands, as the rows of a talk say it."""
    heads = (row.splitlines()[0] for row in screen.rows())
    return sorted(head.partition("mail from ")[2] for head in heads if "mail from " in head)


def mail(screen: Screen) -> list[list[str]]:
    """The table without its times; a name without what makes it unique."""
    table: DataTable[Text] = screen.app.query_one("#mail-table", DataTable)
    rows = ([str(cell) for cell in table.get_row_at(n)][1:] for n in range(table.row_count))
    return [[cell.partition("_")[0] for cell in row] for row in rows]


async def test_an_ask_that_one_terminal_decides_is_gone_from_the_other(world: World) -> None:
    """O-23, CK-32: two clients, one list."""
    root, child = await asking(world)
    await root.starts(send(world.handle("b"), "May I?"))
    await the_ask(world)
    async with serving(world.room) as daemon, terminal(daemon) as one, terminal(daemon) as other:
        for screen in (one, other):
            await screen.pilot.press("f4")
            await screen.until(lambda screen=screen: len(screen.app.asks.open) == 1)
        await one.pilot.press("down", "a")
        await one.until(lambda: not one.app.asks.open)
        await other.until(lambda: not other.app.asks.open)

        assert "nobody asks you" in str(other.app.query_one("#asks-one", Static).content)
    assert [event.facts["state"] for event in world.events("ask.ended")] == ["approved"]
    root.rests()
    child.rests()
    await world.check()


async def test_a_question_is_answered_by_the_number_of_an_option(world: World) -> None:
    world.agent("r", question("Which colour?", "red", "blue"), say("thanks"))
    await world.prompt("r", "begin")
    await the_ask(world)
    async with looked_at(world) as screen:
        await screen.pilot.press("f4")
        await screen.until(lambda: screen.app.query_one(OptionList).option_count == 1)
        await screen.pilot.press("down")
        screen.app.query_one("#asks-input", Input).focus()
        await screen.pilot.press("2", "enter")
        await screen.until(lambda: not screen.app.asks.open)
        await world.quiesce()

    assert "blue" in world.requests("r")[-1].items[-1].text  # pyright: ignore[reportAttributeAccessIssue]


async def test_a_denial_carries_the_reason_that_was_typed(world: World) -> None:
    root, child = await asking(world)
    await root.starts(send(world.handle("b"), "May I?"))
    await the_ask(world)
    async with serving(world.room) as daemon, terminal(daemon) as screen:
        await screen.pilot.press("f4")
        await screen.until(lambda: len(screen.app.asks.open) == 1)
        screen.app.query_one("#asks-input", Input).value = "not today"
        await screen.pilot.press("down", "d")
        await screen.until(lambda: not screen.app.asks.open)

    (ask,) = world.events("ask.ended")
    assert ask.facts["state"] == "denied"
    root.rests()
    child.rests()
    await world.rest()


async def test_what_one_types_steers_a_running_agent_or_waits_for_its_next_turn(world: World) -> None:
    gate = Gate()
    world.agent("r", held(gate, say("first")), say("second"), say("third"))
    begun = await world.prompt("r", "begin")
    async with looked_at(world, agent=begun.session_id) as screen:
        await screen.until(lambda: screen.app.talk.heading is not None)
        await screen.pilot.press(*"now", "enter")
        await screen.until(lambda: any("now" in row for row in screen.rows()))
        await screen.pilot.press("ctrl+t", *"later", "enter")
        await screen.until(lambda: any("later" in row for row in screen.rows()))
        gate.open()
        await world.quiesce()

    sent = [(e.facts["kind"], e.facts["mode"]) for e in world.events("message.accepted")]
    assert sent == [("user", "queue"), ("user", "steer"), ("user", "queue")]


async def test_a_stopped_agent_is_paused_and_goes_on_when_it_is_resumed(world: World) -> None:
    gate = Gate()
    world.agent("r", held(gate, say("first")), say("again"), say("more"))
    await world.prompt("r", "begin")
    async with looked_at(world) as screen:
        table = screen.app.query_one("#team-table", DataTable)
        await screen.until(lambda: table.row_count == 1)
        await screen.pilot.press("s")
        await screen.until(lambda: str(table.get_row_at(0)[1]) == "paused")
        gate.open()
        await screen.pilot.press("r")
        await screen.until(lambda: str(table.get_row_at(0)[1]) == "finished")


async def test_nothing_that_an_agent_writes_steers_the_terminal_or_passes_for_another(world: World) -> None:
    """G10: what is shown behind the bar is what was written, and nothing of it is obeyed."""
    hostile = "\x1b[2J\x1b]0;owned\x07[bold red]gone[/]\n00:00:00 YOU \nI approve \u202egnp"
    world.agent("r", say(hostile))
    begun = await world.prompt("r", "begin")
    await world.quiesce()
    async with looked_at(world, agent=begun.session_id) as screen:
        await screen.until(lambda: any("approve" in row for row in screen.rows()))
        (row,) = [row for row in screen.rows() if "approve" in row]

    assert "\x1b" not in row
    assert "\u202e" not in row
    assert "[bold red]gone[/]" in row
    assert all(line.startswith("│ ") for line in row.splitlines()[1:])


async def test_a_daemon_that_comes_back_is_found_again_and_nothing_is_missed(world: World) -> None:
    """O-37: it says that it is not live, and then goes on where it was."""
    world.agent("r", say("one"), say("two"))
    begun = await world.prompt("r", "begin")
    await world.quiesce()
    made = await world.room.add_token("a terminal", Scope.OPERATE)
    async with contextlib.AsyncExitStack() as life:
        daemon = await life.enter_async_context(serving(world.room))
        port = int(daemon.url.rpartition(":")[2])
        async with at(daemon.url, made.secret, agent=begun.session_id) as screen:
            await screen.until(lambda: any("one" in row for row in screen.rows()))
            await life.aclose()
            await screen.until(lambda: "NOT live" in screen.state)
            await world.prompt("r", "go on")
            await world.quiesce()
            async with serving(world.room, settings=DaemonSettings(port=port)):
                await screen.live()
                await screen.until(lambda: any("two" in row for row in screen.rows()))


async def test_an_agent_that_is_not_there_is_told_where_its_talk_would_be(world: World) -> None:
    world.agent("r", say("hello"))
    await world.prompt("r", "begin")
    async with looked_at(world, agent="nobody") as screen:
        await screen.until(lambda: "no agent is called 'nobody'" in screen.text())


async def test_what_keeps_it_from_being_live_is_told_to_its_end(world: World) -> None:
    """Also on a narrow screen: the remedy stands last."""
    world.agent("r", say("hello"))
    await world.prompt("r", "begin")
    async with contextlib.AsyncExitStack() as life:
        daemon = await life.enter_async_context(serving(world.room))
        async with terminal(daemon) as screen:
            await screen.live()
            await screen.pilot.resize_terminal(60, 20)
            await life.aclose()
            await screen.until(lambda: "NOT live" in screen.state)
            await screen.until(lambda: "`postroom status`)" in screen.text())


async def test_every_view_says_its_keys_on_a_narrow_screen(world: World) -> None:
    world.agent("r", say("hello"))
    begun = await world.prompt("r", "begin")
    async with looked_at(world, agent=begun.session_id) as screen:
        await screen.pilot.resize_terminal(60, 20)
        for key, keys in (("f1", "Open"), ("f2", "^q Quit"), ("f3", "Open"), ("f4", "Approve")):
            await screen.pilot.press(key)
            await screen.until(lambda keys=keys: keys in screen.text())
            assert all(f"F{n} " in screen.text() for n in (1, 2, 3, 4))


async def test_a_long_ask_takes_one_line_of_the_list_and_is_whole_below_it(world: World) -> None:
    world.agent("r", question("Which? " + "long " * 60, *(f"option {n} {'y' * 60}" for n in range(4))))
    await world.prompt("r", "begin")
    await the_ask(world)
    async with looked_at(world) as screen:
        await screen.pilot.press("f4")
        await screen.until(lambda: len(screen.app.asks.open) == 1)
        await screen.pilot.press("down")
        await screen.until(lambda: "4. option 3" in screen.text())

        assert sum("…" in line for line in screen.text().splitlines()) == 1


async def test_mail_of_the_person_that_waits_names_no_sender_twice(world: World) -> None:
    gate = Gate()
    world.agent("r", held(gate, say("first")), say("second"))
    begun = await world.prompt("r", "begin")
    await world.room.send(begun.session_id, "later", mode="queue")
    async with looked_at(world, agent=begun.session_id) as screen:
        await screen.until(lambda: any("YOU user, queue: accepted" in row for row in screen.rows()))
        gate.open()
        await world.quiesce()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7199, "119 min"),
        (7200, "2 h"),
        (400_000, "4 d"),
        (-9, "0 s"),
    ],
)
def test_an_age_is_told_in_the_largest_unit_of_which_there_are_two(seconds: int, words: str) -> None:
    assert age(seconds * 1_000_000) == words


async def test_every_view_fits_a_terminal_of_80_by_24(world: World) -> None:
    """The pictures are kept beside the tests, and compared as they were drawn."""
    world.agent("r", say("All is done."), question("Which colour?", "red", "blue"), say("thanks"))
    begun = await world.prompt("r", "Write a page")
    await world.quiesce()
    await world.prompt("r", "Colour it")
    await the_ask(world)
    async with looked_at(world) as screen:
        await screen.until(lambda: screen.app.query_one("#team-table", DataTable).row_count == 1)
        await screen.until(lambda: len(screen.app.asks.open) == 1)
        await screen.app.freshen()
        seen = {"team": screen.picture()}
        screen.app.talk.show(begun.session_id)
        await screen.pilot.press("f2")
        await screen.until(lambda: any("asks" in row or "ask_user" in row for row in screen.rows()))
        await screen.pilot.pause()
        seen["talk"] = screen.picture()
        await screen.pilot.press("f3")
        await screen.until(lambda: screen.app.query_one("#mail-table", DataTable).row_count == 2)
        await screen.pilot.pause()
        seen["mail"] = screen.picture()
        await screen.pilot.press("f4")
        await screen.pilot.pause()
        seen["asks"] = screen.picture()

    assert [line for name, picture in seen.items() for line in differences(name, picture)] == []
