"""The person, as agents meet them: a tool to ask them, and what is read when they say no.

`ask_user` is on every surface. A question waits without a slot until the person answers; mail never
answers it, because agent text is never the person's (G10).
"""

from collections.abc import Mapping

from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.rules.markers import label
from postroom.rules.text import is_blank, is_encodable
from postroom.service.asks import Question
from postroom.surfaces.arguments import unknown_in
from postroom.surfaces.base import Desk, MailTool
from postroom.tools.base import ToolResult, refused

OPTIONS_MAX = 10
OPTION_CHARS = 200
NAME = "ask_user"
_PARAMETERS: dict[str, Json] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "description": "What you need to know, in full. Not blank."},
        "options": {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": OPTIONS_MAX,
            "description": "Answers to choose from, if there are some; the person may still write another.",
        },
    },
    "required": ["question"],
    "additionalProperties": False,
}
_WORDS = {
    Code.PERMISSION_DENIED: "permission denied",
    Code.APPROVAL_EXPIRED: "nobody decided in time whether you may; it is not approved",
    Code.DENIED_BY_HOOK: "a hook denied this call",
    Code.UNATTENDED: "nobody is there to answer; decide yourself, or end and say what you would have asked",
    Code.INVALID_BODY: "the question is blank, has broken characters or is longer than the limit",
}


def refusal_text(tool: str, refusal: Refusal) -> str:
    """What a model reads when a call of it was refused before it was made: the code, and by whom and why."""
    facts = refusal.facts
    by, reason, resource = (str(facts.get(key, "")) for key in ("by", "reason", "resource"))
    text = f"{tool}:{refusal.code}: {_WORDS.get(refusal.code, refusal.code)}"
    if by:
        text += f" by {'the person' if by == 'person' else label(by)}"
    elif refusal.code is Code.PERMISSION_DENIED:
        text += f" by your rules{f' for {label(resource)}' if resource else ''}"
    return f"{text}: {label(reason)}" if reason else text


def refusal_result(tool: str, refusal: Refusal) -> ToolResult:
    """The same as the call's result."""
    return ToolResult(text=refusal_text(tool, refusal), is_error=True, refusal=refusal.code)


async def ask_user(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Ask the person and wait for their answer."""
    question = _question(given)
    if isinstance(question, str):
        return refused(NAME, Code.INVALID_ARGUMENTS, question)
    refusal = await desk.ask(call, question, answer_text)
    return None if refusal is None else refusal_result(NAME, refusal)


def answer_text(answer: str | Refusal) -> str:
    """The person's words as the call's result: theirs, whole and unchanged. Or why there are none."""
    if isinstance(answer, Refusal):
        return refusal_text(NAME, answer)
    return f"The person answered:\n{answer}"


def _question(given: Mapping[str, Json]) -> Question | str:
    if (unknown := unknown_in(given, ("question", "options"))) is not None:
        return unknown
    text, options = given.get("question"), given.get("options")
    if not isinstance(text, str):
        return "argument question must be there and of type string"
    options = [] if options is None else options
    if not isinstance(options, list) or len(options) > OPTIONS_MAX:
        return f"argument options must be a list of at most {OPTIONS_MAX} texts"
    texts = [option for option in options if isinstance(option, str) and _is_option(option)]
    if len(texts) != len(options) or len(set(texts)) != len(texts):
        return f"each option must be another text of 1 to {OPTION_CHARS} characters"
    return Question(text=text, options=texts)


def _is_option(option: str) -> bool:
    return is_encodable(option) and not is_blank(option) and len(option) <= OPTION_CHARS


ASK_USER = MailTool(
    spec=ToolSpec(
        name=NAME,
        description="Ask the person, and wait for the answer. Use it only for what nobody else can decide.",
        parameters=_PARAMETERS,
        returns={"type": "string", "description": "The person's answer, behind a line that says so."},
    ),
    run=ask_user,
)
