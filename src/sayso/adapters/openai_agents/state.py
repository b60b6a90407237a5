"""What is saved of a run of OpenAI Agents: the items before it, what its models have said, and what
its tools have changed in the application's run context."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field, is_dataclass
from typing import Any, ClassVar

from pydantic import BaseModel, TypeAdapter
from pydantic_core import PydanticSerializationError, to_jsonable_python

from sayso.adapters.contract import Segment
from sayso.adapters.state_codec import SavedFields, StateCodec
from sayso.adapters.text_queue import SayText
from sayso.adapters.turn import Enclosing, Turn

#: Under this name the state is kept, and the adapter is known.
NAME = "openai_agents"
CODEC = StateCodec(framework=NAME, distribution="openai-agents", format=1)


@dataclass
class OpenAIAgentsState(SavedFields):
    """The chat's memory has no replies."""

    codec: ClassVar[StateCodec] = CODEC
    #: The input of the turn: the chat's items, with the message.
    items: list[Any]
    #: Who has the chat: the agent that it was handed over to.
    agent: str = ""
    #: How many messages of people the memory has seen; later ones are told from the chat.
    people: int = 0
    #: What the models of this turn have said, for each place that asks one.
    replies: dict[str, list[Any]] = field(default_factory=dict)
    #: What the chat has changed in the run context.
    context: dict[str, Any] = field(default_factory=dict)


class OpenAITurn(Turn[OpenAIAgentsState]):
    """A turn, with what tools change in the application's run context: that is restored in each
    segment of the chat."""

    def __init__(
        self,
        segment: Segment,
        state: OpenAIAgentsState,
        root: str,
        context: object,
        say_text: SayText | None = None,
    ) -> None:
        super().__init__(segment, state, root, say_text)
        self._context, self._before = context, _fields(context)
        self._put(state.context)
        #: What the model that speaks to the person said last.
        self.said = ""

    def keep_changes(self) -> None:
        """Save the run context with the end of the call that changed it."""
        changed = self.changed
        if changed != self.state.context:
            self.state.context, self.segment.env.changed = changed, True

    def restore_context(self) -> None:
        """Set the run context as it was: handoffs and hooks that run again have changed it
        again."""
        self._put(self.state.context)

    @property
    def changed(self) -> dict[str, Any]:
        now = _fields(self._context)
        return {n: value for n, value in now.items() if self._before.get(n, ...) != value}

    def _put(self, known: Mapping[str, Any]) -> None:
        context, known = self._context, deepcopy(known)
        if not known:
            return
        if isinstance(context, dict):
            context.update(known)
        elif is_dataclass(context) or isinstance(context, BaseModel):
            whole = {**_values(context), **known}
            with CODEC.reading("this agent's run context"):
                made: Any = TypeAdapter(type(context)).validate_python(whole)
                for name in known:
                    setattr(context, name, getattr(made, name))


OpenAIEnclosing = Enclosing[OpenAITurn]
ENCLOSING: ContextVar[OpenAIEnclosing] = ContextVar("sayso_openai_agents_enclosing")


def _fields(context: object) -> dict[str, Any]:
    """Return what of a context is JSON, by its names; a connection in it is not."""
    found = {}
    for name, value in _values(context).items():
        try:
            found[str(name)] = to_jsonable_python(value)
        except (PydanticSerializationError, ValueError):
            continue
    return found


def _values(context: object) -> dict[str, Any]:
    if isinstance(context, dict):
        return context
    is_record = is_dataclass(context) or isinstance(context, BaseModel)
    return dict(vars(context)) if is_record else {}
