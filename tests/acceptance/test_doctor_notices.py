"""What the person has read of what they were told, and what the doctor makes of it."""

from postroom.domain.policy import Policy
from postroom.observe.doctor import examine, repair
from postroom.store.tx import Tx
from postroom.testing.script import say
from tests.acceptance.damage import codes, sql
from tests.acceptance.family import Worlds

NEWEST = 1 << 60


async def test_a_notice_is_read_once_and_the_log_says_when(worlds: Worlds) -> None:
    """G12"""
    world = worlds(policy=Policy(surface="tree", tokens_max=1))
    world.agent("a", say("hello"))
    await world.prompt("a", "begin")
    await world.quiesce()
    room = world.room
    (notice,) = room.store.look(Tx.person_notices_after, 0, 10)

    first, again = [await room.see_notices((notice.key, 99)) for _ in "12"]
    all_of_them = await room.see_notices((), through=NEWEST)
    told = [event for event in world.events() if event.kind == "notice.seen"]
    await world.close()

    assert (first, again, all_of_them) == (1, 0, 0)
    assert [(event.actor, event.facts) for event in told] == [("person", {"notice": notice.key})]
    assert examine(world.folder).findings == ()


async def test_a_notice_that_is_unread_against_its_log_is_mended(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", tokens_max=1))
    world.agent("a", say("hello"))
    await world.prompt("a", "begin")
    await world.quiesce()
    await world.room.see_notices((), through=NEWEST)
    await world.close()
    sql(world.folder, "UPDATE person_notice SET seen_us = NULL")

    seen = codes(examine(world.folder))
    mended = repair(world.folder)

    assert seen == {("row_differs", "person_notice")}
    assert mended.ok, list(mended.lines())
    assert repair(world.folder).mended == ()
