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
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from scripts import chromium

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images" / "views"
DESK, WIDE, PHONE = (1280, 800), (1600, 900), (390, 844)
STORIES = ("refund order 1002", "refund order 1001", "refund order 1001", "change my delivery")
#: Small enough for a repository, large enough to read.
QUALITY, LARGEST = 0.6, 1000
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
        command = [sys.executable, "-m", "sayso", "demo", "--port", "0", "--no-open"]
        env = {**os.environ, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(
            [*command, "--data", data], stdout=subprocess.PIPE, text=True, env=env
        )
        try:
            assert server.stdout is not None
            found = re.search(r"http://[^/\s]+", server.stdout.readline())
            assert found is not None
            draw(browser, found[0])
        finally:
            server.terminate()
            server.wait()
        browser.close()
    return 0


def draw(browser: Browser, address: str) -> None:
    with httpx.Client(base_url=address, timeout=30) as http:
        chats = [told(http, words) for words in STORIES]
        told(http, "check my orders")
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}/chats/{chats[0]}")
        page.get_by_role("button", name=re.compile("^Approve")).click()
        page.get_by_text("approved by you").first.wait_for()
        card = http.get("/api/interactions", params={"status": "pending", "order": "oldest"})
        first = card.json()["interactions"][0]["interaction_id"]
        page.close()
    views = {
        "chat": (f"/chats/{chats[3]}", DESK, "light"),
        "chat-dark": (f"/chats/{chats[3]}", DESK, "dark"),
        "chat-phone": (f"/chats/{chats[1]}", PHONE, "light"),
        "inbox": ("/inbox", DESK, "light"),
        "inbox-wide": ("/inbox", WIDE, "light"),
        "inbox-phone": ("/inbox", PHONE, "light"),
        "inbox-phone-dark": ("/inbox", PHONE, "dark"),
        "card-phone": (f"/i/{first}", PHONE, "light"),
        "history": ("/history", DESK, "light"),
        "preferences": ("/preferences", DESK, "light"),
        "admin": ("/admin", DESK, "light"),
    }
    for name, (path, (width, height), scheme) in views.items():
        page = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        page.goto(address + path)
        at_rest(page)
        keep(browser, name, page.screenshot())
        page.close()


def told(http: httpx.Client, words: str) -> str:
    """Say this in a new chat."""
    chat: str = http.post("/api/chats", json={}).json()["id"]
    body = {"content": words, "client_message_id": "1"}
    http.post(f"/api/chats/{chat}/messages", json=body, headers={"Prefer": "wait=10"})
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
