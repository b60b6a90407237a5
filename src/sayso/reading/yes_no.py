"""What a reply says to an open question: yes, a leaning to it, no, not yet, a question, or nothing.

A *strong* yes is closed: forms of leave alone make up the message, and at most a question for
information follows. One amid other talk is leave where the network hears it too. Praise and
thanks only *lean*, and so does a yes beside a question about price, certainty or terms. Conditions,
doubts, quotes, later times and words to somebody else are never a yes. See `closed_forms` for the
forms and `clauses` for the moods.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sayso.reading.card_marks import CardWords
from sayso.reading.clauses import clauses_in
from sayso.reading.closed_forms import closed_forms
from sayso.reading.form_words import any_form, known_words, may_be_closed
from sayso.reading.given_by_forms import given
from sayso.reading.lexicon import LANGUAGES, Lexicon, base, lexicon, lexicon_for
from sayso.reading.loose_grants import grants_loosely
from sayso.reading.moods import Mood
from sayso.reading.normalize import LONGEST_READ, folded, plain, spelled_out
from sayso.reading.questions_beside import before_request
from sayso.reading.reply_kinds import NOTHING, YESES, Heard, ReplyKind
from sayso.reading.typing_slips import mended
from sayso.reading.what_is_ordered import is_broken_off, orders_another_thing
from sayso.reading.yes_amid_talk import by_clauses

#: A shorter reply may be in any language, whatever its words look like.
_SHOWS_NONE = 60
#: Signs of code, quotes and pastes. Nobody types them to say yes.
_NOT_SPOKEN = re.compile(
    r"[{}\[\]<>|=`\"“”„«»「」『』#@\\]|^\s*[-*] |(?<!\w)['‘][^'’]{3,}['’](?!\w)", re.MULTILINE
)
#: A name: a capital within the message.
_NAME = re.compile(r"(?<=[^\W\d_]\s)[A-ZÀ-Ý][a-zà-ÿ]")
_AGREEING = (ReplyKind.STRONG, ReplyKind.LIKED, ReplyKind.WEAK)
_INFINITIVE = re.compile(r"(?:ar|er|ir|are|ere|ire|re)$")
_LEAST_ROOT = 4
#: How a verb ends that tells of what was done.
_DONE = {
    "fr": re.compile("é|ée|és|ées|ai"),
    "es": re.compile("ad[oa]s?|id[oa]s?|é|ó|í|ió|aste|iste"),
    "pt": re.compile("ad[oa]s?|id[oa]s?|ei|ou|eu|iu|aste|este"),
    "it": re.compile("at[oai]|it[oaie]|ut[oaie]|ai|ò"),
}


@lru_cache(maxsize=16)
def heard_in(
    message: str, language: str = "", *, card: CardWords | None = None, outright: bool = False
) -> Heard:
    """Return what a reply says. `outright`: it answers "Shall I do it?", so that "ok" is a yes."""
    if len(message) > LONGEST_READ:
        return NOTHING
    lex = lexicon_for(plain(message), language)
    languages = [*_languages(message, lex, language)]
    run_on = re.sub(r"[\s,.!…]+", " ", spelled_out(message))
    if any(any_form(one, "mocking").search(run_on) for one in languages):
        return NOTHING
    if card is not None and (_is_done(message, card.verbs, lex) or is_broken_off(message, lex)):
        return NOTHING
    if _NOT_SPOKEN.search(message):
        asks = any(clause.is_any(Mood.ASKED) for clause in clauses_in(message, lex))
        return Heard(ReplyKind.QUESTION) if asks else NOTHING
    heard = _spoken(message, languages, card, outright)
    if card is None or heard.leave not in YESES or not orders_another_thing(message, lex, card):
        return heard
    return Heard(ReplyKind.WEAK)


def _spoken(
    message: str, languages: Sequence[Lexicon], card: CardWords | None, outright: bool
) -> Heard:
    # What the card says is said in the person's language, or in English.
    lex, near = languages[0], (languages[0], lexicon("en"))
    whole = [
        _whole(message, one, card if one in near else None, outright, mends=one in near)
        for one in languages
        if one in near or may_be_closed(message, one)
    ]
    if ReplyKind.STRONG in whole and whole[0] is not ReplyKind.WEAK:
        return Heard(ReplyKind.STRONG)
    if whole[0] is ReplyKind.LIKED:
        return Heard(ReplyKind.LIKED)
    lead, question = before_request(message, lex)
    if question and _whole(lead, lex, card, outright) is ReplyKind.STRONG:
        return Heard(ReplyKind.STRONG, question=question)
    heard = by_clauses(message, lex, card, outright)
    leans = whole[0] is ReplyKind.WEAK and heard.leave in YESES
    if leans or (heard.leave is ReplyKind.NONE and ReplyKind.WEAK in whole):
        return Heard(ReplyKind.WEAK)
    if heard.leave is ReplyKind.NONE and card is not None and grants_loosely(message, lex, card):
        return Heard(ReplyKind.LOOSE)
    return heard


@lru_cache(maxsize=256)
def is_plain_yes(words: str, lex: Lexicon) -> bool:
    """Return whether these words agree and do nothing else: enough to take up an offered value, and
    not to run anything."""
    return _whole(words, lex, None, False) in _AGREEING


@lru_cache(maxsize=64)
def is_yes_anywhere(words: str) -> bool:
    """Return whether they are such a yes, without a slip, in any language: a short one shows
    none."""
    return any(
        may_be_closed(words, one) and _whole(words, one, None, False, mends=False) in _AGREEING
        for one in map(lexicon, LANGUAGES)
    )


# ── the whole message ──


def _whole(
    words: str, lex: Lexicon, card: CardWords | None, outright: bool, *, mends: bool = True
) -> ReplyKind:
    """Return what the message gives where closed forms alone make it up; `mends`: slips of typing
    aside."""
    if re.search(r"[?？¿]", words):
        return ReplyKind.NONE
    said = _of_forms(words, lex, card, outright, mends=mends)
    if said is ReplyKind.NONE:
        return said
    # "Sure, is the 50 refundable" says words of the card, and asks; so does "show me before you
    # book", and waits.
    waits = any(clause.is_any(Mood.ASKED, Mood.LATER) for clause in clauses_in(words, lex))
    return ReplyKind.NONE if waits else said


def _of_forms(
    words: str, lex: Lexicon, card: CardWords | None, outright: bool, *, mends: bool
) -> ReplyKind:
    said = given(closed_forms(words, lex, card), outright)
    if said is not ReplyKind.NONE or not (mends and lex.spaced) or len(words) > _SHOWS_NONE:
        return said
    if _NAME.search(words):
        return said  # "sim à Marta" is no slip of "marca"
    right = mended(spelled_out(words), _meant(lex, card))
    return given(closed_forms(right, lex, card), outright)


@lru_cache(maxsize=64)
def _meant(lex: Lexicon, card: CardWords | None) -> frozenset[str]:
    """Return the words that a slip of typing may have been meant for."""
    own = (*card.orders, *card.verbs, *card.things, *card.values) if card is not None else ()
    return known_words(lex).union(part for word in own for part in word.split())


# ── who and what ──


def _is_done(message: str, verbs: Sequence[str], lex: Lexicon) -> bool:
    """Return whether it says of what the card does that it was done: "ya lo envié", "envoyé". An
    accent is all that tells that from an order."""
    if lex.code == "zh":
        return any(re.search(rf"{verb}(?:好|完)?[了过]", message) for verb in verbs)
    if lex.code not in _DONE:
        return False
    roots = {root for verb in verbs if len(root := _INFINITIVE.sub("", verb)) >= _LEAST_ROOT}
    for word in re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", message.casefold())):
        bare = folded(word)
        if any(
            bare.startswith(root) and _DONE[lex.code].fullmatch(word[len(root) :]) for root in roots
        ):
            return True
    return False


def _languages(message: str, lex: Lexicon, tag: str) -> Iterator[Lexicon]:
    """Yield the languages that a reply may be in: a short one shows none."""
    own = [base(tag)] if base(tag) in LANGUAGES else []
    others = LANGUAGES if len(message) <= _SHOWS_NONE else ("en",)
    yield from (lexicon(code) for code in dict.fromkeys([lex.code, *own, *others]))
