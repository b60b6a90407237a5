"""Where a tool's own UI is framed: an address for one look, and a policy made of origins."""

import pytest

from sayso.core.tool_ui import UiOrigins
from sayso.server.tool_ui_frames import ToolUiFrames, frame_origin, policy

CONSOLE = "http://127.0.0.1:8765"


def test_an_address_is_good_for_one_look() -> None:
    frames = ToolUiFrames()
    path = frames.open(b"<p>", UiOrigins(), CONSOLE)
    token = path.removeprefix("/tool-ui/")
    framed = frames.take(token)
    assert framed is not None
    assert framed.page == b"<p>"
    assert frames.take(token) is None
    assert frames.take("none") is None


def test_only_so_many_wait_at_once() -> None:
    frames = ToolUiFrames()
    first, *_ = [frames.open(b"", UiOrigins(), CONSOLE) for _ in range(501)]
    assert frames.take(first.removeprefix("/tool-ui/")) is None


def directives(origins: UiOrigins) -> dict[str, str]:
    parts = policy(origins, CONSOLE).split("; ")
    return {name: rest for name, _, rest in (part.partition(" ") for part in parts)}


def test_a_page_that_names_nothing_reaches_nothing() -> None:
    found = directives(UiOrigins())
    assert found["default-src"] == found["connect-src"] == found["frame-src"] == "'none'"
    assert found["base-uri"] == found["form-action"] == "'none'"
    assert found["sandbox"] == "allow-scripts"
    assert found["frame-ancestors"] == CONSOLE
    assert "unsafe-eval" not in policy(UiOrigins(), CONSOLE)


def test_what_it_names_stands_where_it_belongs() -> None:
    found = directives(
        UiOrigins(
            connect=["https://api.test"], resource=["https://cdn.test"], frame=["https://f.test"]
        )
    )
    assert found["connect-src"] == "https://api.test"
    for name in ("script-src", "style-src", "img-src", "font-src", "media-src"):
        assert found[name].endswith(" https://cdn.test")
        assert "api.test" not in found[name]
    assert found["frame-src"] == "https://f.test"


@pytest.mark.parametrize(
    ("console", "named", "other"),
    [
        ("http://127.0.0.1:8765", None, "http://localhost:8765"),
        ("http://localhost:8765", None, "http://127.0.0.1:8765"),
        ("https://sayso.test", None, None),
        ("https://sayso.test", "https://ui.test/", "https://ui.test"),
        ("https://sayso.test", "https://sayso.test", None),
    ],
)
def test_it_is_never_the_origin_of_the_console(
    console: str, named: str | None, other: str | None
) -> None:
    assert frame_origin(console, named) == other
