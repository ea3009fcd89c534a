"""What other programs and power cuts do to the store: lock_store, tear_store."""

from postroom.domain.plain import Json
from postroom.testing.scenario.foreign import tear
from postroom.testing.scenario.outcome import StepFailed
from postroom.testing.scenario.parts.doing import TearStore
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.need import need


async def lock_store(play: Play, step: Step) -> Json:
    """Another connection takes the write lock, or lets it go."""
    if need(step.lock_store) == "hold":
        await play.stage()
        play.lock.hold()
    else:
        play.lock.release()
    return None


async def tear_store(play: Play, step: Step) -> Json:
    """Cut or zero the newest transaction; only of a store whose process is dead."""
    part = step.tear_store or TearStore()
    if play.is_open:
        raise StepFailed("a store whose process is dead", "it runs: use kill9 first")
    place = play.chance.random() if part.at is None else part.at
    return {"bytes_lost": tear(play.folder / "store", part.how, place), "at": place}
