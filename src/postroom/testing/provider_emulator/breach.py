"""What a request did wrong, in no vendor's words; each wire turns it into its own error body."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from postroom.llm.port import Json

Place: TypeAlias = tuple[str | int, ...]
"""Where in a body: names of fields and numbers of list entries, from the outside in."""


class Rule(StrEnum):
    """The rule that was broken. Stable: tests name it; the shared ones have the names of `Flaw`."""

    UNPAIRED_CALL = "unpaired_call"  # a call without its one result directly after it
    STRAY_RESULT = "stray_result"  # a result without a call just before it
    REPEATED_RESULT = "repeated_result"  # two results for one call
    REPEATED_ID = "repeated_id"  # one call id twice in one request
    TEXT_INSIDE_PAIR = "text_inside_pair"  # user text between a call and its result
    BLANK_TEXT = "blank_text"  # a text with nothing to see in it
    NOT_UTF8 = "not_utf8"  # bytes that are no UTF-8 or no JSON
    OVER_WINDOW = "over_window"  # more tokens than the model's window
    TOO_LARGE = "too_large"  # more bytes than the vendor takes
    UNKNOWN_FIELD = "unknown_field"  # a field that the wire does not have
    MISSING_FIELD = "missing_field"  # a field that must be there
    WRONG_TYPE = "wrong_type"  # a value of another type, or an empty list of messages
    BAD_VALUE = "bad_value"  # a value of the right type that is not allowed
    BAD_IMAGE = "bad_image"  # a picture that is none, too big or of a type nobody takes
    TRAILING_SPACE = "trailing_space"  # a final answer that ends in white space
    TOO_MANY_MARKERS = "too_many_markers"  # more cache markers than the vendor takes
    BAD_SIGNATURE = "bad_signature"  # reasoning that was not given out like this
    STALE_SIGNATURE = "stale_signature"  # reasoning whose conversation has changed before it
    MISSING_SIGNATURE = "missing_signature"  # a call that has lost the signature it came with
    MISSING_THINKING = "missing_thinking"  # an answer that has lost its reasoning
    WRONG_TURN = "wrong_turn"  # a message where another role must stand
    MISSING_KEY = "missing_key"  # no key at all
    WRONG_KEY = "wrong_key"  # a key that is not the plan's
    MISSING_VERSION = "missing_version"  # the header that names the API's version is not there
    UNKNOWN_PATH = "unknown_path"  # nothing is served there
    SCRIPT_ENDED = "script_ended"  # the plan has no answer for this request
    STATUS = "status"  # an error status that the plan asked for
    NO_CREDIT = "no_credit"  # the account has nothing left, as the plan asked for
    BLOCKED = "blocked"  # the vendor's filter withholds the prompt, as the plan asked for


class Breach(Exception):
    """A request that is refused. `says` are the vendor's words where only one vendor has the rule.

    `names` are the facts of the breach in the order in which sentences use them.
    """

    def __init__(
        self,
        rule: Rule,
        *,
        at: Place = (),
        says: str = "",
        names: tuple[str, ...] = (),
        status: int = 400,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(rule)
        self.rule = rule
        self.at = at
        self.says = says
        self.names = names
        self.status = status
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReply:
    """The vendor's error: HTTP status, body and headers; `message` is the sentence inside the body."""

    status: int
    message: str
    body: Mapping[str, Json]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def sentence(breach: Breach, sentences: Mapping[str, str], place: str) -> str:
    """The vendor's sentence: that of the rule and its first name, of the rule, or of any breach.

    A sentence has `{place}` and the numbers of the breach's names as gaps.
    """
    if breach.says:
        return breach.says
    first = breach.names[0] if breach.names else ""
    found = sentences.get(f"{breach.rule}/{first}") or sentences.get(breach.rule) or sentences[""]
    return found.format(*breach.names, place=place, names=", ".join(breach.names), status=breach.status)


def retry_headers(breach: Breach) -> dict[str, str]:
    """How HTTP says when to try again; SDKs read the milliseconds, so that tests need not wait."""
    wait_s = breach.retry_after_s
    if wait_s is None:
        return {}
    return {"retry-after-ms": str(round(wait_s * 1_000)), "retry-after": str(round(wait_s))}


def dotted(at: Place) -> str:
    """The place as `messages.0.content`."""
    return ".".join(str(step) for step in at)


def bracketed(at: Place) -> str:
    """The place as `messages[0].content`."""
    text = ""
    for step in at:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
