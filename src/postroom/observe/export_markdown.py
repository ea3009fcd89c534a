"""Records of an export as a Markdown page for people.

A text may hold anything, a heading that names another speaker too. So every text stands in a fence that is
longer than any in it, every name between backticks, and what is outside of them is ours alone: a reader
can always see whose words they are (G10).
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, cast

from postroom.domain.plain import Json
from postroom.observe.export_parts import Record
from postroom.observe.export_signed import card_begins, card_ends, signed, undelivered
from postroom.observe.fences import fenced, name
from postroom.rules.envelope import PLUGIN


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
    yield f"## {name(record['handle'] or record['profile'])}"
    yield ""
    if record["title"]:
        yield f"- title: {name(record['title'])}"
    yield f"- session: {name(record['session_id'])}, profile {name(record['profile'])}"
    if record["parent_id"]:
        yield f"- child of session {name(record['parent_id'])}, depth {record['depth']}"
    if record.get("forked_from"):
        yield f"- begins with a part of session {name(record['forked_from'])}"
    yield f"- {record['state']}, begun at {_time(record['created_us'])}"
    for key in ("team", "cwd"):
        if record.get(key):
            yield f"- {key}: {name(record[key])}"
    yield ""


def _branch(record: Record) -> Iterator[str]:
    yield f"## {name(record['name'] or record['profile'])}"
    yield ""
    yield f"- branch {name(record['branch_id'])} of session {name(record['session_id'])}"
    yield f"- profile {name(record['profile'])}"
    if record["parent_branch_id"]:
        yield f"- made by branch {name(record['parent_branch_id'])}"
    yield f"- {record['state']}, begun at {_time(record['created_us'])}"
    if "archived_us" in record:
        reason = f": {name(record['archived_reason'])}" if record["archived_reason"] else ""
        yield f"- archived at {_time(record['archived_us'])}{reason}"
    yield ""


def _item(record: Record) -> Iterator[str]:
    if "sign" in record:
        yield from signed(record)
        return
    left = " (in a part that was taken back)" if record["type"] == "left" else ""
    yield f"### {record['n']}. {_speaker(record)}{left}"
    yield ""
    place = [_time(record["at_us"]), f"turn {name(record['turn_id'])}, round {record['round']}"]
    if record["type"] == "left":
        place.append(f"kept as {name(record['sealed_id'])}")
    if record.get("message_id"):
        place.append(f"message {name(record['message_id'])}")
    yield ", ".join(place)
    yield ""
    yield from fenced(str(record["text"]))
    for image in cast("Sequence[Record]", record.get("images", ())):
        yield f"A picture, {name(image['media_type'])}."
        yield ""
    for call in cast("Sequence[Record]", record.get("calls", ())):
        yield f"Calls {name(call['tool'])} as {name(call['call_id'])}:"
        yield ""
        yield from fenced(str(call["arguments"]))
        if "changed_by" in call:
            yield f"Changed by {name(call['changed_by'])} into:"
            yield ""
            yield from fenced(str(call["changed_arguments"]))


def _speaker(record: Record) -> str:
    """Whose words these are, from the fields of the record and never from its text."""
    if record["role"] == "assistant":
        return "this agent"
    if record["role"] == "tool":
        how = "error" if record["is_error"] else "result"
        return f"{how} of {name(record['tool'])} ({name(record['call_id'])})"
    by = {
        "user": "user",
        "system": "system",
        "plugin": f"plugin {name(str(record['sender']).removeprefix(PLUGIN))}",
    }
    outcome = f", {record['outcome']}" if record.get("outcome") else ""
    speaker = by.get(str(record["provenance"]), f"agent {name(record['sender'])}")
    return f"{speaker}: {record['kind']}{outcome}"


def _message(record: Record) -> Iterator[str]:
    reason = f" ({record['reason']})" if record["reason"] else ""
    parked = ", parked" if record["parked"] else " in a reverted part" if record.get("reverted") else ""
    yield f"### mail, {record['state']}{parked}{reason}"
    yield ""
    yield (
        f"{_time(record['created_us'])}, {record['kind']} from {name(record['sender'] or 'Postroom')}, "
        f"message {name(record['message_id'])}"
    )
    yield ""
    if "text" in record:
        yield from fenced(str(record["text"]))


def _event(record: Record) -> Iterator[str]:
    facts = record["facts"]
    told = [f"{key}={value}" for key, value in facts.items()] if isinstance(facts, dict) else []
    words = [str(record["seq"]), str(record["kind"]), str(record["actor"]), *told]
    yield f"- {_time(record['ts_us'])} {name(' '.join(words))}"
    yield ""


def _notice(record: Record) -> Iterator[str]:
    yield f"### notice to the user: {name(record['code'])}"
    yield ""
    yield f"{_time(record['at_us'])}, about session {name(record['session_id'])}"
    yield ""
    yield from fenced(str(record["text"]))


def _end(record: Record) -> Iterator[str]:
    agents = sum(int(str(record.get(counted, 0))) for counted in ("sessions", "branches", "cards"))
    yield "---"
    yield ""
    yield f"Agents: {agents}. Parts of conversations: {record['items']}."


_PIECES: Final = {
    "export": _head, "session": _session, "branch": _branch, "item": _item, "left": _item,
    "message": _message, "event": _event, "notice": _notice, "end": _end, "card": card_begins,
    "card_end": card_ends, "undelivered": undelivered,
}  # fmt: skip


def _time(at_us: Json) -> str:
    """`2026-11-30 14:03:59Z`."""
    at = datetime.fromtimestamp(int(str(at_us)) / 1_000_000, UTC)
    return at.strftime("%Y-%m-%d %H:%M:%SZ")
