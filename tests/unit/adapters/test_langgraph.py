"""What only LangGraph has: its own tools and middleware, its memory, its versions."""

from __future__ import annotations

import asyncio
import itertools
import os
import pickle
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    HumanInTheLoopMiddleware,
    ToolRetryMiddleware,
)
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import InjectedToolCallId, ToolException
from langchain_core.tools import tool as lc_tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import InjectedState, ToolRuntime
from langgraph.types import Command, interrupt
from langsmith.utils import tracing_is_enabled

from sayso.adapters.langgraph import LangGraphAdapter
from sayso.adapters.langgraph.middleware import SaysoMiddleware
from sayso.adapters.program import AgentProgram
from sayso.adapters.registry import find_adapter
from sayso.core.cards import ApprovalCard, OptionsCard, UncertainEffectCard
from sayso.core.digest import JsonObject
from sayso.core.errors import ModelUnavailable, NotSupportedError, StateUnreadable
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Cancelled, Completed, Failed, Waiting
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.testing.adapter_contract import Turn
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.context import ToolContext
from sayso.tools.tool import tool
from tests.contract.langgraph_builder import ScriptedModel

ASK_PAY = [Rule(tool="pay", then=Verdict.ASK)]
ran: list[object] = []


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


@lc_tool
def pay(amount: int) -> str:
    """Pay."""
    ran.append(amount)
    return f"paid {amount}"


@lc_tool
async def peek() -> str:
    """Look."""
    return "seen"


def an_agent(*turns: Sequence[tuple[str, JsonObject]], tools: Sequence[Any] = (), **options: Any):
    model = ScriptedModel(
        script=[Turn("", calls) for calls in turns],
        seen=options.pop("seen", None),
        given=options.pop("given", None),
    )
    return create_agent(model, tools=list(tools), name="agent", **options)


def crash_at(boundary: str) -> Callable[[str], None]:
    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    return crash


class NotedState(AgentState[Any]):
    note: str


# ── tools ──


@pytest.mark.parametrize("twice", [False, True], ids=["by the adapter", "and by our middleware"])
async def test_its_own_tools_are_gated_by_name_and_edits_run(twice: bool) -> None:
    calls: list[tuple[str, JsonObject]] = [("pay", {"amount": 5}), ("peek", {})]
    middleware = [SaysoMiddleware()] if twice else []
    graph = an_agent(calls, tools=[pay, peek], middleware=middleware)
    run, program = MemoryRun(), AgentProgram(graph, policy=ASK_PAY)
    assert isinstance(await run.go(program), Waiting)
    (card,) = run.pending
    assert isinstance(card.card, ApprovalCard)
    assert card.card.tool_params == {"amount": 5}
    run.approve("pay", edits={"amount": 4})
    assert isinstance(await run.go(program), Completed)
    assert ran == [4]
    assert "paid 4" in run.said
    assert "A person changed amount from 5 to 4 before it ran." in run.said
    assert "seen" in run.said
    (paid,) = [r for r in run.returns if r.tool_call_id == card.tool_call_id]
    assert paid.arguments == {"amount": 4}


async def test_the_graph_that_was_given_is_not_touched() -> None:
    graph = an_agent([("pay", {"amount": 5})], tools=[pay])
    before = {name: (node, dict(vars(node.bound))) for name, node in graph.nodes.items()}
    run = MemoryRun()
    await run.go(AgentProgram(graph, policy=ASK_PAY))
    assert {name: (node, dict(vars(node.bound))) for name, node in graph.nodes.items()} == before
    assert graph.checkpointer is None
    await graph.ainvoke({"messages": [HumanMessage("go")]})
    assert ran == [5]


async def test_two_runs_at_once_over_one_graph_do_not_see_each_other() -> None:
    @lc_tool
    async def meet(amount: int) -> str:
        """Wait for the other run."""
        ran.append(amount)
        await both.wait()
        return "met"

    both = asyncio.Barrier(2)
    graph = an_agent([("meet", {"amount": 1})], [("pay", {"amount": 1})], tools=[meet, pay])
    asks = AgentProgram(graph, policy=ASK_PAY)
    denies = AgentProgram(graph, policy=[Rule(tool="pay", then=Verdict.DENY)])
    one, two = MemoryRun("one", run_id="r1"), MemoryRun("two", run_id="r2")
    ends = await asyncio.gather(one.go(asks), two.go(denies))
    assert isinstance(ends[0], Waiting)
    assert isinstance(ends[1], Completed)
    assert "denied" in two.said
    assert "Results" not in one.said
    assert len(one.calls) == len(two.calls) == 2
    assert ran == [1, 1]


