"""One segment of a graph: where it goes on from, what it says, and how it ends.

Before a call acts, the checkpoint of its step is saved, so a takeover goes on at that call
and never asks the model again. Interrupts and waiting calls are read from the checkpoint too: what
was answered is a pure function of it and the answers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel
from langgraph.types import Command, StateSnapshot

from sayso.adapters.contract import Segment
from sayso.adapters.langgraph.agent_copy import (
    copy_of,
    graph_context,
    own_tool,
    own_tools,
    route_inner_graphs,
    tool_schema,
)
from sayso.adapters.langgraph.checkpoints import CODEC, GraphState, StateSaver, own_saver
from sayso.adapters.langgraph.create_agent import Graph, is_agent, model_nodes, with_tools_node
from sayso.adapters.langgraph.interrupt_shapes import shape_for
from sayso.adapters.langgraph.interrupts import InterruptCards, breakpoint_card
from sayso.adapters.langgraph.message_stream import MessageStream
from sayso.adapters.langgraph.messages import (
    graph_input,
    is_empty_reply,
    last_message,
    output_of,
    text_of,
)
from sayso.adapters.langgraph.model_replies import ReplyWatch
from sayso.adapters.langgraph.native_tool import OfferedTool, langchain_tool
from sayso.adapters.langgraph.tool_calls import GraphCalls
from sayso.adapters.text_queue import SayText
from sayso.core.children import Request
from sayso.core.errors import ModelUnavailable, NotSupportedError, StateUnreadable
from sayso.core.interactions import CardRequest
from sayso.core.segments import (
    Cancelled,
    Completed,
    SegmentEnd,
    Waiting,
)
from sayso.core.sessions import SavedState
from sayso.tools.answer_messages import approval_answer
from sayso.tools.builtin import BUILTIN_TOOLS
from sayso.tools.suspension import Stopped

NAME = "langgraph"


class GraphRun:
    """One segment of a graph."""

    def __init__(self, segment: Segment, say: SayText) -> None:
        assert isinstance(segment.agent, Pregel)
        self.segment, self._say = segment, say
        self.agent: Graph = segment.agent
        #: None where the graph's own one keeps what it saves.
        self._saver = None if own_saver(self.agent) else StateSaver(self.agent)
        run = segment.env.run
        self._at = GraphState(thread=f"{run.app_id}/{run.chat_id}/{segment.agent_name}")
        self._messages = MessageStream(say, {})
        self._replies = ReplyWatch(segment.env)
        segment.env.checkpoint = self._checkpoint

    async def run(self) -> SegmentEnd:
        self._calls = calls = GraphCalls(
            self.segment,
            partial(tool_schema, self.agent),
            partial(shape_for, self.agent),
            partial(own_tool, self.agent),
        )
        self._graph = self._copy(calls)
        given = await self._begin()
        if isinstance(given, Cancelled | Waiting):
            return given
        sent: set[str] = set()
        with calls.open():
            while True:
                await self._drive(given)
                state = await self._graph.aget_state(self._config())
                answered = {
                    id_: value for id_, value in self._resume(state).items() if id_ not in sent
                }
                if not answered:
                    return await self._ended(state)
                # Two questions of one node: LangGraph takes their answers one by one.
                sent |= set(answered)
                given = Command(resume=answered)

    def _copy(self, calls: GraphCalls) -> Graph:
        tools = self.segment.toolbox.tools
        given = [tool.name for tool in tools if tool not in BUILTIN_TOOLS]
        known = {t.name for t in own_tools(self.agent) if not isinstance(t, OfferedTool)}
        for name in given:
            if name in known:
                raise NotSupportedError(
                    f"Two tools are named '{name}': the graph's own and the application's.",
                    fix="Give one of them another name.",
                )
        route_inner_graphs(self.agent)
        whole = with_tools_node(self.agent)
        if given and is_agent(whole) and not model_nodes(whole):
            raise NotSupportedError(
                f"The agent has nowhere to run the application's tool '{given[0]}'.",
                fix="Make it with `create_agent(…, middleware=[SaysoMiddleware(), …])`.",
            )
        offered = [langchain_tool(tool) for tool in tools] if model_nodes(whole) else []
        graph = copy_of(whole, calls, offered)
        return graph.copy({"checkpointer": self._saver or own_saver(self.agent)})

    async def _drive(self, given: Any) -> None:
        stream = self._graph.astream(
            given,
            self._config(self._forked_from),
            context=await graph_context(self.agent, self.segment),
            stream_mode="messages",
            subgraphs=True,
            durability="sync",
        )
        self._forked_from = ""
        async with aclosing(stream) as items:  # type: ignore[type-var]  # an async generator
            async for _, (message, metadata) in cast("AsyncIterator[Any]", items):
                await self._hear(message, metadata)
        await self._messages.end()
        fatal = self._calls.fatal
        if fatal is not None and not isinstance(fatal, Stopped):
            raise fatal

    # ── beginning ──

    _forked_from = ""

    async def _begin(self) -> Any:
        """Return what the graph is started with: its input, the answers, or nothing but its
        checkpoint."""
        segment = self.segment
        if segment.saved is not None:
            return await self._go_on(segment.saved)
        if segment.agent_state is None:
            earlier, self._at.turns = segment.unseen(None)
            if self._saver is None:
                await self._new_thread()
            return graph_input(self.agent, segment, earlier)
        memory = GraphState.load(segment.agent_state.blob, "this agent's memory")
        missed, self._at.turns = segment.unseen(memory.turns)
        self._at.thread, self._forked_from = memory.thread, memory.checkpoint_id
        await self._load(memory, "this agent's memory")
        return graph_input(self.agent, segment, missed)

    async def _go_on(self, saved: SavedState) -> Any:
        self._at = GraphState.load(saved.blob, saved.version)
        self._messages = MessageStream(self._say, dict(self._at.said))
        state = await self._load(self._at, saved.version)
        self._check(state, saved.version)
        stops = self._breakpoint(state) if self._at.next else None
        if stops is not None:
            answer = self.segment.answers.get(stops.call_key)
            if answer is None:
                return Waiting(saved=self._state(state), requests=[stops])
            outcome = approval_answer(answer)
            if not outcome.approved:
                return Cancelled(reason=outcome.reason)
        answered = self._resume(state)
        return Command(resume=answered) if answered else None

    async def _load(self, saved: GraphState, written_by: str) -> StateSnapshot:
        try:
            if self._saver is not None:
                self._saver.load(saved.checkpoints)
            return await self._graph.aget_state(self._config())
        except StateUnreadable:
            raise
        except Exception as exc:  # whatever a serializer says of bytes that it does not know
            raise CODEC.unreadable(written_by, exc) from exc

    def _check(self, state: StateSnapshot, written_by: str) -> None:
        """Check that the checkpoint is this run's, and that the graph still has what comes next in
        it."""
        if self._saver is None and state.created_at is None:
            raise StateUnreadable(
                f"The graph's own checkpointer ({type(self.agent.checkpointer).__name__}) has "
                "nothing of this run any more.",
                fix="Give the graph a checkpointer that keeps what it saves, or none: then Sayso "
                "keeps it with the run.",
            )
        gone = [name for name in self._at.next if name not in self._graph.nodes]
        if gone:
            raise CODEC.unreadable(written_by, f"the graph has no node '{gone[0]}' any more")
        if (state.metadata or {}).get("sayso_run") != self.segment.env.run.id:
            raise CODEC.unreadable(written_by, "its thread has gone on outside of Sayso")
        if self._saver is not None and not state.next:
            raise CODEC.unreadable(written_by, "the graph has no node that was to be next")

    async def _new_thread(self) -> None:
        """Take a thread of this run's own where a cancelled or lost first run has left something in
        the chat's."""
        if (await self._graph.aget_state(self._config())).created_at is not None:
            run = self.segment.env.run
            self._at.thread = f"{self._at.thread}/{run.id}/{run.fence}"

    # ── ending ──

    async def _ended(self, state: StateSnapshot) -> SegmentEnd:
        fatal = self._calls.fatal
        if isinstance(fatal, Stopped):
            return Cancelled(reason=fatal.reason)
        requests = self._requests(state)
        if requests:
            self._at.next = list(state.next)
            return Waiting(saved=self._state(state), requests=requests)
        return await self._completed(state)

    def _requests(self, state: StateSnapshot) -> list[Request]:
        found: dict[str, Request] = {}
        for interrupt in state.interrupts:
            asked = self._calls.asked(interrupt)
            for request in asked.requests if isinstance(asked, InterruptCards) else asked:
                found[request.call_key] = request
        stops = self._breakpoint(state)
        return [*found.values(), *([stops] if stops is not None else [])]

    def _breakpoint(self, state: StateSnapshot) -> CardRequest | None:
        if state.interrupts or not state.next or any(task.error for task in state.tasks):
            return None
        if not (self.agent.interrupt_before_nodes or self.agent.interrupt_after_nodes):
            return None
        card = breakpoint_card(state.next)
        return CardRequest(
            call_key=f"breakpoint:{_checkpoint_id(state)}",
            card=card,
            ui_tool_id=card.card.value,
            agent_name=self.segment.agent_name,
        )

    def _resume(self, state: StateSnapshot) -> dict[str, object]:
        """Return the answers that the graph's own interrupts wait for, by interrupt."""
        values: dict[str, object] = {}
        for interrupt in state.interrupts:
            asked = self._calls.asked(interrupt)
            if isinstance(asked, InterruptCards):
                value = asked.resume(self.segment.answers)
                if value is not None:
                    values[interrupt.id] = value[0]
        return values

    async def _completed(self, state: StateSnapshot) -> Completed:
        output, words = output_of(self.agent, state.values), self.segment.task.words
        text = text_of(output, words)
        if not text and is_empty_reply(state.values):
            raise ModelUnavailable("The reply of the model is empty.")
        last = last_message(output, words)
        if text and not (last is not None and self._messages.was_said(last)):
            await self.segment.env.say(text)
        await self.segment.env.flush_text()
        self._at.said, self._at.next = {}, []
        self._at.checkpoint_id = _checkpoint_id(state)
        self._at.checkpoints = self._saver.dump() if self._saver is not None else b""
        return Completed(output=text, memory=self._at.dump())

    # ── text ──

    async def _hear(self, message: BaseMessage, metadata: Mapping[str, Any]) -> None:
        task = str(metadata.get("langgraph_checkpoint_ns", ""))
        speaker = message.name or metadata.get("lc_agent_name") or self._nested_in(task)
        if speaker in (None, self.agent.name, self.segment.agent_name):
            speaker = None  # the run's own agent
        await self._messages.hear(message, task=task, speaker=speaker)

    def _nested_in(self, task: str) -> str | None:
        """Return the graph that is a node of this one, and whose task it is."""
        name = task.split(":", maxsplit=1)[0]
        node = self.agent.nodes.get(name)
        return name if node is not None and isinstance(node.bound, Pregel) else None

    # ── state ──

    def _checkpoint(self) -> SavedState | None:
        self._at.next = []
        return self._state(None)

    def _state(self, state: StateSnapshot | None) -> SavedState:
        self._at.said = self._messages.all_said()
        self._at.checkpoint_id = _checkpoint_id(state) if state is not None else ""
        if self._saver is not None:
            self._at.checkpoints = self._saver.dump()
        return self.segment.saved_state(NAME, CODEC.written_by(), self._at.dump())

    def _config(self, checkpoint_id: str = "") -> RunnableConfig:
        place = {"thread_id": self._at.thread}
        if checkpoint_id and self._saver is None:
            place["checkpoint_id"] = checkpoint_id
        return {
            "configurable": place,
            "metadata": {"sayso_run": self.segment.env.run.id},
            "callbacks": [self._calls.direct_calls, self._replies],
        }


def _checkpoint_id(state: StateSnapshot) -> str:
    return str(state.config.get("configurable", {}).get("checkpoint_id", ""))
