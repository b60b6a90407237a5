"""A moment may be told in two messages: the day is kept, and the question says that the time is
missing."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Annotated

import pytest

from sayso import App, ToolContext
from sayso.core.extraction_ops import Begin, Set
from sayso.core.requirements import Begun, Given, RequirementState, Source, TurnTaken
from sayso.gate import Ask, Requirements
from sayso.gate.actions import Actions
from sayso.gate.messages import panel
from tests.unit.gate.test_hostile import Conversation
from tests.unit.reading.readers import read, slot

FRIDAY = date(2026, 11, 27)  # the readings' today is the Sunday before


class Appointment(Requirements):
    when: Annotated[datetime, Ask("When is the appointment?")]
    name: Annotated[str, Ask("For whom?")]


def _chat(ran: list[Appointment]) -> Conversation:
    app = App(name="desk")

    @app.action("appointment", requires=Appointment, verb="book the appointment")
    async def appointment(req: Appointment, ctx: ToolContext) -> str:
        ran.append(req)
        return "Booked."

    return Conversation(app.programs()["desk"], "c")


@pytest.mark.parametrize(
    ("language", "question", "day", "time"),
    [
        ("en", "When is the appointment?", "on Friday", "at 3 pm"),
        ("de", "Wann ist der Termin?", "am Freitag", "um 15 Uhr"),
        ("fr", "Quand est le rendez-vous ?", "vendredi", "à 15 h"),
        ("es", "¿Cuándo es la cita?", "el viernes", "a las tres de la tarde"),
        ("it", "Quando è l'appuntamento?", "venerdì", "alle 15"),
        ("nl", "Wanneer is de afspraak?", "vrijdag", "om 15 uur"),
        ("pt", "Quando é a consulta?", "na sexta-feira", "às 15 horas"),
        ("ja", "予約はいつですか？", "金曜日", "午後3時"),
        ("zh", "预约什么时候？", "星期五", "下午三点"),
    ],
)
def test_the_day_begins_it_and_the_time_ends_it(
    language: str, question: str, day: str, time: str
) -> None:
    asked = slot(datetime, question, name="when")
    said = {"asked": ("when",), "language": language}
    [begun] = read(day, asked, **said)
    assert isinstance(begun, Begin)
    assert begun.value == FRIDAY.isoformat()
    [ended] = read(time, asked, **said, begun={"when": Begun(day=FRIDAY, quote=begun.quote)})
    assert isinstance(ended, Set)
    assert ended.value == f"{FRIDAY}T15:00:00"


@pytest.mark.parametrize(
    ("language", "day", "time", "hour"),
    [
        ("en", "Friday evening", "at seven", 19),
        ("en", "Friday morning", "at seven", 7),
        ("en", "Friday", "at 7", 7),
        ("en", "Friday evening", "7 in the morning, sorry", 7),
        ("de", "Freitagabend", "um 7", 19),
        ("nl", "vrijdagavond", "om 7 uur", 19),
    ],
)
def test_the_half_of_the_day_that_came_with_the_day_counts(
    language: str, day: str, time: str, hour: int
) -> None:
    asked = slot(datetime, "When?", name="when")
    begun = {"when": Begun(day=FRIDAY, quote=day)}
    found = read(time, asked, asked=("when",), language=language, begun=begun)
    assert [getattr(op, "value", None) for op in found] == [f"{FRIDAY}T{hour:02}:00:00"]


@pytest.mark.parametrize(("language", "said"), [("en", "the 4th"), ("fr", "jeudi")])
def test_a_day_that_two_open_questions_could_take_is_neither_s(language: str, said: str) -> None:
    old = slot(date, "Which day is it now?", name="old_day")
    new = slot(datetime, "When instead?", name="new_time")
    found = read(said, old, new, asked=("old_day", "new_time"), language=language)
    assert not [op for op in found if isinstance(op, Set | Begin)]


async def test_the_words_of_a_day_are_no_offer_for_something_else() -> None:
    chat = _chat([])
    await chat.say("Book the appointment")
    await chat.say("tomorrow")
    assert "did you mean" not in chat.run.said
    assert "When is the appointment?" in chat.run.said
    assert "only the time is missing" in chat.run.said
    assert "For whom?" in chat.run.said


async def test_a_day_is_asked_on_about_and_never_runs() -> None:
    ran: list[Appointment] = []
    chat = _chat(ran)
    await chat.say("Book the appointment for Anna tomorrow")
    assert "tomorrow" in chat.run.said
    assert chat.state.values.keys() == {"name"}
    await chat.say("yes")
    assert (ran, chat.card) == ([], None)
    await chat.say("at 3 pm")
    assert chat.card is not None
    await chat.say("yes")
    assert [(one.name, one.when.hour) for one in ran] == [("Anna", 15)]


@pytest.mark.parametrize("said", ["no, on 5 March 2031", "no, on the 5th", "a day later, please"])
async def test_another_day_takes_the_place_of_the_begun_one(said: str) -> None:
    ran: list[Appointment] = []
    chat = _chat(ran)
    await chat.say("Book the appointment for Anna on 4 March 2031")
    await chat.say(said)
    await chat.say("at 3 pm")
    await chat.say("yes")
    assert [one.when.isoformat() for one in ran] == ["2031-03-05T15:00:00"]


async def test_a_day_does_not_put_off_what_is_asked_for() -> None:
    chat = _chat([])
    await chat.say("Book the appointment for Anna")
    await chat.say("tomorrow")
    assert chat.state.requested == ("appointment",)


@pytest.mark.parametrize("said", ["tomorrow", "tonight", "tomorrow at seven"])
def test_a_day_in_the_answer_to_when_puts_nothing_off(said: str) -> None:
    for kind in (datetime, time):
        found = read(said, slot(kind, "When is the pickup?", name="when"), asked=("when",))
        assert "later" not in [op.op for op in found], kind


@pytest.mark.parametrize("said", ["ask me tomorrow", "not now", "later"])
def test_putting_it_off_still_does(said: str) -> None:
    found = read(said, slot(time, "When is the pickup?", name="when"), asked=("when",))
    assert [op.op for op in found] == ["later"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "on 4 March 2031"),
        ("en", "March 4th"),
        ("en", "the 4th"),
        ("de", "am 4. März"),
        ("fr", "le 4 mars"),
        ("es", "el 4 de marzo"),
        ("it", "il 4 marzo"),
        ("nl", "4 maart"),
        ("pt", "dia 4 de março"),
        ("ja", "3月4日"),
        ("zh", "3月4号"),
    ],
)
def test_the_number_of_a_day_is_no_hour(language: str, said: str) -> None:
    when = slot(datetime, "When?", name="when")
    for asked in ((), ("when",)):
        found = read(said, when, asked=asked, language=language)
        assert not [op for op in found if isinstance(op, Set)], asked


async def test_who_asks_what_is_known_hears_the_day() -> None:
    chat = _chat([])
    await chat.say("Book the appointment for Anna on 4 March 2031")
    await chat.say("What have you got?")
    assert "Mar 4, 2031" in chat.run.said
    await chat.say("What do you still need?")
    assert "I have Mar 4, 2031; only the time is missing." in chat.run.said


async def test_starting_over_forgets_it() -> None:
    chat = _chat([])
    await chat.say("Book the appointment for Anna tomorrow")
    assert chat.state.begun
    await chat.say("start over")
    assert not chat.state.begun


@pytest.mark.parametrize(
    ("language", "text"), [("en", "Dec 4, 2026 19:00"), ("de", "04.12.2026 19:00")]
)
def test_the_list_of_what_is_known_says_a_moment_as_people_do(language: str, text: str) -> None:
    actions = Actions()
    actions.add("appointment", None, requires=Appointment)
    when = Given(value="2026-12-04T19:00:00", source=Source.SAID)
    turn = TurnTaken(message_id="m", language=language)
    shown = panel(actions, RequirementState(values={"when": when}, turn=turn))
    assert text in json.dumps(shown)
