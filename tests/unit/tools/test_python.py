"""Python functions as tools: what the model is told, strict arguments, and results that never crash."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal, cast

import pytest
from pydantic import Field

from postroom.errors import ConfigFault
from postroom.llm.port import Image, Json
from postroom.tools.base import Caller, ToolResult
from postroom.tools.python import NO_OUTPUT, tool, tool_from

CALLER = Caller(session_id="s", branch_id="b", turn_id="t", call_id="c", agent="ada", cwd="/here")


@dataclass
class Place:
    """Where something is."""

    line: int


def find(
    caller: Caller,
    schema: str,
    limit: Annotated[int, Field(ge=1, description="how many")] = 3,
    near: Place | None = None,
    since: date = date(2026, 1, 2),
    order: Literal["up", "down"] = "up",
    marks: tuple[str, ...] = (),
) -> object:
    """Find text.

    In every file.

    Args:
        schema: the text
            to find
        near (Place): where to begin

    Returns:
        What was found.
    """
    return {
        "by": caller.agent,
        "schema": schema,
        "limit": limit,
        "near": near,
        "since": since,
        "order": order,
        "marks": marks,
    }


async def run(function: Callable[..., object], **arguments: Json) -> ToolResult:
    return await tool_from(function).run(CALLER, arguments)


def gives(value: object) -> Callable[[], object]:
    def give() -> object:
        """Give it."""
        return value

    return give


def raises(failure: BaseException) -> Callable[[], object]:
    def fail() -> object:
        """Fail."""
        raise failure

    return fail


def raises_async(failure: BaseException) -> Callable[[], object]:
    async def fail() -> object:
        """Fail."""
        raise failure

    return fail


def test_the_model_is_told_name_docstring_and_a_closed_schema() -> None:
    spec = tool_from(find).spec

    properties = cast("dict[str, dict[str, Json]]", spec.parameters["properties"])
    assert (spec.name, spec.description) == ("find", "Find text.\n\nIn every file.")
    assert spec.parameters["type"] == "object"
    assert spec.parameters["additionalProperties"] is False
    assert spec.parameters["required"] == ["schema"]
    assert list(properties) == ["schema", "limit", "near", "since", "order", "marks"]
    assert properties["schema"] == {"type": "string", "description": "the text to find"}
    assert properties["limit"] == {
        "type": "integer",
        "minimum": 1,
        "default": 3,
        "description": "how many",
    }
    assert properties["near"]["description"] == "where to begin"
    assert properties["since"] == {"type": "string", "format": "date", "default": "2026-01-02"}
    assert properties["order"] == {"type": "string", "enum": ["up", "down"], "default": "up"}


def test_a_function_without_parameters_has_a_closed_empty_schema() -> None:
    spec = tool_from(gives("x")).spec

    assert spec.parameters == {"type": "object", "properties": {}, "additionalProperties": False}


def test_the_decorator_leaves_the_function_and_tells_the_tool() -> None:
    @tool(parallel=False, name="add-up")
    def add(a: int, b: int) -> int:
        """Add.

        :param a: one
        :param b: other
        """
        return a + b

    made = tool_from(add)

    properties = cast("dict[str, dict[str, Json]]", made.spec.parameters["properties"])
    assert add(1, 2) == 3
    assert (made.spec.name, made.parallel) == ("add-up", False)
    assert [properties[name]["description"] for name in "ab"] == ["one", "other"]
    assert made.spec.description == "Add."


async def test_arguments_arrive_as_what_the_function_declared() -> None:
    result = await run(find, schema="x", near={"line": 4}, since="2026-02-03", marks=["m"])

    assert result == ToolResult(
        text='{"by": "ada", "schema": "x", "limit": 3, "near": {"line": 4}, '
        '"since": "2026-02-03", "order": "up", "marks": ["m"]}'
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "schema: Field required"),
        ({"schema": 3}, "schema: Input should be a valid string"),
        ({"schema": None}, "schema: Input should be a valid string"),
        ({"schema": "x", "limit": "3"}, "limit: Input should be a valid integer"),
        ({"schema": "x", "limit": 3.0}, "limit: Input should be a valid integer"),
        ({"schema": "x", "limit": True}, "limit: Input should be a valid integer"),
        ({"schema": "x", "limit": 0}, "limit: Input should be greater than or equal to 1"),
        ({"schema": "x", "order": "over"}, "order: Input should be 'up' or 'down'"),
        ({"schema": "x", "near": {"lin": 1}}, "near.line: Field required"),
        ({"schema": "x", "shema": "y"}, "shema: unknown argument (known here: schema, limit, near"),
        ({"schema": "x", "caller": "eve"}, "caller: unknown argument"),
        ({"schema": "x", "p0": "y"}, "p0: unknown argument"),
        ({"schema": "\ud800"}, "Invalid JSON"),
        ({"limit": 0}, "schema: Field required; limit: "),
    ],
)
async def test_arguments_that_do_not_fit_give_a_result_with_the_reason(
    arguments: dict[str, Json], reason: str
) -> None:
    result = await run(find, **arguments)

    assert result.is_error
    assert result.text.startswith("invalid arguments: ")
    assert reason in result.text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("", NO_OUTPUT),
        (" \n\u200b", NO_OUTPUT),
        (None, NO_OUTPUT),
        (3, "3"),
        (False, "false"),
        (["é", {"a": None}], '["é", {"a": null}]'),
        (Place(line=3), '{"line": 3}'),
        (date(2026, 1, 2), '"2026-01-02"'),
        ("a\ud800\0\ufffe\uffffb", "a\ufffd\ufffd\ufffd\ufffdb"),
        ({"\ud800": "\udfff"}, '{"\ufffd": "\ufffd"}'),
    ],
)
async def test_a_result_becomes_text_that_every_model_can_be_sent(value: object, text: str) -> None:
    """O-27."""
    assert await run(gives(value)) == ToolResult(text=text)


@pytest.mark.parametrize("value", [object(), {(1, 2): 3}, threading.Lock()])
async def test_a_result_that_is_no_json_is_an_error_result(value: object) -> None:
    assert (await run(gives(value))).is_error


class Mute(Exception):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        """Fail."""
        raise RuntimeError("no text")


@pytest.mark.parametrize("make", [raises, raises_async])
@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (ValueError("no such file"), "ValueError: no such file"),
        (KeyError(), "KeyError"),
        (RuntimeError("a\ud800"), "RuntimeError: a\ufffd"),
        (Mute(), "Mute"),
    ],
)
async def test_an_exception_is_an_error_result_without_a_traceback(
    make: Callable[[BaseException], Callable[[], object]], failure: Exception, text: str
) -> None:
    assert await run(make(failure)) == ToolResult(text=text, is_error=True)


async def test_an_iterator_that_ended_is_an_exception_like_another() -> None:
    assert await run(raises(StopIteration("end"))) == ToolResult(text="StopIteration: end", is_error=True)


class Halt(BaseException):
    """Meant for the process, as `KeyboardInterrupt` is."""


@pytest.mark.parametrize("make", [raises, raises_async])
async def test_what_is_meant_for_the_process_goes_through(
    make: Callable[[BaseException], Callable[[], object]],
) -> None:
    with pytest.raises(Halt):
        await run(make(Halt()))


async def test_an_async_function_runs_in_the_loop() -> None:
    async def where() -> bool:
        """Say whether this is the main thread."""
        await asyncio.sleep(0)
        return threading.current_thread() is threading.main_thread()

    assert (await run(where)).text == "true"


agent_here: contextvars.ContextVar[str] = contextvars.ContextVar("agent_here", default="nobody")


async def test_a_thread_sees_a_copy_of_its_callers_context_and_no_other() -> None:
    """O-25 (c)."""

    def act(name: str) -> str:
        """Say who is here, then be somebody else."""
        seen = agent_here.get()
        agent_here.set(f"{name}, spoofed")
        return seen

    async def as_agent(name: str) -> tuple[str, str]:
        agent_here.set(name)
        result = await run(act, name=name)
        return result.text, agent_here.get()

    names = [f"agent {number}" for number in range(50)]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(as_agent(name)) for name in names]

    assert [task.result() for task in tasks] == [(name, name) for name in names]
    assert agent_here.get() == "nobody"


async def test_a_cancelled_call_ends_at_once_and_its_thread_harms_nobody() -> None:
    begun, go_on = threading.Event(), threading.Event()
    loop = asyncio.get_running_loop()
    running = asyncio.Event()

    def wait() -> str:
        """Wait to be told."""
        begun.set()
        loop.call_soon_threadsafe(running.set)
        go_on.wait(timeout=60)
        return "late"

    call = asyncio.create_task(run(wait))
    await running.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    go_on.set()

    assert begun.is_set()
    assert (await run(gives("next"))).text == "next"


def no_docstring(text: str) -> str:
    return text


def no_type(text) -> str:  # pyright: ignore[reportMissingParameterType] # noqa: ANN001
    """Take anything."""
    return str(text)


def many(*texts: str) -> str:
    """Take many."""
    return "".join(texts)


def caller_last(text: str, caller: Caller) -> str:
    """Take the caller last."""
    return text + caller.agent


def no_json(lock: threading.Thread) -> str:
    """Take a thread."""
    return str(lock)


def no_schema(call: Callable[[], int]) -> str:
    """Take a function."""
    return str(call())


def unresolved(text: "Nowhere") -> str:  # pyright: ignore[reportUndefinedVariable] # noqa: F821
    """Take what is not there."""
    return str(text)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_docstring, "no_docstring has no docstring"),
        (no_type, "no_type: parameter `text` has no type"),
        (many, "many: parameter `texts` has no name of its own"),
        (caller_last, "caller_last: parameter `caller` is the caller"),
        (no_json, "no_json: a parameter's type cannot be sent as JSON"),
        (no_schema, "no_schema: a parameter's type has no JSON schema"),
        (unresolved, "unresolved: a type cannot be resolved"),
        (lambda: "x", "`<lambda>` cannot be the name of a tool"),
        (tool(name="a b")(gives("x")), "`a b` cannot be the name of a tool"),
    ],
)
def test_a_function_that_a_model_cannot_be_told_of_is_refused(
    function: Callable[..., object], message: str
) -> None:
    with pytest.raises(ConfigFault) as refused:
        tool_from(function)

    assert message in refused.value.message
    assert refused.value.remedy


async def test_a_function_that_returns_a_whole_result_says_itself_what_it_is() -> None:
    picture = Image(media_type="image/png", data=b"png")

    result = await run(gives(ToolResult(text="a\x00b", is_error=True, images=(picture,))))

    assert result == ToolResult(text="a\N{REPLACEMENT CHARACTER}b", is_error=True, images=(picture,))
