"""Which steps a task may take, and in which order everything below one is ended."""

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.domain.task import FINAL_STATES, TaskState
from postroom.rules.cascade import deepest_first
from postroom.rules.lifecycle import TASK_LEGAL, is_absorbed, is_legal_for_task

P, Q, R = TaskState.PENDING, TaskState.QUEUED, TaskState.RUNNING
C, X, E = TaskState.COMPLETED, TaskState.CANCELLED, TaskState.ERRORED
LEGAL = {(P, Q), (P, R), (P, X), (P, E), (Q, R), (Q, X), (Q, E), (R, C), (R, X), (R, E)}


@pytest.mark.parametrize(("before", "after"), list(product(TaskState, TaskState)))
def test_a_task_takes_the_ten_legal_steps_and_no_other(before: TaskState, after: TaskState) -> None:
    """OP-67: every pair of states; staying where it is changes other fields only."""
    assert is_legal_for_task(before, after) == ((before, after) in LEGAL or before is after)


@pytest.mark.parametrize("state", list(TaskState))
def test_a_final_state_absorbs_everything(state: TaskState) -> None:
    """OP-67: nothing leads out of it."""
    assert is_absorbed(state) == (state in FINAL_STATES)
    assert not any(before in FINAL_STATES for before, _ in TASK_LEGAL)


@pytest.mark.parametrize(
    ("parents", "order"),
    [
        ([(1, None)], [1]),
        ([(1, None), (2, 1), (3, 2), (4, 1)], [3, 4, 2, 1]),
        ([(2, 1), (1, 2)], [2, 1]),
        ([(1, 1)], [1]),
        ([(1, None), (8, 9), (9, 8)], [1]),
    ],
    ids=["alone", "two deep", "a loop through the root", "its own parent", "a loop beside"],
)
def test_descendants_come_before_the_root(
    parents: Sequence[tuple[int, int | None]], order: list[int]
) -> None:
    """OP-70: and cycles terminate."""
    assert deepest_first(1, parents) == order


@given(st.lists(st.integers(min_value=0, max_value=12), max_size=12))
def test_whatever_the_rows_each_task_comes_once_and_after_what_is_below_it(above: list[int]) -> None:
    """OP-70: any graph of parents, loops too."""
    parents = [(task, parent) for task, parent in enumerate(above, start=1)]

    order = deepest_first(0, parents)

    assert order[-1] == 0
    assert len(order) == len(set(order))
    by_task = dict(parents)
    inner = [task for task in order if task != 0]
    assert all(order.index(task) < order.index(by_task[task]) for task in inner)
