"""The words that an open card says, by which a reply may name what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import ActionSpec
from sayso.reading.candidate import SIGNS
from sayso.reading.candidates import candidates_in
from sayso.reading.card_marks import CardWords, says_any
from sayso.reading.lexicon import Lexicon, is_in_any, lexicon_for
from sayso.reading.normalize import even, same_value, spaced, spelled_out
from sayso.reading.question_words import nouns_said
from sayso.reading.slot_types import SlotType, shape_of

_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_COUNTED = (SlotType.COUNT, SlotType.PEOPLE, SlotType.NUMBER)
#: What is counted belongs to the number: "yes to the two parcels" may leave others out.
_NOUN = re.compile(r"\s+[^\W\d_]{3,}")
#: So many values said again are a yes to them.
_SEVERAL = 3
_VERBS = ("yes.verbs", "orders.make", "orders.acting")
#: The endings of a verb's plain form, where a script puts no spaces between words.
_PLAIN_FORM = re.compile(r"(?:を)?(?:する|します)$")


def card_words(reading: Reading, lex: Lexicon, *, repeated: Iterable[str] = ()) -> CardWords | None:
    """Return the words of the card that is pending; `repeated` are the message's words that say
    again what is known. A word that could say no is none of them."""
    if reading.pending is None:
        return None
    specs = [spec for spec in reading.actions if spec.name in reading.pending.hashes]
    orders, verbs, things = set[str](), set[str](), set[str]()
    for spec in specs:
        orders |= {spelled_out(one) for one in (*spec.phrases, spec.verb) if one}
        does, to_what = _deed(spec)
        verbs |= does
        things |= to_what
    again = {spelled_out(one) for one in repeated}
    values = {spelled_out(one) for one in _said(reading, lex)} | again
    slots = [need.slot for spec in specs for need in spec.needs]
    labels = {spelled_out(slot.label) for slot in slots}
    labels |= {spelled_out(w) for s in slots for w in nouns_said(reading.message, s.question, lex)}
    row = (orders, verbs, things, values, labels - things - verbs)
    # "Yes, tomorrow" may put it off; beside other values, "tomorrow" is one of them.
    puts_off = len(again) < _SEVERAL
    safe = [_safe(words, lex, puts_off=puts_off) for words in row]
    # "Cancel" may refuse; "cancel the membership" orders it, where that is what the card does.
    whole = [one for one in orders - {*safe[0]} if _only_refuses(one, lex) and " " in one]
    safe[0] = tuple(sorted((*safe[0], *whole)))
    return CardWords(*safe)


def actions_named(reading: Reading, lex: Lexicon) -> list[str]:
    """Return the actions of the open card, where it lists several, whose own words a reply says:
    the hotel's of "yes to the hotel"."""
    pending = reading.pending.hashes if reading.pending is not None else {}
    deeds = {spec.name: _deed(spec) for spec in reading.actions if spec.name in pending}
    said = spelled_out(reading.message)
    named = []
    for name, (verbs, things) in deeds.items():
        others = {word for other in deeds.keys() - {name} for row in deeds[other] for word in row}
        own = CardWords(verbs=tuple(verbs - others), things=tuple(things - others))
        if len(deeds) > 1 and says_any(own, said, lex):
            named.append(name)
    return named


def echoes_in(reading: Reading) -> list[str]:
    """Return the words of a reply that say known values again, however they say them: "at eight" of
    20:00."""
    text = even(reading.message)
    lex = lexicon_for(text, reading.language)
    today = reading.today.date() if reading.today else None
    found: list[str] = []
    for name, known in reading.known.items():
        if name not in reading.slots:
            continue
        shape = shape_of(reading.slots[name])
        first = upto = 0
        for one in candidates_in(text, shape, lex, today=today, asked=True, known=known):
            # What changes the known value says it no more.
            if one.how not in SIGNS and same_value(known, one.value):
                start, end = one.span.start, one.span.end
                counts = shape.type in _COUNTED and " " not in text[start:end]
                noun = _NOUN.match(text, end) if counts else None
                found.append(text[start : noun.end() if noun else end])
                if start >= upto:
                    first = start
                elif upto < end:  # "tomorrow at 18.30" and "18.30 o'clock" are one
                    found.append(text[first:end])
                upto = max(upto, end)
    return found


