"""Closed forms: utterances that are a yes, a go, an agreement or a thanks as they stand.

A form is a whole utterance ("go ahead", "that is correct", "create it"), never a word that could
be part of something else: "are you sure" holds "sure" and is none. A stretch of text is closed when
forms alone make it up, one after the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache

from sayso.reading.alternatives import edged
from sayso.reading.lexicon import Lexicon, lexicon
from sayso.reading.normalize import plain


class Form(StrEnum):
    """What one utterance does."""

    YES = "Y"
    GO = "G"
    #: "That is correct", about what stands there.
    AGREES = "A"
    #: The order that the open card stands for.
    ORDER = "V"
    OK = "K"
    PRAISE = "P"
    THANKS = "T"
    TAIL = "S"
    CHATTER = "I"
    #: Not closed: any clause that has the card's own verb.
    DEED = "U"
    #: Words of the card: its names, or several of its values.
    CARD = "D"
    #: A value or two of the card that a yes goes to, and no pause before: "yes to Friday".
    ONE_VALUE = "E"
    #: "Friday is fine": some of what stands there, and not that all of it is.
    PART_AGREES = "B"
    #: A name of what stands there, without its value: "the amount", "the amount is correct".
    PART = "R"
    #: What leaves it open where the reply ends on it: a hesitation, an "and".
    HOLDS = "H"
    #: Words of the card that the reply says as a value: "it is Friday", "make it 4".
    STATED = "N"


#: Each of these is leave by itself.
HEADS = frozenset({Form.YES, Form.GO, Form.AGREES, Form.ORDER})
#: These lean to a yes and are none.
LEANING = frozenset(
    {
        *(Form.OK, Form.PRAISE, Form.THANKS),
        *(Form.CARD, Form.ONE_VALUE, Form.PART_AGREES, Form.PART),
    }
)
_OF_CARD = (Form.CARD, Form.ONE_VALUE)

_LISTS = {
    "holding": Form.HOLDS,
    "yes": Form.YES,
    "go": Form.GO,
    "ok": Form.OK,
    "praise": Form.PRAISE,
    "thanks": Form.THANKS,
    "joy": Form.CHATTER,
    "tails": Form.TAIL,
    "goodbyes": Form.TAIL,
    "courtesies": Form.TAIL,
    "chatter": Form.CHATTER,
}
#: No slip of typing is meant for these: "by" is no "bye".
_NEVER_MEANT = ("goodbyes", "courtesies")
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
#: Accents, and none of the marks that other scripts spell with.
_ACCENT = re.compile("[\u0300-\u036f]")
_INVISIBLE = re.compile("[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]")
_SMILEY = re.compile(r"(?<!\w)[:;=][-']?[)DPp](?!\w)|<3|\^\^")
#: Stand for what the card says, in a reply: its whole order, its verb, its things, its values, and
#: what these are called.
_ORDER, _VERB, _THING, _VALUE, _LABEL = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
#: A shorter stem is that of many words.
_LEAST_STEM = 5
#: The endings of an infinitive, and those of an order.
_ORDERS = {
    "fr": ("(?:er|ir|re)", "e|es|ez|ons"),
    "es": ("(?:ar|er|ir)", "a|e|en|emos|amos"),
    "pt": ("(?:ar|er|ir)", "a|e|em|emos|amos"),
    "it": ("(?:are|ere|ire)", "a|i|e|iamo"),
    "nl": ("en", "t?"),
    "de": ("e?n", "e?"),
}
_LEAST_ROOT = 3
#: How nouns of deeds end, without their accents.
_NOUN_ENDINGS = "ung|ungen|zione|zioni|cion|ciones|tion|tions|sion|cao|coes|ing|ings|mento"
#: So many values in a row are the card said again.
_SEVERAL = 3
#: Words before a value that say which part it plays: "from", "until".
_ROLES = ("origin", "goal", "place", "start", "end")
#: Other small words before a value.
_SMALL = ("times.at", "dates.the", "orders.the", "values.and", "values.with")
#: How long what somebody is thanked for may be, in characters.
_LONGEST_REASON = 40
#: What may stand between two forms.
_BETWEEN = re.compile(r"[\s,.!¡;:~…、。，！；：・ー\-–—*_]+")
_FIRST = re.compile(r"\w+")
_PAUSE = re.compile(r"[.,!;:、。，！；：]\s*$")
_CONTRACTED = re.compile(r"(?<=[a-z])'(s|re|ll|d|ve|m)(?!\w)|(?<=\bthat)(s)\b")
_WHOLE = {"s": " is", "re": " are", "ll": " will", "d": " would", "ve": " have", "m": " am"}


@dataclass(frozen=True, slots=True)
class CardWords:
    """What an open card says: its orders ("wire the money"), what they do and to what, its
    values. All of them as `spelled_out` has them."""

    orders: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Closed:
    """The forms that a stretch of text begins with, and where they end; `rest` is not closed."""

    forms: tuple[Form, ...]
    rest: str = field(default="")

    @property
    def is_whole(self) -> bool:
        return not self.rest and bool(self.forms)

    def holds_only(self, forms: frozenset[Form]) -> bool:
        return self.is_whole and all(form in forms for form in self.forms)

    def holds(self, forms: frozenset[Form]) -> bool:
        return any(form in forms for form in self.forms)


@lru_cache(maxsize=256)
def closed_forms(words: str, lex: Lexicon, card: CardWords | None = None) -> Closed:
    """Read the closed forms that these words begin with: as they stand, or with what the open card
    says in them."""
    text = spelled_out(words)
    as_it_stands = _forms_of(text, lex)
    if card is None or as_it_stands.is_whole:
        return as_it_stands
    marked = _marked(text, lex, card)
    return as_it_stands if marked == text else _forms_of(marked, lex)


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


@lru_cache(maxsize=1024)
def spelled_out(words: str) -> str:
    """Return words as the lists have them: small, without contractions, accents and drawn out
    letters."""
    text = _SMILEY.sub(" ", _INVISIBLE.sub("", plain(words)))
    text = _CONTRACTED.sub(lambda m: _WHOLE[m[1] or m[2]], text.replace("let's", "lets"))
    text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text)))
    return re.sub(r"([^\W\d])\1{2,}", r"\1", text).strip()


@cache
def any_form(lex: Lexicon, *lists: str) -> re.Pattern[str]:
    """Return a pattern for the words of these lists of [yes], for words that are spelled out."""
    return re.compile(edged([word for name in lists for word in _words(lex, name)]))


@cache
def known_words(lex: Lexicon) -> frozenset[str]:
    """Return every single word that the forms of a language are made of, and those of its no."""
    lists = ("lets", "objects", "verbs", "subjects", "copulas", "adverbs", "agree", "looks", "no")
    names = (*_LISTS.keys() - set(_NEVER_MEANT), *lists, "later", "glue")
    words = [word for name in names for word in _words(lex, name)]
    return frozenset(part for word in words for part in word.split())


def may_be_closed(words: str, lex: Lexicon) -> bool:
    """Return whether some form may begin with the first of these words: most languages part there
    from one that is not theirs."""
    first = _FIRST.match(spelled_out(words))
    return not (lex.spaced and first) or first[0] in _openers(lex)


@cache
def _openers(lex: Lexicon) -> frozenset[str]:
    """Return the words that forms begin with; what follows a mark of the card is left out."""
    lists = ("glue", "sounds", "would_be", "several_look", "separable", "particles", *_NEVER_MEANT)
    words = {*known_words(lex), *_verbs(lex), *lex.words("orders", "both")}
    words |= {word for name in lists for word in _words(lex, name)}
    words |= {verb + end for verb in _verbs(lex) for end in _words(lex, "clitics")}
    return frozenset(first[0] for word in words if (first := _FIRST.match(word)))


def _form_at(text: str, at: int, lex: Lexicon, before: Sequence[Form]) -> tuple[Form, int] | None:
    if text[at] in _SIGN:
        return _SIGN[text[at]], at + 1
    if unicodedata.category(text[at]) == "So" and not _TELLING_SIGNS.match(text[at]):
        return Form.CHATTER, at + 1
    found: tuple[Form, int] | None = None
    for form, pattern in _patterns(lex):
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
    if _VALUE in match[0] and match["agrees"]:
        return Form.PART_AGREES
    if 0 < match[0].count(_VALUE) < _SEVERAL and not {_THING, _VERB}.intersection(match[0]):
        return Form.ONE_VALUE
    if _VALUE in match[0]:
        return Form.CARD
    if _LABEL in match[0]:
        return Form.PART
    return Form.AGREES if match["agrees"] else Form.CARD


def _states(head: str, said: str, form: Form, lex: Lexicon) -> bool:
    """Return whether what stands right before words of the card makes a value of them, and no
    agreement: "it is", "make it", "I want that". After a comma they only go with it."""
    if re.fullmatch(r"go\s+", head):
        return True  # "go to the bank"
    if not {_VALUE, _LABEL}.intersection(said):
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
    return edged([*dict.fromkeys(words)])


@cache
def _patterns(lex: Lexicon) -> tuple[tuple[Form, re.Pattern[str]], ...]:
    made = [(form, re.compile(edged(_words(lex, name)))) for name, form in _LISTS.items()]
    made += [(Form.AGREES, one) for one in _agreeing(lex)]
    made.append((Form.PRAISE, re.compile(_praising(lex))))
    made.append((Form.THANKS, re.compile(_thanking(lex))))
    made.append((Form.TAIL, re.compile(edged(lex.words("orders", "both")))))
    made.append((Form.ORDER, re.compile(_order(lex))))
    made.append((Form.CARD, re.compile(_said_on_card(lex))))
    made.append((Form.STATED, re.compile(_setting(lex))))
    return tuple(made)


# ── what the card says, marked in a reply ──


@lru_cache(maxsize=256)
def _marks(lex: Lexicon, card: CardWords) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the marks with the words they stand for. There are few words, so that a new card costs
    little."""
    words = (
        (_ORDER, edged(card.orders)),
        (_VALUE, edged(card.values)),
        (_THING, _deeds(card.verbs, lex)),
        (_VERB, _stems(card.verbs, lex)),
        (_THING, _stems(card.things, lex)),
        (_LABEL, edged(card.labels)),
    )
    return tuple((mark, _compiled(pattern)) for mark, pattern in words)


