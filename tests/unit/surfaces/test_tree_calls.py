"""Arguments that no decoder expects end in a result of the call, and the turn goes on."""

import pytest

from postroom.testing.script import call_raw
from postroom.testing.world import World
from tests.acceptance.family import family, send


@pytest.mark.parametrize(
    "arguments",
    [
        '{"to": "b", "body": "x", "mode": null}',
        '{"to": "b", "body": ' + "[" * 100_000,
        '{"to": "b", "body": ' + "[" * 100_000 + '"\\u0041"' + "]" * 100_000 + "}",
        '{"to": "b", "body": ' + "9" * 5_000 + "}",
        "NaN",
        "",
    ],
)
async def test_odd_arguments_are_a_refusal_and_never_the_end_of_the_turn(
    world: World, arguments: str
) -> None:
    """CK-21."""
    root, _ = await family(world, "b")

    (refused,) = await root.does(call_raw("send_message", arguments))
    (sent,) = await root.does(send(world.handle("b"), "still here"))

    assert refused.is_error
    assert refused.text.startswith("send_message:invalid_arguments: ")
    assert not sent.is_error
    await world.check()
