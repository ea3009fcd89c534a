"""Settings of the workspace: lists of sessions and directories, and the names of the source (seed 002)."""

from pathlib import Path

import pytest

from postroom.config import read_config
from postroom.domain.policy import Policy
from postroom.profiles.team import load_team
from tests.unit.profiles.folder import complaints, team_folder

ID = "0190A000-0000-7000-8000-000000000001"


def policy_of(path: Path, settings: str) -> Policy:
    """What a team folder with these settings says."""
    return load_team(team_folder(path, settings=f'entry = "a"\nsurface = "peer"\n{settings}\n')).policy


@pytest.mark.parametrize(
    ("settings", "field", "value"),
    [
        ("[policy]\nwakes_cold = false", "wakes_cold", False),
        ("[policy]\ncrosses_workspace = true", "crosses_workspace", True),
        ("[policy]\npair_cap = 1", "pair_cap", 1),
        ('[policy]\npair_cap = "off"', "pair_cap", None),
        ("[sessionBus]\nallowColdWake = false", "wakes_cold", False),
        ("[sessionBus]\nallowCrossWorkspace = true", "crosses_workspace", True),
        ("[sessionBus]\nmaxPendingPerTarget = 9", "pair_cap", 9),
        ("[sessionBus]\nmaxMessageBytes = 9", "body_bytes_max", 9),
        (f'[sessionBus]\nallowlist = ["{ID}"]', "allow_list", (ID.lower(),)),
        ("[policy]\nallow_list = []", "allow_list", ()),
    ],
)
def test_the_workspace_is_set_by_its_names_and_by_those_of_the_source(
    tmp_path: Path, settings: str, field: str, value: object
) -> None:
    """DS-5, DS-6, DS-30, DS-36"""
    assert getattr(policy_of(tmp_path, settings), field) == value


def test_directories_of_a_list_are_meant_from_its_file_on_and_written_in_one_spelling(tmp_path: Path) -> None:
    """DS-5: whether they are there or not."""
    folder = tmp_path / "team"
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)

    found = policy_of(folder, '[policy]\nallow_list = ["../link", "../later/", "/else/./where"]').allow_list

    assert found == (f"{tmp_path}/real", f"{tmp_path}/later", "/else/where")


def test_the_environment_names_several_with_commas_between(tmp_path: Path) -> None:
    """DS-5: from where one stands."""
    environ = {"POSTROOM_POLICY_ALLOW_LIST": f"{ID}, here", "HOME": str(tmp_path)}

    found = read_config(environ=environ, person_file=tmp_path / "none.toml").policy.allow_list

    assert found == (ID.lower(), str((Path.cwd() / "here").resolve()))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ("[policy]\npair_cap = 0", "policy.pair_cap: 0 is out of range (from 1 to 100000)"),
        ("[sessionBus]\nmaxPendingPerTarget = 0", "0 is out of range (from 1 to 100000)"),
        ("[sessionBus]\nmaxMessageBytes = 0", "must be positive"),
        ("[policy]\nallow_list = 7", "must be a list of names, not a number"),
        ("[policy]\nallow_list = [7]", "must be text, not a number"),
        ('[policy]\nallow_list = ["~nobody-of-this-name/x"]', "the home of somebody who is not known here"),
        ("[sessionBus]\nallowColdwake = true", "did you mean allowColdWake?"),
        (
            "[sessionBus]\nallowColdWake = true\n[policy]\nwakes_cold = true",
            "is the same setting as policy.wakes_cold",
        ),
    ],
)
def test_what_cannot_be_meant_is_said_with_its_place(tmp_path: Path, settings: str, complaint: str) -> None:
    """DS-30: the limits of the source are positive."""
    team_folder(tmp_path, settings=f'entry = "a"\nsurface = "peer"\n{settings}\n')

    (found,) = complaints(tmp_path)

    assert complaint in found
