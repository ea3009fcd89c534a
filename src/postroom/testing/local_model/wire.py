"""The part of an OpenAI chat-completions request that the local model heeds. The rest is ignored."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

_READ = ConfigDict(extra="ignore", frozen=True)


class BadRequest(Exception):
    """The request cannot be answered. `code` is the vendor's, for a client that looks at it."""

    def __init__(self, message: str, *, code: str = "invalid_request", status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class Function(BaseModel):
    """A call's name and arguments, as a model wrote them."""

    model_config = _READ

    name: str
    arguments: str = "{}"


class ToolCall(BaseModel):
    """One call of an earlier answer."""

    model_config = _READ

    id: str = ""
    function: Function


class TextPart(BaseModel):
    """A piece of a message. What is no text has none."""

    model_config = _READ

    text: str = ""


class Message(BaseModel):
    """One message of the conversation."""

    model_config = _READ

    role: str
    content: str | tuple[TextPart, ...] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    @property
    def text(self) -> str:
        """All of its text."""
        if isinstance(self.content, tuple):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class Described(BaseModel):
    """A tool's name, what it does, and the schema of its arguments."""

    model_config = _READ

    name: str
    description: str = ""
    parameters: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class Offered(BaseModel):
    """One entry of the list of tools."""

    model_config = _READ

    function: Described


class Chosen(BaseModel):
    """The one tool that is to be called."""

    model_config = _READ

    function: Function


class StreamOptions(BaseModel):
    """How the stream is to end."""

    model_config = _READ

    include_usage: bool = False


class Body(BaseModel):
    """One request."""

    model_config = _READ

    messages: tuple[Message, ...] = Field(min_length=1)
    model: str = "local"
    tools: tuple[Offered, ...] = ()
    tool_choice: Literal["none", "auto", "required"] | Chosen = "auto"
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None

    @property
    def tools_by_name(self) -> dict[str, Described]:
        """The tools of the request."""
        return {offered.function.name: offered.function for offered in self.tools}

    @property
    def tokens_max(self) -> int | None:
        """The longest answer in tokens, under either of the vendor's names for it."""
        return self.max_completion_tokens or self.max_tokens


def read_body(raw: bytes) -> Body:
    """The request in these bytes. Raises `BadRequest` naming the first field that does not fit."""
    try:
        return Body.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise BadRequest(f"{where}: {first['msg']}") from error
