"""The replies of the models: each is recorded, and given from the record when the run is played
again."""

from __future__ import annotations

from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.events.event import Event
from google.adk.models.google_llm import Gemini
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from sayso.adapters.adk.standstill import INSIDE, Standstill
from sayso.adapters.adk.state import AdkRecord, dump_event
from sayso.core.errors import StateUnreadable
from sayso.core.usage import ModelCall
from sayso.tools.segment_env import SegmentEnv


class AdkReplies:
    """What the models of one segment are asked, and what they reply."""

    def __init__(self, record: AdkRecord, standstill: Standstill) -> None:
        self._record, self._standstill = record, standstill
        #: How often each agent has asked its model, by its place in the run.
        self._asked: dict[str, int] = {}
        #: Where the reply of a model that was really asked is recorded, by who was asked.
        self._live: dict[_Who, str] = {}
        #: What it has streamed of that reply so far.
        self._partly: dict[str, list[Event]] = {}
        #: Replies that a model has begun to stream, and those whose end it has told.
        self._begun: set[str] = set()
        self._ended: set[str] = set()
        #: Recorded replies that this segment has not played yet, with the branch they belong to.
        self._unplayed = {at: at.rpartition("|")[0] for at in record.replies}

    def turn_of(self, context: CallbackContext) -> str:
        """Return the place and the turn of an agent: the same in every segment."""
        place = _place(context.agent_name, context.branch)
        return f"{place}#{self._asked.get(place, 0)}"

    async def before_model(self, context: CallbackContext) -> LlmResponse | None:
        """Return the recorded reply, or None where the model is to be asked."""
        place = _place(context.agent_name, context.branch)
        who = _who(context)
        self._forget_abandoned(who)
        asked = self._asked[place] = self._asked.get(place, 0) + 1
        at = f"{place}#{asked}"
        if at in self._record.replies:
            self._unplayed.pop(at, None)
            return self._play(context, at)
        if place.rpartition("|")[0] in self._unplayed.values():
            await self._standstill.fail(
                StateUnreadable(
                    f"'{context.agent_name}' is asked where another agent was when the run "
                    "stopped: the agents have changed since."
                )
            )
        self._live[who] = at
        self._standstill.begin(at)
        return None

    def heard(self, context: CallbackContext, response: LlmResponse) -> None:
        """Note what a model itself says, before anyone changes it."""
        at = self._live.get(_who(context))
        agent: Any = context._invocation_context.agent
        if at is None or not isinstance(agent.canonical_model, Gemini):
            return
        if response.partial:
            self._begun.add(at)
        if response.finish_reason is not None or response.error_code is not None:
            self._ended.add(at)

    @property
    def broke_off(self) -> bool:
        """Whether a reply that had begun has no end: Gemini says how each of its replies ended."""
        return bool(self._begun - self._ended)

    def on_event(self, event: Event) -> bool:
        """Record what a model replied, before anything is done about it; tell whether that was
        one."""
        if event.author == "user":
            return False
        # Not by its place: an agent that a tool runs may tell its events outside of that tool.
        who = (event.invocation_id, event.author, event.branch)
        at = self._live.get(who)
        if at is None:
            return False
        if event.partial:
            self._partly.setdefault(at, []).append(event)
        elif event.get_function_responses():
            self._forget(who)
        elif event.content is not None or event.error_code is not None:
            self._record.replies.setdefault(at, []).append(dump_event(event))
            self._partly.pop(at, None)
            self._standstill.end(at)
            return True
        return False

    def ended(self, context: CallbackContext) -> None:
        """Note that an agent has ended, or that its model has failed."""
        self._forget(_who(context))

    def _forget_abandoned(self, who: _Who) -> None:
        """Take what there is of a reply for all of it where its reader stopped in the middle:
        within a branch one model is asked at a time, so that one is no longer at work."""
        invocation, _, branch = who
        for other in list(self._live):
            under = branch is None or f"{other[2]}.".startswith(f"{branch}.")
            if other[0] != invocation or not under:
                continue
            at = self._live[other]
            self._ended.add(at)  # nobody wants the rest
            partly = self._partly.get(at)
            if partly and at not in self._record.replies:
                parts = [p for e in partly if e.content for p in e.content.parts or ()]
                content = types.Content(role="model", parts=parts)
                whole = partly[-1].model_copy(update={"partial": None, "content": content})
                self._record.replies[at] = [dump_event(whole)]
            self._forget(other)

    def _forget(self, who: _Who) -> None:
        at = self._live.pop(who, "")
        self._partly.pop(at, None)
        self._standstill.end(at)

    def _play(self, context: CallbackContext, at: str) -> LlmResponse:
        first, *more = self._record.read_reply(at)
        for event in (first, *more):
            context.state.update(event.actions.state_delta)
        if more:  # text and calls that came as events of their own
            parts = [p for e in (first, *more) if e.content for p in e.content.parts or ()]
            first.content = types.Content(role="model", parts=parts)
        fields = {name: getattr(first, name) for name in LlmResponse.model_fields}
        return LlmResponse(**fields)


async def tell_reply(env: SegmentEnv, event: Event) -> None:
    """Tell what a reply took, and what the model thought before it."""
    used, parts = event.usage_metadata, (event.content.parts if event.content else None) or ()
    call = None
    if used is not None:
        call = ModelCall(
            model=event.model_version,
            agent_name=event.author,
            input_tokens=used.prompt_token_count or 0,
            output_tokens=(used.candidates_token_count or 0) + (used.thoughts_token_count or 0),
            cached_tokens=used.cached_content_token_count or 0,
            reasoning_tokens=used.thoughts_token_count or 0,
        )
    thought = "".join(part.text for part in parts if part.thought and part.text)
    await env.model_replied(call, thought, event.author)


#: Invocation, agent and branch: who speaks, in this segment alone.
_Who = tuple[str, str, str | None]


def _who(context: CallbackContext) -> _Who:
    return context.invocation_id, context.agent_name, context.branch


def _place(agent: str, branch: str | None) -> str:
    """Return an agent's place in the run: the call it runs within, its branch and its name."""
    inside = INSIDE.get()
    return f"{inside[-1] if inside else ''}|{branch or ''}|{agent}"
