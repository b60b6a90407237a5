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
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import zip_longest

from sayso.reading.card_marks import CardWords, says_verb
from sayso.reading.clauses import Clause, clauses_in
from sayso.reading.closed_forms import Closed, closed_forms
from sayso.reading.form_words import any_form, known_words, may_be_closed
from sayso.reading.forms import HEADS, LEANING, Form
from sayso.reading.lexicon import LANGUAGES, Lexicon, base, lexicon, lexicon_for
from sayso.reading.moods import Mood
from sayso.reading.normalize import LONGEST_READ, folded, plain, spelled_out
from sayso.reading.questions_beside import (
    after_small_words,
    as_question,
    before_request,
    only_asks,
)
from sayso.reading.typing_slips import mended

#: A shorter reply may be in any language, whatever its words look like.
_SHOWS_NONE = 60
#: Signs of code, quotes and pastes. Nobody types them to say yes.
_NOT_SPOKEN = re.compile(r"[{}\[\]<>|=`\"“”„«»「」『』#@\\]|^\s*[-*] ", re.MULTILINE)
#: "enfin presque" is no relief.
_MOST_OF_A_HEDGE = 3
#: A name: a capital within the message.
_NAME = re.compile(r"(?<=[^\W\d_]\s)[A-ZÀ-Ý][a-zà-ÿ]")
_REFUSING = frozenset("👎❌🚫✋🛑⛔")
#: In these moods a clause takes back, or puts off, the yes beside it.
_TAKES_BACK = (
    Mood.NEGATED, Mood.CONDITIONAL, Mood.LATER, Mood.HYPOTHETICAL, Mood.QUOTED, Mood.TO_ANOTHER,
    Mood.ORDER, Mood.REQUESTED,
)  # fmt: skip


class ReplyKind(StrEnum):
    """What a reply gives to whoever asked."""

    STRONG = "strong"
    #: An order to do it, and a yes without one, amid other talk.
    ORDER_AMID = "order_amid"
    DEED_AMID = "deed_amid"
    YES_AMID = "yes_amid"
    #: It finds what stands there good, in a word of praise.
    LIKED = "liked"
    #: It leans to a yes, and is asked once outright.
    WEAK = "weak"
    NO = "no"
    LATER = "later"
    QUESTION = "question"
    NONE = "none"


#: What may be leave.
YESES = (
    *(ReplyKind.STRONG, ReplyKind.ORDER_AMID, ReplyKind.DEED_AMID, ReplyKind.YES_AMID),
    ReplyKind.LIKED,
)


_AGREEING = (ReplyKind.STRONG, ReplyKind.LIKED, ReplyKind.WEAK)


@dataclass(frozen=True, slots=True)
class Heard:
    leave: ReplyKind
    #: The question for information that came with the yes.
    question: str = ""


_INFINITIVE = re.compile(r"(?:ar|er|ir|are|ere|ire|re)$")
_LEAST_ROOT = 4
#: How a verb ends that tells of what was done.
_DONE = {
    "fr": re.compile("é|ée|és|ées|ai"),
    "es": re.compile("ad[oa]s?|id[oa]s?|é|ó|í|ió|aste|iste"),
    "pt": re.compile("ad[oa]s?|id[oa]s?|ei|ou|eu|iu|aste|este"),
    "it": re.compile("at[oai]|it[oaie]|ut[oaie]|ai|ò"),
}
NOTHING = Heard(ReplyKind.NONE)


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
    if card is not None and _is_done(message, card.verbs, lex):
        return NOTHING
    if not _NOT_SPOKEN.search(message):
        # What the card says is said in the person's language, or in English.
        near = (lex, lexicon("en"))
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
        heard = _by_clauses(message, lex, card, outright)
        leans = whole[0] is ReplyKind.WEAK and heard.leave in YESES
        if leans or (heard.leave is ReplyKind.NONE and ReplyKind.WEAK in whole):
            return Heard(ReplyKind.WEAK)
        return heard
    asks = any(clause.is_any(Mood.ASKED) for clause in clauses_in(message, lex))
    return Heard(ReplyKind.QUESTION) if asks else NOTHING


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


def may_decline(message: str, lex: Lexicon) -> bool:
    """Return whether it can be a no or a not yet."""
    return is_later(message, lex) or is_no(message, lex)


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


