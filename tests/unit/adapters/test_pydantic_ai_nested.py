"""Agents of Pydantic AI that a tool of another runs: gated, waiting, going on where they were."""

from __future__ import annotations

import asyncio
import importlib
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Any

import pytest
from pydantic import BaseModel

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from sayso import tool
from sayso.adapters.findings import FindingKind
from sayso.adapters.program import AgentProgram
from sayso.core.errors import NotSupportedError, ReplayDiverged, ToolMissing
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.contract.case import crashed
from sayso.testing.recorder import MemoryRun

ASKS = [Rule(tool="pay", then=Verdict.ASK)]
Calls = Sequence[tuple[str, dict[str, Any]]]


class Desk:
    """What the models and tools of one test have done."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        self.asked: Counter[str] = Counter()
        self.seen: list[list[ModelMessage]] = []

    def agent(self, name: str, *turns: Calls, **options: Any) -> Agent[None, Any]:
        """Its model makes these calls turn by turn, then tells the results it got."""

        def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.asked[name] += 1
            self.seen.append(list(messages))
            turn = sum(isinstance(m, ModelResponse) for m in messages)
            if turn < len(turns):
                made = enumerate(turns[turn])
                return ModelResponse(
                    [ToolCallPart(n, a, tool_call_id=f"c{i}") for i, (n, a) in made]
                )
            parts = [p for m in messages if isinstance(m, ModelRequest) for p in m.parts]
            found = [p.model_response_str() for p in parts if isinstance(p, ToolReturnPart)]
            text = "|".join(found) or "nothing"
            if info.output_tools:
                return ModelResponse([ToolCallPart(info.output_tools[0].name, {"text": text})])
            return ModelResponse([TextPart(text)])

        async def streamed(messages: list[ModelMessage], info: AgentInfo) -> Any:
            for part in reply(messages, info).parts:
                if isinstance(part, TextPart):
                    yield part.content
                elif isinstance(part, ToolCallPart):
                    yield {0: _delta(part)}

        return Agent(FunctionModel(reply, stream_function=streamed), name=name, **options)

    def payer(
        self, name: str, *amounts: int, first: Sequence[Calls] = (), **options: Any
    ) -> Agent[None, Any]:
        """An agent that makes the first calls, then pays these amounts, one after the other."""
        pays = [[("pay", {"amount": n})] for n in amounts]
        agent = self.agent(name, *first, *pays, **options)

        @agent.tool_plain
        async def pay(amount: int) -> str:
            """Pay."""
            self.paid.append(amount)
            return f"paid {amount}"

        return agent

    def lead(self, body: Callable[[], Any]) -> AgentProgram:
        """An agent that calls one tool with this body."""
        agent = self.agent("lead", [("delegate", {})])
        agent.tool_plain(name="delegate")(body)
        return AgentProgram(agent, policy=ASKS)


def _delta(part: ToolCallPart) -> Any:
    from pydantic_ai.models.function import DeltaToolCall

    return DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)


async def answered(run: MemoryRun, program: Callable[[], AgentProgram]) -> MemoryRun:
    """Approve whatever it asks, until it asks no more."""
    while isinstance(run.end, Waiting):
        for card in run.pending:
            run.approve(card.call_key)
        await run.go(program())
    return run


async def test_one_call_after_the_other_and_no_model_is_asked_twice() -> None:
    desk, run = Desk(), MemoryRun()
    inner = desk.payer("payer", 1, 2)

    async def body() -> str:
        return str((await inner.run("pay")).output)

    await run.go(desk.lead(body))
    assert [card.agent_name for card in run.pending] == ["payer"]
    await answered(run, lambda: desk.lead(body))
    assert isinstance(run.end, Completed), run.end
    assert run.said == "paid 1|paid 2"
    assert desk.paid == [1, 2]
    assert desk.asked == {"lead": 2, "payer": 3}


async def _gathered(*work: Awaitable[Any]) -> list[str]:
    return [str(found.output) for found in await asyncio.gather(*work)]


async def _swallowed(*work: Awaitable[Any]) -> list[str]:
    found = await asyncio.gather(*work, return_exceptions=True)
    return [str(getattr(one, "output", "lost")) for one in found]


@pytest.mark.parametrize("together", [_gathered, _swallowed])
async def test_agents_beside_each_other(together: Callable[..., Awaitable[list[str]]]) -> None:
    desk, run = Desk(), MemoryRun()
    one, two = desk.payer("one", 1), desk.payer("two", 2, first=[[("read", {})]])

    @two.tool_plain
    async def read() -> str:
        """Read on while the other one waits already."""
        for _ in range(500):
            await asyncio.sleep(0)
        desk.paid.append(0)
        return "read"

    async def body() -> str:
        return " and ".join(await together(one.run("go"), two.run("go")))

    await run.go(desk.lead(body))
    assert {card.agent_name for card in run.pending} == {"one", "two"}
    await answered(run, lambda: desk.lead(body))
    assert run.said == "paid 1 and read|paid 2"
    assert sorted(desk.paid) == [0, 1, 2]


async def test_an_agent_in_a_task_group() -> None:
    desk, run = Desk(), MemoryRun()
    inner = desk.payer("payer", 1)

    async def body() -> str:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(inner.run("pay"))
        return str(task.result().output)

    await run.go(desk.lead(body))
    await answered(run, lambda: desk.lead(body))
    assert run.said == "paid 1"
    assert desk.paid == [1]


async def test_agents_of_one_name_keep_their_own_words_in_whatever_order_they_begin() -> None:
    desk, run, turn = Desk(), MemoryRun(), count()
    agents = {"one": desk.payer("payer", 1), "two": desk.payer("payer", 2)}

    async def body() -> str:
        order = ["one", "two"] if next(turn) % 2 else ["two", "one"]
        found = await _gathered(*(agents[name].run(name) for name in order))
        return " and ".join(sorted(found))

    await run.go(desk.lead(body))
    await answered(run, lambda: desk.lead(body))
    assert run.said == "paid 1 and paid 2"
    assert sorted(desk.paid) == [1, 2]


async def test_a_body_that_asks_its_agent_something_else_than_before_ends_the_run() -> None:
    desk, run, now = Desk(), MemoryRun(), count()
    inner = desk.payer("payer", 1)

    async def body() -> str:
        try:
            return str((await inner.run(f"It is {next(now)} o'clock: pay")).output)
        except Exception as exc:
            return f"never mind {exc}"

    await run.go(desk.lead(body))
    run.approve("pay")
    end = await run.go(desk.lead(body))
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ReplayDiverged)
    assert "'payer'" in end.error.detail
    assert desk.paid == []


async def test_what_a_tool_returned_before_reaches_the_model_as_it_was() -> None:
    desk, run = Desk(), MemoryRun()
    inner = desk.agent("payer", [("look", {})], [("pay", {"amount": 1})])
    picture = BinaryContent(b"\x89PNG", media_type="image/png")

    @inner.tool_plain
    async def look() -> BinaryContent:
        """Look."""
        return picture

    @inner.tool_plain
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    async def body() -> str:
        return str((await inner.run("pay")).output)

    await run.go(desk.lead(body))
    await answered(run, lambda: desk.lead(body))
    parts = [p for m in desk.seen[-2] if isinstance(m, ModelRequest) for p in m.parts]
    looked = next(p for p in parts if isinstance(p, ToolReturnPart) and p.tool_name == "look")
    assert isinstance(looked.content, BinaryContent)
    assert looked.content.data == picture.data


class Note(BaseModel):
    text: str


@pytest.mark.parametrize("how", ["run", "run_stream", "iter"])
async def test_every_way_to_run_an_agent_with_a_shape_for_its_answer(how: str) -> None:
    desk, run = Desk(), MemoryRun()
    inner = desk.payer("payer", 1, output_type=Note, instructions="Pay.")

    async def body() -> str:
        if how == "run":
            return str((await inner.run("pay")).output.text)
        if how == "run_stream":
            async with inner.run_stream("pay") as reply:
                return str((await reply.get_output()).text)
        async with inner.iter("pay") as steps:
            async for _ in steps:
                pass
        assert steps.result is not None
        return str(steps.result.output.text)

    await run.go(desk.lead(body))
    assert len(run.pending) == 1
    await answered(run, lambda: desk.lead(body))
    assert run.said == "paid 1"
    assert desk.asked["payer"] == 2


async def test_an_agent_in_an_agent_in_a_tool_of_sayso() -> None:
    desk, run = Desk(), MemoryRun()
    deepest = desk.payer("deepest", 1)
    middle = desk.agent("middle", [("further", {})])

    @middle.tool_plain
    async def further() -> str:
        """Hand it on."""
        return str((await deepest.run("pay")).output)

    @tool
    async def delegate() -> str:
        """Hand it on."""
        return str((await middle.run("pay")).output)

    def program() -> AgentProgram:
        return AgentProgram(desk.agent("lead", [("delegate", {})]), tools=[delegate], policy=ASKS)

    await run.go(program())
    await answered(run, program)
    assert run.said == "paid 1"
    assert desk.asked == {"lead": 2, "middle": 2, "deepest": 2}


async def test_a_takeover_in_a_nested_agent_asks_no_model_again() -> None:
    desk, run = Desk(), MemoryRun()
    inner = desk.payer("payer", 1)

    async def body() -> str:
        return str((await inner.run("pay")).output)

    await run.go(desk.lead(body))
    run.approve("pay")
    await crashed(run, desk.lead(body), "after ended:pay")
    await run.go(desk.lead(body))
    (card,) = run.pending  # the tool around it may have done something of its own
    run.answer(card, {"selected_option": "run_again"})
    await run.go(desk.lead(body))
    assert run.said == "paid 1"
    assert desk.paid == [1]
    assert desk.asked == {"lead": 2, "payer": 2}


async def test_a_tool_of_a_nested_agent_that_is_gone_while_its_call_waits() -> None:
    desk, run = Desk(), MemoryRun()
    inner, without = desk.payer("payer", 1), desk.agent("payer")
    gone = [inner, without]

    async def body() -> str:
        return str((await gone.pop(0).run("pay")).output)

    await run.go(desk.lead(body))
    run.approve("pay")
    end = await run.go(desk.lead(body))
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ToolMissing)


@pytest.mark.parametrize("where", ["thread", "output"])
@pytest.mark.parametrize("gated", [True, False])
async def test_where_nobody_can_be_asked_only_what_is_allowed_runs(where: str, gated: bool) -> None:
    desk, run = Desk(), MemoryRun()
    inner = desk.payer("payer", 1)

    def in_a_thread() -> str:
        return str(asyncio.run(inner.run("pay")).output)

    async def at_the_end(text: str) -> str:
        return str((await inner.run("pay")).output)

    outer = desk.agent("lead", [("delegate", {})])
    if where == "output":
        outer = desk.agent("lead", output_type=at_the_end)
    outer.tool_plain(name="delegate")(in_a_thread)
    end = await run.go(AgentProgram(outer, policy=ASKS if gated else []))
    if not gated:
        assert run.said == "paid 1"
        return
    assert isinstance(end, Failed), end
    assert isinstance(end.error, NotSupportedError)
    assert "'pay'" in end.error.detail
    assert "async def" in (end.error.fix or "")
    assert desk.paid == []


async def test_outside_of_sayso_an_agent_is_as_it_was() -> None:
    desk = Desk()
    assert (await desk.payer("payer", 1).run("pay")).output == "paid 1"


async def test_an_agent_that_nothing_could_see_is_stopped_before_its_model_is_asked() -> None:
    desk, run = Desk(), MemoryRun()
    hidden = iter([desk.payer("payer", 1)])

    async def body() -> str:
        return str((await next(hidden).run("pay")).output)

    end = await run.go(desk.lead(body))
    assert isinstance(end, Failed), end
    assert isinstance(end.error, NotSupportedError)
    assert "Make that agent outside" in (end.error.fix or "")
    assert desk.asked == {"lead": 1}
    assert desk.paid == []


async def test_an_agent_without_tools_that_nothing_could_see_runs() -> None:
    """The framework runs such ones itself, to describe a picture; there is nothing to hold."""
    desk, run = Desk(), MemoryRun()
    hidden = iter([desk.agent("describer")])

    async def body() -> str:
        return str((await next(hidden).run("describe")).output)

    assert isinstance(await run.go(desk.lead(body)), Completed), run.end
    assert desk.asked == {"lead": 2, "describer": 1}


def test_an_agent_that_is_made_in_the_body_of_a_tool_is_refused_at_start() -> None:
    async def body() -> str:
        return str((await Agent("test").run("pay")).output)

    [found] = [f for f in Desk().lead(body).findings() if f.kind is FindingKind.REFUSED]
    assert "makes an agent each time it runs" in found.text


def test_no_part_of_the_framework_is_changed() -> None:
    before = dict(vars(Agent))
    import sayso.adapters.pydantic_ai as adapter

    importlib.reload(adapter.nested_agents)
    assert dict(vars(Agent)) == before
    assert Agent.iter.__module__.startswith("pydantic_ai.")
