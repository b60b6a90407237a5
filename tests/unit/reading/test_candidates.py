"""Whatever a message may mean is among the candidates: the network can choose no other value."""

from __future__ import annotations

from datetime import date

import pytest
from pydantic import JsonValue

from sayso.reading.candidate import Found
from sayso.reading.candidates import candidates_in
from sayso.reading.lexicon import lexicon
from sayso.reading.slot_types import SlotShape, SlotType

#: A Wednesday.
TODAY = date(2026, 6, 10)
_JSON = {SlotType.COUNT: "integer", SlotType.PEOPLE: "integer", SlotType.MONEY: "number"}
AT = "2026-07-14T10:00"
DAY = "2026-07-14"

SAID: list[tuple[str, str, JsonValue, str, JsonValue]] = [
    # days
    ("it", "date", None, "l'ho visto stamattina", "2026-06-10"),
    ("fr", "date", None, "ce matin vers huit heures", "2026-06-10"),
    ("nl", "date", None, "vrijdagavond na het werk", "2026-06-12"),
    ("zh", "date", None, "礼拜六早点来", "2026-06-13"),
    ("fr", "date", None, "prenez le 18 si possible", "2026-06-18"),
    ("it", "date", None, "chiusi dal 3 al 9 agosto", "2026-08-03"),
    ("es", "date", None, "salió el 2 de mayo", "2026-05-02"),
    ("de", "date", DAY, "lieber am 16.", "2026-07-16"),
    ("pt", "date", DAY, "afinal é 15, não 14", "2026-07-15"),
    ("en", "date", DAY, "the Friday after suits us", "2026-07-17"),
    ("en", "date", DAY, "could it be three days earlier", "2026-07-11"),
    ("fr", "date", DAY, "plutôt le lendemain", "2026-07-15"),
    ("en", "date", None, "the day after christmas", "2026-12-26"),
    ("en", "date", None, "a week tomorrow", "2026-06-18"),
    ("nl", "date", None, "over ruim twee weken", "2026-06-24"),
    ("en", "date", None, "any time up to the end of August", "2026-08-31"),
    ("de", "date", None, "alles vor 2024", "2024-01-01"),
    ("ja", "date", None, "昭和60年3月9日", "1985-03-09"),
    ("nl", "date", None, "getrouwd op 4 april 1891", "1891-04-04"),
    # times
    ("de", "time", None, "um 16.35 am Tor", "16:35:00"),
    ("en", "time", None, "say 1745", "17:45:00"),
    ("fr", "time", None, "midi moins le quart", "11:45:00"),
    ("it", "time", None, "un quarto alle nove", "08:45:00"),
    ("es", "time", None, "a las ocho de la mañana", "08:00:00"),
    ("zh", "time", None, "中午十二点四十", "12:40:00"),
    ("pt", "time", None, "às 9 em vez de 10h30", "09:00:00"),
    ("ja", "time", "19:00", "20分遅くして", "19:20:00"),
    # days with their times
    ("en", "date-time", None, "at 4 this afternoon", "2026-06-10T16:00:00"),
    ("en", "date-time", AT, "11:30 on the same day", "2026-07-14T11:30:00"),
    ("en", "date-time", AT, "half an hour earlier", "2026-07-14T09:30:00"),
    ("it", "date-time", AT, "meglio il 15, stessa ora", "2026-07-15T10:00"),
    ("nl", "date-time", AT, "doe maar donderdag, zelfde tijd", "2026-07-16T10:00"),
    ("zh", "date-time", AT, "往后推一小时", "2026-07-14T11:00:00"),
    ("es", "date-time", None, "no el jueves a las 9, el viernes a las 11", "2026-06-12T11:00:00"),
    ("zh", "date-time", None, "明早七点半", "2026-06-11T07:30:00"),
    # lengths
    ("nl", "duration", None, "een uurtje of zo", "PT1H"),
    ("nl", "duration", None, "weekje", "P7D"),
    ("es", "duration", None, "media horita", "PT30M"),
    ("pt", "duration", None, "três horinhas", "PT3H"),
    ("it", "duration", None, "un'oretta e mezza", "PT1H30M"),
    ("it", "duration", None, "due ore e un quarto", "PT2H15M"),
    ("en", "duration", None, "an hour and ten", "PT1H10M"),
    ("fr", "duration", None, "1h45 avec la pause", "PT1H45M"),
    ("fr", "duration", None, "une trentaine de minutes", "PT30M"),
    ("en", "duration", None, "three full days", "P3D"),
    ("de", "duration", None, "viereinhalb Stunden", "PT4H30M"),
    ("zh", "duration", None, "三个钟头", "PT3H"),
    ("de", "duration", None, "vom 3. Juli bis zum 8. Juli", "P5D"),
    ("nl", "duration", None, "van 9 tot half 12", "PT2H30M"),
    ("en", "duration", "P2D", "could we add a night", "P3D"),
    ("zh", "duration", "P5D", "砍掉一天", "P4D"),
    ("de", "duration", "PT1H", "bitte doppelt so lang", "PT2H"),
    # counts
    ("en", "count", None, "on the fourth floor", 4),
    ("en", "count", None, "three dozen", 36),
    ("de", "count", None, "zweimal", 2),
    ("nl", "count", None, "we zijn met z'n dertienen", 13),
    ("it", "count", None, "una quarantina", 40),
    ("es", "count", None, "ninguna, gracias", 0),
    ("fr", "people", None, "personne", 0),
    ("pt", "people", None, "dois adultos e uma criança", 3),
    ("fr", "people", None, "moi et quatre amis", 5),
    ("zh", "count", None, "俩", 2),
    ("fr", "count", None, "environ 12 500 mots", 12500),
    ("nl", "count", None, "anderhalve meter", 150),
    ("zh", "count", None, "一米七", 170),
    ("ja", "count", 3, "一つ減らして", 2),
    ("pt", "people", 40, "+5, por favor", 45),
    # money
    ("en", "money", None, "nineteen fifty", 19.5),
    ("de", "money", None, "84 Euro 50 an die Stadt", 84.5),
    ("es", "money", None, "doce con cincuenta", 12.5),
    ("zh", "money", None, "35块5", 35.5),
    ("nl", "money", None, "anderhalf duizend euro", 1500),
    ("en", "money", None, "a million and a half", 1500000),
    ("fr", "money", None, "rien du tout", 0),
    ("es", "money", 300, "suba veinte euros", 320),
]


