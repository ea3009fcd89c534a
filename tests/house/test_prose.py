"""Pages that nobody can find, links that lead nowhere and changes without news do not stay."""

import re
from pathlib import Path

from tests.house.tree import DOCS, ROOT, files, place, text

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
FRAGMENT = re.compile(r"\d+(\.\d+)?\.(feature|fix|change|removal)\.md")


def _pages() -> list[Path]:
    return [path for path in files() if path.suffix == ".md"]


def _links(page: Path) -> set[Path]:
    return {(page.parent / target).resolve() for target in LINK.findall(text(page))}


def test_every_decision_is_linked_from_the_list() -> None:
    listed = _links(DOCS / "why" / "README.md")
    lost = [place(page) for page in files(DOCS / "why") if page.name != "README.md" and page not in listed]

    assert not lost, f"not linked from docs/why/README.md: {lost}"


def test_every_page_of_the_documentation_is_linked_from_another() -> None:
    linked = {target for page in _pages() for target in _links(page) if target != page}
    lost = [place(page) for page in files(DOCS) if page not in linked]

    assert not lost, f"no page links to: {lost}"


def test_every_link_between_pages_leads_somewhere() -> None:
    broken = [
        f"{place(page)} -> {target.name}"
        for page in _pages()
        for target in _links(page)
        if not target.exists()
    ]

    assert not broken, f"links that lead nowhere: {broken}"


def test_there_is_news_and_every_fragment_says_its_kind() -> None:
    fragments = [path.name for path in files(ROOT / "changes.d") if path.name != "README.md"]

    assert fragments
    assert not [name for name in fragments if not FRAGMENT.fullmatch(name)]
