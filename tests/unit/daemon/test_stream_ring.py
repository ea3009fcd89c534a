"""The ring: the newest frames, and from where on they are all of them."""

from postroom.daemon.stream_ring import Ring
from postroom.observe.event_frames import Frame


def frames(first: int, last: int) -> list[Frame]:
    """Frames of two sessions in turn, ten bytes each."""
    return [Frame(pos, pos, "even" if pos % 2 == 0 else "odd", b"x" * 10) for pos in range(first, last + 1)]


def test_everything_behind_the_floor_is_there() -> None:
    ring = Ring(4)
    ring.put(frames(5, 9), 12)
    assert (ring.floor, ring.pos) == (4, 12)
    assert [frame.pos for frame in ring.behind(4, "")] == [5, 6, 7, 8, 9]
    assert [frame.pos for frame in ring.behind(6, "odd")] == [7, 9]
    assert ring.behind(12, "") == []


def test_the_oldest_give_way_and_the_floor_says_so() -> None:
    ring = Ring(0, frames_max=3)
    ring.put(frames(1, 5), 5)
    assert ring.floor == 2
    assert [frame.pos for frame in ring.behind(2, "")] == [3, 4, 5]


def test_bytes_are_bounded_as_well() -> None:
    ring = Ring(0, bytes_max=25)
    ring.put(frames(1, 5), 5)
    assert ring.floor == 3
    assert [frame.pos for frame in ring.behind(3, "")] == [4, 5]
