"""What a message did, beside the values that it gave."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.reading.asides import Aside
from sayso.reading.hedged_yes import Hedge


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    message_id: str
    read_by: str = "rules"
    #: The actions to run or to open a card for.
    chosen: tuple[str, ...] = ()
    #: What it asked of the gate itself.
    aside: Aside | None = None
    #: It said no, or not now.
    refused: bool = False
    postponed: bool = False
    #: Whether an agent of the application answers questions; and whether it does so before the card
    #: comes again.
    agent_answers: bool = False
    agent_first: bool = False
    #: It leaned to a yes, and is asked outright; and what the yes was hedged by.
    leans: bool = False
    hedge: Hedge | None = None
    #: It asked something that no agent answers.
    asks: bool = False
    #: The question for information that came with a yes.
    question: str = ""
