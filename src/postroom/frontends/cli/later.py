"""Texts that wait for their time: `send --at` and `postroom timers`."""

import time
from typing import cast

from postroom.daemon.fields import LISTED
from postroom.frontends.cli import texts
from postroom.frontends.cli.change import NOTHING_RUNS, Change, message_arguments
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.times import due_us, shown_time
from postroom.observe import looks

HEADER = ("TIMER", "DUE", "TO", "MODE", "BYTES")


def send_at(asked: Asked, out: Output) -> int:
    """Keep a text in the store until its time has come."""
    if asked.flag("run"):
        raise Usage(
            "--at and --run do not go together", remedy="what waits is said by a process that runs then"
        )
    due = due_us(asked.text("at"), time.time_ns() // 1_000)
    return do_change(asked, out, Change(
        command="send_at", arguments={**message_arguments(asked), "due_us": due}, repeatable=True,
        told=lambda found: f"waits until {shown_time(cast('int', found['due_us']))}: {found['timer_id']}",
        idle=f"{NOTHING_RUNS}; it is said by the process that opens this store then or later",
    ))  # fmt: skip


def timers(asked: Asked, out: Output) -> int:
    """List what waits, or take one back."""
    cancelled = asked.text_or_none("cancel")
    if cancelled is not None:
        return do_change(asked, out, Change(
            command="cancel_timer", arguments={"timer_id": cancelled}, told=lambda _: "taken back",
        ))  # fmt: skip
    found = look(
        store_of(asked), "timers", {"limit": LISTED}, lambda glance: glance.read(looks.timers, LISTED)
    )
    if out.as_json:
        out.document({"timers": found})
        return DONE
    listed = texts.rows(found)
    if listed:
        out.table(HEADER, [_cells(timer) for timer in listed])
    else:
        out.note("nothing waits for its time")
    return DONE


def _cells(timer: texts.Row) -> tuple[str, ...]:
    due = shown_time(int(texts.text(timer, "due_us")))
    return (
        texts.text(timer, "timer_id"),
        due,
        *(texts.text(timer, key) for key in ("to", "mode", "body_bytes")),
    )
