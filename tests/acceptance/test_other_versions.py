"""What an older or a newer Postroom has written: read as it was meant, or refused with a reason."""

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict

import pytest

from postroom.domain.node import MailFacts, SummaryFacts, facts_of, summary_of
from postroom.errors import StoreNewer
from postroom.store.connect import DATABASE_NAME
from postroom.surfaces.presets import PRESETS
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.family import Worlds


async def kept(worlds: Worlds, surface: str) -> World:
    """A store with a session of a surface, and no process."""
    world = worlds(policy=PRESETS[surface])
    world.agent("a", say("hello"), say("hello again"))
    await world.prompt("a", "hello")
    await world.quiesce()
    await world.close()
    return world


def rewrite(world: World, change: str, *values: str) -> None:
    """Let another version have kept the policy."""
    with closing(sqlite3.connect(world.folder / DATABASE_NAME, isolation_level=None)) as connection:
        done = connection.execute(f"UPDATE policy SET body = {change}", values)  # noqa: S608 -- SQL of a test
        assert done.rowcount == 1


@pytest.mark.parametrize("surface", list(PRESETS))
async def test_what_a_stored_policy_does_not_name_is_as_its_surface_has_it(
    worlds: Worlds, surface: str
) -> None:
    """One of `peer` masks its refusals, and one of `branch` keeps to its caller's rights, all the same."""
    world = await kept(worlds, surface)
    rewrite(world, "json_object('surface', ?, 'rounds_max', 7)", surface)

    room = await world.open()

    found = room.store.look(lambda tx: tx.policy(1))
    assert found.rounds_max == 7
    assert asdict(found) == asdict(PRESETS[surface]) | {"rounds_max": 7}
    await world.prompt("a", "once more")
    await world.quiesce()
    assert len(world.requests("a")) == 2
    await world.check()


async def test_a_policy_that_says_more_than_this_version_knows_is_refused_before_anything_is_written(
    worlds: Worlds,
) -> None:
    """It may forbid something, so nobody acts as if it were not there."""
    world = await kept(worlds, "team")
    rewrite(world, "json_set(body, '$.sends_at_night', 'never')")

    with pytest.raises(StoreNewer, match=r"`policy\.sends_at_night`") as caught:
        await world.open()

    assert "upgrade" in caught.value.remedy
    rewrite(world, "json_remove(body, '$.sends_at_night')")
    await world.open()
    assert len(world.events("process.started")) == 2
    await world.check()


def test_facts_of_mail_that_this_version_does_not_know_are_passed_over() -> None:
    """They are about how a text is shown; the text is there."""
    assert facts_of(json.dumps({"kind": "mail", "sender": "b", "scent": "lilac"})) == MailFacts(
        kind="mail", sender="b"
    )


def test_a_summary_that_keeps_what_this_version_does_not_know_is_refused() -> None:
    """What it names may be mail that has to be sent still (G1)."""
    facts = SummaryFacts(text="so far", through=3, keeps=[2], answers=4, open=["a task"])
    known = json.dumps(asdict(facts))

    assert summary_of(known) == facts
    assert summary_of('{"text": "so far", "through": 3}').keeps == []
    with pytest.raises(StoreNewer, match="'also_keeps'"):
        summary_of(json.dumps(asdict(facts) | {"also_keeps": [1]}))
