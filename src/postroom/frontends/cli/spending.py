"""`postroom spend`: what requests to models have cost, by agent, by chain or by day."""

from typing import Final, cast

from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import look, store_of
from postroom.frontends.cli.words import counted
from postroom.observe import looks

_NUMBERS: Final = ("rounds", "input_tokens", "cache_read_tokens", "output_tokens")
_MICROS: Final = 1_000_000


def spend(asked: Asked, out: Output) -> int:
    """A line for each agent, chain or day, newest first."""
    by = cast("looks.By", asked.text("by"))
    session, limit = asked.text_or_none("session"), asked.number("limit") or 0
    asking: dict[str, Json] = {"by": by, "session": session, "limit": limit}
    found = look(
        store_of(asked), "spend", asking, lambda glance: glance.read(looks.spend, by, session, limit)
    )
    if out.as_json:
        out.document({"by": by, "spend": found})
        return DONE
    listed = texts.rows(found)
    if not listed:
        out.note("no answer has been counted yet")
        return DONE
    header = (by.upper(), "ROUNDS", "INPUT", "CACHED", "OUTPUT", "COST", "TITLE" if by != "agent" else "NAME")
    out.table(header, [_cells(line) for line in listed])
    unpriced = sum(int(texts.text(line, "unpriced")) for line in listed)
    if unpriced:
        out.note(
            f"{counted(unpriced, 'request')} had no known price: a round each, or a side call, which is none"
        )
    return DONE


def _cells(line: texts.Row) -> tuple[str, ...]:
    dollars = int(texts.text(line, "cost_micros")) / _MICROS
    numbers = (texts.text(line, name) for name in _NUMBERS)
    return (texts.text(line, "key"), *numbers, f"${dollars:.4f}", texts.text(line, "title"))
