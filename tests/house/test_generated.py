"""A generated page says what the code says today: `make docs` would change nothing."""

import runpy
from pathlib import Path

import pytest

from tests.house.tree import ROOT, place

GENERATORS = sorted((ROOT / "scripts").glob("*_index.py"))


@pytest.mark.parametrize("script", GENERATORS, ids=lambda path: path.stem)
def test_a_generated_page_is_up_to_date(script: Path) -> None:
    generator = runpy.run_path(str(script))
    page = generator["PAGE"]

    assert page.read_text(encoding="utf-8") == generator["render"](), f"{place(page)} is stale: run 'make docs'"
