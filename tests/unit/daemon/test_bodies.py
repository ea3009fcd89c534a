"""Bodies of requests: whole, or refused."""

import asyncio

import pytest
from starlette.datastructures import Headers
from starlette.types import Message, Receive

from postroom.daemon.api.bodies import Bodies, BodyTooLarge, BodyTooSlow
from postroom.daemon.api.faults import HttpFault


def sending(*pieces: bytes, ends: bool = True) -> Receive:
    """A client that sends these pieces, and then ends or says nothing more."""
    waiting = list(pieces)

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()
        piece = waiting.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(waiting) or not ends}

    return receive


async def test_a_body_is_given_whole_and_once() -> None:
    receive = await Bodies(10).read(Headers(), sending(b"hello", b"", b"world"))

    assert await receive() == {"type": "http.request", "body": b"helloworld", "more_body": False}


@pytest.mark.parametrize(
    "pieces",
    [(b"x" * 11,), (b"x" * 10, b"y"), (b"x",) * 11, (b"x" * 21,)],
    ids=["at once", "by one", "in drops", "far"],
)
async def test_a_body_that_is_too_large_is_refused(pieces: tuple[bytes, ...]) -> None:
    with pytest.raises(BodyTooLarge):
        await Bodies(10).read(Headers(), sending(*pieces))


async def test_a_body_that_says_that_it_is_far_too_large_is_not_waited_for() -> None:
    with pytest.raises(BodyTooLarge):
        await Bodies(10).read(Headers({"content-length": "21"}), sending(ends=False))


async def test_a_body_that_never_ends_is_given_up() -> None:
    with pytest.raises(BodyTooSlow):
        await Bodies(10, within_s=0.01).read(Headers(), sending(b"hello", ends=False))


async def test_nothing_is_done_for_a_body_that_is_cut() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": b'{"to":', "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        return messages.pop(0)

    with pytest.raises(HttpFault):
        await Bodies(10).read(Headers(), receive)
