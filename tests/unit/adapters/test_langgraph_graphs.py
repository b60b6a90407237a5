"""Graphs of every make: by hand, nested as a node or in a function, functional, with a ToolNode."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Annotated, Any

import pytest
from typing_extensions import TypedDict

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, wrap_model_call, wrap_tool_call
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool as lc_tool
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import interrupt

from sayso.adapters.langgraph import langchain_tool
from sayso.adapters.langgraph.middleware import SaysoMiddleware
from sayso.adapters.program import AgentProgram
from sayso.core.cards import ApprovalCard
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Failed, Waiting
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.testing.adapter_contract import Turn
from sayso.testing.recorder import Crash, MemoryRun
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
    ran.append("peek")
    return "seen"


@lc_tool
def act(n: int) -> str:
    """Act."""
    ran.append(f"act {n}")
    return f"acted {n}"


def a_model(*turns: Sequence[tuple[str, JsonObject]], say: str = "") -> ScriptedModel:
    return ScriptedModel(script=[Turn(say, calls) for calls in turns])


def by_hand(model: ScriptedModel, tools: Sequence[Any]) -> Any:
    """A classic graph: a model's node, and one ToolNode that makes all calls of a message."""

    async def call_model(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.bind_tools(tools).ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", call_model)
    builder.add_node("tools", ToolNode(tools, handle_tool_errors=True))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    return builder.compile(name="classic")


async def test_one_node_makes_many_calls_and_the_siblings_of_one_that_waits_run_once() -> None:
    calls: list[tuple[str, JsonObject]] = [
        ("pay", {"amount": 1}),
        ("act", {"n": 7}),
        ("pay", {"amount": 2}),
        ("peek", {}),
    ]
    graph = by_hand(a_model(calls), [pay, act, peek])
    run, program = MemoryRun(), AgentProgram(graph, policy=ASK_PAY)
    assert isinstance(await run.go(program), Waiting)
    assert [it.card.tool_params for it in run.pending] == [{"amount": 1}, {"amount": 2}]  # type: ignore[union-attr]
    assert sorted(map(str, ran)) == ["act 7", "peek"]
    for card in list(run.pending):
        run.approve(card)
    assert isinstance(await run.go(program), Completed)
    assert sorted(map(str, ran)) == ["1", "2", "act 7", "peek"]
    assert run.said == "Results: " + "|".join(
        f'"{r}"' for r in ("paid 1", "acted 7", "paid 2", "seen")
    )
    assert len(run.calls) == len(run.returns) == 4


async def test_a_lost_lease_is_no_tool_message_for_a_node_that_handles_errors() -> None:
    from sayso.core.errors import LeaseLost

    run = MemoryRun()
    run.recorder.lost = True
    with pytest.raises(LeaseLost):
        await run.go(AgentProgram(by_hand(a_model([("act", {"n": 1})]), [act])))
    assert ran == []


async def test_a_graph_by_hand_binds_our_tools_as_its_own() -> None:
    @tool(approval=True)
    def refund(order: int) -> str:
        """Refund."""
        ran.append(order)
        return "refunded"

    graph = by_hand(a_model([("refund", {"order": 3})]), [langchain_tool(refund)])
    run, program = MemoryRun(), AgentProgram(graph, tools=[refund])
    assert isinstance(await run.go(program), Waiting)
    run.approve("refund")
    assert isinstance(await run.go(program), Completed)
    assert ran == [3]
    with pytest.raises(NotSupportedError):
        await langchain_tool(refund).ainvoke({"order": 3})


async def test_an_agent_without_tools_gets_ours() -> None:
    @tool(approval=True)
    def refund(order: int) -> str:
        """Refund."""
        ran.append(order)
        return "refunded"

    graph = create_agent(a_model([("refund", {"order": 3})]))
    run, program = MemoryRun(), AgentProgram(graph, tools=[refund])
    assert isinstance(await run.go(program), Waiting)
    run.approve("refund")
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == [3]
    assert "tools" not in graph.nodes


async def test_an_agent_with_nowhere_to_run_our_tools_says_so() -> None:
    class After(AgentMiddleware[Any, Any, Any]):
        async def aafter_model(self, state: Any, runtime: Any) -> None:
            return None

    run = MemoryRun()
    end = await run.go(AgentProgram(create_agent(a_model(), middleware=[After()]), tools=[_noop]))
    assert isinstance(end, Failed)
    assert "SaysoMiddleware" in str(end.error.fix)
    graph = create_agent(a_model([("noop", {})]), middleware=[After(), SaysoMiddleware()])
    assert isinstance(await MemoryRun().go(AgentProgram(graph, tools=[_noop])), Completed)
    assert ran == ["noop"]


@tool(name="noop")
def _noop() -> str:
    ran.append("noop")
    return "done"


# ── nested ──


def nested_as_node() -> Any:
    helper = create_agent(
        a_model([("pay", {"amount": 5})], say="Helping. "), tools=[pay], name="helper"
    )
    builder = StateGraph(MessagesState)
    builder.add_node("helper", helper)
    builder.add_edge(START, "helper")
    return builder.compile(name="parent")


def nested_in_a_tool(kind: str) -> Any:
    middleware = [SaysoMiddleware()]
    helper = create_agent(
        a_model([("pay", {"amount": 5})], say="Helping. "),
        tools=[pay],
        middleware=middleware,
        name="helper",
    )
    request: Any = {"messages": [("user", "please")]}

    @lc_tool
    async def ask_async() -> str:
        """Ask the helper."""
        return str((await helper.ainvoke(request))["messages"][-1].text)

    @lc_tool
    def ask_blocking() -> str:
        """Ask the helper."""
        return str(helper.invoke(request)["messages"][-1].text)

    ask = ask_async if kind == "async" else ask_blocking
    return create_agent(a_model([(ask.name, {})]), tools=[ask], name="parent")


@pytest.mark.parametrize("kind", ["node", "async", "blocking"])
@pytest.mark.parametrize("answer", ["edit", "reject"])
async def test_a_nested_agents_call_is_gated(kind: str, answer: str) -> None:
    def program() -> AgentProgram:
        graph = nested_as_node() if kind == "node" else nested_in_a_tool(kind)
        return AgentProgram(graph, policy=ASK_PAY)

    run = MemoryRun()
    assert isinstance(await run.go(program()), Waiting), run.end
    (card,) = run.pending
    assert isinstance(card.card, ApprovalCard)
    assert card.agent_name == "helper"
    if answer == "edit":
        run.approve(card, edits={"amount": 4})
    else:
        run.reject(card, "too dear")
    assert isinstance(await run.go(program()), Completed), run.end
    assert ran == ([4] if answer == "edit" else [])
    assert ("paid 4" if answer == "edit" else "too dear") in run.said
    assert run.said.count("Helping. ") == 1
    speakers = {
        str(c.metadata.get("agent_name")) for c in run.chunks if "Helping" in str(c.content)
    }
    assert speakers == {"helper"}


async def test_a_nested_agent_that_blocks_the_event_loop_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sayso.adapters.langgraph.tool_calls.LOOP_ANSWERS_SECONDS", 0.1)
    helper: Any = create_agent(
        a_model([("pay", {"amount": 5})]), tools=[pay], middleware=[SaysoMiddleware()]
    )

    @lc_tool
    async def ask() -> str:
        """Ask the helper, blocking."""
        return str(helper.invoke({"messages": [("user", "please")]})["messages"][-1].text)

    run = MemoryRun()
    end = await run.go(AgentProgram(create_agent(a_model([("ask", {})]), tools=[ask])))
    assert isinstance(end, Failed)
    assert isinstance(end.error, NotSupportedError)
    assert "ainvoke" in str(end.error.fix)
    assert ran == []


async def test_a_takeover_in_a_nested_agent_asks_no_model_again() -> None:
    seen: list[Any] = []
    model = ScriptedModel(script=[Turn("", [("act", {"n": 1})])], seen=seen)
    helper = create_agent(model, tools=[act], name="helper")
    builder = StateGraph(MessagesState)
    builder.add_node("helper", helper)
    builder.add_edge(START, "helper")
    run, program = MemoryRun(), AgentProgram(builder.compile())

    def crash(at: str) -> None:
        if at == "after ended:act":
            raise Crash(at)

    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None
    assert isinstance(await run.go(program), Completed)
    assert len(seen) == 2
    assert ran == ["act 1"]


async def test_an_interrupt_of_a_nested_graph() -> None:
    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"It is {interrupt('Where?')}.")]}

    inner = StateGraph(MessagesState)
    inner.add_node("ask", ask)
    inner.add_edge(START, "ask")
    builder = StateGraph(MessagesState)
    builder.add_node("inner", inner.compile())
    builder.add_edge(START, "inner")
    run, program = MemoryRun(), AgentProgram(builder.compile())
    await run.go(program)
    run.answer("Where?", {"additional_notes": "Oslo"})
    await run.go(program)
    assert run.said == "It is Oslo."


