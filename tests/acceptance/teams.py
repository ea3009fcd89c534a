"""Agents of a team, each in the test's hand: where most scenarios of the `team` surface begin."""

import re
from dataclasses import dataclass, replace

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.llm.port import ModelRequest, ResultItem, UserItem
from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.testing.puppet import Puppet
from postroom.testing.reading import Reading
from postroom.testing.reading_team import Batch, read_batch
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World
from tests.acceptance.family import Worlds

OPEN: Policy = replace(
    TEAM_POLICY,
    relations=(*(pair for pair in TEAM_POLICY.relations if pair[0] != "workspace"), ("workspace", "allow")),
)
"""Everybody of the directory may be written to without leave."""
ASKS: Policy = TEAM_POLICY
"""As shipped: who writes to another tree of the directory needs leave."""
_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_HEAD = re.compile(rf"\[message (?P<what>accepted|held)\] id=(?P<id>{_ID})")
_LINE = re.compile(
    r"- (?P<to>\S+): mode=(?P<mode>\w+) recipient_state=(?P<state>\w+)(?: number=(?P<number>\d+))?; "
    r"(?P<words>.+)"
)


def team_world(worlds: Worlds, policy: Policy = OPEN) -> World:
    """A world whose sessions are of the `team` surface."""
    return worlds(policy=policy)


def message(to: Json, text: str, **more: Json) -> ScriptedAnswer:
    """A call of `send_message`."""
    return call("send_message", to=to, message=text, **more)


def status(message_id: str) -> ScriptedAnswer:
    """A call of `message_status`."""
    return call("message_status", id=message_id)


def recall(message_id: str) -> ScriptedAnswer:
    """A call of `recall_message`."""
    return call("recall_message", id=message_id)


def page(n: int, **more: Json) -> ScriptedAnswer:
    """A call of `read_message`."""
    return call("read_message", n=n, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What a receipt says of one recipient."""

    to: str
    mode: str
    state: str
    number: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What a receipt says."""

    what: str
    message_id: str
    lines: tuple[Line, ...]

    @property
    def line(self) -> Line:
        """Of a message to one."""
        (line,) = self.lines
        return line


def receipt(result: ResultItem) -> Accepted:
    """The receipt in a result; fails when it is an error."""
    assert not result.is_error, result.text
    first, *rest = result.text.splitlines()
    head = _HEAD.fullmatch(first)
    assert head is not None, result.text
    found = [_LINE.fullmatch(line) for line in rest]
    assert all(found), result.text
    lines = tuple(
        Line(to=m["to"], mode=m["mode"], state=m["state"], number=int(m["number"] or 0), words=m["words"])
        for m in found
        if m is not None
    )
    return Accepted(what=head["what"], message_id=head["id"], lines=lines)


def code(result: ResultItem) -> str:
    """The code of a refusal, such as `inbox_full`; fails when it is a success."""
    assert result.is_error, result.text
    found = re.search(r"\((\w+)\)$", result.text.splitlines()[0])
    assert found is not None, result.text
    return found[1]


def address(world: World, profile: str) -> str:
    """How others write to the agent of a profile."""
    view = world.view(profile)
    return view.handle or view.session_id


async def crew(world: World, *names: str) -> list[Puppet]:
    """`a` with an open turn, and an agent of each name beside it whose first turn is over."""
    a = world.puppet("a")
    others = [world.puppet(name) for name in names]
    for name, other in zip(names, others, strict=True):
        await world.prompt(name, "hello")
        await other.says("hello")
    await world.quiesce()
    await world.prompt("a", "begin")
    await a.asked()
    return [a, *others]


def batches(request: ModelRequest) -> list[Batch]:
    """What the items of a request say that are envelopes, in their order."""
    found = [read_batch(item.text) for item in request.items if isinstance(item, UserItem)]
    return [batch for batch in found if batch is not None]


def newest(request: ModelRequest) -> Reading:
    """The last message of a request."""
    return batches(request)[-1].readings[-1]
