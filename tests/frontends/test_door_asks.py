"""Asks and rights through the control door."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from postroom.app import Postroom
from postroom.daemon.door import open_door
from postroom.domain.event import EventKind
from postroom.domain.plain import Json
from tests.cli.cli import write_team
from tests.frontends.visitor import Visitor, code_of, result_of


async def until_opened(room: Postroom, count: int) -> AsyncIterator[str]:
    """The ids of so many asks, as they are opened."""
    async for event in room.subscribe():
        if event.kind == EventKind.ASK_OPENED:
            yield event.ask_id
            count -= 1
        if not count:
            return


async def test_asks_are_the_same_on_every_connection_and_each_decision_reaches_its_own(
    tmp_path: Path,
) -> None:
    """O-23: two are open; a client that hangs up loses none, and another one decides the second."""
    asks = '- calls:\n    - ask_user: {question: "Shall I?"}\n- text: "${last}"\n'
    scripts = {"a": asks, "b": asks}
    team = write_team(tmp_path / "team", scripts)
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        sessions = [(await room.prompt("go", profile=name)).session_id for name in scripts]
        opened = [e async for e in until_opened(room, len(scripts))]
        listed: list[Json] = []
        for _ in range(3):
            visitor = await Visitor.come(room.folder)
            listed.append((await visitor.ask("asks"))["result"])
            await visitor.leave()
        visitor = await Visitor.come(room.folder)
        first, second = cast("list[dict[str, Json]]", listed[0])
        told = result_of(await visitor.ask("answer_question", ask=str(second["ask_id"]), text="you may"))
        left = await visitor.ask("asks", session=sessions[0])
        questions = await visitor.ask("asks", kind="approval")
        await visitor.leave()

    assert listed[0] == listed[1] == listed[2]
    assert [first["ask_id"], second["ask_id"]] == opened
    assert (told["state"], told["session_id"]) == ("answered", second["session_id"])
    assert left["result"] == [first]
    assert questions["result"] == []


async def test_a_program_learns_that_only_a_question_is_left_and_can_say_that_nobody_is_there(
    tmp_path: Path,
) -> None:
    """What it shows is what `asks` shows; the agent goes on when the question is withdrawn."""
    script = '- calls:\n    - ask_user: {question: "Shall I?"}\n- text: "${last}"\n'
    team = write_team(tmp_path / "team", {"a": script})
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        prompt = await room.prompt("go")
        async for _ in until_opened(room, 1):
            pass
        visitor = await Visitor.come(room.folder)
        listed, last = await visitor.ask("asks"), await visitor.ask("last_questions")
        rights = result_of(await visitor.ask("set_attended", session=prompt.session_id, attended=False))
        left = await visitor.ask("last_questions", session=prompt.session_id)
        end = await room.wait(prompt)
        await visitor.leave()

    assert listed["result"] == last["result"] != []
    assert (rights["attended"], left["result"]) == (False, [])
    assert end.text.startswith("ask_user:unattended:")


@pytest.mark.parametrize(
    ("command", "arguments", "code"),
    [
        ("approve", {"ask": "12345678"}, "not_found"),
        ("approve", {"ask": ""}, "not_found"),
        ("approve", {"ask": "12345678", "scope": "ever"}, "invalid_arguments"),
        ("deny", {"ask": "12345678", "why": "x"}, "invalid_arguments"),
        ("answer_question", {"ask": "12345678"}, "invalid_arguments"),
        ("asks", {"session": "nobody"}, "not_found"),
        ("asks", {"kind": "all"}, "invalid_arguments"),
        ("rights", {"session": "nobody"}, "not_found"),
        ("set_mode", {"session": "nobody", "mode": "yolo"}, "not_found"),
        ("set_mode", {"session": "nobody", "mode": "never"}, "invalid_arguments"),
        ("set_overlay", {"session": "nobody", "rules": "[]"}, "not_found"),
        ("set_overlay", {"session": "nobody", "rules": "[[1]]"}, "invalid_arguments"),
        ("set_overlay", {"session": "nobody", "rules": '[["shell", "x", "maybe"]]'}, "invalid_arguments"),
        ("set_overlay", {"session": "nobody", "rules": '["abc"]'}, "invalid_arguments"),
        ("set_overlay", {"session": "nobody", "rules": "[" * 100_000}, "invalid_arguments"),
        ("change_overlay", {"session": "nobody", "do": "clear"}, "not_found"),
        ("set_attended", {"session": "nobody", "attended": False}, "not_found"),
        ("set_attended", {"session": "nobody"}, "invalid_arguments"),
        ("last_questions", {"session": "nobody"}, "not_found"),
        ("prompt", {"text": "x", "mode": "never"}, "invalid_arguments"),
        ("prompt", {"text": "x", "max_cost_usd": "lots"}, "invalid_arguments"),
        ("prompt", {"text": "x", "max_tokens": -1}, "invalid_arguments"),
    ],
)
async def test_a_decision_that_cannot_be_made_is_refused_in_words(
    visitor: Visitor, command: str, arguments: dict[str, Json], code: str
) -> None:
    assert code_of(await visitor.ask(command, **arguments)) == code
