"""What the settings of a server mean on a machine: variables filled in, and never shown."""

import pytest

from postroom.errors import ConfigFault
from postroom.profiles.tool_settings import McpServer
from postroom.tools.servers.target import targets

ENV = {
    "PATH": "/bin",
    "HOME": "/folder/of/mine",
    "LANG": "C",
    "TOKEN": "sesame-open",
    "HOST": "example.org",
    "SHORT": "1",
}


def test_variables_are_filled_in_wherever_a_setting_may_name_them() -> None:
    program = McpServer(
        name="a", command=("run", "--token=${TOKEN}"), env={"KEY": "x${TOKEN}y", "N": "${SHORT}"}
    )
    site = McpServer(name="b", url="https://${HOST}/mcp", headers={"Authorization": "Bearer ${TOKEN}"})

    first, second = targets([program, site], ENV)

    assert first.command == ("run", "--token=sesame-open")
    assert first.env == {
        "PATH": "/bin", "HOME": "/folder/of/mine", "LANG": "C", "KEY": "xsesame-openy", "N": "1",
    }  # fmt: skip
    assert second.url == "https://example.org/mcp"
    assert second.headers == {"Authorization": "Bearer sesame-open"}


def test_what_is_no_reference_stays_as_it_is() -> None:
    command = ("sh", "-c", "echo $HOME ${HOME:-x} ${} $$")

    [target] = targets([McpServer(name="a", command=command)], ENV)

    assert target.command == command


def test_a_missing_variable_is_named_with_its_server_and_key() -> None:
    server = McpServer(name="a", command=("run",), env={"KEY": "${TOKEN} ${NOT_SET}", "OTHER": "${NOR_THIS}"})

    with pytest.raises(ConfigFault) as fault:
        targets([server], ENV)

    said = str(fault.value)
    assert "MCP server `a`: `env.KEY` names NOT_SET, which is not set" in said
    assert "; `env.OTHER` names NOR_THIS, which is not set" in said
    assert "set NOR_THIS, NOT_SET and start again" in said
    assert "sesame" not in said


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (McpServer(name="a__b", command=("x",)), "is no name of an MCP server"),
        (McpServer(name="a_", command=("x",)), "is no name of an MCP server"),
        (McpServer(name="", command=("x",)), "is no name of an MCP server"),
        (McpServer(name="x" * 33, command=("x",)), "is no name of an MCP server"),
        (McpServer(name="a"), "either a `command` or a `url`"),
        (McpServer(name="a", command=("x",), url="http://localhost"), "either a `command` or a `url`"),
        (McpServer(name="a", url="ftp://localhost"), "is no web address"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_a_fault(server: McpServer, message: str) -> None:
    with pytest.raises(ConfigFault, match=message):
        targets([server], ENV)


def test_a_name_given_twice_is_a_fault() -> None:
    with pytest.raises(ConfigFault, match="configured twice"):
        targets([McpServer(name="a", command=("x",)), McpServer(name="a", command=("y",))], ENV)


def test_values_are_masked_by_their_names_and_short_ones_left() -> None:
    env = ENV | {"LONGER": "sesame-open-wide"}
    server = McpServer(name="a", command=("x", "${TOKEN}", "${LONGER}", "${SHORT}", "${HOME}"))

    [target] = targets([server], env)

    assert (
        target.mask("sesame-open, sesame-open-wide, 1, /folder/of/mine")
        == "${TOKEN}, ${LONGER}, 1, /folder/of/mine"
    )
    assert "wide" not in repr(
        targets([McpServer(name="b", url="http://localhost", headers={"K": "${LONGER}"})], env)
    )


def test_values_are_masked_in_every_shape_in_which_they_may_come_back() -> None:
    pem = "-----BEGIN KEY-----\nMIIBVgIBADANBgkqhkiG9w0\nshort\n-----END KEY-----\n"
    env = ENV | {"QUOTED": 'pass"word/ü', "PEM": pem}
    [target] = targets([McpServer(name="a", command=("x", "${QUOTED}", "${PEM}"))], env)

    for said in ('pass"word/ü', 'pass\\"word/\\u00fc', 'pass\\"word/ü', "pass%22word%2F%C3%BC"):
        assert target.mask(f"<{said}>") == "<${QUOTED}>"
    assert target.mask(pem) == "${PEM}"
    assert target.mask("a line: MIIBVgIBADANBgkqhkiG9w0, short") == "a line: ${PEM}, short"
