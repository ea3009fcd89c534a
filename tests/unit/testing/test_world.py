"""A check that finds nothing proves nothing unless it finds what is broken: each invariant, broken once."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from postroom.store.connect import DATABASE_NAME
from postroom.testing.script import call, say
from postroom.testing.world import World
from tests.acceptance.family import family, send


def _execute(world: World, *statements: str) -> None:
    with closing(sqlite3.connect(world.folder / DATABASE_NAME)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


BROKEN = {
    "I1": "UPDATE delivery SET state = 'discarded', reason = 'failed' WHERE kind = 'mail'",
    "I2": "UPDATE node SET message_id = (SELECT id FROM message WHERE kind = 'mail') WHERE role = 'user'",
    "I3": "UPDATE message SET sender_branch_id = recipient.id FROM (SELECT id FROM branch WHERE"
    " profile = 'b') AS recipient WHERE kind = 'mail'",
    "I6": "UPDATE task SET state = 'running'",
    "I7": "UPDATE branch SET n_steer = n_steer + 1",
}


@pytest.mark.parametrize("invariant", BROKEN)
async def test_a_broken_invariant_is_named(world: World, invariant: str) -> None:
    root, _ = await family(world, "b")
    await root.does(send(world.handle("b"), "hello"))
    await world.rest()
    _execute(world, BROKEN[invariant])

    with pytest.raises(AssertionError, match=invariant):
        await world.check()


async def test_a_bad_request_fails_the_check(world: World) -> None:
    """I4: here a script that has nothing more to say."""
    world.agent("r", call("nothing"))
    await world.prompt("r", "begin")

    with pytest.raises(AssertionError, match="I4"):
        await world.check()


async def test_a_call_out_of_the_blue_fails_the_check(world: World) -> None:
    """I8: somebody wakes an agent hours later."""
    world.agent("r", say("one"), say("two"))
    await world.prompt("r", "begin")
    await world.quiesce()
    room = world.room

    async def later() -> None:
        await world.clock.sleep_s(3_600.0)
        await room.prompt("again", session=world.view("r").session_id)

    waiting = asyncio.ensure_future(later())
    await asyncio.sleep(0)
    with pytest.raises(AssertionError, match="I8"):
        await world.check()
    await waiting
