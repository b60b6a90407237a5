"""Makes docs/images/console.png anew: the real console, with a refund that waits for a decision.

Run it as `python -m scripts.screenshot`, after `make web`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from scripts import chromium

IMAGE = Path(__file__).resolve().parent.parent / "docs" / "images" / "console.png"
WORDS = "refund order 1001"


def main() -> int:
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "sayso", "demo", "--port", "0", "--no-open"]
        env = {**os.environ, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(
            [*command, "--data", data], stdout=subprocess.PIPE, text=True, env=env
        )
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None
            picture(found[0])
        finally:
            server.terminate()
            server.wait()
    return 0


def picture(address: str) -> None:
    with sync_playwright() as playwright:
        path = chromium.find()
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1240, "height": 1060})
        page.goto(address)
        box = page.get_by_role("textbox").first
        box.fill(WORDS)
        box.press("Enter")
        page.get_by_role("button", name=re.compile("approve", re.IGNORECASE)).first.wait_for()
        IMAGE.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=IMAGE)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
