"""The Anthropic messages wire. Importing this file loads the vendor's SDK."""

from anthropic import AsyncAnthropic
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.providers.anthropic import AnthropicProvider

from postroom.llm.direct import DirectModel, Wire, http_client
from postroom.llm.pictures import KNOWN_TYPES, Sight
from postroom.llm.port import ModelRequest
from postroom.llm.remote import Link


def connect(link: Link) -> DirectModel:
    """A model behind this wire; no connection is made yet."""
    http = http_client(link)
    client = AsyncAnthropic(
        api_key=link.key.reveal(),
        base_url=link.base_url,
        http_client=http,
        # Our retry is the one place that tries again.
        max_retries=0,
    )
    vendor = AnthropicModel(link.model, provider=AnthropicProvider(anthropic_client=client))
    takes_temperature = not vendor.profile.get("anthropic_disallows_sampling_settings", False)
    wire = Wire(
        vendor=vendor,
        http=http,
        sight=Sight(types=KNOWN_TYPES),
        settings=_settings,
        takes_temperature=takes_temperature,
        calls_need_tools=True,
    )
    return DirectModel(wire, link)


def _settings(_request: ModelRequest) -> AnthropicModelSettings:
    """Marks that ask to cache what the next request repeats: tools, instructions, conversation so far."""
    return AnthropicModelSettings(
        anthropic_cache_tool_definitions=True,
        anthropic_cache_instructions=True,
        anthropic_cache_messages=True,
    )
