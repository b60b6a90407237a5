"""Days that are told by more than one word: a weekday beside a date, a day of a named month."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

import pytest
from pydantic import Field, PastDate

from sayso.core.extraction_ops import Set, Suggest
from sayso.reading.lexicon import lexicon
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.relative_days import days_from
from tests.unit.reading.readers import read, slot, values

DAY = slot(date, "When?", name="day")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "Saturday the 5th"),
        ("", "the 5th, Saturday"),
        ("", "Saturday the fifth"),
        ("", "Saturday 5"),
        ("", "the 5th, that's a Saturday"),
        ("de", "Samstag, der fünfte"),
        ("nl", "zaterdag de vijfde"),
        ("es", "el sábado cinco"),
        ("it", "sabato cinque"),
        ("ja", "土曜日の5日"),
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
        ("", "the fifth Tuesday of February"),
        ("", "a Tuesday of March"),
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


PAST = slot(date, "When was it?", name="day", tense="past")


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("", "yesterday", "2026-11-21"),
        ("", "the day before yesterday", "2026-11-20"),
        ("", "a week ago", "2026-11-15"),
        ("", "on Tuesday", "2026-11-17"),
        ("", "last Friday", "2026-11-20"),
        ("", "on March 3rd", "2026-03-03"),
        ("", "December 30th", "2025-12-30"),
        ("de", "gestern", "2026-11-21"),
        ("de", "vor 3 Tagen", "2026-11-19"),
        ("fr", "avant-hier", "2026-11-20"),
        ("fr", "il y a deux semaines", "2026-11-08"),
        ("es", "anteayer", "2026-11-20"),
        ("pt", "anteontem", "2026-11-20"),
        ("it", "ieri", "2026-11-21"),
        ("nl", "afgelopen vrijdag", "2026-11-20"),
        ("ja", "昨日", "2026-11-21"),
        ("zh", "昨天", "2026-11-21"),
    ],
)
def test_a_day_that_has_been_lies_behind(language: str, said: str, day: str) -> None:
    assert values(said, PAST, asked=["day"], language=language) == {"day": day}


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("de", "am 24.12.", "2026-12-24"),
        ("", "18-12-2026", "2026-12-18"),
        ("", "9.12.", "2026-12-09"),
        ("", "the first of december", "2026-12-01"),
        ("", "two weeks today", "2026-12-06"),
        ("", "5-Dec-2026", "2026-12-05"),
        ("ja", "来週の火曜日", "2026-11-24"),
        ("zh", "明年一月三号", "2027-01-03"),
        ("fr", "le vingt-cinq mai", "2027-05-25"),
        ("es", "veintiuno de mayo", "2027-05-21"),
        ("it", "ventuno maggio", "2027-05-21"),
        ("pt", "vinte e um de maio", "2027-05-21"),
        ("nl", "eenentwintig mei", "2027-05-21"),
        ("fr", "le vingt-quatre", "2026-11-24"),
        ("pt", "amanha", "2026-11-23"),
        ("de", "uebermorgen", "2026-11-24"),
        ("de", "5. Maerz", "2027-03-05"),
    ],
)
def test_days_as_people_write_them(language: str, said: str, day: str) -> None:
    assert values(said, DAY, asked=["day"], language=language) == {"day": day}


def test_a_field_tells_itself_that_its_day_has_been() -> None:
    assert slot(PastDate, "When?", name="day").tense == "past"
    assert slot(Annotated[date, Field(le=date(2020, 1, 1))], "When?", name="day").tense == "past"
    assert DAY.tense == "future"


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("", "next week on Friday", "2026-11-27"),
        ("", "the Tuesday after next", "2026-12-01"),
        ("", "Friday of the week after next", "2026-12-04"),
        ("", "in the week after next, on Friday", "2026-12-04"),
        ("de", "nächste Woche am Freitag", "2026-11-27"),
        ("de", "übernächste Woche Montag", "2026-11-30"),
        ("de", "übernächsten Dienstag", "2026-12-01"),
        ("nl", "volgende week op vrijdag", "2026-11-27"),
        ("es", "la semana que viene, el viernes", "2026-11-27"),
        ("pt", "na próxima semana, na sexta", "2026-11-27"),
        ("fr", "la semaine prochaine, le vendredi", "2026-11-27"),
        ("it", "la settimana prossima, il venerdì", "2026-11-27"),
        ("zh", "下个星期五", "2026-11-27"),
        ("zh", "下下周一", "2026-11-30"),
        ("zh", "下下个星期一", "2026-11-30"),
        ("ja", "再来週の月曜日", "2026-11-30"),
    ],
)
def test_a_weekday_lies_in_the_week_that_is_named(language: str, said: str, day: str) -> None:
    assert values(said, DAY, asked=["day"], language=language) == {"day": day}


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("", "the first Monday in January", "2027-01-04"),
        ("", "the 2nd Tuesday of March", "2027-03-09"),
        ("", "the third Friday of December", "2026-12-18"),
        ("de", "am ersten Montag im Januar", "2027-01-04"),
        ("fr", "le premier mardi de mars", "2027-03-02"),
        ("es", "el primer lunes de enero", "2027-01-04"),
    ],
)
def test_a_counted_weekday_of_a_month(language: str, said: str, day: str) -> None:
    assert values(said, DAY, asked=["day"], language=language) == {"day": day}


def test_a_counted_weekday_of_a_month_that_has_been() -> None:
    assert values("the first Monday in January", PAST, asked=["day"]) == {"day": "2026-01-05"}


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("", "the last Friday of December", "2026-12-25"),
        ("", "last friday in december", "2026-12-25"),
        ("", "the last Monday of May 2028", "2028-05-29"),
        ("", "the first Monday of next month", "2026-12-07"),
        ("de", "letzter Freitag im Dezember", "2026-12-25"),
        ("fr", "le dernier vendredi de décembre", "2026-12-25"),
        ("fr", "le 2e samedi d'avril", "2027-04-10"),
        ("es", "el último viernes de diciembre", "2026-12-25"),
        ("it", "l'ultimo venerdì di dicembre", "2026-12-25"),
        ("nl", "de laatste vrijdag van december", "2026-12-25"),
        ("pt", "a última sexta de dezembro", "2026-12-25"),
        ("ja", "12月の最後の金曜日", "2026-12-25"),
        ("ja", "来月の第1月曜日", "2026-12-07"),
        ("zh", "十二月最后一个星期五", "2026-12-25"),
        ("zh", "下个月第二个星期二", "2026-12-08"),
    ],
)
def test_a_weekday_is_counted_from_either_end_of_a_month(
    language: str, said: str, day: str
) -> None:
    assert values(said, DAY, asked=["day"], language=language) == {"day": day}


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("", "the first of next month", "2026-12-01"),
        ("", "next month on the 5th", "2026-12-05"),
        ("de", "am ersten nächsten Monats", "2026-12-01"),
        ("fr", "le premier du mois prochain", "2026-12-01"),
        ("es", "el primero del mes que viene", "2026-12-01"),
        ("it", "il primo del mese prossimo", "2026-12-01"),
        ("nl", "de eerste van volgende maand", "2026-12-01"),
        ("pt", "dia primeiro do mês que vem", "2026-12-01"),
        ("ja", "来月の25日", "2026-12-25"),
        ("zh", "下个月二十五号", "2026-12-25"),
    ],
)
def test_a_day_of_a_month_that_is_told_by_this_one(language: str, said: str, day: str) -> None:
    assert values(said, DAY, asked=["day"], language=language) == {"day": day}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "the 20th of last month"),
        ("", "on the 20th last month"),
        ("", "last month on the 20th"),
        ("de", "am 20. letzten Monats"),
        ("fr", "le 20 du mois dernier"),
        ("es", "el 20 del mes pasado"),
        ("it", "il 20 del mese scorso"),
        ("nl", "de 20e van vorige maand"),
        ("pt", "no dia 20 do mês passado"),
        ("ja", "先月の20日"),
        ("zh", "上个月20号"),
    ],
)
def test_a_day_of_last_month_is_no_day_of_this_one(language: str, said: str) -> None:
    assert values(said, PAST, asked=["day"], language=language) == {"day": "2026-10-20"}
    assert values(said, DAY, asked=["day"], language=language) == {}


@pytest.mark.parametrize(
    ("language", "said"),
    [("", "the fifth Monday of next month"), ("", "a Friday in December"), ("ja", "13月の金曜日")],
)
def test_what_no_month_has_is_no_day(language: str, said: str) -> None:
    assert values(said, DAY, asked=["day"], language=language) == {}


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("", "in one and a half weeks", "2026-12-02"),
        ("", "a week and a half from now", "2026-12-02"),
        ("de", "in anderthalb Tagen", "2026-11-23"),
    ],
)
def test_a_distance_of_parts_is_whole_days(language: str, said: str, day: str) -> None:
    assert values(said, DAY, asked=["day"], language=language) == {"day": day}


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("", "two months ago", "2026-09-22"),
        ("fr", "il y a deux mois", "2026-09-22"),
        ("", "a year ago", "2025-11-22"),
        ("de", "vor drei Jahren", "2023-11-22"),
    ],
)
def test_a_distance_in_months_is_the_same_day_of_another(
    language: str, said: str, day: str
) -> None:
    assert values(said, PAST, asked=["day"], language=language) == {"day": day}


def test_a_month_that_is_too_short_ends_on_its_last_day() -> None:
    found = days_from("a month ago", lexicon("en"), date(2027, 3, 31))
    assert [one.value for one in found] == ["2027-02-28"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "2026-12-05"),
        ("", "on 2026/12/05, please"),
        ("ja", "2026/12/5でお願いします"),
        ("zh", "2026/12/5"),
        ("de", "2026.12.05"),
    ],
)
def test_a_day_in_digits_may_begin_with_its_year(language: str, said: str) -> None:
    assert values(said, DAY, language=language) == {"day": "2026-12-05"}


def test_the_version_of_a_program_is_no_day() -> None:
    assert values("we run 2026.12.5.1 now", DAY) == {}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "from January 3rd to 7th"),
        ("", "from January 3rd until the 7th"),
        ("", "January 3-7"),
        ("", "January 3rd – 7th"),
        ("", "from the 3rd to the 7th of January"),
        ("", "between 3 and 7 January"),
        ("", "arriving January 3rd and leaving on the 7th"),
        ("de", "vom 3. bis 7. Januar"),
        ("de", "3.-7. Januar"),
        ("de", "vom 3. Januar bis zum 7."),
        ("fr", "du 3 au 7 janvier"),
        ("fr", "du 3 janvier au 7"),
        ("es", "del 3 al 7 de enero"),
        ("es", "del 3 de enero al 7"),
        ("it", "dal 3 al 7 gennaio"),
        ("nl", "van 3 tot 7 januari"),
        ("nl", "van 3 januari tot de 7e"),
        ("pt", "de 3 a 7 de janeiro"),
        ("pt", "de 3 de janeiro até o dia 7"),
        ("ja", "1月3日から7日まで"),
        ("zh", "1月3日到7日"),
        ("zh", "从1月3号到7号"),
    ],
)
def test_both_ends_of_a_range_share_the_month(language: str, said: str) -> None:
    days = dates_in(said, lexicon(language or "en"), date(2026, 12, 1))
    assert [one.value for one in days] == ["2027-01-03", "2027-01-07"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("from December 28th to the 3rd", ["2026-12-28", "2027-01-03"]),
        ("from the 28th to the 3rd of January", ["2026-12-28", "2027-01-03"]),
        ("from December 9th until the 12th of January", ["2026-12-09", "2027-01-12"]),
        ("on January 3rd for 7 people", ["2027-01-03"]),
        ("on January 3rd and 7 chairs", ["2027-01-03"]),
        ("on January 3rd to room 7.", ["2027-01-03"]),
        ("the 7th, or better the 9th", ["2026-12-07", "2026-12-09"]),
        # 1 December is a Tuesday
        ("Friday to Monday", ["2026-12-04", "2026-12-07"]),
        ("from Thursday till Wednesday", ["2026-12-03", "2026-12-09"]),
        ("Monday to Wednesday next week", ["2026-12-07", "2026-12-09"]),
        ("Wednesday to Wednesday next week", ["2026-12-02", "2026-12-09"]),
        ("from Friday to Monday the 7th", ["2026-12-04", "2026-12-07"]),
        ("from tomorrow to Wednesday", ["2026-12-02", "2026-12-09"]),
        ("Friday or Wednesday", ["2026-12-04", "2026-12-02"]),
    ],
)
def test_what_a_month_is_shared_with(said: str, found: list[str]) -> None:
    days = dates_in(said, lexicon("en"), date(2026, 12, 1))
    assert [one.value for one in days] == found


@pytest.mark.parametrize(
    ("said", "till"),
    [("the 2nd", "2027-02-02"), ("Friday", "2027-01-22"), ("the 19th", "2027-01-19")],
)
def test_a_stay_ends_after_it_begins(said: str, till: str) -> None:
    first = slot(date, "When do you arrive?", name="arrival")
    last = slot(date, "When do you leave?", name="departure")
    known = {"arrival": "2027-01-17"}
    assert values(said, first, last, asked=["departure"], known=known) == {"departure": till}


def test_a_first_day_in_plain_words_is_no_day_to_count_from() -> None:
    first, last = slot(str, name="start_date"), slot(str, name="end_date")
    found = values("the 19th", first, last, asked=["end_date"], known={"start_date": "May 8th"})
    assert found == {"end_date": "the 19th"}


@pytest.mark.parametrize(
    "said", ["9999-12-31 to the 5th", "9999-12-31 to Friday", "the 30th to 0001-01-01"]
)
def test_no_range_leaves_the_calendar(said: str) -> None:
    assert dates_in(said, lexicon("en"), date(2026, 12, 1))


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("en", "the Monday before Christmas", "2026-12-21"),
        ("en", "Monday after the 3rd", "2026-12-07"),
        ("en", "the Friday before Christmas", "2026-12-18"),  # which is a Friday
        ("de", "am Montag nach Weihnachten", "2026-12-28"),
        ("fr", "le lundi avant Noël", "2026-12-21"),
        ("es", "el lunes antes de Navidad", "2026-12-21"),
        ("it", "il lunedì prima di Natale", "2026-12-21"),
        ("nl", "de maandag voor kerst", "2026-12-21"),
        ("pt", "a segunda antes do Natal", "2026-12-21"),
        ("ja", "クリスマス前の月曜日", "2026-12-21"),
        ("zh", "圣诞节前的周一", "2026-12-21"),
    ],
)
def test_a_weekday_may_be_told_by_another_day(language: str, said: str, day: str) -> None:
    assert [one.value for one in dates_in(said, lexicon(language), date(2026, 11, 22))] == [day]


def test_two_weekdays_stay_two() -> None:
    found = dates_in("Monday before Friday", lexicon("en"), date(2026, 11, 22))
    assert [one.value for one in found] == ["2026-11-23", "2026-11-27"]


def test_a_number_beside_a_weekday_is_a_day_only_if_both_agree() -> None:
    found = dates_in("Saturday 6", lexicon("en"), date(2026, 11, 22))
    assert [one.value for one in found] == ["2026-11-28"]


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("", "3 days after Christmas", "2026-12-28"),
        ("", "a week before the 20th", "2026-12-13"),
        ("", "two weeks after Friday", "2026-12-11"),
        ("", "a fortnight on Thursday", "2026-12-10"),
        ("", "six months after the 5th", "2027-06-05"),
        ("", "the day after Christmas", "2026-12-26"),
        ("", "day after Christmas", "2026-12-26"),
        ("", "the day before the 5th", "2026-12-04"),
        ("de", "drei Tage vor Silvester", "2026-12-28"),
        ("de", "am Tag nach Weihnachten", "2026-12-26"),
        ("de", "am Tag vor dem 5.", "2026-12-04"),
        ("fr", "une semaine avant le 20", "2026-12-13"),
        ("fr", "la veille du 5 décembre", "2026-12-04"),
        ("fr", "le lendemain de Noël", "2026-12-26"),
        ("es", "dos días después de Navidad", "2026-12-27"),
        ("es", "el día antes de Navidad", "2026-12-24"),
        ("it", "due giorni dopo Natale", "2026-12-27"),
        ("it", "il giorno prima di Natale", "2026-12-24"),
        ("pt", "uma semana antes do dia 20", "2026-12-13"),
        ("pt", "no dia depois do Natal", "2026-12-26"),
        ("nl", "een week voor de 20e", "2026-12-13"),
        ("nl", "de dag na Kerst", "2026-12-26"),
        ("ja", "クリスマスの2日後", "2026-12-27"),
        ("ja", "20日の1週間前", "2026-12-13"),
        ("ja", "クリスマスの翌日", "2026-12-26"),
        ("zh", "圣诞节后两天", "2026-12-27"),
        ("zh", "20号前一周", "2026-12-13"),
        ("zh", "圣诞节第二天", "2026-12-26"),
    ],
)
def test_a_day_is_counted_from_another(language: str, said: str, day: str) -> None:
    assert values(said, DAY, language=language) == {"day": day}


@pytest.mark.parametrize(
    ("said", "named"),
    [("any day after Friday", "Friday"), ("some day after the 5th", "the 5th")],
)
def test_any_day_after_another_is_not_the_next(said: str, named: str) -> None:
    spans = dates_in(said, lexicon("en"), date(2026, 11, 25))
    assert [one.words(said) for one in spans] == [named]


def test_a_stay_from_a_day_is_no_later_day() -> None:
    length = slot(timedelta, "How long?", name="length")
    read = values("two weeks from Friday", DAY, length, language="")
    assert read["length"] == "P14D"


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("en", "Easter Monday", "2027-03-29"),
        ("en", "Good Friday", "2027-03-26"),
        ("en", "Easter 2028", "2028-04-16"),
        ("de", "am Ostermontag", "2027-03-29"),
        ("de", "Christi Himmelfahrt", "2027-05-06"),
        ("fr", "le lundi de Pâques", "2027-03-29"),
        ("es", "el Viernes Santo", "2027-03-26"),
        ("it", "a Pasquetta", "2027-03-29"),
        ("pt", "na Sexta-feira Santa", "2027-03-26"),
        ("nl", "tweede paasdag", "2027-03-29"),
        ("ja", "イースター", "2027-03-28"),
        ("zh", "复活节", "2027-03-28"),
    ],
)
def test_easter_and_what_is_counted_from_it(language: str, said: str, day: str) -> None:
    today = date(2026, 11, 25)
    assert [one.value for one in dates_in(said, lexicon(language), today)] == [day]


def test_the_last_easter_is_meant_of_a_past_day() -> None:
    found = dates_in("Easter Monday", lexicon("en"), date(2026, 11, 25), "past")
    assert [one.value for one in found] == ["2026-04-06"]


def test_the_word_for_a_day_says_which_one_before_a_time() -> None:
    found = dates_in("sábado dia 28 às 13h", lexicon("pt"), date(2026, 11, 22))
    assert [one.value for one in found] == ["2026-11-28"]


@pytest.mark.parametrize(
    ("language", "said", "offered"),
    [
        ("", "January", "2027-01-01"),
        ("", "end of January", "2027-01-31"),
        ("", "mid January", None),
        ("de", "Mitte Januar", None),
        ("de", "Ende Januar", "2027-01-31"),
        ("fr", "mi-janvier", None),
        ("es", "a mediados de enero", None),
        ("nl", "eind januari", "2027-01-31"),
        ("pt", "fim de janeiro", "2027-01-31"),
        ("ja", "1月末", "2027-01-31"),
        ("zh", "一月底", "2027-01-31"),
        ("", "end of November", "2026-11-30"),
    ],
)
def test_a_month_is_no_day(language: str, said: str, offered: str | None) -> None:
    ops = read(said, DAY, asked=("day",), language=language)
    assert not [op for op in ops if isinstance(op, Set)]
    assert {op.value for op in ops if isinstance(op, Suggest)} <= {offered}


@pytest.mark.parametrize("said", ["end of January", "until the end of January"])
def test_what_ends_may_end_with_a_month(said: str) -> None:
    until = slot(date, "Until when?", name="until")
    assert values(said, until, asked=["until"]) == {"until": "2027-01-31"}


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("no, the first of next month", "2026-12-01"),
        ("no, the 5th of next month", "2026-12-05"),
        ("no, the 5th", "2027-01-05"),
    ],
)
def test_a_month_that_is_told_is_not_the_known_days(said: str, day: str) -> None:
    known = {"day": "2027-01-29"}
    assert values(said, DAY, asked=["day"], known=known) == {"day": day}
