"""One segment of an agent of Pydantic AI.

A call that needs a person raises ApprovalRequired, so that the framework ends its run with
DeferredToolRequests. On resume all of them are "approved": the toolbox decides from the stored
answers what each one really does. Before a call acts, the messages up to the model's response are
saved; a takeover goes on at that response, never asking the model again (UserPromptNode executes
the pending calls of a history that ends in a response).
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import orjson
from pydantic_ai import (
    AbstractToolset,
    AgentRunResult,
    ApprovalRequired,
    CombinedToolset,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    ToolApproved,
    ToolsetTool,
)
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability, ReinjectSystemPrompt
from pydantic_ai.messages import (
    FunctionToolCallEvent,
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    repair_messages,
)
from pydantic_ai.models import infer_model
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from sayso.adapters.base import Segment
from sayso.adapters.chats import after_turn, before
from sayso.adapters.pydantic_ai.messages import (
    Saved,
    as_messages,
    open_calls,
    responses,
    written_by_now,
)
from sayso.adapters.pydantic_ai.nested import Gate, Nest
from sayso.adapters.pydantic_ai.toolsets import NativeTool, SaysoToolset, plain, result_of
from sayso.core.children import Request
from sayso.core.errors import AgentFailed, NotSupportedError
from sayso.core.segments import Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.tools.call import NeedsPerson
from sayso.tools.tool import Runnable

#: Under this name the state is kept, and the adapter is known.
NAME = "pydantic_ai"


class AgentRun:
    """One segment of an agent of Pydantic AI."""

    def __init__(self, segment: Segment) -> None:
        assert isinstance(segment.agent, AbstractAgent)
        self.segment = segment
        self.agent: AbstractAgent[Any, Any] = segment.agent
        self.toolbox = segment.toolbox
        self._ours = {tool.name: tool for tool in self.toolbox.tools}
        #: The cards that calls of this segment asked for, by the model's call id.
        self.requests: dict[str, tuple[Request, ...]] = {}
        #: The messages up to the model's newest response, for the checkpoint of its calls.
        self._messages: list[ModelMessage] | None = None
        self._responses = -1
        self._turns = 0
        self._going_on: list[ToolCallPart] = []
        #: What a run that goes on began from.
        self._saved: Saved | None = None
        self._nest = Nest(self.toolbox)
        self._offered: Collection[str] = ()
        segment.world.checkpoint = self._checkpoint

    async def to_its_end(self) -> SegmentEnd:
        result = await self._drive()
        self._nest.check()
        if not isinstance(result.output, DeferredToolRequests):
            return await self._completed(result)
        waiting = [*result.output.calls, *result.output.approvals]
        unknown = [call.tool_name for call in waiting if call.tool_call_id not in self.requests]
        if unknown:
            raise AgentFailed(f"The tool '{unknown[0]}' was deferred outside of the toolbox.")
        ids = [call.tool_call_id for call in waiting]
        saved = Saved(result.all_messages(), ids, self._turns, self._nest.said)
        order = [call_id for call_id in self.requests if call_id in ids]
        return Waiting(
            saved=self._state(saved.dump()),
            requests=[request for call_id in order for request in self.requests[call_id]],
        )

    async def _drive(self) -> AgentRunResult[Any]:
        prompt, messages, approved, converted = self._begin()
        capabilities: list[AbstractCapability[Any]] = [Gate(self, self._nest)]
        if converted:
            capabilities.append(ReinjectSystemPrompt())
        return await self.agent.run(
            prompt,
            output_type=_output_type(self.agent.output_type),
            message_history=messages,
            deferred_tool_results=approved,
            model=_model_of(self.segment),
            deps=await _deps_of(self.segment, self.agent),
            toolsets=[SaysoToolset(self._ours)],
            capabilities=capabilities,
            event_stream_handler=self._stream,
        )

    def _begin(
        self,
    ) -> tuple[str | None, list[ModelMessage], DeferredToolResults | None, bool]:
        """Prompt, history, answers, and whether the history was made from the chat."""
        segment = self.segment
        if segment.saved is not None:
            saved = self._saved = Saved.load(segment.saved.blob, segment.saved.version)
            self._nest.said.update(saved.said)
            self._responses = responses(saved.messages)
            self._turns = saved.turns
            self._going_on = open_calls(saved.messages)
            if not saved.deferred:
                return None, saved.messages, None, False
            approved = DeferredToolResults()
            approved.approvals.update({call_id: ToolApproved() for call_id in saved.deferred})
            return None, saved.messages, approved, False
        chat = before(segment)
        self._turns = 1 + sum(message.role == "user" for message in chat)
        if segment.agent_state is None:
            return segment.task.words, as_messages(chat), None, bool(chat)
        memory = Saved.load(segment.agent_state.blob, "this agent's memory")
        missed = after_turn(chat, memory.turns)
        known = repair_messages(memory.messages)
        return segment.task.words, [*known, *as_messages(missed)], None, False

    async def _completed(self, result: AgentRunResult[Any]) -> Completed:
        output = result.output
        text = output if isinstance(output, str) else orjson.dumps(plain(output)).decode()
        if not isinstance(output, str) or not result.response.text:  # else it was streamed
            await self.segment.world.say(text)
        await self.segment.world.drain()
        memory = Saved(result.all_messages(), turns=self._turns)
        return Completed(output=text, memory=memory.dump())

    async def _stream(self, ctx: RunContext[Any], events: AsyncIterable[object]) -> None:
        async for event in events:
            match event:
                case PartStartEvent(part=TextPart(content=text)) if text:
                    await self.segment.world.say(text)
                case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                    await self.segment.world.say(text)
                case FunctionToolCallEvent(part=call) if call.tool_name not in self._offered:
                    await self._show_unknown(call, ctx)
                case _:
                    pass

    # ── calls ──

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        ctx: RunContext[Any],
        tool: ToolsetTool[Any],
        wrapped: AbstractToolset[Any],
    ) -> object:
        """One call of the model, through the toolbox."""
        call_id = ctx.tool_call_id or name
        self._remember(ctx.messages)
        # A model may repeat its own ids ("call_0") from response to response: the key counts them.
        key = f"{responses(ctx.messages)}:{call_id}"
        native = None
        if name not in self._ours:
            native = NativeTool(tool, wrapped, ctx, arguments)
        came = await self._nest.call(
            key, native or self._ours[name], plain(arguments), self.segment.agent_name
        )
        if isinstance(came, NeedsPerson):
            self.requests[call_id] = came.requests
            raise ApprovalRequired
        return result_of(came, native)

    async def miss(self, tools: Collection[str]) -> None:
        self._offered = tools
        going_on, self._going_on = self._going_on, []
        for call in going_on:
            if call.tool_name not in tools:
                key = f"{self._responses}:{call.tool_call_id}"
                await self.toolbox.call(key, call.tool_name, {})

    async def _show_unknown(self, call: ToolCallPart, ctx: RunContext[Any]) -> None:
        """A call of a tool that there never was: the framework tells the model, and the toolbox
        shows it."""
        try:
            arguments = call.args_as_dict()
        except ValueError:
            arguments = {}
        key = f"{responses(ctx.messages)}:{call.tool_call_id}"
        await self.toolbox.call(
            key, call.tool_name, plain(arguments), agent_name=self.segment.agent_name
        )

    def _remember(self, messages: Sequence[ModelMessage]) -> None:
        """Keep the state at this response of the model, for the first call of it that acts."""
        count = responses(messages)
        if count == self._responses:
            return
        last = max(i for i, m in enumerate(messages) if isinstance(m, ModelResponse))
        self._responses = count
        self._messages = list(messages[: last + 1])

    def _checkpoint(self) -> SavedState | None:
        if self._messages is not None:
            saved = Saved(self._messages, turns=self._turns, said=self._nest.said)
            return self._state(saved.dump())
        if self._saved is None:
            return None
        # Still at the response of the saved state, with the journal and the rest as they are now.
        return self._state(replace(self._saved, said=self._nest.said).dump())

    def _state(self, blob: bytes) -> SavedState:
        return self.segment.saved_state(NAME, written_by_now(), blob)


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    """A tool of the agent's own outside of any run of it, for the retry of one call."""
    agent = segment.agent
    assert isinstance(agent, AbstractAgent)
    model = _model_of(segment) or agent.model
    ctx: RunContext[Any] = RunContext(
        deps=await _deps_of(segment, agent),
        # A tool that is called alone asks no model; where it does, there must be one.
        model=infer_model(model) if model is not None else TestModel(),
        usage=RunUsage(),
        tool_call_id=f"retry-{name}",
        tool_name=name,
    )
    toolset: AbstractToolset[Any] = await CombinedToolset(agent.toolsets).for_run(ctx)
    async with toolset:
        toolset = await toolset.for_run_step(ctx)
        tools = await toolset.get_tools(ctx)
        yield NativeTool(tools[name], toolset, ctx) if name in tools else None


def _model_of(segment: Segment) -> str | None:
    wanted = segment.task.execution_config.metadata.get("model")
    return wanted if isinstance(wanted, str) else None


async def _deps_of(segment: Segment, agent: AbstractAgent[Any, Any]) -> Any:
    deps = await segment.make_deps()
    if deps is None and agent.deps_type not in (object, type(None)):
        raise NotSupportedError(
            f"The agent '{segment.agent_name}' needs deps ({agent.deps_type.__name__}).",
            fix="Give them with App(agent, deps=...): an object, or a function of the context.",
        )
    return deps


def _output_type(own: Any) -> list[Any]:
    types = list(own) if isinstance(own, list | tuple) else [own]
    return types if DeferredToolRequests in types else [*types, DeferredToolRequests]
