"""Answers that say only the value: what was just asked for, and a known value said anew."""

from __future__ import annotations

from sayso.gate.kinds import Kind
from sayso.gate.naming import whole_place
from sayso.gate.orders import orders_in
from sayso.gate.parsers.clock import times_in
from sayso.gate.parsers.dates import dates_in
from sayso.gate.parsers.mention import Mention, outside
from sayso.gate.parsers.names import bare_answer, entries_in, names_in
from sayso.gate.parsers.nowhere import names_no_place, opens_no_name
from sayso.gate.parsers.numbers import numbers_in
from sayso.gate.readings import typed_in
from sayso.gate.replies import is_later, is_no, is_plain_yes
from sayso.gate.search import Search
from sayso.gate.text import plain

_LONGEST_NAME = 60
_LONGEST_ANSWER = 300
#: Words that a title has at most, when its small words are part of it: "Shine a Light".
_TITLE = 5
_NUMERIC = (Kind.COUNT, Kind.PEOPLE, Kind.DURATION, Kind.MONEY, Kind.NUMBER)


def find_answers(search: Search) -> None:
    """A bare answer to the last question; two of them in the order of the question."""
    waiting = search.open(Kind.PLACE, Kind.NAME, Kind.TEXT)
    open_ = [name for name in search.reading.asked if name in waiting]
    if not open_ or _answers_nothing(search):
        return
    for name in list(open_):
        names = search.names() if search.shapes[name].kind is not Kind.TEXT else []
        if search.shapes[name].kind is Kind.PLACE:
            names = [one for one in names if _is_place(search, one)]
        if names:
            shape, first = search.shapes[name], names[0]
            one = whole_place if shape.kind is Kind.PLACE else _title
            row = search.with_those_joined(first) if shape.is_list else [one(search, first)]
            search.take(name, row)
            open_.remove(name)
    lists = [n for n in open_ if search.shapes[n].kind is Kind.TEXT and search.shapes[n].is_list]
    if len(lists) == 1:
        open_ = lists  # a name would have been written or introduced as one
    for name, piece in zip(open_, _pieces(search, len(open_) > 1), strict=False):
        if _may_be(search, name, piece):
            is_list = search.shapes[name].is_list
            search.take(name, search.entries(piece) if is_list else [piece])


def find_corrections(search: Search) -> None:
    """ "not Rome, Florence", and "make it 12" where only one thing known is a number."""
    if not search.is_anew() or search.found:
        return
    text, lex, known = search.text, search.lex, search.reading.known
    refused = {plain(m.words(text)) for m in names_in(text, lex) if search.is_refused(m)}
    others = search.names()
    for name, value in known.items():
        said = {plain(str(v)) for v in (value if isinstance(value, list) else [value])}
        if others and said & refused:
            search.take(name, others[:1])
            return
    counted = [n for n in known if n in search.shapes and search.shapes[n].kind in _NUMERIC]
    typed = [*dates_in(text, lex, search.today), *times_in(text, lex)]
    bare = outside(numbers_in(text, lex), typed)
    if len(counted) != 1 or len(bare) != 1:
        return
    shape = search.shapes[counted[0]]
    mentions = typed_in(text, shape, lex, today=search.today, asked=True)
    if mentions:
        search.take(counted[0], mentions[-1:])


def _answers_nothing(search: Search) -> bool:
    """A yes, a no, a question or an order is no answer."""
    words, lex = plain(search.text), search.lex
    return (
        is_later(words, lex)
        or is_plain_yes(words, lex)
        or is_no(words, lex)
        or words.endswith(("?", "？"))
        or lex.any_of("orders.asking").match(words) is not None
        or bool(orders_in(search.reading, said_values=False))
    )


def _title(search: Search, name: Mention) -> Mention:
    """The whole answer where it begins with the name and is no longer than a title."""
    answer = bare_answer(search.text, search.lex)
    if answer is None or answer.start != name.start or not search.is_free(answer):
        return name
    words = answer.words(search.text)
    fits = len(words.split()) <= _TITLE and not any(sign in words for sign in ",.!?;")
    return answer if fits else name


def _pieces(search: Search, several: bool) -> list[Mention]:
    """What is left of the message for bare answers, in its order."""
    text, lex = search.text, search.lex
    if not several and not any(search.used):
        only = bare_answer(text, lex)
        return [only] if only is not None else []
    found = []
    for part in entries_in(text, lex):
        if search.is_used(part):
            continue
        answer = bare_answer(part.words(text), lex)
        if answer is not None:
            start = part.start + answer.start
            found.append(Mention(value=None, start=start, end=part.start + answer.end))
    if not several and found:
        # One list asked for beside what was said otherwise: its entries belong together.
        return [Mention(value=None, start=found[0].start, end=found[-1].end)]
    return found


def _is_place(search: Search, name: Mention) -> bool:
    text, lex = search.text, search.lex
    words = name.words(text)
    if opens_no_name(text, name.start, name.end, lex):
        return False
    return " " in words or not names_no_place(words, lex)


def _may_be(search: Search, name: str, piece: Mention) -> bool:
    words = piece.words(search.text)
    if plain(words) in search.lex.words("values", "generic"):
        return False
    if search.shapes[name].kind is Kind.PLACE and names_no_place(words, search.lex):
        return False
    if search.shapes[name].kind is Kind.TEXT:
        return len(words) <= _LONGEST_ANSWER
    return len(words) <= _LONGEST_NAME and len(words.split()) <= 6
