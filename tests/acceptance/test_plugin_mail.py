"""Mail of plugins, and messages that are taken back before anybody reads them."""

import pytest
from pluggy import HookimplMarker

from postroom.domain.message import Reason
from postroom.domain.policy import Policy
from postroom.errors import ModelAuth, NotFound, Refused
from postroom.llm.port import ModelRequest
from postroom.observe.views import MessageView, message
from postroom.service.hooks import PLUGIN_BODY_BYTES_MAX
from postroom.store.tx import Tx
from postroom.testing.world import World, texts
from postroom.tools.hooks.spec import Post
from tests.acceptance.family import Worlds, accepted, delegate, family, send

hookimpl = HookimplMarker("postroom")


def view(world: World, message_id: str) -> MessageView:
    """A message as the person sees it."""

    def look(tx: Tx) -> MessageView | None:
        row = tx.message_by_public_id(message_id)
        return None if row is None else message(tx, int(str(row[0])))

    found = world.room.store.look(look)
    assert found is not None
    return found


async def refusal_of(world: World, message_id: str, plugin: str = "") -> str:
    """The code with which a recall is refused; empty when it is not."""
    try:
        if plugin:
            await world.room.plugin_recall(plugin, message_id)
        else:
            await world.room.recall(message_id)
    except Refused as refused:
        return refused.refusal_code
    return ""


