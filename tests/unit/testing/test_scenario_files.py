"""Scenario files are read strictly: whatever is wrong is said with its line and what would be right."""

import re
from pathlib import Path

import pytest

from postroom.errors import ConfigFault
from postroom.testing.scenario import missing, read_file
from postroom.testing.scenario.file import NOT_BUILT
from postroom.testing.scenario.parts.expecting import WaitFor
from postroom.testing.scenario.steps import VERBS
from postroom.testing.scenario.verbs.table import VERBS as DONE

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "scenario-files.md"
GOOD = """\
title: hello
agents:
  a:
    script:
      - text: hello
steps:
  - prompt: {to: a, text: hi}
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "case.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def fault_of(folder: Path, text: str) -> str:
    with pytest.raises(ConfigFault) as caught:
        read_file(written(folder, text))
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("  a:", "  a:\n    may_mesage: [child]", 4, "did you mean `may_message`?"),
        ("prompt: {to: a,", "prompt: {too: a,", 7, "did you mean `to`?"),
        ("prompt:", "promt:", 7, "did you mean `prompt`?"),
        ("text: hi}", "text: 5}", 7, "must be a text"),
        (", text: hi", "", 7, "is missing"),
        ("text: hi}", "text: hi}\n    quiesce:", 7, "two verbs, prompt and quiesce"),
        ("text: hi}", "text: hi}\n  - open: gate", 8, "there is no gate `gate`"),
        ("text: hi}", "text: hi}\n  - quiesce: now", 8, "takes nothing"),
        ("- text: hello", "- txt: hello", 5, "unknown key 'txt'"),
        ("title: hello", "title: hello\npolicy: {hops: 3}", 2, "the policy has no `hops`"),
        (
            "title: hello",
            "title: hello\npolicy: {concurrency: true}",
            2,
            "`concurrency` must be int, not True",
        ),
        (
            "title: hello",
            "title: hello\npolicy: {concurrency: null}",
            2,
            "`concurrency` must be int, not None",
        ),
        ("title: hello", "title: hello\npolicy: {pair_window: -1}", 2, "null is no limit"),
        ("title: hello", "title: hello\nworkspace: nowhere", 2, "there is no folder `nowhere`"),
        ("text: hi}", "text: hi}\n  - kill9: {at: somewhere}", 8, "there is no crash point `somewhere`"),
        ("steps:", "gates:\n  g: {commit: accept}\nsteps:", 7, "`accept` is no side of a commit"),
        ("title: hello", "title: hello\ntitle: hello", 2, "is there twice"),
        ("steps:", "gates:\n  g: {tool: slow}\nsteps:", 7, "there is no tool `slow`"),
        ("steps:", "gates:\n  g: {model: a, tool: slow}\nsteps:", 7, "a gate holds one thing"),
        ("steps:", "troubles:\n  - {model: a, fails: bad_luck}\nsteps:", 7, "no fault is called `bad_luck`"),
        ("title: hello", "title: [hello", 2, "not YAML"),
        ("text: hi}", "text: hi}\n  - wait_for: {gate: g}", 8, "there is no gate `g`"),
        ("text: hi}", "text: hi}\n  - expect: {gate: {name: g}}", 8, "there is no gate `g`"),
        ("steps:", "gates:\n  g: {model: b}\nsteps:", 7, "there is no agent `b` (one of a)"),
        ("steps:", "troubles:\n  - {model: b, fails: model_failed}\nsteps:", 7, "there is no agent `b`"),
        ("  a:", "  a:\n    delegates_to: [b]", 4, "there is no agent `b` (one of a)"),
        (
            "  a:",
            "  a:\n    permissions:\n      message:\n        uncle: ask",
            6,
            "`uncle` is no relation (one of parent, child, sibling, *, ancestor, descendant, ",
        ),
        ("  a:", '  a:\n    permissions: {shell: {"": deny}}', 4, "an empty pattern covers nothing"),
        ("  a:", "  a:\n    permissions: {delegate: {b: ask}}", 4, "there is no agent `b` (one of a)"),
        (
            "text: hi}",
            "text: hi}\n  - overlay: {of: a, rules: {message: {uncle: deny}}}",
            8,
            "`uncle` is no relation",
        ),
        (
            "text: hi}",
            'text: hi}\n  - overlay: {of: a, rules: {write: {"": deny}}}',
            8,
            "an empty pattern covers nothing",
        ),
        ("prompt: {to: a, text: hi}", "prompt: hi", 7, "must be a map; its keys: to, text"),
        (
            "text: hi}",
            "text: hi}\n  - expect: {tasks: {are: [completed]}}",
            8,
            "must be a map; its keys: of, id, state, outcome, cause_contains",
        ),
        ("text: hi}", "text: hi}\n  - expect:", 8, "`expect` is empty"),
        ("text: hi}", "text: hi}\n  - advance:", 8, "`advance` is empty"),
        ("title: hello", "title: hello\npolicies: []", 2, "must not be empty"),
        ("text: hi}", "text: hi}\n  - advance: soon", 8, "must be a number"),
        ("text: hi}", "text: hi}\n  - expect: {tasks: {count: all}}", 8, "must be a whole number, or a map"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    said = fault_of(tmp_path, GOOD.replace(old, new, 1))

    assert f"case.yaml:{line}: " in said
    assert words in said


@pytest.mark.parametrize(
    "expect",
    [
        "{}",
        "{request: }",
        "{messages: {to: a}}",
        "{tasks: {}}",
        "{tasks: {count: {}}}",
        "{stream: {client: ui}}",
        "{agents: {}}",
        "{files: {}}",
        "{equal: [a]}",
        "{different: []}",
    ],
)
def test_an_expectation_that_could_not_fail_is_a_mistake(tmp_path: Path, expect: str) -> None:
    for verb in ("expect", "wait_for"):
        assert "case.yaml:8: " in fault_of(tmp_path, f"{GOOD}  - {verb}: {expect}\n")


def test_waiting_for_nothing_but_time_is_a_mistake(tmp_path: Path) -> None:
    said = fault_of(tmp_path, f"{GOOD}  - wait_for: {{time_passes: true}}\n")

    assert "case.yaml:8: " in said
    assert "expect something" in said


def test_a_name_that_the_team_does_not_have_is_told_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "team" / "agents").mkdir(parents=True)
    (tmp_path / "team" / "postroom.toml").write_text('entry = "a"\nsurface = "tree"\n', encoding="utf-8")
    profile = "---\nname: a\ndescription: one\nmodel: openai:m\n---\nYou are a.\n"
    (tmp_path / "team" / "agents" / "a.md").write_text(profile, encoding="utf-8")
    text = GOOD.replace("title: hello", "title: hello\nteam: team")

    read_file(written(tmp_path, text))
    assert "there is no agent `b` in the team (one of a)" in fault_of(tmp_path, text.replace("  a:", "  b:"))
    gate = text.replace("steps:", "gates: {g: {model: b}}\nsteps:")
    assert "there is no agent `b` (one of a)" in fault_of(tmp_path, gate)


def test_a_file_is_for_what_it_names_else_for_what_its_team_folder_is_for(tmp_path: Path) -> None:
    for name, settings in (("plain", ""), ("on_branches", 'surface = "branch"\n')):
        (tmp_path / name / "agents").mkdir(parents=True)
        (tmp_path / name / "postroom.toml").write_text(f'entry = "a"\n{settings}', encoding="utf-8")
        profile = "---\nname: a\ndescription: one\nmodel: openai:m\n---\nYou are a.\n"
        (tmp_path / name / "agents" / "a.md").write_text(profile, encoding="utf-8")

    for said, policies in (
        ("", ["team"]),
        ("\nteam: plain", ["team"]),
        ("\nteam: on_branches", ["branch"]),
        ("\nteam: on_branches\npolicies: [tree, peer]", ["tree", "peer"]),
    ):
        read = read_file(written(tmp_path, GOOD.replace("title: hello", f"title: hello{said}")))

        assert list(read.policies) == policies


def test_a_file_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault) as caught:
        read_file(tmp_path / "none.yaml")

    assert caught.value.message == f"{tmp_path / 'none.yaml'}: cannot be read: No such file or directory"


def test_a_good_file_needs_nothing_that_is_not_there(tmp_path: Path) -> None:
    assert missing(read_file(written(tmp_path, GOOD)).scenario) == []


def test_asks_modes_and_rules_over_a_tree_are_part_of_the_language(tmp_path: Path) -> None:
    more = (
        "  - approve: {ask: a, for: tree}\n  - deny: {ask: a}\n  - answer: {to: a, text: x}\n"
        "  - mode: {of: a, mode: yolo}\n  - overlay: {of: a, rules: {shell: {rm *: deny}}}\n"
        "  - goal: {of: a, text: x}\n  - move_goal: {of: a, move: pause}\n  - fork: {agent: a, to: 3}\n"
        "  - revert: {agent: a, turns: 2}\n  - expect: {asks: [], rights: {of: a, grants: 1}}\n"
    )
    text = GOOD.replace("script:", "permissions: {message: {child: ask}}\n    script:") + more

    assert missing(read_file(written(tmp_path, text)).scenario) == []
    assert "`approve` is empty" in fault_of(tmp_path, GOOD + "  - approve:\n")
    assert "says nothing" in fault_of(tmp_path, GOOD + "  - expect: {rights: {of: a}}\n")


def test_a_bare_effect_stands_for_everything_as_in_a_profile(tmp_path: Path) -> None:
    more = "  - overlay: {of: a, rules: {shell: deny}}\n"
    bare = GOOD.replace("script:", "permissions: {write: ask}\n    script:", 1) + more

    scenario = read_file(written(tmp_path, bare)).scenario
    overlay = scenario.steps[-1].overlay

    assert next(iter(scenario.agents.values())).permissions == {"write": {"*": "ask"}}
    assert overlay is not None
    assert overlay.rules == {"shell": {"*": "deny"}}
    assert "permissions.write" in fault_of(tmp_path, bare.replace("write: ask", "write: maybe"))


def test_every_verb_is_done_or_known_to_be_missing() -> None:
    assert set(DONE) | NOT_BUILT == VERBS
    assert not set(DONE) & NOT_BUILT


def test_the_page_on_scenario_files_names_everything_that_can_be_written() -> None:
    page = PAGE.read_text(encoding="utf-8")
    wanted = VERBS | set(WaitFor.model_fields) | {"as", "background", "refused", "may_be_refused"}

    assert not {name for name in wanted if not re.search(rf"`[^`]*\b{name}\b", page)}


def test_the_first_file_of_the_page_can_be_read(tmp_path: Path) -> None:
    [first] = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    assert missing(read_file(written(tmp_path, first)).scenario) == []
