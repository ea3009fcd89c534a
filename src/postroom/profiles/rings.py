"""Agents that delegate to each other in a ring, where a caller waits for whom it has made.

Nothing would end such a team but its budget: each of them may hand its task on to the next one for ever.
"""

from collections.abc import Iterator, Mapping, Sequence

from postroom.profiles.front_matter import Document
from postroom.profiles.load import claimed_name
from postroom.profiles.located import Problem, Setting


def ring_problems(documents: Sequence[Document]) -> Iterator[Problem]:
    """The first ring that an agent is part of, told once, where one of its agents names the next."""
    named = {name: _named(found) for found in documents if (name := claimed_name(found))}
    told: set[str] = set()
    for name in named:
        ring = _ring(named, name)
        if ring and told.isdisjoint(ring):
            told.update(ring)
            yield _problem(ring, named)


def _named(document: Document) -> dict[str, Setting]:
    """Whom an agent may delegate to, each with the place where it says so."""
    listed = (document.settings.table or {}).get("delegates_to")
    items = (listed.items if listed else None) or ()
    return {item.value: item for item in items if isinstance(item.value, str)}


def _ring(named: Mapping[str, Mapping[str, Setting]], start: str) -> tuple[str, ...]:
    """The shortest way from an agent back to itself; nothing where there is none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen = {start}
    for way in ways:
        for following in named.get(way[-1], ()):
            if following == start:
                return way
            if following not in seen:
                seen.add(following)
                ways.append((*way, following))
    return ()


def _problem(ring: tuple[str, ...], named: Mapping[str, Mapping[str, Setting]]) -> Problem:
    shown = " -> ".join(f"`{name}`" for name in (*ring, ring[0]))
    place = named[ring[0]][ring[1 % len(ring)]]
    return place.problem(
        f"agents delegate in a ring: {shown}; who delegates waits, so each would wait for the next",
        "take one of them out of the list",
    )
