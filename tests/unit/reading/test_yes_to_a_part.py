"""A yes to one value of the card, an unfinished one, one that talks on: none of them grants."""

from __future__ import annotations

import pytest

from sayso.reading.closed_forms import CardWords
from sayso.reading.yes_no import ReplyKind, heard_in

PARTS = {
    "en": ["yes to Friday", "yep on Friday", "ok with Friday", "yes Friday"],
    "de": ["ja zum Freitag", "ja für Freitag", "einverstanden mit Freitag"],
    "fr": ["oui pour vendredi", "d'accord pour vendredi", "ok pour vendredi"],
    "es": ["sí al viernes", "de acuerdo con el viernes"],
    "it": ["sì a venerdì", "ok per venerdì", "d'accordo per venerdì"],
    "nl": ["ja voor vrijdag", "akkoord met vrijdag"],
    "pt": ["sim à sexta-feira", "de acordo com a sexta-feira"],
    "ja": ["金曜日はいいです", "金曜日でok"],
    "zh": ["星期五可以", "星期五没问题"],
}
UNFINISHED = {
    "en": ["yes and", "yes, and then", "ok so what", "yes um", "yes well"],
    "de": ["ja und", "ja also", "ja hallo", "ja ja"],
    "fr": ["oui et alors", "oui bon", "oui allô"],
    "es": ["sí y", "sí bueno", "sí dígame"],
    "it": ["sì e allora", "sì pronto", "sì come no"],
    "nl": ["ja en dan", "oké en nu", "jaja"],
    "pt": ["sim e então", "ok e agora", "pois sim"],
    "ja": ["はい、もしもし", "はい、で", "はいはい"],
    "zh": ["好的，那个", "对吧"],
}
TALKS_ON = ["yes who is this", "yeah um so what was I", "ja wo war ich", "sì dove eravamo"]
WHOLE = {
    "en": ["yes to all of it", "yes to the transfer", "yes, for Friday", "yes friday is right"],
    "de": ["ja zu allem", "ja, für Freitag"],
    "fr": ["oui pour le tout"],
    "es": ["sí a todo"],
    "it": ["sì a tutto"],
    "nl": ["ja op alles"],
    "pt": ["sim a tudo"],
}
DAY = {"en": "friday", "de": "freitag", "fr": "vendredi", "es": "viernes", "it": "venerdi"}
DAY |= {"nl": "vrijdag", "pt": "sexta-feira", "ja": "金曜日", "zh": "星期五"}


def _pairs(said: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(code, words) for code, row in said.items() for words in row]


@pytest.mark.parametrize(("language", "words"), [*_pairs(PARTS), *_pairs(UNFINISHED)])
def test_it_runs_nothing(language: str, words: str) -> None:
    card = CardWords(verbs=("wire",), things=("transfer",), values=(DAY[language],))
    assert heard_in(words, language, card=card).leave is not ReplyKind.STRONG


@pytest.mark.parametrize("words", TALKS_ON)
def test_a_question_that_no_sign_parts_from_the_yes_is_talk(words: str) -> None:
    assert heard_in(words).leave is not ReplyKind.STRONG


@pytest.mark.parametrize(("language", "words"), _pairs(WHOLE))
def test_a_yes_to_the_whole_is_one(language: str, words: str) -> None:
    card = CardWords(verbs=("wire",), things=("transfer",), values=(DAY[language],))
    assert heard_in(words, language, card=card).leave is ReplyKind.STRONG
