"""What only Pydantic AI has: its own tools, its own deferrals, its memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, CallDeferred, ModelRetry, RunContext, ToolReturn
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from sayso.adapters.program import AgentProgram
from sayso.core.cards import ApprovalCard, OptionsCard
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Waiting
from sayso.core.tasks import UniversalMessage
from sayso.testing.recorder import MemoryRun

Calls = Sequence[tuple[str, dict[str, Any]]]


def model(*turns: Calls, seen: list[list[ModelMessage]] | None = None) -> FunctionModel:
    """Makes these calls turn by turn, then tells the results it got."""

    async def reply(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        if seen is not None:
            seen.append(list(messages))
        last = max(
            place
            for place, m in enumerate(messages)
            if any(isinstance(part, UserPromptPart) for part in m.parts)
        )
        turn = sum(isinstance(m, ModelResponse) for m in messages[last:])
        if turn < len(turns):
            yield {
                n: DeltaToolCall(name, json.dumps(args), tool_call_id=f"c{n}")
                for n, (name, args) in enumerate(turns[turn])
            }
            return
        found = [p for m in messages[last:] for p in m.parts if isinstance(p, ToolReturnPart)]
        yield "|".join(p.model_response_str() for p in found) or "nothing"

    return FunctionModel(stream_function=reply)


def an_agent(*turns: Calls, **options: Any) -> Agent[None, Any]:
    return Agent(model(*turns, seen=options.pop("seen", None)), name="agent", **options)


async def test_its_own_tools_are_gated_by_name_and_edits_run() -> None:
    agent, ran = an_agent([("pay", {"amount": 5}), ("peek", {})]), []

    @agent.tool_plain
    def pay(amount: int) -> str:
        ran.append(amount)
        return f"paid {amount}"

    @agent.tool
    def peek(ctx: RunContext[None]) -> str:
        return "seen"

    program = AgentProgram(agent, policy=[Rule(tool="pay", then=Verdict.ASK)])
    run = MemoryRun()
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
    assert [r.arguments for r in run.returns] == [{}, {"amount": 4}]


@pytest.mark.parametrize("how", ["requires_approval", "raises", "external", "question"])
async def test_its_own_deferrals_become_cards(how: str) -> None:
    agent, ran = an_agent([("act", {"n": 1})]), []

    @agent.tool(requires_approval=how == "requires_approval")
    def act(ctx: RunContext[None], n: int) -> str:
        if how == "question":
            raise CallDeferred(kind="question", metadata={"question": "Which region?"})
        if how == "external":
            raise CallDeferred
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        ran.append(n)
        return "acted"

    run, program = MemoryRun(), AgentProgram(agent)
    assert isinstance(await run.go(program), Waiting)
    (card,) = run.pending
    if how in ("requires_approval", "raises"):
        assert isinstance(card.card, ApprovalCard)
        run.approve(card)
        assert isinstance(await run.go(program), Completed)
        assert ran == [1]
        assert run.said == "acted"
    else:
        assert isinstance(card.card, OptionsCard)
        assert how == "external" or card.title == "Which region?"
        run.answer(card, {"additional_notes": "Europe"})
        assert isinstance(await run.go(program), Completed)
        assert "Europe" in run.said


async def test_a_retry_that_its_tool_asks_for_reaches_the_model() -> None:
    agent = an_agent([("find", {"name": "x"})], [("find", {"name": "y"})])

    @agent.tool_plain
    def find(name: str) -> str:
        if name == "x":
            raise ModelRetry("try y")
        return "found y"

    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent)), Completed)
    assert "try y" in run.said
    assert "found y" in run.said


async def test_a_value_that_is_more_than_json_reaches_the_model() -> None:
    seen: list[list[ModelMessage]] = []
    agent = an_agent([("look", {})], seen=seen)

    @agent.tool_plain
    def look() -> ToolReturn:
        return ToolReturn(return_value="a cat", metadata={"w": 1})

    run = MemoryRun()
    await run.go(AgentProgram(agent))
    assert "a cat" in run.said
    assert [r.result for r in run.returns] == ["a cat"]
    (part,) = seen[-1][-1].parts
    assert isinstance(part, ToolReturnPart)
    assert part.metadata == {"w": 1}


async def test_a_structured_output_is_said_as_json() -> None:
    class Place(BaseModel):
        city: str

    agent = an_agent([("final_result", {"city": "Oslo"})], output_type=Place)
    run = MemoryRun()
    end = await run.go(AgentProgram(agent))
    assert end.output == run.said == '{"city":"Oslo"}'  # type: ignore[union-attr]


async def test_memory_carries_on_and_learns_of_what_a_cancelled_run_left_in_the_chat() -> None:
    seen: list[list[ModelMessage]] = []
    program = AgentProgram(an_agent(seen=seen))
    first = MemoryRun("one")
    await first.go(program)
    chat = [
        UniversalMessage(role="user", content="one"),
        UniversalMessage(role="assistant", content="nothing"),
        UniversalMessage(role="user", content="cancelled"),
        UniversalMessage(role="assistant", content="half a"),
    ]
    again = MemoryRun("two", run_id="r2", history=chat, agent_state=first.agent_state)
    await again.go(program)
    assert prompts(seen[-1]) == ["one", "cancelled", "two"]


async def test_a_history_from_the_chat_keeps_the_system_prompt() -> None:
    seen: list[list[ModelMessage]] = []
    program = AgentProgram(an_agent(seen=seen, system_prompt="Be kind."))
    run = MemoryRun("two", history=[UniversalMessage(role="user", content="one")])
    await run.go(program)
    assert prompts(seen[-1]) == ["one", "two"]
    assert "Be kind." in [
        part.content for m in seen[-1] for part in m.parts if isinstance(part, SystemPromptPart)
    ]


async def test_a_takeover_does_not_ask_the_model_again() -> None:
    seen: list[list[ModelMessage]] = []
    agent, ran = an_agent([("act", {})], seen=seen), []

    @agent.tool_plain
    def act() -> str:
        ran.append(1)
        return "acted"

    run, program = MemoryRun(), AgentProgram(agent)
    run.recorder.crash_at = crash_once("after started:act")
    with pytest.raises(BaseException, match="after started"):
        await run.go(program)
    assert len(seen) == 1
    run.recorder.crash_at = None
    await run.go(program)
    assert len(seen) == 1
    run.answer(run.pending[0], {"selected_option": "run_again"})
    await run.go(program)
    assert len(seen) == 2
    assert ran == [1]


async def test_the_reasons_reach_the_model_as_tool_results() -> None:
    seen: list[list[ModelMessage]] = []
    agent = an_agent([("pay", {})], seen=seen)

    @agent.tool_plain(requires_approval=True)
    def pay() -> str:
        return "paid"

    run, program = MemoryRun(), AgentProgram(agent)
    await run.go(program)
    run.reject("pay", "too dear", "wait")
    await run.go(program)
    (result,) = [
        p
        for m in seen[-1]
        if isinstance(m, ModelRequest)
        for p in m.parts
        if p.part_kind == "tool-return"
    ]
    assert result.content == {
        "status": "rejected",
        "reason": "too dear",
        "suggestions": ["wait"],
    }


def prompts(messages: list[ModelMessage]) -> list[object]:
    return [p.content for m in messages for p in m.parts if isinstance(p, UserPromptPart)]


def crash_once(boundary: str) -> Callable[[str], None]:
    from sayso.testing.recorder import Crash

    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    return crash
