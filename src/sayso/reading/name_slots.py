"""Fill slots with the places and names that a message introduces: "from Oslo to Rome", "called
Morning run", "a table at Luigi's in Naples", "I love hiking"."""

from __future__ import annotations

import re
from itertools import pairwise

from sayso.reading.parsers.names import called_in, names_between, people_named
from sayso.reading.parsers.non_places import names_no_place
from sayso.reading.question_words import nouns_said
from sayso.reading.slot_filling import SlotFilling
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span

#: "I'd like to go to Rome" tells of nothing that one likes.
_WISH = re.compile(r"(?:to\s+go\s+to|to\s+(?:create|book|visit))\b", re.IGNORECASE)
#: How many characters before a name a word may begin that introduces it.
_LEAD = 40
_ARROW = re.compile(r"\s*(?:→|⇒|[-=]{1,2}>)\s*")


def find_names(filling: SlotFilling) -> None:
    for name in filling.open(SlotType.NAME, SlotType.TEXT, SlotType.PLACE):
        _told(filling, name)
    for name in filling.open(SlotType.NAME)[:1]:
        _thing(filling, name)
    _places(filling)
    for name in filling.open(SlotType.NAME):
        _introduced(filling, name)
    _likings(filling)


def whole_place(filling: SlotFilling, first: Span) -> Span:
    """Add its country to a place ("Sydney, Australia"); drop what is in it ("a Show in Oslo")."""
    inside = [*filling.lex.form(r"\s<roles.within>\s+").finditer(first.words(filling.text))]
    if inside:
        first = Span(value=None, start=first.start + inside[-1].end(), end=first.end)
    after = re.compile(r",\s*").match(filling.text, first.end)
    more = next((m for m in filling.names() if after is not None and m.start == after.end()), None)
    if more is None:
        return first
    on = filling.lex.form(r"\s*(?:,|<values.and>)")
    if on.match(filling.text, more.end) or " " in more.words(filling.text):
        return first
    return Span(value=None, start=first.start, end=more.end)


def _told(filling: SlotFilling, name: str) -> None:
    """Fill a slot by its own word: "Interests: food and museums", "the city is Rome"."""
    shape = filling.shapes[name]
    nouns = nouns_said(filling.text, shape.question, filling.lex)
    about = filling.lex.alternatives((*shape.about, *nouns))
    signs = re.search(r"[:=：]", filling.text)
    labelled = signs and re.search(rf"{about}\s*[:=：]\s*([^.;\n]+)", filling.text, re.IGNORECASE)
    if labelled is not None and shape.type is not SlotType.PLACE:
        words = labelled[1].strip()
        said = Span(value=words, start=labelled.start(1), end=labelled.start(1) + len(words))
        if filling.is_free(said):
            filling.take(name, filling.entries(said) if shape.is_list else [said])
        return
    if filling.lex.any_of("values.copula").search(filling.text) and _is_told(filling, name, about):
        return
    if shape.type is SlotType.TEXT and name in filling.reading.known and not shape.is_free:
        for one in _beside(filling, shape):  # "submit it on project Atlas"
            if one.words(filling.text) != filling.reading.known[name] and filling.is_free(one):
                return filling.take(name, [one])


def _is_told(filling: SlotFilling, name: str, about: str) -> bool:
    """Fill a slot with what a sentence says that its own word is: "the city is Rome"."""
    shape, lex = filling.shapes[name], filling.lex
    if shape.type is SlotType.TEXT:
        code = lex.form(rf"{about}[^.;\n]*?\s<values.copula>\s+(\S*\d[^\s,;!?]*)")
        if match := code.search(filling.text):
            words = match[1].rstrip(".")
            said = Span(value=words, start=match.start(1), end=match.start(1) + len(words))
            if filling.is_free(said):
                filling.take(name, [said])
        return name in filling.found
    for match in lex.form(rf"{about}\s+<values.copula>\s+").finditer(filling.text):
        said_name = next((one for one in filling.names() if one.start == match.end()), None)
        if said_name is not None:
            filling.take(name, [said_name])
            return True
    return False


def _thing(filling: SlotFilling, name: str) -> None:
    """Fill a slot with what one goes to see, or whom one meets: "tickets to Cats", "with Ann"."""
    shape = filling.shapes[name]
    if shape.role:
        return
    lists = ["roles.thing"]
    if _is_venue(filling, name):
        lists.append("roles.venue")
    sorts = filling.lex.form(r"\s+<roles.sorts>")
    for one in filling.names_after(*lists):
        # "at 12 Main Street" is an address, "Drama movies" a kind of movie.
        if not one.words(filling.text)[0].isdigit() and not sorts.match(filling.text, one.end):
            filling.take(name, [_before_its_place(filling, one)])
            return


