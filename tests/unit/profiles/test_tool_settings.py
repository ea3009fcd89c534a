"""What a team says of its tools: shell, servers and groups, and that every slip is named by its place."""

from pathlib import Path

import pytest

from postroom.profiles.team import load_team
from postroom.profiles.tool_settings import McpServer, ShellSettings
from tests.unit.profiles.folder import complaints, team_folder

ENTRY = 'entry = "a"\n'


def test_a_team_that_says_nothing_has_no_shell_no_server_and_no_group(tmp_path: Path) -> None:
    team = load_team(team_folder(tmp_path))

    assert team.tooling.shell == ShellSettings()
    assert not team.tooling.shell.allowed
    assert team.tooling.servers == ()
    assert team.tooling.groups == {}


def test_shell_servers_and_groups_are_read(tmp_path: Path) -> None:
    settings = """
entry = "a"
[shell]
allowed = true
time_limit_s = 5
env = ["DATABASE_URL"]
[groups]
research = ["read", "web__*"]
[mcp.web]
command = ["python", "server.py"]
env = { TOKEN = "${TOKEN}" }
call_s = 9.5
[mcp.far]
url = "https://example.com/mcp"
headers = { Authorization = "Bearer ${FAR_KEY}" }
"""

    tooling = load_team(team_folder(tmp_path, settings=settings)).tooling

    assert tooling.shell == ShellSettings(allowed=True, time_limit_s=5.0, env=("DATABASE_URL",))
    assert tooling.groups == {"research": ("read", "web__*")}
    assert tooling.servers == (
        McpServer(name="web", command=("python", "server.py"), env={"TOKEN": "${TOKEN}"}, call_s=9.5),
        McpServer(name="far", url="https://example.com/mcp", headers={"Authorization": "Bearer ${FAR_KEY}"}),
    )


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ("[shell]\nalowed = true\n", "unknown [shell] key `alowed`"),
        ('[shell]\nallowed = "yes"\n', "must be true or false"),
        ("[shell]\ntime_limit_s = 0\n", "0 is out of range"),
        ("[mcp.web]\nstart_s = 3\n", "needs either a `command` or a `url`"),
        ('[mcp.web]\ncommand = ["x"]\nurl = "https://example.com"\n', "needs either a `command` or a `url`"),
        ('[mcp.a__b]\ncommand = ["x"]\n', "`a__b` is no name of a server"),
        ('[mcp.a_]\ncommand = ["x"]\n', "`a_` is no name of a server"),
        ('[mcp."a b"]\ncommand = ["x"]\n', "`a b` is no name of a server"),
        ('[mcp.web]\ncommand = "x"\n', "must be a list of names"),
        ('[mcp.web]\ncommand = ["x"]\ntimeout = 3\n', "unknown [mcp.web] key `timeout`"),
        ('[mcp.web]\ncommand = ["x"]\nenv = { A = 1 }\n', "must be text"),
        ("mcp = 3\n", "must be a table"),
        ('[groups]\nresearch = "read"\n', "must be a list of names"),
        ('[providers.openai]\nbase_url = "https://evil.example"\n', "unknown key `providers`"),
    ],
)
def test_a_slip_is_named_by_its_place(tmp_path: Path, settings: str, complaint: str) -> None:
    found = complaints(team_folder(tmp_path, settings=ENTRY + settings))

    assert any(complaint in line for line in found), found
    assert all(line.startswith("postroom.toml:") for line in found)
