"""What a message changes of what is known: taken back, replaced, made more or less.

A correction belongs to the known value that it names, or whose kind it names, before any open
question: "actually let's do Naples" is not where they start from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import JsonValue

from sayso.reading.normalize import even, plain, same_value
from sayso.reading.parsers.names import names_in
from sayso.reading.parsers.people import bare_counts_in
from sayso.reading.parsers.times import is_led, led_hours_in
from sayso.reading.relative import changed_by, compares, in_its_day, in_its_half
from sayso.reading.slot_filling import SlotFilling
from sayso.reading.slot_types import SlotType
from sayso.reading.slot_values import slot_values_in
from sayso.reading.span import Span, apart
from sayso.reading.typed_slots import slot_named_before

_NAMED = (SlotType.PLACE, SlotType.NAME, SlotType.TEXT)
_COUNTED = (SlotType.DURATION, SlotType.COUNT, SlotType.PEOPLE, SlotType.MONEY, SlotType.NUMBER)
_ARROW = re.compile(r"\s*(?:->|=>|→|⇒)\s*")
#: How many characters before a name may say which part it plays.
_LEAD = 16


def find_cleared(filling: SlotFilling) -> None:
    """Find the slots that are taken back: "forget the budget", "not Oslo"."""
    for match in filling.lex.any_of("orders.clearing").finditer(filling.whole):
        clause = re.split(r"[.!?;,]", filling.whole[match.end() :], maxsplit=1)[0]
        named = [
            name
            for name, shape in filling.shapes.items()
            if filling.lex.form(
                rf"\s*(?:\w+\s+){{0,2}}?{filling.lex.alternatives(shape.about)}"
            ).match(clause)
        ]
        if named:
            filling.use_up(match.start(), match.end() + len(clause))
            filling.cleared += [name for name in named if name in filling.reading.known]


def find_corrections(filling: SlotFilling) -> None:
    """Find the new values of slots that are known."""
    known = [name for name in filling.reading.known if name in filling.open(*SlotType)]
    is_anew = filling.is_anew() or _contrasts(filling) or _ARROW.search(filling.whole) is not None
    for name in known if compares(filling.text, filling.lex) else ():
        more = changed_by(filling.text, filling.shapes[name], filling.lex, _known(filling, name))
        if more is not None and _is_the_one(filling, name, known):
            filling.take(name, [more])
            return
    if is_anew:
        replaced = [name for name in known if _replace(filling, name) or _recode(filling, name)]
        if not replaced and _is_strong(filling):
            _by_kind(filling, known)


def find_parts(filling: SlotFilling) -> None:
    """Find the bare time that changes a day and time, and the bare number that only one value can
    be, at an open card or in a correction: "ship it at 11 pm", "book for three then"."""
    reading = filling.reading
    is_shown = reading.pending is not None and reading.pending.kind == "card"
    corrects = reading.known and not filling.found and filling.is_anew() and _is_strong(filling)
    if not is_shown and not corrects:
        return
    for name in filling.open(SlotType.MOMENT):
        before = reading.known.get(name)
        part = in_its_day(filling.text, filling.lex, before, filling.today)
        if part is not None and filling.is_free(part) and part.value != before:
            return filling.take(name, [part])
    said = {
        name: spans
        for name in filling.open(*_COUNTED[1:], SlotType.TIME)
        if (spans := _typed(filling, name, asked=True))
        and (filling.shapes[name].type is not SlotType.TIME or _ends(filling, spans[-1]))
    }
    times = [name for name in said if filling.shapes[name].type is SlotType.TIME]
    led = any(is_led(filling.text, one.start, filling.lex) for row in said.values() for one in row)
    fitting = [name for name in said if (name in times) == led] or times
    if len(fitting) == 1 and len(said[fitting[0]]) == 1:
        before = reading.known.get(fitting[0])
        one = in_its_half(said[fitting[0]][0], filling.text, filling.lex, before)
        if not same_value(before, one.value):
            filling.take(fitting[0], [one])


def answers_another(filling: SlotFilling, name: str) -> bool:
    """Return whether a new value answers an agent's question about something else, so that what is
    known stands: "When do you want to see the flat?", where a car is booked for the 2nd."""
    reading = filling.reading
    question = _last_question(reading.tail)
    if name not in reading.known or not question or reading.asked or reading.pending is not None:
        return False
    if name in filling.offered or filling.is_named(name):
        return False
    if filling.lex.any_of("orders.make", "orders.acting").search(filling.whole):
        return False  # an order says what it is about
    if not filling.is_anew():
        return True
    # What is corrected is what the agent has just read out.
    shape = filling.shapes[name]
    read_out = slot_values_in(even(question), shape, filling.lex, today=filling.today)
    return bool(read_out) and not any(same_value(_known(filling, name), m.value) for m in read_out)


def _last_question(tail: Sequence[tuple[str, str]]) -> str:
    """Return the words that this message answers, where they end on a question."""
    role, text = tail[-1] if tail else ("", "")
    return text if role == "assistant" and text.rstrip().endswith(("?", "？")) else ""


def _replace(filling: SlotFilling, name: str) -> bool:
    """Take the other value of its kind beside the known one: "swap Rome for Milan", "7 -> 9"."""
    old, others = _old_and_others(filling, name)
    if old is None:
        return False
    if not others:
        if filling.is_refused(old) and not _contrasts(filling):
            filling.cleared.append(name)
        return False
    # "Naples instead of Rome": what is not refused is new, wherever it stands.
    after = [one for one in others if one.start >= old.end]
    refused = filling.is_refused(old)
    new = (after or others)[0] if not refused else others[0]
    filling.use_up(old.start, old.end)
    filling.take(name, [new])
    return True


def _recode(filling: SlotFilling, name: str) -> bool:
    """Take the one code beside the field's own word: "wrong order number, it's 88231"."""
    shape = filling.shapes[name]
    if shape.type is not SlotType.TEXT or not filling.is_named(name):
        return False
    codes = [one for one in filling.codes() if filling.is_free(one)]
    if len(codes) == 1 and codes[0].words(filling.text) != str(_known(filling, name)):
        filling.take(name, codes)
    return name in filling.found


