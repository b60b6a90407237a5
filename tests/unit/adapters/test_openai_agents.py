"""What the contract does not say of OpenAI Agents: where its traces go, and what a guardrail judges
while a card is open."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed")

from agents import (
    Agent,
    FunctionToolResult,
    GuardrailFunctionOutput,
    ModelResponse,
    RunContextWrapper,
    ToolsToFinalOutputResult,
    function_tool,
    handoff,
    input_guardrail,
    output_guardrail,
    set_trace_processors,
)
from agents.mcp import MCPServer
from agents.tracing.processors import (
    BatchTraceProcessor,
    ConsoleSpanExporter,
    default_processor,
)
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as McpTool
from pydantic import BaseModel, JsonValue

from sayso.adapters.openai_agents.run import is_traced_elsewhere
from sayso.adapters.program import AgentProgram
from sayso.core.errors import ModelUnavailable, NotSupportedError
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.adapter_contract import Turn
from sayso.testing.recorder import MemoryRun
from sayso.tools.tool import tool
from tests.contract.openai_agents_builder import ScriptedModel, scripted


@pytest.fixture(autouse=True)
def processors() -> Iterator[None]:
    yield
    set_trace_processors([default_processor()])


def test_nothing_is_traced_to_openai_unasked() -> None:
    assert not is_traced_elsewhere()


def test_an_application_says_where_traces_go() -> None:
    set_trace_processors([BatchTraceProcessor(ConsoleSpanExporter())])
    assert is_traced_elsewhere()


def test_an_agent_of_a_sandbox_is_refused() -> None:
    sandbox = pytest.importorskip("agents.sandbox", reason="this version has none")
    agent = sandbox.SandboxAgent(name="coder", instructions="code")
    with pytest.raises(NotSupportedError, match="'coder' cannot be served: it is a SandboxAgent"):
        AgentProgram(agent).checked()


# ── guardrails, while a card is open ──

Context = RunContextWrapper[Any]


def judged(*, right: bool) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=not right)


@tool(approval=True)
def refund(order: int) -> str:
    """Pay it back."""
    return f"refunded {order}"


def guarded(gated: Any = refund, **options: Any) -> AgentProgram:
    agent = scripted("agent", [Turn("so ", [("refund", {"order": 7})])], **options)
    return AgentProgram(agent, tools=[gated])


@pytest.mark.parametrize("is_liked", [True, False])
@pytest.mark.parametrize("behavior", ["run_llm_again", "stop_on_first_tool"])
async def test_an_output_guardrail_judges_the_answer_and_not_the_pause(
    behavior: str, is_liked: bool
) -> None:
    heard: list[str] = []

    @output_guardrail
    async def tells_of_the_refund(
        context: Context, agent: Agent[Any], output: Any
    ) -> GuardrailFunctionOutput:
        heard.append(str(output))
        return judged(right="refunded" in str(output) and is_liked)

    program = guarded(output_guardrails=[tells_of_the_refund], tool_use_behavior=behavior)
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    run.approve("refund")
    if is_liked:
        assert isinstance(await run.go(program), Completed)
    else:
        end = await run.go(program)
        assert isinstance(end, Failed)
        assert "'tells_of_the_refund' stopped" in end.error.detail
    assert "refunded" in heard[-1]


async def test_an_input_guardrail_stops_a_turn_that_has_asked_already() -> None:
    asked = asyncio.Event()

    def asks(arguments: Mapping[str, JsonValue]) -> bool:
        asked.set()
        return True

    @tool(approval=asks, name="refund")
    def gated(order: int) -> str:
        """Pay it back."""
        raise AssertionError("nobody allowed it")

    @input_guardrail
    async def is_slow_to_refuse(
        context: Context, agent: Agent[Any], given: Any
    ) -> GuardrailFunctionOutput:
        await asked.wait()
        return judged(right=False)

    run = MemoryRun()
    end = await run.go(guarded(gated, input_guardrails=[is_slow_to_refuse]))
    assert isinstance(end, Failed)
    assert "'is_slow_to_refuse' stopped" in end.error.detail
    assert run.pending == []


# ── how a run ends ──


class Weather(BaseModel):
    city: str
    wind: int


@function_tool
def forecast(city: str) -> Weather:
    """Say what comes."""
    return Weather(city=city, wind=3)


@function_tool(needs_approval=True)
def warn(city: str) -> Weather:
    """Warn everybody."""
    return Weather(city=city, wind=12)


async def test_what_decides_on_the_answer_gets_what_the_tools_returned() -> None:
    def decide(
        context: RunContextWrapper[Any], results: list[FunctionToolResult]
    ) -> ToolsToFinalOutputResult:
        weather: Weather = results[0].output
        return ToolsToFinalOutputResult(
            is_final_output=weather.wind > 10, final_output=f"Storm in {weather.city}"
        )

    script = [Turn("", [("forecast", {"city": "Oslo"})]), Turn("", [("warn", {"city": "Oslo"})])]
    agent = scripted("agent", script, forecast, warn, tool_use_behavior=decide)
    run, program = MemoryRun(), AgentProgram(agent)
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("warn")
    assert isinstance(await run.go(program), Completed), run.end
    assert run.said.endswith("Storm in Oslo")


@dataclass
class Flight:
    log: list[str] = field(default_factory=list)


@function_tool(needs_approval=True)
def read_log(context: RunContextWrapper[Flight]) -> str:
    """Read the log."""
    return f"it has {len(context.context.log)} lines"


async def test_a_handoff_that_is_played_again_changes_the_context_once() -> None:
    def note(context: RunContextWrapper[Flight]) -> None:
        context.context.log.append("handed over")

    script = [Turn("", [("transfer_to_clerk", {})]), Turn("", [("read_log", {})])]
    clerk = scripted("clerk", script, read_log)
    desk = scripted("desk", script, handoffs=[handoff(clerk, on_handoff=note)])
    run, program = MemoryRun(), AgentProgram(desk, deps=lambda context: Flight())
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("read_log")
    assert isinstance(await run.go(program), Completed), run.end
    assert "it has 1 lines" in run.said


@function_tool
def seat(number: str, beside: Weather | None = None, how: str = "now") -> str:
    """Change a seat."""
    return f"{number} {beside} {how}"


async def test_a_model_may_leave_out_what_the_function_may_go_without() -> None:
    """A strict schema names it as required, which only OpenAI's own models hold to."""
    agent = scripted("agent", [Turn("", [("seat", {"number": "A1"})])], seat)
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent)), Completed), run.end
    assert "A1 None now" in run.said