def _said(reading: Reading, lex: Lexicon) -> Iterable[str]:
    """Yield the known values as a person might write them: texts, and small numbers as words."""
    for value in reading.known.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, int) and not isinstance(value, bool):
            yield str(value)
            yield from (word for word, number in lex.numbers.items() if number == value)


def _deed(spec: ActionSpec) -> tuple[set[str], set[str]]:
    """Return the verbs of what an action does, and to what things."""
    splits = [_verb_and_things(name) for name in _names(spec)]
    splits += [_of_verb_phrase(spec.verb)] if spec.verb else []
    return {one for does, _ in splits for one in does}, {one for _, what in splits for one in what}


def _names(spec: ActionSpec) -> Iterable[str]:
    return dict.fromkeys([spaced(spec.name), spec.title, *([spec.verb] if spec.verb else [])])


def _of_verb_phrase(phrase: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the verb and the things of an action's own verb: it comes first ("book the trip"), or
    last where an article does ("die Reise buchen", "de les boeken")."""
    said = spelled_out(phrase)
    if _UNSPACED.search(said):
        given = _GIVING.fullmatch(said)
        verbs, things = ([given[2]], [given[1]]) if given else _verb_and_things(phrase)
        return [form for verb in verbs for form in (verb, *_te_forms(verb))], things
    row = re.findall(r"[^\W_][\w-]+", said)
    if len(row) < 2:
        return _verb_and_things(phrase)
    last = is_in_any(row[0], "orders.the")
    verb, rest = (row[-1], row[1:-1]) if last else (row[0], row[1:])
    things = [word for word in rest if not is_in_any(word, "orders.the", "yes.glue")]
    return [verb], things or rest


def _te_forms(verb: str) -> Iterable[str]:
    """Yield how a Japanese verb is said in a request: 申し込んで of 申し込む."""
    if verb[-1] in _TE:
        yield verb[:-1] + _TE[verb[-1]]


#: "给孩子报名": for whom, and what is done.
_GIVING = re.compile(r"[给为把将](.+)(..)")
_TE = {"む": "んで", "ぶ": "んで", "ぬ": "んで", "う": "って", "つ": "って", "る": "って"}
_TE |= {"く": "いて", "ぐ": "いで", "す": "して"}


def _verb_and_things(name: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return what a name does and to what: "book" and "trip" of "book the trip", "buchen" and
    "reise" of "die Reise buchen"; only things of "checklist"."""
    said = spelled_out(name)
    if _UNSPACED.search(said):
        thing, _, verb = _PLAIN_FORM.sub("", said).rpartition("を")
        if verb and thing:
            return [verb], [thing]
        return ([said[:2]], [said[2:]]) if len(said) == 4 else ([], [said])
    row = re.findall(r"[\w'-]+", said)
    words = [word for word in row if not is_in_any(word, "orders.the", "yes.glue")]
    if len(words) < 2:
        return [], words
    if is_in_any(row[0], "orders.the") or is_in_any(words[-1], *_VERBS):
        return [words[-1]], words[:-1]
    return (
        ([words[0]], words[1:])
        if len(row) > len(words) or is_in_any(words[0], *_VERBS)
        else ([], words)
    )


def _only_refuses(phrase: str, lex: Lexicon) -> bool:
    """Return whether all that could take back a yes in it is its own verb."""
    verb, _, rest = phrase.partition(" ")
    return lex.any_of("yes.no").fullmatch(verb) is not None and bool(
        _safe([rest], lex, puts_off=True)
    )


def _safe(words: Iterable[str], lex: Lexicon, *, puts_off: bool) -> tuple[str, ...]:
    taking = ["clauses.negation", "clauses.conditions", "clauses.turns", "yes.no"]
    taking += ["yes.later"] if puts_off else []
    takes = lex.any_of(*taking)
    return tuple(sorted(w for w in words if re.search(r"[^\W_]", w) and not takes.search(w)))
