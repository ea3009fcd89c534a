"""Which tools of a server are offered, and what is said of the others."""

import pytest

from postroom.llm.port import Json
from postroom.tools.servers.offer import (
    DESCRIPTION_CHARS_MAX,
    SCHEMA_BYTES_MAX,
    TOOLS_MAX,
    Listed,
    Offer,
    make_offer,
)


def listed(name: str, description: str = "", **schema: Json) -> Listed:
    return Listed(name=name, description=description, schema={"type": "object", **schema})


def names(offer: Offer) -> list[str]:
    return [tool.spec.name for tool in offer.tools]


def test_tools_are_named_after_their_server_and_ordered_by_name() -> None:
    offer = make_offer("s", [listed("b"), listed("a")])

    assert names(offer) == ["s__a", "s__b"]
    assert [tool.remote_name for tool in offer.tools] == ["a", "b"]
    assert make_offer("s", [listed("a"), listed("b")]) == offer


@pytest.mark.parametrize(
    ("name", "called"),
    [("a.b/c d", "s__a_b_c_d"), ("grüße", "s__gr__e"), ("_x", "s___x"), ("x" * 61, "s__" + "x" * 61)],
)
def test_what_no_provider_takes_in_a_name_becomes_an_underscore(name: str, called: str) -> None:
    offer = make_offer("s", [listed(name)])

    assert names(offer) == [called]
    assert offer.tools[0].remote_name == name


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "`` has no letter or digit"),
        ("日本", "`日本` has no letter or digit"),
        ("__", "`__` has no letter or digit"),
        ("-", "`-` has no letter or digit"),
        ("x" * 62, "is too long: `s__` and the name may have 64 characters"),
        ("y" * 500, f"`{'y' * 80}…` is too long"),
        ("unavailable", "the name `s__unavailable` is Postroom's own"),
    ],
)
def test_a_name_that_cannot_be_made_fit_is_told(name: str, problem: str) -> None:
    offer = make_offer("s", [listed(name), listed("good")])

    assert names(offer) == ["s__good"]
    [told] = offer.problems
    assert problem in told


def test_tools_that_would_share_a_name_are_told_once_and_none_is_offered() -> None:
    offer = make_offer("s", [listed("a.b"), listed("a_b"), listed("a b"), listed("c")])

    assert names(offer) == ["s__c"]
    assert offer.problems == ("3 tools would be called `s__a_b`, and none of them is offered",)


def test_a_list_without_measure_is_cut_and_told() -> None:
    offer = make_offer("s", [listed(f"t{n}") for n in range(TOOLS_MAX + 1)])

    assert len(offer.tools) == TOOLS_MAX
    assert "those after the first 256 are left out" in offer.problems[0]


def test_long_descriptions_are_cut_and_large_schemas_refused() -> None:
    large = listed("large", properties={"x": {"description": "d" * SCHEMA_BYTES_MAX}})

    offer = make_offer("s", [listed("long", "d" * (DESCRIPTION_CHARS_MAX + 1)), large])

    assert names(offer) == ["s__long"]
    assert offer.tools[0].spec.description.endswith("[the description is longer; the rest is left out]")
    assert offer.problems == ("the schema of `large` is longer than 64 KiB",)


def test_a_description_is_scrubbed_and_a_bare_schema_completed() -> None:
    spec = make_offer("s", [Listed(name="a", description="x\x00y", schema={})]).tools[0].spec

    assert spec.description == "x\N{REPLACEMENT CHARACTER}y"
    assert spec.parameters == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    "schema",
    [{"type": 3}, {"type": "string"}, {"properties": []}, {"properties": {"a": 1}}, {"required": "a"},
     {"required": [1]}],
)  # fmt: skip
def test_a_schema_that_every_vendor_would_refuse_spoils_its_own_tool_only(schema: dict[str, Json]) -> None:
    offer = make_offer("s", [Listed(name="bad", description="", schema=schema), listed("good")])

    assert names(offer) == ["s__good"]
    assert offer.problems == ("the schema of `bad` is not that of an object with named properties",)
