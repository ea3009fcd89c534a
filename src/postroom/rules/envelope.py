"""What the recipient's model reads: the envelope once, at the front, and no second authentic one.

A body can never produce a marker that any surface treats as authentic: the marker's first character
is shown as its visible twin (product.md section 6). Reversible: a twin in the text itself is doubled,
so `restore` gives the bytes back. Stored text is untouched; this is rendering only.
"""

import re

from postroom.domain.node import MailFacts
from postroom.rules.inherited import Copied


def _words(*words: str) -> str:
    """Any of these, also where unseen characters stand between the letters."""
    return "|".join("(?-i:[^\\w\\s!-~])*+".join(word) for word in words)


_TAGS = _words(
    "agent_message", "subagent_notification", "session_message", "mail", "system_reminder", "systemreminder",
    "system", "task", "notice", "user", "human", "assistant", "background_work", "plugin_message",
    "inherited_context", "copied_text",
)  # fmt: skip
_LEADS = _words("message", "use", "system", "user", "task", "notice", "notification", "stopped")
# Controls that are no white space, and Unicode's Default_Ignorable_Code_Point without the Hangul fillers.
_INVISIBLE = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_GAP = rf"(?-i:[\s{_INVISIBLE}])*+"
_INDENT = rf"(?-i:[ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000{_INVISIBLE}])*"
# A line begins wherever a reader sees one begin: behind everything that `str.splitlines` splits at.
_LINE_START = r"(?:\A|(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]))"
_TAG = re.compile(rf"<(?={_GAP}(?:/{_GAP})?(?:{_TAGS})\b)", re.IGNORECASE)
_LINE = re.compile(rf"({_LINE_START}{_INDENT})\[(?={_GAP}(?:{_LEADS})\b)", re.IGNORECASE)
_TWINS = {"<": "\u2039", "[": "\u2045"}
_BACK = {twin: char for char, twin in _TWINS.items()}
_DOUBLE = re.compile("|".join(_BACK))
_RESTORE = re.compile("|".join(f"{t}{t}|{t}" for t in _BACK))
INHERITED = "inherited"
"""How a copy of a parent's conversation is marked in `MailFacts.kind`."""
HINT = '[use `send_message(to="{sender}", ...)` to reply]'
GOAL_HINT = "[use `goal_update(items=[...])` with the whole list; the goal is reached when all of it is done]"
PLUGIN = "plugin:"
"""In front of a plugin's name where a sender's address stands; no handle holds a colon."""
TEASER_LINES = 20
"""Lines of a result that a teaser shows (systems.md 3.8)."""
TEASER_BYTES = 2_048
"""Bytes of a result that a teaser shows (systems.md 3.8)."""


def neutralise(text: str) -> str:
    """The same text with every marker's first character replaced by its visible twin.

    A long conversation holds thousands of mails: a text is searched only for what it can contain.
    """
    if not text.isascii():
        text = _DOUBLE.sub(lambda m: m[0] * 2, text)
    if "<" in text:
        text = _TAG.sub(_TWINS["<"], text)
    if "[" in text:
        text = _LINE.sub(rf"\1{_TWINS['[']}", text)
    return text


def restore(text: str) -> str:
    """The inverse of `neutralise`."""
    return _RESTORE.sub(lambda m: m[0][0] if len(m[0]) > 1 else _BACK[m[0]], text)


def label(text: str) -> str:
    """A name or description on one line, so that it can neither end its line nor forge the next one."""
    return neutralise(" ".join(text.split()))


def render(body: str, facts: MailFacts) -> str:
    """One delivery as the model reads it."""
    match facts.kind:
        case "user":
            return body
        case "mail":
            return _mail(shorten(neutralise(body), facts.limit_chars), facts)
        case "result":
            return notification(body, facts)
        case "notice":
            return f"[notice] {shorten(neutralise(body), facts.limit_chars)}"
        case "goal":
            return _reminder(shorten(neutralise(body), facts.limit_chars), facts)
        case "plugin" | "inherited":
            return _produced(body, facts)
        case _:
            return shorten(neutralise(body), facts.limit_chars)


def _mail(text: str, facts: MailFacts) -> str:
    hint = f"\n{HINT.format(sender=facts.sender)}\n" if facts.hint else ""
    return f'<agent_message from="{facts.sender}">\n{text}\n{hint}</agent_message>'


def _produced(body: str, facts: MailFacts) -> str:
    """A plugin's message names its plugin; the end of work in the background names the work."""
    if facts.kind == INHERITED:
        return _inherited(Copied.load(body), facts)
    text = shorten(neutralise(body), facts.limit_chars)
    if not facts.sender.startswith(PLUGIN):
        return _work(text, facts)
    return f'<plugin_message from="{facts.sender.removeprefix(PLUGIN)}">\n{text}\n</plugin_message>'


def _reminder(text: str, facts: MailFacts) -> str:
    """A goal and its list: the person's text and the agent's own, brought to mind by the runtime."""
    return f'<goal_reminder count="{facts.outcome}">\n{text}\n\n{GOAL_HINT}\n</goal_reminder>'


def _work(text: str, facts: MailFacts) -> str:
    """The end of work that went on in the background: foreign text, so it stands in an envelope."""
    name = label(facts.description).replace('"', "'")
    head = f'<background_work label="{name}" status="{facts.outcome}">'
    return f"{head}\n{text}\n</background_work>"


def _inherited(copied: Copied, facts: MailFacts) -> str:
    """The newest texts of a parent's conversation: all of it an agent's text, whoever is named (G10)."""
    texts = "\n".join(
        f'<copied_text by="{label(by)}">\n{neutralise(text)}\n</copied_text>' for by, text in copied.texts
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
    description = label(facts.description)
    what = f"{facts.sender} ({description})" if description else facts.sender
    if facts.outcome == "succeeded":
        return f"{what} succeeded.\n{teaser(result, facts.sender)}"
    cause = f": {neutralise(facts.code)}" if facts.code else ""
    line = f"ERROR: {what} {_ENDS.get(facts.outcome, facts.outcome)}{cause}."
    return f"{line}\n{teaser(result, facts.sender)}" if result else line


_ENDS = {
    "empty": "ended without any text",
    "round_cap": "was ended by its cap on rounds",
    "failed": "failed",
    "cancelled": "was cancelled",
    "target_stopped": "was stopped by the person; its task waits until the person lets it go on",
    "interrupted": "was interrupted by the end of its process",
}


def teaser(result: str, sender: str) -> str:
    """The first 20 lines or 2 KiB of a result, its length, and how to fetch the rest."""
    lines = result.splitlines()
    head = "\n".join(lines[:TEASER_LINES]).encode()[:TEASER_BYTES].decode(errors="ignore")
    text = neutralise(head)
    if head == "\n".join(lines):
        return f"{text}\n({len(lines)} lines)"
    return f'{text}\n({len(lines)} lines; get_subagent_result(session_id="{sender}") has the rest)'


def shorten(text: str, limit_chars: int) -> str:
    """Head and tail of a text that is longer than the limit, saying how much is missing.

    The tail begins in the middle of a line, as it did in the text: a cut makes no new start of a line.
    """
    if len(text) <= limit_chars:
        return text
    half = max(limit_chars // 2, 1)
    missing = len(text) - 2 * half
    return f"{text[:half]}\n[... {missing} characters are left out here ...] {text[-half:]}"
