"""Which slots a turn takes: those of its tree, those of the process, or none that are counted."""

import pytest

from postroom.domain.keys import BranchKey, TurnKey
from postroom.runtime.seats import Pools
from postroom.service.facts import Pool, Waiting


def waiting(pool: Pool, root: int = 1) -> Waiting:
    """A turn whose policy says 4."""
    return Waiting(TurnKey(1), BranchKey(1), root, 4, pool)


@pytest.mark.parametrize(("workers", "size"), [(None, 4), (2, 2)])
def test_the_process_has_as_many_slots_as_it_was_told_or_as_the_policy_says(
    workers: int | None, size: int
) -> None:
    """OP-11: the setting `task_workers` comes before the policy."""
    slots, second = Pools(workers).of(waiting(Pool.PROCESS))

    taken = [slots.try_take() for _ in range(size + 1)]

    assert taken == [True] * size + [False]
    assert second is slots


def test_what_the_person_opens_is_not_counted_and_what_it_sends_is() -> None:
    """OP-11: bounds the turns of tasks, not prompts."""
    pools = Pools(1)
    free, second = pools.of(waiting(Pool.NONE))
    shared, _ = pools.of(waiting(Pool.PROCESS))

    assert all(free.try_take() for _ in range(100))
    assert second is shared
    assert pools.held == 100


def test_each_tree_has_slots_of_its_own() -> None:
    pools = Pools(1)
    one, other = pools.of(waiting(Pool.TREE)), pools.of(waiting(Pool.TREE, root=2))

    assert [one[0].try_take() for _ in range(5)] == [True] * 4 + [False]
    assert other[0].try_take()
    assert pools.held == 5