def _old_and_others(filling: SlotFilling, name: str) -> tuple[Span | None, list[Span]]:
    shape, known = filling.shapes[name], _known(filling, name)
    if shape.type in _NAMED:
        said = {plain(str(one)) for one in (known if isinstance(known, list) else [known])}
        found = names_in(filling.whole, filling.lex) or _words_like(filling.whole, said)
        found = apart([*found, *filling.codes()])
        old = [one for one in found if plain(one.words(filling.whole)) in said]
        new = [one for one in found if one not in old and not filling.is_refused(one)]
    else:
        found = slot_values_in(filling.whole, shape, filling.lex, today=filling.today, asked=True)
        bare = _ARROW.search(filling.whole)
        if len(found) == 1 and bare is not None:  # "7 -> 9 days" gives its unit once
            return Span(value=known, start=0, end=bare.start()), found
        old = [one for one in found if same_value(known, one.value)]
        new = [one for one in found if one not in old and not filling.is_refused(one)]
        if old and not new and shape.type in (SlotType.COUNT, SlotType.PEOPLE):
            # "three guys rather than two": what is counted has not to be said as the field does.
            found = bare_counts_in(filling.whole, filling.lex)
            new = [m for m in found if not m.overlaps(old[0]) and not filling.is_refused(m)]
    return (old[0] if old else None), [one for one in new if not filling.is_used(one)]


def _contrasts(filling: SlotFilling) -> bool:
    return filling.lex.any_of("clauses.contrast").search(filling.whole) is not None


def _words_like(text: str, said: set[str]) -> list[Span]:
    small = text.lower()
    return [
        Span(value=one, start=at, end=at + len(one))
        for one in said
        if one and (at := small.find(one)) >= 0 and len(small) == len(text)
    ]


