"""Deliveries as the rules see them: what waits in one mailbox, told by the place in its order."""

from typing import TypedDict, Unpack

from postroom.domain.keys import BranchKey, ChainKey, DeliveryKey, MessageKey, NodeKey
from postroom.domain.message import TASKS, Delivery, Kind, Mode, State

STEER, QUEUE = Mode.STEER, Mode.QUEUE


class Given(TypedDict, total=False):
    """What a test may want to be otherwise; `path` is messages and generations."""

    chain: int
    sender: int
    parked: bool
    node: int
    path: tuple[int, int]
    owes: bool


def delivery(seq: int, kind: Kind = Kind.MAIL, mode: Mode = STEER, **given: Unpack[Given]) -> Delivery:
    """An accepted delivery of chain 1 and sender 7."""
    messages, generations = given.get("path", (0, 0))
    return Delivery(
        key=DeliveryKey(seq), message=MessageKey(seq), recipient=BranchKey(1),
        sender=None if kind is Kind.USER else BranchKey(given.get("sender", 7)), kind=kind, mode=mode,
        state=State.ACCEPTED, seq=seq, chain=ChainKey(given.get("chain", 1)), messages=messages,
        generations=generations, attempts=0, parked=given.get("parked", False),
        owes=given.get("owes", kind in TASKS), turn=None,
        node=NodeKey(given["node"]) if "node" in given else None,
    )  # fmt: skip


def steer(seq: int, **given: Unpack[Given]) -> Delivery:
    """Mail that may join a running turn."""
    return delivery(seq, **given)


def queued(seq: int, **given: Unpack[Given]) -> Delivery:
    """Mail that opens a later turn."""
    return delivery(seq, mode=QUEUE, **given)


def user(seq: int, mode: Mode = QUEUE, **given: Unpack[Given]) -> Delivery:
    """A text of the person; it opens a turn of its own unless it steers."""
    return delivery(seq, Kind.USER, mode, **given)


def prompt(seq: int, **given: Unpack[Given]) -> Delivery:
    """The first text of a spawned agent."""
    return delivery(seq, Kind.PROMPT, QUEUE, **given)


def result(seq: int, **given: Unpack[Given]) -> Delivery:
    """The end of a task, on its way to the dispatcher."""
    return delivery(seq, Kind.RESULT, **given)


def notice(seq: int, **given: Unpack[Given]) -> Delivery:
    """A word of the runtime."""
    return delivery(seq, Kind.NOTICE, **given)
