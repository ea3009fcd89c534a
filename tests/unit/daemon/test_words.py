"""A refusal in a person's words says what is known of it."""

import pytest

from postroom.daemon.wire import failure_of
from postroom.domain.receipt import Code
from postroom.errors import Refused


@pytest.mark.parametrize(
    ("state", "by", "said"),
    [
        ("approved", "person", "it was approved by person"),
        ("approved", "yolo", "it was approved by yolo"),
        ("denied", "", "it was denied before"),
        ("expired", "time", "its time is over, and nobody decided"),
        ("withdrawn", "system", "it was withdrawn: its turn has ended"),
        ("withdrawn", "person", "it was withdrawn: you said that nobody is there"),
    ],
)
def test_whoever_decides_too_late_reads_how_it_was_decided(state: str, by: str, said: str) -> None:
    refused = Refused(Code.ALREADY_DECIDED, "an id", facts={"state": state, "by": by})

    failure = failure_of(refused)

    assert (failure.code, failure.message) == ("already_decided", said)
    assert failure.remedy == "`postroom asks` lists what is open"


def test_a_refusal_without_facts_has_words_all_the_same() -> None:
    assert failure_of(Refused(Code.ALREADY_DECIDED, "")).message == "it has been decided, or has ended"
    assert failure_of(Refused("a_code_of_tomorrow", "")).message == "the rules said no"


@pytest.mark.parametrize("code", Code)
def test_every_refusal_has_a_persons_words(code: Code) -> None:
    assert failure_of(Refused(code, "")).message != "the rules said no"
