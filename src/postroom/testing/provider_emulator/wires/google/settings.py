"""Everything of a Gemini request but its contents: tools, how they may be called, how to generate."""

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import Breach, Place, Rule
from postroom.testing.provider_emulator.fields import (
    FLAG,
    LIST,
    NUMBER,
    OBJECT,
    TEXT,
    Fields,
    a_list,
    an_object,
    check_shape,
)
from postroom.testing.provider_emulator.wires.google.parts import camel, check_name

_DECLARATION = {
    "name": TEXT,
    "description": TEXT,
    "parameters": OBJECT,
    "parametersJsonSchema": OBJECT,
    "response": OBJECT,
    "responseJsonSchema": OBJECT,
    "behavior": TEXT,
}
_GENERATION = {
    "temperature": NUMBER,
    "topP": NUMBER,
    "topK": NUMBER,
    "candidateCount": (int,),
    "maxOutputTokens": (int,),
    "stopSequences": LIST,
    "responseMimeType": TEXT,
    "responseSchema": OBJECT,
    "responseJsonSchema": OBJECT,
    "responseModalities": LIST,
    "presencePenalty": NUMBER,
    "frequencyPenalty": NUMBER,
    "seed": (int,),
    "responseLogprobs": FLAG,
    "logprobs": (int,),
    "thinkingConfig": OBJECT,
    "mediaResolution": TEXT,
}
# The subset of OpenAPI that `parameters` takes; whole JSON schemas go to `parametersJsonSchema`.
_SCHEMA = {
    "type": (str, list),
    "format": TEXT,
    "title": TEXT,
    "description": TEXT,
    "nullable": FLAG,
    "enum": LIST,
    "maxItems": (str, int),
    "minItems": (str, int),
    "properties": OBJECT,
    "required": LIST,
    "minProperties": (str, int),
    "maxProperties": (str, int),
    "minLength": (str, int),
    "maxLength": (str, int),
    "pattern": TEXT,
    "example": (str, int, float, bool, list, dict),
    "anyOf": LIST,
    "propertyOrdering": LIST,
    "default": (str, int, float, bool, list, dict),
    "items": OBJECT,
    "minimum": NUMBER,
    "maximum": NUMBER,
}
_MODES = ("AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED")
_HOTTEST = 2


def check_tools(body: Fields) -> None:
    """Refuse declarations of functions that the vendor would not take."""
    names: set[str] = set()
    for number, value in enumerate(a_list(body.get("tools"), ("tools",))):
        at = ("tools", number)
        tool = camel(an_object(value, at))
        check_shape(tool, {"functionDeclarations": LIST}, at)
        declarations = a_list(tool.get("functionDeclarations"), (*at, "function_declarations"))
        for place, each in enumerate(declarations):
            name = _declaration(each, (*at, "function_declarations", place))
            if name in names:
                raise Breach(Rule.BAD_VALUE, says=f"Duplicate function declaration found: {name}")
            names.add(name)


def may_call(body: Fields) -> bool:
    """Whether the model may call functions at all. Raises `Breach` for a setting that is none."""
    at = ("tool_config", "function_calling_config")
    config = camel(an_object(body.get("toolConfig") or {}, at[:1]))
    calling = camel(an_object(config.get("functionCallingConfig") or {}, at))
    shape = {"mode": TEXT, "allowedFunctionNames": LIST, "streamFunctionCallArguments": FLAG}
    check_shape(calling, shape, at)
    mode = calling.get("mode") or "AUTO"
    if mode not in _MODES:
        raise Breach(Rule.BAD_VALUE, at=(*at, "mode"), names=(", ".join(_MODES),))
    if calling.get("allowedFunctionNames") and mode not in {"ANY", "VALIDATED"}:
        says = "Allowed function names should be set only when function calling mode is ANY."
        raise Breach(Rule.BAD_VALUE, says=says)
    return mode != "NONE"


def check_generation(body: Fields) -> None:
    """Refuse settings of generation that are unknown or out of range."""
    at = ("generation_config",)
    config = camel(an_object(body.get("generationConfig") or {}, at))
    check_shape(config, _GENERATION, at)
    heat, most = config.get("temperature"), config.get("maxOutputTokens")
    if isinstance(heat, int | float) and not 0 <= heat <= _HOTTEST:
        raise Breach(Rule.BAD_VALUE, at=(*at, "temperature"), names=("a number from 0 to 2",))
    if isinstance(most, int) and most < 1:
        raise Breach(Rule.BAD_VALUE, at=(*at, "max_output_tokens"), names=("a positive number",))


def _declaration(value: Json, at: Place) -> str:
    declaration = camel(an_object(value, at))
    check_shape(declaration, _DECLARATION, at, required=("name", "description"))
    name = str(declaration["name"])
    check_name(name, (*at, "name"))
    if declaration.get("parameters") and declaration.get("parametersJsonSchema"):
        says = f"Only one of parameters and parameters_json_schema may be set for {name}."
        raise Breach(Rule.BAD_VALUE, says=says)
    if declaration.get("parameters"):
        _check_schema(declaration["parameters"], (*at, "parameters"))
    return name


def _check_schema(value: Json, at: Place) -> None:
    schema = camel(an_object(value, at))
    check_shape(schema, _SCHEMA, at)
    for name, each in an_object(schema.get("properties") or {}, (*at, "properties")).items():
        _check_schema(each, (*at, "properties", name))
    if schema.get("items"):
        _check_schema(schema["items"], (*at, "items"))
    for number, each in enumerate(a_list(schema.get("anyOf"), (*at, "any_of"))):
        _check_schema(each, (*at, "any_of", number))
