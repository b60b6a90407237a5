"""A yes with a question after it: one for information comes with it, any other is heard first."""

from __future__ import annotations

import pytest

from sayso.reading.reply_kinds import ReplyKind
from sayso.reading.yes_no import heard_in


@pytest.mark.parametrize(
    "words",
    [
        "That would be fine. May I have the phone number and the address of the garage?",
        "Yes that's right and could you give me their email?",
        "Yes, that's correct. Please find out whether they have parking.",
        "Sure. Hwo long will the ride take?",
        "Yes? That's correct.",
        "That's right to proceed",
    ],
)
def test_it_is_a_yes(words: str) -> None:
    assert heard_in(words).leave is ReplyKind.STRONG


@pytest.mark.parametrize(
    "words",
    [
        "Yes. May I have a window seat?",
        "Yes, could you get me a nicer location?",
        "Yes. Can you get me another phone number?",
        "Yes, can you change the phone number?",
        "Yes, may I have the address first?",
        "Yes, may I have the total?",
        "Yes, check if Ann agrees",
        "Yes, find out if the team has approved it",
        "Yes, check whether they have a refund policy",
        "yes, can you check whether they have parking before you book?",
        "Yes? Correct?",
        "Yes? No",
        "yes if they have parking",
        # Rows of spaces once took a quarter of a minute.
        "yes. give me" + " " * 1900 + "x",
    ],
)
def test_it_is_no_yes_yet(words: str) -> None:
    assert heard_in(words).leave is not ReplyKind.STRONG


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Yes. Can you tell me the address?"),
        ("de", "Ja. Können Sie mir die Adresse geben?"),
        ("fr", "Oui. Pouvez-vous me donner l'adresse ?"),
        ("es", "Sí. ¿Me puede dar la dirección?"),
        ("it", "Sì. Può dirmi l'indirizzo?"),
        ("nl", "Ja. Kun je me het adres geven?"),
        ("pt", "Sim. Pode me dizer o endereço?"),
        ("ja", "はい。住所を教えてください。"),
        ("zh", "好的。可以告诉我地址吗？"),
    ],
)
def test_information_is_asked_for_in_each_language(language: str, words: str) -> None:
    heard = heard_in(words, language)
    assert (heard.leave, bool(heard.question)) == (ReplyKind.STRONG, True)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Ja. Können Sie die Adresse ändern?"),
        ("de", "Ja. Können Sie mir sagen, was das kostet?"),
        ("fr", "Oui. Pouvez-vous ajouter un lit ?"),
        ("es", "Sí. ¿Puede darme otro asiento?"),
        ("it", "Sì. Può dirmi se è sicuro?"),
        ("nl", "Ja. Kun je een ander adres nemen?"),
        ("pt", "Sim. Pode mudar o endereço?"),
        ("ja", "はい。住所を変えてください。"),
        ("zh", "好的。可以给我换座位吗？"),
    ],
)
def test_a_change_or_a_price_is_heard_first_in_each_language(language: str, words: str) -> None:
    assert heard_in(words, language).leave is not ReplyKind.STRONG