async def test_a_node_that_repeats_what_its_agent_said_does_not_double_it() -> None:
    helper: Any = create_agent(
        a_model([("peek", {})], say="Helping. "), tools=[peek], name="helper"
    )

    async def call(state: MessagesState) -> dict[str, Any]:
        ended = await helper.ainvoke({"messages": state["messages"]})
        return {"messages": [AIMessage(ended["messages"][-1].text, name="helper")]}

    builder = StateGraph(MessagesState)
    builder.add_node("call", call)
    builder.add_edge(START, "call")
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(builder.compile())), Completed)
    assert run.said == 'Helping. Results: "seen"'


class NotedMessages(MessagesState):
    note: str


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"messages": [HumanMessage("Read it")]}, ""),
        ({"messages": [HumanMessage("Read it")], "note": "done"}, '{"note":"done"}'),
        ({"messages": [HumanMessage("Done.", name="helper")]}, "Done."),
        ({"messages": [AIMessage("Done."), HumanMessage("Read it")]}, "Done."),
    ],
)
async def test_the_words_of_the_person_are_no_answer(given: Any, said: str) -> None:
    builder = StateGraph(NotedMessages)
    builder.add_node("work", lambda _: given)
    builder.add_edge(START, "work")
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(builder.compile())), Completed)
    assert run.said == said


