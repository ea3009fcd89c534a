"""What a tool gives is told without keys, also where what it raises cannot be printed."""

from collections.abc import Mapping

from postroom.llm.port import Json, ToolSpec
from postroom.tools.base import Caller, Tool, ToolResult
from postroom.tools.discreet import discreet

CALLER = Caller(session_id="s", branch_id="b", turn_id="t", call_id="c", agent="ada", cwd="/")


class Mute(Exception):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        """Fail."""
        raise ValueError("with the key k-123")


async def given_by(failure: Exception) -> ToolResult:
    async def run(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        raise failure

    tool = Tool(spec=ToolSpec(name="x", description="", parameters={}), run=run)
    return await discreet(tool, lambda text: text.replace("k-123", "(key)")).run(CALLER, {})


async def test_a_fault_that_cannot_be_printed_is_told_by_its_class() -> None:
    assert await given_by(Mute()) == ToolResult(text="Mute", is_error=True)


async def test_a_fault_is_told_without_the_key_that_is_in_it() -> None:
    expected = ToolResult(text="ValueError: no (key) here", is_error=True)

    assert await given_by(ValueError("no k-123 here")) == expected
