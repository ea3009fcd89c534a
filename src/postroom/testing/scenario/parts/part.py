"""The base of everything that a scenario file may hold: strict, and wordy about what is wrong."""

import difflib
from collections.abc import Mapping
from typing import Annotated, ClassVar, Self, TypeAlias, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema, model_validator

__all__ = ["Count", "Field", "Name", "Names", "Part", "Values"]


class Part(BaseModel):
    """One map of a scenario file. A key that it does not know is an error that names the right ones."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)
    needs: ClassVar[tuple[str, ...]] = ()
    """One of these must be given: without any the map would say nothing, and nothing always holds."""

    @model_validator(mode="before")
    @classmethod
    def _knows_every_key(cls, given: object) -> object:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            msg = f"must be a map; its keys: {', '.join(known)}"
            raise ValueError(msg)  # noqa: TRY004 -- pydantic makes an error of the file of this one only
        for key in cast("Mapping[object, object]", given):
            if str(key) in known:
                continue
            close = difflib.get_close_matches(str(key), known, n=1)
            right = f"did you mean `{close[0]}`?" if close else f"known: {', '.join(known)}"
            raise ValueError(f"unknown key `{key}`; {right}")
        return cast("object", given)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        given = (getattr(self, name) for name in self.needs)
        if self.needs and all(value is None or value is False for value in given):
            raise ValueError(f"says nothing: give it {' or '.join(self.needs)}")
        return self


def _listed(given: object) -> object:
    return [given] if isinstance(given, str) else given


def _counted(given: object) -> object:
    if isinstance(given, int) and not isinstance(given, bool):
        return {"exactly": given}
    if not isinstance(given, Mapping | Bounds):
        msg = "must be a whole number, or a map with at_least and at_most"
        raise ValueError(msg)  # noqa: TRY004 -- pydantic makes an error of the file of this one only
    return cast("object", given)


class Bounds(Part):
    """How many: a number, or a map of one or both bounds."""

    needs = ("exactly", "at_least", "at_most")
    exactly: Annotated[int, Field(ge=0)] | None = None
    at_least: Annotated[int, Field(ge=0)] | None = None
    at_most: Annotated[int, Field(ge=0)] | None = None

    def holds(self, number: int) -> bool:
        """Whether a number is within."""
        return (
            self.exactly in {None, number}
            and (self.at_least is None or number >= self.at_least)
            and (self.at_most is None or number <= self.at_most)
        )

    def __str__(self) -> str:
        words = {"": self.exactly, "at least ": self.at_least, "at most ": self.at_most}
        return " and ".join(f"{word}{number}" for word, number in words.items() if number is not None)


Name: TypeAlias = Annotated[str, Field(min_length=1)]
Names: TypeAlias = Annotated[
    list[Name],
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""One name, or a list of them."""
Count: TypeAlias = Annotated[
    Bounds,
    BeforeValidator(_counted),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        name: {"type": "integer", "minimum": 0} for name in ("exactly", "at_least", "at_most")
                    },
                },
            ]
        }
    ),
]
"""A number, or `{at_least: n, at_most: m}`."""
Values: TypeAlias = dict[str, JsonValue]
"""Keys and the plain values that they must have."""
