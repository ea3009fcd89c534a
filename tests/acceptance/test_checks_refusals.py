"""CK-29 for every code: a refused call leaves its event with its sender, and nothing with anybody else."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import pytest
from pluggy import HookimplMarker

from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Refusal
from postroom.rules.permissions import Effect, Rule
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet, results_of
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World
from postroom.tools.hooks.gate import GatedCall
from postroom.tools.hooks.spec import Said
from tests.acceptance.family import Worlds, accepted, code, delegate, draft, family, send
from tests.acceptance.tables import stored_beside

hookimpl = HookimplMarker("postroom")
TREE = Policy(surface="tree")
NOBODY = "00000000-0000-7000-8000-000000000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A root, and two children that it has spawned: `a` sends and `b` is written to."""

    world: World
    root: Puppet
    a: Puppet

    @property
    def b(self) -> str:
        """The address of the recipient."""
        return self.world.handle("b")


async def _plain(_: Scene) -> None:
    """Nothing beforehand."""


async def _another_tree(scene: Scene) -> None:
    await scene.world.prompt_new("b", "another tree")


async def _no_right(scene: Scene) -> None:
    rule = Rule(action="message", effect=Effect.DENY, pattern="sibling")
    await scene.world.room.set_overlay(scene.world.view("r").session_id, [rule])


async def _one_of_another(scene: Scene) -> None:
    accepted((await scene.root.does(send(scene.b, "takes the place")))[0])


async def _one_of_its_own(scene: Scene) -> None:
    accepted((await scene.a.does(send(scene.b, "takes the place")))[0])


async def _a_hop(scene: Scene) -> None:
    accepted((await scene.root.does(send(scene.world.handle("a"), "makes a hop")))[0])
    await scene.a.does(call("nothing"))


def _to_b(scene: Scene) -> ScriptedAnswer:
    return send(scene.b, "hello")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """How a send comes to be refused."""

    code: str
    policy: Policy = TREE
    before: Callable[[Scene], Awaitable[None]] = _plain
    call: Callable[[Scene], ScriptedAnswer] = _to_b


CASES = (
    Case(code="disabled", policy=Policy(surface="tree", messaging_enabled=False)),
    Case(code="invalid_arguments", call=lambda s: call("send_message", to=s.b, body="x", recipient="y")),
    Case(code="invalid_body", call=lambda s: send(s.b, "\n \u200b")),
    Case(code="invalid_body", policy=Policy(surface="tree", body_bytes_max=4)),
    Case(code="unknown_session", call=lambda _: send(NOBODY, "hello")),
    Case(
        code="not_tree_peer",
        before=_another_tree,
        call=lambda s: send(
            next(v for v in s.world.views() if not v.handle and v.profile == "b").session_id, "x"
        ),
    ),
    Case(code="unknown_reference", call=lambda _: send("b_00000000", "hello")),
    Case(code="self_send", call=lambda s: send(s.world.handle("a"), "hello")),
    Case(code="permission_denied", before=_no_right),
    Case(code="inbox_full", policy=Policy(surface="tree", mailbox_cap=1), before=_one_of_another),
    Case(code="inflight_full", policy=Policy(surface="tree", pair_window=1), before=_one_of_its_own),
    Case(code="max_hops_exceeded", policy=Policy(surface="tree", hops_max=0), before=_a_hop),
    Case(code="chain_spent", policy=Policy(surface="tree", chain_turns_max=3)),
)


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case.code}" for n, case in enumerate(CASES)])
async def test_a_refused_send_changes_nothing_but_its_senders_log(worlds: Worlds, case: Case) -> None:
    """CK-29, CK-8, CK-16, CK-18, CK-19, CK-20: every table before and after."""
    world = worlds(policy=case.policy)
    root, a, b = await family(world, "a", "b")
    scene, sender = Scene(world=world, root=root, a=a), world.view("a").session_id
    await case.before(scene)
    await _settle(a)
    before = stored_beside(world, sender)

    (refused,) = await a.does(case.call(scene))

    assert code(refused) == case.code
    assert stored_beside(world, sender) == before
    (event,) = world.events("message.refused", agent="a")
    assert (event.facts["code"], event.actor) == (case.code, world.handle("a"))
    assert b.is_asked
    await world.check()


@dataclass(eq=False, slots=True)
class Strict:
    """A plugin that lets no send pass."""

    name: str = "strict"

    @hookimpl
    def postroom_before_call(self, call: GatedCall) -> Said:
        return "no" if call.tool == "send_message" else None


