"""What closed forms give by themselves, where they are all that is said."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.reading.closed_forms import Closed
from sayso.reading.forms import HEADS, LEANING, Form
from sayso.reading.reply_kinds import ReplyKind


def given(closed: Closed, outright: bool) -> ReplyKind:
    if not closed.is_whole:
        return ReplyKind.NONE
    if Form.STATED in closed.forms:
        return ReplyKind.NONE  # it may be meant as a change
    if is_of_a_part(closed.forms) or is_unfinished(closed.forms) or _thanks_first(closed.forms):
        return ReplyKind.WEAK
    if HEADS.intersection(closed.forms) == {Form.LIKES}:
        return ReplyKind.LIKED
    if closed.holds(HEADS | {Form.DEED}) or (outright and Form.OK in closed.forms):
        return ReplyKind.STRONG
    return ReplyKind.WEAK if closed.holds(LEANING) else ReplyKind.NONE


def is_of_a_part(forms: Sequence[Form]) -> bool:
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


def is_unfinished(forms: Sequence[Form]) -> bool:
    """Return whether they end where more is to come: "yes, and", "ja, also"."""
    return forms[-1] is Form.HOLDS and not HEADS.isdisjoint(forms)