def is_no(words: str, lex: Lexicon) -> bool:
    """Return whether the reply begins with a no."""
    text = spelled_out(words)
    if any(sign in _REFUSING for sign in text[:1]):
        return True
    rest = after_small_words(text, lex)
    match = any_form(lex, "no").match(rest)
    idiom = any_form(lex, "yes").match(rest)
    return match is not None and (idiom is None or idiom.end() < match.end())


@lru_cache(maxsize=64)
def is_later(words: str, lex: Lexicon) -> bool:
    """Return whether the reply says not yet, by itself or after a yes."""
    text = any_form(lex, "joy", "goodbyes").sub(" ", spelled_out(words))
    later, yet = any_form(lex, "later"), lex.any_of("orders.yet")
    if later.search(text) is None and yet.search(text) is None:
        return False
    for clause in clauses_in(text, lex):
        said = clause.words(text)
        if re.search(rf"{later.pattern}\W*$", said):
            return True
        for start in (said, closed_forms(said, lex).rest):
            if later.match(after_small_words(start, lex)):
                return True
        if clause.is_any(Mood.NEGATED) and yet.search(said):
            return True
    return False


# ── the whole message ──


def _whole(
    words: str, lex: Lexicon, card: CardWords | None, outright: bool, *, mends: bool = True
) -> ReplyKind:
    """Return what the message gives where closed forms alone make it up; `mends`: slips of typing
    aside."""
    if re.search(r"[?？¿]", words) or any(
        clause.is_any(Mood.ASKED) for clause in clauses_in(words, lex)
    ):
        return ReplyKind.NONE
    said = _given(closed_forms(words, lex, card), outright)
    if said is not ReplyKind.NONE or not (mends and lex.spaced) or len(words) > _SHOWS_NONE:
        return said
    if _NAME.search(words):
        return said  # "sim à Marta" is no slip of "marca"
    right = mended(spelled_out(words), _meant(lex, card))
    return _given(closed_forms(right, lex, card), outright)


@lru_cache(maxsize=64)
def _meant(lex: Lexicon, card: CardWords | None) -> frozenset[str]:
    """Return the words that a slip of typing may have been meant for."""
    own = (*card.orders, *card.verbs, *card.things, *card.values) if card is not None else ()
    return known_words(lex).union(part for word in own for part in word.split())


def _given(closed: Closed, outright: bool) -> ReplyKind:
    if not closed.is_whole:
        return ReplyKind.NONE
    if Form.STATED in closed.forms:
        return ReplyKind.NONE  # it may be meant as a change
    if _is_of_a_part(closed.forms) or _is_unfinished(closed.forms) or _thanks_first(closed.forms):
        return ReplyKind.WEAK
    if HEADS.intersection(closed.forms) == {Form.LIKES}:
        return ReplyKind.LIKED
    if closed.holds(HEADS | {Form.DEED}) or (outright and Form.OK in closed.forms):
        return ReplyKind.STRONG
    return ReplyKind.WEAK if closed.holds(LEANING) else ReplyKind.NONE


def _is_of_a_part(forms: Sequence[Form]) -> bool:
    """Return whether they agree to a part: "yes, the amount is right", "yes to Friday" leave open
    the rest. Several values said again are a yes to all."""
    names_one = forms.count(Form.ONE_VALUE) == 1 and Form.CARD not in forms
    return (Form.PART in forms or names_one) and not {Form.GO, Form.ORDER}.intersection(forms)


def _thanks_first(forms: Sequence[Form]) -> bool:
    """Return whether they thank, and only then find something good: "thanks for the report, looks
    good" may be about what was done."""
    if {Form.YES, Form.GO, Form.ORDER}.intersection(forms) or Form.AGREES not in forms:
        return False
    return Form.THANKS in forms[: forms.index(Form.AGREES)]


def _is_unfinished(forms: Sequence[Form]) -> bool:
    """Return whether they end where more is to come: "yes, and", "ja, also"."""
    return forms[-1] is Form.HOLDS and not HEADS.isdisjoint(forms)


# ── clause by clause ──


