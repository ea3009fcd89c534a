"""`[permissions]`, `mode` and `[side_calls]`: what the settings say of rights, and where they are wrong."""

from pathlib import Path

import pytest

from postroom.domain.ask import ApprovalMode
from postroom.profiles.located import Setting, empty_table
from postroom.profiles.team import load_team
from postroom.profiles.toml import read_toml
from postroom.rules.permissions import Effect, Rule, effective
from tests.unit.profiles.folder import agent, complaints, team_folder, write

ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY
RIGHTS = """\
entry = "a"
mode = "auto_approve_n"

[permissions]
shell = "ask"
message = { child = "allow", "*" = "deny" }

[permissions.write]
"docs/*" = "allow"
"*" = "ask"

[side_calls.classification]
model = "openai:small"
"""


def test_the_settings_of_a_team_hold_rights(tmp_path: Path) -> None:
    team = load_team(team_folder(tmp_path, settings=RIGHTS))

    assert team.mode is ApprovalMode.AUTO_APPROVE_N
    assert team.side_calls == {"classification": "openai:small"}
    (ceiling,) = team.ceilings
    assert ceiling == (
        Rule(action="message", pattern="child", effect=ALLOW),
        Rule(action="message", pattern="*", effect=DENY),
        Rule(action="write", pattern="docs/*", effect=ALLOW),
        Rule(action="write", pattern="*", effect=ASK),
        Rule(action="shell", pattern="*", effect=ASK),
    )


def test_a_team_that_says_nothing_has_no_ceiling_and_asks_the_person(tmp_path: Path) -> None:
    team = load_team(team_folder(tmp_path))

    assert (team.ceilings, team.mode, team.side_calls) == ((), ApprovalMode.ASK, {})


def test_every_action_and_effect_may_stand_in_a_profile(tmp_path: Path) -> None:
    rules = ("read: allow", "write: {'src/*': ask}", "shell: {'git *': ask}", "mcp: {'web/*': deny}")
    more = "permissions:\n  " + "\n  ".join(rules) + "\n"

    assert load_team(team_folder(tmp_path, a=agent("a", more))).profiles["a"].permissions == (
        Rule(action="read", pattern="*", effect=ALLOW),
        Rule(action="write", pattern="src/*", effect=ASK),
        Rule(action="shell", pattern="git *", effect=ASK),
        Rule(action="mcp", pattern="web/*", effect=DENY),
    )


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ('mode = "yoyo"', ":2: mode: there is no mode `yoyo` (did you mean yolo?)"),
        ("mode = true", ":2: mode: must be text, not true or false"),
        ('permissions = "ask"', ":2: permissions: must be a table, not text"),
        ('[permissions]\nshel = "ask"', ":3: permissions.shel: unknown action `shel` (did you mean shell?)"),
        ('[permissions]\nshell = "aks"', ":3: permissions.shell: `aks` is no effect (did you mean ask?)"),
        ("[permissions]\nshell = 1", ":3: permissions.shell: must be allow, ask or deny, not a number"),
        (
            '[permissions.write]\n"a" = "ask"\n"b/*" = []',
            ":4: permissions.write.b/*: must be allow, ask or deny, not a list",
        ),
        (
            '[permissions.message]\nuncle = "ask"',
            (
                ":3: permissions.message.uncle: `uncle` is no relation"
                " (known here: *, ancestor, child, descendant, parent, sibling, tree, workspace)"
            ),
        ),
        (
            '[permissions.shell]\n"" = "deny"',
            ":3: permissions.shell.: an empty pattern covers nothing; `*` covers everything",
        ),
        ('[permissions.message]\n"" = "deny"', ":3: permissions.message.: an empty pattern covers nothing"),
        ('[permissions.delegate]\n"" = "deny"', ":3: permissions.delegate.: an empty pattern covers nothing"),
        (
            '[permissions.delegate]\nbb = "ask"',
            ":3: permissions.delegate.bb: there is no agent `bb` here (did you mean b?)",
        ),
        (
            '[side_calls.clasification]\nmodel = "a:b"',
            ":2: side_calls.clasification: unknown side call `clasification` (did you mean classification?)",
        ),
        ('[side_calls.classification]\nmodel = "x"', ":3: side_calls.classification.model: `x` is no model"),
        (
            '[side_calls.classification]\nmodel = "opnai:x"',
            ":3: side_calls.classification.model: there is no provider `opnai` (did you mean openai?)",
        ),
        (
            '[side_calls.classification]\nmodle = "openai:x"',
            ":3: side_calls.classification.modle: unknown [side_calls.classification] key `modle`",
        ),
    ],
)
def test_what_is_wrong_with_rights_is_named_with_its_line(tmp_path: Path, more: str, complaint: str) -> None:
    found = complaints(team_folder(tmp_path, settings=f'entry = "a"\n{more}\n'))

    assert any(line.startswith(f"postroom.toml{complaint}") for line in found), found


def layer(path: Path, text: str) -> Setting:
    found = read_toml(write(path / "layer.toml", text), "layer")
    assert isinstance(found, Setting)
    return found


def test_no_layer_softens_another(tmp_path: Path) -> None:
    """A team folder may come from a stranger: what the person's own file forbids stays forbidden."""
    under = layer(tmp_path, '[permissions]\nshell = "ask"\nread = "deny"\n')
    own = 'entry = "a"\n[permissions]\nread = "allow"\n[permissions.shell]\n"git *" = "allow"\n'

    ceilings = load_team(team_folder(tmp_path, settings=own), under=under).ceilings

    assert ceilings == (
        (Rule(action="read", pattern="*", effect=DENY), Rule(action="shell", pattern="*", effect=ASK)),
        (Rule(action="read", pattern="*", effect=ALLOW), Rule(action="shell", pattern="git *", effect=ALLOW)),
    )
    own_rules = (Rule(action="read", effect=ALLOW), Rule(action="shell", effect=ALLOW))
    assert effective(own_rules, ceilings, "read", "notes.md") is DENY
    assert effective(own_rules, ceilings, "shell", "git log") is ASK


def test_a_person_may_speak_of_agents_that_this_team_does_not_have(tmp_path: Path) -> None:
    under = layer(tmp_path, '[permissions.delegate]\ncourier = "deny"\n')

    team = load_team(team_folder(tmp_path), under=under, over=empty_table("environment"))

    assert team.ceilings == ((Rule(action="delegate", pattern="courier", effect=DENY),),)
