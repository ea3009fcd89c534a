"""Profiles: what is read, and that what is wrong is named by file, line and key."""

from pathlib import Path

import pytest

from postroom.llm.port import ModelSettings
from postroom.profiles.team import Problem, check_team, load_team
from postroom.rules.permissions import Effect, Rule
from tests.unit.profiles.folder import agent, complaints, only_problem, team_folder, write

FULL = """\
---
# who it is
name: Großer Plan
description: "Plans: then hands out."
model: openai:gpt
tools: [search, read]
delegates_to:
  - b
permissions:
  message:
    child: allow
    "*": deny
  delegate: deny
max_rounds: 7
max_tokens: 100
temperature: 0.5
context_window: 9000
---

You plan.

---
Not front matter.
"""


def test_every_key_is_read(tmp_path: Path) -> None:
    team = load_team(team_folder(tmp_path, settings='entry = "Großer Plan"\n', a=FULL))

    profile = team.profiles["Großer Plan"]
    assert profile.description == "Plans: then hands out."
    assert profile.model == "openai:gpt"
    assert profile.tools == ("search", "read")
    assert profile.delegates_to == ("b",)
    assert profile.permissions == (
        Rule(action="delegate", pattern="b", effect=Effect.ALLOW),
        Rule(action="message", pattern="child", effect=Effect.ALLOW),
        Rule(action="message", pattern="*", effect=Effect.DENY),
        Rule(action="delegate", pattern="*", effect=Effect.DENY),
    )
    assert profile.max_rounds == 7
    assert profile.settings == ModelSettings(max_tokens=100, temperature=0.5, context_window=9000)
    assert profile.instructions == "You plan.\n\n---\nNot front matter."
    assert profile.source == tmp_path / "agents" / "a.md"


def test_a_profile_inherits_what_it_does_not_say(tmp_path: Path) -> None:
    settings = 'entry = "a"\n[model]\nname = "openai:team"\nmax_tokens = 5\ntemperature = 1\n'
    silent = "---\nname: a\ndescription: d\nmax_tokens: 9\n---\nWork.\n"

    team = load_team(team_folder(tmp_path, settings=settings, a=silent))

    assert team.profiles["a"].model == "openai:team"
    assert team.profiles["a"].settings == ModelSettings(max_tokens=9, temperature=1.0)
    assert team.profiles["b"].model == "openai:m"


def test_a_file_with_a_byte_order_mark_and_windows_lines_is_read(tmp_path: Path) -> None:
    text = "\ufeff" + agent("a").replace("\n", "\r\n")
    team_folder(tmp_path)
    (tmp_path / "agents" / "a.md").write_bytes(text.encode())

    assert load_team(tmp_path).profiles["a"].instructions == "Work."


@pytest.mark.parametrize(
    ("more", "line", "key", "message", "remedy"),
    [
        ("max_rouns: 3\n", 5, "max_rouns", "unknown key `max_rouns`", "did you mean max_rounds?"),
        ("zzz: 3\n", 5, "zzz", "unknown key `zzz`", "known here: context_window, "),
        ("max_rounds: many\n", 5, "max_rounds", "must be a whole number, not text", ""),
        ("max_rounds: 1.5\n", 5, "max_rounds", "must be a whole number, not a number", ""),
        ("max_rounds: yes\n", 5, "max_rounds", "must be a whole number, not true or false", ""),
        ("max_rounds: 0\n", 5, "max_rounds", "0 is out of range", "from 1 to 10000"),
        ("temperature: 3\n", 5, "temperature", "3.0 is out of range", "from 0 to 2"),
        ("temperature: .nan\n", 5, "temperature", "nan is out of range", "from 0 to 2"),
        ("max_tokens: [1]\n", 5, "max_tokens", "must be a whole number, not a list", ""),
        ("max_tokens:\n", 5, "max_tokens", "must be a whole number, not nothing", ""),
        ("tools: search\n", 5, "tools", "must be a list of names, not text", "write [one, two]"),
        ("tools:\n- x\n- 3\n", 7, "tools", "must be text, not a number", "quotes"),
        ("tools: [x, x]\n", 5, "tools", "`x` is listed twice", "keep one"),
        ('tools: [" "]\n', 5, "tools", "is blank", ""),
        ('tools: ["\\uD800"]\n', 5, "tools", "no model can be sent", ""),
        ("delegates_to: [c]\n", 5, "delegates_to", "there is no agent `c` here", "known here: a, b"),
        ("permissions: allow\n", 5, "permissions", "must be a table, not text", ""),
        ("permissions:\n  mesage: allow\n", 6, "permissions.mesage", "unknown action", "message?"),
        ("permissions: {rea: ask}\n", 5, "permissions.rea", "unknown action `rea`", "did you mean read?"),
        ("permissions: {message: alow}\n", 5, "permissions.message", "no effect", "mean allow?"),
        ("permissions: {message: true}\n", 5, "permissions.message", "must be allow, ask or deny", ""),
        ('permissions: {shell: {"": ask}}\n', 5, "permissions.shell.", "an empty pattern covers nothing", ""),
        (
            "permissions:\n  message:\n    chld: allow\n",
            7,
            "permissions.message.chld",
            "`chld` is no relation",
            "did you mean child?",
        ),
        (
            "permissions:\n  delegate: {bb: allow}\n",
            6,
            "permissions.delegate.bb",
            "there is no agent `bb` here",
            "did you mean b?",
        ),
        ("description: again\n", 5, "description", "is given twice", "keep one"),
        ("3: x\n", 5, "", "a key must be text", "quotes"),
        ("tools: &t [x]\ndelegates_to: *t\n", 6, "", "aliases are not allowed", ""),
        ("permissions:\n  message: {*: allow}\n", 6, "", "is not YAML", "need quotes"),
        ("tools: [x\n", 5, "", "is not YAML", ""),
        ("tools: !!python/name:os.system x\n", 5, "tools", "cannot be read", "quotes"),
        ("tools: 2026-13-45\n", 5, "tools", "cannot be read", "quotes"),
    ],
)
def test_a_wrong_key_is_named_with_its_line(
    tmp_path: Path, more: str, line: int, key: str, message: str, remedy: str
) -> None:
    found = next(iter(check_a(tmp_path, more)))

    assert found.file == str(tmp_path / "agents" / "a.md")
    assert (found.line, found.key) == (line, key)
    assert message in found.message
    assert remedy in found.remedy