def _by_clauses(message: str, lex: Lexicon, card: CardWords | None, outright: bool) -> Heard:
    if is_later(message, lex):
        return Heard(ReplyKind.LATER)
    pieces = list(_pieces(message, lex, card))
    if not any(_orders(closed.forms) for closed, _, _ in pieces):
        pieces = [_as_a_deed(piece, lex, card) for piece in pieces]
    said = [_given(closed, outright) for closed, _, _ in pieces]
    if ReplyKind.STRONG in said[1:] and _is_echo(pieces[0][1], lex):
        pieces, said = pieces[1:], said[1:]  # "Yes? That's right"
    orders = [k for k, (closed, _, _) in enumerate(pieces) if _is_order(closed, said[k])]
    if is_no(message, lex) and not (orders and _is_more_than_a_no(pieces[0][1], lex)):
        return Heard(ReplyKind.NONE if ReplyKind.STRONG in said else ReplyKind.NO)
    rest = [piece for piece in pieces if not piece[0].is_whole]
    asks = any(clause.is_any(Mood.ASKED, Mood.REQUESTED) for _, _, clause in rest)
    if ReplyKind.STRONG not in said or _turns(message, lex):
        return Heard(ReplyKind.QUESTION) if asks else NOTHING
    first = said.index(ReplyKind.STRONG)
    # "Nothing to change, send it": what stands before an order may deny.
    before = [clause for _, _, clause in pieces[: orders[-1]]] if orders else []
    taking = [clause for _, _, clause in rest if not (clause in before and _only_denies(clause))]
    if any(_takes_back(clause) for clause in taking):
        return Heard(ReplyKind.QUESTION) if asks else NOTHING
    forms = [form for closed, _, _ in pieces for form in closed.forms]
    if Form.STATED in forms or _is_of_a_part(forms) or _is_unfinished(forms):
        return Heard(ReplyKind.WEAK)
    rest = [piece for piece in rest if not _is_relieved(piece, forms, lex)]
    follows = all(first < pieces.index(piece) for piece in rest) and Form.DEED not in forms
    if follows and all(
        only_asks(words, clause, lex) and _stands_apart(message, words, clause)
        for _, words, clause in rest
    ):
        return Heard(ReplyKind.STRONG, question=" ".join(words for _, words, _ in rest))
    return _amid(rest, forms, lex, card)


def _amid(
    rest: Sequence[tuple[Closed, str, Clause]],
    forms: Sequence[Form],
    lex: Lexicon,
    card: CardWords | None,
) -> Heard:
    """Return what a strong yes gives amid this other talk, which does not take it back. A question
    of price or terms, one after a yes to a part, the undoing of something else, and a face that
    tells something only lean."""
    other = [words for _, words, _ in rest if not says_verb(words, lex, card)]
    questions = [words for _, words, clause in rest if clause.is_any(Mood.ASKED)]
    if any(any_form(lex, "doubts", "more").search(spelled_out(words)) for words in questions):
        return Heard(ReplyKind.WEAK)
    if any(any_form(lex, "undoing").search(spelled_out(words)) for words in other):
        return Heard(ReplyKind.WEAK)
    if not all(re.search(r"\w", words) for words in other):
        return Heard(ReplyKind.WEAK)
    is_own = _orders(forms) or Form.DEED in forms
    if questions and not is_own and any(_names_a_part(words, lex, card) for words in other):
        return Heard(ReplyKind.WEAK)
    kind = ReplyKind.DEED_AMID if Form.DEED in forms else ReplyKind.YES_AMID
    kind = ReplyKind.ORDER_AMID if _orders(forms) else kind
    return Heard(kind, question=" ".join(questions))


def _as_a_deed(
    piece: tuple[Closed, str, Clause], lex: Lexicon, card: CardWords | None
) -> tuple[Closed, str, Clause]:
    """Return a clause that has the card's verb, and is no closed form, as one that may order it."""
    closed, words, clause = piece
    may_order = clause.moods <= {Mood.ORDER} and not re.search(r"[?？]", words)
    if closed.is_whole or not may_order or not says_verb(words, lex, card):
        return piece
    return Closed((Form.DEED,)), words, clause


def _is_order(closed: Closed, said: ReplyKind) -> bool:
    return said is ReplyKind.STRONG and _orders(closed.forms)


def _is_more_than_a_no(words: str, lex: Lexicon) -> bool:
    """Return whether a clause that begins as a no finds nothing wrong, or denies something else:
    "no problems with any of that"."""
    said = after_small_words(spelled_out(words), lex)
    match = any_form(lex, "no").match(said)
    return match is not None and re.search(r"\w", said[match.end() :]) is not None


def _orders(forms: Sequence[Form]) -> bool:
    return not {Form.GO, Form.ORDER}.isdisjoint(forms)


def _only_denies(clause: Clause) -> bool:
    return clause.moods == {Mood.NEGATED}


def _takes_back(clause: Clause) -> bool:
    """Return whether it takes back, or puts off, the yes beside it; the "when" of a question does
    neither: "Will I get a mail when it is through?"."""
    moods = clause.moods - {Mood.LATER} if clause.is_any(Mood.ASKED) else clause.moods
    return not moods.isdisjoint(_TAKES_BACK)


