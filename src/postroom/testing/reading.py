"""The reading rule of docs/reference/envelopes.md as code: what one user item of a request says, and who.

It is played by a suspicious reader: one who sees no invisible character, no case and no difference between
letters that look alike. It shares the words of the markers with `postroom.rules.markers` and nothing else,
so each can show that the other is wrong.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from postroom.rules.envelope import GOAL_HINT, HINT, PLUGIN
from postroom.rules.envelope_branch import REPLY_CALL
from postroom.rules.envelope_peer import HINT as SESSION_HINT
from postroom.rules.inherited import Text
from postroom.rules.markers import FILLERS, LEAD_WORDS, LOOKALIKES, TAG_WORDS, restore, unquoted
from postroom.rules.summary import GOING_ON, SUMMED_UP

_ENVELOPE = re.compile(
    r'<(?P<tag>[a-z_]+)(?P<facts>(?: [a-z]+="[^"\n]*")+)>\n(?P<inside>.*)</(?P=tag)>', re.DOTALL
)
_WHOLE_OF = re.compile(r"(?P<where>.+) has all \d+ characters")
_FACT = re.compile(r' ([a-z]+)="([^"\n]*)"')
_NOTICE = "[notice] "
_ADDRESS = r"(?P<sender>[^\s\[\]]+)"
_HEADER = re.compile(
    rf"\[(?:(?P<kind>message|task) from {_ADDRESS}\]|(?P<of>result of task|reply to message) "
    rf"(?P<about>\S+) from {_ADDRESS.replace('sender', 'by')}: (?P<status>\w+)\])\n"
)
_WHOLE_IS = re.compile(
    r"Only the beginning and the end are shown; the whole, \d+ characters, "
    r'(?:is in "(?P<where>[^"\n]+)"|can be read by (?P<call>read_conversation\(session_id="[^"\n]+"\)))\.'
)
_WHOLE_LIES = re.compile(
    r"Only the beginning and the end are shown; the whole, \d+ characters, "
    r'(?:is in "(?P<where>[^"\n]+)"|is with its writer; (?P<call>session_send\(target_id="[^"\n]+", …\)) '
    r"asks for the rest)\."
)
_GAP = re.compile(r"\n\[\.\.\. (\d+) characters are left out here \.\.\.\] ")
_REST = r'; get_subagent_result\(session_id="(?P<of>[^"]*)"\) has the rest'
_LENGTH = re.compile(rf"(?P<text>.*)\n\(\d+ lines(?P<rest>{_REST})?\)", re.DOTALL)
_COPIED = re.compile(r'<copied_text by="([^"\n]*)">\n(.*?)\n</copied_text>\n', re.DOTALL)
_OLDER = "(older text is left out)\n"
# Code points without a visible form that are neither Cf nor Cc; also those that are not assigned yet.
_IGNORED = re.compile(
    r"[\u034f\u17b4\u17b5\u180b-\u180f\u2060-\u206f\u2800\ufe00-\ufe0f\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
Facts: TypeAlias = Mapping[str, str]
_ASCII_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_JOINT = r"[-_.\s]*"


def _alternatives(words: tuple[str, ...]) -> str:
    return "|".join(word.replace(" ", _JOINT) for word in words)


_TAG = re.compile(rf"<[\s/\\!?|]*(?:{_alternatives(TAG_WORDS)})(?!\w)")
_LEAD = re.compile(
    rf"[^\S\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(\[\s*(?:(?:{_alternatives(LEAD_WORDS)})(?!\w)|\.\.\.\s*\d))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one item says. Of a shortened text `body` is the beginning and `tail` the end."""

    kind: str
    """`mail`, `task`, `result`, `reply`, `work`, `plugin`, `goal`, `inherited` or `notice`; in an item that
    several texts share also `user`, for the person's (`postroom.testing.reading_bus`)."""
    sender: str = ""
    """Handle or session id of an agent, or the name of a plugin; nobody else has a name here."""
    name: str = ""
    """How people call the sender, where the envelope says it."""
    body: str = ""
    """As it was sent."""
    tail: str = ""
    left_out: int = 0
    """Characters of the body between `body` and `tail`."""
    is_whole: bool = True
    hint: bool = False
    """Whether the runtime says how to answer."""
    status: str = ""
    """How a task or work ended, or how often a goal was brought to mind."""
    about: str = ""
    """The label of work; of a task's end, and of an answer to a message, the runtime's line on it."""
    reference: str = ""
    """The id of the task or message that came to an end, where the envelope says it."""
    where: str = ""
    """Where the whole of a text is that is not shown whole, where the envelope says it."""
    texts: tuple[Text, ...] = ()
    """The texts of an inherited conversation."""
    number: int = 0
    """Its number in the reader's mailbox, where the envelope says it; so with the rest."""
    at: str = ""
    age: str = ""
    old: str = ""
    answers: int = 0
    replayed: bool = False
    """Whether the envelope says that it was written before its reader began."""


