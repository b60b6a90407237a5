"""Values that have a form of their own (days, times, lengths, amounts, counts, choices), and whose
they are where several slots could hold them: "from the 9th until the 12th"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sayso.gate.kinds import Kind
from sayso.gate.parsers.mention import Mention
from sayso.gate.readings import typed_in
from sayso.gate.search import Search

#: In the order in which they may take words.
_KINDS = (
    Kind.MOMENT,
    Kind.DATE,
    Kind.TIME,
    Kind.MONEY,
    Kind.COUNT,
    Kind.DURATION,
    Kind.PEOPLE,
    Kind.NUMBER,
    Kind.CHOICE,
    Kind.BOOLEAN,
)
#: Kinds of which several slots may be told apart by what leads up to a value.
_WITH_PARTS = (Kind.DATE, Kind.TIME, Kind.CHOICE, Kind.MOMENT)
_ROLES = {
    "start": "roles.start",
    "end": "roles.end",
    "origin": "roles.origin",
    "goal": "roles.goal",
}
#: How far before a value a word may say whose it is.
_LEAD = 40


def find_typed(search: Search) -> None:
    for kind in _KINDS:
        _fill(search, kind)


def _fill(search: Search, kind: Kind) -> None:
    reading = search.reading
    slots = search.open(kind)
    free: dict[str, list[Mention]] = {}
    for name in slots:
        mentions = typed_in(
            search.text,
            search.shapes[name],
            search.lex,
            today=search.today,
            asked=name in reading.asked,
        )
        free[name] = [one for one in mentions if search.is_free(one)]
    # What was asked for comes first, then what is not known yet.
    order = sorted(slots, key=lambda name: (name not in reading.asked, name in reading.known))
    several = kind in _WITH_PARTS and len(slots) > 1
    if several:
        for name in order:
            best = next((m for m in free[name] if _whose(search, m, slots) == name), None)
            if best is not None:
                search.take(name, [best])
    told_to = [name for name in slots if name in reading.asked]
    if several and len(told_to) == 1 and len(free[told_to[0]]) == 1:
        search.take(told_to[0], free[told_to[0]])  # one was asked for, and one is said
    for name in order:
        left = [m for m in free[name] if search.is_free(m)] if name not in search.found else []
        if several:
            left = [m for m in left if _whose(search, m, slots) in (None, name)]
        if left:
            # The last word counts: "the 5th, no, the 6th".
            one = [left[-1] if search.is_anew() else left[0]]
            search.take(name, left if search.shapes[name].is_list else one)


def _whose(search: Search, mention: Mention, among: Iterable[str]) -> str | None:
    """The slot among these whose own words or part lead up to a mention, the nearest of them."""
    text = search.text
    start = max((text.rfind(sign, 0, mention.start) for sign in ".!?;\n"), default=-1) + 1
    before = [m.end for ms in search.found.values() for m in ms if m.end <= mention.start]
    lead = text[max([start, *before, mention.start - _LEAD]) : mention.start]
    best, at = None, -1
    for name in among:
        for end in _leads(search, name, among, lead):
            if end > at:
                best, at = name, end
    return best


def _leads(search: Search, name: str, among: Iterable[str], lead: str) -> Iterator[int]:
    """Where words end that say that what follows is this slot's."""
    lex, shape = search.lex, search.shapes[name]
    others = {w for other in among if other != name for w in search.shapes[other].about}
    own = lex.alternatives(word for word in shape.about if word not in others)
    for match in re.finditer(own, lead, re.IGNORECASE):
        yield match.end()
    if shape.role not in _ROLES:
        return
    close = set(lex.words("roles", "close"))
    near = re.compile(rf"\W*(?:{lex.any_of('roles.near').pattern}\W*)*")
    for match in lex.any_of(_ROLES[shape.role]).finditer(lead):
        # "to" means the day only right before it: "I want to book a table for Saturday".
        if match[0].casefold() not in close or near.fullmatch(lead, match.end()):
            yield match.end()
