"""The Pydantic AI adapter (2.x): every call, of our tools and of the agent's own, passes the
toolbox by a wrapper.

A call that needs a person raises ApprovalRequired, so that the framework ends its run with
DeferredToolRequests. On resume all of them are "approved": the toolbox decides from the stored
answers what each one really does. Before a call acts, the messages up to the model's response are
saved; a takeover goes on at that response, never asking the model again (UserPromptNode executes
the pending calls of a history that ends in a response).
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

import orjson
from pydantic import JsonValue, ValidationError
from pydantic_ai import (
    AbstractToolset,
    AgentRunResult,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessagesTypeAdapter,
    ModelRetry,
    RunContext,
    ToolApproved,
    ToolDefinition,
    ToolReturn,
    ToolsetTool,
    WrapperToolset,
)
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability, ReinjectSystemPrompt
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    UserPromptPart,
    repair_messages,
)
from pydantic_core import SchemaValidator, core_schema, to_jsonable_python

from sayso.adapters.base import Segment
from sayso.adapters.pump import TextPump
from sayso.core.chunks import TaskStreamChunk
from sayso.core.digest import JsonObject
from sayso.core.errors import AgentFailed, StateUnreadable
from sayso.core.interactions import CardRequest
from sayso.core.segments import Capabilities, Completed, ResumePolicy, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.core.tasks import UniversalMessage
from sayso.tools.call import NeedsPerson
from sayso.tools.pause import ProposalStale
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.tool import Prepared, Traits

FORMAT = 1
#: The toolbox itself checks the arguments of our tools, so that its words reach the model.
_ANYTHING = SchemaValidator(core_schema.any_schema())


class PydanticAIAdapter:
    name = "pydantic_ai"
    capabilities = Capabilities(resume=ResumePolicy.ALL)

    def accepts(self, agent: object) -> bool:
        return isinstance(agent, AbstractAgent)

    async def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        pump = TextPump(segment.task.task_id)
        segment.world.say, segment.world.drain = pump.say, pump.drain
        async with aclosing(pump.run(_Run(segment).to_its_end())) as items:
            async for item in items:
                yield item


@dataclass
class _Saved:
    """What lies in the blob: the messages, and the calls that wait for people."""

    messages: list[ModelMessage]
    deferred: list[str] = field(default_factory=list)
    #: How many messages of people the memory has seen; later ones are told from the chat.
    turns: int = 0

    def dump(self) -> bytes:
        return orjson.dumps(
            {
                "format": FORMAT,
                "messages": orjson.Fragment(ModelMessagesTypeAdapter.dump_json(self.messages)),
                "deferred": self.deferred,
                "turns": self.turns,
            }
        )

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> _Saved:
        try:
            body = orjson.loads(blob)
            if body["format"] != FORMAT:
                raise ValueError(f"its format is {body['format']}, not {FORMAT}")
            messages = ModelMessagesTypeAdapter.validate_python(body["messages"])
            return cls(messages, list(body["deferred"]), int(body["turns"]))
        except (ValueError, KeyError, TypeError) as exc:  # pydantic's errors are ValueErrors
            raise StateUnreadable(
                f"The saved messages ({written_by}) cannot be read by {_version()}: {exc}"
            ) from exc


class _Run:
    """One segment of an agent of Pydantic AI."""

    def __init__(self, segment: Segment) -> None:
        assert isinstance(segment.agent, AbstractAgent)
        self.segment = segment
        self.agent: AbstractAgent[Any, Any] = segment.agent
        self.toolbox = segment.toolbox
        self.ours = {tool.name: tool for tool in self.toolbox.tools}
        #: The cards that calls of this segment asked for, by the model's call id.
        self.requests: dict[str, tuple[CardRequest, ...]] = {}
        #: The messages up to the model's newest response, for the checkpoint of its calls.
        self._messages: list[ModelMessage] | None = None
        self._responses = -1
        self._turns = 0
        segment.world.checkpoint = self._checkpoint

    async def to_its_end(self) -> SegmentEnd:
        result = await self._drive()
        if not isinstance(result.output, DeferredToolRequests):
            return await self._completed(result)
        waiting = [*result.output.calls, *result.output.approvals]
        unknown = [call.tool_name for call in waiting if call.tool_call_id not in self.requests]
        if unknown:
            raise AgentFailed(f"The tool '{unknown[0]}' was deferred outside of the toolbox.")
        ids = [call.tool_call_id for call in waiting]
        saved = _Saved(result.all_messages(), ids, self._turns)
        order = [call_id for call_id in self.requests if call_id in ids]
        return Waiting(
            saved=self._state(saved.dump()),
            requests=[request for call_id in order for request in self.requests[call_id]],
        )

    async def _drive(self) -> AgentRunResult[Any]:
        prompt, messages, approved, converted = self._begin()
        capabilities: list[AbstractCapability[Any]] = [_Gate(self)]
        if converted:
            capabilities.append(ReinjectSystemPrompt())
        model = self.segment.task.execution_config.metadata.get("model")
        return await self.agent.run(
            prompt,
            output_type=_output_type(self.agent.output_type),
            message_history=messages,
            deferred_tool_results=approved,
            model=model if isinstance(model, str) else None,
            toolsets=[_SaysoToolset(self)],
            capabilities=capabilities,
            event_stream_handler=self._stream,
        )

    def _begin(
        self,
    ) -> tuple[str | None, list[ModelMessage], DeferredToolResults | None, bool]:
        """Prompt, history, answers, and whether the history was made from the chat."""
        segment = self.segment
        if segment.saved is not None:
            saved = _Saved.load(segment.saved.blob, segment.saved.version)
            self._responses = _responses(saved.messages)
            self._turns = saved.turns
            if not saved.deferred:
                return None, saved.messages, None, False
            approved = DeferredToolResults()
            approved.approvals.update({call_id: ToolApproved() for call_id in saved.deferred})
            return None, saved.messages, approved, False
        before = _before(segment)
        self._turns = 1 + sum(message.role == "user" for message in before)
        if segment.agent_state is None:
            return segment.task.words, _as_messages(before), None, bool(before)
        memory = _Saved.load(segment.agent_state.blob, "this agent's memory")
        missed = _after_turn(before, memory.turns)
        known = repair_messages(memory.messages)
        return segment.task.words, [*known, *_as_messages(missed)], None, False

    async def _completed(self, result: AgentRunResult[Any]) -> Completed:
        output = result.output
        text = output if isinstance(output, str) else orjson.dumps(_plain(output)).decode()
        if not isinstance(output, str):
            await self.segment.world.say(text)
        await self.segment.world.drain()
        memory = _Saved(result.all_messages(), turns=self._turns)
        return Completed(output=text, memory=memory.dump())

    async def _stream(self, ctx: RunContext[Any], events: AsyncIterable[object]) -> None:
        async for event in events:
            match event:
                case PartStartEvent(part=TextPart(content=text)) if text:
                    await self.segment.world.say(text)
                case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                    await self.segment.world.say(text)
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
        key = f"{_responses(ctx.messages)}:{call_id}"
        native = None
        if name not in self.ours:
            native = _NativeTool(tool, wrapped, ctx, arguments)
        came = await self.toolbox.call(
            key, name, _plain(arguments), agent_name=self.segment.agent_name, tool=native
        )
        if isinstance(came, NeedsPerson):
            self.requests[call_id] = came.requests
            raise ApprovalRequired
        if isinstance(came.exception, ModelRetry | ToolFailed):
            raise came.exception
        if native is not None and native.returned is not None and not came.notes:
            return native.returned
        return came.value

    def _remember(self, messages: Sequence[ModelMessage]) -> None:
        """Keep the state at this response of the model, for the first call of it that acts."""
        count = _responses(messages)
        if count == self._responses:
            return
        last = max(i for i, m in enumerate(messages) if isinstance(m, ModelResponse))
        self._responses = count
        self._messages = list(messages[: last + 1])

    def _checkpoint(self) -> SavedState | None:
        if self._messages is not None:
            return self._state(_Saved(self._messages, turns=self._turns).dump())
        # Still at the response of the saved state: its own bytes, with the journal as it is now.
        saved = self.segment.saved
        return self._state(saved.blob) if saved is not None else None

    def _state(self, blob: bytes) -> SavedState:
        return self.segment.saved_state(PydanticAIAdapter.name, _version(), blob)


@dataclass
class _Gate(AbstractCapability[Any]):
    """Wraps everything the agent can call, its own tools and toolsets included, without touching
    them."""

    run: _Run

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return _GatedToolset(toolset, self.run)


@dataclass
class _GatedToolset(WrapperToolset[Any]):
    run: _Run

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        tools = await super().get_tools(ctx)
        return {name: _as_function(tool) for name, tool in tools.items()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        return await self.run.call(name, tool_args, ctx, tool, self.wrapped)


@dataclass
class _SaysoToolset(AbstractToolset[Any]):
    """The toolbox's tools, as native tools of the framework."""

    run: _Run

    @property
    def id(self) -> str | None:
        return "sayso"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        return {
            name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=name,
                    description=tool.description,
                    parameters_json_schema=tool.schema,
                ),
                max_retries=1,
                args_validator=_ANYTHING,
            )
            for name, tool in self.run.ours.items()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        raise AssertionError("the gate is around every toolset")


