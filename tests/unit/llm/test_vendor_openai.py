"""What the OpenAI wire needs told by the name and address of a model."""

import pytest

from postroom.llm.direct import provider_of
from postroom.llm.keys import Key
from postroom.llm.remote import Link
from postroom.llm.vendor_openai import sees
from postroom.llm.vendors import OPENAI

PERSON = "person:secret"


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4.1-mini", "gpt-5", "gpt-6-sol", "o3", "o4-mini", "o1"])
def test_the_vendors_models_see(model: str) -> None:
    assert sees(model, at_home=True)


@pytest.mark.parametrize("model", ["gpt-3.5-turbo", "gpt-4", "gpt-4-0613", "o1-mini", "o3-mini"])
def test_but_for_its_old_and_small_ones(model: str) -> None:
    assert not sees(model, at_home=True)


@pytest.mark.parametrize(
    "model",
    ["llava:13b", "qwen2.5-vl:7b", "Qwen/Qwen3-VL-8B", "gemma3:4b", "llama3.2-vision"],
)
def test_elsewhere_the_name_says_that_a_model_sees(model: str) -> None:
    assert sees(model, at_home=False)


@pytest.mark.parametrize("model", ["llama3.2", "qwen3:8b", "gpt-oss:20b", "any", "evlm"])
def test_elsewhere_a_model_that_does_not_say_so_is_blind(model: str) -> None:
    assert not sees(model, at_home=False)


@pytest.mark.parametrize(
    ("url", "provider"),
    [
        (OPENAI.home, "openai"),
        ("https://api.openai.com/v1/", "openai"),
        ("http://127.0.0.1:8080/v1", "openai@127.0.0.1:8080"),
        (f"https://{PERSON}@host.example/v1", "openai@host.example"),
    ],
)
def test_the_provider_is_named_with_its_host_and_never_with_a_password(url: str, provider: str) -> None:
    link = Link(vendor=OPENAI, model="m", base_url=url, idle_s=1.0, key=Key("k"))

    assert provider_of(link) == provider
