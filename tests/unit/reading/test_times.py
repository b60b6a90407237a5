"""Times of day as people tell them. Words for the half of the day may stand before a time:
"tomorrow evening at eight" is no morning."""

from __future__ import annotations

from datetime import datetime

import pytest

from sayso.reading.lexicon import lexicon
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.times import times_in
from tests.unit.reading.readers import read, slot


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "tomorrow evening at ten to eight", "19:50"),
        ("en", "this evening, half past seven", "19:30"),
        ("en", "this morning at eight", "08:00"),
        ("en", "Thursday at 2 o'clock", "14:00"),
        ("en", "2:30", "14:30"),
        ("en", "02:30", "02:30"),
        ("en", "4:30 in the morning", "04:30"),
        ("de", "gegen 4 Uhr", "16:00"),
        ("de", "3:15", "03:15"),
        ("fr", "vers 3h du mat", "03:00"),
        ("es", "a las 5 y media de la mañana", "05:30"),
        ("de", "heute Abend halb acht", "19:30"),
        ("de", "Freitagabend gegen halb acht", "19:30"),
        ("de", "morgen Abend zehn vor acht", "19:50"),
        ("de", "am Vormittag um 10 Uhr", "10:00"),
        ("fr", "demain soir, vers 8h", "20:00"),
        ("fr", "cet après-midi à trois heures", "15:00"),
        ("fr", "demain matin à huit heures", "08:00"),
        ("es", "mañana por la noche a las nueve y media", "21:30"),
        ("es", "mañana por la tarde a las cuatro", "16:00"),
        ("es", "a la una del mediodía", "13:00"),
        ("es", "a las doce del mediodía", "12:00"),
        ("it", "domani sera alle otto e mezza", "20:30"),
        ("it", "venerdì pomeriggio alle tre", "15:00"),
        ("nl", "vanavond kwart over acht", "20:15"),
        ("nl", "maandagavond 7 uur", "19:00"),
        ("nl", "vannacht om drie uur", "03:00"),
        ("pt", "hoje à noite às sete", "19:00"),
        ("pt", "sexta à tarde às três", "15:00"),
        ("ja", "今夜7時", "19:00"),
        ("zh", "今晚七点", "19:00"),
    ],
)
def test_a_time_lies_in_the_half_that_is_named_before_it(
    language: str, said: str, value: str
) -> None:
    assert [one.value for one in times_in(said, lexicon(language))] == [f"{value}:00"]


@pytest.mark.parametrize(
    ("language", "question", "said", "value"),
    [
        ("en", "When is the appointment?", "tonight at seven", "2026-11-22T19:00:00"),
        ("de", "Wann ist der Termin?", "heute Abend um sieben", "2026-11-22T19:00:00"),
        ("de", "Wann ist der Termin?", "Freitagnachmittag um drei", "2026-11-27T15:00:00"),
        ("fr", "Quand est le rendez-vous ?", "demain soir à huit heures", "2026-11-23T20:00:00"),
        ("es", "¿Cuándo es la cita?", "esta noche a las nueve", "2026-11-22T21:00:00"),
        ("it", "Quando è l'appuntamento?", "stasera alle sette", "2026-11-22T19:00:00"),
        ("nl", "Wanneer is de afspraak?", "morgenavond om acht uur", "2026-11-23T20:00:00"),
        ("nl", "Wanneer is de afspraak?", "vanavond om zeven uur", "2026-11-22T19:00:00"),
        ("pt", "Quando é a consulta?", "amanhã à noite às oito", "2026-11-23T20:00:00"),
        ("ja", "予約はいつですか？", "今夜7時", "2026-11-22T19:00:00"),
        ("zh", "预约什么时候？", "今晚七点", "2026-11-22T19:00:00"),
    ],
)
def test_a_day_and_its_half_make_a_moment(
    language: str, question: str, said: str, value: str
) -> None:
    asked = slot(datetime, question, name="when")
    found = read(said, asked, asked=("when",), language=language)
    assert [(op.op, getattr(op, "value", None)) for op in found] == [("set", value)]


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "nine thirty", "09:30"),
        ("en", "at ten fifteen tomorrow", "10:15"),
        ("en", "6ish in the evening", "18:00"),
        ("es", "las nueve treinta", "09:30"),
        ("de", "dreiviertel acht", "07:45"),
        ("de", "fünf vor halb acht", "07:25"),
        ("nl", "vijf over half acht", "07:35"),
        ("nl", "twaalf uur 's middags", "12:00"),
        ("pt", "dez para as nove", "08:50"),
    ],
)
def test_a_time_is_told_in_words(language: str, said: str, value: str) -> None:
    assert [one.value for one in times_in(said, lexicon(language))] == [f"{value}:00"]


@pytest.mark.parametrize(("language", "said"), [("de", "ein paar Tage"), ("nl", "een paar uur")])
def test_a_few_are_not_one(language: str, said: str) -> None:
    assert durations_in(said, lexicon(language)) == []
