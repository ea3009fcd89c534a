"""What is built of the sources brings the page along: who installs it needs no Node.js."""

import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from postroom.frontends.web import STATIC
from tests.cli.cli import Cli

ROOT = Path(__file__).resolve().parents[2]
PAGE = "postroom/frontends/web/static"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources with the page as `make page` has built it, and without what it is built from."""
    folder = tmp_path_factory.mktemp("sources")
    for name in ("pyproject.toml", "README.md", "LICENSE", "hatch_build.py"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def wheel(sources: Path) -> Path:
    return Path(
        next(WheelBuilder(str(sources)).build(directory=str(sources / "dist"), versions=["standard"]))
    )


@contextmanager
def daemon(cli: Cli) -> Iterator[str]:
    """The address of a daemon in the background."""
    begun = cli.run("up", "--detach", "--port", "0", "--json")
    assert begun.code == 0, begun.err
    yield str(begun.document["url"])
    cli.run("down")


def test_a_wheel_has_the_whole_page(wheel: Path) -> None:
    built = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file()}
    with zipfile.ZipFile(wheel) as packed:
        names = {name.removeprefix(f"{PAGE}/") for name in packed.namelist() if name.startswith(f"{PAGE}/")}

    assert "index.html" in names
    assert names == built


def test_an_archive_of_the_sources_has_it_too(sources: Path) -> None:
    built = next(SdistBuilder(str(sources)).build(directory=str(sources / "dist"), versions=["standard"]))
    with tarfile.open(built) as packed:
        names = packed.getnames()

    assert any(name.endswith(f"src/{PAGE}/index.html") for name in names)


def test_a_daemon_that_was_installed_from_the_wheel_serves_the_page(wheel: Path, tmp_path: Path) -> None:
    """Nothing beside the wheel is needed."""
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)  # noqa: S202 -- it was built a moment ago
    index = site / PAGE / "index.html"
    index.write_text(index.read_text("utf-8") + "<!-- of this wheel -->\n", encoding="utf-8")
    cli = Cli(tmp_path, env={"PYTHONPATH": str(site)})
    with daemon(cli) as url, httpx2.Client(base_url=url, timeout=60, trust_env=False) as browser:
        page = browser.get("/", headers={"accept": "text/html"})

    assert page.status_code == 200
    assert page.text == index.read_text("utf-8")
