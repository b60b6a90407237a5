"""Draws the console's PNG icons from its SVG, in Chromium: `python -m scripts.icons`, when the mark
changes."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from scripts import chromium

PUBLIC = Path(__file__).parents[1] / "web/apps/console/public"
SIZES = (192, 512)
#: A maskable icon is cut to any shape, so the mark stands in the safe middle of a full square.
MARK = "#0b6e63"
_SAFE = 0.72


def draw() -> None:
    svg = (PUBLIC / "icon.svg").read_text()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        for size in SIZES:
            page = browser.new_page(viewport={"width": size, "height": size})
            for name, share, paper in (
                ("icon", 1.0, "transparent"),
                ("icon-maskable", _SAFE, MARK),
            ):
                page.set_content(
                    f"<style>*{{margin:0}} body{{width:{size}px;height:{size}px;display:grid;"
                    f"place-items:center;background:{paper}}}"
                    f"svg{{width:{size * share}px;height:{size * share}px}}</style>{svg}"
                )
                page.screenshot(path=PUBLIC / f"{name}-{size}.png", omit_background=True)
        browser.close()


if __name__ == "__main__":
    draw()