def read(text: str) -> Reading | None:
    """The one reading of a user item, or none: then it is the person's text, or an agent's first task."""
    if text.startswith(_NOTICE):
        return read_body(Reading(kind="notice"), text.removeprefix(_NOTICE))
    if (header := _HEADER.match(text)) is not None:
        return _branch(header, text[header.end() :])
    found = _ENVELOPE.fullmatch(text)
    if found is None or found["tag"] not in _READERS:
        return None
    return _READERS[found["tag"]](dict(_FACT.findall(found["facts"])), found["inside"])


def markers(text: str) -> list[str]:
    """Whatever the suspicious reader would take for a marker: tags first, then brackets that begin a line."""
    if "<" not in text and "[" not in text and text.isascii():
        return []
    shown, leads, place = seen(text), list[str](), 0
    for line in shown.splitlines(keepends=True):
        leads += [m[1]] if (m := _LEAD.match(shown, place)) else []
        place += len(line)
    return _TAG.findall(shown) + leads


def seen(text: str) -> str:
    """The text without what no reader sees, and with one form for each letter; line ends and blanks stay."""
    if text.isascii():
        return _ASCII_UNSEEN.sub("", text).lower()
    shown: list[str] = []
    for char in text:
        category = unicodedata.category(char)
        is_mark = category in ("Mn", "Me") and bool(shown) and shown[-1].isalnum()
        if is_mark or char in FILLERS or _IGNORED.match(char):
            continue
        if category in ("Cf", "Cc") and not char.isspace():
            continue
        same = char if char.isspace() else unicodedata.normalize("NFKC", LOOKALIKES.get(char, char))
        shown.append(same.lower()[:1] if len(same) == 1 else same.lower())
    return "".join(shown)


def _mail(facts: Facts, inside: str) -> Reading | None:
    sender = facts.get("from", "")
    return _with_hint(Reading(kind="mail", sender=sender), inside, HINT.format(sender=sender))


def _branch(header: re.Match[str], inside: str) -> Reading | None:
    """Lines of the runtime up to the first empty one, and then the text, to the end of the item."""
    lines, gap, body = inside.partition("\n\n")
    about, *more = lines.split("\n")
    if header["of"]:
        kind = "result" if header["of"] == "result of task" else "reply"
        reading = Reading(
            kind=kind, sender=header["by"], status=header["status"], about=restore(about),
            reference=header["about"],
        )  # fmt: skip
    else:
        kind = "task" if header["kind"] == "task" else "mail"
        reading = Reading(
            kind=kind,
            sender=header["sender"],
            hint=about.startswith(REPLY_CALL.format(sender=header["sender"])),
        )
    place = _WHOLE_IS.fullmatch(more[0]) if more else None
    if markers(lines) or len(more) > 1 or (more and place is None) or (gap and not body):
        return None
    if place is not None:
        reading = replace(reading, where=unquoted(place["where"]) if place["where"] else place["call"])
    found = read_body(reading, body)
    return found if found is None or found.is_whole is (place is None) else None


def _session(facts: Facts, inside: str) -> Reading | None:
    """What another session wrote. Who has no address can be named, and not be answered."""
    sender = facts.get("session", "")
    reading = Reading(kind="mail", sender=sender, name=unquoted(facts.get("from", "")))
    hint = SESSION_HINT.format(sender=sender)
    if sender and inside.endswith(f"\n{hint}\n"):
        return read_body(replace(reading, hint=True), inside.removesuffix(f"\n{hint}\n"))
    return _lines(reading, inside)


def _whole_result(facts: Facts, inside: str) -> Reading | None:
    """Lines of the runtime up to the first empty one, and then the text, whole or its ends."""
    sender, status = facts.get("from", ""), facts.get("status", "")
    lines, gap, body = inside.removesuffix("\n").partition("\n\n")
    about, *more = lines.split("\n")
    opening = sender if status == "succeeded" else f"ERROR: {sender}"
    place = _WHOLE_LIES.fullmatch(more[0]) if more else None
    if not about.startswith((f"{opening} ", f"{opening} (")) or markers(lines) or bool(gap) is not bool(body):
        return None
    if len(more) > 1 or (more and place is None):
        return None
    reading = Reading(
        kind="result", sender=sender, status=status, about=restore(about), reference=facts["task"],
        where=unquoted(place["where"] or "") or place["call"] if place else "",
    )  # fmt: skip
    found = read_body(reading, body)
    return found if found is None or found.is_whole is (place is None) else None


def _goal(facts: Facts, inside: str) -> Reading | None:
    found = _with_hint(Reading(kind="goal", status=facts.get("count", "")), inside, GOAL_HINT)
    return found if found and found.hint else None


def _plugin(facts: Facts, inside: str) -> Reading | None:
    return _lines(Reading(kind="plugin", sender=PLUGIN + unquoted(facts.get("from", ""))), inside)


def _work(facts: Facts, inside: str) -> Reading | None:
    label, status = unquoted(facts.get("label", "")), facts.get("status", "")
    return _lines(Reading(kind="work", about=label, status=status), inside)


