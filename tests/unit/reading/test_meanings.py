"""What words mean, in nine languages: those that people use most are known, and near to what they
are in another."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.reading.meanings import rows_of, unit_vectors, words
from sayso.reading.tokens import tokens_in

#: Of each, a word, the same in English, and a word that is something else.
_PAIRS = (
    ("de", "krallen", "claws", "cellar"),
    ("de", "bürsten", "brushes", "tuition"),
    ("fr", "illimité", "unlimited", "economy"),
    ("fr", "gâteau", "cake", "invoice"),
    ("es", "uñas", "nails", "savings"),
    ("es", "ahorro", "savings", "nails"),
    ("it", "affitto", "rent", "sender"),
    ("it", "mittente", "sender", "rent"),
    ("nl", "kelder", "cellar", "recipient"),
    ("nl", "afzender", "sender", "classroom"),
    ("pt", "poupança", "savings", "theatre"),
    ("pt", "ilimitado", "unlimited", "sender"),
    ("ja", "送信者", "sender", "cellar"),
    ("zh", "学费", "tuition", "recipient"),
)


@pytest.mark.parametrize(("code", "word", "same", "other"), _PAIRS)
def test_a_word_lies_nearer_to_what_it_is_in_english(
    code: str, word: str, same: str, other: str
) -> None:
    assert _likeness(word, same) > _likeness(word, other) + 0.1


def test_each_word_has_one_row() -> None:
    keys = words().keys
    assert (np.diff(keys.astype(np.int64)) > 0).all()
    assert len(words().rows) == len(keys) + 1  # and an empty one


def _likeness(one: str, other: str) -> float:
    return float(_vector(one) @ _vector(other))


def _vector(word: str) -> np.ndarray:
    tokens = tokens_in(word)
    mean = unit_vectors([one for one in rows_of(word, tokens) if one]).mean(0)
    return np.asarray(mean / np.linalg.norm(mean))
