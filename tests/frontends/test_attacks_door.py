"""Attacks through the control door: many who decide at once, and rules that would hold for nothing."""

import asyncio
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.daemon.door import open_door
from postroom.domain.plain import Json
from postroom.observe.doctor import examine
from tests.cli.cli import write_team
from tests.frontends.visitor import Visitor, code_of, result_of

MANY = 24


async def said(folder: Path, command: str, **arguments: Json) -> dict[str, Json]:
    """One request on a connection of its own."""
    visitor = await Visitor.come(folder)
    answer = await visitor.ask(command, **arguments)
    await visitor.leave()
    return answer


async def test_rules_that_many_lay_over_a_tree_at_once_all_hold(tmp_path: Path) -> None:
    """Nobody's rule is lost because somebody else laid another one at the same moment."""
    team = write_team(tmp_path / "team", {"a": "- text: done\n"})
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        session = (await room.prompt("go")).session_id
        laid = {"session": session, "do": "set", "action": "shell", "effect": "deny"}
        await asyncio.gather(
            *(said(room.folder, "change_overlay", **laid, pattern=f"rm {n}") for n in range(MANY))
        )
        rules = [rule.pattern for rule in (await room.rights(session)).overlay]

    assert sorted(rules) == sorted(f"rm {n}" for n in range(MANY))


async def test_of_many_who_decide_one_ask_at_once_one_is_heard(tmp_path: Path) -> None:
    """What has been decided is decided: everybody else reads `already_decided`."""
    asks = '- calls:\n    - ask_user: {question: "Shall I?"}\n- text: "${last}"\n'
    team = write_team(tmp_path / "team", {"a": asks})
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        prompt = await room.prompt("go")
        async for event in room.subscribe():
            if event.kind == "ask.opened":
                break
        (ask,) = await room.asks()
        answers = await asyncio.gather(
            *(said(room.folder, "answer_question", ask=ask.ask_id, text=f"no. {n}") for n in range(MANY))
        )
        end = await room.wait(prompt)
        heard = [n for n, answer in enumerate(answers) if answer["ok"]]

    codes = [code_of(answer) for answer in answers if not answer["ok"]]
    assert len(heard) == 1
    assert end.text.endswith(f"no. {heard[0]}")
    assert codes == ["already_decided"] * (MANY - 1)
    assert not examine(tmp_path / "store").findings


async def test_a_rule_without_a_pattern_is_refused_as_in_a_file(tmp_path: Path) -> None:
    team = write_team(tmp_path / "team", {"a": "- text: done\n"})
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        session = (await room.prompt("go")).session_id
        answer = await said(room.folder, "set_overlay", session=session, rules='[["shell", "", "deny"]]')

    assert code_of(answer) == "invalid_arguments"
    assert "an empty pattern covers nothing" in str(answer)


@pytest.mark.parametrize("command", ["change_overlay", "set_overlay"])
async def test_a_rule_for_a_relation_that_there_is_not_is_refused(tmp_path: Path, command: str) -> None:
    """A slip must not look like a rule: `siblings` would deny nothing, and nobody would know."""
    team = write_team(tmp_path / "team", {"a": "- text: done\n"})
    one = {"do": "set", "action": "message", "pattern": "siblings", "effect": "deny"}
    given = one if command == "change_overlay" else {"rules": '[["message", "siblings", "deny"]]'}
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        session = (await room.prompt("go")).session_id
        answer = await said(room.folder, command, session=session, **given)
        right = await said(
            room.folder, "set_overlay", session=session, rules='[["message", "sibling", "deny"]]'
        )

    assert code_of(answer) == "invalid_arguments"
    assert result_of(right)["overlay"] == [{"action": "message", "pattern": "sibling", "effect": "deny"}]
