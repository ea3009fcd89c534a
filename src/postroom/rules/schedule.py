"""What a boundary takes, in which order, and whether a branch has a reason to run.

At the boundary that opens a turn everything is read in acceptance order, user text first; only at
later boundaries may steers pass queued mail (G4, O-08). Mail of one chain opens a turn together; a
task and a person's prompt open a turn of their own, which other mail may join where the policy lets it.
"""

from collections.abc import Sequence

from postroom.domain.message import TASKS, Delivery, Kind, Mode


def opener(waiting: Sequence[Delivery]) -> Delivery | None:
    """Which delivery opens the next turn: user text first, else the oldest that may wake."""
    wakers = [d for d in waiting if d.kind is not Kind.NOTICE and not d.parked]
    user = next((d for d in wakers if d.kind is Kind.USER), None)
    return user or (wakers[0] if wakers else None)


def opening(waiting: Sequence[Delivery], *, together: bool = True) -> tuple[Delivery, ...]:
    """What the boundary that opens a turn takes, in reading order; empty when nothing opens one.

    Where mail does not drain `together`, each opens its own turn, and only what opens none is read beside it.
    """
    first = opener(waiting)
    if first is None:
        return ()
    if not together:
        return _in_order([first, *(d for d in waiting if d is not first and _is_read_with_anything(d))])
    if _opens_alone(first):
        rest = [d for d in waiting if d is not first and _may_join_opening(first, d)]
        return _in_order([first, *rest])
    return _in_order(_run_of(first, waiting))


def joining(waiting: Sequence[Delivery]) -> tuple[Delivery, ...]:
    """What a later boundary of a running turn takes: steers, notices and what is already in context."""
    return _in_order([d for d in waiting if _may_join_running(d)])


def _opens_alone(delivery: Delivery) -> bool:
    return delivery.owes or delivery.kind is Kind.USER


def _may_join_opening(first: Delivery, other: Delivery) -> bool:
    if _may_join_running(other):
        return True
    return first.kind is Kind.USER and not _opens_alone(other)


def _may_join_running(delivery: Delivery) -> bool:
    return _is_read_with_anything(delivery) or (delivery.mode is Mode.STEER and not delivery.owes)


def _is_read_with_anything(delivery: Delivery) -> bool:
    """It opens nothing itself, or stands in the context already.

    A task always waits for its own turn, and mail that is owed an answer does, until it is parked: then its
    sender was told that no answer comes.
    """
    if delivery.kind in TASKS:
        return False
    if delivery.parked or delivery.kind is Kind.NOTICE:
        return True
    return delivery.node is not None and not delivery.owes


def _run_of(first: Delivery, waiting: Sequence[Delivery]) -> list[Delivery]:
    """The longest run in acceptance order that shares the opener's chain, and what never opens."""
    taken: list[Delivery] = []
    running = True
    for d in waiting:
        is_of_run = running and d.chain == first.chain and not _opens_alone(d)
        if is_of_run or _is_read_with_anything(d):
            taken.append(d)
        else:
            running = False
    return taken


def _in_order(taken: list[Delivery]) -> tuple[Delivery, ...]:
    """Acceptance order, the person's text before all else: it is never behind agent mail."""
    return tuple(sorted(taken, key=lambda d: (d.kind is not Kind.USER, d.seq)))


def deepest(taken: Sequence[Delivery]) -> tuple[int, int]:
    """The path numbers of a turn: the maximum over what it took, never the minimum."""
    return (
        max((d.messages for d in taken), default=0),
        max((d.generations for d in taken), default=0),
    )
