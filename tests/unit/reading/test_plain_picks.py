"""Plain picks of one of the options shown: by its place, by degree, or any of them."""

from __future__ import annotations

from typing import Any, Literal, get_args

import pytest

from sayso.core.extraction_ops import Set, Suggest
from sayso.reading.evidence import is_stated
from sayso.reading.lexicon import lexicon
from sayso.reading.plain_picks import plain_pick
from sayso.reading.slot_types import shape_of
from tests.unit.reading.readers import read, slot

PLANS = {
    "en": (Literal["Economy", "Standard", "Express"], "Which delivery?"),
    "de": (Literal["Spar", "Standard", "Express"], "Welcher Versand?"),
    "fr": (Literal["Basic", "Plus", "Pro"], "Quelle formule ?"),
    "es": (Literal["Básico", "Plus", "Pro"], "¿Qué plan?"),
    "it": (Literal["Base", "Plus", "Pro"], "Quale piano?"),
    "nl": (Literal["Basis", "Plus", "Pro"], "Welk abonnement?"),
    "pt": (Literal["Básico", "Plus", "Pro"], "Qual plano?"),
    "ja": (Literal["ベーシック", "プラス", "プロ"], "どのプランにしますか？"),
    "zh": (Literal["基础版", "增强版", "专业版"], "选哪个套餐？"),
}
WHO = {
    "en": (Literal["Ms Okafor", "Mr Lindner", "No preference"], "Which therapist would you like?"),
    "de": (Literal["Frau Okafor", "Herr Lindner", "Egal"], "Zu wem möchten Sie?"),
    "fr": (Literal["Mme Okafor", "M. Lindner", "N'importe qui"], "Avec qui ?"),
    "es": (Literal["Sra. Okafor", "Sr. Lindner", "Cualquiera"], "¿Con quién?"),
    "it": (Literal["Sig.ra Okafor", "Sig. Lindner", "Indifferente"], "Con chi?"),
    "nl": (Literal["Mevr. Okafor", "Dhr. Lindner", "Maakt niet uit"], "Bij wie?"),
    "pt": (Literal["Sra. Okafor", "Sr. Lindner", "Tanto faz"], "Com quem?"),
    "ja": (Literal["岡田先生", "リンドナー先生", "どちらでも"], "どの先生がよろしいですか？"),
    "zh": (Literal["奥卡福医生", "林德纳医生", "都可以"], "您想约哪位医生？"),
}
BY_PLACE = [
    ("en", "the last one", "Express"),
    ("en", "second", "Standard"),
    ("en", "option 3 please", None),
    ("en", "number 2", "Standard"),
    ("en", "the middle one", "Standard"),
    ("fr", "celle du milieu", "Plus"),
    ("zh", "中间的", "增强版"),
    ("de", "den ersten", "Spar"),
    ("de", "Nummer zwei", "Standard"),
    ("fr", "la dernière", "Pro"),
    ("es", "el último", "Pro"),
    ("es", "el segundo", "Plus"),
    ("it", "l'ultimo", "Pro"),
    ("nl", "de tweede", "Plus"),
    ("nl", "de laatste", "Pro"),
    ("pt", "o segundo", "Plus"),
    ("ja", "二番目", "プラス"),
    ("ja", "最後の", "プロ"),
    ("zh", "第二个", "增强版"),
    ("zh", "最后一个", "专业版"),
]
WHICHEVER = [
    *(("en", said) for said in ("don't mind who", "whoever", "either", "it's all the same to me")),
    *(("de", said) for said in ("mir egal", "wer gerade Zeit hat")),
    *(("fr", said) for said in ("peu importe", "ça m'est égal", "comme vous voulez")),
    *(("es", said) for said in ("me da igual", "el que esté libre")),
    *(("it", said) for said in ("fa lo stesso", "chiunque")),
    *(("nl", said) for said in ("maakt me niet uit", "wie er tijd heeft")),
    *(("pt", said) for said in ("qualquer um", "pra mim é igual")),
    *(("ja", said) for said in ("どっちでもいい", "誰でもいいです")),
    *(("zh", said) for said in ("随便", "谁有空就谁")),
]
#: By degree, where nothing tells which option that is.
OPEN = [
    ("en", "the fast one"),
    ("en", "b"),
    ("fr", "la plus complète"),
    ("es", "el más barato"),
    ("it", "il più economico"),
    ("pt", "o mais barato"),
    ("zh", "最便宜的"),
]


