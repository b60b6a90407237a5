"""What one utterance of a reply does: it says yes, agrees, orders, thanks, names what stands on the
card."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """What one utterance does."""

    YES = "Y"
    GO = "G"
    #: "That is correct", about what stands there.
    AGREES = "A"
    #: "That sounds great": it agrees, if it is not mere praise.
    LIKES = "L"
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
HEADS = frozenset({Form.YES, Form.GO, Form.AGREES, Form.LIKES, Form.ORDER})
#: These lean to a yes and are none.
LEANING = frozenset(
    {
        *(Form.OK, Form.PRAISE, Form.THANKS),
        *(Form.CARD, Form.ONE_VALUE, Form.PART_AGREES, Form.PART),
    }
)
