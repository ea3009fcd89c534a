"""The OpenAI chat-completions wire, which Ollama, vLLM and others speak too. Importing this loads the SDK."""

import re
from collections.abc import Sequence
from typing import Final, cast

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings as VendorSettings

from postroom.llm.direct import DirectModel, Wire, http_client, provider_of
from postroom.llm.pictures import BLIND, KNOWN_TYPES, Sight
from postroom.llm.port import ModelRequest
from postroom.llm.remote import Link

_SIGHT: Final = Sight(types=KNOWN_TYPES, in_results=False)
# A server that serves a blind model answers a picture with an error, so elsewhere than at the vendor
# only names that say so are shown one.
_SEES: Final = re.compile(
    r"vision|llava|[-_.:]vl\b|\d-?vl\b|gemma-?[34]|pixtral|moondream|minicpm-?v|internvl|llama-?4"
    r"|gpt-4o|gpt-4\.1|gpt-[5-9]|claude-|gemini-|mistral-small-?3"
)
_BLIND_AT_HOME: Final = re.compile(r"gpt-3\.5|gpt-4(-\d|-32k|$)|o1-(mini|preview)|o3-mini|gpt-oss|.*audio")
_THOUGHT_FIELDS: Final = ("reasoning", "reasoning_content")


def connect(link: Link) -> DirectModel:
    """A model behind this wire; no connection is made yet."""
    http = http_client(link)
    client = AsyncOpenAI(
        api_key=link.key.reveal(),
        base_url=link.base_url,
        http_client=http,
        # Our retry is the one place that tries again.
        max_retries=0,
    )
    at_home = provider_of(link) == link.vendor.name
    vendor = _StableChatModel(
        link.model,
        provider=OpenAIProvider(openai_client=client),
        profile=OpenAIModelProfile(
            # A stream that ends without a finish reason was cut, even if HTTP thinks it is complete.
            openai_chat_streaming_requires_finish_reason=True,
            # Only the vendor has the new name of the limit; Ollama for one does not know it.
            openai_chat_supports_max_completion_tokens=at_home,
        ),
    )
    wire = Wire(
        vendor=vendor,
        http=http,
        sight=_SIGHT if sees(link.model, at_home=at_home) else BLIND,
        settings=_with_cache_key if at_home else _plain,
        takes_temperature=not _thinks(vendor.profile),
    )
    return DirectModel(wire, link)


def sees(model: str, *, at_home: bool) -> bool:
    """Whether the model of this name takes pictures: told by the name, at the vendor and elsewhere."""
    name = model.lower()
    return not _BLIND_AT_HOME.match(name) if at_home else _SEES.search(name) is not None


def _thinks(profile: OpenAIModelProfile) -> bool:
    """Whether the model thinks when nothing is said of it."""
    efforts = profile.get("openai_reasoning_efforts") or ()
    may_rest = "none" in efforts or profile.get("openai_supports_reasoning_effort_none", False)
    always = not may_rest or profile.get("thinking_enabled_by_default", False)
    return profile.get("openai_supports_reasoning", False) and always


def _with_cache_key(request: ModelRequest) -> OpenAIChatModelSettings:
    """Requests of one conversation share their beginning; the key brings them to the same cache."""
    return OpenAIChatModelSettings(openai_prompt_cache_key=request.branch)


def _plain(_request: ModelRequest) -> OpenAIChatModelSettings:
    return OpenAIChatModelSettings()


class _StableChatModel(OpenAIChatModel):
    """The model, with thought fields that stay as they were first sent.

    Servers that think want the field on each call that follows a thought. The base class fills it only
    while a turn runs, so the history of a past turn would change, and a cached prefix with it.
    """

    async def _map_messages(
        self,
        messages: Sequence[ModelMessage],
        model_request_parameters: ModelRequestParameters,
        *,
        model_settings: VendorSettings | None = None,
    ) -> list[ChatCompletionMessageParam]:
        mapped = await super()._map_messages(
            messages, model_request_parameters, model_settings=model_settings
        )
        _settle_thoughts([cast("dict[str, object]", each) for each in mapped if each["role"] == "assistant"])
        return mapped


def _settle_thoughts(answers: Sequence[dict[str, object]]) -> None:
    """Give the field of thoughts to each call after the first thought, and to no other answer."""
    field = ""
    for answer in answers:
        thought = [name for name in _THOUGHT_FIELDS if answer.get(name)]
        field = thought[0] if thought else field
        for name in _THOUGHT_FIELDS:
            if answer.get(name) == "":
                del answer[name]
        if field and not thought and answer.get("tool_calls"):
            answer[field] = ""
