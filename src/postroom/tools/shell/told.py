"""How the end of a command is told to a model."""

import signal

from postroom.rules.text import is_blank
from postroom.tools.base import ToolResult
from postroom.tools.shell.output import Output
from postroom.tools.shell.process import Outcome, Why

LEFT_CHILDREN = "what it left running was ended; background=true lets a command go on"


def ended(outcome: Outcome, output: Output, limit_s: float) -> ToolResult:
    """The output and how the command ended; an error unless it exited with 0."""
    notes = [_ending(outcome, limit_s)]
    if outcome.left_children:
        notes.append(LEFT_CHILDREN)
    said = output.text()
    lines = [] if is_blank(said) else [said.rstrip("\n")]
    text = "\n".join([*lines, *(f"[{note}]" for note in notes)])
    return ToolResult(text=text, is_error=outcome.why is not Why.ITSELF or outcome.code != 0)


def _ending(outcome: Outcome, limit_s: float) -> str:
    match outcome.why:
        case Why.TIME:
            how = f"ended with its children: its time limit of {limit_s:g} s was over"
        case Why.STOP:
            how = "ended with its children: it was stopped"
        case Why.ITSELF:
            return _own_end(outcome.code)
    return how if outcome.code is not None or outcome.why is Why.STOP else f"{how}; it still hangs"


def _own_end(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
