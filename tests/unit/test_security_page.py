"""docs/security.md lists what the hostile page of the browser test tries."""

import json
import re
from pathlib import Path

from scripts import hostile_table

ROOT = Path(__file__).parents[2]


def test_the_table_lists_what_is_tried() -> None:
    listed = [one["attempt"] for one in json.loads(hostile_table.ATTEMPTS.read_text())]
    page = (ROOT / "tests/browser/tool_ui/hostile.html").read_text()
    tried = re.findall(r'(?:attempt|act)\("([^"]+)"', page)
    assert listed[: len(tried)] == tried


def test_the_page_has_the_table() -> None:
    assert hostile_table.written() == hostile_table.PAGE.read_text()
