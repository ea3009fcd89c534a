"""The error body of the Gemini wire: the vendor's sentences, statuses and details."""

import json

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import Breach, ErrorReply, Rule, bracketed, sentence

_TYPES = "type.googleapis.com/google.rpc."
_INVALID = 400
_RATE_LIMIT = 429
_STATUSES = {
    _INVALID: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    _RATE_LIMIT: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
# This vendor has its own statuses for what others answer with 401, 413 and 400.
_OTHER_STATUS = {
    Rule.MISSING_KEY: 403,
    Rule.WRONG_KEY: _INVALID,
    Rule.TOO_LARGE: _INVALID,
    Rule.NO_CREDIT: _RATE_LIMIT,
}
_UNPAIRED = (
    "Please ensure that the number of function response parts is equal to the number of function call "
    "parts of the function call turn."
)
_QUOTA = "You exceeded your current quota, please check your plan and billing details."
_SENTENCES = {
    Rule.UNPAIRED_CALL: _UNPAIRED,
    Rule.TEXT_INSIDE_PAIR: _UNPAIRED,
    Rule.REPEATED_RESULT: _UNPAIRED,
    Rule.STRAY_RESULT: "Please ensure that function response turn comes immediately after a function "
    "call turn.",
    Rule.REPEATED_ID: "{place}.function_call.id: The id '{0}' is used by another function call.",
    Rule.BLANK_TEXT: "Unable to submit request because {place} has an empty text parameter.",
    Rule.NOT_UTF8: "Invalid JSON payload received. Unexpected token.",
    Rule.OVER_WINDOW: "The input token count ({0}) exceeds the maximum number of tokens allowed ({1}).",
    Rule.TOO_LARGE: "Request payload size exceeds the limit: {1} bytes.",
    Rule.UNKNOWN_FIELD: 'Invalid JSON payload received. Unknown name "{place}": Cannot find field.',
    "missing_field/data": "* GenerateContentRequest.{place}.data: required oneof field 'data' must have one "
    "initialized field",
    Rule.MISSING_FIELD: "* GenerateContentRequest.{place}: is not specified",
    "wrong_type/empty": "* GenerateContentRequest.{place}: must not be empty.",
    Rule.WRONG_TYPE: "Invalid value at '{place}': expected {0}.",
    "bad_value/role": "Please use a valid role: user, model.",
    Rule.BAD_VALUE: "Invalid value at '{place}': expected {0}.",
    "bad_image/media_type": "Unsupported MIME type: {1}",
    "bad_image/base64": "Invalid value at '{place}' (TYPE_BYTES), Base64 decoding failed",
    Rule.BAD_IMAGE: "Unable to process input image. Please retry or report.",
    Rule.BAD_SIGNATURE: "Corrupted thought signature.",
    Rule.MISSING_SIGNATURE: "Function call is missing a thought_signature in functionCall parts. This is "
    "required for tools to work correctly, and missing thought_signature may lead to degraded model "
    "performance. Additional data, function call `default_api:{0}` , position {1}.",
    "wrong_turn/call": "Please ensure that function call turn comes immediately after a user turn or after a "
    "function response turn.",
    Rule.WRONG_TURN: "Please ensure that multiturn requests end with a user turn or a function response "
    "turn.",
    Rule.MISSING_KEY: "Method doesn't allow unregistered callers (callers without established identity). "
    "Please use API Key or other form of API consumer identity to call this API.",
    Rule.WRONG_KEY: "API key not valid. Please pass a valid API key.",
    Rule.NO_CREDIT: _QUOTA,
    Rule.BLOCKED: "The prompt is blocked.",
    "status/429": _QUOTA,
    "status/503": "The model is overloaded. Please try again later.",
    "": "An internal error has occurred. Please retry or report.",
}


def error(breach: Breach) -> ErrorReply:
    """The error as the vendor writes it; a blocked prompt is none here, but 200 without candidates."""
    message = sentence(breach, _SENTENCES, bracketed(breach.at))
    if breach.rule is Rule.BLOCKED:
        return ErrorReply(status=200, message=message, body={"promptFeedback": {"blockReason": "SAFETY"}})
    status = _OTHER_STATUS.get(breach.rule, breach.status)
    facts: dict[str, Json] = {
        "code": status,
        "message": message,
        "status": _STATUSES.get(status, "INTERNAL"),
    }
    details = _details(breach)
    if details:
        facts["details"] = details
    return ErrorReply(status=status, message=message, body={"error": facts})


def stream_error(breach: Breach) -> bytes:
    """The error as a chunk of a stream."""
    return b"data: " + json.dumps(dict(error(breach).body)).encode() + b"\r\n\r\n"


def _details(breach: Breach) -> list[Json]:
    """What clients act on: when to try again, that a key is wrong, that a day's quota is used up."""
    details: list[Json] = []
    if breach.rule is Rule.WRONG_KEY:
        details.append(
            {"@type": _TYPES + "ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
        )
    if breach.rule is Rule.NO_CREDIT:
        quota: Json = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}
        details.append({"@type": _TYPES + "QuotaFailure", "violations": [quota]})
    if breach.retry_after_s is not None:
        details.append({"@type": _TYPES + "RetryInfo", "retryDelay": f"{breach.retry_after_s:g}s"})
    return details
