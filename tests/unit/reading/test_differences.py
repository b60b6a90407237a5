"""What is said as a difference to the known value is reckoned from it, in every language, and the
amount of the difference is never taken for the value."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time, timedelta
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Confirm
from sayso.core.requirements import Pending
from sayso.reading.evidence import is_stated
from tests.unit.reading.readers import read, slot, values

CARD = Pending(id="c", kind="card", hashes={"do": "h"})
QUESTIONS = {
    "en": ("How long is the trip?", "How many people are travelling?"),
    "de": ("Wie lange dauert die Reise?", "Wie viele Personen reisen mit?"),
    "fr": ("Combien de temps dure le voyage ?", "Combien de personnes voyagent ?"),
    "es": ("¿Cuánto dura el viaje?", "¿Cuántas personas viajan?"),
    "pt": ("Quanto tempo dura a viagem?", "Quantas pessoas viajam?"),
    "it": ("Quanto dura il viaggio?", "Quante persone viaggiano?"),
    "nl": ("Hoe lang duurt de reis?", "Hoeveel personen reizen er mee?"),
    "zh": ("旅行多长时间？", "几位旅客？"),
    "ja": ("旅行の期間はどのくらいですか？", "何人ですか？"),
}
#: Longer by, shorter by, N more, N fewer, half, double, three times; and after them what nobody can
#: reckon with.
LENGTHS = {
    "en": {
        "two days longer": lambda n: n + 2,
        "extend it by two days": lambda n: n + 2,
        "shorten it by a day": lambda n: n - 1,
        "make it a day shorter": lambda n: n - 1,
        "2 more days please": lambda n: n + 2,
        "one day fewer": lambda n: n - 1,
        "half as long": lambda n: n / 2,
        "twice as long": lambda n: n * 2,
        "three times as long": lambda n: n * 3,
    },
    "de": {
        "zwei Tage länger": lambda n: n + 2,
        "verlängere um zwei Tage": lambda n: n + 2,
        "bitte um einen Tag kürzen": lambda n: n - 1,
        "einen Tag mehr": lambda n: n + 1,
        "einen Tag weniger": lambda n: n - 1,
        "halb so lange": lambda n: n / 2,
        "doppelt so lange": lambda n: n * 2,
        "dreimal so lange": lambda n: n * 3,
    },
    "fr": {
        "prolonge de deux jours": lambda n: n + 2,
        "raccourcis d'un jour": lambda n: n - 1,
        "deux jours de plus": lambda n: n + 2,
        "un jour de moins": lambda n: n - 1,
        "moitié moins longtemps": lambda n: n / 2,
        "deux fois plus longtemps": lambda n: n * 2,
        "trois fois plus longtemps": lambda n: n * 3,
    },
    "es": {
        "alárgalo dos días": lambda n: n + 2,
        "acórtalo un día": lambda n: n - 1,
        "dos días más": lambda n: n + 2,
        "un día menos": lambda n: n - 1,
        "la mitad de tiempo": lambda n: n / 2,
        "el doble de tiempo": lambda n: n * 2,
        "tres veces más largo": lambda n: n * 3,
    },
    "pt": {
        "prolonga por dois dias": lambda n: n + 2,
        "encurta um dia": lambda n: n - 1,
        "dois dias a mais": lambda n: n + 2,
        "menos um dia": lambda n: n - 1,
        "metade do tempo": lambda n: n / 2,
        "o dobro do tempo": lambda n: n * 2,
        "três vezes mais tempo": lambda n: n * 3,
    },
    "it": {
        "allungalo di due giorni": lambda n: n + 2,
        "accorcialo di un giorno": lambda n: n - 1,
        "due giorni in più": lambda n: n + 2,
        "un giorno in meno": lambda n: n - 1,
        "la metà del tempo": lambda n: n / 2,
        "il doppio del tempo": lambda n: n * 2,
        "tre volte più lungo": lambda n: n * 3,
    },
    "nl": {
        "verleng met twee dagen": lambda n: n + 2,
        "kort het met een dag in": lambda n: n - 1,
        "twee dagen langer": lambda n: n + 2,
        "een dag minder": lambda n: n - 1,
        "half zo lang": lambda n: n / 2,
        "twee keer zo lang": lambda n: n * 2,
        "drie keer zo lang": lambda n: n * 3,
    },
    "zh": {
        "延长两天": lambda n: n + 2,
        "缩短一天": lambda n: n - 1,
        "多两天": lambda n: n + 2,
        "少一天": lambda n: n - 1,
        "时间减半": lambda n: n / 2,
        "时间翻倍": lambda n: n * 2,
        "三倍的时间": lambda n: n * 3,
    },
    "ja": {
        "2日延長して": lambda n: n + 2,
        "1日短縮して": lambda n: n - 1,
        "二日長く": lambda n: n + 2,
        "1日減らして": lambda n: n - 1,
        "期間を半分に": lambda n: n / 2,
        "期間を2倍に": lambda n: n * 2,
        "期間を3倍に": lambda n: n * 3,
    },
}
PARTIES = {
    "en": {
        "one more person": lambda n: n + 1,
        "add a person": lambda n: n + 1,
        "one fewer person": lambda n: n - 1,
        "remove one person": lambda n: n - 1,
        "half as many people": lambda n: n / 2,
        "twice as many people": lambda n: n * 2,
    },
    "de": {
        "eine Person mehr": lambda n: n + 1,
        "eine Person weniger": lambda n: n - 1,
        "doppelt so viele Personen": lambda n: n * 2,
    },
    "fr": {
        "ajoute deux personnes": lambda n: n + 2,
        "une personne de moins": lambda n: n - 1,
        "deux fois plus de personnes": lambda n: n * 2,
    },
    "es": {
        "añade dos personas": lambda n: n + 2,
        "una persona menos": lambda n: n - 1,
        "el doble de personas": lambda n: n * 2,
    },
    "pt": {
        "adiciona duas pessoas": lambda n: n + 2,
        "menos uma pessoa": lambda n: n - 1,
        "o dobro das pessoas": lambda n: n * 2,
    },
    "it": {
        "aggiungi due persone": lambda n: n + 2,
        "una persona in meno": lambda n: n - 1,
        "il doppio delle persone": lambda n: n * 2,
    },
    "nl": {
        "voeg twee personen toe": lambda n: n + 2,
        "een persoon minder": lambda n: n - 1,
        "half zo veel personen": lambda n: n / 2,
    },
    "zh": {
        "再加两个人": lambda n: n + 2,
        "少一个人": lambda n: n - 1,
        "人数翻倍": lambda n: n * 2,
    },
    "ja": {
        "2人追加": lambda n: n + 2,
        "1人減らして": lambda n: n - 1,
        "人数を半分に": lambda n: n / 2,
    },
}
#: "A few" of either, and fewer than none.
VAGUE = {
    "en": ("a few days more", "a few days less", "a few more days", "a few more people"),
    "de": ("ein paar Tage mehr", "ein paar Tage weniger", "ein paar Personen mehr"),
    "fr": ("quelques jours de plus", "quelques jours de moins", "quelques personnes de plus"),
    "es": ("unos días más", "unos días menos", "unas personas más"),
    "pt": ("alguns dias a mais", "uns dias a menos", "mais algumas pessoas"),
    "it": ("qualche giorno in più", "alcuni giorni in meno", "qualche persona in più"),
    "nl": ("een paar dagen langer", "een paar dagen minder", "een paar personen meer"),
    "zh": ("多几天", "少几天", "多几个人"),
    "ja": ("数日長く", "数日短く", "数人増やして"),
}
BELOW_NONE = {
    "en": "50 days less",
    "de": "fünfzig Tage weniger",
    "fr": "cinquante jours de moins",
    "es": "cincuenta días menos",
    "pt": "cinquenta dias a menos",
    "it": "cinquanta giorni in meno",
    "nl": "vijftig dagen minder",
    "zh": "少五十天",
    "ja": "50日減らして",
}
#: What a length or count becomes, said with the same verbs: no difference.
BECOMES = {
    "en": "extend it to 6 days",
    "de": "auf 6 Tage verlängern",
    "fr": "prolonge à six jours",
    "es": "amplíalo a seis días",
    "pt": "prolonga para seis dias",
    "it": "allungalo a sei giorni",
    "nl": "verleng naar zes dagen",
    "zh": "延长到六天",
    "ja": "6日に延長して",
}
DAYS, PEOPLE = (4, 10), (2, 6)


def _rows(table: dict[str, dict[str, Callable[[float], float]]]) -> list[Any]:
    return [
        pytest.param(language, said, change, id=f"{language} {said}")
        for language, row in table.items()
        for said, change in row.items()
    ]


def _found(said: str, language: str, days: int, people: int) -> dict[str, JsonValue]:
    of_days, of_people = QUESTIONS[language]
    return values(
        said,
        slot(str, "Where are you going?", name="destination"),
        slot(timedelta, of_days, name="trip_duration"),
        slot(int, of_people, name="travelers"),
        known={"destination": "Rome", "trip_duration": f"P{days}D", "travelers": people},
        language=language,
        pending=CARD,
    )


@pytest.mark.parametrize(("language", "said", "change"), _rows(LENGTHS))
def test_a_length_is_changed_by_the_difference(
    language: str, said: str, change: Callable[[float], float]
) -> None:
    for days in DAYS:
        assert _found(said, language, days, 2) == {"trip_duration": f"P{change(days):g}D"}


@pytest.mark.parametrize(("language", "said", "change"), _rows(PARTIES))
def test_a_count_is_changed_by_the_difference_or_stands(
    language: str, said: str, change: Callable[[float], float]
) -> None:
    """Whether a party is doubled is not always heard; it is never one of two, nor two of six."""
    for people in PEOPLE:
        found = _found(said, language, 4, people)
        assert found in ({"travelers": change(people)}, {}, {"travelers": None})


@pytest.mark.parametrize("language", VAGUE)
def test_what_nobody_can_reckon_changes_nothing(language: str) -> None:
    for said in (*VAGUE[language], BELOW_NONE[language]):
        assert _found(said, language, 4, 2) == {}, said


@pytest.mark.parametrize("language", BECOMES)
def test_what_it_shall_become_is_the_value_itself(language: str) -> None:
    assert _found(BECOMES[language], language, 4, 2) == {"trip_duration": "P6D"}


@pytest.mark.parametrize(
    ("said", "length"),
    [
        ("half an hour longer", "PT1H30M"),
        ("half an hour shorter", "PT30M"),
        ("eine halbe Stunde länger", "PT1H30M"),
        ("twice as long", "PT2H"),
        ("an hour less", None),
    ],
)
def test_what_the_card_assumes_is_changed_too(said: str, length: str | None) -> None:
    asked = slot(timedelta, "For how long?", name="duration")
    found = values(said, asked, assumed={"duration": "PT1H"}, pending=CARD)
    assert found == ({"duration": length} if length else {})


def test_a_percentage_is_of_the_sum_and_no_hour() -> None:
    at, budget = slot(time, "At what time?", name="at"), slot(float, "Budget?", name="budget")
    known = {"at": "20:00:00", "budget": 500.0}
    found = values("10% more", at, budget, known=known, pending=CARD)
    assert found == {"budget": 550}


@pytest.mark.parametrize("said", ["yes, five days less", "go ahead, a few days more"])
def test_a_yes_beside_a_difference_that_is_not_taken_is_none(said: str) -> None:
    days = slot(timedelta, "How long is the trip?", name="trip_duration")
    found = read(said, days, known={"trip_duration": "P4D"}, pending=CARD)
    assert not any(isinstance(op, Confirm) for op in found)


def test_the_amount_alone_is_no_evidence_whoever_reads_it() -> None:
    days = slot(timedelta, "How long is the trip?", name="trip_duration")
    said = "shorten it by a day"
    assert not is_stated("a day", "P1D", days, said, known="P4D")
    assert is_stated(said, "P3D", days, said, known="P4D")