async def test_agents_that_speak_at_once_are_heard_one_after_the_other() -> None:
    def agent(name: str) -> Any:
        script = [Turn(f"{name} {name} {name} ", [])]
        return create_agent(ScriptedModel(script=script), name=name)

    builder = StateGraph(MessagesState)
    for name in ("left", "right"):
        builder.add_node(name, agent(name))
        builder.add_edge(START, name)
    run = MemoryRun()
    await run.go(AgentProgram(builder.compile()))
    whole = sorted(["left left left Results: ", "right right right Results: "])
    assert run.said in ("".join(whole), "".join(reversed(whole)))
    speakers = [chunk.metadata["agent_name"] for chunk in run.chunks]
    assert set(speakers) == {"left", "right"}
    assert len([1 for one, two in itertools.pairwise(speakers) if one != two]) == 1


# ── calls that nobody can hold ──


@pytest.mark.parametrize("verdict", [Verdict.ASK, Verdict.DENY, Verdict.ALLOW])
@pytest.mark.parametrize("swallows", [False, True])
async def test_a_call_by_hand_runs_only_where_the_policy_allows_it(
    verdict: Verdict, swallows: bool
) -> None:
    async def node(state: MessagesState) -> dict[str, Any]:
        try:
            said = await pay.ainvoke({"amount": 9})
        except Exception:
            if not swallows:
                raise
            said = "swallowed"
        return {"messages": [AIMessage(said)]}

    builder = StateGraph(MessagesState)
    builder.add_node("by_hand", node)
    builder.add_edge(START, "by_hand")
    run = MemoryRun()
    end = await run.go(AgentProgram(builder.compile(), policy=[Rule(tool="pay", then=verdict)]))
    if verdict is Verdict.ALLOW:
        assert isinstance(end, Completed)
        assert ran == [9]
    else:
        assert isinstance(end, Failed)
        assert isinstance(end.error, NotSupportedError)
        assert "by_hand" in end.error.detail
        assert ran == []


