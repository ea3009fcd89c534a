"""Cache markers of the messages wire: what they look like, how many there may be, in which order."""

from collections.abc import Iterable

from postroom.testing.provider_emulator.breach import Breach, Place, Rule
from postroom.testing.provider_emulator.fields import TEXT, Fields, an_object, check_shape

_MOST = 4
_LIFETIMES = ("5m", "1h")


def check_marker(fields: Fields, at: Place) -> None:
    """Refuse a marker of another shape."""
    if fields.get("cache_control") is None:
        return
    place = (*at, "cache_control")
    marker = an_object(fields["cache_control"], place)
    check_shape(marker, {"type": TEXT, "ttl": TEXT}, place, required=("type",))
    if marker["type"] != "ephemeral":
        raise Breach(Rule.BAD_VALUE, at=(*place, "type"), names=("'ephemeral'",))
    if marker.get("ttl") not in (None, *_LIFETIMES):
        raise Breach(Rule.BAD_VALUE, at=(*place, "ttl"), names=("'5m' or '1h'",))


def check_markers(marked: Iterable[Fields], found: int) -> None:
    """Refuse more markers than the vendor takes, and a long life after a short one."""
    if found > _MOST:
        raise Breach(Rule.TOO_MANY_MARKERS, names=(str(found), str(_MOST)))
    short = False
    for fields in marked:
        long = lifetime(fields) == "1h"
        if long and short:
            raise Breach(
                Rule.BAD_VALUE,
                says="a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
            )
        short = short or not long


def lifetime(fields: Fields) -> str:
    """How long what this marker ends is kept."""
    marker = fields.get("cache_control")
    ttl = marker.get("ttl") if isinstance(marker, dict) else None
    return str(ttl or _LIFETIMES[0])
