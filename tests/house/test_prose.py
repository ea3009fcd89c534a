"""Pages that nobody can find, links that lead nowhere and changes without news do not stay."""

import re
from collections import Counter
from pathlib import Path

from tests.house.tree import DOCS, ROOT, SRC, files, lines, place, text

LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
LABEL = re.compile(r"\[([^]]*)\]\([^)]*\)")
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FRAGMENT = re.compile(r"\d+(\.\d+)?\.(feature|fix|change|removal)\.md")


def _pages() -> list[Path]:
    return [path for path in files() if path.suffix == ".md"]


def _prose(page: Path) -> str:
    return CODE.sub("", text(page))


def _anchors(page: Path) -> set[str]:
    """What a link may say behind `#`: the headings as the usual viewers name them."""
    found: Counter[str] = Counter()
    anchors: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", text(page))):
        words = LABEL.sub(r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        anchors.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return anchors


def _links(page: Path) -> set[Path]:
    return {(page.parent / target).resolve() for target, _ in LINK.findall(_prose(page)) if target}


def test_every_decision_is_linked_from_the_list() -> None:
    listed = _links(DOCS / "why" / "README.md")
    lost = [place(page) for page in files(DOCS / "why") if page.name != "README.md" and page not in listed]

    assert not lost, f"not linked from docs/why/README.md: {lost}"


def test_every_page_on_how_to_do_something_is_listed() -> None:
    listed = _links(DOCS / "how-to" / "README.md")
    lost = [place(page) for page in files(DOCS / "how-to") if page.name != "README.md" and page not in listed]

    assert not lost, f"not linked from docs/how-to/README.md: {lost}"


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


def test_every_link_to_a_part_of_a_page_names_one_of_its_headings() -> None:
    broken = [
        f"{place(page)} -> {target}#{anchor}"
        for page in _pages()
        for target, anchor in LINK.findall(_prose(page))
        if anchor and (there := (page.parent / target).resolve() if target else page).suffix == ".md"
        if there.exists() and anchor not in _anchors(there)
    ]

    assert not broken, f"links to headings that are not there: {broken}"


def test_the_files_to_read_first_are_there_and_about_as_long_as_is_said() -> None:
    rows = re.findall(r"^\| `([\w/.]+)` \| (\d+) \|", text(ROOT / "ARCHITECTURE.md"), re.MULTILINE)

    assert rows
    for path, said in rows:
        n_lines = len(lines(SRC / path))
        assert 0.8 < n_lines / int(said) < 1.25, f"ARCHITECTURE.md: {path} has {n_lines} lines"


def test_there_is_news_and_every_fragment_says_its_kind() -> None:
    fragments = [path.name for path in files(ROOT / "changes.d") if path.name != "README.md"]

    assert fragments
    assert not [name for name in fragments if not FRAGMENT.fullmatch(name)]
