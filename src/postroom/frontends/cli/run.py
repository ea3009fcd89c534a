"""`postroom run`: a task for a team, from the prompt to the answer."""

from collections.abc import Mapping

from postroom.app import Postroom, Prompt
from postroom.app.ending import ending, ending_unless_asked
from postroom.app.text_budget import limits_of_text
from postroom.config import Config
from postroom.daemon.wire import Failure
from postroom.domain.receipt import Code
from postroom.domain.task import Outcome
from postroom.errors import Refused
from postroom.frontends.cli.beginning import Beginning, beginning
from postroom.frontends.cli.exits import Interrupted, exit_code_of
from postroom.frontends.cli.last_questions import question_open
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import config_of, status_of_daemon
from postroom.frontends.cli.running import Plan, command_words, go_on_words, run_room
from postroom.frontends.cli.teller import Teller
from postroom.frontends.cli.watched import Here
from postroom.frontends.cli.words import typed
from postroom.observe.looks import as_json
from postroom.observe.views import End

_GOES_ON = frozenset(("failed", "interrupted", "stopped"))
"""How turns end that `resume` goes on with."""


def run(asked: Asked, out: Output) -> int:
    """Prompt an agent, wait until its tree is quiet, print the answer: by the daemon, or here."""
    begins = beginning(asked)
    max_tokens, max_cost_usd = _budget(asked)
    config = config_of(asked)
    if (daemon := status_of_daemon(config.store)) is not None:
        from postroom.frontends.cli.run_there import run_there  # noqa: PLC0415 - only where a daemon runs

        return run_there(asked, out, config, begins, daemon)
    words = {
        "profile": asked.text_or_none("profile"), "client_id": asked.text_or_none("client_id"),
        "max_cost_usd": max_cost_usd,
    }  # fmt: skip
    return _run_here(asked, out, config, begins, words, max_tokens)


def _run_here(
    asked: Asked, out: Output, config: Config, begins: Beginning, words: Mapping[str, str | None],
    max_tokens: int | None,
) -> int:  # fmt: skip
    session = asked.text_or_none("session")
    team = asked.text_or_none("team") or ("." if session is None else None)
    teller = Teller(out, config.store)
    plan = Plan(config=config, team=team, tools=asked.texts("tools"), verbose=out.verbose, hooks=teller.hooks)
    said: list[Prompt] = []

    async def work(room: Postroom) -> int:
        for trouble in room.troubles():
            out.note(f"warning: {trouble}")
        if session is not None:
            await room.check(session)
            if begins.changes:
                await room.set_attended(session, attended=begins.attended)
        prompt = await room.prompt(
            typed(asked.text("task")), session=session, mode=begins.mode, attended=begins.attended,
            max_tokens=max_tokens, **words,
        )  # fmt: skip
        said.append(prompt)
        async with teller.following(Here(room), prompt.pos, prompt.branch, prompt.session_id):
            end = await ending_of(room, prompt, attended=begins.attended)
        return report(out, plan, end, streamed=teller.last_text)

    try:
        return run_room(plan, work)
    except Interrupted as fault:
        teller.end_line()
        if said:
            raise Interrupted(fault.message, remedy=go_on_words(plan, said[0].session_id)) from None
        raise


async def ending_of(room: Postroom, prompt: Prompt, *, attended: bool) -> End:
    """How it ended. Raises `QuestionOpen` where nobody is there and only questions are left."""
    if attended:
        return await ending(room, prompt)
    found = await ending_unless_asked(room, prompt)
    if isinstance(found, End):
        return found
    raise question_open(room.folder, [one.ask_id for one in found])


def _budget(asked: Asked) -> tuple[int | None, str | None]:
    """Tokens and dollars as the command line says. Raises `Usage`, before anything begins."""
    tokens, dollars = asked.number("max_tokens"), asked.text_or_none("max_cost")
    try:
        limits_of_text(tokens, dollars)
    except Refused as refused:
        wrong = refused.message.removeprefix(f"{refused.refusal_code}: ")
        raise Usage(wrong, remedy="write it as --max-cost 0.50") from None
    return tokens, dollars


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
    failure = failure_of_end(plan, end)
    out.fail(failure)
    return exit_code_of(failure.code)


def failure_of_end(plan: Plan, end: End) -> Failure:
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
