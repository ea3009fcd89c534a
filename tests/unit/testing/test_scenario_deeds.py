"""Files that say what agents do, and leave to each surface how."""

from pathlib import Path

import pytest

from postroom.errors import ConfigFault
from postroom.llm.script import ScriptedAnswer
from postroom.surfaces.presets import PRESETS
from postroom.testing.scenario import Status, read_file, run_file
from postroom.testing.scenario.deeds import ARGUMENTS, DEEDS, in_words_of

TWO = """
title: One file for two surfaces
policies: [tree, branch]
agents:
  r:
    delegates_to: [k]
    may_message: [child]
    afterwards: noted
    script:
      - calls: [{spawn: {agent: k, prompt: work, description: k, background: true}}]
      - calls: [{send: {to: "${agent:k}", text: hello, mode: queue}}]
  k:
    afterwards: done
steps:
  - prompt: {to: r, text: begin}
  - quiesce:
  - expect: {messages: {to: k, are: [{body: hello, mode: queue, state: consumed}]}}
  - expect: {results: {of: r, tool: send, are: [ok]}}
  - expect: {results: {of: r, tool: delegate_subagent, are: [ok]}}
    only: [tree]
  - expect: {results: {of: r, tool: agent, are: [ok]}}
    only: branch
"""


def written(folder: Path, text: str) -> Path:
    """The text as a file."""
    path = folder / "file.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("policy", ["tree", "branch"])
async def test_one_script_is_played_with_the_tools_of_each_surface(tmp_path: Path, policy: str) -> None:
    outcome = await run_file(read_file(written(tmp_path, TWO)), policy, tmp_path / "run")

    assert outcome.status is Status.PASSED, outcome


def test_a_deed_that_a_surface_has_no_tool_for_is_refused(tmp_path: Path) -> None:
    text = TWO.replace('send: {to: "${agent:k}", text: hello, mode: queue}', "list: {}")

    with pytest.raises(ConfigFault, match="the agents of `tree` have no tool for `list`"):
        read_file(written(tmp_path, text))


def test_wrong_arguments_of_a_deed_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match="`send` takes no `body`; known: to, text, mode"):
        read_file(written(tmp_path, TWO.replace("text: hello", "body: hello")))
    with pytest.raises(ConfigFault, match="`spawn` needs an `agent`"):
        read_file(written(tmp_path, TWO.replace("agent: k, ", "")))


def test_every_surface_has_its_words_for_what_it_can_do(tmp_path: Path) -> None:
    assert set(DEEDS) == set(PRESETS)
    script = read_file(written(tmp_path, TWO)).script("r", "turn")
    assert script is not None
    for surface, deeds in DEEDS.items():
        assert set(deeds) <= set(ARGUMENTS)
        spawned, sent = in_words_of(surface, script).rounds
        assert isinstance(spawned, ScriptedAnswer)
        assert isinstance(sent, ScriptedAnswer)
        assert sent.calls[0].tool == deeds["send"].tool
        assert ("queue" in str(sent.calls[0].arguments)) is (surface in {"tree", "team"})
        assert spawned.calls[0].tool == (deeds["spawn"].tool or "k")


async def test_an_agent_may_be_of_another_surface_than_the_file(tmp_path: Path) -> None:
    text = """
title: A peer writes to an agent on branches
policies: [branch]
agents:
  a:
    surface: peer
    afterwards: done
    script:
      - calls: [{send: {to: "${agent:b}", text: hello}}]
  b:
    afterwards: read
steps:
  - prompt: {to: b, text: get ready}
  - quiesce:
  - prompt: {to: a, text: begin}
  - quiesce:
  - expect: {messages: {to: b, are: [{body: hello, sender: a, state: consumed}]}}
  - expect: {results: {of: a, tool: session_send, are: [ok]}}
"""
    outcome = await run_file(read_file(written(tmp_path, text)), "branch", tmp_path / "run")

    assert outcome.status is Status.PASSED, outcome
    with pytest.raises(ConfigFault, match="the agents of `peer` have no tool for `dispatch`"):
        read_file(
            written(tmp_path, text.replace('send: {to: "${agent:b}", text: hello}', "dispatch: {to: b}"))
        )