async def test_a_send_that_a_hook_refuses_changes_nothing_but_its_senders_log(world: World) -> None:
    """CK-29, CK-37: the gate stands before accept."""
    world.plugins.append(Strict())
    _, a, _ = await family(world, "a", "b")
    sender = world.view("a").session_id
    await _settle(a)
    before = stored_beside(world, sender)

    (refused,) = await a.does(send(world.handle("b"), "hello"))

    assert code(refused) == "denied_by_hook"
    assert stored_beside(world, sender) == before
    await world.check()


@pytest.mark.parametrize("how", ["denied", "expired"])
async def test_a_send_without_leave_changes_nothing_but_its_own_tree_of_asks(
    worlds: Worlds, how: str
) -> None:
    """CK-29, CK-6: neither the question nor the answer is with the recipient."""
    clock = FakeClock()
    world = worlds(clock=clock)
    root = world.puppet("r", delegates_to=("a", "b"))
    a = world.puppet("a", rules=(Rule(action="message", effect=Effect.ASK, pattern="sibling"),))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("a"), delegate("b"))
    await a.asked()
    await b.asked()
    sender = world.view("a").session_id
    await _settle(a)
    before = stored_beside(world, sender)

    await a.starts(send(world.handle("b"), "may I?"))
    await world.event("ask.opened")
    (ask,) = await world.room.asks()
    if how == "denied":
        await world.room.deny(ask.ask_id)
    else:
        await clock.advance(30.1)
    (refused,) = results_of(await a.asked())

    after = stored_beside(world, sender)
    assert code(refused) == ("permission_denied" if how == "denied" else "approval_expired")
    assert {name for name in before if before[name] != after[name]} == {"ask"}
    await world.check()


@pytest.mark.parametrize(
    ("to", "body", "mode"),
    [
        ("b", "another text", "steer"), ("b", "the text", "queue"), ("r", "the text", "steer"),
        ("nobody", "the text", "steer"),
    ],
)  # fmt: skip
async def test_a_conflicting_retry_changes_nothing_but_its_senders_log(
    world: World, to: str, body: str, mode: str
) -> None:
    """CK-29, CK-12: no receipt ever speaks of another message, mode or recipient."""
    _, a, _ = await family(world, "a", "b")
    await a.does(send(world.handle("b"), "the text"))
    sender = world.view("a").session_id
    before, sent = stored_beside(world, sender), world.events("message.sent", agent="a")[-1]
    retry = draft(world, sent, body, mode)
    names = {"r": world.view("r").session_id, "nobody": "b_00000000"}

    again = await world.room.office.send(replace(retry, to=names.get(to, retry.to)), lambda _: None)

    assert isinstance(again.outcome, Refusal)
    assert again.outcome.code is Code.IDEMPOTENCY_CONFLICT
    assert stored_beside(world, sender) == before
    assert world.events("message.refused", agent="a")[-1].facts["code"] == "idempotency_conflict"
    await world.check()


@pytest.mark.parametrize(
    ("refusal", "policy", "profile"),
    [
        ("unknown_profile", Policy(surface="tree"), "nobody"),
        ("permission_denied", Policy(surface="tree"), "b"),
        ("delegation_too_deep", Policy(surface="tree", depth_max=1), "a"),
        ("delegation_full", Policy(surface="tree", concurrency=3, waiting_max=0), "a"),
        ("chain_spent", Policy(surface="tree", chain_turns_max=3), "a"),
    ],
)
async def test_a_refused_delegation_makes_nothing_at_all(
    worlds: Worlds, refusal: str, policy: Policy, profile: str
) -> None:
    """CK-29, CK-40: no session, no handle, no task, no message; the event is in the caller's log."""
    world = worlds(policy=policy)
    root = world.puppet("r", delegates_to=("a", "b"))
    a, b = world.puppet("a", delegates_to=("a",)), world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("a"), delegate("b"))
    await a.asked()
    await b.asked()
    caller = world.view("a").session_id
    await _settle(a)
    before = stored_beside(world, caller)

    (refused,) = await a.does(delegate(profile, "more"))

    assert refused.text.startswith(f"delegate_subagent:{refusal}:")
    assert stored_beside(world, caller) == before
    (event,) = world.events("delegation.refused", agent="a")
    assert event.facts["code"] == refusal
    await world.check()


async def _settle(a: Puppet) -> None:
    """What waited for it is claimed at the first boundary and consumed by the answer after it."""
    for _ in range(2):
        await a.does(call("nothing"))
