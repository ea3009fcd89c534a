"""`postroom token`: who may call the daemon's API."""

import time
from typing import Final, cast

from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.frontends.cli.ask_texts import plain
from postroom.frontends.cli.change import Change
from postroom.frontends.cli.changing import do_change
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.times import due_us, shown_time
from postroom.observe.glance import Glance

HEADER: Final = ("TOKEN", "NAME", "SCOPE", "KIND", "MADE", "USED", "ENDS")
LISTED: Final = 500
_NEVER: Final = "-"


def token(asked: Asked, out: Output) -> int:
    """Add, list or revoke tokens."""
    do, what = asked.text("do"), asked.text_or_none("what")
    scope, expires = asked.text_or_none("scope"), asked.text_or_none("expires")
    if (what is None) != (do == "list"):
        raise Usage(f"`token {do}` takes {'nothing more' if do == 'list' else 'one thing'}", remedy=_FORMS)
    if (scope is None) == (do == "add") or (expires is not None and do != "add"):
        raise Usage("--scope and --expires belong to `token add`, and the first is needed", remedy=_FORMS)
    if what is None:
        return _list(asked, out)
    if scope is None:
        return do_change(asked, out, Change(
            command="revoke_token", arguments={"token_id": what}, told=_revoked, idle="", repeatable=True,
        ))  # fmt: skip
    return _add(asked, out, {"name": what, "scope": scope, "expires_us": _end(expires)})


def _add(asked: Asked, out: Output, arguments: dict[str, Json]) -> int:
    given: dict[str, Json] = {name: value for name, value in arguments.items() if value is not None}
    code = do_change(asked, out, Change(
        command="add_token", arguments=given, told=lambda found: texts.text(found, "secret"), idle="",
    ))  # fmt: skip
    if not out.as_json:
        out.note("This is the only time that it is shown. Send it as `Authorization: Bearer TOKEN`.")
    return code


def _end(expires: str | None) -> int | None:
    """When a token ends: in a while without a sign before it, or as other times are typed."""
    if expires is None:
        return None
    is_while = expires[:1].isdigit() and expires[-1:] in "dhms"
    return due_us(f"+{expires}" if is_while else expires, time.time_ns() // 1_000)


def _revoked(found: dict[str, Json]) -> str:
    return f"{plain(texts.text(found, 'name'))} opens nothing any more"


def _list(asked: Asked, out: Output) -> int:
    found = look(store_of(asked), "tokens", {"limit": LISTED}, _read)
    if out.as_json:
        out.document({"tokens": found})
        return DONE
    listed = texts.rows(found)
    if listed:
        out.table(HEADER, [_cells(row) for row in listed])
    else:
        out.note("there are no tokens; a running daemon has one of its own for this machine")
    return DONE


def _read(glance: Glance) -> Json:
    from postroom.observe.tokens import token_rows  # noqa: PLC0415 - slow to load

    return glance.read(token_rows, LISTED)


def _cells(row: texts.Row) -> tuple[str, ...]:
    return (
        texts.text(row, "token_id"), plain(texts.text(row, "name")), texts.text(row, "scope"),
        texts.text(row, "kind"), *(_time(row, key) for key in ("created_us", "last_used_us")),
        _time(row, "expires_us") if row["is_live"] else "over",
    )  # fmt: skip


def _time(row: texts.Row, key: str) -> str:
    at_us = cast("int | None", row[key])
    return _NEVER if at_us is None else shown_time(at_us)


_FORMS: Final = "write: postroom token add NAME --scope read, postroom token list, postroom token revoke ID"
