"""What README and tutorial tell a newcomer to type works as it stands."""

import re
import subprocess
import sys
from pathlib import Path

from tests.frontends.cli import ANSWERS, Cli, write_team

ROOT = Path(__file__).resolve().parents[2]
FILE = re.compile(r"`(duo/[\w./]+)`[^\n]*\n(?:[^\n`]*\n)*?\n```\w*\n(.*?)```", re.DOTALL)


def test_the_tutorial_ends_with_two_agents_that_talk(cli: Cli) -> None:
    tutorial = (ROOT / "docs" / "start" / "tutorial.md").read_text(encoding="utf-8")
    for name, text in FILE.findall(tutorial):
        path = cli.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    checked = cli.run("check", "duo")
    ran = cli.run("run", "--team", "duo", "Find out how bees talk")

    assert (checked.code, checked.out) == (0, "")
    assert (ran.code, ran.out) == (0, "Bob says: they dance.\n")
    assert [agent["state"] for agent in cli.agents()] == ["finished", "finished"]


def test_the_ten_lines_of_the_readme_run(cli: Cli) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program = readme.partition("```python\n")[2].partition("```")[0]
    write_team(cli.folder / "my-team", {"editor": ANSWERS})

    done = subprocess.run(
        [sys.executable, "-c", program], env=cli.env, cwd=cli.folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip

    assert done.stderr == ""
    assert done.stdout == ("Here you are.\nuser Write a page about bees\nassistant Here you are.\n")