def _picked(said: str, asked: tuple[Any, str], language: str) -> list[Any]:
    field = slot(*asked, name="pick")
    ops = read(said, field, asked=("pick",), language=language)
    values = [op.value for op in ops if isinstance(op, Set)]
    for value in values:
        assert is_stated(said, value, field, said, language=language, asked=True)
    return values


@pytest.mark.parametrize(("language", "said", "option"), BY_PLACE)
def test_by_its_place(language: str, said: str, option: str | None) -> None:
    assert _picked(said, PLANS[language], language) == ([option] if option else [])


@pytest.mark.parametrize(("language", "said"), WHICHEVER)
def test_whichever_is_the_option_that_stands_for_any(language: str, said: str) -> None:
    last = get_args(WHO[language][0])[-1]
    assert _picked(said, WHO[language], language) == [last]


@pytest.mark.parametrize(("language", "said"), OPEN)
def test_a_degree_that_tells_no_option_is_asked_about(language: str, said: str) -> None:
    field = slot(*PLANS[language], name="pick")
    ops = read(said, field, asked=("pick",), language=language)
    assert not [op for op in ops if isinstance(op, Set | Suggest)]


def test_the_option_whose_name_says_so_is_picked() -> None:
    cases = (("en", "the cheapest", "Economy"), ("de", "am sparsamsten", "Spar"))
    for language, said, option in (*cases, ("en", "Std", "Standard")):
        field = slot(*PLANS[language], name="pick")
        ops = read(said, field, asked=("pick",), language=language)
        assert [op.value for op in ops if isinstance(op, Set)] == [option]


SEATS = ["Stalls (£42)", "Balcony (£18)", "Box (£95)"]
CRATES = ["60 cm", "120 cm", "80 cm"]


@pytest.mark.parametrize(
    ("language", "said", "options", "picked"),
    [
        ("en", "cheapest you've got", SEATS, SEATS[1]),
        ("en", "the most expensive please", SEATS, SEATS[2]),
        ("nl", "de goedkoopste", SEATS, SEATS[1]),
        ("fr", "la moins chère", SEATS, SEATS[1]),
        ("es", "la más barata", SEATS, SEATS[1]),
        ("pt", "o mais caro mesmo", SEATS, SEATS[2]),
        ("it", "la più economica", SEATS, SEATS[1]),
        ("ja", "一番安いの", SEATS, SEATS[1]),
        ("zh", "最便宜的", SEATS, SEATS[1]),
        ("de", "gleich die größte", CRATES, CRATES[1]),
        ("en", "the smallest", CRATES, CRATES[0]),
        ("en", "the biggest", SEATS, None),
        ("en", "the cheapest", CRATES, None),
        ("en", "the cheapest?", SEATS, None),
        ("en", "not the cheapest", SEATS, None),
        ("en", "the second cheapest", SEATS, None),
        ("en", "my sister wants the cheapest", SEATS, None),
        ("en", "the cheapest", ["A (£5)", "B (£5)", "C (£9)"], None),
        ("en", "the cheapest", ["A (£5)", "B"], None),
    ],
)
def test_the_cheapest_is_the_one_whose_name_says_so(
    language: str, said: str, options: list[str], picked: str | None
) -> None:
    assert plain_pick(said, options, lexicon(language)) == picked
    if picked is not None:
        assert _picked(said, (Literal[tuple(options)], "Which?"), language) == [picked]


def test_an_ordinal_beside_the_word_for_an_option_is_its_place() -> None:
    classes = ["Econômica", "Executiva", "Primeira"]
    assert plain_pick("a segunda opção", classes, lexicon("pt")) == "Executiva"


@pytest.mark.parametrize("said", ["whoever", "the first one or the second", "not the last one"])
def test_what_picks_none(said: str) -> None:
    assert _picked(said, PLANS["en"], "en") == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (Literal["Second class", "First class"], "the first one"),
        (Literal["Terminal 2", "Terminal 3"], "number 2"),
        (Literal["Economy", "Standard", "Express"], "the last one?"),
        (Literal["Economy", "Standard", "Express"], '"the last one"'),
    ],
)
def test_a_place_that_may_be_a_name_or_is_asked_picks_none(options: Any, said: str) -> None:
    shape = shape_of(slot(options, "Which one?", name="pick"))
    assert plain_pick(said, shape.choices, lexicon("en")) is None
