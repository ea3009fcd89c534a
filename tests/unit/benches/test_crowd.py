"""What the benches of a crowd count is right on every machine; how long it takes is another matter."""

from pathlib import Path

from benches import crowd, memory
from benches.trace import Trace
from postroom.app import Postroom


async def test_every_letter_of_a_crowd_is_accepted_and_read_once(tmp_path: Path) -> None:
    """O-10: accepted = consumed + pending, and no refusal is silent."""
    seen = await crowd.gather(tmp_path, crowd.Size(children=200, finished=500))

    assert (seen.accepted, seen.consumed, seen.refused) == (1_000, 1_000, 0)
    assert seen.listed == 201


async def test_listing_a_crowd_reads_no_conversation_and_is_limited(tmp_path: Path) -> None:
    """O-10: what a list costs does not grow with what its agents have said."""
    await crowd.gather(tmp_path, crowd.Size(children=20, finished=20))
    async with Postroom.open(tmp_path / "room", idle=True) as room:
        trace = Trace(room.store)
        views = await room.agents_view()
        trace.stop()

    assert 0 < len(views) <= 1_000
    assert not trace.of_conversation()
    assert not [s for s in trace.statements if " node" in s]


async def test_five_hundred_ended_children_leave_the_memory_after_an_hour(tmp_path: Path) -> None:
    """O-10: what they weighed is given back."""
    seen = await memory.weigh(tmp_path, 500)

    assert (seen.children, seen.children_left) == (500, 0)
    assert seen.full > 500 * memory.TEXT_CHARS
    assert seen.left < memory.MOST_LEFT * seen.full
