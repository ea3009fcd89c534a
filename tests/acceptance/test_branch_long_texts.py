"""`branch`: answers that are too long to be shown whole, and answers without any text (OP-15, O-28, O-29)."""

import re
import stat
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from postroom import faults
from postroom.rules.markers import restore
from postroom.testing.puppet import Puppet
from postroom.testing.reading import Reading, read
from postroom.testing.script import call
from postroom.testing.world import World, texts
from tests.acceptance.branches import POLICY, branch_world, crew, dispatch, message, spawn
from tests.acceptance.family import Worlds

MIXED = "a\u00fc\u5b57\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 <mail> [notice]\n"
LONG = "HEAD " + MIXED * (200 * 1024 // len(MIXED.encode())) + " TAIL"
"""About 200 KB of mixed width."""
LIMIT = 1_000
SHORT = replace(POLICY, result_chars_max=LIMIT, rounds_max=60)
PAGE = re.compile(r"page (\d+) of (\d+)")
IN_FILE = re.compile(r'characters, is in "([^"]+)"\.')
IN_STORE = re.compile(r'characters, can be read by read_conversation\(session_id="([^"]+)"\)\.')


async def by_message(a: Puppet, w: Puppet, text: str) -> str:
    """What `a` reads of an answer to its message."""
    await a.does(message("w", "go"))
    return await _brought_back(a, w, text)


async def by_dispatch(a: Puppet, w: Puppet, text: str) -> str:
    """What `a` reads of the result of a task for an agent that exists."""
    await a.does(dispatch("w", "go"))
    return await _brought_back(a, w, text)


async def by_spawn(a: Puppet, w: Puppet, text: str) -> str:
    """What `a` reads of an agent that it made in the background."""
    await a.does(spawn("go", agent_id="w"))
    return await _brought_back(a, w, text)


async def by_waiting(a: Puppet, w: Puppet, text: str) -> str:
    """What `a` reads of an agent that it waits for: the result of its call."""
    await a.starts(spawn("go", background=False, agent_id="w"))
    await w.says(text)
    return texts(await a.asked())[-1]


async def by_task_output(a: Puppet, w: Puppet, text: str) -> str:
    """What `a` reads when it waits for a task that it gave."""
    (given,) = await a.does(dispatch("w", "go"))
    found = re.search(r"task_id=(\S+)", given.text)
    assert found is not None
    await a.starts(call("task_output", task_id=found[1]))
    await w.says(text)
    return texts(await a.asked())[-1]


async def _brought_back(a: Puppet, w: Puppet, text: str) -> str:
    await w.asked()
    await a.says("given")
    await w.says(text)
    return texts(await a.asked())[-1]


Way = Callable[[Puppet, Puppet, str], Awaitable[str]]
WAYS: tuple[Way, ...] = (by_message, by_dispatch, by_spawn, by_waiting, by_task_output)
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


async def begun(worlds: Worlds) -> tuple[World, Puppet, Puppet]:
    """`a` with an open turn, and an idle agent `w` that it has made."""
    world = branch_world(worlds, SHORT)
    a, w = await crew(world, "w")
    await w.says("ready")
    await a.says("at work")
    await a.asked()
    return world, a, w


async def pages(a: Puppet, reference: str) -> str:
    """The whole text of an id, read by its reader page by page."""
    whole, number, total = "", 1, 1
    while number <= total:
        (result,) = await a.does(
            call("read_conversation", session_id=reference, start_turn=number, max_chars=80_000)
        )
        head, _, text = result.text.partition("\n\n")
        found = PAGE.search(head)
        assert found is not None, head
        assert int(found[1]) == number
        total, number, whole = int(found[2]), number + 1, whole + restore(text)
    return whole


def in_file(path: str) -> tuple[bytes, int]:
    """What a file holds, and who may read it."""
    return Path(path).read_bytes(), stat.S_IMODE(Path(path).stat().st_mode)


@every_way
async def test_a_long_answer_is_cut_and_its_file_holds_every_byte(worlds: Worlds, way: Way) -> None:
    """OP-15, O-29: head and tail, how much is missing, and a private file in the reader's directory."""
    world, a, w = await begun(worlds)

    shown = await way(a, w, LONG)

    found = IN_FILE.search(shown)
    assert found is not None, shown[:500]
    assert Path(found[1]).parent == world.cwd / ".postroom" / "results"
    assert in_file(found[1]) == (LONG.encode(), 0o600)
    assert (world.cwd / ".postroom" / ".gitignore").read_text(encoding="utf-8") == "*\n"
    assert f"the whole, {len(LONG)} characters" in shown
    assert "\nHEAD a" in shown
    assert " TAIL" in shown[-200:]
    assert len(shown) < 2 * LIMIT
    assert shown.encode().decode() == shown
    missing = re.search(r"\[\.\.\. (\d+) characters are left out here \.\.\.\]", shown)
    assert missing is not None
    assert int(missing[1]) >= len(LONG) - LIMIT
    await world.check()


@every_way
async def test_where_no_file_can_be_written_the_store_has_every_byte(worlds: Worlds, way: Way) -> None:
    """OP-15, O-29: the text says how its reader gets it."""
    world, a, w = await begun(worlds)
    (world.cwd / ".postroom").write_text("in the way", encoding="utf-8")

    shown = await way(a, w, LONG)

    found = IN_STORE.search(shown)
    assert found is not None, shown[:500]
    assert await pages(a, found[1]) == LONG
    await world.check()


async def test_a_long_message_is_cut_and_can_be_read_from_the_store(worlds: Worlds) -> None:
    """O-29: `branch` limits no body, only how much of it is shown at once."""
    world, a, w = await begun(worlds)

    for given in (message("w", LONG), dispatch("w", LONG)):
        await a.does(given)
        shown = read(texts(await w.asked())[-1])

        assert shown is not None
        assert not shown.is_whole
        assert LONG.startswith(shown.body)
        assert LONG.endswith(shown.tail)
        assert len(shown.body) + shown.left_out + len(shown.tail) == len(LONG)
        found = re.fullmatch(r'read_conversation\(session_id="([^"]+)"\)', shown.where)
        assert found is not None
        assert await pages(w, found[1]) == LONG
        await w.says("read")
    await world.check()


async def test_a_fork_pages_the_long_message_that_it_has_inherited_and_nobody_else_does(
    worlds: Worlds,
) -> None:
    """O-29, O-38: it stands in the fork's conversation, cut; the mailbox that it lay in is another's."""
    world, a, w = await begun(worlds)
    await a.does(message("w", LONG))
    shown = read(texts(await w.asked())[-1])
    assert shown is not None
    found = re.fullmatch(r'read_conversation\(session_id="([^"]+)"\)', shown.where)
    assert found is not None
    await w.says("read")
    await world.turn_end("w", 2)

    made = await world.room.fork(world.view("w").branch_id)
    await world.room.prompt("read it again", session=made.session_id)
    await w.asked()
    assert await pages(w, found[1]) == LONG
    await w.says("done")
    await world.prompt_new("w", "who wrote to you?")
    await w.asked()
    (refused,) = await w.does(call("read_conversation", session_id=found[1]))

    assert refused.text.endswith("(unknown_session)")
    await world.check()


async def test_the_file_is_there_before_anybody_is_told_of_it(worlds: Worlds) -> None:
    """G1: it is written before the commit that names it."""
    world, a, w = await begun(worlds)
    there: list[bool] = []

    def look() -> None:
        there.append(any((world.cwd / ".postroom").rglob("t_*.txt")))

    faults.watch("commit_answer.before", look)
    try:
        await by_dispatch(a, w, LONG)
    finally:
        faults.unwatch("commit_answer.before", look)

    assert there[-1]
    await world.check()


async def test_a_short_answer_leaves_no_file(worlds: Worlds) -> None:
    """OP-15: neither does a long one to the person."""
    world, a, w = await begun(worlds)

    await by_dispatch(a, w, "x" * LIMIT)
    await a.says(LONG)
    await world.quiesce()

    assert not (world.cwd / ".postroom").exists()
    await world.check()


@pytest.mark.parametrize("blank", ["", "\n", " \t\u200b\ufeff"])
@pytest.mark.parametrize("way", [by_message, by_dispatch, by_spawn], ids=lambda way: way.__name__)
async def test_an_answer_without_text_is_told_in_the_runtimes_words(
    worlds: Worlds, way: Way, blank: str
) -> None:
    """O-28: and the next five rounds of everybody work."""
    world, a, w = await begun(worlds)

    shown = read(await way(a, w, blank))

    assert isinstance(shown, Reading)
    assert (shown.status, shown.body) == ("empty", "")
    assert shown.about.endswith(" has ended without any text.")
    for _ in range(5):
        await a.does(call("list_tasks"))
    await world.check()


@pytest.mark.parametrize("blank", ["", " \n\r\n", "\u200b\u200d", "\ufeff"])
async def test_blank_texts_are_refused_and_nothing_enters_a_mailbox(worlds: Worlds, blank: str) -> None:
    """O-28: a message, a task and the prompt of a new agent."""
    world, a, _ = await begun(worlds)
    before = len(world.events("message.sent"))

    results = await a.does(message("w", blank), dispatch("w", blank), spawn(blank))

    assert [result.is_error for result in results] == [True] * 3
    assert [result.text.partition("]")[0] for result in results] == [
        "[send_message error",
        "[agent error",
        "[agent error",
    ]
    assert all("(invalid_body)" in result.text for result in results)
    assert len(world.events("message.sent")) == before
    await world.check()
