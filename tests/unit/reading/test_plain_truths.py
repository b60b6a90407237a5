"""Plain answers to a question of yes or no, as people give them in nine languages."""

from __future__ import annotations

import pytest

from sayso.core.extraction_ops import Set
from sayso.reading.evidence import is_stated
from tests.unit.reading.readers import read, slot

QUESTIONS = {
    "en": ("Do you need breakfast?", "Would you like insurance?"),
    "de": ("Brauchen Sie Frühstück?", "Möchten Sie eine Versicherung?"),
    "fr": ("Voulez-vous le petit-déjeuner ?", "Souhaitez-vous une assurance ?"),
    "es": ("¿Quiere desayuno?", "¿Desea un seguro?"),
    "it": ("Vuole la colazione?", "Desidera un'assicurazione?"),
    "nl": ("Wilt u ontbijt?", "Wilt u een verzekering?"),
    "pt": ("Quer café da manhã?", "Deseja um seguro?"),
    "ja": ("朝食は必要ですか？", "保険は必要ですか？"),
    "zh": ("需要早餐吗？", "需要保险吗？"),
}
YES = {
    "en": ["why not", "of course we do", "we'd love that", "go on then", "yes please"],
    "de": ["warum nicht", "auf jeden Fall", "sehr gerne", "aber sicher"],
    "fr": ["pourquoi pas", "volontiers", "ça marche", "bien sûr"],
    "es": ["por qué no", "me encantaría", "claro que sí", "con gusto"],
    "it": ["volentieri", "perché no", "senz'altro", "certo che sì"],
    "nl": ["waarom niet", "heel graag", "ja hoor", "zeker"],
    "pt": ["por que não", "evidentemente", "com certeza", "pode ser"],
    "ja": ["お願いします", "もちろん", "必要です"],
    "zh": ["要", "当然", "嗯，要"],
}
NO = {
    "en": ["I don't", "of course not", "I don't think so", "we'll skip it", "not this time",
           "no thank you, we're fine", "that won't be necessary", "nah we're good"],
    "de": ["natürlich nicht", "muss nicht sein", "passt schon, nein", "diesmal nicht"],
    "fr": ["bien sûr que non", "je ne crois pas", "ce n'est pas nécessaire", "sans façon"],
    "es": ["claro que no", "por supuesto que no", "qué va", "esta vez no"],
    "it": ["certo che no", "direi di no", "non ne ho bisogno", "stavolta no"],
    "nl": ["deze keer niet", "zeker niet", "laat maar", "dat is niet nodig"],
    "pt": ["claro que não", "acho que não", "desta vez não", "dispenso"],
    "ja": ["今回はいいです", "遠慮します", "結構です"],
    "zh": ["不用了", "这次不用", "免了"],
}  # fmt: skip
SAID = [
    (language, said, truth)
    for truth, each in ((True, YES), (False, NO))
    for language, row in each.items()
    for said in row
]


@pytest.mark.parametrize(("language", "said", "truth"), SAID)
def test_a_plain_answer_says_yes_or_no(language: str, said: str, *, truth: bool) -> None:
    for name, question in zip(("breakfast", "insurance"), QUESTIONS[language], strict=True):
        field = slot(bool, question, name=name)
        ops = read(said, field, asked=(name,), language=language)
        assert [op.value for op in ops if isinstance(op, Set)] == [truth]
        states = [
            is_stated(said, value, field, said, language=language, asked=True)
            for value in (truth, not truth)
        ]
        assert states == ([True, False] if said != "go on then" else [False, False])


@pytest.mark.parametrize("said", ["yes no", "no, yes", "thanks", "we're fine"])
def test_what_says_both_or_neither_is_no_plain_answer(said: str) -> None:
    field = slot(bool, "Do you need breakfast?", name="breakfast")
    assert not [op for op in read(said, field, asked=("breakfast",)) if isinstance(op, Set)]


def test_a_plain_no_to_two_questions_answers_neither() -> None:
    both = [slot(bool, f"Do you need {name}?", name=name) for name in ("breakfast", "parking")]
    ops = read("of course not", *both, asked=("breakfast", "parking"))
    assert not [op for op in ops if isinstance(op, Set)]
