"""What README and tutorial tell a newcomer to type works as it stands."""

import subprocess
import sys
from pathlib import Path

from tests.cli.cli import ANSWERS, Cli, write_team
from tests.cli.tutorial import NOT_TYPED, Reader, blocks

ROOT = Path(__file__).resolve().parents[2]


def test_whoever_follows_the_tutorial_has_a_team_that_works(cli: Cli) -> None:
    """Every file is written, every command typed on a terminal, and what the page shows is seen."""
    page = (ROOT / "docs" / "start" / "tutorial.md").read_text(encoding="utf-8")
    reader, steps = Reader(cli), list(blocks(page))

    for step in steps:
        reader.do(step)

    assert "lost 0, doubled 0" in cli.run("doctor").out


def test_nothing_of_the_tutorial_is_left_out_but_what_sets_up_the_machine() -> None:
    page = (ROOT / "docs" / "start" / "tutorial.md").read_text(encoding="utf-8")
    typed = [line for block in blocks(page) if block.kind == "typed" for line in block.text.splitlines()]

    assert [line for line in typed if line in NOT_TYPED] == list(NOT_TYPED)
    assert len([line for line in typed if line.startswith("postroom ")]) > 12


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
