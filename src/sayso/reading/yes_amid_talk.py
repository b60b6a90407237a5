"""A yes that is not all that is said: what it gives, clause by clause.

An order, or a yes, beside other talk is leave where nothing takes it back and the network hears it
too (`second_witness`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from sayso.reading.card_marks import CardWords, says_verb, tells_who
from sayso.reading.clauses import Clause, clauses_in
from sayso.reading.closed_forms import Closed, closed_forms
from sayso.reading.declined import is_later, is_no
from sayso.reading.form_words import any_form
from sayso.reading.forms import HEADS, Form
from sayso.reading.given_by_forms import given, is_of_a_part, is_unfinished
from sayso.reading.lexicon import Lexicon
from sayso.reading.moods import Mood
from sayso.reading.normalize import plain, spelled_out
from sayso.reading.questions_beside import after_small_words, as_question, only_asks
from sayso.reading.reply_kinds import NOTHING, Heard, ReplyKind

_TAG = re.compile(r"\s*,?\s*\w*\s*[?？]")
#: "enfin presque" is no relief.
_MOST_OF_A_HEDGE = 3
#: In these moods a clause takes back, or puts off, the yes beside it.
_TAKES_BACK = (
    Mood.NEGATED, Mood.CONDITIONAL, Mood.LATER, Mood.HYPOTHETICAL, Mood.QUOTED, Mood.TO_ANOTHER,
    Mood.ORDER,
)  # fmt: skip


def by_clauses(message: str, lex: Lexicon, card: CardWords | None, outright: bool) -> Heard:
    if is_later(message, lex):
        return Heard(ReplyKind.LATER)
    pieces = list(_pieces(message, lex, card))
    if not any(_orders(closed.forms) for closed, _, _ in pieces):
        pieces = [_as_a_deed(piece, lex, card) for piece in pieces]
    said = [
        ReplyKind.NONE if _asks_after_all(clause, message) else given(closed, outright)
        for closed, _, clause in pieces
    ]
    if ReplyKind.STRONG in said[1:] and _is_echo(pieces[0][1], lex):
        pieces, said = pieces[1:], said[1:]  # "Yes? That's right"
    orders = [k for k, (closed, _, _) in enumerate(pieces) if _is_order(closed, said[k])]
    if is_no(message, lex) and not (orders and _is_more_than_a_no(pieces[0][1], lex)):
        return Heard(ReplyKind.NONE if ReplyKind.STRONG in said else ReplyKind.NO)
    rest = [piece for piece in pieces if not piece[0].is_whole]
    asks = any(clause.is_any(Mood.ASKED, Mood.REQUESTED) for _, _, clause in rest)
    if ReplyKind.STRONG not in said:
        return Heard(ReplyKind.QUESTION) if asks else NOTHING
    first = said.index(ReplyKind.STRONG)
    # "Nothing to change, send it": what stands before an order may deny.
    before = [clause for _, _, clause in pieces[: orders[-1]]] if orders else []
    taking = [clause for _, _, clause in rest if not (clause in before and _only_denies(clause))]
    if any(_takes_back(clause) for clause in taking):
        return Heard(ReplyKind.QUESTION) if asks else NOTHING
    forms = [form for closed, _, _ in pieces for form in closed.forms]
    if is_of_a_part(forms) or is_unfinished(forms):
        return Heard(ReplyKind.WEAK)
    at_odds = Form.STATED in forms or _turns(message, lex)
    at_odds = at_odds or any(clause.is_any(Mood.REQUESTED) for clause in taking)
    rest = [piece for piece in rest if not _is_relieved(piece, forms, lex)]
    follows = all(first < pieces.index(piece) for piece in rest) and Form.DEED not in forms
    if (
        follows
        and not at_odds
        and all(
            only_asks(words, clause, lex) and _stands_apart(message, words, clause)
            for _, words, clause in rest
        )
    ):
        return Heard(ReplyKind.STRONG, question=" ".join(words for _, words, _ in rest))
    heard = _amid(rest, forms, lex, card)
    if not at_odds or heard.leave is ReplyKind.WEAK:
        return heard
    return Heard(ReplyKind.YES_AT_ODDS, question=_questions(rest))


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


def _questions(rest: Sequence[tuple[Closed, str, Clause]]) -> str:
    return " ".join(words for _, words, clause in rest if clause.is_any(Mood.ASKED, Mood.REQUESTED))


def _as_a_deed(
    piece: tuple[Closed, str, Clause], lex: Lexicon, card: CardWords | None
) -> tuple[Closed, str, Clause]:
    """Return a clause that has the card's verb, and is no closed form, as one that may order it."""
    closed, words, clause = piece
    may_order = clause.moods <= {Mood.ORDER} and not re.search(r"[?？]", words)
    if closed.is_whole or not may_order or not says_verb(words, lex, card):
        return piece
    if tells_who(words, lex, card):
        return piece
    return Closed((Form.DEED,)), words, clause


def _asks_after_all(clause: Clause, message: str) -> bool:
    """Return whether a clause is asked by a tag that is none of its own: "is goed zo, toch?"."""
    return clause.is_any(Mood.ASKED) and _TAG.match(message, clause.end) is not None


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
