"""A command that a page shows can be typed as it stands, and the README names every one."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from postroom.frontends.cli.commands import COMMANDS
from postroom.frontends.cli.parser import Usage, parse
from tests.house.tree import DOCS, ROOT, files, place, text

_BLOCK = re.compile(r"^ *```\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_TYPED = re.compile(r"(?:^|\$ |\| |&& |\$\()postroom ([^|&)\n]*)", re.MULTILINE)
_GRAMMAR = re.compile(r"\[|\.\.\.")
"""What only shows how a command is built, or leaves an id out, is not typed."""


def _shown() -> Iterator[tuple[Path, str]]:
    for page in (
        ROOT / "README.md",
        *files(DOCS / "start"),
        *files(DOCS / "how-to"),
        *files(ROOT / "examples"),
    ):
        if page.suffix == ".md":
            for block in _BLOCK.findall(text(page)):
                yield from ((page, line) for line in _TYPED.findall(block) if not _GRAMMAR.search(line))


def test_every_command_in_a_block_of_a_page_is_one() -> None:
    shown = list(_shown())
    for page, line in shown:
        try:
            parse(shlex.split(line, comments=True))
        except Usage as fault:
            pytest.fail(f"{place(page)}: postroom {line}: {fault}")

    assert len(shown) > len(COMMANDS)


def test_the_readme_names_every_command() -> None:
    missing = [command.name for command in COMMANDS if f"`{command.name}`" not in text(ROOT / "README.md")]

    assert not missing
