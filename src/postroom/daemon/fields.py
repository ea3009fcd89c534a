"""Arguments as commands of the door declare and read them. A text is judged whole: refused, never mended."""

from typing import Final, TypeAlias

from postroom.surfaces.arguments import Field

LISTED: Final = 50
"""Lines of a list unless the caller says otherwise."""
Values: TypeAlias = dict[str, str | bool | int]


def words(
    name: str, meaning: str, *, required: bool = True, choices: tuple[str, ...] = (),
    default: str | None = None,
) -> Field:  # fmt: skip
    """A text. One that may be left out and has no default is not among the values then."""
    return Field(
        name=name, type="string", description=meaning, required=required, choices=choices, default=default,
        raw=True,
    )  # fmt: skip


def number(name: str, meaning: str, default: int | None, *, least: int | None = None) -> Field:
    """A whole number, which must be there when it has no default."""
    return Field(
        name=name, type="integer", description=meaning, default=default, required=default is None, least=least
    )


def some_number(name: str, meaning: str, *, least: int | None = None) -> Field:
    """A whole number that may be left out, and is not among the values then."""
    return Field(name=name, type="integer", description=meaning, required=False, least=least)


def number_of(values: Values, name: str) -> int | None:
    """A number that may have been left out."""
    value = values.get(name)
    return None if value is None else int(value)


def flag(name: str, meaning: str, *, default: bool | None = False) -> Field:
    """Yes or no, which must be said when it has no default."""
    return Field(name=name, type="boolean", description=meaning, default=default, required=default is None)


AGENT: Final = "an agent: session id, handle, SESSION:BRANCH, name or the id of its task"
SESSION: Final = words("session", AGENT)
SOME_SESSION: Final = words("session", AGENT, required=False)


def text_of(values: Values, name: str) -> str | None:
    """A text that may have been left out."""
    return str(values[name]) if name in values else None
