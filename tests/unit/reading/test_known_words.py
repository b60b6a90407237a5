"""What each token of a message is to the values that are known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from pydantic import JsonValue

from sayso.reading.known_words import KNOWN_SIGNS, KnownWords, Signs
from sayso.reading.meanings import unit_vectors
from sayso.reading.tokens import Token, tokens_in
from sayso.reading.word_forms import words_of

AGAIN, ANOTHERS, NUMBER, LIKE, LIKE_ANOTHERS = range(KNOWN_SIGNS)


def _signs(said: str, known: Mapping[str, JsonValue], name: str) -> dict[str, Signs]:
    """Return the signs of each token, by the token."""
    tokens = tokens_in(said)
    vectors = unit_vectors([word.rows for word in words_of(said, tokens)])
    beside = KnownWords(said, tokens, vectors, known, known)
    rows = beside.signs(name, lambda start, end: _touched(tokens, start, end))
    return {said[start:end]: row for (start, end), row in zip(tokens, rows, strict=True)}


def _touched(tokens: list[Token], start: int, end: int) -> tuple[int, int]:
    inside = [at for at, one in enumerate(tokens) if one.start < end and start < one.end]
    return inside[0], inside[-1]


@pytest.mark.parametrize(
    ("known", "said", "share"),
    [("143", "146", 1), ("22", "280", 0.5), ("AB-143", "146", 1), ("143", "143", 0), ("x", "9", 0)],
)
def test_another_number_may_stand_for_the_known_one(known: str, said: str, share: float) -> None:
    signs = _signs(f"it was actually {said}", {"flight": known}, "flight")
    assert {word: row[NUMBER] for word, row in signs.items()} == {
        **dict.fromkeys(["it", "was", "actually"], 0),
        said: share,
    }


def test_a_number_beside_the_number_of_another_field_is_nothing_to_this_one() -> None:
    signs = _signs("it was 146", {"flight": "143", "city": "Rome"}, "city")
    assert not any(row[NUMBER] for row in signs.values())


def test_what_is_said_again_is_told_from_what_is_said_again_of_another() -> None:
    known = {"start": "Oslo", "goal": "Rome"}
    signs = _signs("from Rome via Oslo", known, "start")
    assert [word for word, row in signs.items() if row[AGAIN]] == ["Oslo"]
    assert [word for word, row in signs.items() if row[ANOTHERS]] == ["Rome"]


def test_a_word_of_one_kind_with_a_known_value_is_like_it() -> None:
    known = {"city": "Rome", "meal": "soup"}
    city, meal = (_signs("actually Paris please", known, name) for name in known)
    assert city["Paris"][LIKE] > city["please"][LIKE]
    assert city["Paris"][LIKE] > meal["Paris"][LIKE]
    assert meal["Paris"][LIKE_ANOTHERS] == city["Paris"][LIKE]


def test_what_is_no_text_is_like_nothing() -> None:
    signs = _signs("we are 4", {"people": 5, "late": True}, "people")
    assert not np.any([*signs.values()])
