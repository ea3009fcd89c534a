"""How much was said up to each node: in a store of before, in forks, and where a head moves back."""

import sqlite3

from postroom.store.migrate import migrate, migrations, split
from postroom.testing.world import World
from tests.acceptance.branches import branch_world
from tests.acceptance.family import Worlds

BEFORE = 3
"""The last schema in which nodes did not say it."""


def test_a_migration_counts_what_was_said_and_when_a_session_was_last_active() -> None:
    """Two paths that share a beginning, a result that says nothing; a session with turns and one without."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for _, sql in migrations()[:BEFORE]:
        for statement in split(sql):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {BEFORE}")
    connection.execute(f"PRAGMA application_id = {0x506F7374}")
    for key, role, before in (
        (1, "user", None), (2, "assistant", 1), (3, "tool", 2), (4, "assistant", 3), (5, "user", 2),
    ):  # fmt: skip
        connection.execute(
            "INSERT INTO node"
            " (id, session_id, role, provenance, predecessor_id, turn_id, round, parts, created_us)"
            " VALUES (?, 1, ?, 'agent', ?, 1, 1, '{}', 0)", (key, role, before),
        )  # fmt: skip
    connection.execute("INSERT INTO policy (body) VALUES ('{}')")
    for key in (1, 2):
        connection.execute(
            "INSERT INTO session"
            " (id, public_id, root_id, origin, title, cwd, team, policy_id, depth, created_us)"
            " VALUES (?, 's' || ?, ?, 'person', '', '', '', 1, 0, 7)", (key, key, key),
        )  # fmt: skip
    for seq, kind, at_us in ((1, "turn.waiting", 10), (2, "turn.ended", 20), (3, "goal.set", 30)):
        connection.execute(
            "INSERT INTO event (session_id, seq, ts_us, kind, actor, payload) VALUES (1, ?, ?, ?, '', '{}')",
            (seq, at_us, kind),
        )

    migrate(connection)

    assert connection.execute("SELECT said FROM node ORDER BY id").fetchall() == [
        (1,),
        (2,),
        (2,),
        (3,),
        (3,),
    ]
    assert connection.execute("SELECT last_active_us FROM session ORDER BY id").fetchall() == [(20,), (7,)]
    connection.close()


async def test_what_was_said_follows_the_path_and_not_the_branch(worlds: Worlds) -> None:
    """A fork begins with the number of its place, and a revert goes back to it."""
    world = branch_world(worlds)
    a = world.puppet("a")
    for n in range(1, 4):
        await world.prompt("a", f"question {n}")
        await a.says(f"answer {n}")
        await world.turn_end("a", n)
    session = world.view("a").session_id
    fork = await world.room.fork(session, "2")
    await world.room.revert(session, "4")

    assert await said(world, session) == 4
    assert await said(world, fork.session_id) == 2
    await world.check()


async def said(world: World, session: str) -> int:
    """How much an agent's conversation holds."""
    (listed,) = await world.room.agent_lists(session)
    return listed.agents[0].turns
