"""What an agent says that asks for nothing of a form, put before sentences that open a chat: it
changes nothing of what they state."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

from sayso.reading.inputs import words_before
from sayso.reading.word_forms import Word
from training.examples import Example

_FILE = Path(__file__).with_name("agent_words.txt")
_SHARE = 0.4


def after_small_talk(example: Example, chance: random.Random) -> Example:
    """Return the example, or one in which an agent has spoken just before."""
    inputs, said = example.inputs, example.said
    is_opening = not (said.leave or inputs.asked or inputs.before)
    if not is_opening or example.reading.pending is not None or chance.random() > _SHARE:
        return example
    before = chance.choice(_small_talk()[said.language])
    return replace(example, inputs=replace(inputs, before=before))


@cache
def _small_talk() -> dict[str, list[tuple[Word, ...]]]:
    found: dict[str, list[tuple[Word, ...]]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        language, _, text = line.partition("|")
        found.setdefault(language.strip(), []).append(words_before(text.strip()))
    return found
