"""Makes docs/images/views/ anew: every view of the console, at the desk, on a phone and at night.

Run it as `python -m scripts.views`, after `make web`. A folder of mock-ups may be named, whose PNGs
are put beside them.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from scripts import chromium

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images" / "views"
#: How a view is looked at: the end of its name, the window, the colours.
Look = tuple[str, tuple[int, int], Literal["light", "dark"]]
LOOKS: list[Look] = [
    ("", (1280, 800), "light"),
    ("-dark", (1280, 800), "dark"),
    ("-phone", (390, 844), "light"),
]
WIDE: list[Look] = [("-wide", (1600, 900), "light")]
#: A table as it was drawn; the demo has none.
TABLE = ("serve", "tests.browser.desk_agent:app")
#: Small enough for a repository, large enough to read.
QUALITY, LARGEST = 0.5, 800
TO_WEBP = """async ([source, quality, largest]) => {
  const image = await createImageBitmap(await (await fetch(source)).blob());
  const scale = Math.min(1, largest / image.width);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width * scale, image.height * scale];
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/webp", quality);
}"""


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        path = chromium.find()
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for mock in (one for name in sys.argv[1:] for one in sorted(Path(name).glob("*.png"))):
            keep(browser, f"mock-{mock.stem}", mock.read_bytes())
        with serving(("demo", "--no-open"), f"{data}/demo") as address:
            draw(browser, address, demo_views(browser, address), LOOKS)
            draw(browser, address, {"inbox": "/inbox"}, WIDE)
        with serving(TABLE, f"{data}/table") as address, client(address) as http:
            draw(browser, address, {"table": told(http, "exchanges", agent="openLCA agent")}, LOOKS)
        browser.close()
    return 0


@contextmanager
def serving(command: Sequence[str], data: str) -> Iterator[str]:
    """A server of its own, and its address."""
    args = [sys.executable, "-m", "sayso", *command, "--port", "0", "--data", data]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    server = subprocess.Popen(args, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert server.stdout is not None
        found = re.search(r"http://[^/\s]+", server.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        server.terminate()
        server.wait()


def client(address: str) -> httpx.Client:
    return httpx.Client(base_url=address, timeout=30)


def demo_views(browser: Browser, address: str) -> dict[str, str]:
    """Something of every kind has been said and decided; the path of each view."""
    page = browser.new_page()
    with client(address) as http:
        told(http, "check my orders")
        chat = told(http, "refund order 1002")
        for words, what in (("", "Approve"), ("refund order 1005", "Skip")):
            if words:
                told(http, words, chat)
            page.goto(address + chat)
            page.get_by_role("button", name=re.compile(f"^{what}:")).click()
            page.locator("[data-waits]").wait_for(state="detached")
        told(http, "refund order 1001", chat)
        told(http, "refund order 1001")
        told(http, "refund order 1006")
        form = told(http, "change my delivery")
        result = told(http, "write a summary")
        card = http.get("/api/interactions", params={"status": "pending", "order": "oldest"})
        first = card.json()["interactions"][0]["interaction_id"]
    page.close()
    return {
        "welcome": "/",
        "chat": chat,
        "form": form,
        "result": result,
        "inbox": "/inbox",
        "card": f"/i/{first}",
        "history": "/history",
        "preferences": "/preferences",
        "admin": "/admin",
    }


def draw(
    browser: Browser,
    address: str,
    views: dict[str, str],
    looks: Sequence[Look],
) -> None:
    for name, path in views.items():
        for look, (width, height), scheme in looks:
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            page.goto(address + path)
            at_rest(page)
            keep(browser, name + look, page.screenshot())
            page.close()


def told(http: httpx.Client, words: str, chat: str = "", agent: str = "") -> str:
    """Say this in a chat, a new one if none is named; its path."""
    if chat == "":
        body = {"agent": agent} if agent else {}
        chat = f"/chats/{http.post('/api/chats', json=body).json()['id']}"
    message = {"content": words, "client_message_id": words}
    http.post(f"/api{chat}/messages", json=message, headers={"Prefer": "wait=10"})
    return chat


def at_rest(page: Page) -> None:
    page.locator("main h2").first.wait_for()
    page.wait_for_timeout(1500)


def keep(browser: Browser, name: str, png: bytes) -> None:
    """Keep it as WebP, which Chromium writes."""
    page = browser.new_page()
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    url: str = page.evaluate(TO_WEBP, [source, QUALITY, LARGEST])
    (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(url.partition(",")[2]))
    page.close()


if __name__ == "__main__":
    sys.exit(main())
