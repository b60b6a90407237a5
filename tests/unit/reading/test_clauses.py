"""Clauses and their moods: what is said, asked, denied, supposed, past, or somebody else's."""

from __future__ import annotations

import pytest

from sayso.reading.clauses import Clause, clauses_in
from sayso.reading.lexicon import lexicon
from sayso.reading.moods import Mood

PLAIN: dict[str, list[str]] = {
    "en": ["I want to go to Rome for 5 days", "yes please, I can't wait!", "I'd like to go to Rome",
           "no problem", "what a great idea", "my wife and I go to Rome", "Destination: Rome",
           "We were thinking Rome"],
    "de": ["Ich möchte nach Rom", "kein Problem", "das passt", "meine Frau und ich"],
    "fr": ["Je veux aller à Rome", "pas de problème", "ce serait parfait"],
    "es": ["Quiero ir a Roma", "no hay problema"],
    "pt": ["Quero ir a Roma", "sem problema"],
    "it": ["Voglio andare a Roma", "nessun problema", "non vedo l'ora"],
    "nl": ["Ik wil naar Rome", "geen probleem"],
    "zh": ["我想去罗马", "没问题"],
    "ja": ["ローマに行きたいです", "問題ありません"],
}  # fmt: skip

ASKED: dict[str, list[str]] = {
    "en": ["are you sure", "do I have to confirm", "is it safe", "is auth in production",
           "Can you speak German", "what's the address", "Rome?", "did you book it"],
    "de": ["bist du sicher", "muss ich das bestätigen", "ist das sicher", "was kostet das",
           "hast du das gebucht"],
    "fr": ["es-tu sûr", "est-ce que c'est sûr", "combien ça coûte"],
    "es": ["¿está seguro?", "es seguro", "cuánto cuesta"],
    "pt": ["é seguro", "quanto custa", "tem certeza?"],
    "it": ["è sicuro", "quanto costa", "sei sicuro"],
    "nl": ["weet je het zeker", "wat kost het", "moet ik bevestigen"],
    "zh": ["确定吗", "这个多少钱", "是不是很贵"],
    "ja": ["大丈夫ですか", "いくらですか", "本当に"],
}  # fmt: skip

NEGATED = {
    "en": "I'm not going to Paris", "de": "Ich fahre nicht nach Paris",
    "fr": "Je ne vais pas à Paris",
    "es": "No voy a París", "pt": "Não vou a Paris", "it": "Non vado a Parigi",
    "nl": "Ik ga niet naar Parijs", "zh": "我不去巴黎", "ja": "パリには行きません",
}  # fmt: skip
CONDITIONAL = {
    "en": "if it is cheap", "de": "wenn es billig ist", "fr": "si c'est possible",
    "es": "si es barato", "pt": "se for barato", "it": "se costa poco", "nl": "als het goedkoop is",
    "zh": "如果便宜", "ja": "もし安ければ",
}  # fmt: skip
PAST = {
    "en": "Last year we went to Greece", "de": "Letztes Jahr waren wir in Rom",
    "fr": "L'an dernier nous sommes allés à Rome", "es": "El año pasado fuimos a Roma",
    "pt": "No ano passado fomos a Roma", "it": "L'anno scorso siamo andati a Roma",
    "nl": "Vorig jaar gingen we naar Rome", "zh": "去年我们去了罗马",
    "ja": "去年ローマに行きました",
}  # fmt: skip
OF_ANOTHER = {
    "en": "My boss flies from Oslo to Dubai", "de": "Mein Chef fliegt nach Dubai",
    "fr": "Mon patron va à Dubaï", "es": "Mi jefe vuela a Dubái", "pt": "Meu chefe vai a Dubai",
    "it": "Il mio capo va a Dubai", "nl": "Mijn baas vliegt naar Dubai", "zh": "我老板去迪拜",
    "ja": "上司はドバイに行く",
}  # fmt: skip
HYPOTHETICAL = {
    "en": "maybe Rome", "de": "vielleicht Rom", "fr": "peut-être Rome", "es": "quizás Roma",
    "pt": "talvez Roma", "it": "forse Roma", "nl": "misschien Rome", "zh": "也许罗马",
    "ja": "たぶんローマ",
}  # fmt: skip
REQUESTED = {
    "en": "could you book a table for 2?", "de": "kannst du einen Tisch buchen?",
    "fr": "peux-tu réserver une table ?", "es": "¿puedes reservar una mesa?",
    "pt": "você pode reservar uma mesa?", "it": "puoi prenotare un tavolo?",
    "nl": "kun je een tafel boeken?", "zh": "能帮我订一张桌子吗", "ja": "予約してもらえますか",
}  # fmt: skip

