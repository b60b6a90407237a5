"""What a tool's own UI may reach: origins and permissions, and nothing that hides in them."""

from typing import Any

import pytest

from sayso.core.digest import JsonObject
from sayso.core.tool_ui import origins_in, permissions_in


def connect(*domains: object) -> list[str]:
    meta: Any = {"csp": {"connectDomains": list(domains)}}
    return origins_in(meta).connect


@pytest.mark.parametrize(
    "origin",
    [
        "https://cesium.com",
        "https://*.openstreetmap.org",
        "wss://live.example.com:8443",
        "http://127.0.0.1:8080",
        "http://localhost:3000",
    ],
)
def test_an_origin_is_taken(origin: str) -> None:
    assert connect(origin, f"{origin}/", origin.upper()) == [origin]


@pytest.mark.parametrize(
    "given",
    [
        "*",
        "https:",
        "https://*",
        "https://*.",
        "'unsafe-eval'",
        "data:",
        "https://a.test; script-src *",
        "https://a.test, https://b.test",
        "https://a.test\r\nX-Evil: 1",
        "https://a.test\n",
        "https://user:word@a.test",
        "https://a.test/path",
        "https://a.test?x",
        "https://a..test",
        "https://-a.test",
        "javascript://a.test",
        "//a.test",
        "cdn.a.test",
        "https://a.test:99999999",
        "https://à.test",
        "",
        7,
        None,
        ["https://a.test"],
    ],
)
def test_what_is_no_origin_is_left_out(given: object) -> None:
    assert connect(given, "https://good.test") == ["https://good.test"]


@pytest.mark.parametrize(
    "meta", [{}, {"csp": None}, {"csp": "x"}, {"csp": {"connectDomains": "*"}}]
)
def test_metadata_of_another_form_names_nothing(meta: JsonObject) -> None:
    found = origins_in(meta)
    assert (found.connect, found.resource, found.frame, found.base_uri) == ([], [], [], [])


def test_permissions_are_those_that_are_known() -> None:
    asked: JsonObject = {"clipboardWrite": {}, "camera": {}, "usb": {}, "microphone": None}
    assert permissions_in({"permissions": asked}) == ["camera", "clipboard-write"]
    assert permissions_in({"permissions": "camera"}) == []
