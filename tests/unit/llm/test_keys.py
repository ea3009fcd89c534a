"""Keys and addresses: where they come from, what is wrong with them, and that no key is ever shown."""

from pathlib import Path

import pytest

from postroom.errors import ConfigFault
from postroom.llm.keys import Key, ProviderSettings, find_base_url, find_key, key_files, keys_at_hand
from postroom.llm.vendors import ANTHROPIC, GOOGLE, OPENAI, VENDORS, Vendor

NOTHING = ProviderSettings()
SECRET = "sk-0123456789"


def key_of(vendor: Vendor, settings: ProviderSettings = NOTHING, /, **env: str) -> str:
    return find_key(vendor, "m", settings, env, vendor.home).reveal()


def kept(folder: Path, content: str | bytes = SECRET + "\n") -> str:
    """A key file with this content."""
    file = folder / "key"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(file)


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)
def test_the_key_comes_from_the_variable_of_the_vendor(vendor: Vendor) -> None:
    assert key_of(vendor, **{vendor.key_names[0]: f" {SECRET}\n"}) == SECRET


def test_google_has_two_names_for_its_variable() -> None:
    assert key_of(GOOGLE, GEMINI_API_KEY=SECRET) == SECRET
    assert key_of(GOOGLE, GEMINI_API_KEY="old", GOOGLE_API_KEY=SECRET) == SECRET


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)
def test_the_key_may_stand_in_a_file_that_a_variable_names(vendor: Vendor, tmp_path: Path) -> None:
    assert key_of(vendor, **{f"{vendor.key_names[0]}_FILE": kept(tmp_path)}) == SECRET


def test_the_file_of_the_settings_comes_before_the_environment(tmp_path: Path) -> None:
    settings = ProviderSettings(api_key_file=kept(tmp_path))

    assert key_of(OPENAI, settings, OPENAI_API_KEY="sk-of-the-environment") == SECRET


def test_the_variable_comes_before_the_file_that_its_neighbour_names(tmp_path: Path) -> None:
    assert key_of(OPENAI, OPENAI_API_KEY="sk-plain", OPENAI_API_KEY_FILE=kept(tmp_path)) == "sk-plain"


@pytest.mark.parametrize(
    "content", ["", "\n", f"{SECRET}\n{SECRET}", f"{SECRET} {SECRET}", b"sk-\xff\xfe", "sk-é", "k" * 20_000]
)
def test_a_file_that_holds_no_key_is_named_and_not_shown(tmp_path: Path, content: str | bytes) -> None:
    file = kept(tmp_path, content)

    with pytest.raises(ConfigFault) as caught:
        key_of(OPENAI, ProviderSettings(api_key_file=file))

    assert file in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "kkkk" not in str(caught.value)


@pytest.mark.parametrize("path", ["no-such-file", ".", "nul\0byte"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigFault, match=r"key file .*OPENAI_API_KEY_FILE.* cannot be read"):
        key_of(OPENAI, OPENAI_API_KEY_FILE=str(tmp_path / path))


def test_a_variable_that_holds_no_key_is_named_and_not_shown() -> None:
    with pytest.raises(ConfigFault, match="OPENAI_API_KEY holds no key") as caught:
        key_of(OPENAI, OPENAI_API_KEY="sk-secret and more")

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("host", ["localhost:11434", "127.0.0.1:8000", "[::1]:80"])
def test_a_server_on_this_machine_needs_no_key(host: str) -> None:
    assert find_key(OPENAI, "m", NOTHING, {}, f"http://{host}/v1").reveal()


@pytest.mark.parametrize(("vendor", "host"), [(OPENAI, "127.example.org"), (ANTHROPIC, "127.0.0.1")])
def test_every_other_server_does(vendor: Vendor, host: str) -> None:
    with pytest.raises(ConfigFault, match="missing_key"):
        find_key(vendor, "m", NOTHING, {}, f"http://{host}/v1")


def test_a_key_does_not_print() -> None:
    assert SECRET not in f"{Key(SECRET)!r} {Key(SECRET)}"


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)
def test_the_address_comes_from_settings_then_our_variable_then_the_vendors(vendor: Vendor) -> None:
    ours, theirs = vendor.url_names
    env: dict[str, str] = {}

    assert find_base_url(vendor, NOTHING, env) == vendor.home
    env[theirs] = "http://theirs.example"
    assert find_base_url(vendor, NOTHING, env) == "http://theirs.example"
    env[ours] = "http://ours.example"
    assert find_base_url(vendor, NOTHING, env) == "http://ours.example"
    assert find_base_url(vendor, ProviderSettings(base_url="http://set.example"), env) == "http://set.example"


@pytest.mark.parametrize(
    "url", ["localhost:8080", "ftp://h.example", "http://", "http://h.example:port", "//h.example/v1"]
)
def test_an_address_that_is_none_is_a_config_fault(url: str) -> None:
    with pytest.raises(ConfigFault, match="begins with http"):
        find_base_url(OPENAI, ProviderSettings(base_url=url), {})
    with pytest.raises(ConfigFault, match=r"\(OPENAI_BASE_URL\) is no address"):
        find_base_url(OPENAI, ProviderSettings(), {"OPENAI_BASE_URL": url})


def test_every_file_that_is_named_for_a_key_is_known_and_every_key_that_can_be_read(tmp_path: Path) -> None:
    providers = {"openai": ProviderSettings(api_key_file=kept(tmp_path)), "google": NOTHING}
    env = {"ANTHROPIC_API_KEY_FILE": str(tmp_path / "not there"), "GEMINI_API_KEY": f"{SECRET}-longer"}

    assert key_files(providers, env) == (tmp_path / "key", tmp_path / "not there")
    assert [key.reveal() for key in keys_at_hand(providers, env)] == [f"{SECRET}-longer", SECRET]
