"""Plugins in Python: told of what has happened, asked before a call is made."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from pluggy import HookimplMarker

from postroom.domain.plain import Json
from postroom.observe.export import Ask, records
from postroom.observe.export_markdown import markdown
from postroom.observe.export_parts import Record
from postroom.observe.glance import Glance
from postroom.store.tx import Tx
from postroom.store.tx_export import ExportTx
from postroom.testing.world import World, texts
from postroom.tools.hooks.gate import GatedCall
from postroom.tools.hooks.hook import Event
from postroom.tools.hooks.spec import Said
from tests.acceptance.family import accepted, code, delegate, family, send

hookimpl = HookimplMarker("postroom")
SECRET = "the key is sk-1234567890"


@dataclass(eq=False)
class Auditor:
    """Keeps every mail event, and lets no secret out."""

    name: str = "auditor"
    heard: list[Event] = field(default_factory=list[Event])
    calls: list[GatedCall] = field(default_factory=list[GatedCall])

    @hookimpl
    def postroom_event(self, event: Event) -> None:
        self.heard.append(event)

    @hookimpl
    def postroom_before_call(self, call: GatedCall) -> Said:
        self.calls.append(call)
        return "it holds a secret" if "sk-" in call.body else None

    def kinds(self, kind: str) -> list[Event]:
        """What it heard of one kind."""
        return [event for event in self.heard if event["kind"] == kind]


async def test_a_plugin_sees_the_mail_and_stops_a_send_before_it_is_accepted(world: World) -> None:
    """CK-37: the observer is told of every mail event; a call that the gate denies leaves nothing behind."""
    auditor = Auditor()
    world.plugins.append(auditor)
    root, child = await family(world, "k")

    (refused,) = await root.does(send(world.handle("k"), SECRET))
    (sent,) = await root.does(send(world.handle("k"), "hello"))
    await child.says("ready")
    await child.asked()
    await world.check()

    assert code(refused) == "denied_by_hook"
    assert "it holds a secret" in refused.text
    assert "auditor" in refused.text
    message = accepted(sent).message_id
    seen = [event["kind"] for event in auditor.heard if event["message_id"] == message]
    assert [kind for kind in seen if kind != "message.sent"] == [
        "message.accepted", "message.claimed", "message.consumed",
    ]  # fmt: skip
    mails = [e for e in auditor.kinds("message.accepted") if _facts(e)["kind"] == "mail"]
    assert len(mails) == 1
    assert [_facts(e)["hook"] for e in auditor.kinds("hook.decided")] == ["auditor"]


async def test_an_observer_is_told_of_everything_in_order_up_to_the_end_of_the_room(world: World) -> None:
    auditor = Auditor()
    world.plugins.append(auditor)
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("done")
    await world.quiesce()
    log = world.events()
    await world.close()

    assert [event["pos"] for event in auditor.heard[: len(log)]] == [event.pos for event in log]
    assert all("body" not in event for event in auditor.heard)


async def test_a_plugin_is_told_of_nothing_again_after_a_restart(world: World) -> None:
    auditor = Auditor()
    world.plugins.append(auditor)
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("done")
    await world.quiesce()
    await world.close()
    known = [event["pos"] for event in auditor.heard]
    await world.open()
    await world.check()

    positions = [event["pos"] for event in auditor.heard]
    assert positions[: len(known)] == known
    assert len(set(positions)) == len(positions)


class Redirector:
    """Turns mail that is addressed to `redirect` to whoever it is told."""

    name = "redirector"

    def __init__(self) -> None:
        self.to = ""

    @hookimpl
    async def postroom_before_call(self, call: GatedCall) -> Said:
        if call.to != "redirect":
            return None
        return {**call.arguments, "to": self.to}


async def test_a_gate_may_put_other_arguments_in_the_place_of_the_models(world: World) -> None:
    """Both versions are kept, and the model is told; the recipient that a hook names is resolved anew."""
    redirector, auditor = Redirector(), Auditor()
    world.plugins += [redirector, auditor]
    root, child = await family(world, "k")
    redirector.to = world.handle("k")

    (result,) = await root.does(send("redirect", "to somebody"))
    await child.says("ready")
    request = await child.asked()
    asked = await world.room.store.read(_call_of, result.call_id)
    history = await world.room.history(world.view("r").session_id)
    exported = [json.dumps(one) for one in _exported(world)]
    page = "".join(map(markdown, _exported(world)))
    await world.check()

    assert not result.is_error
    assert result.text.endswith("[the arguments of this call were changed by: redirector]")
    assert "to somebody" in texts(request)[-1]
    assert asked == ("redirect", redirector.to, "redirector")
    assert any("were changed by: redirector" in item.text for item in history)
    assert any('"changed_by": "redirector"' in record for record in exported)
    assert "Changed by `redirector` into:" in page
    assert [call.to for call in auditor.calls if call.tool == "send_message"] == [redirector.to]
    assert len(auditor.kinds("call.changed")) == 1


async def test_a_recipient_that_a_hook_names_needs_a_right_too(world: World) -> None:
    """Hooks narrow: a changed call is judged by the rules again."""
    redirector, auditor = Redirector(), Auditor()
    world.plugins += [redirector, auditor]
    root = world.puppet("r", may_message=["child"], delegates_to=["k", "l"])
    first, second = world.puppet("k", may_message=["parent"]), world.puppet("l")
    await world.prompt("r", "begin")
    await root.does(delegate("k"), delegate("l"))
    await second.asked()
    redirector.to = world.handle("l")

    (refused,) = await first.does(send("redirect", "psst"))
    await world.check()

    assert code(refused) == "permission_denied"
    assert len(auditor.calls) == 3


async def test_a_changed_recipient_that_does_not_exist_is_refused_as_always(world: World) -> None:
    redirector = Redirector()
    world.plugins.append(redirector)
    root, _ = await family(world, "k")
    redirector.to = "nobody_00000000"

    (refused,) = await root.does(send("redirect", "hello"))
    await world.check()

    assert code(refused) == "unknown_reference"


def _facts(event: Event) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", event["facts"])


def _call_of(tx: Tx, call_id: str) -> tuple[Json, Json, str]:
    """The recipient that the model named, the one that was used, and who changed it."""
    _, turn, round_, position = call_id.split("_")
    call = tx.calls_in_full(int(turn), int(round_))[int(position)]
    asked, used = json.loads(call.arguments), json.loads(call.changed_arguments or "")
    return asked["to"], used["to"], call.changed_by or ""


def _exported(world: World) -> list[Record]:
    with Glance(world.folder) as glance:
        return glance.read_as(ExportTx, lambda tx: list(records(tx, Ask(session=None, full=False))))
