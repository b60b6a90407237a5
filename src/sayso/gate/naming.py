"""Places and names that a message introduces: "from Oslo to Rome", "called Morning run", "a table
at Luigi's in Naples", "I love hiking"."""

from __future__ import annotations

import re

from sayso.gate.kinds import Kind, Shape
from sayso.gate.parsers.mention import Mention
from sayso.gate.parsers.names import called_in, names_between
from sayso.gate.parsers.nowhere import names_no_place
from sayso.gate.search import Search

#: "I'd like to go to Rome" likes nothing.
_WISH = re.compile(r"(?:to\s+go\s+to|to\s+(?:create|book|visit))\b", re.IGNORECASE)


#: How far before a name the word may begin that introduces it.
_LEAD = 40


def find_names(search: Search) -> None:
    for name in search.open(Kind.NAME, Kind.TEXT, Kind.PLACE):
        _told(search, name)
    for name in search.open(Kind.NAME)[:1]:
        _thing(search, name)
    _places(search)
    for name in search.open(Kind.NAME):
        _introduced(search, name)
    _likings(search)


def whole_place(search: Search, first: Mention) -> Mention:
    """A place with its land ("Sydney, Australia"), without what stands in it ("a Show in Oslo")."""
    within = search.lex.any_of("roles.within").pattern
    inside = [*re.finditer(rf"\s{within}\s+", first.words(search.text), re.IGNORECASE)]
    if inside:
        first = Mention(value=None, start=first.start + inside[-1].end(), end=first.end)
    after = re.compile(r",\s*").match(search.text, first.end)
    more = next((m for m in search.names() if after is not None and m.start == after.end()), None)
    if more is None:
        return first
    on = re.compile(rf"\s*(?:,|{search.lex.any_of('values.and').pattern})", re.IGNORECASE)
    if on.match(search.text, more.end) or " " in more.words(search.text):
        return first
    return Mention(value=None, start=first.start, end=more.end)


def _told(search: Search, name: str) -> None:
    """By the slot's own word: "Interests: food and museums", "the city is Rome"."""
    shape = search.shapes[name]
    about = search.lex.alternatives(shape.about)
    labelled = re.search(rf"{about}\s*[:=：]\s*([^.;\n]+)", search.text, re.IGNORECASE)
    if labelled is not None and shape.kind is not Kind.PLACE:
        words = labelled[1].strip()
        said = Mention(value=words, start=labelled.start(1), end=labelled.start(1) + len(words))
        if search.is_free(said):
            search.take(name, search.entries(said) if shape.is_list else [said])
        return
    is_ = search.lex.any_of("values.copula").pattern
    for match in re.finditer(rf"{about}\s+{is_}\s+", search.text, re.IGNORECASE):
        said_name = next((one for one in search.names() if one.start == match.end()), None)
        if said_name is not None and shape.kind is not Kind.TEXT:
            search.take(name, [said_name])
            return


def _thing(search: Search, name: str) -> None:
    """What one watches, plays or goes to see, and whom one meets: "tickets to Cats", "with Ann"."""
    shape = search.shapes[name]
    if shape.role:
        return
    lists = ["roles.thing"]
    if _is_venue(search, name):
        lists.append("roles.venue")
    sorts = re.compile(rf"\s+{search.lex.any_of('roles.sorts').pattern}", re.IGNORECASE)
    for one in search.names_after(*lists):
        # "at 12 Main Street" is an address, "Drama movies" are a sort.
        if not one.words(search.text)[0].isdigit() and not sorts.match(search.text, one.end):
            search.take(name, [_before_its_place(search, one)])
            return


