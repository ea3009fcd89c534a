"""What requests may hold: every number and every text has bounds, and a body has no other fields.

A text that goes to an agent is judged by the room itself, which refuses it with `invalid_body`. All others
are names and the like; one that no file could hold is refused here.
"""

from typing import Annotated, Final, TypeAlias

from fastapi import Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from postroom.domain.ask import ApprovalMode
from postroom.domain.message import HARD_BODY_BYTES_MAX, Mode
from postroom.rules.text import is_encodable

REFERENCE_CHARS_MAX: Final = 512
"""The longest name of an agent, a message, a task or an ask that is looked up."""
LINE_CHARS_MAX: Final = 1_000
PATH_CHARS_MAX: Final = 4_096
LISTED: Final = 50
"""Lines of a list unless the caller says otherwise."""
LISTED_MAX: Final = 500
US_MAX: Final = (1 << 53) - 1
"""The last time, and the greatest number, that every reader of JSON takes as it is."""


class Given(BaseModel):
    """A body: exactly these fields, each of its own type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _kept(text: str) -> str:
    if not is_encodable(text):
        raise ValueError("holds what cannot be kept: NUL, or half of a character")
    return text


_KEPT: Final = AfterValidator(_kept)
Name: TypeAlias = Annotated[str, StringConstraints(max_length=REFERENCE_CHARS_MAX), _KEPT]
"""What somebody or something is called."""
Line: TypeAlias = Annotated[str, StringConstraints(max_length=LINE_CHARS_MAX), _KEPT]
"""A short text: a reason, words to search for."""
Folder: TypeAlias = Annotated[str, StringConstraints(max_length=PATH_CHARS_MAX), _KEPT]
"""A directory of the machine that the daemon runs on."""
Words: TypeAlias = Annotated[str, StringConstraints(max_length=HARD_BODY_BYTES_MAX)]
"""A text for an agent."""
Dollars: TypeAlias = Annotated[str, StringConstraints(max_length=32), _KEPT]
"""An amount as a person writes it, such as `0.50`."""
Tokens: TypeAlias = Annotated[int, Field(ge=0, le=US_MAX)]
AskMode: TypeAlias = Annotated[ApprovalMode, Field(strict=False)]
MailMode: TypeAlias = Annotated[Mode, Field(strict=False)]
Reference: TypeAlias = Annotated[str, Path(max_length=REFERENCE_CHARS_MAX), _KEPT]
"""An agent in the address: a session id, a handle, `SESSION:BRANCH`, a name, the id of a task."""
Id: TypeAlias = Annotated[str, Path(max_length=REFERENCE_CHARS_MAX), _KEPT]
"""A message, a task, an ask or a timer in the address."""
NodeKey: TypeAlias = Annotated[int, Path(ge=1, le=US_MAX)]
"""A node in the address."""
SomeAgent: TypeAlias = Annotated[Name | None, Query()]
Limit: TypeAlias = Annotated[int, Query(ge=1, le=LISTED_MAX)]
Key: TypeAlias = Annotated[int | None, Query(ge=1, le=US_MAX)]
"""What the following page begins behind."""
