"""How a turn has ended, as the command line says it: the answer, or code, cause and remedy."""

from postroom.daemon.wire import Failure
from postroom.domain.receipt import Code
from postroom.domain.task import Outcome
from postroom.frontends.cli.exits import exit_code_of
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.running import Plan, command_words, go_on_words
from postroom.observe.looks import as_json
from postroom.observe.views import End

_GOES_ON = frozenset(("failed", "interrupted", "stopped"))
"""How turns end that `resume` goes on with."""


def report(out: Output, plan: Plan, end: End, *, streamed: str = "", documented: bool = False) -> int:
    """Print the answer, or how the turn ended instead; the exit code."""
    if out.as_json and not documented:
        out.document(as_json(end))
    if end.ok:
        if not out.as_json and end.text != streamed:
            out.line(end.text)
        if out.is_terminal:
            out.note(f"session {end.session_id}")
        return 0
    failure = _failure_of(plan, end)
    out.fail(failure)
    return exit_code_of(failure.code)


def _failure_of(plan: Plan, end: End) -> Failure:
    """A turn's bad end as code, cause and remedy. A failed turn's reason is `code: cause`."""
    code, colon, cause = end.reason.partition(": ")
    if end.state == "failed" and colon and " " not in code:
        message = f"the turn failed: {cause}"
    else:
        code, message = f"turn_{end.state}", f"the turn ended {end.state}: {end.reason or 'no reason given'}"
    if end.state == "finished":
        code, message = end.reason, f"the turn ended without an answer: {end.reason}"
    return Failure(code=code, message=message, remedy=_remedy(plan, end))


def _remedy(plan: Plan, end: End) -> str:
    """A turn that was cut goes on by itself; one that was ended needs a new word."""
    if end.reason.startswith(f"{Code.CHAIN_SPENT}:"):
        again = command_words(plan, "run", "TASK", "--session", end.session_id)
        return f"a new text has a budget of its own: {again}"
    if end.reason.startswith(f"{Code.PRICE_UNKNOWN}:"):
        return "set budget.assume_price, in dollars for a million tokens"
    if end.state in _GOES_ON:
        return go_on_words(plan, end.session_id)
    more = "raise max_rounds, or " if end.reason == Outcome.ROUND_CAP else ""
    return f"{more}say more with: {command_words(plan, 'chat', '--session', end.session_id)}"
