"""What keeps the collector from walking through many connections."""

import gc

from postroom.daemon.stream_calm import MANY, Calm


def test_a_crowd_is_frozen_and_thawed_when_it_has_gone() -> None:
    calm = Calm()
    before = gc.get_freeze_count()
    try:
        calm.count(MANY)
        assert gc.get_freeze_count() == before
        calm.count(MANY + 1)
        assert gc.get_freeze_count() > before
    finally:
        calm.count(MANY // 2)
    assert gc.get_freeze_count() == 0