# ── state that is no chat ──


class Report(TypedDict, total=False):
    pages: int
    topic: str
    text: str


async def test_a_graph_without_messages_takes_the_context_and_the_words() -> None:
    def write(state: Report) -> Report:
        return {"text": f"{state['pages']} pages on {state['topic']}"}

    builder = StateGraph(Report)
    builder.add_node("write", write)
    builder.add_edge(START, "write")
    said = UniversalMessage(role="user", content="steel")
    task_ = TaskRequest(task_id="t", messages=[said], context={"pages": 3, "else": 1})
    run = MemoryRun(task=task_)
    await run.go(AgentProgram(builder.compile()))
    assert run.said == '{"pages":3,"topic":"steel","text":"3 pages on steel"}'


async def test_a_chat_under_another_name_is_found() -> None:
    class Talk(TypedDict):
        talk: Annotated[list[AnyMessage], add_messages]

    def node(state: Talk) -> Any:
        return {"talk": [AIMessage(f"You said {state['talk'][-1].text}.")]}

    builder = StateGraph(Talk)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    run = MemoryRun("hello")
    end = await run.go(AgentProgram(builder.compile()))
    assert run.said == "You said hello."
    assert isinstance(end, Completed)
    assert end.output == run.said


async def test_a_functional_graph() -> None:
    @task
    async def draft(topic: str) -> str:
        ran.append(topic)
        return f"a text on {topic}"

    @entrypoint()
    async def write(topic: str) -> str:
        text = await draft(topic)
        return f"{text}, {interrupt('Good?')}"

    run, program = MemoryRun("steel"), AgentProgram(write)
    assert isinstance(await run.go(program), Waiting), run.end
    run.answer("Good?", {"additional_notes": "approved"})
    assert isinstance(await run.go(program), Completed), run.end
    assert run.said == "a text on steel, approved"
    assert ran == ["steel"]


async def test_a_functional_graph_that_returns_a_message_says_its_text() -> None:
    @entrypoint()
    async def greet(words: str) -> AIMessage:
        return AIMessage(f"You said {words}.")

    run = MemoryRun("hello")
    end = await run.go(AgentProgram(greet))
    assert run.said == "You said hello."
    assert isinstance(end, Completed)
    assert end.output == run.said


async def test_a_graph_gives_what_its_output_schema_names() -> None:
    class Question(TypedDict):
        question: str

    class Answer(TypedDict):
        answer: str

    class Whole(Question, Answer):
        source: str

    def look_up(state: Question) -> Any:
        return {"source": "a secret place", "answer": f"{state['question']}: yes"}

    builder = StateGraph(Whole, input_schema=Question, output_schema=Answer)
    builder.add_node("look_up", look_up)
    builder.add_edge(START, "look_up")
    run = MemoryRun("paid?")
    await run.go(AgentProgram(builder.compile()))
    assert run.said == '{"answer":"paid?: yes"}'


async def test_a_log_of_texts_is_no_chat() -> None:
    class Mail(TypedDict):
        mail: str
        messages: list[str] | None

    builder = StateGraph(Mail)
    builder.add_node("read", lambda state: {"messages": [f"read: {state['mail']}"]})
    builder.add_edge(START, "read")
    run = MemoryRun("hello")
    await run.go(AgentProgram(builder.compile()))
    assert run.said == '{"mail":"hello","messages":["read: hello"]}'


