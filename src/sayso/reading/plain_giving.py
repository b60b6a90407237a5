"""Which values a person plainly gives: a clause gives one if nothing in it is left unexplained.

A value is given where the rest of its clause is known to be the frame of an answer (small words,
the question's own, the field's, the action's), or where the person orders or wishes something.
"My train arrives at six" is neither; what stands in it is offered, not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sayso.core.extraction_ops import Reading
from sayso.reading.clauses import Clause, Mood, after_lead, clauses_in, order_in_a_word
from sayso.reading.doubts import is_about_past
from sayso.reading.frame_words import frame_signs, frame_words
from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import plain
from sayso.reading.parsers.names import names_after
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.slot_filling import SlotFilling
from sayso.reading.slot_types import SlotType
from sayso.reading.slot_values import noun_after

_ENDS = re.compile(r"[.!?;…。！？；\n]\s*$")
_WORD = re.compile(r"[^\W\d_]+")
#: Types whose values show by their form what they are, so that one verb of the person's own may be
#: unknown beside them: "we set off on Friday".
_WITH_A_FORM = frozenset(
    {SlotType.DATE, SlotType.TIME, SlotType.DURATION, SlotType.PEOPLE, SlotType.PLACE}
)
_SHOWN_BY_FORM = _WITH_A_FORM - {SlotType.PLACE, SlotType.DATE} | {SlotType.MONEY, SlotType.MOMENT}
#: How far before a clause its courtesy may stand: "see if they have one".
_LEAD = 8
#: Fewer signs say nothing, in a language without spaces.
_SIGNS_OF_A_WORD = 2
_MOST_BESIDE_ING = 2
_MOST_OF_A_CHOICE = 2
#: English verbs that tell of what was.
_PAST = re.compile(r"ed$|^(?:came|went|got|had|left|made|paid|spent|saw|bought|ate|met|lost)$")
#: In small letters a word that leads up to a name leads up to anything: "a conta veio".
_TALK = re.compile(r"[^A-ZÀ-Þ]* [^A-ZÀ-Þ]*")
_ORDERS = (Mood.REQUESTED, Mood.ORDER)


def unexplained_clauses(filling: SlotFilling) -> list[Clause]:
    """Return the clauses that hold a value and words that nothing explains."""
    spans = [one for name in _judged(filling) for one in filling.found[name]]
    clauses = clauses_in(filling.reading.message, filling.lex) if spans else ()
    if any(not _gives(clause, filling) for clause in clauses) and _is_a_paste(filling):
        return [*clauses]
    refused = []
    for glued in _glued(clauses, filling.whole):
        holds = any(one.start < glued[-1].end and glued[0].start < one.end for one in spans)
        gives = all(_gives(one, filling) and _is_of_its_time(one, filling) for one in glued)
        if (holds and not gives) or glued[-1].end <= _taken_back(clauses, filling):
            refused += glued
    return refused


def _glued(clauses: Sequence[Clause], text: str) -> Iterator[list[Clause]]:
    """Yield the clauses, together those that nothing parts: "the sitter can | until eleven"."""
    row: list[Clause] = []
    for clause in clauses:
        parted = row and (row[-1].end != clause.start or _ENDS.search(row[-1].words(text)))
        if row and (parted or clause.is_any(Mood.CONDITIONAL)):
            yield row
            row = []
        row.append(clause)
    if row:
        yield row


def _taken_back(clauses: Sequence[Clause], filling: SlotFilling) -> int:
    """Return up to where the message is taken back by words of its own, with nothing new behind
    them: "80... no, that's wrong"."""
    lex = filling.lex
    last = max((one.end for spans in filling.found.values() for one in spans), default=0)
    for clause in clauses:
        said = clause.words(filling.whole).strip(" ,.;!…").casefold()
        back = lex.any_of("yes.no", "yes.later", "orders.clearing").match(said)
        if clause.start >= last and back is not None:
            rest = said[back.end() :].strip(" ,.;!…")
            subject = lex.any_of("clauses.subjects", "clauses.speaker", "orders.clearing")
            if not rest or not lex.spaced or subject.match(rest):
                return clause.start
    return 0


def _gives(clause: Clause, filling: SlotFilling) -> bool:
    if _asks_about(clause, filling):
        return False
    if _is_own(clause, filling):
        return True
    return _is_explained(clause, filling) and not _depends(filling)


def _depends(filling: SlotFilling) -> bool:
    """Return whether the message sets a condition: "I'd come in if I could walk"."""
    return any(
        one.is_any(Mood.CONDITIONAL)
        and not filling.lex.any_of("doubts.courtesies", "values.tails").search(
            one.words(filling.whole)
        )
        for one in clauses_in(filling.reading.message, filling.lex)
    )


def _asks_about(clause: Clause, filling: SlotFilling) -> bool:
    """Return whether it answers a question with a question: "is there a table at nine?"."""
    clauses = clauses_in(filling.reading.message, filling.lex)
    if not clause.is_any(Mood.ASKED) or any(c.is_any(*_ORDERS) for c in clauses):
        return False
    forward = filling.lex.any_of("doubts.forward", "doubts.agreeing")
    puts_forward = forward.search(filling.whole) is not None
    return not puts_forward and any(name in filling.reading.asked for name in filling.found)


def _is_of_its_time(clause: Clause, filling: SlotFilling) -> bool:
    """Return whether a day that has to lie ahead is not told of what was."""
    return not clause.is_any(Mood.PAST) or all(
        filling.shapes[name].type not in (SlotType.DATE, SlotType.MOMENT)
        or filling.shapes[name].tense == "past"
        for name, spans in filling.found.items()
        if any(one.start < clause.end and clause.start < one.end for one in spans)
    )


def _is_a_paste(filling: SlotFilling) -> bool:
    """Return whether several lines, or an advert, have no word of a person who speaks in them."""
    said, lex = filling.whole.strip(), filling.lex
    spoken = lex.any_of("clauses.speaker", "clauses.second_person", "orders.wanted", "values.of_us")
    return any(sign in said for sign in "\n!！") and spoken.search(said) is None


def _judged(filling: SlotFilling) -> Iterator[str]:
    """Yield the slots whose values have to be given plainly: not those taken as they were offered,
    nor a yes or no, nor a text in the person's own words, nor what shows by its form what it is."""
    for name, spans in filling.found.items():
        shape = filling.shapes[name]
        exempt = shape.type is SlotType.BOOLEAN or shape.is_free or name in filling.offered
        if not exempt and not all(filling.is_by_form(name, one) for one in spans):
            yield name


