"""Strict arguments: what does not fit exactly is refused and never guessed (CK-21)."""

import json

import pytest

from postroom.domain.plain import Json
from postroom.surfaces.arguments import Field, decode, schema
from postroom.surfaces.tree import CANCEL_FIELDS, DELEGATE_FIELDS, RESULT_FIELDS, SEND_FIELDS

ALL_FIELDS = (SEND_FIELDS, DELEGATE_FIELDS, RESULT_FIELDS, CANCEL_FIELDS)
SENDABLE: dict[str, Json] = {"to": "b_00000000", "body": "hello"}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "argument to is missing"),
        ({"to": "b"}, "argument body is missing"),
        ({"body": "x"}, "argument to is missing"),
        (SENDABLE | {"urgent": True}, "unknown argument urgent; known are to, body, mode"),
        (SENDABLE | {"from": "r", "Body": "x"}, "unknown argument Body, from; known are to, body, mode"),
        ({"recipient_session_id": "b", "body": "x"}, "unknown argument recipient_session_id"),
        (SENDABLE | {"to": 7}, "argument to must be of type string"),
        (SENDABLE | {"to": None}, "argument to must be of type string"),
        (SENDABLE | {"body": ["x"]}, "argument body must be of type string"),
        (SENDABLE | {"body": {"text": "x"}}, "argument body must be of type string"),
        (SENDABLE | {"mode": None}, "argument mode must be of type string"),
        (SENDABLE | {"mode": 1}, "argument mode must be of type string"),
        (SENDABLE | {"mode": "shout"}, "argument mode must be one of steer, queue"),
        (SENDABLE | {"mode": "Queue"}, "argument mode must be one of steer, queue"),
        (SENDABLE | {"mode": ""}, "argument mode must be one of steer, queue"),
    ],
)
def test_a_send_with_arguments_that_do_not_fit_says_what_is_wrong(
    given: dict[str, Json], complaint: str
) -> None:
    """CK-21."""
    wrong = decode(SEND_FIELDS, given)

    assert isinstance(wrong, str)
    assert wrong.startswith(complaint)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"session_id": "k", "wait": "yes"}, "argument wait must be of type boolean"),
        ({"session_id": "k", "wait": 1}, "argument wait must be of type boolean"),
        ({"session_id": "k", "wait": None}, "argument wait must be of type boolean"),
        ({"session_id": "k", "offset": True}, "argument offset must be of type integer"),
        ({"session_id": "k", "offset": 1.0}, "argument offset must be of type integer"),
        ({"session_id": "k", "limit": "10"}, "argument limit must be of type integer"),
        ({"session_id": "k", "limit": None}, "argument limit must be of type integer"),
    ],
)
def test_a_truth_is_no_number_and_nothing_is_no_default(given: dict[str, Json], complaint: str) -> None:
    """CK-21."""
    assert decode(RESULT_FIELDS, given) == complaint


@pytest.mark.parametrize("number", [2**63, -(2**63), 10**30])
def test_a_number_that_no_store_can_hold_is_refused(number: int) -> None:
    wrong = decode(RESULT_FIELDS, {"session_id": "k", "offset": number})

    assert wrong == f"argument offset must be from {1 - 2**63} to {2**63 - 1}"


def test_the_least_number_is_part_of_the_schema_and_is_kept() -> None:
    fields = (Field(name="after", type="integer", description="Where.", least=0),)

    assert '"minimum": 0' in json.dumps(schema(fields))
    assert decode(fields, {"after": 0}) == {"after": 0}
    assert decode(fields, {"after": -1}) == f"argument after must be from 0 to {2**63 - 1}"


def test_the_greatest_number_is_part_of_the_schema_and_is_kept() -> None:
    """A model that reads the schema knows what would be refused."""
    fields = (Field(name="limit", type="integer", description="How many.", least=1, most=9),)
    found = schema(fields)["properties"]

    assert found == {"limit": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 9}}
    assert decode(fields, {"limit": 9}) == {"limit": 9}
    assert decode(fields, {"limit": 10}) == "argument limit must be from 1 to 9"


def test_what_is_left_out_gets_its_default() -> None:
    assert decode(SEND_FIELDS, SENDABLE) == {**SENDABLE, "mode": "steer"}
    assert decode(RESULT_FIELDS, {"session_id": "k"}) == {
        "session_id": "k",
        "wait": False,
        "offset": 0,
        "limit": 2000,
    }


def test_an_optional_field_without_a_default_is_absent_when_it_is_left_out() -> None:
    fields = (Field(name="why", type="string", description="", required=False),)

    assert decode(fields, {}) == {}
    assert decode(fields, {"why": None}) == "argument why must be of type string"


def test_a_body_is_kept_as_given_and_other_texts_are_scrubbed() -> None:
    """O-27: the guard must see the broken body, the record must not hold a broken reason."""
    sent = decode(SEND_FIELDS, {"to": "b\ud83d", "body": "x\ud83d"})
    cancelled = decode(CANCEL_FIELDS, {"session_id": "k", "reason": "x\0"})

    assert sent == {"to": "b\ufffd", "body": "x\ud83d", "mode": "steer"}
    assert cancelled == {"session_id": "k", "reason": "x\ufffd"}


@pytest.mark.parametrize("fields", ALL_FIELDS)
def test_the_schema_that_a_model_sees_is_closed_and_says_what_decoding_asks(
    fields: tuple[Field, ...],
) -> None:
    shown = schema(fields)

    assert shown["additionalProperties"] is False
    assert shown["required"] == [f.name for f in fields if f.required]
    assert shown["properties"] == {
        f.name: {"type": f.type, "description": f.description}
        | ({"enum": list(f.choices)} if f.choices else {})
        | ({"default": f.default} if f.default is not None else {})
        for f in fields
    }


@pytest.mark.parametrize("fields", ALL_FIELDS)
def test_every_default_passes_its_own_check(fields: tuple[Field, ...]) -> None:
    required: dict[str, Json] = {f.name: "x" for f in fields if f.required}
    defaults: dict[str, Json] = {f.name: f.default for f in fields if not f.required}

    assert decode(fields, required | defaults) == decode(fields, required)
