"""The shipped team of `roster`: the walk of seed 003, by scripts alone."""

from pathlib import Path

from postroom.app import Outfit, Postroom
from postroom.observe.export import Ask, each_record
from postroom.observe.export_markdown import markdown
from postroom.observe.glance import Glance
from postroom.profiles.team import init_team, load_team


async def test_the_shipped_team_talks_and_is_told_what_nobody_read(tmp_path: Path) -> None:
    """KK-39, KK-41, KK-47, KK-51: two at once hear each other; late thanks are told."""
    init_team(tmp_path / "talk", example="roster")
    async with Postroom(tmp_path / "store", Outfit(team=load_team(tmp_path / "talk"))) as room:
        first = await room.prompt("Look at both sides of the town")
        one = await room.wait(first)
        two = await room.wait(await room.prompt("Say thank you", session=first.session_id))

    assert (one.state, one.text) == ("finished", "Both sides are looked at.")
    assert (two.state, two.text) == ("finished", "The checker says that it holds, and I have thanked it.")
    pieces: list[str] = []
    with Glance(tmp_path / "store") as glance:
        each_record(glance, Ask(), lambda record: pieces.append(markdown(record)))
    page = "".join(pieces)
    assert page.count("**Sub-agent (researcher):**") == len(("researcher#1", "researcher#2"))
    for side, sibling in (("north", "researcher#2"), ("south", "researcher#1")):
        _, _, card = page.partition(f"**Sub-agent (researcher):** the {side} side of the town")
        assert f"[message from {sibling}] I have taken" in card.partition("End of")[0]
    assert "- assistant (you)\n- checker#1\n- everyone" in page
    assert page.count("> **Undelivered:** assistant -> checker#1: Thank you for reading it all.\n") == 1
