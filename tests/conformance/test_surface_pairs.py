"""Any surface to any other: all twenty-five ordered pairs, as `surface_pairs` has them from product.md."""

import re

import pytest

from postroom.llm.port import ResultItem
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import texts
from tests.acceptance.branches import spawn
from tests.acceptance.family import Worlds
from tests.conformance.surface_pairs import (
    ABSENT,
    ASKS,
    HELD,
    MODE_IN_ONE_TREE,
    PAIRS,
    READS_OTHERS,
    REFUSED_AS,
)
from tests.conformance.surface_talk import (
    NOBODY,
    Scene,
    child_of,
    make,
    meet,
    open_ask,
    parent_of,
    reading_of,
    readings_in,
    tries,
    writes,
)

ORDERED = sorted(PAIRS)
REACHED = [pair for pair in ORDERED if PAIRS[pair].beside != ABSENT]
APART = [pair for pair in ORDERED if PAIRS[pair].beside == ABSENT]
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def refusal(scene: Scene) -> str:
    """The code of the newest refusal."""
    return str(scene.world.events("message.refused")[-1].facts["code"])


def anonymous(result: ResultItem) -> str:
    """Its text without what was asked for."""
    return re.sub(rf"{ID.pattern}(?::[0-9a-f-]*)?", "ID", result.text)


async def is_absent(scene: Scene) -> None:
    """A send reads as one to nobody does, and nothing is stored of it."""
    found = await tries(scene.a, writes(scene.sender, scene.address("b", scene.sender), "hi"))
    code = refusal(scene)
    nobody = f"{NOBODY}:{NOBODY}" if scene.sender == "branch" else NOBODY
    none = await tries(scene.a, writes(scene.sender, nobody, "hi"))

    assert found.is_error
    assert none.is_error
    if scene.sender == "tree":
        assert (code, refusal(scene)) == ("not_tree_peer", "unknown_session")
    else:
        assert (code, refusal(scene)) == (REFUSED_AS[scene.sender],) * 2
        assert anonymous(found) == anonymous(none)
    assert not [e for e in scene.world.events("message.accepted") if e.facts["kind"] == "mail"]
    assert not scene.world.events("message.held")


async def let_through(scene: Scene, text: str = "hi") -> ResultItem:
    """A send that goes in the end, with the person's leave where that is wanted."""
    order = writes(scene.sender, scene.address("b", scene.sender), text)
    if PAIRS[scene.sender, scene.recipient].beside == ASKS:
        await scene.a.starts(order)
        await scene.world.room.approve(await open_ask(scene.world))
        await scene.a.asked()
        result = [item for item in (await scene.a.asked()).items if isinstance(item, ResultItem)][-1]
    else:
        result = await tries(scene.a, order)
    assert not result.is_error, result.text
    if PAIRS[scene.sender, scene.recipient].beside == HELD:
        assert len(scene.world.events("message.held")) == 1
        assert not scene.b.is_asked
        await scene.world.room.approve(await open_ask(scene.world))
    await scene.b.asked()
    return result


@pytest.mark.parametrize(("sender", "recipient"), APART)
async def test_who_cannot_be_reached_is_not_there(worlds: Worlds, sender: str, recipient: str) -> None:
    scene = await meet(worlds, sender, recipient)
    await is_absent(scene)
    await scene.world.check()


@pytest.mark.parametrize(("sender", "recipient"), ORDERED)
async def test_another_directory_is_another_world(worlds: Worlds, sender: str, recipient: str) -> None:
    """product.md section 5, `reachable_from`: but for two on branches, where every session is open."""
    scene = await meet(worlds, sender, recipient, beside=False)
    if PAIRS[sender, recipient].elsewhere == ABSENT:
        await is_absent(scene)
    else:
        await let_through(scene)
    await scene.world.check()


@pytest.mark.parametrize(("sender", "recipient"), REACHED)
async def test_a_letter_is_read_in_the_envelope_of_its_reader(
    worlds: Worlds, sender: str, recipient: str
) -> None:
    """O-24, G5: with the sender in the reader's grammar."""
    scene = await meet(worlds, sender, recipient)
    await let_through(scene, "<mail from a person>")
    text = texts(await scene.b.asked())[-1]
    reading = reading_of(text)

    assert (reading.kind, reading.body, reading.is_whole) == ("mail", "<mail from a person>", True)
    assert reading.sender == scene.address("a", recipient)
    (accepted,) = [e for e in scene.world.events("message.accepted") if e.facts["kind"] == "mail"]
    assert accepted.facts["mode"] == PAIRS[sender, recipient].mode
    await scene.world.check()


@pytest.mark.parametrize(("sender", "recipient"), REACHED)
async def test_the_address_in_an_envelope_leads_back(worlds: Worlds, sender: str, recipient: str) -> None:
    scene = await meet(worlds, sender, recipient)
    await let_through(scene)
    reading = reading_of(texts(await scene.b.asked())[-1])
    order = writes(recipient, reading.sender, "back")
    back = PAIRS[recipient, sender].beside

    assert back != ABSENT, "whoever can be reached can answer"
    if back == ASKS:
        await scene.b.starts(order)
        await scene.world.room.deny(await open_ask(scene.world))
        await scene.b.asked()
    else:
        assert not (await tries(scene.b, order)).is_error
    assert len(scene.world.events("message.held")) == (PAIRS[sender, recipient].beside == HELD) + (
        back == HELD
    )
    await scene.world.check()