def says_verb(words: str, lex: Lexicon, card: CardWords | None) -> bool:
    """Return whether these words hold the verb of what the card stands for."""
    return card is not None and not {_ORDER, _VERB}.isdisjoint(
        _marked(spelled_out(words), lex, card)
    )


def says_any(card: CardWords, said: str, lex: Lexicon) -> bool:
    """Return whether any of these words of a card is said, in whatever form."""
    return any(pattern.search(said) for _, pattern in _marks(lex, card))


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern once for all cards of an application: only their values differ."""
    return re.compile(pattern)


def _marked(text: str, lex: Lexicon, card: CardWords) -> str:
    for mark, pattern in _marks(lex, card):
        text = pattern.sub(mark, text)
    return text


def _agreeing(lex: Lexicon) -> Iterator[re.Pattern[str]]:
    """Yield the agreeing clauses: "that is correct", "everything looks good", "das stimmt so"."""
    subject, copula = edged(_words(lex, "subjects")), edged(_words(lex, "copulas"))
    adverbs = rf"(?:{edged(_words(lex, 'adverbs'))}{_gap(lex)})*"
    agree, looks = edged(_words(lex, "agree")), edged(_words(lex, "looks"))
    gap = _gap(lex)
    yield re.compile(rf"{subject}{gap}{copula}{gap}{adverbs}{agree}")
    rest = rf"(?:{gap}{edged(_words(lex, 'adverbs'))})*(?:{gap}{adverbs}{agree})?"
    yield re.compile(rf"(?:{subject}{gap})?{adverbs}{looks}{rest}")
    # "All of them work", and never "good work".
    yield re.compile(rf"{subject}{gap}{adverbs}{edged(_words(lex, 'several_look'))}{rest}")
    sounds = edged((*_words(lex, "sounds"), *_words(lex, "would_be")))
    yield re.compile(
        rf"(?:{subject}{gap})?{sounds}{gap}{adverbs}(?:{agree}|{edged(_words(lex, 'praise'))})"
    )


def _praising(lex: Lexicon) -> str:
    """ "That is great"."""
    gap, adverbs = _gap(lex), rf"(?:{edged(_words(lex, 'adverbs'))}{_gap(lex)})*"
    subject, copula = edged(_words(lex, "subjects")), edged(_words(lex, "copulas"))
    return rf"{subject}{gap}{copula}{gap}{adverbs}{edged(_words(lex, 'praise'))}"


def _thanking(lex: Lexicon) -> str:
    """ "Thanks for …", whatever it is for."""
    reason = edged(_words(lex, "thanks_for"))
    return (
        rf"{edged(_words(lex, 'thanks'))}{_gap(lex)}{reason}[^.,!?;。，！？]{{0,{_LONGEST_REASON}}}"
    )


def _order(lex: Lexicon) -> str:
    """An order to do it: "create it", "please book", or what the card itself stands for, in
    whatever form its verb has: "buch die Reise" for "die Reise buchen"."""
    gap, lets = _gap(lex), edged(_words(lex, "lets"))
    lead = rf"(?:{lets}{gap}[,，]?\s*)"
    thing = rf"(?:{edged(_words(lex, 'glue'))}{gap})*{_THING}"
    verb = rf"(?:{edged(_verbs(lex))}|{_VERB})"
    alone, clitics = (
        "|".join(sorted(map(re.escape, row), key=len, reverse=True))
        for row in (_verbs(lex), _words(lex, "clitics"))
    )
    with_it = rf"(?<!\w)(?:{alone})(?:{clitics})(?!\w)" if clitics else r"(?!)"
    it, small = edged(_words(lex, "objects")), rf"(?:{gap}{edged(_words(lex, 'tails'))})"
    particle = rf"(?:{gap}{edged((*_words(lex, 'particles'), *_words(lex, 'separable')))})"
    forms = [
        rf"{lead}*{verb}(?:{gap}{it})?{small}?{gap}{thing}(?:{gap}{thing})*{small}?{particle}?",
        rf"{lead}*{verb}(?:{gap}{it}){{1,2}}{small}?{particle}?",
        rf"{it}{gap}{verb}",
        rf"{lead}*{with_it}(?:{gap}{thing})*{small}?",
        rf"{lead}+{verb}",
        rf"{lead}*{_ORDER}",
        rf"{thing}{gap}(?:{edged(_words(lex, 'tails'))}{gap})?{verb}",
        rf"{lead}*{_VERB}{small}?{particle}?",
        rf"{lead}*{_VERB}{gap}{_row(lex)}",
    ]
    if not lex.spaced:
        ends = edged((*_words(lex, "go"), *_words(lex, "endings")))
        forms.append(rf"(?:{thing}を?)?(?:{thing}|{_VERB}){ends}")
    return "|".join(f"(?:{one})" for one in forms)


def _setting(lex: Lexicon) -> str:
    """Values after a verb that is not the card's own: "set 4", "start Friday"."""
    lead = rf"(?:{edged(_words(lex, 'lets'))}{_gap(lex)})*"
    return rf"{lead}{edged(_verbs(lex))}{_gap(lex)}(?=[^,;.]*{_VALUE}){_row(lex)}"


