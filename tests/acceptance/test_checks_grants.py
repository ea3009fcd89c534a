"""CK-6 and CK-30 together: what the person has allowed a tree never comes before a rule that denies."""

from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.llm.port import ResultItem
from postroom.observe.asks import AskView
from postroom.testing.script import ScriptedModel, call, say

PROFILE = """---
name: ada
description: works
model: openai:fake
tools: [files]
permissions: {write: ask}
---
Work.
"""
DENIES_NOTES = '[permissions.write]\n"notes/*" = "deny"\n"*" = "allow"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the process stands, with the team in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "team" / "agents").mkdir(parents=True)
    (tmp_path / "team" / "agents" / "ada.md").write_text(PROFILE, encoding="utf-8")
    (tmp_path / "notes").mkdir()
    return tmp_path.resolve()


async def the_ask(room: Postroom) -> AskView:
    """The one ask that is open, as soon as it is."""
    listener = room.store.doorbell.listen()
    try:
        while not (found := await room.asks()):
            await listener.wait()
            listener.clear()
    finally:
        room.store.doorbell.leave(listener)
    (ask,) = found
    return ask


async def live(folder: Path, model: ScriptedModel, settings: str, session: str | None) -> tuple[str, str]:
    """One life: the agent writes its note, which the person allows for the tree at first.

    The newest result, and the session.
    """
    (folder / "team" / "postroom.toml").write_text(settings, encoding="utf-8")
    async with Postroom.open(folder / "store", team=folder / "team", models={"openai:fake": model}) as room:
        prompt = await room.prompt("go", session=session)
        if session is None:
            await room.approve((await the_ask(room)).ask_id, "tree")
        await room.wait(prompt, tree=True)
        granted = (await room.rights(prompt.session_id)).grants
    assert [grant.resource for grant in granted] == ["notes/a.txt"]
    results = [item for item in model.requests[-1].items if isinstance(item, ResultItem)]
    return results[-1].text, prompt.session_id


async def test_a_grant_of_the_tree_never_comes_before_a_rule_that_denies(folder: Path) -> None:
    """CK-6, CK-30, systems.md 3.5: hard denies come first; the grant counts again once they are gone."""
    texts = ("one", "two", "three")
    writes = [call("write_file", path="notes/a.txt", content=text) for text in texts]
    model = ScriptedModel(*(round_ for write in writes for round_ in (write, say("done"))))
    note, stored = folder / "notes" / "a.txt", list[str]()
    session: str | None = None
    results = list[str]()
    for settings in ("", DENIES_NOTES, ""):
        result, session = await live(folder, model, settings, session)
        results.append(result)
        stored.append(note.read_text(encoding="utf-8"))

    assert [result.startswith("write_file:permission_denied:") for result in results] == [False, True, False]
    assert stored == ["one", "one", "three"]
    model.assert_clean()
