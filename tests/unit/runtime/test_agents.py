"""What an agent is told of its tools."""

from postroom.domain.policy import Policy
from postroom.testing.script import say
from tests.acceptance.family import Worlds


async def test_the_tool_of_messaging_that_is_switched_off_is_not_shown(worlds: Worlds) -> None:
    """Product text, section 5: hidden without a rule, or when disabled."""
    world = worlds(policy=Policy(surface="tree", messaging_enabled=False))
    world.agent("r", say("done"), may_message=("child",), delegates_to=("r",))

    await world.prompt("r", "begin")
    request = await world.request("r", 1)

    assert [t.name for t in request.tools] == [
        "delegate_subagent", "get_subagent_result", "cancel_subagent", "ask_user",
    ]  # fmt: skip
    await world.check()
