"""The error body of the messages wire: the vendor's sentences and types."""

import json

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import (
    Breach,
    ErrorReply,
    Rule,
    dotted,
    retry_headers,
    sentence,
)

_REQUEST_ID = "req_emulated"
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_UNPAIRED = (
    "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {names}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
_SENTENCES = {
    Rule.UNPAIRED_CALL: _UNPAIRED,
    Rule.TEXT_INSIDE_PAIR: _UNPAIRED,
    Rule.STRAY_RESULT: "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {0}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    Rule.REPEATED_RESULT: "{place}: each tool_use must have a single result. "
    "Found multiple `tool_result` blocks with id: {0}",
    Rule.REPEATED_ID: "{place}: `tool_use` ids must be unique",
    "blank_text/empty": "{place}: text content blocks must be non-empty",
    Rule.BLANK_TEXT: "{place}: text content blocks must contain non-whitespace text",
    Rule.NOT_UTF8: "The request body is not valid JSON.",
    Rule.OVER_WINDOW: "prompt is too long: {0} tokens > {1} maximum",
    Rule.TOO_LARGE: "Request exceeds the maximum size",
    Rule.UNKNOWN_FIELD: "{place}: Extra inputs are not permitted",
    Rule.MISSING_FIELD: "{place}: Field required",
    "wrong_type/object": "{place}: Input should be a valid dictionary",
    "wrong_type/array": "{place}: Input should be a valid list",
    "wrong_type/empty": "messages: at least one message is required",
    Rule.WRONG_TYPE: "{place}: Input should be a valid {0}",
    "bad_value/pattern": "{place}: String should match pattern '{1}'",
    Rule.BAD_VALUE: "{place}: Input should be {0}",
    "bad_image/base64": "{place}.source.base64.data: The data is not valid base64",
    "bad_image/media_type": "{place}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
    "'image/gif' or 'image/webp'",
    "bad_image/too_big": "{place}.source.base64: image exceeds 5 MB maximum: {1} bytes > {2} bytes",
    "bad_image/other_type": "{place}.source.base64.data: The image was specified using the {1} media type, "
    "but the image appears to be a {2} image",
    Rule.BAD_IMAGE: "{place}.source.base64.data: Could not process image",
    Rule.TRAILING_SPACE: "messages: final assistant content cannot end with trailing whitespace",
    Rule.TOO_MANY_MARKERS: "A maximum of {1} blocks with cache_control may be provided. Found {0}.",
    Rule.BAD_SIGNATURE: "{place}: Invalid `signature` in `thinking` block",
    Rule.STALE_SIGNATURE: "{place}: Invalid `signature` in `thinking` block. The block is bound to a "
    "different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "
    '"drop_block".',
    Rule.MISSING_THINKING: "{place}.type: Expected `thinking` or `redacted_thinking`, but found `{0}`. When "
    "`thinking` is enabled, a final `assistant` message must start with a thinking block.",
    Rule.WRONG_TURN: 'messages: first message must use the "user" role',
    Rule.MISSING_KEY: "x-api-key header is required",
    Rule.WRONG_KEY: "invalid x-api-key",
    Rule.MISSING_VERSION: "anthropic-version: header is required",
    Rule.NO_CREDIT: "Your credit balance is too low to access the Anthropic API. "
    "Please go to Plans & Billing to upgrade or purchase credits.",
    Rule.BLOCKED: "Output blocked by content filtering policy",
    "status/429": "This request would exceed the rate limit of your organization.",
    "status/503": "Service temporarily unavailable",
    "status/529": "Overloaded",
    "": "Internal server error",
}


def error(breach: Breach) -> ErrorReply:
    """The error as the vendor writes it."""
    message = sentence(breach, _SENTENCES, dotted(breach.at))
    facts: dict[str, Json] = {"type": _TYPES.get(breach.status, "api_error"), "message": message}
    body: dict[str, Json] = {"type": "error", "error": facts, "request_id": _REQUEST_ID}
    headers = {"request-id": _REQUEST_ID, **retry_headers(breach)}
    return ErrorReply(status=breach.status, message=message, body=body, headers=headers)


def stream_error(breach: Breach) -> bytes:
    """The error as an event of a stream."""
    return b"event: error\ndata: " + json.dumps(dict(error(breach).body)).encode() + b"\n\n"