def _places(search: Search) -> None:
    slots = search.open(Kind.PLACE)
    if not slots:
        return
    roles = {search.shapes[name].role for name in slots}
    origin, goal = names_between(search.text, search.lex)
    origins = search.names_after("roles.origin") + ([origin] if origin else [])
    # Without capitals, "to" and "a" lead up to anything; beside a "from" they lead to a place.
    sure = not (origins or search.names())
    goals = search.names_after("roles.goal_sure" if sure else "roles.goal")
    goals += [goal] if goal else []
    in_town, trip = search.names_after("roles.place"), _before_trip(search)
    at_house = search.names_after("roles.venue")
    asked = search.reading.asked
    for name in sorted(slots, key=lambda n: (search.shapes[n].role == "", n not in asked)):
        shape = search.shapes[name]
        places = at_house if shape.is_address and name not in asked else in_town
        if shape.role == "goal":
            options = goals + (search.names_after("roles.goal_too") if search.names() else [])
            options += trip
            if name not in search.reading.known or search.is_anew():
                options += places
        elif shape.role == "origin":
            options = origins + (places if asked and asked[0] == name else [])
        else:
            options = places + ([] if "goal" in roles else goals + trip)
            if not options and "origin" not in roles and name in asked:
                options = origins
        free = [m for m in options if search.is_free(m) and _is_place(m.words(search.text), search)]
        if free:
            whole = whole_place(search, free[0])
            search.take(name, search.with_those_joined(free[0]) if shape.is_list else [whole])


def _is_place(words: str, search: Search) -> bool:
    written_as_name = " " in words and words != words.casefold()
    return written_as_name or not names_no_place(words, search.lex)


def _introduced(search: Search, name: str) -> None:
    shape = search.shapes[name]
    options = search.names_after("roles.goal") if shape.role == "goal" else []
    called = called_in(search.text, search.lex)
    options += [called] if called is not None else []
    options += _beside(search, shape)
    free = [m for m in options if search.is_free(m)]
    if free:
        search.take(name, free[:1])


def _likings(search: Search) -> None:
    slots = [n for n in search.open(*Kind) if _is_list_of_likings(search.shapes[n])]
    match = search.lex.any_of("values.liking").search(search.text)
    if not slots or match is None:
        return
    rest = re.compile(r"\s*([^.!?;\n。！？]+)").match(search.text, match.end())
    if rest is None or _WISH.match(rest[1]):
        return
    whole = Mention(value=rest[1], start=rest.start(1), end=rest.end(1))
    entries = [m for m in search.entries(whole) if search.is_free(m)]
    if entries:
        search.take(slots[0], entries)


def _is_list_of_likings(shape: Shape) -> bool:
    return shape.is_liking and shape.is_list


def _is_venue(search: Search, name: str) -> bool:
    """Whether "at Luigi's" says this name, not a place: beside a town, since nobody eats "at" one;
    when only the name was asked for, or only the place is known."""
    reading = search.reading
    places = [n for n, shape in search.shapes.items() if shape.kind is Kind.PLACE]
    if not places or all(search.shapes[place].is_town for place in places):
        return bool(places)
    if name in reading.asked:
        return not any(place in reading.asked for place in places)
    return all(place in reading.known for place in places)


def _before_its_place(search: Search, name: Mention) -> Mention:
    """ "Siam Palace in Hayward" is Siam Palace, where a place is looked for besides."""
    within = search.lex.any_of("roles.within").pattern
    match = re.search(rf"\s+{within}\s+", name.words(search.text), re.IGNORECASE)
    if match is None or not search.open(Kind.PLACE):
        return name
    return Mention(value=None, start=name.start, end=name.start + match.start())


def _before_trip(search: Search) -> list[Mention]:
    """ "my Rome trip"; not where something else was asked for, whose name may end in one."""
    asked = search.reading.asked
    if asked and not any(search.shapes[n].kind is Kind.PLACE for n in asked if n in search.shapes):
        return []
    trip = re.compile(rf"\s+{search.lex.any_of('values.trip').pattern}", re.IGNORECASE)
    return [one for one in search.names() if trip.match(search.text, one.end)]


def _beside(search: Search, shape: Shape) -> list[Mention]:
    """ "the movie True Grit", "the Cher event"."""
    text, about = search.text, search.lex.alternatives(shape.about[::2])
    the = search.lex.any_of("dates.the").pattern
    return [
        one
        for one in search.names()
        if re.search(rf"{about}\s+$", text[max(0, one.start - _LEAD) : one.start], re.IGNORECASE)
        or (
            re.compile(rf"\s+{about}", re.IGNORECASE).match(text, one.end)
            and re.search(rf"{the}\s+$", text[max(0, one.start - _LEAD) : one.start], re.IGNORECASE)
        )
    ]
