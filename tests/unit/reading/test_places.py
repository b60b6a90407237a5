"""Answers to "Where are you going?": a name is a place however it is written; other words are
not."""

from __future__ import annotations

import pytest

from tests.unit.reading.readers import UNHEARD, values


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "planning a trip"),
        ("", "Planning a trip"),
        ("", "a holiday"),
        ("", "A holiday"),
        ("", "somewhere warm"),
        ("", "Somewhere warm"),
        ("", "to the beach"),
        ("", "on vacation"),
        ("", "some place with good food"),
        ("", "looking around"),
        ("", "I have no idea"),
        ("", "surprise me"),
        ("de", "einen Urlaub"),
        ("de", "irgendwo am Meer"),
        ("de", "ans Meer"),
        ("de", "keine Ahnung"),
        ("fr", "un voyage"),
        ("fr", "pour les vacances"),
        ("fr", "quelque part au chaud"),
        ("es", "un viaje"),
        ("es", "a algún lugar cálido"),
        ("pt", "uma viagem"),
        ("pt", "algum lugar quente"),
        ("it", "una vacanza"),
        ("it", "da qualche parte al caldo"),
        ("nl", "een vakantie"),
        ("nl", "ergens warm"),
        ("zh", "去旅行"),
        ("zh", "暖和的地方"),
        ("ja", "暖かいところ"),
    ],
)
def test_an_answer_that_names_no_place_is_none(language: str, said: str) -> None:
    assert values(said, asked=["destination"], language=language) == {}


@pytest.mark.parametrize(
    ("language", "said", "place"),
    [
        ("", "rome", "rome"),
        ("", "new york", "new york"),
        ("", "the alps", "the alps"),
        ("", "long beach", "long beach"),
        ("", "mexico city", "mexico city"),
        ("", "reading", "reading"),
        ("", "beijing", "beijing"),
        ("", "Beijing please", "Beijing"),
        pytest.param("", "hoi an", "hoi an", marks=UNHEARD),
        ("", "somewhere in Rome", "Rome"),
        ("", "a trip to Rome", "Rome"),
        ("", "Rome for a week", "Rome"),
        ("de", "nach bergen", "bergen"),
        ("de", "die schweiz", "die schweiz"),
        ("fr", "la rochelle", "la rochelle"),
        ("es", "la habana", "la habana"),
        ("it", "la spezia", "la spezia"),
        ("nl", "den haag", "den haag"),
        ("zh", "北京", "北京"),
        ("ja", "京都", "京都"),
    ],
)
def test_a_name_is_a_place_in_small_letters_too(language: str, said: str, place: str) -> None:
    found = values(said, asked=["destination"], language=language)
    assert found["destination"] == place