def _stems(words: Sequence[str], lex: Lexicon) -> str:
    """Return a pattern for these words in any of their forms, but a past one: "booking", not
    "booked". The verb of "einreichen" may stand apart from its "ein"."""
    if not lex.spaced or not words:
        return edged(words)
    if lex.code == "en":
        return edged(word + end for word in words for end in ("", "s", "ing"))
    apart = "|".join(lex.words("yes", "separable"))
    roots = [re.sub(rf"^(?:{apart})(?=\w{{4}})", "", word) if apart else word for word in words]
    stems = {word[: max(_LEAST_STEM, len(word) - 4)] for word in words}
    stems |= {root[: max(3, len(root) - 3)] for root in roots if root not in words}
    stems |= {form for form in _verbs(lex) if any(form[:4] == word[:4] for word in words)}
    joined = "|".join(re.escape(stem) for stem in sorted(stems, key=len, reverse=True))
    told = "|".join(one for word in words for one in _told(word, lex))
    return rf"(?:(?<!\w)(?:{joined})[a-zà-ÿ]{{0,7}}(?!\w)|(?<!\w)(?:{told or '(?!)'})(?!\w))"


def _deeds(verbs: Sequence[str], lex: Lexicon) -> str:
    """Return a pattern for what these verbs are called as things: "booking", "prenotazione"."""
    roots = [re.escape(verb[: max(3, len(verb) - 3)]) for verb in verbs]
    if not lex.spaced or not roots:
        return r"(?!)"
    if lex.code == "en":
        return edged([f"{verb}{end}" for verb in verbs for end in ("ing", "ings")])
    return rf"(?<!\w)(?:{'|'.join(roots)})\w{{0,4}}(?:{_NOUN_ENDINGS})(?!\w)"


