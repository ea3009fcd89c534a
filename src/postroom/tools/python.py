"""Python functions as tools: typed, documented, synchronous or asynchronous.

Whatever a function does, the model gets a result: wrong arguments and exceptions become an error
result with the reason in it. Only what is meant for the process itself (`KeyboardInterrupt`,
`SystemExit`, a cancel) goes through.
"""

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar, cast

from postroom.errors import ConfigFault
from postroom.llm.port import Json, ToolSpec
from postroom.rules.permissions import TOOL_ACTIONS
from postroom.rules.text import is_blank, scrub
from postroom.tools.arguments import BadArguments, Signature, read_signature
from postroom.tools.base import Caller, ResourceOf, Tool, ToolFunction, ToolResult
from postroom.tools.own_thread import in_own_thread

NO_OUTPUT: Final = "(no output)"
# What every provider accepts as the name of a function.
NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MARK: Final = "postroom_tool"

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., object])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """What `@tool` says of a function."""

    parallel: bool = True
    name: str | None = None
    action: str = ""
    idempotent: bool = False


def tool(
    *, parallel: bool = True, name: str | None = None, action: str = "", idempotent: bool = False
) -> Callable[[AnyFunction], AnyFunction]:
    """Say more of a function that becomes a tool; it stays the function that it is.

    `parallel`: may run beside other calls of the same answer. `name`: the tool's name, if it is not
    the function's. `action`: what an agent needs a right to before it is called, one of `read`, `write`,
    `shell` and `mcp`; rules and the person read the tool's name as what it is done to. `idempotent`: made
    twice it does no more than made once, so a call that the process's death has cut may be made again.
    """

    def mark(function: AnyFunction) -> AnyFunction:
        said = _Mark(parallel=parallel, name=name, action=action, idempotent=idempotent)
        vars(function)[_MARK] = said
        return function

    return mark


def tool_from(
    function: Callable[..., object], *, shown: str = "", action: str = "", resource: ResourceOf | None = None
) -> Tool:
    """The function as a tool. `action` and `resource` are those of `Tool`; `action` counts before a mark's.

    Raises `ConfigFault` when its name, types or docstring cannot be told to a model, or its action is none;
    `shown` is how the message calls it.
    """
    own_name = str(getattr(function, "__name__", ""))
    mark = cast("_Mark", getattr(function, _MARK, _Mark()))
    name = mark.name or own_name
    shown = shown or name
    if not NAME.fullmatch(name):
        raise ConfigFault(
            f"{shown}: `{name}` cannot be the name of a tool",
            remedy="use at most 64 letters, digits, _ and -; @tool(name=...) gives another name",
        )
    action = action or mark.action
    if action and action not in TOOL_ACTIONS:
        raise ConfigFault(f"{shown}: `{action}` is no action", remedy=f"one of {', '.join(TOOL_ACTIONS)}")
    signature = read_signature(function, shown)
    spec = ToolSpec(name=name, description=signature.description, parameters=signature.schema)
    run = _runner(function, signature)
    return Tool(
        spec=spec, run=run, parallel=mark.parallel, action=action, resource=resource,
        idempotent=mark.idempotent,
    )  # fmt: skip


def _runner(function: Callable[..., object], signature: Signature) -> ToolFunction:
    is_async = inspect.iscoroutinefunction(function)

    async def run(caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
        try:
            values = signature.decode(arguments)
        except BadArguments as reason:
            return _error(f"invalid arguments: {reason}")
        first = (caller,) if signature.wants_caller else ()
        if is_async:
            made = cast("Callable[..., Awaitable[object]]", function)
            return await _settle_async(lambda: made(*first, **values))
        return await in_own_thread(lambda: _settle(lambda: function(*first, **values)))

    return run


async def _settle_async(call: Callable[[], Awaitable[object]]) -> ToolResult:
    try:
        return _result(await call())
    except Exception as failure:  # outermost frame of a foreign function
        return _error(told(failure))


def _settle(call: Callable[[], object]) -> ToolResult:
    try:
        return _result(call())
    except Exception as failure:  # outermost frame of a foreign function
        return _error(told(failure))


def _result(value: object) -> ToolResult:
    """Text as it is, anything else as JSON; a `ToolResult` may carry more. Raises what the encoder raises."""
    if value is None:
        return ToolResult(text=NO_OUTPUT)
    if isinstance(value, ToolResult):
        return replace(value, text=_clean(value.text))
    return ToolResult(text=_clean(value if isinstance(value, str) else _json(value)))


def _json(value: object) -> str:
    """JSON; dataclasses, pydantic models, dates and the like as pydantic writes them."""
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to load; most tools give text

    return TypeAdapter(object).dump_python(value, mode="json")


def _error(text: str) -> ToolResult:
    return ToolResult(text=_clean(text), is_error=True)


def _clean(text: str) -> str:
    scrubbed = scrub(text)
    return NO_OUTPUT if is_blank(scrubbed) else scrubbed


def told(failure: Exception) -> str:
    """Class and text of an exception. A traceback is for people, and it may hold what it should not."""
    name = type(failure).__name__
    try:
        said = str(failure)
    except Exception:  # outermost frame of a foreign `__str__`
        return name
    return f"{name}: {said}" if said else name