class Away(ScriptedModel):
    """A model that is away for a while."""

    times = 1

    async def get_response(self, *given: Any, **options: Any) -> ModelResponse:
        if self.times:
            self.times -= 1
            raise ModelUnavailable("away")
        return await super().get_response(*given, **options)


async def test_the_model_of_an_agent_within_a_call_is_away_for_a_while() -> None:
    payer = scripted("payer", [Turn("", [("warn", {"city": "Oslo"})])], warn)
    payer.model = Away([Turn("", [("warn", {"city": "Oslo"})])])
    script = [Turn("", [("payer", {"input": "7"})])]
    run, program = MemoryRun(), AgentProgram(scripted("desk", script, payer.as_tool("payer", "")))
    end = await run.go(program)
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ModelUnavailable)
    assert not run.returns, "the call is still to end"
    run.recorder.saved = end.saved
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("warn")
    assert isinstance(await run.go(program), Completed), run.end


async def test_what_a_call_beside_it_did_is_kept_while_the_model_of_an_agent_is_away() -> None:
    """The run is over when that call comes to its end, but it has acted, and never acts again."""
    is_away, wired = asyncio.Event(), list[int]()

    class Telling(Away):
        async def get_response(self, *given: Any, **options: Any) -> ModelResponse:
            is_away.set()
            return await super().get_response(*given, **options)

    @function_tool
    async def wire(amount: int) -> str:
        """Wire money."""
        await is_away.wait()
        for _ in range(200):  # the framework tells of it in its own time
            await asyncio.sleep(0)
        wired.append(amount)
        return "wired"

    payer = scripted("payer", [])
    payer.model = Telling([])
    script = [Turn("", [("payer", {"input": "7"}), ("wire", {"amount": 5})])]
    desk = scripted("desk", script, payer.as_tool("payer", ""), wire)
    run, program = MemoryRun(), AgentProgram(desk)
    end = await run.go(program)
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ModelUnavailable)
    assert len(run.returns) == 1
    run.recorder.saved = end.saved
    assert isinstance(await run.go(program), Completed), run.end
    assert wired == [5]


async def test_an_answer_that_is_no_object_is_said_once() -> None:
    agent = scripted("agent", [], output_type=list[str], last='{"response":["red","blue"]}')
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent)), Completed), run.end
    assert run.said == '{"response":["red","blue"]}'


class Shop(MCPServer):
    """A server of one tool, which notes its connections."""

    def __init__(self) -> None:
        super().__init__()
        self.session: object = None
        self.seen = list[str]()

    @property
    def name(self) -> str:
        return "shop"

    async def connect(self) -> None:
        self.session = self
        self.seen.append("connected")

    async def cleanup(self) -> None:
        self.session = None
        self.seen.append("let go")

    async def list_tools(self, *_: Any) -> list[Any]:
        assert self.session is not None
        return [McpTool.model_validate({"name": "sell", "inputSchema": {"type": "object"}})]

    async def call_tool(self, *_: Any, **__: Any) -> CallToolResult:
        assert self.session is not None
        return CallToolResult(content=[TextContent(type="text", text="sold")])

    async def list_prompts(self) -> Any: ...

    async def get_prompt(self, *_: Any) -> Any: ...


def shop_agent() -> tuple[Shop, AgentProgram]:
    shop = Shop()
    agent = scripted("agent", [Turn("", [("sell", {})])], mcp_servers=[shop])
    return shop, AgentProgram(agent, policy=[Rule(tool="sell", then=Verdict.ASK)])


async def test_an_mcp_server_is_connected_while_a_run_needs_it() -> None:
    shop, program = shop_agent()
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting), run.end
    assert shop.seen == ["connected", "let go"]
    run.approve("sell")
    assert isinstance(await run.go(program), Completed), run.end
    assert "sold" in run.said
    assert shop.seen == ["connected", "let go"] * 2


async def test_an_mcp_server_that_the_application_connected_stays_so() -> None:
    shop, program = shop_agent()
    await shop.connect()
    assert isinstance(await MemoryRun().go(program), Waiting)
    assert shop.seen == ["connected"]
