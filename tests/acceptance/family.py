"""A root and its children, each in the test's hand: where most scenarios of `tree` begin."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from postroom.clock import Clock
from postroom.domain.message import Mode
from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.ids import Ids
from postroom.llm.port import ResultItem
from postroom.observe.tail import EventView
from postroom.service.draft import Draft
from postroom.store.tx import Tx
from postroom.surfaces.tree import send_text
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World

EVERYBODY = ("child", "parent", "sibling", "*")
_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_RECEIPT = re.compile(
    rf"^message_id: (?P<id>{_ID})\nmode: (?P<mode>\w+)\nrecipient_state: (?P<state>\w+)$", re.MULTILINE
)


class Worlds(Protocol):
    """Makes worlds, each over a folder of its own, that are closed with the test."""

    def __call__(
        self,
        *,
        policy: Policy | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        retry_for_s: float = 0.0,
    ) -> World:
        """A new world."""
        ...


def send(to: str, body: Json, mode: str | None = None) -> ScriptedAnswer:
    """A call of `send_message`; the mode is left out where none is given."""
    if mode is None:
        return call("send_message", to=to, body=body)
    return call("send_message", to=to, body=body, mode=mode)


def delegate(profile: str, prompt: str = "work", *, background: bool = True) -> ScriptedAnswer:
    """A call of `delegate_subagent`."""
    return call(
        "delegate_subagent",
        description=f"the {profile}",
        prompt=prompt,
        agent_type=profile,
        background=background,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What a success receipt said."""

    message_id: str
    mode: str
    recipient_state: str


def accepted(result: ResultItem) -> Accepted:
    """The receipt in a result; fails when it is an error."""
    assert not result.is_error, result.text
    found = _RECEIPT.search(result.text)
    assert found is not None, result.text
    return Accepted(message_id=found["id"], mode=found["mode"], recipient_state=found["state"])


def code(result: ResultItem) -> str:
    """The code of a refusal, such as `inbox_full`; fails when it is a success."""
    assert result.is_error, result.text
    return result.text.removeprefix("send_message:").partition(":")[0]


async def family(world: World, *names: str, message: Iterable[str] = EVERYBODY) -> list[Puppet]:
    """The root `r` and one running child of each name, all of them with an open request.

    Every one may write to everybody. The root has spawned them in the background, in this order.
    """
    message = tuple(message)
    root = world.puppet("r", may_message=message, delegates_to=names)
    children = [world.puppet(name, may_message=message) for name in names]
    await world.prompt("r", "begin")
    await root.does(*(delegate(name) for name in names))
    for child in children:
        await child.asked()
    return [root, *children]


async def idle_family(world: World, name: str) -> tuple[Puppet, Puppet]:
    """A root whose turn is over, and a child that is at work in the background."""
    root, child = await family(world, name)
    await root.says("waiting")
    await world.turn_end("r")
    return root, child


def draft(world: World, sent: EventView, body: str, mode: str = "steer") -> Draft:
    """The call behind a sent message once more, as a retry would bring it to the service."""
    call_key = sent.facts["call"]
    assert isinstance(call_key, int)
    sender = world.room.store.look(Tx.sender_of_call, call_key)
    assert sender is not None
    return Draft(
        call=call_key,
        fence=sender.fence,
        to=sent.to,
        body=body,
        mode=Mode(mode),
        render=lambda outcome: send_text(sent.to, outcome),
    )
