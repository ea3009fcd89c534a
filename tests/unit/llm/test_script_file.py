"""Script files: read strictly, faults with file, line and key."""

from pathlib import Path

import pytest

from postroom.errors import ConfigFault
from postroom.llm.scripted import ScriptedAnswer, ScriptedCall, load_script

GOOD = """\
- text: I delegate.
  think_s: 1.5
  calls:
    - delegate_subagent: {agent_type: writer, background: true}
    - look: {}
- when: [report A, report B]
  otherwise: Not yet.
  text: Both are here.
- when: report C
  calls:
    - send_message: '{"to": "x"'
"""


def script_in(folder: Path, text: str) -> Path:
    path = folder / "planner.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_gives_the_rounds_it_lists(tmp_path: Path) -> None:
    script = load_script(script_in(tmp_path, GOOD))

    assert list(script.rounds) == [
        ScriptedAnswer(
            text="I delegate.",
            think_s=1.5,
            calls=(
                ScriptedCall(
                    tool="delegate_subagent",
                    arguments={"agent_type": "writer", "background": True},
                ),
                ScriptedCall(tool="look", arguments={}),
            ),
        ),
        ScriptedAnswer(text="Both are here.", when=("report A", "report B"), otherwise="Not yet."),
        ScriptedAnswer(
            when=("report C",),
            calls=(ScriptedCall(tool="send_message", arguments='{"to": "x"'),),
        ),
    ]


def test_a_round_that_is_held_back_may_go_on_working(tmp_path: Path) -> None:
    text = "- when: report A\n  text: Here.\n  otherwise: {text: I look., calls: [{look: {at: 1}}]}\n"

    script = load_script(script_in(tmp_path, text))

    assert list(script.rounds) == [
        ScriptedAnswer(
            text="Here.", when=("report A",), otherwise="I look.",
            otherwise_calls=(ScriptedCall(tool="look", arguments={"at": 1}),),
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("- text: a\n  when: b\n  otherwise: {txt: c}\n", 3, "unknown key 'txt'"),
        ("- text: a\n- txt: b\n", 2, "unknown key 'txt'"),
        ("- text: a\n  text: b\n", 2, "key 'text' twice"),
        ("- think_s: 1\n", 1, "without text and calls"),
        ("- text: 3\n", 1, "expected a text"),
        ("- text: a\n  think_s: soon\n", 2, "think_s"),
        ("- text: a\n  think_s: true\n", 2, "think_s"),
        ("- text: a\n  think_s: -1\n", 2, "think_s"),
        ("text: a\n", 1, "not a list"),
        ("- a\n", 1, "not a map"),
        ("- calls:\n  - look: {}\n    send: {}\n", 2, "one key"),
        ("- calls:\n  - look: [1]\n", 2, "arguments of 'look'"),
        ("- calls:\n  - look: {on: 2026-11-30}\n", 2, "no JSON value"),
        ("- calls:\n  - look: {n: .inf}\n", 2, "no JSON value"),
        ("- text: !!python/name:os.system\n", 1, "no JSON value"),
        ("- calls: look\n", 1, "not a list"),
        ("- text: 'a\n", 2, "not YAML"),
        ("", 1, "empty"),
    ],
)
def test_a_fault_names_file_line_and_key(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = script_in(tmp_path, text)

    with pytest.raises(ConfigFault) as caught:
        load_script(path)

    assert str(caught.value).startswith(f"config_invalid: {path}:{line}: ")
    assert words in str(caught.value)


def test_a_file_that_is_not_there_is_a_config_fault(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match="cannot be read"):
        load_script(tmp_path / "nobody.yaml")


def test_a_file_that_is_not_utf8_is_a_config_fault(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"- text: \xff\n")

    with pytest.raises(ConfigFault, match="cannot be read"):
        load_script(path)


def test_an_alias_stands_for_what_was_written_before(tmp_path: Path) -> None:
    script = load_script(script_in(tmp_path, "- calls:\n  - &c {look: {at: x}}\n  - *c\n"))

    assert list(script.rounds) == [
        ScriptedAnswer(calls=(ScriptedCall(tool="look", arguments={"at": "x"}),) * 2)
    ]


LAUGHS = "".join(f", y{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))
CHAIN = "".join(f", y{n}: &a{n} {'[' * 20}*a{n - 1}{']' * 20}" for n in range(1, 9))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"- calls: [{{t: {{z: &a0 [x]{LAUGHS}}}}}]", "more than 100000 values"),
        (f"- calls: [{{t: {{z: &a0 [x]{CHAIN}}}}}]", "nested more than 64 deep"),
        ("- &r\n  calls: [{t: {z: *r}}]", "an alias within what it stands for"),
        ("- calls: &l [*l]", "an alias within what it stands for"),
        ("- calls: [{t: " + "[" * 5_000 + "]" * 5_000 + "}]", "nested more than 64 deep"),
        ("- calls: [{t: " + "{a: " * 5_000 + "x" + "}" * 5_000 + "}]", "nested more than 64 deep"),
    ],
    ids=["laughs", "chain", "round", "list", "lists", "maps"],
)  # fmt: skip
def test_a_small_file_that_is_a_huge_tree_is_refused_at_its_line(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(ConfigFault, match=problem) as caught:
        load_script(script_in(tmp_path, text))

    assert f"{tmp_path}/planner.yaml:" in str(caught.value)
