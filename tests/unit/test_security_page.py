"""docs/security.md lists what the hostile page of the browser test tries."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_lists_what_is_tried() -> None:
    attempts = json.loads((ROOT / "tests/browser/tool_ui/attempts.json").read_text())
    page = (ROOT / "tests/browser/tool_ui/hostile.html").read_text()
    assert re.findall(r'attempt\("([^"]+)"', page) == attempts
    told = (ROOT / "docs/security.md").read_text()
    assert re.findall(r"^\| (.+) \| stopped \|$", told, re.MULTILINE) == attempts
