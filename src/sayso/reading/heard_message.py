"""A message with what is known before it, and what the network hears in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sayso.core.extraction_ops import Doubt, Reading
from sayso.reading.doubts import doubt_of, is_about_past
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import even
from sayso.reading.slot_types import SlotShape, shape_of

if TYPE_CHECKING:
    from sayso.reading.hearing import Hearing


class HeardMessage:
    def __init__(self, reading: Reading) -> None:
        self.reading, self.text = reading, even(reading.message)
        self.lex = lexicon_for(self.text, reading.language)
        #: None where it says nothing.
        self.hearing = _hearing_of(reading)
        self.slots = reading.slots
        self.known = {n: v for n, v in reading.known.items() if n in reading.slots}
        self.at_card = reading.pending is not None
        #: Whether something is said to take the place of something else: "no, make that 8".
        self.is_anew = self.lex.any_of("orders.anew").search(self.text) is not None
        self._about_past = is_about_past(reading.slots)

    def asks_for(self, name: str) -> bool:
        """Return whether this field was just asked for."""
        return name in self.reading.asked

    def shape(self, name: str) -> SlotShape:
        return shape_of(self.reading.slots[name])

    def doubt(self, name: str, start: int, end: int) -> Doubt | None:
        """Return why the words at these positions do not state a value of this field."""
        slot, message = self.reading.slots[name], self.reading.message
        return doubt_of(message, start, end, slot, self.lex, about_past=self._about_past)


def _hearing_of(reading: Reading) -> Hearing | None:
    # numpy takes a tenth of a second to load: a process that reads no message does not.
    from sayso.reading.hearing import heard_in

    return heard_in(reading)