def _result(facts: Facts, inside: str) -> Reading | None:
    """The runtime's line, the text or its beginning, and the runtime's line on its length."""
    if "task" in facts:
        return _whole_result(facts, inside)
    sender, status = facts.get("from", ""), facts.get("status", "")
    about, _, rest = inside.partition("\n")
    opening = sender if status == "succeeded" else f"ERROR: {sender}"
    if not about.startswith((f"{opening} ", f"{opening} (")) or markers(about):
        return None
    reading = Reading(kind="result", sender=sender, status=status, about=restore(about))
    if not rest:
        return reading if status != "succeeded" else None
    found = _LENGTH.fullmatch(rest.removesuffix("\n"))
    if found is None or found["of"] not in (None, sender) or markers(found["text"]):
        return None
    return replace(reading, body=restore(found["text"]), is_whole=not found["rest"])


def _inherited(facts: Facts, inside: str) -> Reading | None:
    rest = inside.removeprefix(_OLDER)
    found = _COPIED.findall(rest)
    if "".join(f'<copied_text by="{by}">\n{text}\n</copied_text>\n' for by, text in found) != rest:
        return None
    if any(markers(text) for _, text in found):
        return None
    texts = tuple(Text(unquoted(by), restore(text)) for by, text in found)
    return Reading(kind="inherited", sender=facts.get("from", ""), texts=texts, is_whole=rest == inside)


def _summary(facts: Facts, inside: str) -> Reading | None:
    """Lines of the runtime up to the first empty one, and then the text of a model."""
    lines, _, body = inside.partition("\n\n")
    first, *more = lines.split("\n")
    going_on = more[1:] if more[:1] == [GOING_ON] else more
    if first != SUMMED_UP or bool(going_on) is not bool(more) or markers("\n".join(going_on)):
        return None
    if not all(line.startswith("- ") for line in going_on):
        return None
    about = restore("\n".join(line.removeprefix("- ") for line in going_on))
    return _lines(Reading(kind="summary", status=facts.get("answers", ""), about=about), body)


def _team(kind: str, facts: Facts, inside: str) -> Reading | None:
    """Of what has a line of the runtime, the text stands behind an empty one."""
    number, at = facts.get("n", ""), facts.get("at", "")
    if not number.isdecimal() or not at or not facts.get("age"):
        return None
    reading = Reading(
        kind=kind, sender=unquoted(facts.get("from", "")), status=facts.get("status", ""),
        reference=facts.get("task", ""), number=int(number), at=at, age=facts["age"],
        old=facts.get("old", ""), answers=int(facts.get("answers", "0")),
    )  # fmt: skip
    if kind in ("mail", "notice"):
        return _if_told(facts, _lines(reading, inside))
    about, gap, body = inside.removesuffix("\n").partition("\n\n")
    if not inside.endswith("\n") or "\n" in about or markers(about) or bool(gap) is not bool(body):
        return None
    return _if_told(facts, read_body(replace(reading, about=restore(about)), body))


def _if_told(facts: Facts, found: Reading | None) -> Reading | None:
    """A text that is not shown whole says where the whole is, and no other one does."""
    place = _WHOLE_OF.fullmatch(facts.get("whole", ""))
    if found is None or found.is_whole is not (place is None):
        return None
    return found if place is None else replace(found, where=unquoted(place["where"]))


_READERS: Mapping[str, Callable[[Facts, str], Reading | None]] = {
    "agent_message": _mail,
    "session_message": _session,
    "subagent_notification": _result,
    "background_work": _work,
    "plugin_message": _plugin,
    "goal_reminder": _goal,
    "inherited_context": _inherited,
    "conversation_summary": _summary,
    "mail": partial(_team, "mail"),
    "task": partial(_team, "task"),
    "task_result": partial(_team, "result"),
    "mail_reply": partial(_team, "reply"),
    "notice": partial(_team, "notice"),
}


def _with_hint(reading: Reading, inside: str, hint: str) -> Reading | None:
    """The hint is the last line and stands behind an empty one; a body can hold no line like it."""
    tail = f"\n\n{hint}\n"
    if inside.endswith(tail):
        return read_body(replace(reading, hint=True), inside.removesuffix(tail))
    return _lines(reading, inside)


def _lines(reading: Reading, inside: str) -> Reading | None:
    return read_body(reading, inside.removesuffix("\n")) if inside.endswith("\n") else None


def read_body(reading: Reading, shown: str) -> Reading | None:
    """The foreign text of an envelope: it may hold no marker but the one of its shortening."""
    head, *rest = _GAP.split(shown)
    if len(rest) not in (0, 2) or markers(head):
        return None
    if not rest:
        return replace(reading, body=restore(head))
    missing, tail = rest
    if markers(f"]{tail}"):
        return None
    return replace(reading, body=restore(head), tail=restore(tail), left_out=int(missing), is_whole=False)
