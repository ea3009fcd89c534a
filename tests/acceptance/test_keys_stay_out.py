"""No key of a model comes into the store by way of a tool, whatever a tool gives."""

from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.llm.port import ResultItem
from postroom.testing.script import ScriptedModel, call, say

KEY = "sk-key-of-the-environment-0123"
FILED = "sk-key-of-the-file-4567"
PROFILE = """---
name: ada
description: works
model: openai:fake
tools: [read, shell, ask]
---
Work.
"""


def ask(name: str) -> str:
    """Ask another model, with the key that is there."""
    raise ValueError(f"{name} does not take the key {KEY}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a key in a file of settings, one in a file of its own, and one in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY_FILE", str(tmp_path / "anthropic.key"))
    (tmp_path / "anthropic.key").write_text(f"{FILED}\n", encoding="utf-8")
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n", encoding="utf-8")
    (tmp_path / "team" / "agents").mkdir(parents=True)
    (tmp_path / "team" / "agents" / "ada.md").write_text(PROFILE, encoding="utf-8")
    (tmp_path / "team" / "postroom.toml").write_text("[shell]\nallowed = true\n", encoding="utf-8")
    return tmp_path


async def test_a_key_in_a_result_an_error_or_the_end_of_work_is_hidden_and_its_file_closed(
    folder: Path,
) -> None:
    model = ScriptedModel(
        call("read_file", path=".env"),
        call("read_file", path="anthropic.key"),
        call("search_files", pattern="sk-"),
        call("ask", name="gpt"),
        call("shell", command="cat .env anthropic.key; echo seen"),
        call("shell", command="cat .env anthropic.key; echo seen", background=True),
        say("I wait."),
        say("done"),
    )
    room = Postroom.open(folder / "store", team=folder / "team", models={"openai:fake": model}, tools=[ask])
    async with room:
        await room.wait(await room.prompt("go"), tree=True)
        given = repr(list(model.requests[-1].items))
        kept = b"".join(path.read_bytes() for path in (folder / "store").rglob("postroom*"))

    results = [item for item in model.requests[-1].items if isinstance(item, ResultItem)]
    assert "anthropic.key is closed" in results[1].text
    assert given.count("(key)") == 7  # one each of the file, the search and the error, two of each command
    for key in (KEY, FILED):
        assert key not in given
        assert key.encode() not in kept
