"""Faults are listed once, each with a code of its own and a docstring that says when and what to do."""

import inspect

from postroom import errors


def _faults() -> list[type[errors.Fault]]:
    return [
        fault
        for fault in vars(errors).values()
        if inspect.isclass(fault) and issubclass(fault, errors.Fault) and fault.__module__ == errors.__name__
    ]


def test_every_fault_names_its_own_code() -> None:
    unnamed = [fault.__name__ for fault in _faults() if "code" not in vars(fault)]

    assert not unnamed, f"faults that borrow the code of their base: {unnamed}"


def test_no_two_faults_share_a_code() -> None:
    codes = [fault.code for fault in _faults()]

    assert len(codes) == len(set(codes)), sorted(codes)


def test_every_fault_says_when_it_happens() -> None:
    silent = [fault.__name__ for fault in _faults() if not (fault.__doc__ or "").strip()]

    assert not silent