async def test_the_tools_of_the_application_are_offered_to_the_model() -> None:
    @tool
    def mail(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    given: list[str] = []
    graph = an_agent([("mail", {"to": "Mara"})], tools=[peek], given=given)
    run = MemoryRun()
    await run.go(AgentProgram(graph, tools=[mail]))
    assert set(given) == {"peek", "mail", "request_user_input", "request_user_approval"}
    assert "sent to Mara" in run.said


async def test_one_name_for_two_tools_is_refused() -> None:
    @tool(name="pay")
    def other(amount: int) -> str:
        return "paid"

    run = MemoryRun()
    end = await run.go(AgentProgram(an_agent(tools=[pay]), tools=[other]))
    assert isinstance(end, Failed)
    assert isinstance(end.error, NotSupportedError)


async def test_results_that_speak_seed_1_become_cards() -> None:
    @lc_tool
    def choose() -> JsonObject:
        """Ask by a result."""
        return {"user_input_required": True, "question": "Which?", "options": ["mass", "energy"]}

    run, program = MemoryRun(), AgentProgram(an_agent([("choose", {})], tools=[choose]))
    assert isinstance(await run.go(program), Waiting)
    (card,) = run.pending
    assert isinstance(card.card, OptionsCard)
    run.answer(card, {"selected_option": "mass"})
    await run.go(program)
    assert '"selected_option": "mass"' in run.said


async def test_a_tool_that_raises_tells_the_model_and_middleware_may_try_again() -> None:
    @lc_tool
    def flaky() -> str:
        """Fail once."""
        ran.append("flaky")
        if len(ran) == 1:
            raise ToolException("the line is down")
        return "fine"

    once = MemoryRun()
    await once.go(AgentProgram(an_agent([("flaky", {})], tools=[flaky])))
    assert "the line is down" in once.said
    ran.clear()
    again = MemoryRun()
    middleware = [ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)]
    graph = an_agent([("flaky", {})], tools=[flaky], middleware=middleware)
    await again.go(AgentProgram(graph))
    assert "fine" in again.said
    assert [r.status.value for r in again.returns] == ["failed", "done"]


@pytest.mark.parametrize(("choice", "times"), [("run_again", 2), ("mark_done", 1)])
async def test_middleware_tries_an_unclear_call_again_once_a_person_says_so(
    choice: str, times: int
) -> None:
    @lc_tool
    def flaky() -> str:
        """Fail once, and nobody knows how far it came."""
        ran.append("flaky")
        if len(ran) == 1:
            raise OSError("the line is down")
        return "fine"

    middleware = [ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)]
    program = AgentProgram(an_agent([("flaky", {})], tools=[flaky], middleware=middleware))
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    assert len(ran) == 1
    run.answer(run.pending[0], {"selected_option": choice, "values": {"result": "fine"}})
    assert isinstance(await run.go(program), Completed), run.end
    assert "fine" in run.said
    assert len(ran) == times


async def test_each_try_of_a_gated_call_is_asked_for_and_an_approved_one_runs() -> None:
    @lc_tool
    def flaky(amount: int) -> str:
        """Fail once."""
        ran.append(amount)
        if len(ran) == 1:
            raise ToolException("the line is down")
        return "fine"

    middleware = [ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)]
    graph = an_agent([("flaky", {"amount": 5})], tools=[flaky], middleware=middleware)
    run, program = MemoryRun(), AgentProgram(graph, policy=[Rule(tool="flaky", then=Verdict.ASK)])
    for amount in (4, 3):
        assert isinstance(await run.go(program), Waiting)
        run.approve("flaky", edits={"amount": amount})
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == [4, 3]
    assert "fine" in run.said


async def test_what_middleware_changes_is_what_is_decided_on() -> None:
    class Double(AgentMiddleware[Any, Any, Any]):
        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            args = {"amount": request.tool_call["args"]["amount"] * 2}
            return await handler(request.override(tool_call={**request.tool_call, "args": args}))

    graph = an_agent([("pay", {"amount": 5})], tools=[pay], middleware=[Double()])
    run, program = MemoryRun(), AgentProgram(graph, policy=ASK_PAY)
    await run.go(program)
    (card,) = run.pending
    assert card.card.tool_params == {"amount": 10}  # type: ignore[union-attr]
    run.approve(card)
    await run.go(program)
    assert ran == [10]


