"""`[model]`: what the profiles of a team share unless one says otherwise."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final

from postroom.llm.port import ModelSettings
from postroom.profiles.fields import Fields
from postroom.profiles.located import Setting, near

# product.md section 4: overload and lost connections are tried again for ten minutes.
RETRY_FOR_S: Final = 600.0
IDLE_S: Final = 120.0
PROVIDERS: Final = ("anthropic", "google", "openai", "scripted")
"""What `postroom.llm.provider.model_for` makes models of; a program may bring others of its own."""
_DAY_S: Final = 86_400.0
# No provider has a window of more than some millions of tokens; more is a slip of the pen.
_TOKENS_MAX: Final = 100_000_000
_TEMPERATURE_MAX: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDefaults:
    """The model of a profile that names none, and its settings."""

    name: str | None = None
    """`PROVIDER:MODEL` for profiles that name no model; none = each profile names its own."""
    settings: ModelSettings = field(default_factory=ModelSettings)
    """`max_tokens`, `temperature` and `context_window` for profiles that do not set them."""
    retry_for_s: float = RETRY_FOR_S
    """Seconds for which a call is tried again while its provider is overloaded or away."""
    idle_s: float = IDLE_S
    """Seconds without a word after which a streaming answer is given up and asked for again."""


def read_model_defaults(fields: Fields, providers: Collection[str] | None = None) -> ModelDefaults:
    """The `[model]` table; closes it."""
    defaults = ModelDefaults(
        name=read_model_name(fields, "name", providers),
        settings=read_settings(fields, ModelSettings()),
        retry_for_s=_or(fields.number("retry_for_s", least=0, most=_DAY_S), RETRY_FOR_S),
        idle_s=_or(fields.number("idle_s", least=1, most=_DAY_S), IDLE_S),
    )
    fields.close()
    return defaults


def read_settings(fields: Fields, over: ModelSettings) -> ModelSettings:
    """The three model settings, each `over`'s where the table does not set it."""
    max_tokens = fields.integer("max_tokens", least=1, most=_TOKENS_MAX)
    temperature = fields.number("temperature", least=0, most=_TEMPERATURE_MAX)
    context_window = fields.integer("context_window", least=1, most=_TOKENS_MAX)
    return replace(
        over,
        max_tokens=over.max_tokens if max_tokens is None else max_tokens,
        temperature=over.temperature if temperature is None else temperature,
        context_window=over.context_window if context_window is None else context_window,
    )


def read_model_name(fields: Fields, key: str, providers: Collection[str] | None = None) -> str | None:
    """`PROVIDER:MODEL`; any provider will do if `providers` does not list them."""
    name = fields.text(key)
    setting = fields.setting(key)
    return None if name is None or setting is None else _model_name(fields, setting, name, providers)


def read_model_names(fields: Fields, key: str, providers: Collection[str] | None = None) -> tuple[str, ...]:
    """A list of `PROVIDER:MODEL`, each once."""
    names, setting = fields.texts(key), fields.setting(key)
    if names is None or setting is None:
        return ()
    read = (_model_name(fields, setting, name, providers) for name in names)
    return tuple(dict.fromkeys(name for name in read if name is not None))


def _model_name(fields: Fields, setting: Setting, name: str, providers: Collection[str] | None) -> str | None:
    provider, colon, model = name.partition(":")
    if not (provider and colon and model) or name != name.strip():
        fields.complain(setting, f"`{name}` is no model", "write PROVIDER:MODEL, such as openai:gpt-5-mini")
        return None
    if providers is not None and provider not in providers:
        fields.complain(setting, f"there is no provider `{provider}`", near(provider, providers))
    return name


def _or(value: float | None, default: float) -> float:
    return default if value is None else value
