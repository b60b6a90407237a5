"""What the contract does not say of Microsoft Agent Framework."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed")

from agent_framework import (
    Agent,
    AgentContext,
    AgentResponse,
    AgentSession,
    ChatContext,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    ContextProvider,
    FunctionInvocationContext,
    FunctionTool,
    Message,
    MiddlewareTermination,
    ResponseStream,
    SessionContext,
    ToolApprovalMiddleware,
    agent_middleware,
    chat_middleware,
    tool,
)
from pydantic import JsonValue

from sayso.adapters.agent_framework import AgentFrameworkAdapter
from sayso.adapters.findings import AppSide, FindingKind
from sayso.adapters.native import given_by_person
from sayso.adapters.program import AgentProgram
from sayso.core.cards import ApprovalCard
from sayso.core.errors import ModelUnavailable
from sayso.core.events import ReasoningShown
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.adapter_contract import Turn
from sayso.testing.recorder import MemoryRun
from tests.contract.agent_framework_builder import ScriptedClient, scripted

adapter = AgentFrameworkAdapter()
APP = AppSide(agent_name="desk")


@tool(approval_mode="always_require")
def pay(amount: float) -> str:
    """Pay."""
    return f"paid {amount}"


def kinds(agent: object, app: AppSide = APP) -> list[FindingKind]:
    return [found.kind for found in adapter.check(agent, app)]


def test_tools_of_agents_within_tools_are_known() -> None:
    payer = scripted("payer", [], pay)

    async def by_hand(order: int) -> str:
        return (await payer.run(str(order))).text

    traits = adapter.own_tools(scripted("desk", [], payer.as_tool(), by_hand))
    assert set(traits) == {"payer", "by_hand", "pay"}
    assert traits["pay"].approval is True
    assert traits["payer"].read_only
    assert not traits["by_hand"].read_only


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"type": "web_search"}, FindingKind.CAVEAT),
        ({"type": "mcp", "server_url": "https://shop.invalid"}, FindingKind.REFUSED),
        ({"type": "shell"}, FindingKind.REFUSED),
    ],
)
def test_what_the_provider_runs(given: dict[str, str], kind: FindingKind) -> None:
    inner = scripted("inner", [], given)
    assert kinds(scripted("desk", [], inner.as_tool())) == [kind]


def test_two_tools_of_one_name_are_refused() -> None:
    from sayso.testing.contract.tools import refund

    own = FunctionTool(name="refund", func=pay.func)
    app = AppSide(agent_name="desk", tools=[refund])
    assert kinds(scripted("desk", [], own), app) == [FindingKind.REFUSED]


def test_what_tools_are_given_has_names() -> None:
    assert kinds(scripted("desk", []), AppSide(agent_name="desk", deps=object())) == [
        FindingKind.REFUSED
    ]
    assert not kinds(scripted("desk", []), AppSide(agent_name="desk", deps={"shop": object()}))


def test_a_client_of_its_own_kind_is_refused() -> None:
    class Client:
        additional_properties: dict[str, object] = {}  # noqa: RUF012  # of the protocol

        def get_response(self, *given: object, **options: object) -> object: ...

    assert kinds(Agent(Client(), name="desk")) == [FindingKind.REFUSED]  # type: ignore[arg-type]


def test_the_agents_own_objects_are_as_they_were() -> None:
    client = ScriptedClient([])
    agent = Agent(client, name="desk", tools=[pay])
    adapter.check(agent, APP)
    assert vars(pay).get("invoke") is None
    assert pay.approval_mode == "always_require"
    assert "get_response" not in vars(client)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ({"tool_response": {"user_input": {"additional_notes": "Europe"}}}, "Europe"),
        ({"tool_response": {"user_input": {"values": {"n": 1}, "additional_notes": "x"}}}, None),
        ({"status": "dismissed"}, None),
    ],
)
def test_what_a_person_gives_for_a_tool_without_a_body(answer: JsonValue, given: object) -> None:
    found = given_by_person(answer)
    assert given is None or found == given
    assert found


# ── runs ──

PAYS = [Turn("I pay. ", [("pay", {"amount": 7})])]


class Away(ScriptedClient):
    """A model that is away for a while."""

    def __init__(self, script: Any, times: int) -> None:
        super().__init__(script)
        self.times = [None] * times

    def _inner_get_response(self, **given: Any) -> Any:
        if self.times:
            self.times.pop()
            raise ModelUnavailable("away")
        return super()._inner_get_response(**given)


async def test_the_model_of_an_agent_within_a_call_is_away_for_a_while() -> None:
    payer = Agent(Away(PAYS, 1), name="payer", tools=[pay])
    desk = scripted("desk", [Turn("", [("payer", {"task": "7"})])], payer.as_tool())
    run, program = MemoryRun(), AgentProgram(desk)
    end = await run.go(program)
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ModelUnavailable)
    assert not run.returns, "the call is still to end"
    run.recorder.saved = end.saved
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay")
    assert isinstance(await run.go(program), Completed), run.end
    assert "paid 7.0" in run.said


async def test_an_agent_that_is_run_in_a_thread_is_refused() -> None:
    payer = scripted("payer", PAYS, pay)

    def let_pay() -> str:
        return asyncio.run(_text_of(payer))

    async def _text_of(agent: Any) -> str:
        return str((await agent.run("7")).text)

    end = await MemoryRun().go(
        AgentProgram(scripted("desk", [Turn("", [("let_pay", {})])], let_pay))
    )
    assert isinstance(end, Failed), end
    assert "in a thread" in end.error.detail


async def test_a_middleware_hears_what_a_tool_raised() -> None:
    def broken() -> str:
        """Break."""
        raise TimeoutError("too slow")

    async def mends(context: FunctionInvocationContext, call_next: Any) -> None:
        try:
            await call_next()
        except TimeoutError:
            context.result = "mended"

    desk = scripted("desk", [Turn("", [("broken", {})])], broken, middleware=[mends])
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(desk)), Completed), run.end
    assert "mended" in run.said
    assert [returned.status.value for returned in run.returns] == ["uncertain"]


async def test_what_a_middleware_changes_is_what_a_person_sees() -> None:
    async def doubles(context: FunctionInvocationContext, call_next: Any) -> None:
        context.arguments = {"amount": 2 * context.arguments["amount"]}  # type: ignore[index]
        await call_next()

    run, program = MemoryRun(), AgentProgram(scripted("desk", PAYS, pay, middleware=[doubles]))
    assert isinstance(await run.go(program), Waiting), run.end
    [asked] = run.pending
    assert isinstance(asked.card, ApprovalCard)
    assert asked.card.tool_params == {"amount": 14.0}
    run.approve("pay", edits={"amount": 3.0})
    assert isinstance(await run.go(program), Completed), run.end
    assert "paid 3.0" in run.said


@agent_middleware
async def answers_itself(context: AgentContext, call_next: Any) -> None:
    context.result = AgentResponse(messages=[Message("assistant", ["Not here."])])
    raise MiddlewareTermination(result=context.result)


@chat_middleware
async def answers_for_the_model(context: ChatContext, call_next: Any) -> None:
    context.result = ChatResponse(messages=[Message("assistant", ["Not here."])])
    raise MiddlewareTermination


@pytest.mark.parametrize("middleware", [answers_itself, answers_for_the_model])
async def test_a_middleware_may_answer_whole_where_a_stream_is_wanted(middleware: Any) -> None:
    run, desk = MemoryRun(), scripted("desk", PAYS, pay, middleware=[middleware])
    assert isinstance(await run.go(AgentProgram(desk)), Completed), run.end
    assert run.said == "Not here."
    assert not run.returns


async def test_a_picture_reaches_the_model_also_after_a_restart() -> None:
    def draw() -> Content:
        """Draw."""
        return Content.from_uri("https://pictures.invalid/1.png", media_type="image/png")

    seen: list[list[str]] = []

    class Looks(ScriptedClient):
        def _inner_get_response(self, *, messages: Any, **given: Any) -> Any:
            contents = [one for message in messages for one in message.contents]
            results = [one for one in contents if one.type == "function_result"]
            seen.append([item.type for one in results for item in one.items or ()])
            return super()._inner_get_response(messages=messages, **given)

    script = [Turn("", [("draw", {}), ("pay", {"amount": 7})])]
    run, program = MemoryRun(), AgentProgram(Agent(Looks(script), name="desk", tools=[draw, pay]))
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay")
    assert isinstance(await run.go(program), Completed), run.end
    assert seen == [[], ["uri", "text"]]


async def test_a_tool_that_another_one_adds_is_held_too() -> None:
    def open_till(ctx: FunctionInvocationContext) -> str:
        """Open the till."""
        assert ctx.tools is not None
        ctx.tools.append(pay)
        return "open"

    script = [Turn("", [("open_till", {})]), *PAYS]
    run = MemoryRun()
    end = await run.go(AgentProgram(scripted("desk", script, open_till)))
    assert isinstance(end, Waiting), end
    assert [it.card.model_dump()["tool_name"] for it in run.pending] == ["pay"]


def results(run: MemoryRun) -> list[JsonValue]:
    return [it.result for it in run.returns]


@tool
def charge(amount: float) -> str:
    """Charge."""
    return f"charged {amount}"


def open_the_till(ctx: FunctionInvocationContext) -> str:
    """Open the till."""
    ctx.add_tools([pay, charge])
    ctx.remove_tools("peep")
    return "open"


def peep() -> str:
    """Look."""
    return "seen"


@pytest.mark.filterwarnings("ignore:.*PROGRESSIVE_TOOLS")
async def test_tools_that_another_one_added_are_there_after_a_restart() -> None:
    script = [Turn("", [("open_the_till", {})]), *PAYS, Turn("", [("charge", {"amount": 8})])]
    script.append(Turn("", [("open_the_till", {})]))  # again: a tool is added once
    desk = scripted("desk", script, open_the_till, peep)
    run, program = MemoryRun(), AgentProgram(desk)
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay")
    assert isinstance(await run.go(program), Completed), run.end
    assert results(run) == ["open", "paid 7.0", "charged 8.0", "open"]


async def test_what_the_tools_of_a_provider_keep_is_there_after_a_restart() -> None:
    class Notes(ContextProvider):
        async def before_run(
            self, *, session: AgentSession, context: SessionContext, **more: Any
        ) -> None:
            def note(words: str) -> str:
                """Keep some words."""
                session.state.setdefault("notes", {})[words] = True
                return ", ".join(session.state["notes"])

            context.extend_tools(self.source_id, [FunctionTool(name="note", func=note)])

    script = [
        Turn("", [("note", {"words": "hall"})]),
        *PAYS,
        Turn("", [("note", {"words": "tea"})]),
    ]
    desk = scripted("desk", script, pay)
    desk.context_providers = [Notes("notes")]
    run, program = MemoryRun(), AgentProgram(desk)
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay")
    assert isinstance(await run.go(program), Completed), run.end
    assert results(run)[-1] == "hall, tea"


async def test_a_rule_of_the_agents_own_approval_middleware_allows_a_call() -> None:
    async def is_small(call: Content) -> bool:
        return float((call.parse_arguments() or {"amount": 70})["amount"] or 0) < 10

    script = [*PAYS, Turn("", [("pay", {"amount": 70})])]
    desk = scripted("desk", script, pay)
    desk.middleware = [ToolApprovalMiddleware(auto_approval_rules=[is_small])]
    run, program = MemoryRun(), AgentProgram(desk)
    assert isinstance(await run.go(program), Waiting), run.end
    assert results(run) == ["paid 7.0"]
    run.approve("pay")
    assert isinstance(await run.go(program), Completed), run.end
    assert results(run) == ["paid 7.0", "paid 70.0"]


async def test_thoughts_and_tokens_are_told() -> None:
    class Thinks(ScriptedClient):
        def _inner_get_response(self, **given: Any) -> Any:
            async def pieces() -> AsyncIterator[ChatResponseUpdate]:
                thought = Content.from_text_reasoning(text="hm")
                used = Content.from_usage({"input_token_count": 3, "output_token_count": 2})
                words = Content.from_text("Yes.")
                yield ChatResponseUpdate(role="assistant", contents=[thought, words, used])

            return ResponseStream(pieces(), finalizer=ChatResponse.from_updates)

    run = MemoryRun()
    program = AgentProgram(Agent(Thinks([]), name="desk"), shows_reasoning=True)
    assert isinstance(await run.go(program), Completed), run.end
    assert run.said == "Yes."
    [call] = run.recorder.model_calls
    assert (call.input_tokens, call.output_tokens) == (3, 2)
    assert [e.text for e in run.recorder.events if isinstance(e, ReasoningShown)] == ["hm"]


async def test_two_chats_of_one_agent_never_meet() -> None:
    program = AgentProgram(scripted("desk", PAYS, pay))
    one, other = MemoryRun("one"), MemoryRun("other", run_id="run-2")
    assert isinstance(await one.go(program), Waiting)
    assert isinstance(await other.go(program), Waiting)
    other.reject("pay", "not mine")
    assert isinstance(await other.go(program), Completed), other.end
    one.approve("pay")
    assert isinstance(await one.go(program), Completed), one.end
    assert "paid 7.0" in one.said
    assert "not mine" in other.said
