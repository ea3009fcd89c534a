"""What a call is to rules and to the person: its action, and the resource that it names."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.errors import ConfigFault
from postroom.llm.port import Json
from postroom.rules.permissions import Effect, Rule, decide
from postroom.rules.text import is_encodable
from postroom.tools.base import Caller, Tool
from postroom.tools.discreet import discreet
from postroom.tools.files.toolset import file_toolsets
from postroom.tools.python import tool, tool_from
from postroom.tools.servers.offer import Listed, make_offer, resource_name
from postroom.tools.shell.resource import command_resource
from tests.unit.tools.files_session import Session

CALLER = Caller(session_id="s", branch_id="b", turn_id="t", call_id="c", agent="ada", cwd="/desk/dir")
FILES = {tool.spec.name: tool for toolset in file_toolsets() for tool in toolset.tools}
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


def resource(tool: Tool, **arguments: Json) -> str:
    assert tool.resource is not None
    return tool.resource(CALLER, arguments)


def test_each_file_tool_needs_a_right_to_read_or_to_write() -> None:
    actions = {name: tool.action for name, tool in FILES.items()}

    assert actions == {
        "read_file": "read", "list_files": "read", "search_files": "read",
        "write_file": "write", "edit_file": "write",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a.txt", "a.txt"),
        ("./src//b/../a.py", "src/a.py"),
        ("/desk/dir/src/a.py", "src/a.py"),
        ("/desk/dir", "."),
        ("", "."),
        ("/desk/dirt/a", "/desk/dirt/a"),
        ("/etc/passwd", "/etc/passwd"),
        ("../../etc/passwd", "/etc/passwd"),
        ("src/../../x", "/desk/x"),
        ("docs/../.env", ".env"),
        ("a\x00b", ""),
        ("a\ud800", "/desk/dir/a\ufffd"),
        (3, ""),
        (None, ""),
        (["a"], ""),
    ],
)
def test_a_path_is_named_from_the_directory_on_and_in_full_outside(path: Json, shown: str) -> None:
    assert resource(FILES["write_file"], path=path) == shown


def test_a_search_without_a_path_is_of_the_directory_itself() -> None:
    assert resource(FILES["search_files"], pattern="x") == "."


@given(ANY_JSON)
def test_no_argument_makes_a_resource_raise(value: Json) -> None:
    for one in (*FILES.values(), tool_from(sweep, action="write")):
        if one.resource is not None:
            assert is_encodable(one.resource(CALLER, {"path": value}))
    assert is_encodable(command_resource(CALLER, {"command": value}))


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("git status", "git status"),
        ("  git status \n", "git status"),
        ("git log; rm -rf .", "compound: git log; rm -rf ."),
        ("git log | sh", "compound: git log | sh"),
        ("git log & rm x", "compound: git log & rm x"),
        ("git log && rm x", "compound: git log && rm x"),
        ("git log $(rm x)", "compound: git log $(rm x)"),
        ("git log `rm x`", "compound: git log `rm x`"),
        ("git log $HOME", "compound: git log $HOME"),
        ("git diff > x", "compound: git diff > x"),
        ("git apply < x", "compound: git apply < x"),
        ("git log\nrm x", "compound: git log\nrm x"),
        ("git log\rrm x", "compound: git log\rrm x"),
        ("git {log,rm}", "compound: git {log,rm}"),
        ("(git log)", "compound: (git log)"),
        ("git commit -m 'a; b'", "compound: git commit -m 'a; b'"),
        ("git a\x00", "git a\ufffd"),
        (None, ""),
        (["git"], ""),
    ],
)
def test_a_command_that_may_be_several_is_marked(command: Json, shown: str) -> None:
    assert command_resource(CALLER, {"command": command}) == shown


@given(st.text(alphabet="git ;|&$`<>(){}\n\rx'\"\\"))
def test_a_pattern_for_one_program_never_covers_a_line_with_a_control_character(command: str) -> None:
    rules = (Rule(action="shell", pattern="git *", effect=Effect.ALLOW),)

    effect = decide(rules, "shell", command_resource(CALLER, {"command": command}))

    assert effect is Effect.DENY or not set(command.strip()) & set(";|&$`<>(){}\n\r")


def test_a_tool_of_a_server_is_named_by_both() -> None:
    offer = make_offer("web", [Listed(name="page/read", description="", schema={})])

    assert [resource_name("web", one.spec.name) for one in offer.tools] == ["web/page_read"]


@tool(action="write")
def sweep(room: str) -> str:
    """Clean a room."""
    return room


def test_a_function_may_say_which_right_it_needs() -> None:
    made = tool_from(sweep)

    assert (made.action, made.resource) == ("write", None)
    assert tool_from(idle).action == ""
    with pytest.raises(ConfigFault, match=r"`message` is no action"):
        tool_from(idle, action="message")


def idle() -> None:
    """Do nothing."""


def test_hiding_keys_leaves_the_rights_of_a_tool_as_they_are() -> None:
    hidden = discreet(FILES["read_file"], lambda text: text)

    assert (hidden.action, resource(hidden, path="x")) == ("read", "x")


async def test_a_search_and_a_list_leave_out_what_the_rules_guard(tmp_path: Path) -> None:
    """A rule that guards one file holds for a tool that would come upon it, too."""
    (tmp_path / "outside").mkdir()
    session = Session(tmp_path, tmp_path / "outside", may=lambda path: not path.startswith("keys/"))
    session.put("keys/a.txt", "needle")
    session.put("b.txt", "needle")

    found = await session.text("search_files", pattern="needle")
    listed = await session.text("list_files", deep=True)

    assert found == "b.txt:1: needle\n[left out by your rules: 1]"
    assert listed == "b.txt (6 bytes)\nkeys/\noutside/\n[left out by your rules: 1]"
    assert await session.text("search_files", pattern="needle", path="keys/a.txt") == "keys/a.txt:1: needle"