def _is_own(clause: Clause, filling: SlotFilling) -> bool:
    """Return whether it orders or wishes something, in whatever words."""
    lex, said = filling.lex, filling.whole[max(0, clause.start - _LEAD) : clause.end]
    if (
        clause.is_any(Mood.ORDER)
        or _commands(clause.words(filling.whole), lex)
        or _commands_in_a_word(clause, filling)
        or _replaces(said, filling)
    ):
        return True
    wishes = ["doubts.courtesies"]
    if clause.is_any(Mood.REQUESTED):
        wishes += ["clauses.second_person", "yes.asks_for"]
    elif not clause.is_any(Mood.ASKED):
        wishes += ["orders.wanted", "clauses.not_wishing", "values.deciding", "values.concluding"]
    return lex.any_of(*wishes).search(said) is not None


def _replaces(said: str, filling: SlotFilling) -> bool:
    """Return whether it names what is known beside what is new: "swap Rome for Milan"."""
    known = (filling.reading.known.get(name) for name in filling.found)
    old = (plain(one).removesuffix(".00") for one in known if isinstance(one, str))
    return any(one in plain(said) for one in old)


def _commands(said: str, lex: Lexicon) -> bool:
    """Return whether a verb that is not listed orders something: "scale it to ten"."""
    rest = after_lead(said.casefold(), lex)
    verb = lex.form(r"([^\W\d_]+)\s+<yes.objects|values.me>\s").match(rest)
    leads_up = lex.words("yes", "glue")  # "a las ocho" orders nothing
    return lex.spaced and verb is not None and verb[1] not in leads_up


def _commands_in_a_word(clause: Clause, filling: SlotFilling) -> bool:
    """Return whether it opens with an order and its pronoun, beside values that have a form:
    "échame dos metros"."""
    open_ = {SlotType.TEXT, SlotType.NAME, SlotType.PLACE}
    types = {filling.shapes[name].type for name in filling.found}
    said = after_lead(clause.words(filling.whole).casefold(), filling.lex)
    return order_in_a_word(said, filling.lex) is not None and types.isdisjoint(open_)


