"""A yes that is not alone: an order amid other talk is leave where the network hears it too, and
what only looks like one is not."""

from __future__ import annotations

import pytest

from sayso.reading.closed_forms import closed_forms
from sayso.reading.forms import Form
from sayso.reading.lexicon import lexicon
from sayso.reading.network import Network, Shares
from sayso.reading.reply_kinds import YESES, ReplyKind
from sayso.reading.second_witness import (
    BESIDE_QUESTION,
    GIVEN_AFTER_ALL,
    WITH_ORDER,
    WITHHELD,
    WITHOUT_ORDER,
)
from sayso.reading.yes_no import heard_in
from tests.unit.reading.readers import intents


def _heard(said: str, language: str = "") -> list[str]:
    return intents(said, pending=["checklist"], language=language)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Oh my aunt will be so happy. Yes, do it"),
        ("en", "come on, just do it already"),
        ("en", "nothing to change, go ahead"),
        ("en", "Yes, go ahead. Will I get an email when it's through?"),
        ("en", "yes thanks, bye!"),
        ("en", "Yes, thank you very much. Have a nice day!"),
        ("en", "Yes please, if you would be so kind."),
        ("en", "yesss 🐶"),
        ("en", "sounds great"),
        ("de", "nix auszusetzen, leg los"),
        ("de", "Ja, los. Vielen Dank und schönen Tag noch!"),
        ("fr", "bon allez, vas-y, qu'on en finisse"),
        ("es", "Sí, por favor. Muchas gracias y hasta luego."),
        ("es", "Sí, por favor, si es tan amable"),
        ("it", "sì, procedi pure, grazie e arrivederci"),
        ("nl", "ja doe maar, fijne dag nog"),
        ("pt", "sim, pode criar, obrigado e até logo"),
        ("ja", "OKです🙆‍♀️"),
        ("zh", "好，就这么定了，拜拜"),
        # What denies stands before an order, after a yes too, or finds nothing wrong.
        ("en", "No problems with any of that, do it."),
        ("en", "yes, no need to ring him, just create it"),
        ("es", "no le veo ninguna pega, créalo"),
        # A "but" that leads to the yes, and a small word that joins it.
        ("en", "It is late, but yes, go ahead"),
        ("en", "The kids are asleep, so yes, go ahead"),
        ("nl", "mijn tante is er gek op, dus ja, maak het maar"),
        ("en", "Yes please, send it off. What's the address?"),
    ],
)
def test_it_is_leave(language: str, said: str) -> None:
    assert _heard(said, language) == ["confirm"], said


@pytest.mark.parametrize(
    "said",
    [
        "sit! good boy! yes! yes you are!",
        "great, Sunday at eleven at night, exactly what I dreamt of",
        "yes, my mother said the same",
        "Yes, provided there's no downtime",
        "go ahead, as long as it isn't worse than yesterday",
        "Yes, once I'm back",
        "Yes, the larger one",
        "Yes, delete everything",
        "delete it",
        "refund it",
        "yes, what'll it come to with VAT?",
        "I'd say do it, if I were you",
        "do it yourself then",
        "my boss says go ahead",
        "yes 🤔",
        "yes ❓",
        "ok ✋",
        "go ahead ⏳",
        "that looks lovely!",
        "good work",
        "great work",
        "brilliant work!",
        "beautiful look",
        "great sound",
        "you are right",
        "you're correct",
        "no, just don't",
        "No. Do it tomorrow",
        "No way, send me an email first",
        "But yes, the larger one",
        "ma sì dai, me la tengo la palestra",
        "yes but not now, go ahead with the other one",
        "yes, is the 50 refundable",
        "sure, is four the maximum",
        "you create yours, I create mine",
        "my mother creates a checklist every year",
        "oh yes, do it, and while you're at it order me a yacht",
        "yes, create another one as well",
    ],
)
def test_it_is_none(said: str) -> None:
    assert "confirm" not in _heard(said), said


@pytest.mark.parametrize(
    ("said", "least"),
    [
        ("come on, just do it already", WITH_ORDER),
        ("Yes! Champagne for everybody!", WITHOUT_ORDER),
        ("Yes. What's the address?", BESIDE_QUESTION),
    ],
)
def test_both_witnesses_are_needed(
    monkeypatch: pytest.MonkeyPatch, said: str, least: float
) -> None:
    shares = Network.shares
    for given, kind in ((least, "confirm"), (least - 0.01, "lean")):

        def heard(self: Network, inputs: object, given: float = given) -> Shares:
            found = shares(self, inputs)  # type: ignore[arg-type]  # as the product calls it
            return Shares(found.fields, found.withheld, given)

        monkeypatch.setattr(Network, "shares", heard)
        assert _heard(said) == [kind]


