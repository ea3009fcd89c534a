"""`postroom run`: a task for a team, from the prompt to the answer."""

from collections.abc import Mapping

from postroom.app import Postroom, Prompt
from postroom.app.ending import ending, ending_unless_asked
from postroom.app.text_budget import limits_of_text
from postroom.config import Config
from postroom.errors import Refused
from postroom.frontends.cli.beginning import Beginning, beginning
from postroom.frontends.cli.ended import report
from postroom.frontends.cli.exits import Interrupted
from postroom.frontends.cli.last_questions import question_open
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import config_of, status_of_daemon
from postroom.frontends.cli.running import Plan, go_on_words, run_room
from postroom.frontends.cli.teller import Teller
from postroom.frontends.cli.watched import Here
from postroom.frontends.cli.words import typed
from postroom.observe.views import End


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
