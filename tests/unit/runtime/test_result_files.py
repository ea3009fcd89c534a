"""The file with the whole of a long answer: private, whole or not there, and never outside its folder."""

import stat
from pathlib import Path

import pytest

from postroom.runtime.result_files import keep_whole

NAME = "t_0123456789abcd"
TEXT = "a\r\nü字😀" * 1_000


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_file_holds_every_byte_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    """OP-15, O-29."""
    kept = Path(keep_whole(tmp_path, NAME, TEXT))

    assert kept == tmp_path / ".postroom" / "results" / f"{NAME}.txt"
    assert kept.read_bytes() == TEXT.encode()
    assert mode(kept) == 0o600
    assert mode(kept.parent) == mode(kept.parent.parent) == 0o700
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_git_sees_nothing_of_it(tmp_path: Path) -> None:
    """OP-15."""
    keep_whole(tmp_path, NAME, TEXT)
    ignored = tmp_path / ".postroom" / ".gitignore"

    assert ignored.read_text(encoding="utf-8") == "*\n"

    ignored.write_text("mine\n", encoding="utf-8")
    keep_whole(tmp_path, NAME, "again")
    assert ignored.read_text(encoding="utf-8") == "mine\n"


def test_a_second_answer_takes_the_place_of_the_first(tmp_path: Path) -> None:
    keep_whole(tmp_path, NAME, "one")

    kept = Path(keep_whole(tmp_path, NAME, "two"))

    assert kept.read_text(encoding="utf-8") == "two"


def test_the_rest_of_a_process_that_died_does_no_harm(tmp_path: Path) -> None:
    kept = Path(keep_whole(tmp_path, NAME, "one"))
    (kept.parent / f".{kept.name}.part").write_text("half", encoding="utf-8")

    assert keep_whole(tmp_path, NAME, "two") == str(kept)
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


@pytest.mark.parametrize("link", [".postroom", ".postroom/results"])
def test_no_link_leads_out_of_the_directory(tmp_path: Path, link: str) -> None:
    """O-29: what an agent can put into its directory must not be a way to write elsewhere."""
    cwd, outside = tmp_path / "cwd", tmp_path / "outside"
    outside.mkdir()
    (cwd / link).parent.mkdir(parents=True)
    (cwd / link).symlink_to(outside)

    assert keep_whole(cwd, NAME, TEXT) == ""
    assert list(outside.iterdir()) == []


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious", encoding="utf-8")
    results = tmp_path / ".postroom" / "results"
    results.mkdir(parents=True)
    (results / f"{NAME}.txt").symlink_to(target)
    (results / f".{NAME}.txt.part").symlink_to(target)

    kept = Path(keep_whole(tmp_path, NAME, "new"))

    assert kept.read_text(encoding="utf-8") == "new"
    assert not kept.is_symlink()
    assert target.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("block", ["", ".postroom", ".postroom/results", f".postroom/results/{NAME}.txt"])
def test_where_nothing_can_be_written_there_is_no_file(tmp_path: Path, block: str) -> None:
    """O-29: then the store alone holds the text."""
    cwd = tmp_path / "cwd"
    blocked = cwd / block if block else cwd
    blocked.parent.mkdir(parents=True, exist_ok=True)
    if block.endswith(".txt"):
        (blocked / "x").mkdir(parents=True)
    else:
        blocked.write_text("a file", encoding="utf-8")

    assert keep_whole(cwd, NAME, TEXT) == ""


def test_a_directory_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    assert keep_whole(tmp_path / "gone", NAME, TEXT) == ""
    assert not (tmp_path / "gone").exists()
