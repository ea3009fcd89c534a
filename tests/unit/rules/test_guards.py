"""The guards at their edges: the last that passes and the first that does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.domain.chain import Chain, ChainLimits
from postroom.domain.message import HARD_BODY_BYTES_MAX, HARD_WAITING_MAX
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code
from postroom.rules.guards import (
    check_body,
    check_chain,
    check_fan_out,
    check_generations,
    check_hop,
    check_mailbox,
    check_messages,
    check_pair,
)
from postroom.rules.text import is_blank, is_encodable

PRESET = Policy(surface="tree")
FAMILY = "👨\u200d👩\u200d👧"  # three faces of four bytes and two joiners of three


@pytest.mark.parametrize(
    ("body", "passes"),
    [
        pytest.param("a" * 1_024, True, id="1,024 of one byte"),
        pytest.param("a" * 1_025, False, id="1,025 of one byte"),
        pytest.param("ü" * 512, True, id="512 of two bytes"),
        pytest.param("ü" * 512 + "a", False, id="512 of two bytes and one more"),
        pytest.param("ü" * 513, False, id="513 of two bytes"),
        pytest.param("字" * 341 + "a", True, id="341 of three bytes and one"),
        pytest.param("字" * 342, False, id="342 of three bytes"),
        pytest.param("😀" * 256, True, id="256 of four bytes"),
        pytest.param("😀" * 257, False, id="257 of four bytes"),
        pytest.param(FAMILY * 56 + "a" * 16, True, id="emoji with joiners, up to the edge"),
        pytest.param(FAMILY * 56 + "a" * 17, False, id="emoji with joiners, one byte over it"),
        pytest.param("a" * 1_020 + FAMILY, False, id="emoji with joiners, across the edge"),
        pytest.param(
            "\"\\'" * 333 + "\\", True, id="1,000 quotes and backslashes, which escaping would double"
        ),
        pytest.param("\n" * 1_023 + "a", True, id="line ends, which escaping would double"),
    ],
)
def test_a_body_passes_up_to_the_limit_in_bytes(body: str, passes: bool) -> None:
    """CK-15, O-29: bytes of the body as given, neither characters nor bytes of an escaped form."""
    assert check_body(body, 1_024) is (None if passes else Code.INVALID_BODY)


@given(body=st.text(max_size=40), body_bytes=st.integers(0, 60))
def test_acceptance_turns_exactly_at_the_limit(body: str, body_bytes: int) -> None:
    """CK-15."""
    passes = is_encodable(body) and not is_blank(body) and len(body.encode()) <= body_bytes

    assert (check_body(body, body_bytes) is None) is passes


@pytest.mark.parametrize("body", ["a", "ü", "😀"])
def test_a_limit_of_zero_refuses_every_body(body: str) -> None:
    """CK-15: here 0 is a limit and does not mean unlimited."""
    assert check_body(body, 0) is Code.INVALID_BODY


def test_no_setting_lifts_the_hard_limit() -> None:
    generous = 2 * HARD_BODY_BYTES_MAX

    assert check_body("a" * HARD_BODY_BYTES_MAX, generous) is None
    assert check_body("a" * (HARD_BODY_BYTES_MAX + 1), generous) is Code.INVALID_BODY


@pytest.mark.parametrize(
    "body",
    ["", " ", "\n\t\r ", "\u200b\u200d\u2060", "\ufeff", "\u3000\u00a0", "\x01\x1f", "\u2028\u2029\xad"],
)
def test_a_body_in_which_one_sees_nothing_is_refused(body: str) -> None:
    """O-28."""
    assert check_body(body, PRESET.body_bytes_max) is Code.INVALID_BODY


@pytest.mark.parametrize("char", [chr(0xD83D), chr(0xDC00), "\0", "\ufffe", "\uffff"])
def test_a_body_that_cannot_be_carried_is_refused(char: str) -> None:
    """O-27."""
    assert check_body(f"before {char} after", PRESET.body_bytes_max) is Code.INVALID_BODY


@pytest.mark.parametrize("body", ["😀", "\ufffd", "a\u200d", "\x1b[0m"])
def test_a_body_with_unusual_but_sound_characters_passes(body: str) -> None:
    """O-27: the correct emoji arrives."""
    assert check_body(body, PRESET.body_bytes_max) is None


@pytest.mark.parametrize(
    ("cap", "unacknowledged", "code"),
    [
        (32, 0, None),
        (32, 31, None),
        (32, 32, Code.INBOX_FULL),
        (32, 33, Code.INBOX_FULL),
        (1, 1, Code.INBOX_FULL),
        (None, 50_000, None),
    ],
)
def test_the_mailbox_is_full_at_its_cap(cap: int | None, unacknowledged: int, code: Code | None) -> None:
    """CK-16."""
    policy = Policy(surface="tree", mailbox_cap=cap)

    assert check_mailbox(unacknowledged, unacknowledged, policy) is code


@pytest.mark.parametrize(
    ("waiting", "code"),
    [(HARD_WAITING_MAX - 1, None), (HARD_WAITING_MAX, Code.MAILBOX_LIMIT)],
)
def test_a_mailbox_without_a_cap_still_has_the_hard_limit(waiting: int, code: Code | None) -> None:
    assert check_mailbox(0, waiting, Policy(surface="tree", mailbox_cap=None)) is code


def test_other_mail_takes_no_place_from_agent_mail() -> None:
    """CK-16, O-32: the person's text, results and notices count for the hard limit only."""
    assert check_mailbox(31, 5_000, PRESET) is None


