"""What a function's signature and docstring tell a model, and the strict decoding of what it sends.

pydantic is imported when the first function becomes a tool, not before: it would double the start of
a command that runs no agent.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast, get_type_hints

from postroom.errors import ConfigFault
from postroom.llm.port import Json
from postroom.tools.base import Caller

if TYPE_CHECKING:
    from pydantic import BaseModel

_PLAIN_KINDS: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_SECTION: Final = re.compile(r"^(?:Args|Arguments|Parameters|Returns|Raises|Yields):\s*$|^:\w+")
_ARGUMENTS: Final = re.compile(r"^(?:Args|Arguments|Parameters):\s*$")
_ENTRY: Final = re.compile(r"^(?::param (?P<param>\w+):|(?P<arg>\w+)(?: \([^)]*\))?:)\s*(?P<text>.*)$")


class BadArguments(ValueError):
    """The model's arguments do not fit. The text says for each one why; it is meant for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A function's parameters as a closed schema, and whether it wants to know its caller."""

    description: str
    schema: Mapping[str, Json]
    wants_caller: bool
    parameters: tuple[str, ...]
    model: "type[BaseModel]"

    def decode(self, arguments: Mapping[str, Json]) -> dict[str, object]:
        """Values by parameter. Raises `BadArguments` for an unknown, missing or mistyped argument.

        JSON has neither dates nor tuples nor enums, so those are read from what JSON has; apart from
        that nothing is converted: the text "3" is no number.
        """
        from pydantic import ValidationError  # noqa: PLC0415 - see above

        try:
            values = self.model.model_validate_json(json.dumps(arguments), strict=True)
        except ValidationError as wrong:
            reasons = (self._reason(error["loc"], error) for error in wrong.errors())
            raise BadArguments("; ".join(reasons)) from None
        return {name: getattr(values, _field_name(position)) for position, name in enumerate(self.parameters)}

    def _reason(self, place: tuple[int | str, ...], error: Mapping[str, object]) -> str:
        where = ".".join(str(part) for part in place) or "arguments"
        if error["type"] == "extra_forbidden":
            known = ", ".join(self.parameters) or "none"
            return f"{where}: unknown argument (known here: {known})"
        return f"{where}: {error['msg']}"


def read_signature(function: Callable[..., object], shown: str) -> Signature:
    """What a model is told of a function.

    Raises `ConfigFault` when a parameter has no type that JSON can carry, or nothing says what the
    function does.
    """
    if (summary := _summary(function)) == "":
        raise ConfigFault(
            f"{shown} has no docstring", remedy="say in it what the tool does; the model reads it"
        )
    hints = _hints(function, shown)
    parameters = list(inspect.signature(function).parameters.values())
    wants_caller = bool(parameters) and hints.get(parameters[0].name) is Caller
    own = parameters[1:] if wants_caller else parameters
    for parameter in own:
        _check_parameter(parameter, hints, shown)
    model = _model(function, own, hints)
    return Signature(
        description=summary,
        schema=_schema(model, shown),
        wants_caller=wants_caller,
        parameters=tuple(parameter.name for parameter in own),
        model=model,
    )


def _hints(function: Callable[..., object], shown: str) -> dict[str, object]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as cause:
        raise ConfigFault(
            f"{shown}: a type cannot be resolved: {cause}",
            remedy="import it where the function is defined, at run time too",
        ) from cause


def _check_parameter(parameter: inspect.Parameter, hints: Mapping[str, object], shown: str) -> None:
    place = f"{shown}: parameter `{parameter.name}`"
    if parameter.kind not in _PLAIN_KINDS:
        raise ConfigFault(f"{place} has no name of its own", remedy="list each parameter by name")
    if parameter.name not in hints:
        raise ConfigFault(f"{place} has no type", remedy="annotate it, such as `text: str`")
    if hints[parameter.name] is Caller:
        raise ConfigFault(f"{place} is the caller", remedy="the caller is the first parameter")


def _model(
    function: Callable[..., object],
    parameters: list[inspect.Parameter],
    hints: Mapping[str, object],
) -> "type[BaseModel]":
    """Fields are numbered and get the parameter as alias: any name may be a parameter's name."""
    from pydantic import ConfigDict, Field, create_model  # noqa: PLC0415 - see above
    from pydantic.errors import PydanticUserError  # noqa: PLC0415 - see above

    told = _told(function)
    fields: dict[str, tuple[object, object]] = {}
    for position, parameter in enumerate(parameters):
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        # An explicit `None` would hide the description of an `Annotated[..., Field(...)]`.
        said = {"description": told[parameter.name]} if parameter.name in told else {}
        about = Field(default, alias=parameter.name, **said)  # pyright: ignore[reportCallIssue,reportArgumentType,reportUnknownVariableType]
        fields[_field_name(position)] = (hints[parameter.name], about)
    shown = getattr(function, "__name__", "tool")
    try:
        made = create_model(shown, __config__=ConfigDict(extra="forbid"), **fields)  # pyright: ignore[reportCallIssue,reportArgumentType,reportUnknownVariableType]
    except PydanticUserError as cause:
        raise ConfigFault(
            f"{shown}: a parameter's type cannot be sent as JSON: {cause.message}",
            remedy="use text, numbers, lists, dataclasses or pydantic models",
        ) from cause
    return cast("type[BaseModel]", made)


def _schema(model: "type[BaseModel]", shown: str) -> dict[str, Json]:
    from pydantic.errors import PydanticUserError  # noqa: PLC0415 - see above
    from pydantic.json_schema import GenerateJsonSchema  # noqa: PLC0415 - see above

    class Plain(GenerateJsonSchema):
        """Without generated titles, and without a warning for a default that JSON cannot hold."""

        ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}  # noqa: RUF012 - pydantic's name

        def field_title_should_be_set(self, schema: object) -> bool:
            del schema
            return False

    try:
        schema = cast("dict[str, Json]", model.model_json_schema(schema_generator=Plain))
    except PydanticUserError as cause:
        raise ConfigFault(
            f"{shown}: a parameter's type has no JSON schema: {cause.message}",
            remedy="use text, numbers, lists, dataclasses or pydantic models",
        ) from cause
    schema.pop("title", None)
    return schema


def _field_name(position: int) -> str:
    return f"p{position}"


def _summary(function: Callable[..., object]) -> str:
    """The docstring up to its first section."""
    lines = (inspect.getdoc(function) or "").splitlines()
    end = next((n for n, line in enumerate(lines) if _SECTION.match(line)), len(lines))
    return "\n".join(lines[:end]).strip()


def _told(function: Callable[..., object]) -> dict[str, str]:
    """What the docstring says of each parameter, in the two usual ways of writing it."""
    told: dict[str, str] = {}
    in_arguments, current = False, ""
    for line in (inspect.getdoc(function) or "").splitlines():
        if _SECTION.match(line):
            in_arguments, current = bool(_ARGUMENTS.match(line)), ""
        entry = _ENTRY.match(line.strip()) if in_arguments or line.startswith(":param ") else None
        if entry and (entry["param"] or in_arguments):
            current = entry["param"] or entry["arg"]
            told[current] = entry["text"].strip()
        elif current and line.strip():
            told[current] = f"{told[current]} {line.strip()}".strip()
    return told
