"""What no file may hold: marks of unfinished work, the machine it was written on, hosts nobody meant."""

import re
from pathlib import Path

import pytest

from tests.house.tree import ROOT, lines, place, text, text_files

UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
HOST = re.compile(r"https?://(?:[^\s/@\"']*@)?([A-Za-z0-9.-]+)")
PERSONAL_FOLDER = re.compile(r"(?<![\w.])/(?:home|Users)/\w")
# Hosts a reader is sent to or a default names; everything else in a URL must be reserved for examples.
VENDOR_HOSTS = {"api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com"}
MEANT_HOSTS = {
    "www.apache.org",  # where the license is
    "127.0.0.1",
    "localhost",
    "opentelemetry.io",  # whose words for spans the traces use
    "www.w3.org",  # names of what an SVG is made of; nothing is looked up there
    *VENDOR_HOSTS,
}
RESERVED = (".example", ".test", ".invalid", "example.com", "example.org")
LOCKS = ("requirements.lock", "requirements-dev.lock")
PAGE_LOCK = "package-lock.json"
FUNDING = re.compile(r' +(?:"(?:url|funding)": )?"https://[^"]+",?')
"""Where makers of packages ask for support: npm writes it into its lock file, and nobody goes there."""
SHARED_FOLDERS = {"/", "/tmp", "/var/tmp", "/home", "/usr", "/opt"}  # noqa: S108 - named, not used


def _places_of_this_machine() -> set[str]:
    """Read from the machine that runs the test, so that no list has to name one."""
    folders = {ROOT, ROOT.parent, Path.home()}
    return {f"{folder}/" for folder in map(str, folders) if folder not in SHARED_FOLDERS}


def _is_meant(host: str) -> bool:
    return host in MEANT_HOSTS or host.endswith(RESERVED)


def test_no_file_marks_unfinished_work() -> None:
    marks = [
        place(path, number)
        for path in text_files()
        for number, line in enumerate(lines(path), 1)
        if UNFINISHED.search(line)
    ]

    assert not marks, f"finish it or file it: {marks}"


def test_no_file_names_the_machine_it_was_written_on() -> None:
    here = _places_of_this_machine()
    named = [
        place(path, number)
        for path in text_files()
        for number, line in enumerate(lines(path), 1)
        if PERSONAL_FOLDER.search(line) or any(folder in line for folder in here)
    ]

    assert not named, f"paths of one machine: {named}"


def test_every_host_named_is_one_we_mean() -> None:
    strange = [
        f"{place(path, number)} {host}"
        for path in text_files()
        for number, line in enumerate(lines(path), 1)
        if not (path.name == PAGE_LOCK and FUNDING.fullmatch(line))
        for host in HOST.findall(line)
        if not _is_meant(host)
    ]

    assert not strange, f"hosts nobody listed: {strange}"


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_names_packages_and_hashes_only(name: str) -> None:
    line_shapes = re.compile(r"[a-z0-9.-]+==[^ ]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    other = [line for line in text(ROOT / name).splitlines() if not line_shapes.fullmatch(line)]

    assert not other, f"{name} holds more than names, versions, markers and hashes: {other[:3]}"


def test_the_lock_file_of_the_page_names_no_place_to_get_packages_from() -> None:
    located = [line for line in lines(ROOT / "web" / PAGE_LOCK) if '"resolved"' in line]

    assert not located, f"{PAGE_LOCK} leads to a registry: {located[:3]}"
