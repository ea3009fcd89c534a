"""The agents, the tools they have, and what holds them back or fails them."""

# ruff: noqa: RUF012 -- pydantic copies every default

from typing import Annotated, Literal, TypeAlias, cast, get_args

from pydantic import BeforeValidator, JsonValue, WithJsonSchema, model_validator

from postroom.testing.scenario.parts.part import Field, Name, Names, Part

Purpose: TypeAlias = Literal["turn", "classification", "title", "summary", "review"]
Relation: TypeAlias = Literal[
    "parent", "child", "sibling", "ancestor", "descendant", "tree", "workspace", "*"
]
Action: TypeAlias = Literal["message", "delegate", "read", "write", "shell", "mcp"]
Effect: TypeAlias = Literal["allow", "deny", "ask"]
_EFFECT: dict[str, JsonValue] = {"enum": list(get_args(Effect)), "type": "string"}


def _for_all(given: object) -> object:
    return {"*": given} if isinstance(given, str) else given


Effects: TypeAlias = Annotated[
    dict[str, Effect],
    BeforeValidator(_for_all),
    WithJsonSchema({"anyOf": [_EFFECT, {"type": "object", "additionalProperties": _EFFECT}]}),
]
"""Effects by pattern; a bare one is for everything."""
Permissions: TypeAlias = dict[Action, Effects]
"""Effects by action and pattern, as in a profile."""

_CALLS: dict[str, JsonValue] = {
    "type": "array",
    "items": {
        "type": "object", "minProperties": 1, "maxProperties": 1,
        "additionalProperties": {"type": ["object", "string"]},
    },
}  # fmt: skip
_ROUND: dict[str, JsonValue] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string"},
        "calls": _CALLS,
        "think_s": {"type": "number", "minimum": 0, "maximum": 3600},
        "tokens": {"type": "integer", "minimum": 0},
        "cost_usd": {"type": "number", "minimum": 0, "maximum": 1000},
        "when": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "otherwise": {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object", "additionalProperties": False,
                    "properties": {"text": {"type": "string"}, "calls": _CALLS},
                },
            ]
        },
    },
}  # fmt: skip
_ROUNDS: dict[str, JsonValue] = {"type": "array", "items": _ROUND}


def _by_purpose(given: object) -> object:
    return {"turn": cast("object", given)} if isinstance(given, list) else given


Scripts: TypeAlias = Annotated[
    dict[Purpose, list[JsonValue]],
    BeforeValidator(_by_purpose),
    WithJsonSchema(
        {
            "anyOf": [
                _ROUNDS,
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": dict.fromkeys(get_args(Purpose), _ROUNDS),
                },
            ]
        }
    ),
]
"""Rounds as in `scripts/NAME.yaml` of a team folder; or such lists by why the model is asked."""


class AgentPart(Part):
    """One agent: what it may do, and what its model says."""

    surface: Literal["tree", "branch", "team", "peer", "roster"] | None = None
    """The surface of the conversations that are opened with it, and in whose words its script is; without it,
    that of the policy that is run."""
    may_message: list[Relation] = []
    """Whom it may write to: what others are to it."""
    delegates_to: list[Name] = []
    """Which agents it may make below itself."""
    permissions: Permissions = {}
    """Further rules, as in a profile."""
    tools: list[Name] = []
    """Names of `tools` of this file, or of the team."""
    max_rounds: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    context_window: Annotated[int, Field(ge=1)] | None = None
    script: Scripts = {}
    afterwards: str | None = None
    """What it says when its script has no more rounds. Without it, one request more is a failure."""


class WorkPart(Part):
    """Work that goes on in the background after the call has returned."""

    label: Name
    """What the agent reads in the message about its end."""
    text: str = "done"
    """What the agent is told at its end."""
    is_error: bool = False


class ToolPart(Part):
    """A tool that any agent may name; it takes any arguments."""

    text: str = "done"
    """What it returns."""
    action: Literal["read", "write", "shell", "mcp"] | None = None
    """What an agent needs a right to before a call of it is made; without it, none."""
    resource: str = ""
    """What that is done to, as rules and the person read it; without it, the tool's own name."""
    is_error: bool = False
    takes_s: float = Field(default=0.0, ge=0)
    """Seconds of the scenario's clock before it returns."""
    raises: Literal["error", "panic"] | None = None
    """It raises instead: an ordinary exception, or one that no tool may raise."""
    goes_on: WorkPart | None = None
    """Each call begins work that ends when the gate `{work: NAME}` is open, or when it is stopped."""
    parallel: bool = True


class GatePart(Part):
    """Holds whoever comes until a step opens it; one that holds nothing is a sign for `until`."""

    model: Name | None = None
    """Holds the model calls of this agent."""
    round: Annotated[int, Field(ge=1)] | None = None
    """Only those that the n-th round of its script would answer."""
    purpose: Purpose | None = None
    """Only those for this; without it, for whatever."""
    tool: Name | None = None
    """Holds the calls of this tool."""
    call: Annotated[int, Field(ge=1)] | None = None
    """Only its n-th call."""
    work: Name | None = None
    """Holds the end of the background work of this tool."""
    commit: Name | None = None
    """Holds all writes to the store where this transaction is `NAME.before` or `NAME.after` its commit."""
    open: bool = False
    """It begins open; a step shuts it."""

    @model_validator(mode="after")
    def _holds_one_thing(self) -> "GatePart":
        if sum(what is not None for what in (self.model, self.tool, self.work, self.commit)) > 1:
            raise ValueError("a gate holds one thing: `model`, `tool`, `work` or `commit`")
        return self


class TroublePart(Part):
    """A fault that is put in: model calls or commits that fail."""

    model: Name | None = None
    """The model calls of this agent fail."""
    round: Annotated[int, Field(ge=1)] | None = None
    """Only those that the n-th round of its script would answer."""
    purpose: Purpose | None = None
    """Only those for this; without it, for whatever."""
    commit: Name | None = None
    """Every commit of this transaction fails."""
    fails: Name
    """The code of the fault, such as model_unavailable or store_full."""
    times: Annotated[int, Field(ge=1)] | None = None
    """How often; without it and `until`, always."""
    until: Name | None = None
    """Until this gate is open."""

    @model_validator(mode="after")
    def _fails_one_thing(self) -> "TroublePart":
        if (self.model is None) == (self.commit is None):
            raise ValueError("trouble is with one thing: give it `model` or `commit`")
        return self


class Settings(Part):
    """What a team folder would set in `postroom.toml`, and where random things are not left to chance."""

    retry_for_s: float = Field(default=0.0, ge=0)
    """How long a model call is tried again while its provider is overloaded or away."""
    tokens: list[Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")]] = []
    """The tails of the first handles that are made; random ones follow."""


class Invariants(Part):
    """What is not looked at when the file has ended."""

    except_: Names = Field(default=[], alias="except")
    """Such as I4, where the file itself makes a request fail."""