def _places(filling: SlotFilling) -> None:
    slots = filling.open(SlotType.PLACE)
    if not slots:
        return
    roles = {filling.shapes[name].role for name in slots}
    origin, goal = names_between(filling.text, filling.lex)
    for one, other in pairwise(filling.names()):
        if _ARROW.fullmatch(filling.text, one.end, other.start):
            origin, goal = one, other
    origins = filling.names_after("roles.origin") + ([origin] if origin else [])
    # Without capitals, "to" and "a" lead up to anything; beside a "from" they lead to a place.
    sure = not (origins or filling.names())
    goals = filling.names_after("roles.goal_sure" if sure else "roles.goal")
    goals += [goal] if goal else []
    in_town, trip = filling.names_after("roles.place"), _before_trip(filling)
    at_house = filling.names_after("roles.venue")
    asked = filling.reading.asked
    for name in sorted(slots, key=lambda n: (filling.shapes[n].role == "", n not in asked)):
        shape = filling.shapes[name]
        places = at_house if shape.is_address and name not in asked else in_town
        if shape.role == "goal":
            options = goals + (filling.names_after("roles.goal_too") if filling.names() else [])
            options += trip
            if name not in filling.reading.known or filling.is_anew():
                options += places
        elif shape.role == "origin":
            options = origins + (places if asked and asked[0] == name else [])
        else:
            options = places + ([] if "goal" in roles else goals + trip)
            if not options and "origin" not in roles and name in asked:
                options = origins
        free = [
            m for m in options if filling.is_free(m) and _is_place(m.words(filling.text), filling)
        ]
        if free:
            whole = whole_place(filling, free[0])
            filling.take(name, filling.with_those_joined(free[0]) if shape.is_list else [whole])


def _is_place(words: str, filling: SlotFilling) -> bool:
    written_as_name = " " in words and words != words.casefold()
    return written_as_name or not names_no_place(words, filling.lex)


def _introduced(filling: SlotFilling, name: str) -> None:
    shape = filling.shapes[name]
    if name in filling.reading.known and not filling.is_anew():
        return  # "so that Ann stops asking" changes nobody
    options = filling.names_after("roles.goal", "roles.person") if shape.role == "goal" else []
    options += people_named(filling.text, filling.lex)
    called = called_in(filling.text, filling.lex)
    options += [called] if called is not None else []
    options += _beside(filling, shape)
    free = [m for m in options if filling.is_free(m) and _is_somebody(filling, m)]
    if free:
        filling.take(name, free[:1])


def _is_somebody(filling: SlotFilling, name: Span) -> bool:
    """Return whether a name stands as people's do: with no article before it where it is small, or
    in German ("für die Miete"), and in more than a word where nothing was asked or ordered."""
    text, lex = filling.text, filling.lex
    words = name.words(text)
    led = lex.form(r"<orders.the>\s*$").search(text[: name.start]) is not None
    if (led or lex.any_of("orders.the").match(words)) and (lex.code == "de" or words.islower()):
        return False
    wishes = lex.any_of("orders.wanted", "orders.make", "orders.acting", "values.called")
    asked = bool(filling.reading.asked) or wishes.search(filling.whole) is not None
    return asked or not lex.spaced or " " in words or bool(filling.reading.known)


def _likings(filling: SlotFilling) -> None:
    slots = [n for n in filling.open(*SlotType) if _is_list_of_likings(filling.shapes[n])]
    match = filling.lex.any_of("values.liking").search(filling.text)
    if not slots or match is None:
        return
    rest = re.compile(r"\s*([^.!?;\n。！？]+)").match(filling.text, match.end())
    if rest is None or _WISH.match(rest[1]):
        return
    whole = Span(value=rest[1], start=rest.start(1), end=rest.end(1))
    entries = [m for m in filling.entries(whole) if filling.is_free(m)]
    if entries:
        filling.take(slots[0], entries)


def _is_list_of_likings(shape: SlotShape) -> bool:
    return shape.is_liking and shape.is_list


def _is_venue(filling: SlotFilling, name: str) -> bool:
    """Return whether "at Luigi's" says this name, not a place: beside a town, since nobody eats
    "at" one; when only the name was asked for, or only the place is known."""
    reading = filling.reading
    places = [n for n, shape in filling.shapes.items() if shape.type is SlotType.PLACE]
    if not places or all(filling.shapes[place].is_town for place in places):
        return bool(places)
    if name in reading.asked:
        return not any(place in reading.asked for place in places)
    return all(place in reading.known for place in places)


def _before_its_place(filling: SlotFilling, name: Span) -> Span:
    """ "Siam Palace in Hayward" is Siam Palace, where a place is looked for besides."""
    match = filling.lex.form(r"\s+<roles.within>\s+").search(name.words(filling.text))
    if match is None or not filling.open(SlotType.PLACE):
        return name
    return Span(value=None, start=name.start, end=name.start + match.start())


def _before_trip(filling: SlotFilling) -> list[Span]:
    """ "my Rome trip"; not where something else was asked for, whose name may end in one."""
    asked = filling.reading.asked
    if asked and not any(
        filling.shapes[n].type is SlotType.PLACE for n in asked if n in filling.shapes
    ):
        return []
    trip = filling.lex.form(r"\s+<values.trip>")
    return [one for one in filling.names() if trip.match(filling.text, one.end)]


def _beside(filling: SlotFilling, shape: SlotShape) -> list[Span]:
    """ "the movie True Grit", "the Cher event"."""
    text, lex = filling.text, filling.lex
    about = lex.alternatives(shape.about[::2])
    before, after, the = (
        lex.form(p) for p in (rf"{about}\s+$", rf"\s+{about}", r"<dates.the>\s+$")
    )
    return [
        one
        for one in filling.names()
        for lead in [text[max(0, one.start - _LEAD) : one.start]]
        if before.search(lead) or (after.match(text, one.end) and the.search(lead))
    ]
