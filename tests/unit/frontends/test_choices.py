"""The table of commands is loaded at every start, so it repeats words of rooms that are slow to load."""

import pytest

from postroom.domain.ask import ApprovalMode, Scope
from postroom.domain.message import Mode
from postroom.frontends.cli.commands import find_command
from postroom.rules.permissions import ACTIONS, Effect


@pytest.mark.parametrize(
    ("command", "argument", "words"),
    [
        ("mode", "mode", tuple(ApprovalMode)),
        ("run", "--mode", tuple(ApprovalMode)),
        ("approve", "--for", tuple(Scope)),
        ("permissions", "action", ACTIONS),
        ("permissions", "effect", tuple(Effect)),
        ("send", "--mode", tuple(Mode)),
    ],
)
def test_a_command_offers_every_word_there_is(command: str, argument: str, words: tuple[str, ...]) -> None:
    found = next(one for one in find_command(command).arguments if one.name == argument)

    assert found.choices == words