async def test_a_plugins_message_wakes_an_agent_and_names_its_plugin(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("done")
    await world.quiesce()

    receipt = await world.room.plugin_send("calendar", world.view("r").session_id, "It is noon.", key="noon")
    request = await root.asked()
    await root.says("lunch")
    await world.check()

    assert receipt.recipient_state == "waking_finished"
    assert texts(request)[-1] == '<plugin_message from="calendar">\nIt is noon.\n</plugin_message>'


async def test_a_plugin_starts_a_chain_and_speaks_as_itself_in_the_log(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.asked()

    await world.room.plugin_send("calendar", world.view("r").session_id, "It is noon.", key="noon")
    await root.says("fine")
    await root.asked()
    mails = world.events("message.accepted")
    chains = world.events("chain.began")
    await world.check()

    assert [(event.actor, event.facts["kind"]) for event in mails] == [
        ("person", "user"),
        ("plugin:calendar", "plugin"),
    ]
    assert len(chains) == 2


async def test_the_same_key_writes_once_also_after_a_restart(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("done")
    await world.quiesce()
    session = world.view("r").session_id

    first = await world.room.plugin_send("calendar", session, "It is noon.", key="noon")
    again = await world.room.plugin_send("calendar", session, "It is noon.", key="noon")
    room = await world.reopen()
    later = await room.plugin_send("calendar", session, "It is noon.", key="noon")
    other = await room.plugin_send("clock", session, "It is noon.", key="noon")
    with pytest.raises(Refused) as conflict:
        await room.plugin_send("calendar", session, "It is midnight.", key="noon")
    await world.check()

    assert first == again == later
    assert other.message_id != first.message_id
    assert conflict.value.refusal_code == "idempotency_conflict"


async def test_mail_of_plugins_counts_for_no_cap_and_no_window(worlds: Worlds) -> None:
    """CK-16: a full mailbox still takes it, and it takes nobody's place."""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=1, pair_window=1))
    root, child = await family(world, "k")
    to = world.handle("k")

    for number in range(3):
        await world.room.plugin_send("calendar", to, f"tick {number}", key=str(number))
    (sent,) = await root.does(send(to, "one"))
    await world.room.plugin_send("calendar", to, "tick 3", key="3")
    (full,) = await root.does(send(to, "two"))
    await child.says("ready")
    await child.asked()
    await world.check()

    assert accepted(sent)
    assert "inbox_full" in full.text or "inflight_full" in full.text


async def test_a_plugins_body_has_a_limit_of_its_own(world: World) -> None:
    """It counts bytes, and the longest that fits is taken."""
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("done")
    await world.quiesce()
    to, most = world.view("r").session_id, PLUGIN_BODY_BYTES_MAX

    await world.room.plugin_send("calendar", to, "x" * most, key="most")
    for number, body in enumerate(("x" * (most + 1), "\u00e4" * (most // 2 + 1), " ", "\ud800")):
        with pytest.raises(Refused) as refused:
            await world.room.plugin_send("calendar", to, body, key=str(number))
        assert refused.value.refusal_code == "invalid_body"
    await world.check()


@pytest.mark.parametrize("name", ["", "a b", 'x" status="ok', "person", "../up", "ä", "x" * 65])
async def test_a_name_that_is_none_is_refused(world: World, name: str) -> None:
    world.puppet("r")
    await world.prompt("r", "begin")

    with pytest.raises(Refused) as refused:
        await world.room.plugin_send(name, world.view("r").session_id, "hello", key="k")
    with pytest.raises(Refused):
        await world.room.plugin_send("calendar", world.view("r").session_id, "hello", key=" ")
    with pytest.raises(NotFound):
        await world.room.plugin_send("calendar", "nobody", "hello", key="k")
    await world.check()

    assert refused.value.refusal_code == "invalid_arguments"


async def test_a_plugin_takes_back_its_own_unread_mail_and_nobody_elses(world: World) -> None:
    """CK-39: by its owner only, unclaimed only, and twice is fine."""
    root, _ = await family(world, "k")
    to = world.handle("k")
    own = await world.room.plugin_send("calendar", to, "It is noon.", key="noon", mode="queue")
    (sent,) = await root.does(send(to, "mail", "queue"))

    codes = [
        await refusal_of(world, own.message_id, "clock"),
        await refusal_of(world, accepted(sent).message_id, "calendar"),
        await refusal_of(world, "no such message", "calendar"),
        await refusal_of(world, own.message_id, "calendar"),
        await refusal_of(world, own.message_id, "calendar"),
    ]
    seen = view(world, own.message_id)
    await world.check()

    assert codes == ["unknown_reference", "unknown_reference", "unknown_reference", "", ""]
    assert (seen.state, seen.reason) == ("discarded", Reason.RECALLED)
    assert not any("It is noon." in text for r in world.requests("k") for text in texts(r))


async def test_what_is_being_read_cannot_be_taken_back(world: World) -> None:
    """CK-39: unclaimed only."""
    _, child = await family(world, "k")
    own = await world.room.plugin_send("calendar", world.handle("k"), "It is noon.", key="noon")
    await child.says("ready")
    await child.asked()

    claimed = await refusal_of(world, own.message_id, "calendar")
    by_person = await refusal_of(world, own.message_id)
    await child.says("lunch")
    await world.rest()
    consumed = await refusal_of(world, own.message_id, "calendar")
    await world.check()

    assert (claimed, by_person, consumed) == ("already_being_read", "already_being_read", "already_ended")


async def test_the_person_takes_back_an_agents_mail_and_its_sender_is_told(world: World) -> None:
    """CK-39: the person any unread message; there is room again (CK-17)."""
    root, _ = await family(world, "k")
    (sent,) = await root.does(send(world.handle("k"), "never mind", "queue"))
    message_id = accepted(sent).message_id

    assert await refusal_of(world, message_id) == ""
    assert await refusal_of(world, message_id) == ""
    await root.does(send(world.handle("k"), "another"))
    request: ModelRequest = await root.asked()
    await world.check()

    assert any("was taken back by the person" in text for text in texts(request))
    assert not any("never mind" in text for r in world.requests("k") for text in texts(r))


async def test_a_task_and_a_word_of_the_runtime_cannot_be_taken_back(world: World) -> None:
    """A task is cancelled, so that its dispatcher hears of its end; a notice is nobody's message."""
    root, child = await family(world, "k")
    accepts = world.events("message.accepted")
    task = next(event for event in accepts if event.facts["kind"] == "prompt")
    await child.says("done")
    await world.event("task.ended")
    result = next(e for e in world.events("message.accepted") if e.facts["kind"] == "result")

    codes = [await refusal_of(world, task.message_id), await refusal_of(world, result.message_id)]
    await root.says("fine")
    await world.check()

    assert codes == ["not_recallable", "not_recallable"]


async def test_a_turn_whose_only_mail_was_taken_back_does_not_run(worlds: Worlds) -> None:
    """A text that waits for its slot may still be taken back; nothing runs for it."""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root = world.puppet("r", delegates_to=["k"])
    child = world.puppet("k")
    await world.prompt("r", "begin")
    await root.does(delegate("k"))
    await root.says("wait")
    await child.says("done")
    await root.says("fine")
    await world.quiesce()
    await world.prompt("r", "hold the slot")
    await root.asked()
    before = len(world.requests("k"))

    receipt = await world.room.plugin_send("calendar", world.handle("k"), "It is noon.", key="noon")
    assert world.view("k").state == "waiting"
    assert await refusal_of(world, receipt.message_id, "calendar") == ""
    await root.says("done")
    await world.check()

    assert len(world.requests("k")) == before


async def test_a_text_that_a_model_has_been_shown_cannot_be_taken_back(world: World) -> None:
    """A released message stands in the conversation already: the next request holds it again."""
    root = world.puppet("r")
    prompt = await world.prompt("r", "begin")
    await root.asked()
    await world.crash()
    await world.open()

    first = await refusal_of(world, prompt.message_id)
    await world.check()

    assert first == "already_being_read"


async def test_parked_mail_that_a_failed_turn_has_shown_cannot_be_taken_back(world: World) -> None:
    """Nor can what was set aside: it has ended."""
    root = world.puppet("r")
    prompt = await world.prompt("r", "begin")
    codes: list[str] = []
    for _ in range(5):
        await root.asked()
        codes.append(await refusal_of(world, prompt.message_id))
        await root.fails(ModelAuth("no key"))
        await world.quiesce()
        codes.append(await refusal_of(world, prompt.message_id))
        if view(world, prompt.message_id).state == "accepted":
            await world.room.resume(prompt.session_id)
    await world.check()

    assert codes == ["already_being_read"] * 9 + ["already_ended"]


async def test_mail_in_a_paused_mailbox_can_be_taken_back(world: World) -> None:
    await family(world, "k")
    await world.rest()
    await world.room.stop(world.view("k").session_id)
    text = await world.room.send(world.handle("r"), "to the root")
    sent = await world.room.plugin_send("calendar", world.handle("k"), "It is noon.", key="noon")

    codes = [await refusal_of(world, sent.message_id), await refusal_of(world, sent.message_id, "calendar")]
    agents = [agent.unread for agent in world.views() if agent.profile == "k"]
    await world.quiesce()
    late = await refusal_of(world, text.message_id)
    await world.check()

    assert (codes, agents, late) == (["", ""], [0], "already_ended")


class Bell:
    """A plugin that writes once the room is open, and keeps what it may write with."""

    name = "bell"

    def __init__(self, to: str) -> None:
        self.to = to
        self.post: Post | None = None
        self.is_closed = False

    @hookimpl
    async def postroom_started(self, post: Post) -> None:
        self.post = post
        await post.send(self.to, "dong", key="second")

    @hookimpl
    def postroom_closing(self) -> None:
        self.is_closed = True


class Thread(Bell):
    """The same from a plain function, which runs in a thread."""

    @hookimpl
    def postroom_started(self, post: Post) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.post = post
        post.send_from_thread(self.to, "dong", key="second")


@pytest.mark.parametrize("kind", [Bell, Thread])
async def test_a_plugin_writes_through_the_post_that_it_is_given(world: World, kind: type[Bell]) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("done")
    await world.quiesce()
    bell = kind(world.view("r").session_id)
    world.plugins.append(bell)
    await world.reopen()

    request = await root.asked()
    assert bell.post is not None
    late = await bell.post.send(bell.to, "ding", key="later", mode="queue")
    await bell.post.recall(late.message_id)
    await root.says("who is there?")
    await world.check()

    assert texts(request)[-1] == '<plugin_message from="bell">\ndong\n</plugin_message>'
    assert not any("ding" in text for r in world.requests("r") for text in texts(r))
    assert bell.is_closed
