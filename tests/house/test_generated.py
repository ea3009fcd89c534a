"""A generated page says what the code says today: `make docs` would change nothing."""

import runpy
from pathlib import Path

import pytest

from tests.house.tree import ROOT, place

GENERATORS = sorted((ROOT / "scripts").glob("*_index.py"))


@pytest.mark.parametrize("script", GENERATORS, ids=lambda path: path.stem)
def test_every_generated_page_is_up_to_date(script: Path) -> None:
    pages: dict[Path, str] = runpy.run_path(str(script))["pages"]()
    stale = [place(page) for page, text in pages.items() if page.read_text(encoding="utf-8") != text]

    assert not stale, f"run 'make docs': {stale}"
