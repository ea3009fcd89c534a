"""`[retention]`: how long texts of conversations that are over are kept, and how such a time is written."""

import re
from dataclasses import dataclass
from typing import Final

from postroom.profiles.fields import Fields

DURATION: Final = "a number with a unit, such as 30d, 12h or 1d12h (d, h, m, s)"
"""How a length of time is written."""
_PARTS: Final = re.compile(r"(?=\d)(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?")
_SECONDS: Final = (86_400, 3_600, 60, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionSettings:
    """`[retention]`: what is removed by itself, and when. What is removed cannot be had back."""

    consumed_after: str = ""
    """How long the texts of a conversation stay that is over, such as `30d`. Empty: until they are pruned by
    hand."""

    @property
    def consumed_after_s(self) -> int | None:
        """The same in seconds; none for ever."""
        return duration_s(self.consumed_after)


def duration_s(text: str) -> int | None:
    """The seconds of a length of time; none for what is none."""
    found = _PARTS.fullmatch(text.strip())
    if found is None:
        return None
    return sum(int(part or 0) * unit for part, unit in zip(found.groups(), _SECONDS, strict=True))


def read_retention(table: Fields) -> RetentionSettings:
    """What a `[retention]` table says."""
    text, setting = table.text("consumed_after"), table.setting("consumed_after")
    table.close()
    if text and setting is not None and duration_s(text) is None:
        table.complain(setting, f"`{text}` is no length of time", f"write {DURATION}")
        return RetentionSettings()
    return RetentionSettings(consumed_after=text or "")
