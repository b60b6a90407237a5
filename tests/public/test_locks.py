"""The lock files name packages by version and hash, and never where somebody took them from."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_python_requirements_are_pinned_by_hash_and_name_no_place() -> None:
    lines = (ROOT / "requirements/dev.txt").read_text().splitlines()
    pinned = [line for line in lines if re.match(r"[a-z]", line)]
    assert len(pinned) > 50
    assert all("==" in line and line.endswith("\\") for line in pinned)
    assert not [line for line in lines if "://" in line or "index" in line or "find-links" in line]


def test_npm_packages_are_pinned_by_hash_and_name_no_place() -> None:
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    foreign = {path: it for path, it in packages.items() if path.startswith("node_modules/")}
    taken = {path: it for path, it in foreign.items() if not it.get("link")}
    assert len(taken) > 50
    assert [path for path, it in taken.items() if "resolved" in it] == []
    # A package that travels inside another one's archive is covered by that one's hash.
    unchecked = [p for p, it in taken.items() if "integrity" not in it and not it.get("inBundle")]
    assert unchecked == []