async def test_wrong_arguments_reach_no_body_and_no_person() -> None:
    run = MemoryRun()
    graph = an_agent([("pay", {"amount": "much"})], tools=[pay])
    await run.go(AgentProgram(graph, policy=ASK_PAY))
    assert isinstance(run.end, Completed)
    assert "do not fit" in run.said
    assert ran == []


async def test_a_tools_command_changes_the_graph_also_after_a_takeover() -> None:
    class Noted(AgentMiddleware[Any, Any, Any]):
        state_schema = NotedState

    @lc_tool
    def note(text: str, call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Keep a note in the state."""
        ran.append(text)
        return Command(
            update={"note": text, "messages": [ToolMessage("noted", tool_call_id=call_id)]}
        )

    @lc_tool
    def recall(state: Annotated[dict[str, Any], InjectedState]) -> str:
        """Read the note."""
        return f"note: {state['note']}"

    graph = an_agent(
        [("note", {"text": "milk"})],
        [("recall", {})],
        tools=[note, recall],
        middleware=[Noted()],
    )
    run, program = MemoryRun(), AgentProgram(graph)
    run.recorder.crash_at = crash_at("after ended:note")
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None
    end = await run.go(program)
    assert isinstance(end, Completed), end
    assert ran == ["milk"]
    assert "note: milk" in run.said


# ── where it goes on ──


async def test_a_takeover_does_not_ask_the_model_again() -> None:
    seen: list[list[BaseMessage]] = []
    graph = an_agent([("pay", {"amount": 1})], tools=[pay], seen=seen)
    run, program = MemoryRun(), AgentProgram(graph)
    run.recorder.crash_at = crash_at("after started:pay")
    with pytest.raises(Crash):
        await run.go(program)
    assert len(seen) == 1
    run.recorder.crash_at = None
    await run.go(program)
    assert len(seen) == 1
    (card,) = run.pending
    assert isinstance(card.card, UncertainEffectCard)
    run.answer(card, {"selected_option": "run_again"})
    await run.go(program)
    assert len(seen) == 2
    assert ran == [1]


async def test_a_fatal_error_is_no_message_for_the_model() -> None:
    from sayso.core.errors import LeaseLost

    seen: list[list[BaseMessage]] = []
    graph = an_agent([("pay", {"amount": 1})], tools=[pay], seen=seen)
    run = MemoryRun()
    run.recorder.crash_at = crash_at("nowhere")
    run.recorder.lost = True
    with pytest.raises(LeaseLost):
        await run.go(AgentProgram(graph))
    assert len(seen) == 1
    assert ran == []


async def test_memory_carries_on_and_learns_of_what_a_cancelled_run_left_in_the_chat() -> None:
    for checkpointer in (None, InMemorySaver()):
        seen: list[list[BaseMessage]] = []
        program = AgentProgram(an_agent(seen=seen, checkpointer=checkpointer))
        first = MemoryRun("one")
        await first.go(program)
        chat = [
            UniversalMessage(role="user", content="one"),
            UniversalMessage(role="assistant", content=first.said),
            UniversalMessage(role="user", content="cancelled"),
            UniversalMessage(role="assistant", content="half a"),
        ]
        again = MemoryRun("two", run_id="r2", history=chat, agent_state=first.agent_state)
        await again.go(program)
        texts = [m.text for m in seen[-1]]
        assert texts == ["one", "Results: ", "cancelled", "half a", "two"]


async def test_a_memory_does_not_grow_by_checkpoints() -> None:
    graph = an_agent([("peek", {})], tools=[peek])
    program, sizes = AgentProgram(graph), []
    run = MemoryRun("0")
    for n in range(1, 6):
        await run.go(program)
        assert run.agent_state is not None
        sizes.append(len(run.agent_state.blob))
        history = [UniversalMessage(role="user", content=str(k)) for k in range(n)]
        run = MemoryRun(str(n), run_id=f"r{n}", history=history, agent_state=run.agent_state)
    grown = [b - a for a, b in itertools.pairwise(sizes)]
    assert max(grown) - min(grown) < 200  # linear in the messages, nothing else is kept


class KeptSaver(InMemorySaver):
    """Stands for one whose database outlives the process."""


@pytest.mark.parametrize("own", [False, True], ids=["ours", "the graph's"])
async def test_both_checkpointers_go_on(own: bool) -> None:
    saver = KeptSaver() if own else None
    graph = an_agent([("pay", {"amount": 5})], tools=[pay], checkpointer=saver)
    run, program = MemoryRun(), AgentProgram(graph, policy=ASK_PAY)
    await run.go(program)
    run.approve("pay")
    assert isinstance(await run.go(program), Completed)
    assert ran == [5]
    if saver is not None:
        assert set(saver.storage) == {"test/chat-1/agent"}
        assert run.recorder.saved is not None
        assert b"paid" not in run.recorder.saved.blob


class PlainSaver(BaseCheckpointSaver[Any]):
    """A checkpointer of the application's own that has no async methods, as PostgresSaver."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = InMemorySaver()
        self.get_tuple, self.put = self.kept.get_tuple, self.kept.put  # type: ignore[method-assign]
        self.put_writes, self.list = self.kept.put_writes, self.kept.list  # type: ignore[method-assign]
        self.get_next_version = self.kept.get_next_version  # type: ignore[method-assign]


async def test_a_checkpointer_without_async_methods_is_called_in_threads() -> None:
    graph = an_agent([("pay", {"amount": 5})], tools=[pay], checkpointer=PlainSaver())
    run, program = MemoryRun(), AgentProgram(graph, policy=ASK_PAY)
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay")
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == [5]


async def test_a_checkpointer_that_lost_the_run_is_said_to_have_lost_it() -> None:
    run = MemoryRun()

    def program() -> AgentProgram:
        graph = an_agent([("pay", {"amount": 5})], tools=[pay], checkpointer=KeptSaver())
        return AgentProgram(graph, policy=ASK_PAY)

    await run.go(program())
    run.approve("pay")
    end = await run.go(program())
    assert isinstance(end, Failed)
    assert isinstance(end.error, StateUnreadable)
    assert "KeptSaver) has nothing of this run any more" in end.error.detail
    assert "or none" in end.error.fix
    assert ran == []


async def test_a_thread_that_went_on_outside_is_not_resumed() -> None:
    graph = an_agent([("pay", {"amount": 5})], tools=[pay], checkpointer=KeptSaver())
    run, program = MemoryRun(), AgentProgram(graph, policy=ASK_PAY)
    await run.go(program)
    config: Any = {"configurable": {"thread_id": "test/chat-1/agent"}}
    await graph.aupdate_state(config, {"messages": [HumanMessage("else")]})
    run.approve("pay")
    end = await run.go(program)
    assert isinstance(end, Failed)
    assert isinstance(end.error, StateUnreadable)
    assert ran == []


class SlowSaver(InMemorySaver):
    """A graph's own checkpointer that takes its time, as a database does."""

    async def aput(self, *args: Any) -> Any:
        for _ in range(100):
            await asyncio.sleep(0)
        return await super().aput(*args)


async def test_the_checkpoint_is_there_before_a_call_acts() -> None:
    seen: list[list[BaseMessage]] = []
    graph = an_agent([("pay", {"amount": 1})], tools=[pay], checkpointer=SlowSaver(), seen=seen)
    run, program = MemoryRun(), AgentProgram(graph)
    saver = graph.checkpointer
    assert isinstance(saver, InMemorySaver)
    copied: list[Any] = []

    def die(at: str) -> None:
        if at == "after started:pay":  # what the database has at this moment is what is left
            copied.append(pickle.dumps([dict(saver.storage["test/chat-1/agent"][""]), saver.blobs]))
            raise Crash(at)

    run.recorder.crash_at = die
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None
    storage, saver.blobs = pickle.loads(copied[0])
    saver.storage["test/chat-1/agent"][""] = storage
    assert isinstance(await run.go(program), Waiting)
    assert len(seen) == 1


@pytest.mark.parametrize("earlier", [False, True], ids=["the first run", "a later run"])
async def test_a_cancelled_run_leaves_nothing_in_the_way_of_the_graphs_checkpointer(
    earlier: bool,
) -> None:
    entered, leave = threading.Event(), threading.Event()

    @lc_tool
    def wait() -> str:
        """Block."""
        entered.set()
        leave.wait(60)
        return "late"

    seen: list[list[BaseMessage]] = []
    saver = InMemorySaver()
    program = AgentProgram(an_agent([("wait", {})], tools=[wait], checkpointer=saver, seen=seen))
    history: list[UniversalMessage] = []
    memory = None
    if earlier:
        zero = MemoryRun("zero", run_id="r0")
        await zero.go(AgentProgram(an_agent(checkpointer=saver)))
        memory = zero.agent_state
        history.append(UniversalMessage(role="user", content="zero"))
    run = MemoryRun("first", history=list(history), agent_state=memory)
    task = asyncio.create_task(run.go(program))
    await asyncio.to_thread(entered.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    leave.set()
    await program.detached_threads.wait()
    assert [e.state.value for e in run.recorder.effects.values()] == ["done"]
    seen.clear()
    history.append(UniversalMessage(role="user", content="first"))
    after = MemoryRun("second", run_id="r2", history=history, agent_state=memory)
    assert isinstance(await after.go(program), Completed)
    texts = [m.text for m in seen[0]]
    assert texts == (["zero", "Results: "] if earlier else []) + ["first", "second"]


# ── versions and types ──


class Address(BaseModel):
    city: str


class Stranger(BaseModel):
    name: str


class CarryingState(AgentState[Any]):
    address: Address
    other: Any


async def test_a_type_that_no_schema_names_is_never_imported() -> None:
    class Carries(AgentMiddleware[Any, Any, Any]):
        state_schema = CarryingState

        def __init__(self, value: object) -> None:
            super().__init__()
            self.value = value

        async def abefore_model(self, state: Any, runtime: Any) -> Any:
            assert isinstance(state.get("address", Address(city="")), Address)
            return {"address": Address(city="Oslo"), "other": self.value}

    for value, fits in ((Address(city="Rome"), True), (Stranger(name="x"), False)):
        graph = an_agent([("pay", {"amount": 5})], tools=[pay], middleware=[Carries(value)])
        run, program = MemoryRun(), AgentProgram(graph, policy=ASK_PAY)
        end = await run.go(program)
        if fits:
            run.approve("pay")
            assert isinstance(await run.go(program), Completed)
        else:  # already at the pause, before anybody is asked
            assert isinstance(end, Failed)
            assert isinstance(end.error, StateUnreadable)
            assert "Stranger" in end.error.detail


async def test_a_graph_that_lost_the_node_to_go_on_with_says_so() -> None:
    def graph(name: str) -> Any:
        def ask(state: NotedState) -> Any:
            return {"note": interrupt("Go?")}

        builder = StateGraph(NotedState)
        builder.add_node(name, ask)
        builder.add_edge(START, name)
        return builder.compile()

    run = MemoryRun()
    await run.go(AgentProgram(graph("ask")))
    run.answer("Go?", {"additional_notes": "yes"})
    end = await run.go(AgentProgram(graph("question")))
    assert isinstance(end, Failed)
    assert isinstance(end.error, StateUnreadable)
    assert "'ask'" in end.error.detail


@pytest.mark.parametrize("damage", ["format", "checkpoint", "cut"])
async def test_a_state_of_another_version_fails_and_says_so(damage: str) -> None:
    import ormsgpack

    run = MemoryRun()
    program = AgentProgram(an_agent([("pay", {"amount": 5})], tools=[pay]), policy=ASK_PAY)
    await run.go(program)
    run.approve("pay")
    saved = run.recorder.saved
    assert saved is not None
    body = ormsgpack.unpackb(saved.blob)
    if damage == "format":
        body["format"] = 99
    elif damage == "checkpoint":
        inner = ormsgpack.unpackb(body["checkpoints"])
        inner["checkpoints"][0][3] = ["msgpack9", b"\xff"]
        body["checkpoints"] = ormsgpack.packb(inner)
    else:
        body["checkpoints"] = body["checkpoints"][:40]
    run.recorder.saved = replace(saved, blob=ormsgpack.packb(body), version="langgraph 9, format 1")
    end = await run.go(program)
    assert isinstance(end, Failed)
    assert isinstance(end.error, StateUnreadable)
    assert "langgraph 9" in end.error.detail
    assert ran == []


# ── the rest ──


async def test_a_structured_output_is_said_as_json() -> None:
    graph = an_agent([("Address", {"city": "Oslo"})], response_format=Address)
    run = MemoryRun()
    end = await run.go(AgentProgram(graph))
    assert end.output == run.said == '{"city":"Oslo"}'  # type: ignore[union-attr]


async def test_nothing_is_traced_unless_the_user_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("LANGSMITH", "LANGCHAIN"))]:
        monkeypatch.delenv(name)
    traced: list[bool | str] = []

    @lc_tool
    def look() -> str:
        """Look whether anything is traced."""
        traced.append(tracing_is_enabled())
        return "seen"

    await MemoryRun().go(AgentProgram(an_agent([("look", {})], tools=[look])))
    assert traced == [False]


