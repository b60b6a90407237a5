"""What all runs of agents of one segment share beyond their replies: the application's run context,
and what was said."""

from __future__ import annotations

from contextvars import ContextVar

from sayso.adapters.contract import Segment
from sayso.adapters.openai_agents.state import ContextChanges, OpenAIAgentsState
from sayso.adapters.text_queue import SayText
from sayso.adapters.turn import Enclosing, Turn


class OpenAITurn(Turn[OpenAIAgentsState]):
    def __init__(
        self,
        segment: Segment,
        state: OpenAIAgentsState,
        root: str,
        context: object,
        say_text: SayText | None = None,
    ) -> None:
        super().__init__(segment, state, root, say_text)
        self.changes = ContextChanges(context, state.context)
        #: What the model that speaks to the person said last.
        self.said = ""

    def keep_changes(self) -> None:
        """Save the run context with the end of the call that changed it."""
        changed = self.changes.changed
        if changed != self.state.context:
            self.state.context, self.segment.env.changed = changed, True

    def restore_context(self) -> None:
        """Set the run context as it was: handoffs and hooks that run again have changed it
        again."""
        self.changes.put(self.state.context)


OpenAIEnclosing = Enclosing[OpenAITurn]
ENCLOSING: ContextVar[OpenAIEnclosing] = ContextVar("sayso_openai_agents_enclosing")
