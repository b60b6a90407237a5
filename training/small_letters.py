"""A part of the sentences without their capitals, as many people type: a word is known by its small
letters anyway, so only what the network is told of capitals changes."""

from __future__ import annotations

import random
from dataclasses import replace

from training.examples import Example

_SHARE = 0.12
#: Of the signs of a token (`sayso.reading.inputs`): all capitals, a capital first, small letters.
_SHOUTED, _CAPITAL, _SMALL = 2, 3, 15


def in_small_letters(example: Example, chance: random.Random) -> Example:
    """Return the example, or the same in small letters."""
    if chance.random() > _SHARE:
        return example
    inputs = example.inputs
    signs = inputs.signs.copy()
    signs[:, [_SHOUTED, _CAPITAL]] = 0
    signs[:, _SMALL] = [inputs.text[a:b].lower().islower() for a, b in inputs.tokens]
    return replace(example, inputs=replace(inputs, signs=signs))