def check_a(path: Path, more: str) -> list[Problem]:
    return [found for found in check_team(team_folder(path, a=agent("a", more))) if "a.md" in found.file]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Work.\n", "agents/a.md:1: has no front matter"),
        ("", "agents/a.md:1: has no front matter"),
        ("---\nname: a\n", "agents/a.md:1: the front matter is not closed"),
        ("---\n- name\n---\nx\n", "agents/a.md:2: must be keys with values"),
        ("---\nname: a\ndescription: d\nmodel: m\n---\nx\n", "agents/a.md:4: model: `m` is no model"),
        ("---\nname: a\ndescription: d\nmodel: openai:m\n---\n \n\u200b", "the instructions are blank"),
        ("---\nname: a\ndescription: d\n---\nx\n", "`model` is missing"),
        (
            "---\nname: a\ndescription: d\nmodel: opnai:m\n---\nx\n",
            "agents/a.md:4: model: there is no provider `opnai` (did you mean openai?)",
        ),
        ("---\nname: a\nmodel: openai:m\n---\nx\n", "`description` is missing"),
        ("---\ndescription: d\nmodel: openai:m\n---\nx\n", "`name` is missing"),
        ("---\nname: a\n---\nx\0y", "agents/a.md:4: holds the character U+0000"),
        ("---\nname: a\ndescription: d\nmodel: openai:m\n---\nx\n\uffff\n", "agents/a.md:7: the instr"),
        ("---\nx: " + "[" * 5000 + "\n---\nx", "agents/a.md"),
        ("---\nname: a\nx: {a: {b: {c: {d: {e: {f: {g: 1}}}}}}}\n---\nx", "is nested too deeply"),
    ],
)
def test_a_broken_file_is_a_problem_and_no_crash(tmp_path: Path, text: str, complaint: str) -> None:
    found = complaints(team_folder(tmp_path, a=text))

    assert any(complaint in line for line in found), found


def test_bytes_that_are_no_text_are_named_by_line(tmp_path: Path) -> None:
    team_folder(tmp_path)
    (tmp_path / "agents" / "a.md").write_bytes(b"---\nname: a\n---\n\xed\xa0\x80 a surrogate\n")

    assert "agents/a.md:4: is not valid UTF-8 (save it as UTF-8)" in complaints(tmp_path)


def test_a_file_that_is_no_profile_at_all_is_too_large(tmp_path: Path) -> None:
    write(team_folder(tmp_path) / "agents" / "a.md", "x" * 1_000_001)

    assert any("larger than" in line for line in complaints(tmp_path))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("user", "reserved"),
        ("EVERYONE", "reserved"),
        ("Lead", "reserved"),
        ("a:b", "may not hold :"),
        ("a#b", "may not hold #"),
        ("a/b", "may not hold /"),
        ('a"b', 'may not hold "'),
        (" a", "white space"),
        ("a\tb", "control"),
        ("x" * 65, "64 characters"),
        ("😀" * 51, "200 bytes"),
        ("0193b3a0-0000-7000-8000-000000000000", "UUID"),
        ("0193B3A0-0000-7000-8000-000000000000", "UUID"),
        ("writer_1a2b3c4d", "handle"),
    ],
)
def test_a_name_that_could_be_taken_for_something_else_is_refused(
    tmp_path: Path, name: str, reason: str
) -> None:
    """KK-49; product.md section 8."""
    quoted = "'" + name + "'" if "\t" not in name else '"a\\tb"'

    found = only_problem(team_folder(tmp_path, settings='entry = "b"\n', a=agent(quoted)))

    assert (found.line, found.key) == (2, "name")
    assert reason in found.message


@pytest.mark.parametrize("name", ["x" * 64, "😀" * 50, "Ulla M.", "writer_1a2b3c4", "user2"])
def test_an_ordinary_name_is_taken(tmp_path: Path, name: str) -> None:
    team = load_team(team_folder(tmp_path, settings='entry = "b"\n', a=agent(f"'{name}'")))

    assert name in team.profiles
