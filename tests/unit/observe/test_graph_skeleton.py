"""What of a long session is drawn: its ends and forks, and a count in between that opens."""

from postroom.domain.node import Role
from postroom.observe.graph_layer import Layer, layer_of
from postroom.observe.graph_skeleton import OPENED_ITEMS, WHOLE_ITEMS, Skeleton, Stretch, skeleton_of
from postroom.store.tx_graph import GraphBranchRow, GraphStep

MAIN = 0


def branch_row(key: int, head: int) -> GraphBranchRow:
    """A branch of which only its end matters."""
    return GraphBranchRow(
        key, f"id-{key}", f"b{key}", "", "", "a", None, head, None, 0, 0, 0, None, "", "", int(key == 1)
    )


def talk(turns: int, forks: int = 0) -> Layer:
    """A conversation of so many turns with two rounds each, and forks of two turns at equal distances."""
    steps = dict[int, GraphStep]()

    def add(behind: int, first_turn: int, n_turns: int) -> int:
        for turn in range(first_turn, first_turn + n_turns):
            for role, round_ in ((Role.USER, 1), (Role.ASSISTANT, 1), (Role.TOOL, 1), (Role.ASSISTANT, 2)):
                key = len(steps) + 1
                steps[key] = GraphStep(key, behind or None, None, role, turn, round_, 0, "user")
                behind = key
        return behind

    heads = [add(0, 1, turns)]
    heads += [add(4 * (n * turns // forks + 1), turns + 1 + 2 * n, 2) for n in range(forks)]
    return layer_of([branch_row(n + 1, head) for n, head in enumerate(heads)], steps, frozenset())


def n_items(skeleton: Skeleton) -> int:
    """How many items all that is drawn stands for."""
    return sum(len(part.items) if isinstance(part, Stretch) else 1 for part in skeleton.parts)


def test_a_session_that_fits_is_drawn_whole() -> None:
    layer = talk(WHOLE_ITEMS // 2)
    skeleton = skeleton_of(layer, MAIN, ())

    assert len(skeleton.parts) == len(layer.items) == WHOLE_ITEMS
    assert not any(isinstance(part, Stretch) for part in skeleton.parts)


def test_a_long_one_is_drawn_by_its_ends_and_a_count_between_them() -> None:
    layer = talk(2_500)
    skeleton = skeleton_of(layer, MAIN, ())
    first, stretch, *tail = skeleton.parts

    assert len(layer.items) == n_items(skeleton) == 5_000
    assert len(skeleton.parts) < 50
    assert isinstance(stretch, Stretch)
    assert (first.key, stretch.key) == (1, 2)
    assert tail[-1].key == layer.heads[MAIN]


def test_where_others_go_on_from_is_drawn() -> None:
    layer = talk(2_500, forks=6)
    skeleton = skeleton_of(layer, MAIN, ())
    drawn = {part.key for part in skeleton.parts if not isinstance(part, Stretch)}

    assert {items[0].follows for items in layer.branches[1:]} <= drawn
    assert n_items(skeleton) == len(layer.items)


def test_a_stretch_that_is_opened_shows_more_and_the_rest_stays_a_count() -> None:
    layer = talk(2_500)
    stretch = skeleton_of(layer, MAIN, ()).parts[1].key
    opened = skeleton_of(layer, MAIN, (stretch, 4, 10**9))
    keys = [part.key for part in opened.parts]

    assert len(keys) == len(skeleton_of(layer, MAIN, ()).parts) + OPENED_ITEMS
    assert stretch in keys
    assert isinstance(opened.parts[1 + OPENED_ITEMS], Stretch)
    assert n_items(opened) == 5_000


def test_of_very_many_branches_the_newest_are_drawn_and_the_others_counted() -> None:
    layer = talk(1_000, forks=900)
    skeleton = skeleton_of(layer, MAIN, ())

    assert len(skeleton.parts) < 2 * WHOLE_ITEMS
    assert skeleton.n_hidden > 800
    assert layer.heads[MAIN] in skeleton.shown
    assert layer.branches[-1][0].key in skeleton.shown


def test_a_branch_in_the_foreground_is_drawn_however_old_it_is() -> None:
    layer = talk(1_000, forks=900)
    skeleton = skeleton_of(layer, 3, ())

    assert layer.heads[3] in {part.key for part in skeleton.parts if not isinstance(part, Stretch)}


def test_every_item_hangs_on_one_that_is_drawn_or_on_the_root() -> None:
    layer = talk(1_000, forks=60)
    skeleton = skeleton_of(layer, MAIN, ())
    behind = (part.items[0] if isinstance(part, Stretch) else part for part in skeleton.parts)

    assert all(item.follows in skeleton.shown or item.link == "root" for item in behind)
