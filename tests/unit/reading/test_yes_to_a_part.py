"""A yes to one value of the card, an unfinished one, one that talks on: none of them grants."""

from __future__ import annotations

import pytest

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import ActionSpec, Pending
from sayso.reading.card_marks import CardWords
from sayso.reading.card_words import card_words
from sayso.reading.lexicon import lexicon
from sayso.reading.reply_kinds import ReplyKind
from sayso.reading.yes_no import heard_in

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


ORDERS = {
    "fr": ("louer la voiture", ["loue la voiture stp", "louez-la"]),
    "nl": ("de auto huren", ["huur de auto maar", "ja, huur hem"]),
    "de": ("das Kind anmelden", ["ja melden Sie sie bitte an", "melde sie an"]),
    "es": ("alquilar el coche", ["alquila el coche", "sí, alquílelo"]),
    "it": ("noleggiare l'auto", ["noleggia l'auto", "sì, la noleggi"]),
    "ja": ("子供を申し込む", ["申し込んでください"]),
    "zh": ("给孩子报名", ["给她报名吧"]),
}


@pytest.mark.parametrize(
    ("language", "verb", "words"),
    [(code, verb, words) for code, (verb, row) in ORDERS.items() for words in row],
)
def test_the_actions_own_verb_is_an_order_in_whatever_form(
    language: str, verb: str, words: str
) -> None:
    assert _heard(words, language, verb) is ReplyKind.STRONG


@pytest.mark.parametrize(
    ("language", "verb", "words"),
    [
        ("fr", "louer la voiture", "louez une autre voiture"),
        ("nl", "de auto huren", "huur een andere auto"),
        ("de", "das Kind anmelden", "melde sie woanders an"),
        ("fr", "louer la voiture", "j'ai loué la voiture hier"),
        ("en", "book the trip", "book the trip for my neighbour"),
        ("en", "book the trip", "yes go ahead, I look forward to finally hearing the price"),
        ("fr", "louer la voiture", "oui parfait, enfin presque"),
        ("en", "book the trip", "yes tomorrow"),
    ],
)
def test_another_order_than_its_own_runs_nothing(language: str, verb: str, words: str) -> None:
    assert _heard(words, language, verb) is not ReplyKind.STRONG


def _heard(words: str, language: str, verb: str) -> ReplyKind:
    spec = ActionSpec(name="do", title="Do", verb=verb, needs=())
    reading = Reading(
        message=words,
        slots={},
        actions=[spec],
        pending=Pending(id="p", kind="card", hashes={"do": "h"}),
        language=language,
    )
    card = card_words(reading, lexicon(language))
    return heard_in(words, language, card=card).leave


@pytest.mark.parametrize(
    ("language", "verb", "words"),
    [
        ("fr", "envoyer l'argent", "envoyé"),
        ("es", "enviar el dinero", "ya lo envié"),
        ("es", "enviar el dinero", "ya está enviado"),
        ("it", "inviare i soldi", "già inviato"),
        ("pt", "enviar o dinheiro", "já enviei"),
        ("pt", "marcar a consulta", "sim à Marta"),
        ("en", "send the money", "approved by my bank"),
        ("en", "send the money", "go to the money"),
    ],
)
def test_what_was_done_or_another_agreed_to_is_no_order(
    language: str, verb: str, words: str
) -> None:
    assert _heard(words, language, verb) is not ReplyKind.STRONG


@pytest.mark.parametrize(
    ("language", "verb", "words"),
    [
        ("es", "reservar el hotel", "la reserva"),
        ("it", "prenotare l'hotel", "la prenotazione"),
        ("zh", "预订酒店", "预订了"),
        ("zh", "预订酒店", "可以是可以"),
        ("de", "das Hotel buchen", "na ja"),
    ],
)
def test_a_noun_or_what_is_past_is_no_order(language: str, verb: str, words: str) -> None:
    assert _heard(words, language, verb) is not ReplyKind.STRONG
