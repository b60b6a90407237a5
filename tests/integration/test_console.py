"""The console's files: where each address leads, how long it is kept, and what the page may do."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest
from fastapi import FastAPI

from sayso.server import console
from tests.integration.test_bad_input import problem
from tests.integration.world import World, running


@pytest.fixture
async def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    (tmp_path / "static/assets").mkdir(parents=True)
    page = '<!doctype html><title>Sayso</title><script src="./assets/index-a1b2c3.js"></script>'
    (tmp_path / "static/index.html").write_text(page)
    (tmp_path / "static/manifest.json").write_text("{}")
    (tmp_path / "static/icon.svg").write_text("<svg/>")
    (tmp_path / "static/manifest.webmanifest").write_text("{}")
    (tmp_path / "static/assets/index-a1b2c3.js").write_text("export {}")
    (tmp_path / "static/elements").mkdir()
    (tmp_path / "static/elements/sayso.js").write_text("export {}")
    (tmp_path / "static/elements/form-a1b2c3.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "static/assets/link.js").symlink_to(tmp_path / "secret.txt")
    monkeypatch.setattr(console, "STATIC", tmp_path / "static")
    async with running() as world:
        yield world


@pytest.mark.parametrize(
    "path",
    ["/", "/chats/abc", "/chats/a/b", "/inbox", "/i/abc", "/history", "/admin", "/preferences"],
)
async def test_every_view_is_the_one_page(built: World, path: str):
    answer = await built.http.get(path)
    assert answer.status_code == 200
    assert answer.text.startswith("<!doctype html>")
    assert answer.headers["cache-control"] == "no-cache"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    # Frames are tools' own UIs, on the other name of this server, and nothing else.
    port = built.url.rpartition(":")[2]
    frames = f"frame-src http://localhost:{port}"
    assert frames in policy.split("; ")
    assert "http:" not in policy.replace(frames, "")


@pytest.mark.parametrize("under", ["", "/tools/sayso", "/bo%CC%88x"])
@pytest.mark.parametrize("path", ["/", "/inbox", "/chats/a", "/chats/a%2Fb", "/i/a/b"])
async def test_the_page_finds_its_files_from_every_address(built: World, under: str, path: str):
    """A proxy that takes the path away, or an application around it that names it: both times."""
    passed = FastAPI()
    passed.mount(unquote(under), built.app)
    transport = httpx.ASGITransport(passed)
    async with httpx.AsyncClient(transport=transport, base_url=built.url) as http:
        mounted = (await http.get(under + path)).text
    assert mounted == (await built.http.get(path)).text
    way = mounted.partition('src="')[2].partition('"')[0]
    address = httpx.URL(f"http://sayso.example{under}{path}").join(way)
    assert address.raw_path.decode() == f"{under}/assets/index-a1b2c3.js"


async def test_the_policy_names_only_the_host_of_the_page(built: World):
    host = built.url.removeprefix("http://")
    policy = (await built.http.get("/")).headers["content-security-policy"]
    assert f"connect-src 'self' ws://{host} wss://{host};" in policy


async def test_hashed_files_are_kept_for_a_year(built: World):
    answer = await built.http.get("/assets/index-a1b2c3.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith("text/javascript")
    icon = await built.http.get("/icon.svg")
    assert icon.headers["cache-control"] == "no-cache"


async def test_the_manifest_says_what_it_is(built: World):
    answer = await built.http.get("/manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    assert answer.headers["cache-control"] == "no-cache"
    assert "manifest-src 'self'" in (await built.http.get("/")).headers["content-security-policy"]


async def test_any_page_may_load_the_elements(built: World):
    entry = await built.http.get("/elements/sayso.js", headers={"Origin": "https://shop.example"})
    assert entry.headers["access-control-allow-origin"] == "*"
    assert entry.headers["cross-origin-resource-policy"] == "cross-origin"
    assert entry.headers["cache-control"] == "no-cache"
    part = await built.http.get("/elements/form-a1b2c3.js")
    assert part.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    "path",
    [
        "/elements/none.js",
        "/elements/..%2findex.html",
        "/assets/none.js",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/assets/link.js",
        "/assets/",
        # Under this address the page would stand without its policy, and could be framed.
        "/assets/..%2findex.html",
        "/manifest.json",
        "/..%2fsecret.txt",
        "/assets/a%00b",
    ],
)
async def test_nothing_outside_the_console_is_served(built: World, path: str):
    answer = await built.http.get(path)
    problem(answer, 404, "unknown_route")


async def test_a_person_who_mistypes_gets_the_page_and_a_program_the_problem(built: World):
    page = await built.http.get("/inbix", headers={"Accept": "text/html,*/*;q=0.8"})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    problem(await built.http.get("/inbix"), 404, "unknown_route")
    problem(await built.http.get("/api/x", headers={"Accept": "text/html"}), 404, "unknown_route")


async def test_a_console_that_was_not_built_says_how(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(console, "STATIC", tmp_path)
    async with running() as world:
        body = problem(await world.http.get("/chats/abc"), 503, "console_not_built")
        assert "make web" in body["fix"]
        assert (await world.http.get("/api/health")).status_code == 200
