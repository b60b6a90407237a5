"""Closed forms: utterances that are a yes, a go, an agreement or a thanks as they stand.

A form is a whole utterance ("go ahead", "that is correct", "create it"), never a word that could
be part of something else: "are you sure" holds "sure" and is none. A stretch of text is closed when
forms alone make it up, one after the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sayso.reading.alternatives import edged
from sayso.reading.card_marks import LABEL, THING, VALUE, VERB, CardWords, marked
from sayso.reading.form_grammar import form_patterns
from sayso.reading.forms import HEADS, Form
from sayso.reading.lexicon import Lexicon, lexicon
from sayso.reading.normalize import spelled_out

_OF_CARD = (Form.CARD, Form.ONE_VALUE)
_SIGNS = {
    "👍👌✅✔☑🆗💯🙆": Form.YES,
    "👏🎉🔥🙌🤩😍🥳": Form.PRAISE,
    "🙏": Form.THANKS,
    "😀😃😄😁😊🙂😉😎🤗❤♥💪🚀✨😅😂🤣☺😆🥰😘🫶🤝🤞": Form.CHATTER,
}
_SIGN = {sign: form for signs, form in _SIGNS.items() for sign in signs}
#: Other faces and gestures may doubt or refuse, and so may signs of stopping, asking and waiting;
#: a cake or a dog says nothing.
_TELLING_SIGNS = re.compile(
    "[\U0001f600-\U0001f64f\U0001f910-\U0001f93e\U0001f970-\U0001f97a\U0001fae0-\U0001faf8"
    "👎👊👋✋🛑⛔🚫❌❎✖❓❔❗❕⁉‼⏰⏱⏲⏳⌛⏸⏹⚠🕐-🕧🔙🔚🔜🖕💔💩🤡☹☠💀]"
)
#: So many values in a row are the card said again.
_SEVERAL = 3
#: What may stand between two forms.
_BETWEEN = re.compile(r"[\s,.!¡;:~…、。，！；：・ー\-–—*_]+")
_PAUSE = re.compile(r"[.,!;:、。，！；：]\s*$")


@dataclass(frozen=True, slots=True)
class Closed:
    """The forms that a stretch of text begins with, and where they end; `rest` is not closed."""

    forms: tuple[Form, ...]
    rest: str = ""

    @property
    def is_whole(self) -> bool:
        return not self.rest and bool(self.forms)

    def holds_only(self, forms: frozenset[Form]) -> bool:
        return self.is_whole and forms.issuperset(self.forms)

    def holds(self, forms: frozenset[Form]) -> bool:
        return not forms.isdisjoint(self.forms)


@lru_cache(maxsize=256)
def closed_forms(words: str, lex: Lexicon, card: CardWords | None = None) -> Closed:
    """Read the closed forms that these words begin with: as they stand, or with what the open card
    says in them."""
    text = spelled_out(words)
    as_it_stands = _forms_of(text, lex)
    if card is None or as_it_stands.is_whole:
        return as_it_stands
    with_card = marked(text, lex, card)
    return as_it_stands if with_card == text else _forms_of(with_card, lex)


def _forms_of(text: str, lex: Lexicon) -> Closed:
    forms: list[Form] = []
    start = at = 0
    while at < len(text):
        between = _BETWEEN.match(text, at)
        if between is not None:
            at = between.end()
            continue
        found = _form_at(text, at, lex, forms)
        if found is None:
            break
        form, end = found
        if form in _OF_CARD and forms and _states(text[start:at], text[at:end], forms[-1], lex):
            form = Form.STATED
        if form is Form.ONE_VALUE and _PAUSE.search(text[start:at]):
            form = Form.CARD  # "yes, for Friday" says it again
        forms.append(form)
        start, at = at, end
    return Closed(tuple(forms), text[at:].strip())


def _form_at(text: str, at: int, lex: Lexicon, before: Sequence[Form]) -> tuple[Form, int] | None:
    if text[at] in _SIGN:
        return _SIGN[text[at]], at + 1
    if unicodedata.category(text[at]) == "So" and not _TELLING_SIGNS.match(text[at]):
        return Form.CHATTER, at + 1
    found: tuple[Form, int] | None = None
    for form, pattern in form_patterns(lex):
        match = pattern.match(text, at)
        if match is None or match.end() == at:
            continue
        if form is Form.CARD and not HEADS.intersection(before) and not match["agrees"]:
            continue  # what the card says follows a yes, or is said to be right
        if found is None or match.end() > found[1]:
            found = _said_of_card(match) if form is Form.CARD else form, match.end()
    return found


def _said_of_card(match: re.Match[str]) -> Form:
    """Return what a row of words of the card does: "the transfer is right", "the amount is"."""
    if VALUE in match[0] and match["agrees"]:
        return Form.PART_AGREES
    if 0 < match[0].count(VALUE) < _SEVERAL and not {THING, VERB}.intersection(match[0]):
        return Form.ONE_VALUE
    if VALUE in match[0]:
        return Form.CARD
    if LABEL in match[0]:
        return Form.PART
    return Form.AGREES if match["agrees"] else Form.CARD


def _states(head: str, said: str, form: Form, lex: Lexicon) -> bool:
    """Return whether what stands right before words of the card makes a value of them, and no
    agreement: "it is", "make it", "I want that". After a comma they only go with it."""
    if re.fullmatch(r"go\s+", head):
        return True  # "go to the bank"
    if not {VALUE, LABEL}.intersection(said):
        return False
    verbs = _beside_english(lex, "yes.copulas", "clauses.inverting", "clauses.inverting_pronoun")
    subjects = _beside_english(lex, "yes.subjects", "clauses.pronouns")
    if re.match(rf"{subjects}\s*{_beside_english(lex, 'yes.copulas')}", said):
        return True
    if re.search(r"[.,!、。，！]\s*$", head):
        return False
    if form is Form.YES:
        return re.search(rf"{verbs}\s*$", head) is not None
    speaks = re.match(_beside_english(lex, "clauses.subjects"), head) is not None
    takes_it = re.search(rf"{_beside_english(lex, 'yes.objects')}\s*$", head) is not None
    goes_on = re.match(_beside_english(lex, "yes.glue"), said) is not None
    return speaks or ((form is Form.GO or takes_it) and not goes_on)


@cache
def _beside_english(lex: Lexicon, *lists: str) -> str:
    """Return a pattern for these lists, with English beside, as the forms themselves have it."""
    both = dict.fromkeys((lex, lexicon("en")))
    words = (spelled_out(w) for one in both for name in lists for w in one.words(*name.split(".")))
    return edged(words)
