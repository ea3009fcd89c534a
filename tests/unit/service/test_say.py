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
