"""What the page on permissions says of its example is so."""

import re
from pathlib import Path

import pytest

from postroom.profiles.team import Team, check_team, load_team
from postroom.rules.permissions import Effect, effective, with_implied
from tests.unit.profiles.folder import write

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "permissions.md"


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """The files of the page, in a folder."""
    page = PAGE.read_text(encoding="utf-8")
    profile = re.search(r"^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    settings, more = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert profile is not None
    write(tmp_path / "agents" / "writer.md", profile[1])
    write(tmp_path / "postroom.toml", settings + more)
    assert check_team(tmp_path) == ()
    return load_team(tmp_path)


@pytest.mark.parametrize(
    ("action", "resource", "own", "with_ceiling"),
    [
        ("message", "parent", "allow", "allow"),
        ("message", "sibling", "deny", "deny"),
        ("read", ".env", "allow", "allow"),
        ("write", "docs/a.md", "allow", "allow"),
        ("write", "docs/index.md", "ask", "ask"),
        ("write", "src/a.py", "deny", "deny"),
        ("write", ".env", "deny", "deny"),
        ("shell", "git diff --stat", "allow", "ask"),
        ("shell", "git commit -m x", "ask", "ask"),
        ("shell", "git push", "deny", "deny"),
        ("shell", "compound: git diff; rm -r .", "deny", "deny"),
    ],
)
def test_the_example_of_the_page_does_what_the_page_says(
    team: Team, action: str, resource: str, own: str, with_ceiling: str
) -> None:
    rules = with_implied(team.profiles["writer"].permissions, ("read", "shell", "write"))

    assert effective(rules, (), action, resource) is Effect(own)
    assert effective(rules, team.ceilings, action, resource) is Effect(with_ceiling)


def test_the_settings_of_the_page_are_read(team: Team) -> None:
    assert team.mode == "ask"
    assert team.side_calls == {"classification": "openai:gpt-5-mini"}
