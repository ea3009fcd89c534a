"""The person's own words, said twice."""

import pytest

from postroom.errors import Refused
from postroom.testing.world import World


async def test_a_client_id_names_one_text_in_one_mode_for_one_agent(world: World) -> None:
    """CK-12, for the person."""
    world.puppet("r")
    world.puppet("other")
    prompt = await world.prompt("r", "begin")
    other = await world.prompt("other", "begin too")
    send = world.room.send

    first = await send(prompt.session_id, "hello", client_id="c-1")
    again = await send(prompt.session_id, "hello", client_id="c-1")
    with pytest.raises(Refused, match="idempotency_conflict"):
        await send(prompt.session_id, "hello", mode="queue", client_id="c-1")
    with pytest.raises(Refused, match="idempotency_conflict"):
        await send(other.session_id, "hello", client_id="c-1")

    assert again == first
    await world.check()


async def test_who_says_it_again_reads_on_from_the_same_place_of_the_log(world: World) -> None:
    """CK-12: else whoever lost the first receipt would read the whole log to find its answer."""
    r = world.puppet("r")
    room = await world.open()
    first = await room.prompt("begin", profile="r", client_id="c-1")
    await r.asked()
    await room.stop(first.session_id)
    more = await room.prompt("go on", session=first.session_id, client_id="c-2")
    await r.asked()

    again = await room.prompt("begin", profile="r", client_id="c-1")
    more_again = await room.prompt("go on", session=first.session_id, client_id="c-2")

    assert (again, more_again) == (first, more)
    assert 0 < first.pos < more.pos
    await world.check()


@pytest.mark.parametrize("client_id", ["resubmit:c-1", "retry:c-1", "plugin:clock:c-1", "c\x00", "\ud800"])
async def test_a_client_may_not_choose_an_id_that_the_runtime_could_give(
    world: World, client_id: str
) -> None:
    """CK-12, O-27: else a text of the runtime would find its place taken, and its turn could not end."""
    root = world.puppet("r")
    prompt = await world.prompt("r", "begin")
    with pytest.raises(Refused, match="invalid_arguments"):
        await world.room.send(prompt.session_id, "hello", client_id=client_id)
    with pytest.raises(Refused, match="invalid_arguments"):
        await world.room.prompt("hello", profile="r", client_id=client_id)
    with pytest.raises(Refused, match="invalid_arguments"):
        await world.room.send_at(prompt.session_id, "hello", 1, client_id=client_id)
    await root.says("done")
    await world.check()