def _is_explained(clause: Clause, filling: SlotFilling) -> bool:
    unknown = [*_unexplained(clause, filling)]
    if _is_when_it_was(clause, unknown, filling):
        return True
    if not filling.lex.spaced:
        return len("".join(unknown)) < _SIGNS_OF_A_WORD
    if len(unknown) <= _most_of_an_opening(filling.reading):
        return True
    if len(unknown) == 1 and _is_called_so(clause, unknown[0], filling):
        return True
    if _is_who_was_asked_for(clause, unknown, filling):
        return True
    if len(unknown) == 1 and _is_a_choice(clause, filling) and not _PAST.search(unknown[0]):
        return True
    if len(unknown) != 1:
        return _speaks(clause, unknown, filling)
    alone = _speaks(clause, unknown, filling) or _begs(clause, filling)
    return alone or _is_what_was_asked(clause, unknown[0], filling)


def _most_of_an_opening(reading: Reading) -> int:
    """Return how many words may stay unknown where nothing was asked: "flowers for Ann"."""
    return 0 if reading.asked else 2 if reading.known else 3


def _is_called_so(clause: Clause, noun: str, filling: SlotFilling) -> bool:
    """Return whether it says of some noun what was asked for: "Empfänger ist Elektro Baumann"."""
    lex, text = filling.lex, filling.whole
    for name, spans in filling.found.items():
        named = re.search(r"[\s\d]", spans[0].words(text)) is not None  # "Der Preis ist Wahnsinn"
        open_ = named and filling.shapes[name].type in (SlotType.NAME, SlotType.TEXT)
        lead = text[clause.start : spans[0].start]
        told = lex.form(rf"\W*(?:<orders.the>\s+)?{re.escape(noun)}\s+<values.copula>\s+")
        if open_ and name in filling.reading.asked and told.fullmatch(lead):
            return True
    return False


def _is_who_was_asked_for(clause: Clause, unknown: list[str], filling: SlotFilling) -> bool:
    """Return whether it names one person, in full or last, who was asked for, beside one verb:
    "mi copre Elena Conti", "I'd prefer Gianni"."""
    found = [*filling.found.items()]
    if len(found) != 1 or len(unknown) > 1 or clause.moods:
        return False
    (name, spans), lex, text = found[0], filling.lex, filling.whole
    if not filling.shapes[name].is_person or name not in filling.reading.asked or not lex.spaced:
        return False
    if _PAST.search(unknown[0]):
        return False
    if " " in spans[0].words(text):
        return True
    is_ = lex.any_of("values.copula").search(clause.words(text))  # "Der Preis ist Wahnsinn"
    return is_ is None and not re.search(r"\w", text[spans[0].end : clause.end])


def _is_when_it_was(clause: Clause, unknown: list[str], filling: SlotFilling) -> bool:
    """Return whether it says when what was asked about was done: "lo miré el domingo"."""
    names = [*filling.found]
    shapes = filling.shapes
    return (
        len(names) == 1
        and names[0] in filling.reading.asked
        and shapes[names[0]].type is SlotType.DATE
        and shapes[names[0]].tense == "past"
        and len(unknown) == 1
        and not clause.moods - {Mood.PAST}
    )


def _is_a_choice(clause: Clause, filling: SlotFilling) -> bool:
    """Return whether a few words name the choice that was asked for: "business class"."""
    chosen = [n for n in filling.found if filling.shapes[n].type is SlotType.CHOICE]
    few = len(clause.words(filling.whole).split()) <= _MOST_OF_A_CHOICE
    return few and chosen == [*filling.found] and set(chosen) <= {*filling.reading.asked}


def _is_what_was_asked(clause: Clause, word: str, filling: SlotFilling) -> bool:
    """Return whether the one thing that was asked for opens the clause, in a form of its own, so
    that one word may be unknown behind it: "a quarter to nine suits". A day is left out: "Saturdays
    they are closed"."""
    names = [
        name
        for name, spans in filling.found.items()
        if any(one.start < clause.end and clause.start < one.end for one in spans)
    ]
    if len(names) != 1 or names[0] not in filling.reading.asked:
        return False
    if _PAST.search(word) or clause.moods:
        return False
    if filling.lex.any_of("orders.yet").search(clause.words(filling.whole)):
        return False  # "at eight I'm still asleep"
    if filling.shapes[names[0]].type not in _SHOWN_BY_FORM:
        return False
    first = filling.found[names[0]][0]
    return word not in filling.whole[clause.start : first.start].casefold()


