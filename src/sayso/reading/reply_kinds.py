"""What a reply to an open question gives to whoever asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ReplyKind(StrEnum):
    """What a reply gives to whoever asked."""

    STRONG = "strong"
    #: An order to do it, and a yes without one, amid other talk.
    ORDER_AMID = "order_amid"
    DEED_AMID = "deed_amid"
    YES_AMID = "yes_amid"
    #: Either of them beside words that often take one back: a "but", a request.
    YES_AT_ODDS = "yes_at_odds"
    #: A word of leave, in no closed form: "pay the plumber", "just shut the thing".
    LOOSE = "loose"
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
    *(ReplyKind.YES_AT_ODDS, ReplyKind.LOOSE, ReplyKind.LIKED),
)


@dataclass(frozen=True, slots=True)
class Heard:
    leave: ReplyKind
    #: The question for information that came with the yes.
    question: str = ""


NOTHING = Heard(ReplyKind.NONE)