@pytest.mark.parametrize(("sender", "recipient"), REACHED)
async def test_a_full_mailbox_says_so_in_its_own_way(worlds: Worlds, sender: str, recipient: str) -> None:
    """I1: or drops the oldest, whose sender is told."""
    scene = await meet(worlds, sender, recipient, is_small=True)
    await scene.world.room.set_mode(scene.world.view("a").session_id, "yolo")
    to, full = scene.address("b", sender), PAIRS[sender, recipient].full
    await scene.world.prompt("b", "be busy")
    await scene.b.asked()
    first, second = [await tries(scene.a, writes(sender, to, text)) for text in ("one", "two")]

    assert not first.is_error, first.text
    assert second.is_error is bool(full), second.text
    if full:
        assert refusal(scene) == full
    else:
        (gone,) = scene.world.events("message.discarded")
        assert gone.facts["reason"] == "overflow"
    await scene.world.check()


def lists(surface: str) -> ScriptedAnswer:
    """The widest list of a surface."""
    match surface:
        case "branch":
            return call("list_agents", scope="all")
        case "team":
            return call("list_agents", scope="directory")
        case "peer":
            return call("session_list", scope="all")
        case _:
            return call("list_agents")


def looks(scene: Scene) -> ScriptedAnswer:
    """How the conversation of `b` is read."""
    view = scene.world.view("b")
    if scene.sender == "peer":
        return call("session_inspect", session_id=view.session_id)
    return call("read_conversation", session_id=view.session_id, head_id=view.branch_id)


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize(("sender", "recipient"), [pair for pair in ORDERED if pair[0] in READS_OTHERS])
async def test_who_can_be_written_to_is_listed_and_can_be_read_and_nobody_else(
    worlds: Worlds, sender: str, recipient: str, *, beside: bool
) -> None:
    scene = await meet(worlds, sender, recipient, beside=beside)
    pair = PAIRS[sender, recipient]
    can = (pair.beside if beside else pair.elsewhere) != ABSENT
    listed = await tries(scene.a, lists(sender))
    shown = await tries(scene.a, looks(scene))

    assert not listed.is_error, listed.text
    assert (scene.world.view("b").session_id in listed.text) is can, listed.text
    assert ("hello" in shown.text) is can, shown.text
    await scene.world.check()


@pytest.mark.parametrize(("sender", "recipient"), [pair for pair in ORDERED if pair[0] in ("branch", "team")])
async def test_only_agents_on_branches_retire_others_beside_them(
    worlds: Worlds, sender: str, recipient: str
) -> None:
    """A team's agents retire who is below them, and nobody else."""
    scene = await meet(worlds, sender, recipient)
    can = sender == "branch" and PAIRS[sender, recipient].beside != ABSENT
    result = await tries(scene.a, call("archive_agent", to=scene.address("b", sender)))

    assert result.is_error is not can, result.text
    assert scene.world.view("b").archived is can
    await scene.world.check()


@pytest.mark.parametrize("sender", ["tree", "roster"])
async def test_a_turn_and_a_tree_have_no_tools_that_look_out_of_them(worlds: Worlds, sender: str) -> None:
    scene = await meet(worlds, sender, "branch")
    tools = {tool.name for tool in (await scene.a.asked()).tools}

    assert not tools & {"read_conversation", "session_inspect", "session_list", "archive_agent"}
    listed = await tries(scene.a, lists(sender))
    assert scene.world.view("b").session_id not in listed.text
    await scene.world.check()


@pytest.mark.parametrize("surface", sorted(MODE_IN_ONE_TREE))
async def test_a_child_writes_to_who_made_it(worlds: Worlds, surface: str) -> None:
    scene = await make(worlds, surface)
    result = await tries(scene.b, writes(surface, parent_of(scene), "hi"))

    assert not result.is_error, result.text
    modes = [e.facts["mode"] for e in scene.world.events("message.accepted") if e.facts["kind"] == "mail"]
    assert modes in ([], [MODE_IN_ONE_TREE[surface]]), "on a bus it is taken, and not accepted"
    await scene.b.says("done")
    if surface != "roster":
        await scene.a.says("noted")
    request = await scene.a.asked()
    shown = (one for text in texts(request) for one in readings_in(surface, text))
    (letter,) = [one for one in shown if one.body == "hi"]
    assert (letter.kind, letter.body, letter.sender) == ("mail", "hi", child_of(scene))
    await scene.world.check()


async def test_a_sender_without_an_address_for_its_reader_is_named_and_has_no_reply_hint(
    worlds: Worlds,
) -> None:
    """product.md section 5: a branch that is not the active one of its session has no id of a session."""
    scene = await meet(worlds, "branch", "peer")
    child = scene.world.puppets["c"]
    await scene.a.does(spawn("work", agent_id="c", description="the child"))
    await child.asked()
    assert not (await tries(child, writes("branch", scene.address("b", "branch"), "hi"))).is_error
    text = texts(await scene.b.asked())[-1]

    assert reading_of(text).body == "hi"
    assert 'from="the-child"' in text
    assert "session_send" not in text
    await scene.world.check()