@pytest.mark.parametrize("held", [False, True], ids=["by the policy", "by middleware"])
async def test_a_retry_reaches_its_own_tools_and_still_asks(held: bool) -> None:
    @lc_tool
    def charge(amount: int, runtime: ToolRuntime[Any, Any]) -> str:
        """Charge, with what the application handed over."""
        ran.append(f"{runtime.context['till']} {amount}")
        return "charged"

    middleware = [HumanInTheLoopMiddleware(interrupt_on={"charge": True})] if held else []
    graph = an_agent(tools=[charge], middleware=middleware, context_schema=dict)
    rules = [] if held else [Rule(tool="charge", then=Verdict.ASK)]
    program = AgentProgram(graph, policy=rules, deps={"till": "ada"})
    task = TaskRequest(
        task_id="again",
        task_type="tool_retry",
        messages=[UniversalMessage(role="user", content="Retry")],
        context={"tool_name": "charge", "arguments": {"amount": 5}},
    )
    run = MemoryRun(task=task)
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("charge", edits={"amount": 4})
    assert isinstance(await run.go(program), Completed), run.end
    assert run.said == "charge ran again and succeeded."
    assert ran == ["ada 4"]


async def test_a_tool_of_ours_may_offer_to_stop() -> None:
    @tool(read_only=True)
    async def hesitate(ctx: ToolContext) -> str:
        """Ask whether to stop."""
        await ctx.offer_to_stop("Shall I stop?")
        return "on it goes"

    run, program = MemoryRun(), AgentProgram(an_agent([("hesitate", {})]), tools=[hesitate])
    await run.go(program)
    run.approve("Shall I stop?")
    end = await run.go(program)
    assert isinstance(end, Cancelled)


