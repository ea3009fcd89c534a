"""The log file of a server: bounded, private, and without what came from our environment."""

from pathlib import Path

from postroom.testing.clock import FakeClock
from postroom.tools.servers.log import FILE_BYTES_MAX, ServerLog


def made(folder: Path) -> ServerLog:
    return ServerLog(folder, "s", mask=lambda text: text.replace("sesame", "${KEY}"), clock=FakeClock())


def test_a_value_is_masked_though_it_comes_in_pieces(tmp_path: Path) -> None:
    log = made(tmp_path)

    log.write(b"the key is ses")
    log.write(b"ame, and ")
    log.flush()
    log.note("sesame again")

    first, second = log.path.read_text(encoding="utf-8").splitlines()
    assert first == "the key is ${KEY}, and "
    assert second.startswith("[postroom 2026-")
    assert second.endswith("] ${KEY} again")


def test_a_value_is_masked_though_a_line_without_end_is_cut_in_it(tmp_path: Path) -> None:
    log = made(tmp_path)

    for part in (b"x" * 65_536, b"ses", b"ame", b"y" * 65_536, b"ses", b"ame"):
        log.write(part)
    log.flush()

    said = log.path.read_text(encoding="utf-8")
    assert said.count("${KEY}") == 2
    assert "ses" not in said
    assert said.count("x") == said.count("y") == 65_536


def test_the_file_is_private_and_the_folder_made(tmp_path: Path) -> None:
    log = made(tmp_path / "not" / "there")

    log.note("x")

    assert log.path.name == "mcp-s.log"
    assert log.path.stat().st_mode & 0o777 == 0o600
    assert log.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_full_file_becomes_the_older_of_two(tmp_path: Path) -> None:
    log = made(tmp_path)

    for part in range(5):
        log.write(f"{part}".encode() * (FILE_BYTES_MAX // 2) + b"\n")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["mcp-s.log", "mcp-s.log.1"]
    assert all(path.stat().st_size <= FILE_BYTES_MAX for path in tmp_path.iterdir())
    assert log.path.read_bytes().startswith(b"4")


def test_a_folder_that_cannot_be_made_loses_the_log_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    log = made(tmp_path / "file")

    log.write(b"x\n")
    log.note("y")

    assert (tmp_path / "file").read_text(encoding="utf-8") == "x"
