"""A request begins with the bytes of the one before it, or no vendor's cache is of use."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from postroom.llm.port import Image, UserItem
from postroom.testing.provider_emulator import EmulatedCall, EmulatedRound
from postroom.testing.script import call, call_raw, say
from tests.providers.provider_talk import Talk, connected, on_every_wire, plays

PNG = Image("image/png", b"\x89PNG\r\n\x1a\n pixels")
THINKS = EmulatedRound(
    reasoning="Where to look?",
    text="I look.",
    calls=(EmulatedCall(tool="look", arguments='{"at": "a"}'), EmulatedCall(tool="look", arguments="{}")),
)
ROUNDS = (
    THINKS,
    call("look", at="b", deep=True),
    call_raw("look", '{"at": '),
    say("That is all."),
    call("look", at="c"),
    THINKS,
    say("Done."),
)
MARKER = re.compile(r',"cache_control":\{[^}]*\}')
MESSAGES = re.compile(r'"(messages|contents)":\s*')


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A body's text, cut in three: before the messages, each message, and what follows."""

    head: str
    messages: Sequence[str]
    tail: str


def cut(raw: bytes) -> Body:
    text = MARKER.sub("", raw.decode())
    found = MESSAGES.search(text)
    assert found is not None
    start = found.end() + 1
    messages: list[str] = []
    decoder = json.JSONDecoder()
    while text[start] != "]":
        start += len(text[start:]) - len(text[start:].lstrip(", "))
        _, end = decoder.raw_decode(text, start)
        messages.append(text[start:end])
        start = end
    return Body(head=text[: found.end()], messages=messages, tail=text[start:])


async def two_turns(talk: Talk) -> None:
    """Every kind of item, in two turns: thoughts, pictures, errors, mail, broken arguments."""
    talk.commit(await talk.ask(), PNG)
    talk.commit(await talk.ask(), mail="")
    talk.commit(await talk.ask(), is_error=True)
    talk.commit(await talk.ask(), mail="And now?")
    talk.commit(await talk.ask(), PNG, mail="")
    talk.items.append(UserItem(text="mail in its envelope"))
    talk.commit(await talk.ask())
    await talk.ask()


@on_every_wire
async def test_consecutive_requests_share_their_beginning_byte_for_byte(vendor: str) -> None:
    rounds = ROUNDS if vendor != "google" else (*ROUNDS[:2], call("look", at="x"), *ROUNDS[3:])

    async with connected(plays(*rounds), vendor=vendor) as (talk, emulator):
        await two_turns(talk)

        await emulator.assert_clean()
        bodies = [cut(each.raw) for each in await emulator.requests("b")]

    assert len(bodies) == len(ROUNDS)
    for before, after in pairwise(bodies):
        assert after.head == before.head
        assert after.tail == before.tail
        assert after.messages[: len(before.messages)] == before.messages
        assert len(after.messages) > len(before.messages)


@on_every_wire
async def test_what_was_sent_before_is_read_from_the_cache(vendor: str) -> None:
    plan = plays(THINKS, say("Done.")).model_copy(update={"cache_min_tokens": 1})

    async with connected(plan, vendor=vendor) as (talk, emulator):
        talk.items = [UserItem(text="A long story. " * 200)]
        first = await talk.ask()
        talk.commit(first)
        second = await talk.ask()

        await emulator.assert_clean()

    assert first.usage.cache_read_tokens == 0
    assert second.usage.cache_read_tokens > 0.8 * first.usage.input_tokens
    assert second.usage.input_tokens > second.usage.cache_read_tokens
