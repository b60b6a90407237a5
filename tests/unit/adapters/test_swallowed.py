"""What a framework turns into text before Sayso sees it counts as raised: a body that acted and was
left by an exception is one effect and one question, and its model hears nothing before."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import BaseModel

from sayso.adapters.program import AgentProgram
from sayso.core.cards import UncertainEffectCard
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Waiting
from sayso.testing.adapter_contract import Turn
from sayso.testing.contract.tools import deeds, did, use_ledger
from sayso.testing.recorder import MemoryRun

ASK = [Rule(tool="pay", then=Verdict.ASK)]
SCRIPT = [Turn("", [("pay", {"order": 1})])]


@pytest.fixture(autouse=True)
def _ledger(tmp_path: Path) -> None:
    use_ledger(tmp_path / "ledger")


class Whole(BaseModel):
    order: int


async def pay(order: int) -> str:
    """Pay for an order."""
    did(f"pay {order}")
    raise OSError("reset by peer")


async def pay_badly(order: int) -> str:
    """Pay for an order, and fail to read the answer."""
    did(f"pay {order}")
    return Whole.model_validate({"order": "what?"}).model_dump_json()


async def ended(agent: object, *, refuses: bool = False) -> MemoryRun:
    """The run after a person has let the call run."""
    program, run = AgentProgram(agent, policy=ASK, name="agent"), MemoryRun()
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay")
    await run.go(program)
    return run


async def is_one_question(agent: object) -> None:
    run = await ended(agent)
    assert isinstance(run.end, Waiting), (run.end, run.said)
    (it,) = run.pending
    assert isinstance(it.card, UncertainEffectCard)
    assert run.said == ""
    assert deeds() == ["pay 1"]
    assert [effect.state.value for effect in run.recorder.effects.values()] == ["uncertain"]


async def has_failed(agent: object, state: str = "failed") -> None:
    run = await ended(agent)
    assert isinstance(run.end, Completed), run.end
    assert [effect.state.value for effect in run.recorder.effects.values()] == [state]


# ── LangGraph ──


def langgraph_agent(body: Any, *, node: dict[str, Any] | None = None, **tool: Any) -> object:
    pytest.importorskip("langgraph")
    from langchain_core.messages import AIMessage
    from langchain_core.tools import StructuredTool
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    def model(state: dict[str, Any]) -> dict[str, Any]:
        last = state["messages"][-1]
        if last.type == "tool":
            return {"messages": [AIMessage(f"heard {last.text}")]}
        call = {"name": "pay", "args": {"order": 1}, "id": "c1"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    how = {"func": body} if not asyncio.iscoroutinefunction(body) else {"coroutine": body}
    own = StructuredTool.from_function(name="pay", **how, **tool)
    graph = StateGraph(MessagesState)
    graph.add_node("agent", cast(Any, model))
    graph.add_node("tools", ToolNode([own], **(node or {})))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    return graph.compile()


def pay_plainly(order: int) -> str:
    """Pay for an order, in a thread."""
    did(f"pay {order}")
    raise OSError("reset by peer")


@pytest.mark.parametrize("body", [pay, pay_plainly, pay_badly])
async def test_langgraphs_handle_tool_errors(body: Any) -> None:
    await is_one_question(langgraph_agent(body, node={"handle_tool_errors": True}))


async def test_langchains_handle_validation_error() -> None:
    await is_one_question(langgraph_agent(pay_badly, handle_validation_error=True))


@pytest.mark.parametrize(
    ("tool", "node"), [({"handle_tool_error": True}, {}), ({}, {"handle_tool_errors": True})]
)
async def test_a_tool_exception_is_the_tools_own_word(
    tool: dict[str, Any], node: dict[str, Any]
) -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.tools import ToolException

    async def pay(order: int) -> str:
        """Pay."""
        raise ToolException("The card was declined.")

    await has_failed(langgraph_agent(pay, node=node, **tool))


async def test_a_langgraph_call_that_nobody_approved_tells_what_its_node_made_of_it() -> None:
    graph = langgraph_agent(pay, node={"handle_tool_errors": "It went wrong."})
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(graph)), Completed)
    assert run.said.endswith("It went wrong.")
    assert [effect.state.value for effect in run.recorder.effects.values()] == ["uncertain"]


# ── AutoGen ──


def autogen_agent(body: Any, workbench: type[Any] | None = None) -> object:
    pytest.importorskip("autogen_agentchat")
    from autogen_agentchat.agents import AssistantAgent
    from autogen_core.tools import FunctionTool, StaticWorkbench

    from tests.contract.autogen_builder import ScriptedClient

    tool = FunctionTool(body, description="Pay.", name="pay")
    made = (workbench or StaticWorkbench)([tool])
    return AssistantAgent("agent", ScriptedClient(SCRIPT), workbench=[made])


async def test_autogens_workbench() -> None:
    pytest.importorskip("autogen_agentchat")
    from autogen_core.tools import StaticWorkbench

    class Counting(StaticWorkbench):
        """A workbench of somebody's own, which keeps something."""

        calls = 0

        async def call_tool(self, *args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            return await super().call_tool(*args, **kwargs)

    kept: list[Any] = []

    class Kept(Counting):
        def __init__(self, tools: Any) -> None:
            super().__init__(tools)
            kept.append(self)

    await is_one_question(autogen_agent(pay, Kept))
    assert kept[0].calls == 1, "what it keeps is its own"


@pytest.mark.parametrize("body", [pay, pay_badly])
async def test_autogens_plain_tools(body: Any) -> None:
    await is_one_question(autogen_agent(body))


# ── AG2 ──


def ag2_agent(body: Any, *middleware: Any) -> object:
    pytest.importorskip("ag2")
    from ag2 import tool

    from tests.contract.ag2_builder import scripted

    return scripted("agent", SCRIPT, tool(body, name="pay", middleware=middleware))


@pytest.mark.parametrize("body", [pay, pay_plainly, pay_badly])
async def test_ag2s_error_event(body: Any) -> None:
    await is_one_question(ag2_agent(body))


async def test_ag2s_middleware_that_makes_a_result_of_an_error() -> None:
    pytest.importorskip("ag2")
    from ag2.events import ToolErrorEvent, ToolResult, ToolResultEvent

    async def calm(call_next: Any, event: Any, context: Any) -> Any:
        came = await call_next(event, context)
        if isinstance(came, ToolErrorEvent):
            return ToolResultEvent.from_call(event, result=ToolResult("All is well."))
        return came

    await is_one_question(ag2_agent(pay, calm))


async def test_arguments_that_ag2_refuses_are_no_question() -> None:
    pytest.importorskip("ag2")

    async def pay(order: Whole) -> str:
        """Pay."""
        did("pay")
        return "paid"

    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(ag2_agent(pay), policy=ASK)), Completed)
    assert deeds() == []
    assert not run.interactions, "nobody is asked about what cannot run"