def _told(word: str, lex: Lexicon) -> Iterator[str]:
    """Yield how a verb too short for a stem is said in an order: "loue" of "louer", "huur" of
    "huren"."""
    infinitive, endings = _ORDERS.get(lex.code, ("(?!)", ""))
    root = re.sub(rf"{infinitive}$", "", word)
    if root != word and len(root) >= _LEAST_ROOT:
        yield rf"{re.escape(root)}(?:{endings})"
        if lex.code == "nl" and re.search(r"[^aeiou][aeou][^aeiou]$", root):
            yield rf"{root[:-1]}{root[-2]}{root[-1]}t?"


def _row(lex: Lexicon) -> str:
    """What the card says, one after the other: "for 4 people on Friday"."""
    roles = (word for name in _ROLES for word in map(spelled_out, lex.words("roles", name)))
    small = (spelled_out(word) for name in _SMALL for word in lex.words(*name.split(".")))
    glue, gap = rf"(?:{edged([*_words(lex, 'glue'), *roles, *small])}{_gap(lex)})*", _gap(lex)
    said = f"[{_VALUE}{_LABEL}{_THING}{_VERB}]"
    return rf"{glue}{said}(?:(?:{gap}|[\s,，、]*){glue}{said})*"


def _said_on_card(lex: Lexicon) -> str:
    gap, agree = _gap(lex), edged(_words(lex, "agree"))
    agrees = rf"{gap}(?:{edged(_words(lex, 'copulas'))}{gap}{agree}|{edged(_words(lex, 'looks'))})"
    return rf"{_row(lex)}(?P<agrees>{agrees})?"


def _words(lex: Lexicon, name: str) -> tuple[str, ...]:
    """Return a list of the language; English is understood beside each."""
    own = lex.words("yes", name) or lex.words("clauses", name)
    beside = name in _LISTS and name != "holding" and lex.code != "en"
    shared = lexicon("en").words("yes", name) if beside else ()
    return tuple(dict.fromkeys(spelled_out(word) for word in (*own, *shared)))


def _verbs(lex: Lexicon) -> tuple[str, ...]:
    """Return the verbs of an order: to make something, to act, and those that only end an order."""
    told = (*lex.words("orders", "make"), *lex.words("orders", "acting"))
    return (*_words(lex, "verbs"), *map(spelled_out, told))


def _gap(lex: Lexicon) -> str:
    return r"(?:\s+|(?<=')|(?=-))" if lex.spaced else r"\s*"
