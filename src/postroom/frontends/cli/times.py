"""Times as a person types them: in a while, today, or a moment that every zone agrees on."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Final

from postroom.frontends.cli.parser import Usage

_MICROS: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_WHILE: Final = re.compile(r"\+(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_TODAY: Final = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_FORMS: Final = (
    "write +10m, +1h30m, 18:30 (today, here), or a date and time with zone: 2026-12-01T09:00+01:00"
)


def due_us(text: str, now_us: int) -> int:
    """The moment that is meant, in microseconds. Raises `Usage` for no time, and for one that has passed."""
    now = _EPOCH + timedelta(microseconds=now_us)
    try:
        moment = _moment(text.strip(), now)
        found = (moment - _EPOCH) // _MICROS
        shown = shown_time(found)  # what cannot be shown is as little a time as what cannot be read
    except (ValueError, OverflowError) as error:
        raise Usage(f"{text[:40]!r} is no time", remedy=_FORMS) from error
    if found <= now_us:
        raise Usage(f"{shown} has passed", remedy=_FORMS)
    return found


def shown_time(at_us: int) -> str:
    """A moment in the time of this machine, with its zone."""
    return (_EPOCH + timedelta(microseconds=at_us)).astimezone().isoformat(" ", "seconds")


def _moment(text: str, now: datetime) -> datetime:
    if found := _WHILE.fullmatch(text):
        days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
        return now + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    if _TODAY.fullmatch(text):
        clock = time.fromisoformat(text.rjust(len("18:30") if text.count(":") == 1 else len("18:30:00"), "0"))
        return datetime.combine(now.astimezone().date(), clock).astimezone()
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise Usage(f"{text[:40]!r} names no zone", remedy="add one: Z, or +01:00")
    return moment
