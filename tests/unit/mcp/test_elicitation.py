"""What a form of a server may ask for, and which address is one."""

import pytest

from sayso.core.digest import JsonObject
from sayso.mcp.elicitation import asks_for_secrets, host_of


def form(name: str, **field: str) -> JsonObject:
    return {"type": "object", "properties": {name: {"type": "string", **field}}}


@pytest.mark.parametrize(
    "schema",
    [
        form("password"),
        form("x", title="Your passphrase"),
        form("x", description="The API key of your account"),
        form("access_token"),
        form("client_secret"),
        form("x", format="password"),
        form("PIN"),
    ],
)
def test_a_field_for_a_secret_is_seen(schema: JsonObject) -> None:
    assert asks_for_secrets(schema)


@pytest.mark.parametrize("schema", [form("cores"), form("shipping", title="Ship to"), {}])
def test_other_fields_are_not(schema: JsonObject) -> None:
    assert not asks_for_secrets(schema)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://pay.test/x?y", "pay.test"),
        ("https://bücher.test/", "xn--bcher-kva.test"),
        ("http://127.0.0.1:9/", "127.0.0.1"),
        ("https://bank.test@evil.test/", None),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("data:text/html,x", None),
        ("https://", None),
        ("https://[x/", None),
    ],
)
def test_only_a_page_of_the_web_is_an_address(url: str, host: str | None) -> None:
    assert host_of(url) == host