def _by_kind(filling: SlotFilling, known: Sequence[str]) -> None:
    """Take the one new value, if just one known slot is of its kind, or was said last."""
    has_form = False
    for kind in SlotType:
        wanted = [name for name in known if filling.shapes[name].type is kind]
        spans = _typed(filling, wanted[0], asked=False) if wanted and kind not in _NAMED else []
        if spans:
            owner = slot_named_before(filling, spans[-1], filling.open(kind))
            if owner is None or owner in wanted:
                _take_for_one(filling, [owner] if owner else wanted, spans[-1:])
            has_form = True
    if has_form:
        return
    names = [one for one in filling.names() if _stands_alone(filling, one)]
    if len(names) == 1:
        _take_for_one(filling, [n for n in known if filling.shapes[n].type in _NAMED[:2]], names)
        return
    bare = {
        name: spans
        for name in known
        if filling.shapes[name].type in _COUNTED and (spans := _typed(filling, name, asked=True))
    }
    if bare:
        chosen = _said_last(filling, [*bare])
        if chosen is not None:
            filling.take(chosen, bare[chosen][-1:])
        else:
            first = next(iter(bare))
            filling.use_up(bare[first][-1].start, bare[first][-1].end)
            filling.ambiguous[first] = bare[first][-1:]


def _typed(filling: SlotFilling, name: str, *, asked: bool) -> list[Span]:
    found = slot_values_in(
        filling.text, filling.shapes[name], filling.lex, today=filling.today, asked=asked
    )
    if filling.shapes[name].type is SlotType.TIME:
        found = found or led_hours_in(filling.text, filling.lex)
    return [filling.as_known(name, one) for one in found if filling.is_free(one)]


def _take_for_one(filling: SlotFilling, wanted: Sequence[str], spans: list[Span]) -> None:
    chosen = _said_last(filling, wanted)
    if chosen is not None:
        filling.take(chosen, spans)


def _said_last(filling: SlotFilling, names: Sequence[str]) -> str | None:
    """Return the one of these slots, or the one whose value the person's last message said."""
    if len(names) < 2:
        return names[0] if names else None
    last = next((text for role, text in reversed(filling.reading.tail) if role == "user"), "")
    said = [
        name
        for name in names
        if re.search(rf"(?<!\w){re.escape(plain(str(_known(filling, name))))}(?!\w)", plain(last))
    ]
    return said[0] if len(said) == 1 else None


def _is_the_one(filling: SlotFilling, name: str, known: Sequence[str]) -> bool:
    """Return whether a change by an amount fits this slot alone."""
    fitting = [
        other
        for other in known
        if changed_by(filling.text, filling.shapes[other], filling.lex, _known(filling, other))
    ]
    return fitting == [name]


def _ends(filling: SlotFilling, one: Span) -> bool:
    """Return whether a clause ends with these words, so that they count nothing."""
    after = filling.text[one.end :].lstrip()
    tails = filling.lex.any_of("values.tails", "yes.tails")
    return not after or not after[0].isalnum() or tails.match(after) is not None


def _stands_alone(filling: SlotFilling, name: Span) -> bool:
    """Return whether a name ends its clause and no word before says which part it plays: "let's do
    Naples", not "actually from Oslo", "Asian Fusion food"."""
    lead = filling.text[max(0, name.start - _LEAD) : name.start]
    is_name = name.words(filling.text)[:1].isupper()
    led = filling.lex.form(r"<roles.origin|roles.goal|roles.place|roles.venue>\s*$")
    return is_name and _ends(filling, name) and led.search(lead) is None


def _is_strong(filling: SlotFilling) -> bool:
    """Return whether more than a "no" or a "sorry" says that something changes."""
    weak = filling.lex.any_of("yes.no", "clauses.negation", "clauses.turns", "clauses.greetings")
    return any(
        weak.fullmatch(match[0]) is None
        for match in filling.lex.any_of("orders.anew").finditer(filling.whole)
    )


def _known(filling: SlotFilling, name: str) -> JsonValue:
    return filling.reading.known[name]
