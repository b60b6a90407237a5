"""What all runs of agents of one segment share: its toolbox, the replies, and who waits."""

from __future__ import annotations

from sayso.adapters.contract import Segment
from sayso.adapters.openai_agents.state import ContextChanges, OpenAIAgentsState
from sayso.adapters.text_queue import SayText
from sayso.core.children import Request


class Turn:
    def __init__(
        self, segment: Segment, state: OpenAIAgentsState, root: str, context: object
    ) -> None:
        self.segment, self.state, self.root = segment, state, root
        self.context = context
        self.changes = ContextChanges(context, state.context)
        self.toolbox = segment.toolbox
        self.ours = {tool.name: tool for tool in self.toolbox.tools}
        #: The cards that calls of this segment asked for, by the keys of the calls.
        self.requests: dict[str, Request] = {}
        #: What ended the segment; the framework would make a tool's error of it.
        self.fatal: BaseException | None = None
        #: Where text goes; a tool that is called alone says nothing.
        self.say_text: SayText | None = None
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

    async def say(self, text: str, speaker: str) -> None:
        if self.say_text is not None:
            await self.say_text(text, None if speaker == self.root else speaker)

    def name_of(self, speaker: str) -> str:
        return self.segment.agent_name if speaker == self.root else speaker