#: Under this key a native tool's definition remembers the kind it had before the gate took it over.
_KIND = "sayso_kind"


def _as_function(tool: ToolsetTool[Any]) -> ToolsetTool[Any]:
    """Tools that the framework would defer by itself come to the gate as well."""
    definition = tool.tool_def
    if definition.kind not in ("unapproved", "external"):
        return tool
    metadata = {**(definition.metadata or {}), _KIND: definition.kind}
    return replace(tool, tool_def=replace(definition, kind="function", metadata=metadata))


class _NativeTool:
    """A tool of the agent's own, as the toolbox sees it (tools.tool.Runnable)."""

    is_ours = False
    in_thread = False

    def __init__(
        self,
        tool: ToolsetTool[Any],
        wrapped: AbstractToolset[Any],
        ctx: RunContext[Any],
        arguments: dict[str, Any],
    ) -> None:
        self._tool, self._wrapped, self._ctx, self._given = tool, wrapped, ctx, arguments
        self._sent = _plain(arguments)
        metadata = tool.tool_def.metadata or {}
        self._kind = metadata.get(_KIND, tool.tool_def.kind)
        hints = metadata.get("annotations")
        hints = hints if isinstance(hints, Mapping) else {}
        #: A value that is more than JSON (an image, a ToolReturn), for the model alone.
        self.returned: object = None
        self.name = tool.tool_def.name
        self.description = tool.tool_def.description or ""
        self.traits = Traits(
            approval=self._kind == "unapproved",
            read_only=hints.get("readOnlyHint") is True,
            destructive=hints.get("destructiveHint") is True,
            idempotent=hints.get("idempotentHint") is True,
        )

    @property
    def schema(self) -> JsonObject:
        return dict(self._tool.tool_def.parameters_json_schema)

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        self._values(dict(arguments))
        return dict(arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return None

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        approved = getattr(ctx, "proposal", None) is not None
        return self._run(arguments, approved=approved)

    async def _run(self, arguments: JsonObject, *, approved: bool) -> object:
        if self._kind == "external":
            return _question(f"{self.name} is done outside of the agent. What came of it?")
        ctx = replace(self._ctx, tool_call_approved=approved)
        values = self._values(arguments)
        try:
            found = await self._wrapped.call_tool(self.name, values, ctx, self._tool)
        except ApprovalRequired as exc:
            raise ProposalStale("the tool asks for approval") from exc
        except CallDeferred as exc:
            asked = {**arguments, **(exc.metadata or {})}.get("question")
            return _question(str(asked or f"What should {self.name} answer?"))
        if isinstance(found, ToolReturn):
            self.returned = found
            return found.return_value
        return found

    def _values(self, arguments: JsonObject) -> dict[str, Any]:
        """The framework's own Python values; checked again where a person has changed something."""
        if arguments == self._sent:
            return self._given
        try:
            values: dict[str, Any] = self._tool.args_validator.validate_python(arguments)
        except ValidationError as exc:
            raise ArgumentsInvalid(
                [
                    {"path": "/".join(str(part) for part in e["loc"]), "message": e["msg"]}
                    for e in exc.errors()
                ]
            ) from exc
        return values


def _question(words: str) -> JsonObject:
    """Seed 1's shape, which the toolbox makes a card of."""
    return {"user_input_required": True, "question": words, "options": []}


def _output_type(own: Any) -> list[Any]:
    types = list(own) if isinstance(own, list | tuple) else [own]
    return types if DeferredToolRequests in types else [*types, DeferredToolRequests]


def _responses(messages: Sequence[ModelMessage]) -> int:
    return sum(isinstance(message, ModelResponse) for message in messages)


def _as_messages(messages: Sequence[UniversalMessage]) -> list[ModelMessage]:
    made: list[ModelMessage] = []
    for message in messages:
        match message.role:
            case "user":
                made.append(ModelRequest(parts=[UserPromptPart(message.content)]))
            case "system":
                made.append(ModelRequest(parts=[SystemPromptPart(message.content)]))
            case "assistant" if message.content:
                made.append(ModelResponse(parts=[TextPart(message.content)]))
            case _:
                pass
    return made


def _before(segment: Segment) -> list[UniversalMessage]:
    """The chat before this message: some callers give a task's earlier messages as history too."""
    history, earlier = list(segment.history), segment.task.messages[:-1]
    if earlier and history[-len(earlier) :] == earlier:
        return history
    return [*history, *earlier]


def _after_turn(messages: Sequence[UniversalMessage], turns: int) -> list[UniversalMessage]:
    """The chat from the first message of a person that the memory has not seen (its run was
    cancelled)."""
    seen = 0
    for place, message in enumerate(messages):
        seen += message.role == "user"
        if seen > turns:
            return list(messages[place:])
    return []


def _plain(value: object) -> Any:
    return to_jsonable_python(value)


def _version() -> str:
    return f"pydantic-ai {version('pydantic-ai-slim')}, format {FORMAT}"
