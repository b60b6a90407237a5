"""Prints the path of a Chromium for the browser tests, installing one first when there is none.

Debian's packages when we are root and apt is here, else the one that Playwright downloads. The
headless shell, where there is one, since it draws the same pages with two thirds of the work; and a
whole one, which has notices. SAYSO_CHROMIUM names one to use instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SHELL = "chromium-headless-shell"
WHOLE = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find() -> str | None:
    """The executable, if one is here already."""
    return os.environ.get("SAYSO_CHROMIUM") or shutil.which(SHELL) or find_whole()


def find_whole() -> str | None:
    """The executable of one that can do all that a browser with a screen can."""
    return next(filter(None, map(shutil.which, WHOLE)), None) or _playwrights_own()


def install() -> None:
    if _has_apt():
        _apt("update")
        _apt(
            "install",
            "--no-install-recommends",
            *([SHELL] if _apt_offers_shell() else []),
            WHOLE[0],
        )
    else:
        _run([sys.executable, "-m", "playwright", "install", "chromium"])


def _has_apt() -> bool:
    return os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _apt(verb: str, *options: str) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", verb, "-qq", *options], env=quiet)


def _apt_offers_shell() -> bool:
    known = subprocess.run(["apt-cache", "show", SHELL], capture_output=True, check=False)
    return known.returncode == 0


def _lacks_one() -> bool:
    """Whether a browser is here, and its sister could be installed beside it."""
    if "SAYSO_CHROMIUM" in os.environ or not _has_apt():
        return False
    return find_whole() is None or (shutil.which(SHELL) is None and _apt_offers_shell())


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def _run(command: list[str], env: dict[str, str] | None = None) -> None:
    # Standard output is for the path; a package manager's tale is told only if it ends badly.
    done = subprocess.run(
        command,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout)
        raise SystemExit(f"`{' '.join(command)}` ended with {done.returncode}")


def main() -> int:
    path = find()
    if path is None or _lacks_one():
        print("Not every Chromium is here: installing what lacks", file=sys.stderr)
        try:
            install()
        except SystemExit:
            if path is None:
                raise
        path = find()
    if path is None:
        print("No Chromium found; install one and set SAYSO_CHROMIUM to its path", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