def _found(lang: str, kind: str, known: JsonValue, message: str) -> list[tuple[JsonValue, Found]]:
    slot_type = SlotType(kind)
    shape = SlotShape(type=slot_type, json_type=_JSON.get(slot_type, "string"), has_format=True)
    found = candidates_in(message, shape, lexicon(lang), today=TODAY, known=known)
    return [(one.value, one.how) for one in found]


@pytest.mark.parametrize(("lang", "kind", "known", "message", "wanted"), SAID)
def test_a_value_is_among_the_candidates(
    lang: str, kind: str, known: JsonValue, message: str, wanted: JsonValue
) -> None:
    assert wanted in [value for value, _ in _found(lang, kind, known, message)]


def test_more_and_less_are_told_apart() -> None:
    found = dict(_found("en", "count", 5, "two nights"))
    assert found == {2: Found.BARE, 7: Found.MORE, 3: Found.LESS}


@pytest.mark.parametrize(
    ("lang", "message"),
    [("en", "on Friday"), ("fr", "vendredi"), ("zh", "星期五"), ("ja", "金曜日")],
)
def test_the_weekday_alone_of_the_known_day_means_that_day(lang: str, message: str) -> None:
    a_friday = "2026-08-14"
    found = dict(_found(lang, "date", a_friday, message))
    assert found[a_friday] is Found.OF_KNOWN
    assert Found.BY_FORM not in found.values()


@pytest.mark.parametrize("kind", ["date", "date-time", "duration", "count", "money", "time"])
@pytest.mark.parametrize(
    "message", ["99999999999999 years", "0", "31", "9" * 5000, "九" * 400, "24:00 on 31/2"]
)
def test_no_number_is_too_large(kind: str, message: str) -> None:
    for known in (None, 7, "2026-07-14", AT, "PT1H", "9999-12-31", "9999-12-31T23:59"):
        _found("en", kind, known, message)


def test_a_number_of_a_phone_counts_no_people() -> None:
    assert _found("en", "people", None, "call 85731890") == []
    assert _found("en", "count", None, "85731890 rows") == [(85731890, Found.BARE)]


def test_a_bare_day_lies_after_the_day_since_when() -> None:
    shape = SlotShape(type=SlotType.DATE, json_type="string", has_format=True)
    since = date(2026, 7, 14)
    found = candidates_in("3", shape, lexicon("en"), today=TODAY, since=since)
    assert "2026-08-03" in {one.value for one in found if one.how is Found.BARE}