@pytest.mark.parametrize(
    ("window", "unacknowledged", "code"),
    [(4, 0, None), (4, 3, None), (4, 4, Code.INFLIGHT_FULL), (4, 5, Code.INFLIGHT_FULL), (None, 4_000, None)],
)
def test_a_pair_has_room_for_its_window(window: int | None, unacknowledged: int, code: Code | None) -> None:
    """CK-18."""
    assert check_pair(unacknowledged, Policy(surface="tree", pair_window=window)) is code


@pytest.mark.parametrize(
    ("hops", "hop", "code"),
    [
        (1, 0, None),
        (1, 1, None),
        (1, 2, Code.MAX_HOPS_EXCEEDED),
        (6, 6, None),
        (6, 7, Code.MAX_HOPS_EXCEEDED),
        (None, 99, None),
    ],
)
def test_a_hop_passes_up_to_the_limit(hops: int | None, hop: int, code: Code | None) -> None:
    """CK-19, O-31 a."""
    assert check_hop(hop, Policy(surface="tree", hops_max=hops)) is code


@pytest.mark.parametrize(
    ("turns", "turns_max", "code"),
    [
        (0, 200, None),
        (199, 200, None),
        (200, 200, Code.CHAIN_SPENT),
        (0, 0, Code.CHAIN_SPENT),
        (9_999, None, None),
    ],
)
def test_a_chain_is_spent_at_its_outer_cap(turns: int, turns_max: int | None, code: Code | None) -> None:
    """O-31 c; O-33: nothing left is never unlimited."""
    assert check_chain(Chain(turns, 0, 0, ChainLimits(turns_max=turns_max))) is code


@pytest.mark.parametrize(
    ("spent", "limit", "is_dry"),
    [
        (0, 100, False),
        (99, 100, False),
        (100, 100, True),
        (600, 100, True),
        (0, 0, True),
        (9_999, None, False),
    ],
)
def test_tokens_and_money_also_end_what_runs(spent: int, limit: int | None, is_dry: bool) -> None:
    """O-33: at exactly nothing left, and below it, there is nothing left; only no limit is unlimited."""
    of_tokens = Chain(9, spent, 0, ChainLimits(tokens_max=limit, turns_max=9))
    of_money = Chain(9, 0, spent, ChainLimits(cost_micros_max=limit, turns_max=9))

    assert (of_tokens.is_dry, of_money.is_dry) == (is_dry, is_dry)
    assert of_tokens.is_spent


@pytest.mark.parametrize(
    ("count", "limit", "is_over"), [(7, 8, False), (8, 8, True), (0, 0, True), (9_999, None, False)]
)
def test_a_path_is_spent_at_its_limit(count: int, limit: int | None, is_over: bool) -> None:
    """OP-34: refused at the limit, accepted one below it, never refused without one."""
    limits = ChainLimits(messages_max=limit, generations_max=limit, fan_out_max=limit)

    assert (check_messages(count, limits) is Code.MESSAGES_SPENT) is is_over
    assert (check_generations(count, limits) is Code.GENERATIONS_SPENT) is is_over
    assert (check_fan_out(count, limits) is Code.FAN_OUT_SPENT) is is_over


def test_the_preset_has_the_numbers_of_the_seed() -> None:
    """systems.md 3.6; product.md section 5."""
    numbers = (PRESET.body_bytes_max, PRESET.mailbox_cap, PRESET.pair_window, PRESET.hops_max)

    assert numbers == (32_768, 32, 4, None)
    assert (PRESET.depth_max, PRESET.concurrency, PRESET.waiting_max) == (3, 4, 16)
    assert (PRESET.rounds_max, PRESET.chain_turns_max) == (50, 200)