async def test_the_tasks_context_is_the_graphs_context() -> None:
    class Context(TypedDict):
        region: str

    from langgraph.runtime import Runtime

    async def node(state: MessagesState, runtime: Runtime[Context]) -> dict[str, Any]:
        return {"messages": [AIMessage(f"In {runtime.context['region']}.")]}

    builder = StateGraph(MessagesState, context_schema=Context)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    said = UniversalMessage(role="user", content="where")
    task_ = TaskRequest(task_id="t", messages=[said], context={"region": "Europe"})
    run = MemoryRun(task=task_)
    await run.go(AgentProgram(builder.compile()))
    assert run.said == "In Europe."


@pytest.mark.parametrize("way", ["a tool", "a tool in a thread", "a node"])
async def test_an_agent_that_a_function_calls_waits_unchanged(way: str) -> None:
    """As LangChain's own documentation calls subagents."""
    paid: list[int] = []

    @lc_tool
    def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return f"paid {amount}"

    payer = create_agent(
        ScriptedModel(script=[Turn("", [("pay", {"amount": 7})])]), tools=[pay], name="payer"
    )
    asked: Any = {"messages": [HumanMessage("go")]}

    @lc_tool
    async def delegate() -> str:
        """Let another agent do it."""
        return str((await payer.ainvoke(asked))["messages"][-1].text)

    @lc_tool("delegate")
    def delegate_in_thread() -> str:
        """Let another agent do it."""
        return str(payer.invoke(asked)["messages"][-1].text)

    async def node(state: MessagesState) -> Any:
        return {"messages": (await payer.ainvoke(asked))["messages"][-1:]}

    lead = ScriptedModel(script=[Turn("", [("delegate", {})])])
    graph: Any = create_agent(lead, tools=[delegate], name="lead")
    if way == "a tool in a thread":
        graph = create_agent(lead, tools=[delegate_in_thread], name="lead")
    elif way == "a node":
        builder = StateGraph(MessagesState)
        builder.add_node("pays", node)
        builder.add_edge(START, "pays")
        graph = builder.compile(name="lead")
    run, program = MemoryRun(), AgentProgram(graph, policy=[Rule(tool="pay", then=Verdict.ASK)])
    assert isinstance(await run.go(program), Waiting), run.end
    [card] = run.pending
    assert card.agent_name == "payer"
    assert paid == []
    run.approve(card)
    assert isinstance(await run.go(program), Completed), run.end
    assert paid == [7]
    # Outside of Sayso it is as it was.
    assert "paid 7" in (await payer.ainvoke(asked))["messages"][-1].text
    assert paid == [7, 7]


async def test_middleware_without_async_methods_that_catches_everything_ends_no_question() -> None:
    """As LangChain's own documentation handles the errors of tools."""
    paid: list[int] = []

    @lc_tool
    def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return f"paid {amount}"

    @wrap_model_call
    def same_model(request: Any, handler: Any) -> Any:
        return handler(request)

    @wrap_tool_call
    def handle_tool_errors(request: Any, handler: Any) -> Any:
        try:
            return handler(request)
        except Exception as exc:
            return ToolMessage(f"Tool error: {exc}", tool_call_id=request.tool_call["id"])

    graph = create_agent(
        ScriptedModel(script=[Turn("so ", [("pay", {"amount": 7})])]),
        tools=[pay],
        middleware=[same_model, handle_tool_errors],
        name="desk",
    )
    run, program = MemoryRun(), AgentProgram(graph, policy=[Rule(tool="pay", then=Verdict.ASK)])
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay")
    assert isinstance(await run.go(program), Completed), run.end
    assert paid == [7]
    assert run.said == 'so Results: "paid 7"'
