"""The Gemini wire. Importing this file loads the vendor's SDK. Gemini caches by itself and takes no marks."""

from typing import Final

from pydantic_ai.models.google import GoogleModel, GoogleModelSettings
from pydantic_ai.providers.google import GoogleProvider

from postroom.llm.direct import DirectModel, Wire, http_client
from postroom.llm.pictures import KNOWN_TYPES, Sight
from postroom.llm.port import ModelRequest
from postroom.llm.remote import Link

_SIGHT: Final = Sight(types=KNOWN_TYPES - {"image/gif"})


def connect(link: Link) -> DirectModel:
    """A model behind this wire; no connection is made yet."""
    http = http_client(link)
    # This SDK tries nothing again unless it is told to.
    provider = GoogleProvider(api_key=link.key.reveal(), base_url=link.base_url, http_client=http)
    vendor = GoogleModel(link.model, provider=provider)
    return DirectModel(Wire(vendor=vendor, http=http, sight=_SIGHT, settings=_settings), link)


def _settings(_request: ModelRequest) -> GoogleModelSettings:
    return GoogleModelSettings()
