"""The values that a message says, each with its words: which words fill which slot.

First what has a form of its own (days, times, lengths, amounts, counts, choices), then names by how
they are introduced, then what the agent had offered, then the answer to what was just asked. No
words fill two slots.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

from sayso.core.operations import Clear, Correct, Operation, Reading, Set
from sayso.gate.bare_answers import find_answers, find_corrections
from sayso.gate.naming import find_names
from sayso.gate.offers import taken_up
from sayso.gate.parsers.mention import Mention
from sayso.gate.replies import is_plain_yes
from sayso.gate.search import Search
from sayso.gate.text import plain
from sayso.gate.typed import find_typed


def values_in(reading: Reading) -> list[Operation]:
    search = Search(reading)
    _find_cleared(search)
    find_typed(search)
    find_names(search)
    _find_taken_up(search)
    find_answers(search)
    find_corrections(search)
    said = [_operation(search, name) for name in search.found]
    return [*said, *(Clear(slot=name) for name in search.cleared)]


def _find_cleared(search: Search) -> None:
    """ "Forget the budget": a slot that is spoken of and taken back."""
    for match in search.lex.any_of("orders.clearing").finditer(search.text):
        clause = re.split(r"[.!?;,]", search.text[match.end() :], maxsplit=1)[0]
        for name in search.reading.known:
            shape = search.shapes.get(name)
            if shape is not None and re.match(
                rf"\s*(?:\w+\s+){{0,2}}?{search.lex.alternatives(shape.about)}", clause, re.I
            ):
                search.cleared.append(name)


def _find_taken_up(search: Search) -> None:
    reading = search.reading
    if reading.pending is not None and is_plain_yes(plain(search.text), search.lex):
        return  # that yes has its answer already
    offered = {n: v for n, v in reading.offered.items() if n in search.shapes and v}
    for one in taken_up(reading.message, offered, search.lex):
        if one.slot not in search.found:
            search.offered[one.slot] = one.value
            search.found[one.slot] = [one.words]


def _operation(search: Search, name: str) -> Operation:
    mentions = search.found[name]
    start = min(m.start for m in mentions)
    end = max(m.end for m in mentions)
    value: JsonValue
    if name in search.offered:
        value = search.offered[name]
    elif search.shapes[name].is_list:
        value = [_value(m, search.text) for m in mentions]
    else:
        value = _value(mentions[0], search.text)
    kind = Correct if search.is_correction_of(name) else Set
    quote = search.reading.message[start:end]
    return kind(slot=name, value=value, quote=quote, span=(start, end))


def _value(mention: Mention, text: str) -> JsonValue:
    return mention.words(text) if mention.value is None else mention.value
