"""What the recipient's model reads: the envelope once, at the front, and no second authentic one.

Every text that somebody else wrote goes through `rules.markers` first, so it can never produce a marker
(G5). How to read each envelope, and what a reader may conclude, is docs/reference/envelopes.md;
`postroom.testing.reading` is the same rule as code. Stored text is untouched; this is rendering only.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache

from postroom.domain.node import MailFacts, facts_of, is_joined, parts_of
from postroom.rules import envelope_branch, envelope_peer, envelope_roster, envelope_team
from postroom.rules.inherited import Copied
from postroom.rules.markers import cut, neutralise, quoted
from postroom.rules.text import is_blank

INHERITED = "inherited"
"""How a copy of a parent's conversation is marked in `MailFacts.kind`."""
HINT = '[use `send_message(to="{sender}", ...)` to reply]'
GOAL_HINT = "[use `goal_update(items=[...])` with the whole list; the goal is reached when all of it is done]"
PLUGIN = "plugin:"
"""In front of a plugin's name where a sender's address stands; no handle holds a colon."""
_TYPED = frozenset({"user", "mail"})
"""Kinds that say nothing but their text."""
TEASER_LINES = 20
"""Lines of a result that a teaser shows (systems.md 3.8)."""
TEASER_BYTES = 2_048
"""Bytes of a result that a teaser shows (systems.md 3.8)."""


def render_node(parts: str, body: str | None) -> str:
    """A node of mail as the model reads it; what several messages say in one is a paragraph for each."""
    if is_joined(parts):
        shared = (
            one for one in parts_of(parts, body) if one.facts.kind not in _TYPED or not is_blank(one.body)
        )
        return envelope_roster.together((render(one.body, one.facts), one.facts) for one in shared)
    return render(body or "", _facts(parts))


@lru_cache(maxsize=1024)
def _facts(parts: str) -> MailFacts:
    """Decoded once for all mail that is rendered alike, such as all that one sender has written."""
    return facts_of(parts)


def render(body: str, facts: MailFacts) -> str:
    """One delivery as the model reads it: the person's own text as it is, every other one neutralised."""
    kind = facts.kind
    envelope = _OF_STYLE.get((facts.style, kind)) or _ENVELOPES.get(kind, _bare)
    return envelope(body, facts)


def _bare(body: str, facts: MailFacts) -> str:
    """A neutral text, head and tail where it is too long."""
    return cut(neutralise(body), facts.limit_chars)


def _mail(body: str, facts: MailFacts) -> str:
    hint = f"\n{HINT.format(sender=facts.sender)}\n" if facts.hint else ""
    return f'<agent_message from="{facts.sender}">\n{_bare(body, facts)}\n{hint}</agent_message>'


def _produced(body: str, facts: MailFacts) -> str:
    """A plugin's message names its plugin; the end of work in the background names the work."""
    if not facts.sender.startswith(PLUGIN):
        return _work(body, facts)
    name = quoted(facts.sender.removeprefix(PLUGIN))
    return f'<plugin_message from="{name}">\n{_bare(body, facts)}\n</plugin_message>'


def _work(body: str, facts: MailFacts) -> str:
    """The end of work that went on in the background: foreign text, so it stands in an envelope."""
    head = f'<background_work label="{quoted(facts.description)}" status="{facts.outcome}">'
    return f"{head}\n{_bare(body, facts)}\n</background_work>"


def _reminder(body: str, facts: MailFacts) -> str:
    """A goal and its list: the person's text and the agent's own, brought to mind by the runtime."""
    head = f'<goal_reminder count="{facts.outcome}">'
    return f"{head}\n{_bare(body, facts)}\n\n{GOAL_HINT}\n</goal_reminder>"


def _notice(body: str, facts: MailFacts) -> str:
    """The runtime's own words: no envelope is needed, because nothing foreign follows them."""
    return f"[notice] {_bare(body, facts)}"


def _inherited(body: str, facts: MailFacts) -> str:
    """The newest texts of a parent's conversation: all of it an agent's text, whoever is named (G10)."""
    copied = Copied.load(body)
    texts = "\n".join(
        f'<copied_text by="{quoted(by)}">\n{neutralise(text)}\n</copied_text>' for by, text in copied.texts
    )
    note = "(older text is left out)\n" if copied.is_cut else ""
    return f'<inherited_context from="{facts.sender}">\n{note}{texts}\n</inherited_context>'


def notification(result: str, facts: MailFacts) -> str:
    """The end of a background task: who, how it ended, and the head of its result."""
    return (
        f'<subagent_notification from="{facts.sender}" status="{facts.outcome}">\n'
        f"{outcome_text(result, facts)}\n</subagent_notification>"
    )


def outcome_text(result: str, facts: MailFacts) -> str:
    """Teaser, status, line count and the way to the rest; failures say their cause in our own words."""
    line = envelope_peer.end_line(facts)
    is_shown = result or facts.outcome == "succeeded"
    return f"{line}\n{teaser(result, facts.sender)}" if is_shown else line


def teaser(result: str, sender: str) -> str:
    """The first 20 lines or 2 KiB of a result, byte for byte, its length, and how to fetch the rest."""
    lines = result.splitlines(keepends=True)
    first = "".join(lines[:TEASER_LINES])[:TEASER_BYTES]
    head = first.encode()[:TEASER_BYTES].decode(errors="ignore")
    if head == result:
        return f"{neutralise(head)}\n({len(lines)} lines)"
    rest = f'({len(lines)} lines; get_subagent_result(session_id="{sender}") has the rest)'
    return f"{neutralise(_without_end(head))}\n{rest}"


def _without_end(text: str) -> str:
    """The text without the line end behind it."""
    end = text.splitlines(keepends=True)[-1:]
    return text.removesuffix(end[0]) + end[0].splitlines()[0] if end else text


def _typed(body: str, facts: MailFacts) -> str:
    """The person's own text."""
    del facts
    return body


_ENVELOPES: Mapping[str, Callable[[str, MailFacts], str]] = {
    "user": _typed,
    "mail": _mail,
    "notice": _notice,
    "plugin": _produced,
    "goal": _reminder,
    "result": notification,
    INHERITED: _inherited,
}
"""By `MailFacts.kind`; the first text of a spawned agent has none, as in the seeds."""
_OF_STYLE: Mapping[tuple[str, str], Callable[[str, MailFacts], str]] = {
    ("branch", "mail"): envelope_branch.message,
    ("branch", "task"): envelope_branch.task,
    ("branch", "result"): envelope_branch.result,
    ("branch", "reply"): envelope_branch.reply,
    ("session", "mail"): envelope_peer.message,
    ("session", "task"): envelope_branch.task,
    ("session", "result"): envelope_peer.result,
    ("session", "reply"): envelope_branch.reply,
    ("roster", "user"): envelope_roster.own,
    ("roster", "mail"): envelope_roster.mail,
    ("team", "mail"): envelope_team.message,
    ("team", "task"): envelope_team.task,
    ("team", "result"): envelope_team.result,
    ("team", "reply"): envelope_team.reply,
    ("team", "notice"): envelope_team.notice,
}
"""By `MailFacts.style` and `kind`: what a surface shows in its own way. The rest is the same everywhere."""