def test_the_adapter_is_found_by_the_graph() -> None:
    assert isinstance(find_adapter(an_agent()), LangGraphAdapter)


async def test_the_middleware_does_nothing_outside_of_a_run() -> None:
    graph = an_agent([("pay", {"amount": 5})], tools=[pay], middleware=[SaysoMiddleware()])
    await graph.ainvoke({"messages": [HumanMessage("go")]})
    graph.invoke({"messages": [HumanMessage("go")]})
    assert ran == [5, 5]


async def test_an_ai_message_that_no_model_streamed_is_said_once() -> None:
    class Greets(AgentMiddleware[Any, Any, Any]):
        async def abefore_agent(self, state: Any, runtime: Any) -> Any:
            return {"messages": [AIMessage("Hello. ")]}

    run = MemoryRun()
    await run.go(AgentProgram(an_agent([("peek", {})], tools=[peek], middleware=[Greets()])))
    assert run.said.count("Hello. ") == 1


# ── a model that says nothing ──


class Mute(ScriptedModel):
    """Gives the first of its replies empty."""

    asked: int = 0

    def _generate(self, *given: Any, **options: Any) -> Any:
        raise NotImplementedError("it is streamed")

    async def _astream(self, messages: Any, *given: Any, **options: Any) -> Any:
        self.asked += 1
        if self.asked == 1:
            yield ChatGenerationChunk(message=AIMessageChunk(content=""))
            return
        async for chunk in super()._astream(messages, *given, **options):
            yield chunk


async def test_an_empty_reply_is_no_answer_and_is_asked_for_again() -> None:
    program = AgentProgram(create_agent(Mute(script=[Turn("Here I am.")]), name="agent"))
    run = MemoryRun()
    end = await run.go(program)
    assert isinstance(end, Failed)
    assert isinstance(end.error, ModelUnavailable)
    run = MemoryRun()
    assert isinstance(await run.go(program), Completed)
    assert run.said.startswith("Here I")


async def test_nothing_more_to_say_after_a_call_is_no_trouble() -> None:
    class Done(ScriptedModel):
        async def _astream(self, messages: Any, *given: Any, **options: Any) -> Any:
            if isinstance(messages[-1], ToolMessage):
                yield ChatGenerationChunk(message=AIMessageChunk(content=""))
                return
            async for chunk in super()._astream(messages, *given, **options):
                yield chunk

    model = Done(script=[Turn("", [("peek", {})])])
    end = await MemoryRun().go(AgentProgram(create_agent(model, tools=[peek], name="agent")))
    assert isinstance(end, Completed), end