def _begs(clause: Clause, filling: SlotFilling) -> bool:
    return filling.lex.any_of("values.tails").search(clause.words(filling.whole)) is not None


def _speaks(clause: Clause, unknown: list[str], filling: SlotFilling) -> bool:
    """Return whether the person says of themselves what they are about to do: "I'll be staying for
    3 days", "we set off on Friday"."""
    said = clause.words(filling.whole).casefold()
    speaker = filling.lex.any_of("clauses.speaker")
    ends = re.search(rf"{speaker.pattern}\s*{re.escape(unknown[0])}\W*$", said)  # "… i reckon"
    speaks = ends or speaker.match(after_lead(said, filling.lex))
    if speaks is None or _PAST.search(unknown[0]):
        return False
    types = {filling.shapes[name].type for name in filling.found}
    if not types.isdisjoint(_WITH_A_FORM) and _is_a_noun(unknown[0], said, filling.lex):
        return False
    if unknown[0].endswith("ing") and len(unknown) <= _MOST_BESIDE_ING:
        return True
    if len(unknown) != 1:
        return False
    turns = filling.lex.any_of("clauses.turns").search(filling.whole) is not None
    chosen = set() if turns else {SlotType.CHOICE}  # "I'd dream of a suite, but …"
    return types <= _WITH_A_FORM | {SlotType.COUNT} | chosen


def _is_a_noun(word: str, said: str, lex: Lexicon) -> bool:
    """Return whether it is what somebody has, and nothing that they do: "I have a meeting"."""
    led = lex.form(rf"<clauses.having|orders.the>\s+{re.escape(word)}(?!\w)")
    return lex.spaced and led.search(said) is not None


def _unexplained(clause: Clause, filling: SlotFilling) -> Iterator[str]:
    lex, text = filling.lex, [*filling.whole]
    others = numbers_in(filling.whole, lex)
    led = names_after(filling.whole, lex, "roles.origin", "roles.goal", "roles.place")
    others += [one for one in led if not _TALK.fullmatch(one.words(filling.whole))]
    for spans in (others, *filling.found.values(), *filling.ambiguous.values()):
        for one in spans:
            text[one.start : one.end] = ";" * (one.end - one.start)
    rest = "".join(text[clause.start : clause.end]).casefold()
    own = " ".join((*_own_words(filling), *_counted_nouns(filling)))
    if not lex.spaced:
        rest = frame_signs(lex).sub(";", rest)
        yield from (word for word in _WORD.findall(rest) if word not in own)
        return
    known = {*_WORD.findall(own)}
    # "She was born in May", "he's called Rex", "there are four that stick".
    told = lex.any_of("dates.born", "values.called").search(rest) is not None
    if told or _says_the_question(rest, filling):
        known |= {*lex.words("clauses", "others")}
    if is_about_past(filling.reading.slots):
        known |= {*lex.words("clauses", "past")}
    small = frame_words(lex)
    yield from (word for word in _WORD.findall(rest) if word not in small and word not in known)


def _counted_nouns(filling: SlotFilling) -> Iterator[str]:
    """Yield the nouns that counts which were asked for stand before: "200 flyers"."""
    for name, spans in filling.found.items():
        if name in filling.reading.asked and filling.shapes[name].type is SlotType.COUNT:
            yield noun_after(spans[-1], filling.whole, filling.lex)


def _says_the_question(rest: str, filling: SlotFilling) -> bool:
    """Return whether it answers in a word that the question asks with, and no small one."""
    questions = (
        filling.reading.slots[name].question
        for name in filling.reading.asked
        if name in filling.found
    )
    asked = {word for question in questions for word in _WORD.findall(plain(question))}
    small, others = frame_words(filling.lex), filling.lex.words("clauses", "others")
    said = asked.intersection(_WORD.findall(rest))
    return any(word not in small and word not in others for word in said)


def _own_words(filling: SlotFilling) -> Iterator[str]:
    """Yield the words of the fields, of their questions and of the actions."""
    reading = filling.reading
    for name, slot in reading.slots.items():
        shape = filling.shapes[name]
        yield from (*shape.about, *shape.nouns, *map(plain, slot.choices))
        if name in reading.asked or name in filling.found:
            yield plain(slot.question)
            yield from filling.lex.words("kinds", filling.shapes[name].type.value)
    for action in reading.actions:
        yield plain(f"{action.title} {action.verb} {' '.join(action.phrases)}")
