"""An agent as it runs within a segment: its model's replies are kept, its calls go through the
toolbox, and it stops where a person is needed.

The framework's own middleware is the seam: ours is the innermost, so what an application's hooks
and middleware make of a call is what is decided on.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any

from strands import Agent
from strands.agent.agent_result import AgentResult
from strands.hooks import MessageAddedEvent
from strands.middleware import (
    ExecuteToolContext,
    ExecuteToolStage,
    InvokeModelContext,
    InvokeModelStage,
    ModelStopReason,
    ToolResultEvent,
    TypedEvent,
)
from strands.telemetry.metrics import EventLoopMetrics

from sayso.adapters.model_trouble import model_unavailable
from sayso.adapters.strands.agent_copy import load, snapshot_of
from sayso.adapters.strands.interrupts import PREFIX, Asked, asked_by
from sayso.adapters.strands.model_replies import NextModel, Reply, calls_in, used
from sayso.adapters.strands.native_tool import NextTool, OfferedTool, StrandsTool, told
from sayso.adapters.strands.state import (
    ENCLOSING,
    AgentRow,
    StrandsEnclosing,
    StrandsTurn,
    unwrapped,
)
from sayso.adapters.turn import Paused
from sayso.core.errors import SaysoError
from sayso.tools.calls import Returned
from sayso.tools.suspension import Suspend


class RunningAgent:
    """One agent of a segment. It may run several times: each run has its row."""

    def __init__(self, agent: Agent, enclosing: StrandsEnclosing) -> None:
        self.agent, self.enclosing = agent, enclosing
        self.turn: StrandsTurn = enclosing.turn
        self.path, self.row = "", AgentRow()
        #: Where it stands in a team; empty for an agent that is none's.
        self.place = ""
        self.speaks = not enclosing.key
        self.remember: Callable[[], None] = lambda: None
        #: What its model said last.
        self.said = ""
        #: How often each call of this batch was made in this segment: hooks may try again.
        self._made: dict[str, int] = {}
        agent.add_middleware(InvokeModelStage, self._ask_model)
        agent.add_middleware(ExecuteToolStage, self._call_tool)
        agent.add_hook(self._note_message, MessageAddedEvent)

    @property
    def speaker(self) -> str:
        return self.place or self.agent.name

    def stand_at(self, path: str) -> None:
        """Take up the run that stands here, or begin it."""
        self.path, self.row = path, self.turn.row(path)
        if self.row.snapshot is not None:
            load(self.agent, self.row.snapshot)
        self.turn.running[path] = self

    def keep(self, row: AgentRow) -> None:
        if row.ended is None:
            row.snapshot = snapshot_of(self.agent)

    async def stream(
        self, prompt: Any, run: Any, options: Mapping[str, Any]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the events of a run, from its message or from where it stood."""
        state = self.agent._interrupt_state
        if state.activated:
            prompt = self._responses()
        elif self.row.asked:
            prompt = None
        async for event in run(prompt, **options):
            if self.speaks and "data" in event:
                await self.turn.say(event["data"], self.speaker)
            yield event

    # ── in the body of a call ──

    async def stream_within(
        self, prompt: Any, run: Any, options: Mapping[str, Any]
    ) -> AsyncIterator[Any]:
        """Run within the body of a call. Raises Suspend where the run waits."""
        self.enclosing.check()
        self.stand_at(self.enclosing.path(self.speaker))
        if self.row.ended is not None:
            yield {"result": self._ended(options)}
            return
        result: AgentResult | None = None
        try:
            async for event in self.stream(prompt, run, options):
                if "result" in event:
                    result = event["result"]
                else:
                    yield event
        except Exception as exc:
            raised = unwrapped(exc)
            away = model_unavailable(exc, self.turn.segment.env.secrets) is not None
            if away or isinstance(raised, SaysoError):
                self.enclosing.stop(raised)
                raise Suspend(()) from exc
            raise
        if result is not None and result.stop_reason == "interrupt":
            self.open_cards(result)
        self.enclosing.check()
        if result is not None:
            self._end(result)
            yield {"result": result}

    def _end(self, result: AgentResult) -> None:
        answer = result.structured_output
        self.keep(self.row)
        self.row.ended = {
            "stop_reason": result.stop_reason,
            "message": result.message,
            "answer": answer.model_dump(mode="json") if answer is not None else None,
        }
        self.remember()
        self.turn.segment.env.changed = True

    def _ended(self, options: Mapping[str, Any]) -> AgentResult:
        """Return how this run ended in an earlier segment."""
        ended = self.row.ended or {}
        model = options.get("structured_output_model") or getattr(
            self.agent, "_default_structured_output_model", None
        )
        answer = ended["answer"]
        return AgentResult(
            stop_reason=ended["stop_reason"],
            message=ended["message"],
            metrics=EventLoopMetrics(),
            state={},
            structured_output=model.model_validate(answer) if model and answer else None,
        )

    # ── the framework's own interrupts ──

    def open_cards(self, result: AgentResult) -> None:
        """Ask what the application's hooks have stopped for."""
        for interrupt in result.interrupts or ():
            if not interrupt.name.startswith(PREFIX):
                asked = self._asked(interrupt)
                self.turn.requests[asked.key] = asked.request
                self.enclosing.pending = True

    def _responses(self) -> list[Any]:
        """Return what people have answered to those."""
        found = []
        for interrupt in self.agent._interrupt_state.interrupts.values():
            if interrupt.name.startswith(PREFIX):
                continue
            asked = self._asked(interrupt)
            it = self.turn.segment.answers.get(asked.key)
            if it is not None:
                response = {"interruptId": interrupt.id, "response": asked.read(it)}
                found.append({"interruptResponse": response})
        return found

    def _asked(self, interrupt: Any) -> Asked:
        prefix = f"{self.path}>" if self.path else ""
        key = f"{prefix}{self.row.replies}:interrupt:{interrupt.id}"
        return asked_by(self.agent, interrupt, key, self.turn.name_of(self.speaker))

    # ── the seams ──

    async def _ask_model(
        self, context: InvokeModelContext, next_fn: NextModel
    ) -> AsyncGenerator[TypedEvent, None]:
        reply = Reply(context)
        async for event in next_fn(reply.context(context)):
            reply.hear(event)
            if isinstance(event, ModelStopReason):
                self._made.clear()
                reply.keep(event, self.row, set(calls_in(self.agent.messages)))
                self.said = reply.text
                await self.turn.on_loop(
                    self.turn.segment.env.model_replied(
                        used(event, context.model),
                        reply.thought,
                        self.turn.name_of(self.speaker),
                    )
                )
            yield event

    async def _call_tool(
        self, context: ExecuteToolContext, next_fn: NextTool
    ) -> AsyncGenerator[TypedEvent, None]:
        if context.tool is not None and context.tool.tool_type == "structured_output":
            async for event in next_fn(context):  # the answer itself
                yield event
            return
        key = self._key(context)
        native = None
        if context.tool is not None and not isinstance(context.tool, OfferedTool):
            native = StrandsTool(self, key, context)
        came = await self.turn.on_loop(self._made_call(key, context, native))
        if came is None:
            context.interrupt(f"{PREFIX}{key}")
            raise AssertionError("an interrupt of ours has no response")
        stops = self.turn.state.stops
        if key in stops:  # this call ends the turn, also where its body does not run again
            self.agent.cancel(message=stops[key], after_current_tools=True)
        raised = came.exception if isinstance(came.exception, Exception) else None
        yield ToolResultEvent(told(came, native, context), exception=raised)

    def _key(self, context: ExecuteToolContext) -> str:
        prefix = f"{self.path}>" if self.path else ""
        enclosing = ENCLOSING.get(self.enclosing)
        if "event_loop_cycle_id" not in context.invocation_state:  # as `agent.tool.x()`
            return enclosing.path(f"direct:{context.tool_use['name']}")
        key = f"{prefix}{self.row.replies}:{context.tool_use['toolUseId']}"
        number = self._made[key] = self._made.get(key, 0) + 1
        return key if number == 1 else f"{key}#{number}"

    async def _made_call(
        self, key: str, context: ExecuteToolContext, native: StrandsTool | None
    ) -> Returned | None:
        """Make a call. Returns None where it waits, or where something ended the segment."""
        turn, call = self.turn, context.tool_use
        name, speaker = call["name"], turn.name_of(self.speaker)
        enclosing = ENCLOSING.get(self.enclosing)  # of `agent.tool.x()` the body that says it
        if turn.fatal is not None:
            enclosing.pending = True
            return None
        is_unreadable = call["toolUseId"] in self.row.unreadable
        arguments = None if is_unreadable else call["input"]
        try:
            came = await enclosing.call(key, name, arguments, native, speaker=speaker)
        except Paused:
            return None
        if came is not None:
            turn.forget_within(key)
        return came

    def _note_message(self, event: MessageAddedEvent) -> None:
        self.row.asked = True
