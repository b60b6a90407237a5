"""Answers that are only the value: to what was just asked. Where its words begin and end, the
network knows better."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from sayso.reading.clauses import Mood, clauses_in, order_in_a_word
from sayso.reading.intents import intents_in
from sayso.reading.lexicon import Lexicon
from sayso.reading.name_slots import whole_place
from sayso.reading.normalize import plain
from sayso.reading.parsers.names import bare_answer, closed_words, entries_in
from sayso.reading.parsers.non_places import names_no_place, opens_no_name
from sayso.reading.question_words import nouns_said
from sayso.reading.slot_filling import SlotFilling
from sayso.reading.slot_types import SlotType
from sayso.reading.span import Span
from sayso.reading.yes_no import is_later, is_no, is_plain_yes

_LONGEST_NAME = 60
_LONGEST_ANSWER = 300
_MOST_WORDS = 6
#: The most words that a title has, its small words included: "Shine a Light".
_TITLE = 5
_OPEN = (SlotType.PLACE, SlotType.NAME, SlotType.TEXT)
#: What is said in reply, and says nothing itself.
_REPLIES = ("yes.chatter", "yes.praise", "yes.ok", "yes.thanks", "yes.go", "yes.later", "yes.tails")
#: "errr", "hmmm"
_STRETCHED = re.compile(r"([^\W\d_])\1\1", re.IGNORECASE)
#: Signs that a name is written with, in a script without spaces: "えーと" is none.
_NAMING = re.compile(r"[^\W\u3040-\u309f\u30fc]{2}")
_ENDING = re.compile(r"ます|ました")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
#: Small words within names: "rio de janeiro", "bay of islands".
_PARTICLES = frozenset(
    {"of", "the", "de", "la", "las", "los", "le", "les", "del", "della", "di", "da", "do", "dos"}
    | {"du", "van", "von", "den", "der", "am", "im"}
)


def find_answers(filling: SlotFilling) -> None:
    """Read a bare answer to the last question. Where several questions are open that it could
    answer, it is a guess."""
    for name in filling.open(SlotType.TEXT):
        mails = [one for one in filling.codes() if filling.is_by_form(name, one)]
        if len(mails) == 1 and filling.shapes[name].is_email and filling.is_free(mails[0]):
            filling.take(name, mails)
    waiting = filling.open(*_OPEN)
    waiting = [name for name in filling.reading.asked if name in waiting]
    if not waiting or _answers_nothing(filling):
        return
    named = [name for name in waiting if filling.shapes[name].type is not SlotType.TEXT]
    names = filling.names() if named else []
    if named and filling.shapes[named[0]].type is SlotType.PLACE:
        names = [one for one in names if _is_place(filling, one)]
    names = [one for one in names if _may_be(filling, named[0], one)]
    # Free text is asked beside a name without taking one for itself.
    sure = all(name in named[:1] or filling.shapes[name].is_free for name in waiting)
    if names:
        _answer(filling, named[0], _name(filling, named[0], names[0]), sure=sure)
        waiting.remove(named[0])
    if not waiting or (names and len(named) > 1):
        return
    if rest := _only_name(filling, waiting):
        filling.take(waiting[0], [rest])
        return
    pieces = _pieces(filling, several=len(waiting) > 1)
    kinds = {filling.shapes[name].type for name in waiting}
    in_order = len(waiting) == 1 or (len(pieces) == len(waiting) == len(kinds))
    for name, piece in zip(waiting, pieces, strict=False):
        answer = _code_in(filling, name, _without_order(filling, piece))
        spans = filling.entries(answer) if filling.shapes[name].is_list else [answer]
        if all(_may_be(filling, name, one) for one in spans):
            if filling.shapes[name].is_free:
                spans = [_with_its_ending(filling, one) for one in spans]
            _answer(filling, name, spans, sure=in_order)


def _only_name(filling: SlotFilling, waiting: list[str]) -> Span | None:
    """Return the one name or code that is left where the rest of the message says other things:
    "a table for two at Osteria Nove on Saturday", "we want 4.0"."""
    shape, text, lex = filling.shapes[waiting[0]], filling.text, filling.lex
    if len(waiting) > 1 or shape.is_free or shape.is_list or shape.type is SlotType.PLACE:
        return None
    whole = bare_answer(text, lex)
    codes = [one for one in filling.codes() if filling.is_free(one)]
    lettered = [one for one in codes if re.search(r"[^\W\d_]", one.words(text))]
    if not any(filling.used):
        said = whole.words(text) if whole is not None else ""
        if len(said.split()) < _MOST_WORDS and not lettered:
            return None
    names = [
        one
        for one in filling.names()
        if _may_be(filling, waiting[0], one) and not opens_no_name(text, one.start, one.end, lex)
    ]
    formed = [one for one in codes if filling.is_by_form(waiting[0], one)]
    for found in (formed, names, lettered, codes):
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _answer(filling: SlotFilling, name: str, spans: list[Span], *, sure: bool) -> None:
    if sure:
        filling.take(name, spans)
    else:
        filling.ambiguous[name] = spans


def _name(filling: SlotFilling, slot: str, name: Span) -> list[Span]:
    shape = filling.shapes[slot]
    if shape.is_list:
        return filling.with_those_joined(name)
    if shape.type is SlotType.PLACE:
        return [whole_place(filling, name)]
    title = _title(filling, name)
    return [title if _may_be(filling, slot, title) else name]


def _answers_nothing(filling: SlotFilling) -> bool:
    """Return whether the message is a yes, a no, a question or an order, and so no answer."""
    words, lex = plain(filling.text), filling.lex
    return (
        is_later(words, lex)
        or only_greets(filling.whole, lex)
        or is_plain_yes(words, lex)
        or is_no(words, lex)
        or bool(intents_in(filling.reading, said_values=False))
    )


def only_greets(text: str, lex: Lexicon) -> bool:
    """Return whether a message only thanks or greets somebody: "Thanks Peter"."""
    greeted = lex.form(r"\s*<yes.thanks|clauses.greetings|values.chatter>\s+(\w+)\W*").fullmatch(
        text
    )
    return greeted is not None and greeted[1].istitle()


def _title(filling: SlotFilling, name: Span) -> Span:
    """Return the whole answer where it begins with the name and is as short as a title."""
    whole = bare_answer(filling.text, filling.lex)
    parts = [*([whole] if whole is not None else []), *entries_in(filling.text, filling.lex)]
    fitting = (one for one in parts if one.start == name.start and filling.is_free(one))
    answer = next(fitting, None)
    if answer is None:
        return name
    words = answer.words(filling.text)
    fits = len(words.split()) <= _TITLE and not any(sign in words for sign in ",.!?;")
    fits = fits and filling.lex.any_of("values.copula").search(words) is None
    return answer if fits else name


def _pieces(filling: SlotFilling, several: bool) -> list[Span]:
    """Return the parts of the message that are left for bare answers, in order."""
    text, lex = filling.text, filling.lex
    if not several and not any(filling.used):
        only = bare_answer(text, lex)
        return [only] if only is not None else []
    found = []
    for part in entries_in(text, lex):
        if filling.is_used(part):
            continue
        answer = bare_answer(part.words(text), lex)
        if answer is not None:
            start = part.start + answer.start
            found.append(Span(value=None, start=start, end=part.start + answer.end))
    if not several and found:
        # One list was asked for: its entries belong together.
        return [Span(value=None, start=found[0].start, end=found[-1].end)]
    return found


def _code_in(filling: SlotFilling, name: str, piece: Span) -> Span:
    """Return the one code in an answer of words: "let's roll out 3.2.1"."""
    words = piece.words(filling.text)
    codes = [one for one in filling.codes() if one.start >= piece.start and one.end <= piece.end]
    is_title = filling.shapes[name].is_free or words != words.lower()
    return codes[0] if len(codes) == 1 and not is_title else piece


def _without_order(filling: SlotFilling, piece: Span) -> Span:
    """Return the answer without an order before it: "colibri" of "appelle-le colibri"."""
    words = piece.words(filling.text)
    ordered = order_in_a_word(words, filling.lex)
    if ordered is None or ordered.end() >= len(words):
        return piece
    return replace(piece, value=None, start=piece.start + ordered.end() + 1)


def _with_its_ending(filling: SlotFilling, piece: Span) -> Span:
    """Return a sentence with the ending that its last verb has: "咳をしています"."""
    ending = _ENDING.match(filling.text, piece.end)
    return piece if ending is None else replace(piece, value=None, end=ending.end())


def _is_place(filling: SlotFilling, name: Span) -> bool:
    text, lex = filling.text, filling.lex
    words = name.words(text)
    if opens_no_name(text, name.start, name.end, lex):
        return False
    return " " in words or not names_no_place(words, lex)


def _may_be(filling: SlotFilling, name: str, piece: Span) -> bool:
    """Return whether these words can be a value of the slot: free text has to say something, and a
    name has no pronoun or verb in it: not "hello", "see above", "let me look"."""
    words, shape, lex = piece.words(filling.text), filling.shapes[name], filling.lex
    said: list[str] = _WORD.findall(plain(words))
    closed = [word for word in said if word in closed_words(lex)]
    if _STRETCHED.search(words) or "\n" in words:
        return shape.is_free
    asked_by = nouns_said(words, shape.question, lex) if lex.spaced else ()
    own = {*closed, *map(str.casefold, asked_by)}
    if own.issuperset(said) or lex.any_of("values.chatter", "orders.clearing").search(words):
        return False  # "the meter, hm" says no number of it
    if not re.search(r"\w", lex.any_of(*_REPLIES).sub("", words)):
        return False
    if plain(words) in lex.words("values", "generic"):
        return False
    if shape.is_email:
        return filling.is_by_form(name, piece)
    if shape.is_free:
        return len(words) <= _LONGEST_ANSWER and not _is_of_once(filling)
    if shape.is_code and not re.search(r"\d", words):
        return False
    if shape.type is SlotType.NAME and _tells(words, lex):
        return False
    if not lex.spaced and _NAMING.search(words) is None:
        return False
    if shape.type is SlotType.PLACE and names_no_place(words, lex):
        return False
    inner = [word for word in closed if word not in _PARTICLES]
    if shape.type is SlotType.TEXT and said[0] not in closed:
        inner = [word for word in inner if word not in _prepositions(lex)]  # "cards for our café"
    is_written = words[0].isupper() or words[0].isdigit()
    short = len(words) <= _LONGEST_NAME and len(said) <= _MOST_WORDS
    return short and (is_written or not inner)


@cache
def _prepositions(lex: Lexicon) -> frozenset[str]:
    lists = (("roles", "origin"), ("roles", "goal"), ("roles", "place"), ("roles", "person"))
    words = {word for each in (*lists, ("values", "party_for")) for word in lex.words(*each)}
    own = {
        word for name in ("subjects", "negation", "asking") for word in lex.words("clauses", name)
    }
    return frozenset(words - own)


def _tells(words: str, lex: Lexicon) -> bool:
    """Return whether a sentence about somebody is said, and no name: "Dr Brown is great"."""
    if not lex.spaced:
        return False
    said = re.findall(r"[^\W\d_]+", words)
    small = [w for w in said if w[0].islower() and w not in _PARTICLES]
    own = {*lex.words("clauses", "possessives")}
    verbs = lex.any_of("values.copula", "values.called").search(words) is not None
    return verbs or (words[0].isupper() and len([w for w in small if w not in own]) > 1)


def _is_of_once(filling: SlotFilling) -> bool:
    """Return whether it tells of what is no more: "I had it as a child, but that's gone"."""
    lex, message = filling.lex, filling.reading.message
    past = any(clause.is_any(Mood.PAST) for clause in clauses_in(message, lex))
    return past and lex.any_of("clauses.turns").search(filling.whole) is not None
