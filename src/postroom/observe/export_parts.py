"""One item of a conversation as records: what was said, an answer with its calls, what came of a call."""

import json
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from postroom.domain.node import Role, facts_of, is_joined, parts_of, said
from postroom.domain.plain import Json
from postroom.domain.turn import call_id
from postroom.observe.export_talk import sign
from postroom.rules.envelope import render, render_node
from postroom.rules.envelope_peer import source_of
from postroom.rules.text import shorten
from postroom.rules.text_json import scrub_arguments
from postroom.store.tx_export import ExportTx, NodeRow
from postroom.store.tx_views import FullCallRow

Record: TypeAlias = dict[str, Json]
TEXT_CHARS: Final = 4_000
"""Longest text in an export that is not full."""
ARGUMENTS_CHARS: Final = 400
"""Longest arguments of a call in an export that is not full."""


class Place(NamedTuple):
    """Whose conversation is written: the fields that say so in every record, and where it stands."""

    fields: Record
    session: int
    branch: int
    head: int | None
    is_talk: bool = False
    """Whether its agents talk on the bus of a turn: each part has a signature, and what a call has made
    stands where the call does.
    """
    is_made: bool = False
    """Whether it stands in the conversation of who made it."""


def parts_of_node(
    tx: ExportTx, node: NodeRow, place: Place, *, is_newest: bool, full: bool
) -> Iterator[Record]:
    """What a node is in an export: an item, or one for each result of its round.

    Where agents talk, the calls of the newest answer are there before their round is over.
    """
    match node.role:
        case Role.TOOL:
            yield from _results(tx, node, place, full=full)
        case Role.ASSISTANT:
            signed: Record = {"sign": "assistant"} if place.is_talk else {}
            answer = _answer(tx, node, full=full)
            yield answer | signed
            if place.is_talk and is_newest and answer["calls"]:
                yield from _results(tx, node, place, full=full)
        case Role.SUMMARY:
            text = str(json.loads(node.parts)["text"])
            yield {"kind": "summary", "sender": "", **shown(text, TEXT_CHARS, full=full)}
        case _:
            record = _said(node, full=full)
            yield record | (_heard(node, place, full=full) if place.is_talk else {})


def _results(tx: ExportTx, node: NodeRow, place: Place, *, full: bool) -> Iterator[Record]:
    """What came of the calls of a round; where agents talk, with what they were given, open ones too."""
    made = {one.position: one for one in tx.made_in_round(node.turn, node.round)} if place.is_talk else {}
    for call in tx.calls_in_full(node.turn, node.round):
        record: Record = {"role": "tool", **_result(node, call, full=full)}
        if place.is_talk:
            text = scrub_arguments(call.arguments)
            record |= {"sign": "call", **shown(text, TEXT_CHARS, full=full, name="arguments")}
            record["is_open"] = call.result is None
            if call.position in made:
                record["card"] = made[call.position].session_id
        yield record


def _said(node: NodeRow, *, full: bool) -> Record:
    """What was said to the agent: by the person, by another agent, or by the runtime."""
    facts = facts_of(node.parts)
    joined = is_joined(node.parts)
    record: Record = {
        "kind": "joined" if joined else node.kind or facts.kind,
        "sender": "" if joined else node.sender_address or facts.sender, "message_id": node.message_id,
    }  # fmt: skip
    if facts.outcome and not joined:
        record["outcome"] = facts.outcome
    if not joined and (source := source_of(facts, node.message_id)):
        record["source"] = dict(source)
    if joined:
        record["parts"] = [
            {"kind": one.facts.kind, "sender": one.facts.sender, **shown(one.body, TEXT_CHARS, full=full)}
            for one in parts_of(node.parts, node.body or "[]")
        ]
    text = said(node.parts, node.body) if node.body is not None else render("", facts)
    return record | shown(text, TEXT_CHARS, full=full)


def _heard(node: NodeRow, place: Place, *, full: bool) -> Record:
    """How it is signed, and how the agent has read it."""
    text = render_node(node.parts, node.body)
    return {"sign": sign(node, is_made=place.is_made), **shown(text, TEXT_CHARS, full=full, name="shown")}


def _answer(tx: ExportTx, node: NodeRow, *, full: bool) -> Record:
    calls: list[Json] = [_call(node, call, full=full) for call in tx.calls_in_full(node.turn, node.round)]
    return {**shown(str(json.loads(node.parts)["text"]), TEXT_CHARS, full=full), "calls": calls}


def _call(node: NodeRow, call: FullCallRow, *, full: bool) -> Record:
    """What the model asked for, and what hooks have made of it."""
    record: Record = {
        "call_id": call_id(node.turn, node.round, call.position), "tool": call.tool,
        **shown(scrub_arguments(call.arguments), ARGUMENTS_CHARS, full=full, name="arguments"),
    }  # fmt: skip
    if call.changed_by:
        text = scrub_arguments(call.changed_arguments or "")
        record |= shown(text, ARGUMENTS_CHARS, full=full, name="changed_arguments")
        record["changed_by"] = call.changed_by
    return record


def _result(node: NodeRow, call: FullCallRow, *, full: bool) -> Record:
    record: Record = {
        "call_id": call_id(node.turn, node.round, call.position), "tool": call.tool,
        "is_error": bool(call.is_error), "ended_by": call.ended_by, "message_id": call.message_id,
    }  # fmt: skip
    if call.images:
        record["images"] = [_image(image, full=full) for image in json.loads(call.images)]
    return record | shown(call.result or "", TEXT_CHARS, full=full)


def _image(image: dict[str, str], *, full: bool) -> Json:
    """A picture in base64, or only what it is and how long that text is."""
    shown: Record = {"media_type": image["media_type"], "base64_chars": len(image["data"])}
    return shown | {"base64": image["data"]} if full else shown


def shown(text: str, limit_chars: int, *, full: bool, name: str = "text") -> Record:
    """The text whole, or head and tail of it with how many characters there were."""
    if full or len(text) <= limit_chars:
        return {name: text}
    return {name: shorten(text, limit_chars), f"{name}_chars": len(text)}
