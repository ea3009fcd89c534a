"""The chat-completions error body: the vendor's sentences, types and codes."""

import json

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import (
    Breach,
    ErrorReply,
    Rule,
    bracketed,
    retry_headers,
    sentence,
)

_INVALID = "invalid_request_error"
_CODES = {
    Rule.UNKNOWN_FIELD: "unknown_parameter",
    Rule.MISSING_FIELD: "missing_required_parameter",
    Rule.WRONG_TYPE: "invalid_type",
    Rule.BLANK_TEXT: "empty_string",
    Rule.OVER_WINDOW: "context_length_exceeded",
    Rule.WRONG_KEY: "invalid_api_key",
    Rule.NO_CREDIT: "insufficient_quota",
    Rule.BLOCKED: "content_filter",
    Rule.BAD_IMAGE: "invalid_image",
}
_RATE_LIMIT = 429
_UNPAIRED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {names}"
)
_STRAY = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
    "with 'tool_calls'."
)
_STATUS_TYPES = {
    400: (_INVALID, None),
    401: (_INVALID, "invalid_api_key"),
    403: (_INVALID, "unsupported_country_region_territory"),
    404: (_INVALID, "model_not_found"),
    413: (_INVALID, None),
    _RATE_LIMIT: ("requests", "rate_limit_exceeded"),
}
_SENTENCES = {
    Rule.UNPAIRED_CALL: _UNPAIRED,
    Rule.TEXT_INSIDE_PAIR: _UNPAIRED,
    Rule.STRAY_RESULT: _STRAY,
    Rule.REPEATED_RESULT: _STRAY,
    Rule.REPEATED_ID: "Duplicate value for 'tool_call_id' of '{0}' in messages.",
    "wrong_type/role": "Invalid value: '{1}'. Supported values are: {2}.",
    "wrong_type/length": "Invalid '{place}': string too long. Expected a string with maximum length {1}, "
    "but got a string with length {2} instead.",
    "wrong_type/pattern": "Invalid '{place}': string does not match pattern '{1}'.",
    "wrong_type/empty": "Invalid '{place}': empty array. Expected an array with minimum length 1.",
    Rule.WRONG_TYPE: "Invalid type for '{place}': expected {0}.",
    Rule.UNKNOWN_FIELD: "Unknown parameter: '{place}'.",
    Rule.MISSING_FIELD: "Missing required parameter: '{place}'.",
    Rule.BLANK_TEXT: "Invalid '{place}': text content blocks must contain non-whitespace text.",
    "bad_image/role": "Image URLs are only allowed for messages with role 'user', "
    "but this message with role '{1}' contains an image URL.",
    Rule.BAD_IMAGE: "You uploaded an unsupported image. Please make sure your image is valid.",
    Rule.NOT_UTF8: "We could not parse the JSON body of your request.",
    Rule.OVER_WINDOW: "This model's maximum context length is {1} tokens. However, your messages "
    "resulted in {0} tokens. Please reduce the length of the messages.",
    Rule.TOO_LARGE: "The body of the request has {0} bytes, the maximum is {1}.",
    Rule.MISSING_KEY: "You didn't provide an API key.",
    Rule.WRONG_KEY: "Incorrect API key provided.",
    Rule.NO_CREDIT: "You exceeded your current quota, please check your plan and billing details.",
    Rule.BLOCKED: "The response was filtered due to the prompt triggering our content management policy.",
    Rule.UNKNOWN_PATH: "Invalid URL (POST {0})",
    "status/429": "Rate limit reached.",
    "status/500": "The server had an error while processing your request.",
    "": "The engine is currently overloaded.",
}


def error(breach: Breach) -> ErrorReply:
    """The error as the vendor writes it."""
    kind, code = _INVALID, _CODES.get(breach.rule)
    status = breach.status
    match breach.rule:
        case Rule.STATUS:
            kind, code = _STATUS_TYPES.get(status, ("server_error", None))
        case Rule.NO_CREDIT:
            kind, status = "insufficient_quota", _RATE_LIMIT
        case Rule.SCRIPT_ENDED:
            # A status that is tried again would hide a script that is too short behind minutes of waiting.
            kind = "script_ended"
        case _:
            pass
    message = sentence(breach, _SENTENCES, bracketed(breach.at))
    param = bracketed(breach.at) or None
    body: dict[str, Json] = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return ErrorReply(status=status, message=message, body=body, headers=retry_headers(breach))


def stream_error(breach: Breach) -> bytes:
    """The error as an event of a stream."""
    return b"data: " + json.dumps(dict(error(breach).body)).encode() + b"\n\n"
