"""Write the table of docs/security.md: what the hostile page tries, and what comes of it.

python scripts/hostile_table.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ATTEMPTS = ROOT / "tests/browser/tool_ui/attempts.json"
PAGE = ROOT / "docs/security.md"
BEGIN, END = "<!-- hostile: begin -->", "<!-- hostile: end -->"


def written() -> str:
    """Return the page with the table as it should be."""
    rows = [f"| {one['attempt']} | {one['outcome']} |" for one in json.loads(ATTEMPTS.read_text())]
    table = "\n".join(["| attempt | outcome |", "| --- | --- |", *rows])
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.partition(END)[2]}"


def main() -> None:
    page = written()
    if "--check" in sys.argv:
        sys.exit(page != PAGE.read_text() and f"{PAGE.name} is old: python {sys.argv[0]}")
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
