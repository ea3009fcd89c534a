"""A room in a process of its own: reads orders from its standard input, one JSON object a line.

`{"id", "do", "with"}` is answered by `{"id", "value"}` or `{"id", "error"}`; orders do not wait for each
other. The first line says what to open. Exit codes: 0 closed in good order, 4 the store is in use, 1 any
other fault.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, cast

from postroom.daemon.wire import failure_of
from postroom.domain.plain import Json
from postroom.errors import Fault, StoreInUse
from postroom.testing.scenario.reading import read_file
from postroom.testing.scenario.room import RoomStage
from postroom.testing.scenario.stage import Start

Order: TypeAlias = Callable[[list[Json]], Awaitable[Json]]


def main() -> int:
    """Play one life."""
    parser = argparse.ArgumentParser(prog="python -m postroom.testing.scenario")
    parser.add_argument("file", type=Path)
    parser.add_argument("policy")
    parser.add_argument("folder", type=Path)
    parser.add_argument("now_us", type=int)
    parser.add_argument("--open", nargs="*", default=[])
    parser.add_argument("--visit", action="store_true", help="open, wait until all is quiet, close")
    given = parser.parse_args()
    start = Start(
        read=read_file(given.file), policy=given.policy, folder=given.folder, now_us=given.now_us,
        open_gates=cast("list[str]", given.open),
    )  # fmt: skip
    try:
        asyncio.run(_visit(start) if given.visit else _serve(start))
    except Fault as fault:
        print(fault, file=sys.stderr)  # noqa: T201 - a program speaks
        return 4 if isinstance(fault, StoreInUse) else 1
    return 0


async def _visit(start: Start) -> None:
    """What a second process does that gets the store."""
    stage = await RoomStage.open(start)
    await stage.quiesce()
    await stage.close()


async def _serve(start: Start) -> None:
    reader = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb")
    )
    stage = await RoomStage.open(start)
    _say({"id": 0, "value": "open"})
    orders = _orders(stage)
    running: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        order = cast("Mapping[str, Json]", json.loads(line))
        if order["do"] == "close":
            break
        task = asyncio.create_task(_answer(orders, order))
        running.add(task)
        task.add_done_callback(running.discard)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await stage.close()


async def _answer(orders: Mapping[str, Order], order: Mapping[str, Json]) -> None:
    try:
        value = await orders[str(order["do"])](cast("list[Json]", order["with"]))
    except Exception as error:  # outermost frame of an order: whoever gave it is told
        _say({"id": order["id"], "error": failure_of(error).as_json()})
    else:
        _say({"id": order["id"], "value": value})


def _say(answer: dict[str, Json]) -> None:
    print(json.dumps(answer), flush=True)  # noqa: T201 -- the parent reads this line


def _orders(stage: RoomStage) -> Mapping[str, Order]:
    return {
        "do": lambda w: stage.do(str(w[0]), cast("dict[str, Json]", w[1])),
        "open_gates": lambda w: stage.open_gates(cast("Sequence[str]", w[0])),
        "shut_gates": lambda w: stage.shut_gates(cast("Sequence[str]", w[0])),
        "arrivals": lambda w: stage.arrivals(str(w[0])),
        "pass_time": lambda w: stage.pass_time(_number(w[0])),
        "step_wall": lambda w: stage.step_wall(_number(w[0])),
        "quiesce": lambda _: stage.quiesce(),
        "changed": lambda w: stage.changed(int(_number(w[0]))),
        "slots_held": lambda _: stage.slots_held(),
        "arm": lambda w: stage.arm(str(w[0])),
    }


def _number(value: Json) -> float:
    assert isinstance(value, int | float)  # noqa: S101 -- the parent sends numbers
    return value


if __name__ == "__main__":
    sys.exit(main())