def _pieces(
    message: str, lex: Lexicon, card: CardWords | None
) -> Iterator[tuple[Closed, str, Clause]]:
    """Yield the clauses, cut after a yes that they begin with: "yes | what is the address"."""
    clauses = clauses_in(message, lex)
    for one, following in zip_longest(clauses, clauses[1:]):
        words = one.words(message).strip()
        clause = as_question(one, words, lex)
        closed = closed_forms(_after_joint(words, lex).rstrip(" ?？"), lex, card)
        if following is not None and not re.search(r"[^\w\s]", message[one.end : following.start]):
            closed = _without_and(closed)
        cut = _cut(words, closed, clause, lex)
        if cut is not None:
            yield Closed(closed.forms), words, clause
            yield Closed(()), *cut
        elif closed.is_whole and not words.endswith(("?", "？")):
            yield closed, words, clause
        else:
            yield Closed(()), words, clause


def _after_joint(words: str, lex: Lexicon) -> str:
    """Return a clause without what joins it to the one before: "so yes"."""
    joint = lex.form(r"<clauses.joints>\s+(?=\w)").match(words) if lex.spaced else None
    return words[joint.end() :] if joint is not None else words


def _without_and(closed: Closed) -> Closed:
    """Return an order without the "and" that leads on from it: "wire it and | tell me the day"."""
    leads_on = closed.is_whole and closed.forms[-1] is Form.HOLDS and _orders(closed.forms)
    return Closed(closed.forms[:-1]) if leads_on else closed


def _names_a_part(words: str, lex: Lexicon, card: CardWords | None) -> bool:
    """Return whether a clause only names what stands on the card, as it may after a yes: "yes, the
    amount. What's the address?"."""
    after_yes = closed_forms(f"{lex.words('yes', 'yes')[0]}, {words}", lex, card)
    return after_yes.is_whole and Form.PART in after_yes.forms


def _is_relieved(piece: tuple[Closed, str, Clause], forms: Sequence[Form], lex: Lexicon) -> bool:
    """Return whether it is glad of what comes of an order just given: "book it, then I can finally
    cross that off"."""
    _, words, clause = piece
    said, moods = spelled_out(words), clause.moods - {Mood.PAST}
    ordered = _orders(forms)
    glad = any_form(lex, "relief").search(said) is not None
    doubts = any_form(lex, "doubts", "more").search(said) or lex.any_of(
        "doubts.unsure", "values.unsure"
    ).search(words)
    tells = len(said.split()) > _MOST_OF_A_HEDGE or not lex.spaced
    return ordered and glad and tells and not moods and not doubts and not re.search(r"\d", said)


def _stands_apart(message: str, question: str, clause: Clause) -> bool:
    """Return whether some sign shows where the question begins or ends: none does in "yes who is
    this", where somebody talks on."""
    whole = clause.words(message).strip()
    return whole == question or whole.endswith("?")


def _cut(words: str, closed: Closed, clause: Clause, lex: Lexicon) -> tuple[str, Clause] | None:
    """Return what follows the yes that a clause begins with, where spaces tell words apart."""
    if not lex.spaced or not closed.rest or Form.YES not in closed.forms:
        return None
    rest = words[-len(closed.rest) :] if words.casefold().endswith(closed.rest) else closed.rest
    own = {m for c in clauses_in(rest.rstrip(" ?"), lex) for m in c.moods}
    moods = own | (clause.moods - {Mood.ASKED, Mood.ORDER})
    return rest, Clause(clause.start, clause.end, frozenset(moods))


def _turns(message: str, lex: Lexicon) -> bool:
    """Return whether a "but" stands in it that does not lead from something to a yes: "late, but
    yes"."""
    said = plain(message)
    turns = lex.any_of("clauses.turns").finditer(said)
    return not all(turn.start() and _is_led_to(said[turn.end() :], lex) for turn in turns)


def _is_led_to(rest: str, lex: Lexicon) -> bool:
    forms = closed_forms(rest.lstrip(" ,"), lex).forms
    return not re.search(r"\w", rest) or (forms[:1] != () and forms[0] in HEADS)


def _is_echo(words: str, lex: Lexicon) -> bool:
    """Return whether these words are a yes that is asked back."""
    return words.endswith("?") and closed_forms(words[:-1], lex).holds_only(HEADS)
