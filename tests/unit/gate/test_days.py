"""Days that are told by more than one word: a weekday beside a date, a day of a named month."""

from __future__ import annotations

from datetime import date

import pytest

from tests.unit.gate.readers import slot, values

DAY = slot(date, "When?", name="day")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "Saturday the 5th"),
        ("", "the 5th, Saturday"),
        ("", "next Saturday, the 5th, at 3 pm"),
        ("", "Saturday, December 5"),
        ("", "December 5 (Saturday)"),
        ("", "Saturday 12/5"),
        ("", "Saturday the 5th or Sunday the 6th"),
        ("de", "am Samstag, den 5."),
        ("de", "Samstag, 5. Dezember"),
        ("de", "Samstag, 5.12."),
        ("fr", "le samedi 5"),
        ("fr", "samedi 5 décembre"),
        ("fr", "samedi 5 à 15h"),
        ("es", "el sábado 5"),
        ("es", "sábado día 5"),
        ("es", "el sábado 5 de diciembre"),
        ("pt", "sábado, dia 5"),
        ("it", "sabato 5"),
        ("nl", "zaterdag 5 december"),
        ("zh", "12月5日星期六"),
        ("ja", "12月5日（土曜日）"),
    ],
)
def test_a_weekday_and_a_date_that_agree_are_one_day(language: str, said: str) -> None:
    assert values(said, DAY, language=language) == {"day": "2026-12-05"}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "Tuesday the 5th"),
        ("", "the 5th, a tuesday"),
        ("", "Friday, March 3"),
        ("", "Friday 5/6"),
        ("", "Tuesday next week, the 1st"),
        ("", "the first Tuesday of March"),
        ("de", "Dienstag, der 5."),
        ("de", "Freitag, 3. März"),
        ("fr", "mardi 5"),
        ("fr", "vendredi 3 mars"),
        ("es", "el martes 5"),
        ("es", "viernes 3 de marzo"),
        ("ja", "12月5日（火曜日）"),
    ],
)
def test_where_they_disagree_neither_is_believed(language: str, said: str) -> None:
    assert values(said, DAY, language=language, asked=["day"]) == {}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "on the 23rd of next month"),
        ("", "the 23rd next month"),
        ("de", "am 23. des nächsten Monats"),
        ("fr", "le 23 du mois prochain"),
        ("es", "el 23 del próximo mes"),
        ("es", "el 23 del mes que viene"),
        ("pt", "quero ir no dia 23 do próximo mês"),
        ("it", "il 23 del prossimo mese"),
    ],
)
def test_a_day_of_next_month_is_not_this_months(language: str, said: str) -> None:
    assert values(said, DAY, language=language) == {"day": "2026-12-23"}


def test_a_day_of_this_month_stays_in_it() -> None:
    assert values("the 20th of this month", DAY) == {"day": "2026-11-20"}


def test_a_weekday_before_a_count_is_only_a_weekday() -> None:
    assert values("samedi 5 billets", DAY, language="fr") == {"day": "2026-11-28"}
