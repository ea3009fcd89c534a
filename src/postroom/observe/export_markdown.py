"""Records of an export as a Markdown page for people.

A text may hold anything, a heading that names another speaker too. So every text stands in a fence that is
longer than any in it, every name between backticks, and what is outside of them is ours alone: a reader
can always see whose words they are (G10).
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, cast

from postroom.domain.plain import Json
from postroom.observe.export import Record
from postroom.rules.envelope import PLUGIN

_TICKS: Final = re.compile(r"`+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SHORTEST_FENCE: Final = 3


def markdown(record: Record) -> str:
    """One record as a piece of the page, ending in a blank line; nothing for what people do not need."""
    lines = _PIECES[str(record["type"])](record)
    return "".join(f"{line}\n" for line in lines)


def _head(record: Record) -> Iterator[str]:
    yield "# Postroom export"
    yield ""
    what = "in full" if record["full"] else "long texts shortened; `--full` has everything"
    yield f"Read at {_time(record['at_us'])} behind event {record['pos']}, {what}."
    yield ""


def _session(record: Record) -> Iterator[str]:
    """Deeper agents have the same level of heading: a tree may be deeper than Markdown's six."""
    yield f"## {_name(record['handle'] or record['profile'])}"
    yield ""
    if record["title"]:
        yield f"- title: {_name(record['title'])}"
    yield f"- session: {_name(record['session_id'])}, profile {_name(record['profile'])}"
    if record["parent_id"]:
        yield f"- child of session {_name(record['parent_id'])}, depth {record['depth']}"
    if record.get("forked_from"):
        yield f"- begins with a part of session {_name(record['forked_from'])}"
    yield f"- {record['state']}, begun at {_time(record['created_us'])}"
    for key in ("team", "cwd"):
        if record.get(key):
            yield f"- {key}: {_name(record[key])}"
    yield ""


def _branch(record: Record) -> Iterator[str]:
    yield f"## {_name(record['name'] or record['profile'])}"
    yield ""
    yield f"- branch {_name(record['branch_id'])} of session {_name(record['session_id'])}"
    yield f"- profile {_name(record['profile'])}"
    if record["parent_branch_id"]:
        yield f"- made by branch {_name(record['parent_branch_id'])}"
    yield f"- {record['state']}, begun at {_time(record['created_us'])}"
    if "archived_us" in record:
        reason = f": {_name(record['archived_reason'])}" if record["archived_reason"] else ""
        yield f"- archived at {_time(record['archived_us'])}{reason}"
    yield ""


def _item(record: Record) -> Iterator[str]:
    left = " (in a part that was taken back)" if record["type"] == "left" else ""
    yield f"### {record['n']}. {_speaker(record)}{left}"
    yield ""
    place = [_time(record["at_us"]), f"turn {_name(record['turn_id'])}, round {record['round']}"]
    if record["type"] == "left":
        place.append(f"kept as {_name(record['sealed_id'])}")
    if record.get("message_id"):
        place.append(f"message {_name(record['message_id'])}")
    yield ", ".join(place)
    yield ""
    yield from _fenced(str(record["text"]))
    for image in cast("Sequence[Record]", record.get("images", ())):
        yield f"A picture, {_name(image['media_type'])}."
        yield ""
    for call in cast("Sequence[Record]", record.get("calls", ())):
        yield f"Calls {_name(call['tool'])} as {_name(call['call_id'])}:"
        yield ""
        yield from _fenced(str(call["arguments"]))
        if "changed_by" in call:
            yield f"Changed by {_name(call['changed_by'])} into:"
            yield ""
            yield from _fenced(str(call["changed_arguments"]))


def _speaker(record: Record) -> str:
    """Whose words these are, from the fields of the record and never from its text."""
    if record["role"] == "assistant":
        return "this agent"
    if record["role"] == "tool":
        how = "error" if record["is_error"] else "result"
        return f"{how} of {_name(record['tool'])} ({_name(record['call_id'])})"
    by = {
        "user": "user",
        "system": "system",
        "plugin": f"plugin {_name(str(record['sender']).removeprefix(PLUGIN))}",
    }
    outcome = f", {record['outcome']}" if record.get("outcome") else ""
    speaker = by.get(str(record["provenance"]), f"agent {_name(record['sender'])}")
    return f"{speaker}: {record['kind']}{outcome}"


def _message(record: Record) -> Iterator[str]:
    reason = f" ({record['reason']})" if record["reason"] else ""
    parked = ", parked" if record["parked"] else " in a reverted part" if record.get("reverted") else ""
    yield f"### mail, {record['state']}{parked}{reason}"
    yield ""
    yield (
        f"{_time(record['created_us'])}, {record['kind']} from {_name(record['sender'] or 'Postroom')}, "
        f"message {_name(record['message_id'])}"
    )
    yield ""
    if "text" in record:
        yield from _fenced(str(record["text"]))


def _event(record: Record) -> Iterator[str]:
    facts = record["facts"]
    told = [f"{key}={value}" for key, value in facts.items()] if isinstance(facts, dict) else []
    words = [str(record["seq"]), str(record["kind"]), str(record["actor"]), *told]
    yield f"- {_time(record['ts_us'])} {_name(' '.join(words))}"
    yield ""


def _notice(record: Record) -> Iterator[str]:
    yield f"### notice to the user: {_name(record['code'])}"
    yield ""
    yield f"{_time(record['at_us'])}, about session {_name(record['session_id'])}"
    yield ""
    yield from _fenced(str(record["text"]))


def _end(record: Record) -> Iterator[str]:
    agents = sum(int(str(record[counted])) for counted in ("sessions", "branches"))
    yield "---"
    yield ""
    yield f"Agents: {agents}. Parts of conversations: {record['items']}."


_PIECES: Final = {
    "export": _head, "session": _session, "branch": _branch, "item": _item, "left": _item,
    "message": _message, "event": _event, "notice": _notice, "end": _end,
}  # fmt: skip


def _time(at_us: Json) -> str:
    """`2026-11-30 14:03:59Z`."""
    at = datetime.fromtimestamp(int(str(at_us)) / 1_000_000, UTC)
    return at.strftime("%Y-%m-%d %H:%M:%SZ")


def _name(value: Json) -> str:
    """A name on one line between backticks, of which it can have any number itself."""
    text = _visible(" ".join(str(value).split()))
    ticks = "`" * (_longest(text) + 1)
    space = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _fenced(text: str) -> Iterator[str]:
    if not text:
        return
    fence = "`" * max(_longest(text) + 1, _SHORTEST_FENCE)
    yield f"{fence}text"
    # A lone carriage return ends a line for Markdown and not for Python: shown, it ends none.
    yield _visible(text)
    yield fence
    yield ""


def _longest(text: str) -> int:
    """The longest run of backticks."""
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _visible(text: str) -> str:
    """Controls of a terminal are shown and not obeyed; lines and tabs stay."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text.replace("\r\n", "\n"))