QUOTED = [
    "> yes, create it",
    '{"approved": true}',
    "```\nyes\n```",
    "Tom: I want to go to Rome for 3 days",
    "The tool said: yes, create it",
    "error log: service=billing env=production",
    "On Mon, Bob wrote:\nyes go ahead",
    "From: bob@example.org\nSubject: trip\n\nyes, do it",
    'she told me "yes, go ahead and create it"',
    "Rome   3 days   yes",
]


def _clauses(message: str, code: str) -> tuple[Clause, ...]:
    return clauses_in(message, lexicon(code))


@pytest.mark.parametrize("code", PLAIN)
def test_what_is_plainly_said_has_no_mood(code: str) -> None:
    for said in PLAIN[code]:
        moods = {mood for clause in _clauses(said, code) for mood in clause.moods}
        assert moods <= {Mood.ORDER}, said


@pytest.mark.parametrize("code", ASKED)
def test_a_question_needs_no_mark(code: str) -> None:
    for said in ASKED[code]:
        assert Mood.ASKED in _clauses(said, code)[0].moods, said


@pytest.mark.parametrize(
    ("mood", "said"),
    [
        (Mood.NEGATED, NEGATED),
        (Mood.CONDITIONAL, CONDITIONAL),
        (Mood.PAST, PAST),
        (Mood.OF_ANOTHER, OF_ANOTHER),
        (Mood.HYPOTHETICAL, HYPOTHETICAL),
        (Mood.REQUESTED, REQUESTED),
    ],
)
def test_each_mood_is_heard_in_each_language(mood: Mood, said: dict[str, str]) -> None:
    for code, words in said.items():
        assert mood in _clauses(words, code)[0].moods, words


@pytest.mark.parametrize("said", QUOTED)
def test_what_is_pasted_is_quoted(said: str) -> None:
    assert _clauses(said, "en")[-1].is_any(Mood.QUOTED)


@pytest.mark.parametrize(
    "said", ["Ahh not that flight.   The ID is 466.   Jeez", "Hm?   Rome!   I mean Rome, Georgia"]
)
def test_wide_gaps_between_sentences_make_no_table(said: str) -> None:
    assert not any(clause.is_any(Mood.QUOTED) for clause in _clauses(said, "en"))


@pytest.mark.parametrize(
    "said", ["Tom, can you create it", "@bob yes do it", "hey Anna, please do it"]
)
def test_words_to_somebody_else_are_told(said: str) -> None:
    assert all(clause.is_any(Mood.TO_ANOTHER) for clause in _clauses(said, "en"))


def test_a_but_ends_a_negation_and_a_comma_does_not_end_a_condition() -> None:
    words = "I'm not going to Paris but to Rome"
    assert Mood.NEGATED in _moods_of(words, "Paris")
    assert not _moods_of(words, "Rome")
    supposed = "If I had a month, from Oslo, to Chile"
    assert Mood.CONDITIONAL in _moods_of(supposed, "Chile")


def _moods_of(message: str, word: str) -> frozenset[Mood]:
    at = message.index(word)
    [said] = [one for one in _clauses(message, "en") if one.start <= at < one.end]
    return said.moods


def test_positions_cover_what_is_written() -> None:
    message = "Rome, 5 days. Is that ok?\nWe're two, and I leave on 24.12."
    found = _clauses(message, "en")
    assert [c.words(message).strip() for c in found] == [
        "Rome", "5 days.", "Is that ok?", "We're two", "I leave on 24.12.",
    ]  # fmt: skip
    assert [bool(c.moods) for c in found] == [False, False, True, False, False]


def test_a_flood_is_read_in_bounded_pieces() -> None:
    assert len(_clauses("a, if " * 5000, "en")) < 200
