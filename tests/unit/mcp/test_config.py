"""The file of MCP servers: the form of other hosts, variables, and what does not fit."""

import json
from pathlib import Path

import pytest

from sayso.core.errors import InvalidInput
from sayso.mcp.config import Trust, as_entries, read_servers


def written(path: Path, servers: object) -> Path:
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


def test_it_reads_the_usual_form_and_what_is_our_own(tmp_path: Path) -> None:
    file = written(
        tmp_path / "mcp.json",
        {
            "pods": {"command": "npx", "args": ["-y", "pods"], "env": {"KEY": "${KEY}"}},
            "crm": {
                "type": "http",
                "url": "https://crm.test/${TENANT:-main}",
                "headers": {"Authorization": "Bearer ${TOKEN}"},
                "alwaysAllow": ["a key of another host"],
                "sayso": {"trust": "ask", "prefix": "crm_", "perPerson": True, "callSeconds": 5},
            },
        },
    )
    found = read_servers(file, {"KEY": "k-1", "TOKEN": "t-1"})
    assert found["pods"].env == {"KEY": "k-1"}
    crm = found["crm"]
    assert (crm.url, crm.headers) == ("https://crm.test/main", {"Authorization": "Bearer t-1"})
    assert crm.sayso.trust is Trust.ASK
    assert (crm.sayso.prefix, crm.sayso.per_person, crm.sayso.call_seconds) == ("crm_", True, 5)


def test_what_is_secret_is_in_no_repr(tmp_path: Path) -> None:
    env = {"TOKEN": "s3cret-token"}
    file = written(
        tmp_path / "mcp.json",
        {
            "a": {"url": "http://x.test", "headers": {"X": "${TOKEN}"}},
            "b": {"command": "b", "env": {"X": "${TOKEN}"}},
        },
    )
    assert "s3cret" not in repr(read_servers(file, env))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "give either `command` or `url`"),
        ({"command": "x", "url": "http://x.test"}, "give either `command` or `url`"),
        ({"url": "file:///etc/passwd"}, "needs to be an http or https address"),
        ({"url": "http://x.test/sse", "type": "sse"}, "no longer part of MCP"),
        ({"command": "x", "sayso": {"trsut": "all"}}, "server x/sayso/trsut"),
        ({"command": "${NOT_SET}"}, "needs NOT_SET, which is not set"),
    ],
)
def test_an_entry_that_does_not_fit_is_named(tmp_path: Path, entry: object, said: str) -> None:
    with pytest.raises(InvalidInput, match=said.replace("`", ".")):
        read_servers(written(tmp_path / "mcp.json", {"x": entry}), {})


@pytest.mark.parametrize("body", ["not json", "[]", '{"servers": {}}'])
def test_a_file_without_servers_says_so(tmp_path: Path, body: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(body)
    with pytest.raises(InvalidInput, match=r"mcp\.json"):
        read_servers(file, {})


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be opened"):
        read_servers(tmp_path / "none.json")


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no name for an MCP server"):
        as_entries({"../x": {"command": "x"}})
