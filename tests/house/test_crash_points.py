"""Every place where the process may be killed is declared, reached, and armed by a test."""

import ast
from collections.abc import Iterator

from postroom.faults import POINTS
from postroom.testing.crash.points import every_point, transactions
from tests.fault.kills import armed_points
from tests.house.tree import SRC, calls, place, python_files


def _reached() -> Iterator[tuple[str, str]]:
    """(point, place) of every `reach` with a fixed name; the two of a transaction are built from its name."""
    for path in python_files(SRC):
        for name, call in calls(path):
            if name.rpartition(".")[2] == "reach":
                yield from ((point, place(path, call.lineno)) for point in _names(call.args[0]))


def _names(given: ast.expr) -> Iterator[str]:
    """The points that one call may name: fixed texts, also behind an `if`; never a built one."""
    match given:
        case ast.Constant(value=str(point)):
            yield point
        case ast.IfExp(body=first, orelse=second):
            yield from _names(first)
            yield from _names(second)
        case _:
            return


def test_every_point_that_is_reached_is_declared() -> None:
    strange = [at for point, at in _reached() if point not in POINTS]

    assert not strange


def test_every_declared_point_is_reached_somewhere() -> None:
    assert not set(POINTS) - {point for point, _ in _reached()}


def test_every_point_is_armed_by_a_test() -> None:
    """The list is read from the code: a new transaction fails here until a test kills it."""
    assert not set(every_point()) - armed_points()


def test_no_test_arms_a_point_that_is_not_there() -> None:
    assert not armed_points() - set(every_point())


def test_the_transactions_are_read_from_the_code() -> None:
    assert {"accept", "start", "commit_answer", "recover_turn"} <= set(transactions())
