"""What people read keeps to docs/reference/words.md: one word for one thing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: What the style sheet has another word for, in a sentence of any length.
OTHER_WORDS = {
    "skip": r"\bdismiss(ed|es)?\b|\bset aside\b",
    "replace": r"\bsupersed\w+",
    "continue": r"\bgo(es)? on\b",
    "fix": r"\bmend(ed|s)?\b|\bput right\b|\banew\b",
    "approve": r"\bgive leave\b|\bthe leave\b|\bneeds your word\b",
    "expire": r"\bthe time was over\b|\bcounts as not\b|\blapse",
    "request": r"\bticket\b|\bpending ui tool",
    "stop": r"\b(run|work|runs or waits)\b.{0,25}\bcancelled\b",
    "plainly": r"\bcould not be taken\b|\bcannot be had\b|\bis told (titles|no more)\b"
    r"|\bnobody (has )?said\b|\bmeets this\b|\btyping error\b|\bas it stands here\b",
    "no noise": r"!|\bplease\b|\bsorry\b|\boops\b",
    "is": r"\b(lies|lie) (beside|in|at|on)\b|\bfor good\b|\bif not said\b",
}
#: Sentences that have the word and mean something else, each with why.
MEANT = {
    # The states of the wire, as they are stored (docs/reference/contracts.md).
    "settled.dismissed",
    "settled.superseded",
    "state.dismissed",
    "state.superseded",
}


def catalogs() -> list[tuple[str, str]]:
    """Every English sentence, under its place: those of the server, and those of the page."""
    said = json.loads((ROOT / "src/sayso/locales/en.json").read_text(encoding="utf-8"))
    page = (ROOT / "web/locales/en.po").read_text(encoding="utf-8")
    found = re.findall(r'^msgid "(.+)"$', page, re.MULTILINE)
    return [*said.items(), *(("page", sentence) for sentence in found)]


@pytest.mark.parametrize("word", OTHER_WORDS)
def test_one_word_stands_for_one_thing(word: str) -> None:
    other = re.compile(OTHER_WORDS[word], re.IGNORECASE)
    found = [
        (place, said) for place, said in catalogs() if place not in MEANT and other.search(said)
    ]
    assert found == []


def test_the_style_sheet_names_the_words() -> None:
    sheet = (ROOT / "docs/reference/words.md").read_text(encoding="utf-8")
    for verb in ("approve", "reject", "skip", "expire", "request", "decision", "outcome"):
        assert re.search(rf"\| .*\b{verb}\b", sheet), verb
