"""What the tokens of a message are to the values that are known: said again, or of their kind and
so perhaps in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from sayso.reading.meanings import likeness
from sayso.reading.normalize import plain
from sayso.reading.tokens import Token
from sayso.reading.word_forms import word_forms_of

Signs = NDArray[np.float32]

#: Said again, another's said again, a number where the known value has one, like the known value in
#: meaning, like another's.
KNOWN_SIGNS = 5
#: A number that is longer or shorter than that of the known value.
_OTHER_LENGTH = 0.5
_NUMBER = re.compile(r"\d+")


class KnownWords:
    """A message beside what is known. `in_words`: the fields whose values are words."""

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        vectors: NDArray[np.float32],
        known: Mapping[str, JsonValue],
        in_words: Iterable[str],
    ) -> None:
        said = {name: value for name, value in known.items() if isinstance(value, str)}
        self._count = len(tokens)
        self._again = {name: _places(plain(value), text) for name, value in said.items()}
        words = {name: said[name] for name in in_words if name in said}
        self._like = {
            name: likeness(vectors, word_forms_of(value).vectors) for name, value in words.items()
        }
        self._numbers = {
            name: _numbers_beside(value, text, tokens) for name, value in words.items()
        }

    def places(self) -> Iterable[tuple[int, int]]:
        """Yield where a known value is said again."""
        return (place for places in self._again.values() for place in places)

    def signs(self, name: str, touched: Callable[[int, int], tuple[int, int]]) -> Signs:
        """Return what each token is to the known value of a field, and to those of the others."""
        signs = np.zeros((self._count, KNOWN_SIGNS), np.float32)
        for other, places in self._again.items():
            for start, end in places:
                first, last = touched(start, end)
                signs[first : last + 1, 0 if other == name else 1] = 1
        if name in self._like:
            signs[:, 2], signs[:, 3] = self._numbers[name], self._like[name]
        for other, like in self._like.items():
            if other != name:
                np.maximum(signs[:, 4], like, out=signs[:, 4])
        return signs


def _places(words: str, text: str) -> list[tuple[int, int]]:
    small = text.lower()
    if not words or words not in small or len(small) != len(text):
        return []
    return [match.span() for match in re.finditer(re.escape(words), small)]


def _numbers_beside(value: str, text: str, tokens: Sequence[Token]) -> list[float]:
    """Return for each token whether it is a number as the value has one, but not the same."""
    own = _NUMBER.findall(value)
    lengths = {len(one) for one in own}
    found = []
    for start, end in tokens:
        word = text[start:end]
        is_other = bool(own) and word.isdigit() and word not in own
        found.append((1.0 if len(word) in lengths else _OTHER_LENGTH) if is_other else 0.0)
    return found
