"""One segment of an agent of Pydantic AI.

A call that needs a person raises ApprovalRequired, so that the framework collects it, and hands all
of them to our handler once their siblings have ended: there the segment suspends, whatever the
agent's output is. On resume all of them are "approved": the toolbox decides from the stored answers
what each one really does. Before a call acts, the messages up to the model's response are
saved; a takeover goes on at that response, never asking the model again (UserPromptNode executes
the pending calls of a history that ends in a response).
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from pydantic_ai import (
    AbstractToolset,
    AgentRunResult,
    ApprovalRequired,
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
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    repair_messages,
)

from sayso.adapters.contract import Segment
from sayso.adapters.model_reply import object_in
from sayso.adapters.pydantic_ai.native_tool import PydanticTool, plain, result_of
from sayso.adapters.pydantic_ai.nested_agents import (
    NestedAgents,
    RoutedCalls,
    agents_within,
    watch,
)
from sayso.adapters.pydantic_ai.state import (
    CODEC,
    PydanticAiState,
    as_messages,
    open_calls,
    responses,
)
from sayso.adapters.pydantic_ai.tool_calls import SaysoToolset
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import AgentFailed, NotSupportedError
from sayso.core.segments import Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.tools.calls import CallSuspended
from sayso.tools.suspension import Suspend

#: Under this name the state is kept, and the adapter is known.
NAME = "pydantic_ai"


class PydanticAiRun:
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
        self._saved: PydanticAiState | None = None
        self._nested = NestedAgents(self.toolbox)
        self._offered: Mapping[str, ToolsetTool[Any]] = {}
        #: The model's ids of the calls that wait.
        self._open: list[str] = []
        segment.env.checkpoint = self._checkpoint

    async def run(self) -> SegmentEnd:
        deps = await deps_of(self.segment, self.agent)
        watch(agents_within(self.agent, deps, *self.toolbox.tools))
        with self._nested.runs.open():
            try:
                result = await self._drive(deps)
            except Suspend as pause:
                self._nested.check()
                return self._waiting(self._nested.runs.messages, pause.requests)
        self._nested.check()
        return await self._completed(result)

    async def _drive(self, deps: object) -> AgentRunResult[Any]:
        prompt, messages, approved, converted = self._begin()
        capabilities: list[AbstractCapability[Any]] = [RoutedCalls(self, self._nested)]
        if converted:
            capabilities.append(ReinjectSystemPrompt())
        return await self.agent.run(
            prompt,
            message_history=messages,
            deferred_tool_results=approved,
            model=model_of(self.segment),
            deps=deps,
            toolsets=[SaysoToolset(self._ours)],
            capabilities=capabilities,
            event_stream_handler=self._stream,
        )

    def _begin(
        self,
    ) -> tuple[str | None, list[ModelMessage], DeferredToolResults | None, bool]:
        """Return the prompt, the history, the answers, and whether the history was made from the
        chat."""
        segment = self.segment
        if segment.saved is not None:
            saved = self._saved = PydanticAiState.load(segment.saved.blob, segment.saved.version)
            self._nested.said.update(saved.said)
            self._nested.deferred.update(saved.outside)
            self._responses = responses(saved.messages)
            self._turns = saved.turns
            self._going_on = open_calls(saved.messages)
            if not saved.deferred:
                return None, saved.messages, None, False
            approved = DeferredToolResults()
            approved.approvals.update({call_id: ToolApproved() for call_id in saved.deferred})
            return None, saved.messages, approved, False
        if segment.agent_state is None:
            chat, self._turns = segment.unseen(None)
            return segment.task.words, as_messages(chat), None, bool(chat)
        memory = PydanticAiState.load(segment.agent_state.blob, "this agent's memory")
        missed, self._turns = segment.unseen(memory.turns)
        known = repair_messages(memory.messages)
        return segment.task.words, [*known, *as_messages(missed)], None, False

    async def _completed(self, result: AgentRunResult[Any]) -> Completed:
        output = result.output
        text = output if isinstance(output, str) else orjson.dumps(plain(output)).decode()
        if not _is_same(result.response.text or "", text):  # else it was streamed
            await self.segment.env.say(text)
        await self.segment.env.flush_text()
        memory = PydanticAiState(result.all_messages(), turns=self._turns)
        return Completed(output=text, memory=memory.dump())

    async def _stream(self, ctx: RunContext[Any], events: AsyncIterable[object]) -> None:
        async for event in events:
            match event:
                case PartStartEvent(part=TextPart(content=text)) if text:
                    await self.segment.env.say(text)
                case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                    await self.segment.env.say(text)
                case FunctionToolCallEvent(part=call) if call.tool_name not in self._offered:
                    await self._show_unknown(call, ctx)
                case FunctionToolCallEvent(part=call, args_valid=False):
                    await self._show_unfit(call, ctx)
                case _:
                    pass

    # ── calls ──

    def waiting(self, requests: DeferredToolRequests) -> Sequence[Request]:
        """Return the cards that these calls wait for, as the model made the calls."""
        self._open = [call.tool_call_id for call in (*requests.calls, *requests.approvals)]
        unknown = [id_ for id_ in self._open if id_ not in self.requests]
        if unknown:
            raise AgentFailed(f"The call '{unknown[0]}' was deferred outside of the toolbox.")
        waiting = [call_id for call_id in self.requests if call_id in self._open]
        return [request for call_id in waiting for request in self.requests[call_id]]

    def _waiting(self, messages: list[ModelMessage], requests: Sequence[Request]) -> Waiting:
        """Save the chat up to what the calls' siblings gave."""
        *before, last = messages
        if isinstance(last, ModelRequest):
            messages = [*before, *([replace(last, state="complete")] if last.parts else [])]
        return Waiting(saved=self._to_saved(messages, self._open), requests=requests)

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        ctx: RunContext[Any],
        tool: ToolsetTool[Any],
        wrapped: AbstractToolset[Any],
    ) -> object:
        """Make one call of the model, through the toolbox."""
        call_id = ctx.tool_call_id or name
        self._remember(ctx.messages)
        # A model may repeat its own ids ("call_0") from response to response: the key counts them.
        key = f"{responses(ctx.messages)}:{call_id}"
        native = None
        if name not in self._ours:
            native = PydanticTool(tool, wrapped, ctx, arguments)
        came = await self._nested.call(
            key, native or self._ours[name], plain(arguments), self.segment.agent_name
        )
        if isinstance(came, CallSuspended):
            self.requests[call_id] = came.requests
            raise ApprovalRequired
        return result_of(came, native, is_deferred=key in self._nested.deferred)

    async def check_offered(self, tools: Mapping[str, ToolsetTool[Any]]) -> None:
        self._offered = tools
        going_on, self._going_on = self._going_on, []
        for call in going_on:
            if call.tool_name not in tools:
                key = f"{self._responses}:{call.tool_call_id}"
                await self.toolbox.call(key, call.tool_name, {})

    async def _show_unknown(self, call: ToolCallPart, ctx: RunContext[Any]) -> None:
        """Show a call of a tool that there never was; the framework tells the model."""
        arguments = _object_in(call) or {}
        key = f"{responses(ctx.messages)}:{call.tool_call_id}"
        await self.toolbox.call(key, call.tool_name, arguments, agent_name=self.segment.agent_name)

    async def _show_unfit(self, call: ToolCallPart, ctx: RunContext[Any]) -> None:
        """Show a call whose arguments the framework refuses; it tells the model itself."""
        key = f"{responses(ctx.messages)}:{call.tool_call_id}"
        name, speaker = call.tool_name, self.segment.agent_name
        arguments = _object_in(call)
        if arguments is None:
            await self.toolbox.refuse_unreadable(key, name, agent_name=speaker)
            return
        tool = self._offered[name]
        native = PydanticTool(tool, tool.toolset, ctx)
        await self.toolbox.call(key, name, arguments, agent_name=speaker, tool=native)

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
            return self._to_saved(self._messages, [])
        if self._saved is None:
            return None
        # Still at the response of the saved state, with the journal and the rest as they are now.
        return self._to_saved(self._saved.messages, self._saved.deferred)

    def _to_saved(self, messages: list[ModelMessage], deferred: list[str]) -> SavedState:
        outside = sorted(self._nested.deferred)
        state = PydanticAiState(messages, deferred, self._turns, self._nested.said, outside)
        return self.segment.saved_state(NAME, CODEC.written_by(), state.dump())


def model_of(segment: Segment) -> str | None:
    wanted = segment.task.execution_config.metadata.get("model")
    return wanted if isinstance(wanted, str) else None


async def deps_of(segment: Segment, agent: AbstractAgent[Any, Any]) -> Any:
    deps = await segment.make_deps()
    if deps is None and agent.deps_type not in (object, type(None)):
        raise NotSupportedError(
            f"The agent '{segment.agent_name}' needs deps ({agent.deps_type.__name__}).",
            fix="Give them with App(agent, deps=...): an object, or a function of the context.",
        )
    return deps


def _object_in(call: ToolCallPart) -> JsonObject | None:
    """Return the arguments as the model wrote them; None where they are no JSON object."""
    try:
        return plain(call.args) if isinstance(call.args, dict) else object_in(call.args)
    except (ValueError, RecursionError):
        return None


def _is_same(streamed: str, output: str) -> bool:
    """Tell whether the answer is what was streamed: a structured one may be spaced or fenced."""
    return _bare(streamed) == _bare(output)


def _bare(text: str) -> str:
    text = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        return orjson.dumps(orjson.loads(text), option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONDecodeError:
        return "".join(text.split())