@pytest.mark.parametrize(
    ("said", "runs", "leans"),
    [
        ("yes", ["confirm"], ["lean"]),
        ("create the checklist", ["checklist!", "confirm"], ["checklist?", "lean"]),
    ],
)
def test_what_the_network_is_sure_to_be_no_leave_only_leans(
    monkeypatch: pytest.MonkeyPatch, said: str, runs: list[str], leans: list[str]
) -> None:
    shares = Network.shares
    for withheld, found in ((WITHHELD, leans), (WITHHELD - 0.01, runs)):

        def heard(self: Network, inputs: object, withheld: float = withheld) -> Shares:
            told = shares(self, inputs)  # type: ignore[arg-type]  # as the product calls it
            return Shares(told.fields, withheld, told.given)

        monkeypatch.setattr(Network, "shares", heard)
        assert intents(said, pending=["checklist"], kind="card") == found


@pytest.mark.parametrize(
    ("language", "said", "gives"),
    [
        # One who is glad of it and orders nothing says a yes amid other talk,
        ("en", "yes! then I can finally see the sea again", ReplyKind.YES_AMID),
        # and so does one who tells of somebody else, takes half of it back, or names a number.
        ("en", "do it, my wife can finally sleep again", ReplyKind.ORDER_AMID),
        ("fr", "vas-y, enfin presque", ReplyKind.ORDER_AMID),
        ("en", "do it, then I can finally see gate 7 again", ReplyKind.ORDER_AMID),
        ("en", "do it, then I can finally cross that off", ReplyKind.STRONG),
        # A price is heard first, whatever else is said.
        ("en", "Go ahead. My aunt is happy. What does it cost?", ReplyKind.WEAK),
        ("en", "Go ahead. My aunt is happy. What are you called?", ReplyKind.ORDER_AMID),
        # What denies may stand before an order, and before no other yes; nor after one.
        ("en", "I don't go there any more, go ahead", ReplyKind.ORDER_AMID),
        ("en", "without breakfast, that is correct", ReplyKind.NONE),
        ("en", "Yes please, I never go there anyway", ReplyKind.NONE),
        ("en", "we have waited long enough, do it", ReplyKind.ORDER_AMID),
        ("en", "Thanks for the menu, looks good", ReplyKind.WEAK),
        ("nl", "bedankt voor het menu, ziet er goed uit", ReplyKind.WEAK),
        ("en", "👎", ReplyKind.NO),
        ("fr", "c'est bon, mais attends le retour de Paul", ReplyKind.LATER),
        ("pt", "sim, depois das férias a gente marca", ReplyKind.LATER),
    ],
)
def test_what_else_is_said_decides_what_it_gives(
    language: str, said: str, gives: ReplyKind
) -> None:
    assert heard_in(said, language).leave is gives


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "May I have the address?"),
        ("en", "Please find out whether they have parking."),
        ("es", "Si tienen balcón la reservo; ¿tienen balcón?"),
        ("pt", "Se for no rés-do-chão, pode reservar."),
        ("de", "ja gut, sobald der Umzug durch ist"),
        ("en", '"Yes, do it!" she shouted, and then she cried'),
        ("es", 'sí sí, "envíalo y ya", como dice mi jefe'),
        ("zh", "老王转来的：“同意，订吧。”他看的是这张单吗？"),
    ],
)
def test_a_request_a_condition_and_a_quote_hold_no_yes(language: str, said: str) -> None:
    assert heard_in(said, language).leave not in YESES


@pytest.mark.parametrize("sign", "😬🙄🤔😕🤷👎🛑⛔❌❓⏳⌛🤡💔🫠")
def test_a_sign_that_tells_something_is_no_chatter(sign: str) -> None:
    assert not closed_forms(f"yes {sign}", lexicon("en")).is_whole


@pytest.mark.parametrize("sign", "🐶🎂💸🍺🏠🌞")
def test_a_sign_of_a_thing_says_nothing(sign: str) -> None:
    closed = closed_forms(f"yes {sign}", lexicon("en"))
    assert closed.is_whole
    assert set(closed.forms) <= {Form.YES, Form.CHATTER}


def test_a_no_that_may_be_a_yes_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = Network.shares
    for given, kind in ((GIVEN_AFTER_ALL, "lean"), (GIVEN_AFTER_ALL - 0.01, "deny")):

        def heard(self: Network, inputs: object, given: float = given) -> Shares:
            found = shares(self, inputs)  # type: ignore[arg-type]  # as the product calls it
            return Shares(found.fields, found.withheld, given)

        monkeypatch.setattr(Network, "shares", heard)
        assert _heard("don't see anything wrong there, get it sent") == [kind]


@pytest.mark.parametrize("said", ["no", "no thanks", "no, leave it", "please don't", "nope, wrong"])
def test_a_plain_no_stays_one(said: str) -> None:
    assert _heard(said) == ["deny"]