# ── ADK ──


def adk_agent(body: Any, **options: Any) -> object:
    pytest.importorskip("google.adk")
    from google.adk.tools.function_tool import FunctionTool

    from tests.contract.adk_builder import scripted_agent

    tool = FunctionTool(body)
    tool.name = "pay"
    return scripted_agent(SCRIPT, tools=[tool], **options)


@pytest.mark.parametrize("body", [pay, pay_plainly, pay_badly])
async def test_adks_error_callbacks(body: Any) -> None:
    def calm(**_: object) -> dict[str, object]:
        return {"result": "All is well."}

    body = _named(body)
    await is_one_question(adk_agent(body, on_tool_error_callback=calm))


async def test_arguments_that_adk_refuses_are_no_question() -> None:
    async def pay(order: int, amount: float) -> str:
        """Pay."""
        did("pay")
        return "paid"

    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(adk_agent(pay), policy=ASK)), Completed)
    assert not run.interactions, "nobody is asked about what cannot run"
    assert deeds() == []


async def test_an_mcp_error_through_adk_is_the_tools_own_word() -> None:
    async def pay(order: int) -> dict[str, object]:
        """Pay."""
        return {"isError": True, "content": [{"type": "text", "text": "declined"}]}

    await has_failed(adk_agent(pay))


def _named(body: Any) -> Any:
    if body.__name__ == "pay":
        return body
    if asyncio.iscoroutinefunction(body):

        async def pay(order: int) -> str:
            return str(await body(order))

        return pay

    def pay_in_thread(order: int) -> str:
        return str(body(order))

    pay_in_thread.__name__ = "pay"
    return pay_in_thread


# ── Pydantic AI ──


def pydantic_agent(body: Any, **tool: Any) -> object:
    pytest.importorskip("pydantic_ai")
    from tests.contract.pydantic_ai_builder import scripted_agent

    agent = scripted_agent(SCRIPT)
    agent.tool_plain(name="pay", **tool)(body)
    return agent


@pytest.mark.parametrize("body", [pay, pay_plainly, pay_badly])
async def test_pydantic_ais_tools(body: Any) -> None:
    await is_one_question(pydantic_agent(body))


async def test_pydantic_ais_time_limit() -> None:
    async def pay(order: int) -> str:
        did(f"pay {order}")
        await asyncio.Event().wait()
        return "never"

    await is_one_question(pydantic_agent(pay, timeout=0.05))


async def test_a_model_retry_is_the_tools_own_word() -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import ModelRetry

    tries: list[int] = []

    async def pay(order: int) -> str:
        tries.append(order)
        if len(tries) == 1:
            raise ModelRetry("Not this order.")
        return "paid"

    run = await ended(pydantic_agent(pay))
    assert [effect.state.value for effect in run.recorder.effects.values()][:1] == ["failed"]
    assert not any(isinstance(it.card, UncertainEffectCard) for it in run.pending)
