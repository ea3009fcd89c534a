"""How the terminal finds its daemon: by what the store's folder says, and never another one."""

import contextlib
from pathlib import Path

import pytest

from postroom.daemon.certificate import certificate_of
from postroom.daemon.wire import DoorClosed
from postroom.frontends.tui.client import Client
from postroom.observe.board import Board
from postroom.testing.script import say
from postroom.testing.world import World
from tests.frontends.daemon import serving
from tests.frontends.proxy import certified
from tests.tui.rig import at_store


async def test_a_daemon_that_was_started_anew_elsewhere_is_found_again(world: World) -> None:
    """O-37: it has another port and another key then, which nobody tells to the terminal."""
    world.agent("r", say("one"), say("two"))
    begun = await world.prompt("r", "begin")
    await world.quiesce()
    async with contextlib.AsyncExitStack() as life:
        await life.enter_async_context(serving(world.room))
        async with at_store(world.room.folder, agent=begun.session_id) as screen:
            await screen.until(lambda: any("one" in row for row in screen.rows()))
            await life.aclose()
            await screen.until(lambda: "NOT live" in screen.state)
            assert not screen.toasts()
            await world.prompt("r", "go on")
            await world.quiesce()
            async with serving(world.room):
                await screen.live()
                await screen.until(lambda: any("two" in row for row in screen.rows()))


async def test_over_tls_the_daemons_own_certificate_is_believed_and_no_other(
    world: World, tmp_path: Path
) -> None:
    """It is made out to a public name, and nobody has signed it."""
    world.agent("r", say("one"))
    await world.prompt("r", "begin")
    await world.quiesce()
    settings = certified(tmp_path / "tls")
    async with serving(world.room, settings=settings) as daemon:
        async with at_store(world.room.folder) as screen:
            await screen.until(lambda: len(screen.app.team.table.rows) == 1)
        other = certificate_of(certified(tmp_path / "other"))
        for certificate in (other, ""):
            async with Client(daemon.url, daemon.secret(), certificate=certificate) as client:
                with pytest.raises(DoorClosed, match="CERTIFICATE_VERIFY_FAILED"):
                    await client.get("/board", Board)
        with pytest.raises(DoorClosed, match="cannot be read"):
            Client(daemon.url, "", certificate="nothing")


def test_without_a_daemon_there_is_nothing_to_reach(tmp_path: Path) -> None:
    with pytest.raises(DoorClosed, match="no daemon runs the store"):
        Client.of_store(tmp_path)
