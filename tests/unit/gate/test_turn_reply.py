"""What the gate says in a turn: never the same twice, in the person's words and language."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Annotated, Any

import pytest
from pydantic import Field

from sayso.core.requirements import Pending, RequirementState, value_hash, values_for
from sayso.gate.actions import Actions
from sayso.gate.fields import Ask, Requirements
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import take_turn
from sayso.reading.asides import Aside, aside_in
from sayso.reading.hedged_yes import Hedge, hedge_of
from sayso.reading.rule_extractor import RuleExtractor


class Trip(Requirements):
    destination: Annotated[
        str,
        Ask("Where are you going?", why="to look up the weather", texts={"de": "Wohin geht es?"}),
    ]
    departure: Annotated[date, Ask("When do you leave?")]
    pace: Annotated[str, Ask("Calm or brisk?", choices=["calm", "brisk"])]


class Report(Requirements):
    topic: Annotated[str, Ask("What about?")]
    pages: Annotated[int, Field(ge=1), Ask("How many pages?")]


@pytest.fixture
def actions() -> Actions:
    made = Actions()
    made.add("trip", None, requires=Trip, verb="book the trip", phrases=["book the trip"])
    return made


class Talk:
    def __init__(self, actions: Actions) -> None:
        self.actions, self.state, self.said = actions, RequirementState(), 0

    async def say(self, words: str) -> str:
        self.said += 1
        message = PersonMessage(
            id=f"m{self.said}", text=words, at=datetime(2026, 11, 23, 9, tzinfo=UTC)
        )
        self.state = await take_turn(message, self.state, self.actions, RuleExtractor())
        assert self.state.turn is not None
        return "\n".join(str(one["text"]) for one in self.state.turn.says)

    def opens_its_card(self) -> None:
        """As the server does once a turn leads to a card."""
        specs = {spec.name: spec for spec in self.actions.specs}
        hashes = {
            name: value_hash(name, values_for(specs[name], self.state)) for name in self.chosen
        }
        pending = Pending(id="card", kind="card", hashes=hashes)
        self.state = self.state.model_copy(update={"pending": pending})

    @property
    def chosen(self) -> list[str]:
        assert self.state.turn is not None
        return [*self.state.turn.actions]

    @property
    def form(self) -> tuple[str, ...]:
        assert self.state.turn is not None
        return self.state.turn.form


async def test_each_turn_says_what_it_took_in_the_persons_words(actions: Actions) -> None:
    talk = Talk(actions)
    said = await talk.say("book the trip to Oslo, leaving on December 18")
    assert said.startswith("Noted: ")
    assert "Oslo" in said
    assert "(Dec 18, 2026)" in said
    assert said.endswith("Calm or brisk?")


async def test_nothing_is_said_twice_and_what_is_asked_in_vain_becomes_a_form(
    actions: Actions,
) -> None:
    talk = Talk(actions)
    replies = [await talk.say("book the trip to Oslo")]
    asked = 0
    while not talk.form:
        asked += 1
        assert asked < 4
        replies.append(await talk.say("what is the weather like there?"))
    assert asked == 2
    assert set(talk.form) == {"departure", "pace"}
    said = [set(filter(None, reply.splitlines())) for reply in replies]
    assert all(not one & other for one, other in pairwise(said))


async def test_it_says_why_an_answer_was_not_taken(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo, calm please")
    assert "I found no date" in await talk.say("what is the weather like there?")


async def test_it_answers_what_it_is_asked(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip")
    assert await talk.say("why do you need that?") == "Destination: to look up the weather"
    assert talk.state.asked == ("destination", "departure")
    assert await talk.say("what have you got?") == (
        "Nothing yet.\nStill needed: Destination, Departure, Pace."
    )
    await talk.say("To Oslo")
    assert await talk.say("what do you need?") == "Still needed: Departure, Pace."
    await talk.say("start over")
    assert talk.state.values == {}
    assert talk.state.requested == ()


async def test_it_speaks_the_persons_language_and_the_questions_as_they_are_given(
    actions: Actions,
) -> None:
    talk = Talk(actions)
    said = await talk.say("Ich will das bitte machen: book the trip")
    assert said.endswith("Wohin geht es? When do you leave?")
    assert await talk.say("wozu?") == "Destination: to look up the weather"
    assert (await talk.say("Nach Oslo")).startswith("Notiert: ")
    assert await talk.say("von vorne bitte") == (
        "Gut, wir fangen neu an.\nDabei kann ich helfen. Was genau brauchen Sie?"
    )


async def test_after_a_no_nothing_is_pushed(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo on December 18, calm")
    assert talk.chosen == ["trip"]
    talk.opens_its_card()
    assert await talk.say("no, don't") == "All right, not done: book the trip."
    assert talk.state.asked == ()


async def at_the_card(actions: Actions) -> Talk:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo on December 18, calm")
    assert talk.chosen == ["trip"]
    talk.opens_its_card()
    return talk


async def heard_at(talk: Talk, *messages: str) -> list[str]:
    """Return what is said to each message at the card, which comes again each time."""
    said = []
    for words in messages:
        said.append(await talk.say(words))
        assert talk.chosen == ["trip"]
        talk.opens_its_card()
    return said


async def test_a_card_that_comes_back_as_it_was_says_so(actions: Actions) -> None:
    talk = await at_the_card(actions)
    said = await heard_at(talk, *["the weather is nice there I hear"] * 4)
    assert said[:2] == [
        "I took no change from that; it stands as it was.",
        "Every value can be changed on the card itself.",
    ]
    assert len({*said}) == 4


@pytest.mark.parametrize(
    ("messages", "first"),
    [
        (["great"] * 5, "That sounds like a yes, and I want to be sure: shall I go ahead?"),
        (
            ["are you sure", "are you really sure", "hm", "are you sure", "hm"],
            "I cannot answer that; all that I know is on the card.",
        ),
    ],
)
async def test_at_the_card_no_reply_is_empty_or_the_one_before(
    actions: Actions, messages: list[str], first: str
) -> None:
    said = await heard_at(await at_the_card(actions), *messages)
    assert said[0] == first
    assert all(said)
    assert all(one != other for one, other in pairwise(said))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("yes, if my wife agrees", "Your yes has a condition, so I have not done it."),
        ("yes, when I'm back from lunch", "Your yes is for later, so I have not done it."),
        ("yes, but is it refundable?", "Your yes came with a question that I cannot answer"),
        ("ja, wenn meine Frau zustimmt", "Ihr Ja hat eine Bedingung"),
        ("oui, si ma femme est d'accord", "Votre oui a une condition"),
        ("sí, si mi mujer quiere", "Su sí tiene una condición"),
        ("sim, se a minha mulher concordar", "O seu sim tem uma condição"),
        ("sì, se mia moglie è d'accordo", "Il suo sì ha una condizione"),
        ("ja, als mijn vrouw het goed vindt", "Uw ja heeft een voorwaarde"),
    ],
)
async def test_a_hedged_yes_is_told_why_it_did_not_count_and_asked_outright(
    actions: Actions, words: str, why: str
) -> None:
    talk = await at_the_card(actions)
    [said] = await heard_at(talk, words)
    assert said.startswith(why)
    assert not talk.state.grants
    assert talk.state.turn is not None
    assert talk.state.turn.asks_outright
    await talk.say("yes")
    assert [grant.action for grant in talk.state.grants] == ["trip"]


@pytest.mark.parametrize(
    ("words", "hedge"),
    [
        ("would you do it if you were me", None),
        ("si je disais oui, je pourrais encore changer l'heure", None),
        ("if my wife agrees", None),
        ("yes", None),
        ("Tom said: yes, if it rains", None),
        ("Ja, und was kostet es, wenn wir absagen müssen?", Hedge.QUESTION),
        ("As long as it covers skiing, go for it", Hedge.CONDITION),
        ("好的，一共多少钱？", Hedge.QUESTION),
    ],
)
def test_what_hedges_a_yes(words: str, hedge: Hedge | None) -> None:
    assert hedge_of(words, "") is hedge


async def test_another_action_that_is_asked_for_at_the_card_is_noted(actions: Actions) -> None:
    actions.add("report", None, requires=Report, verb="write the report")
    talk = await at_the_card(actions)
    assert await heard_at(talk, "write the report too") == ["Noted: write the report."]
    assert "report" in talk.state.requested


@pytest.mark.parametrize("words", ["why?", "what do you need?", "what have you got?", "start over"])
async def test_what_is_asked_again_is_answered_in_other_words(actions: Actions, words: str) -> None:
    actions.add("report", None, requires=Report, verb="write the report")
    talk = Talk(actions)
    await talk.say("write the report, 3 pages")
    replies = [(await talk.say(words)).splitlines() for _ in range(4)]
    assert all(replies)
    assert all({*one}.isdisjoint(other) for one, other in pairwise(replies))


async def test_what_is_still_needed_is_said_once_more_by_its_questions(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo")
    assert await talk.say("what do you need?") == "Still needed: Departure, Pace."
    assert await talk.say("what do you need?") == (
        "I would still like to know: When do you leave? Calm or brisk?"
    )


async def test_a_form_comes_again_with_other_words(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo")
    says = []
    for _ in range(6):
        await talk.say("what is the weather like there?")
        assert talk.state.turn is not None
        says += [talk.state.turn.form_says] if talk.form else []
    assert len(says) > 3
    assert all(one != other for one, other in pairwise(says))


async def test_after_starting_over_questions_are_asked_in_words_again(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo")
    while not talk.form:
        await talk.say("what is the weather like there?")
    await talk.say("start over")
    assert (await talk.say("book the trip")).endswith("When do you leave?")


async def test_one_card_waits_for_what_another_action_lacks(actions: Actions) -> None:
    actions.add("report", None, requires=Report, verb="write the report")
    talk = Talk(actions)
    await talk.say("book the trip and write the report")
    await talk.say("Oslo, December 18, calm")
    assert talk.chosen == []
    await talk.say("book the trip")
    assert talk.chosen == ["trip"]
    assert "report" in talk.state.requested


@pytest.mark.parametrize(
    ("words", "aside"),
    [
        ("why do you need to know if I'm alone?", Aside.WHY),
        ("why not", None),
        ("what do you need?", Aside.NEEDS),
        ("what have you got so far", Aside.KNOWN),
        ("ok, let's start over please", Aside.START_OVER),
        ("don't start over", None),
        ("we start over in Rome", None),
        ("what do you have on friday", None),
        ("wozu?", Aside.WHY),
        ("von vorne bitte", Aside.START_OVER),
        ("pourquoi vous demandez ça ?", Aside.WHY),
        ("¿por qué?", Aside.WHY),
        ("ricominciamo da capo", Aside.START_OVER),
        ("waarom?", Aside.WHY),
        ("o que falta?", Aside.NEEDS),
        ("重新开始", Aside.START_OVER),
        ("なぜですか", Aside.WHY),
        ("なんで？", Aside.WHY),
        ("うちの夫はヘルニアなんですよ", None),
        ("> start over", None),
        ("¿qué tienes?", Aside.KNOWN),
        ("was hast du denn?", Aside.KNOWN),
        ("what information do you have about me so far?", Aside.KNOWN),
        ("cosa hai?", Aside.KNOWN),
        ("wat heb je nu allemaal", Aside.KNOWN),
        ("quelles informations avez-vous ?", Aside.KNOWN),
        ("o que tens?", Aside.KNOWN),
        ("你有什么信息？", Aside.KNOWN),
        ("どんな情報がありますか", Aside.KNOWN),
        ("for what reason?", Aside.WHY),
        ("aus welchem Grund?", Aside.WHY),
        ("pour quelle raison ?", Aside.WHY),
        ("om welke reden?", Aside.WHY),
        ("出于什么原因？", Aside.WHY),
        ("which information do you need?", Aside.NEEDS),
        ("was hast du am Freitag frei?", None),
        ("was hast du gesagt?", None),
        ("what information do you have about Rome?", None),
        ("que tienes razón", None),
        ("what reason did they give", None),
        ("Rome", None),
    ],
)
def test_what_a_message_asks_of_the_gate(words: str, aside: Any) -> None:
    assert aside_in(words, "") is aside


@pytest.mark.parametrize(
    "words",
    [
        *("wait, start over please", "no, start over", "no start over", "stop, start over"),
        *("ok wait, let's start over", "never mind, let's start all over again"),
        *("nochmal von vorn", "warte, nochmal von vorn", "nein, von vorne bitte"),
        *("stopp, fangen wir nochmal von vorne an", "attends, on recommence", "non, recommençons"),
        *("espera, empecemos de nuevo", "no, empezar de nuevo", "pera, quero recomeçar"),
        *("não, começar de novo", "aspetta, ricominciamo", "no, ricominciamo da capo"),
        *("wacht even, helemaal opnieuw graag", "nee, begin opnieuw", "等等，重新开始"),
        *("不对，重新开始吧", "待って、最初からお願いします", "いや、最初からやり直したい"),
    ],
)
def test_what_stops_the_talk_before_an_order_to_start_over_does_not_hide_it(words: str) -> None:
    assert aside_in(words, "") is Aside.START_OVER


@pytest.mark.parametrize(
    "words",
    [
        *("wait, don't start over", "no, don't start over", "no need to start over"),
        *("wait before you start over", "Rome, no, start over there", "wait", "no"),
        *("nein, nicht von vorne", "nicht nochmal von vorn", "non, ne recommençons pas"),
        *("no empezar de nuevo", "no, no empecemos de nuevo", "não começar de novo"),
        *("no, non ricominciamo", "nee, niet opnieuw beginnen", "等等，不要重新开始"),
        *(
            "desde el principio",
            "dall'inizio",
            "from the top",
            "不要重新开始",
            "最初からやり直さないで",
            "opnieuw een auto huren",
        ),
    ],
)
def test_nothing_starts_over_that_was_not_told_to(words: str) -> None:
    assert aside_in(words, "") is not Aside.START_OVER


async def test_a_wait_before_an_order_to_start_over_keeps_no_value(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo")
    assert (await talk.say("wait, start over please")).startswith("All right, we start over.")
    assert talk.state.values == {}


class Car(Requirements):
    size: Annotated[str, Ask("Which size?", choices=["small", "van"])]
    region: Annotated[str, Ask("Which region?")]


class Miete(Requirements):
    groesse: Annotated[str, Ask("Welche Größe soll es sein?")]
    ort: Annotated[str, Ask("Wo holen Sie das Auto ab?")]


def language_of(talk: Talk) -> str:
    assert talk.state.turn is not None
    return talk.state.turn.language


@pytest.mark.parametrize(
    ("messages", "language"),
    [
        (["van"], ""),
        (["EU"], ""),
        (["hm"], ""),
        (["rent the car", "van", "EU"], ""),
        (["I want to rent the car", "van", "EU", "hm"], "en"),
        (["für zwei"], "de"),
        (["ich möchte nach Rom"], "de"),
        (["vorrei andare a Roma"], "it"),
        (["je veux une voiture"], "fr"),
        (["quero ir para Roma"], "pt"),
        (["quiero ir a Roma"], "es"),
        (["ik wil naar Rome"], "nl"),
        (["ローマへ"], "ja"),
        (["去罗马"], "zh"),
        (["van", "ich möchte nach Rom", "van"], "de"),
    ],
)
async def test_one_borrowed_word_is_no_other_language(messages: list[str], language: str) -> None:
    actions = Actions()
    actions.add("car", None, requires=Car, verb="rent the car", phrases=["rent the car"])
    talk = Talk(actions)
    for words in messages:
        await talk.say(words)
    assert language_of(talk) == language


@pytest.mark.parametrize(
    ("messages", "language"),
    [
        (["Rom"], "de"),
        (["van"], "de"),
        (["I want to rent a car"], "en"),
        (["das Auto mieten"], "de"),
    ],
)
async def test_whoever_is_asked_in_german_is_answered_in_german(
    messages: list[str], language: str
) -> None:
    actions = Actions()
    actions.add("miete", None, requires=Miete, verb="das Auto mieten", title="Miete")
    talk = Talk(actions)
    for words in messages:
        await talk.say(words)
    assert language_of(talk) == language


async def test_the_applications_german_phrase_alone_is_answered_in_german() -> None:
    actions = Actions()
    actions.add("trip", None, requires=Trip, verb="plan the trip", phrases=["plane die Reise"])
    talk = Talk(actions)
    assert (await talk.say("plane die Reise")).startswith("Ein paar Angaben fehlen mir noch")
    assert language_of(talk) == "de"
