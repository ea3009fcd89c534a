"""Before a turn ends well, whoever guards `turn.stop` is asked whether it may."""

from typing import Final, Protocol

from postroom.domain.bus import TEXT_CHARS_MAX
from postroom.domain.plain import Json
from postroom.domain.turn import Turn
from postroom.llm.port import ModelAnswer
from postroom.rules.text import scrub
from postroom.runtime.means import Means
from postroom.service.extend import Held
from postroom.service.office import Office
from postroom.tools.hooks.asking import together

GATE: Final = "turn.stop"
SOFT_S: Final = 60.0
"""Seconds after which no further gate is asked: the turn holds a slot meanwhile."""


class Ending(Protocol):
    """A turn that may be about to end."""

    means: Means
    office: Office
    turn: Turn
    stopping: bool
    stop_asks: int
    """How often its end was asked about in this process."""


async def ask_to_stop(ending: Ending, answer: ModelAnswer) -> Held | None:
    """What keeps the turn from ending with this answer; nothing at all is asked while nobody guards."""
    turn, bus = ending.turn, ending.means.bus
    is_last = turn.is_last or turn.rounds + 1 >= turn.rounds_max
    if answer.calls or is_last or ending.stopping or not bus.is_gated(GATE):
        return None
    before = await ending.office.extensions(turn)
    if not before.may_ask:
        return None
    is_again = ending.stop_asks > 0 or before.kept > 0
    ending.stop_asks += 1
    about: dict[str, Json] = {
        "last_text": scrub(answer.text)[-TEXT_CHARS_MAX:], "stop_hook_active": is_again,
    }  # fmt: skip
    verdict = await bus.ask(GATE, about, timeout_s=SOFT_S)
    if verdict.allowed:
        return None
    by, reason = together(verdict)
    return Held(by=by, reason=reason)
