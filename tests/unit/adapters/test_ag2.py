"""What only AG2 has: its own tools and approvals, `ctx.input`, agents behind tools, variables."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Annotated, Any

import pytest

pytest.importorskip("ag2")

from ag2 import Agent, Context, Inject, MemoryStream, TaskConfig, Toolkit, ToolResult, tool
from ag2.config import LLMClient, ModelConfig, ModelProvider
from ag2.events import (
    BaseEvent,
    BinaryInput,
    BinaryType,
    HumanInputRequest,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextInput,
    ToolCallEvent,
    ToolCallsEvent,
    ToolResultsEvent,
    Usage,
)
from ag2.exceptions import HumanInputError
from ag2.middleware import BaseMiddleware, Middleware, approval_required
from ag2.tools.subagents import background_agent_tool, persistent_stream

from sayso.adapters.ag2.native_tool import FRAME
from sayso.adapters.ag2.run import Ag2Run
from sayso.adapters.ag2.segment_turns import Ag2Turns, TurnPlace
from sayso.adapters.program import AgentProgram
from sayso.adapters.registry import find_adapter
from sayso.core.cards import ApprovalCard, OptionsCard
from sayso.core.effects import EffectState
from sayso.core.errors import ModelUnavailable, NotSupportedError, ReplayDiverged, StateUnreadable
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Failed, Waiting
from sayso.core.tasks import UniversalMessage
from sayso.testing.recorder import Crash, MemoryRun

Calls = list[tuple[str, dict[str, Any]]]


class Model(ModelConfig, LLMClient):
    """Gives its replies one by one, by how many are in the history, then tells the last results."""

    provider = ModelProvider.OPENAI  # read by nothing here
    model = "scripted"

    def __init__(self, *replies: str | Calls, seen: list[list[BaseEvent]] | None = None) -> None:
        self.replies = replies
        self.seen: list[list[BaseEvent]] = seen if seen is not None else []
        self.usage = Usage()

    def copy(self) -> Model:
        return self

    def create(self) -> LLMClient:
        return self

    def create_files_client(self) -> Any:
        raise NotImplementedError

    async def __call__(
        self, messages: Sequence[BaseEvent], context: Context, **options: Any
    ) -> ModelResponse:
        self.seen.append(list(messages))
        turn = sum(isinstance(m, ModelResponse) for m in messages)
        reply: str | Calls = self.replies[turn] if turn < len(self.replies) else _told(messages)
        if isinstance(reply, str):
            return ModelResponse(ModelMessage(reply))
        calls = [
            ToolCallEvent(name, id=f"c{n}", arguments=json.dumps(args))
            for n, (name, args) in enumerate(reply)
        ]
        return ModelResponse(tool_calls=ToolCallsEvent(calls), usage=self.usage)


def _told(messages: Sequence[BaseEvent]) -> str:
    results = [m for m in messages if isinstance(m, ToolResultsEvent)]
    if not results:
        return "nothing"
    parts = [part for result in results[-1].results for part in result.result.parts]
    return "|".join(str(getattr(part, "content", getattr(part, "data", part))) for part in parts)


def an_agent(name: str, *replies: str | Calls, **options: Any) -> Agent[Any]:
    return Agent(name, config=Model(*replies, seen=options.pop("seen", None)), **options)


ran: list[str] = []
GATED = [Rule(tool="pay", then=Verdict.ASK)]
PAY: Calls = [("pay", {"amount": 5})]


@tool
def pay(amount: int) -> str:
    """Pay."""
    ran.append(f"pay {amount}")
    return f"paid {amount}"


@tool
async def look() -> dict[str, str]:
    """Look."""
    ran.append("look")
    return {"it": "is there"}


@pytest.fixture(autouse=True)
def _fresh() -> None:
    ran.clear()


async def approved(program: AgentProgram, run: MemoryRun, **parts: object) -> None:
    """One pause at `pay`, its approval, and the end."""
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay", **parts)
    assert isinstance(await run.go(program), Completed), run.end


# ── its own tools ──


@pytest.mark.parametrize("kind", ["tools", "toolkit"])
async def test_its_own_tools_are_gated_by_name_and_edits_run(kind: str) -> None:
    tools: list[Any] = [pay, look] if kind == "tools" else [Toolkit(pay, look)]
    agent = an_agent("a", [*PAY, ("look", {})], tools=tools)
    assert AgentProgram(agent).undeclared_tools == ["look", "pay"]
    program, run = AgentProgram(agent, policy=GATED), MemoryRun()
    await approved(program, run, edits={"amount": 4})
    assert ran == ["look", "pay 4"]
    assert "A person changed amount from 5 to 4 before it ran." in run.said
    assert "is there" in run.said
    assert {r.arguments["amount"] for r in run.returns if r.arguments} == {4}


async def test_a_gated_call_does_not_stop_its_siblings_in_the_middle() -> None:
    """Where one call of a batch raises, AG2 cancels the others: ours must not raise."""
    waiting = asyncio.Event()

    @tool
    async def slow() -> str:
        """Take a while."""
        await waiting.wait()
        ran.append("slow")
        return "done slowly"

    program = AgentProgram(an_agent("a", [*PAY, ("slow", {})], tools=[pay, slow]), policy=GATED)
    run = MemoryRun()
    task = asyncio.create_task(run.go(program))
    while not any(e.tool_name == "slow" for e in run.recorder.attempts):  # noqa: ASYNC110
        await asyncio.sleep(0)
    waiting.set()
    assert isinstance(await task, Waiting)
    assert [e.state.value for e in run.recorder.effects.values()] == ["done"]
    run.approve("pay")
    await run.go(program)
    assert run.said == "paid 5|done slowly"
    assert ran == ["slow", "pay 5"]


async def test_its_own_approval_becomes_the_toolboxs_with_reason_and_edits() -> None:
    @tool(middleware=[approval_required()])
    def wire(amount: int) -> str:
        """Wire."""
        ran.append(f"wire {amount}")
        return "wired"

    program, run = AgentProgram(an_agent("a", [("wire", {"amount": 1})], tools=[wire])), MemoryRun()
    assert isinstance(await run.go(program), Waiting), run.end
    (card,) = run.pending
    assert isinstance(card.card, ApprovalCard)
    assert card.card.tool_params == {"amount": 1}
    run.approve(card, edits={"amount": 2})
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == ["wire 2"]
    rejected = MemoryRun(run_id="r2")
    await rejected.go(program)
    rejected.reject("wire", "too much", "half of it")
    await rejected.go(program)
    assert "too much" in rejected.said
    assert "half of it" in rejected.said
    assert ran == ["wire 2"]


async def test_questions_in_a_tool_are_cards_and_its_body_is_run_again_to_each() -> None:
    @tool
    async def book(ctx: Context) -> str:
        """Book."""
        where = await ctx.input("Where to?")
        when = await ctx.input("When?")
        ran.append(f"book {where} {when}")
        return f"booked {where} {when}"

    program = AgentProgram(an_agent("a", [("book", {}), ("look", {})], tools=[book, look]))
    run = MemoryRun()
    for question, answer in (("Where to?", "Oslo"), ("When?", "May")):
        assert isinstance(await run.go(program), Waiting), run.end
        (card,) = run.pending
        assert isinstance(card.card, OptionsCard)
        run.answer(question, {"additional_notes": answer})
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == ["look", "book Oslo May"]
    assert "booked Oslo May" in run.said


async def test_a_tool_that_goes_on_without_an_answer_cannot_miss_the_question() -> None:
    @tool
    async def book(ctx: Context) -> str:
        """Book."""
        try:
            return await ctx.input("Where to?", timeout=60)
        except (HumanInputError, Exception):
            ran.append("went on")
            return "nowhere"

    program, run = AgentProgram(an_agent("a", [("book", {})], tools=[book])), MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    run.answer("Where to?", {"additional_notes": "Oslo"})
    await run.go(program)
    assert run.said == "Oslo"
    assert ran == []


async def test_what_its_tools_gave_beyond_json_comes_back_after_a_pause() -> None:
    seen: list[list[BaseEvent]] = []

    @tool
    def photo() -> ToolResult:
        """Take a photo."""
        picture = BinaryInput(b"\x89PNG", media_type="image/png", kind=BinaryType.IMAGE)
        return ToolResult(picture, metadata={"w": 1})

    agent = an_agent("a", [*PAY, ("photo", {})], tools=[pay, photo], seen=seen)
    run = MemoryRun()
    await approved(AgentProgram(agent, policy=GATED), run)
    (results,) = [m for m in seen[-1] if isinstance(m, ToolResultsEvent)]
    (picture,) = results.results[1].result.parts
    assert isinstance(picture, BinaryInput)
    assert picture.data == b"\x89PNG"
    assert results.results[1].result.metadata == {"w": 1}


async def test_a_tool_with_the_last_word_still_has_it_after_a_pause() -> None:
    @tool
    def close() -> ToolResult:
        """End the turn."""
        ran.append("close")
        return ToolResult("That is all.", final=True)

    seen: list[list[BaseEvent]] = []
    agent = an_agent("a", [*PAY, ("close", {})], tools=[pay, close], seen=seen)
    run = MemoryRun()
    await approved(AgentProgram(agent, policy=GATED), run)
    assert ran == ["close", "pay 5"]
    assert run.said == "That is all."
    assert len(seen) == 1


async def test_variables_and_enqueued_messages_survive_the_pause_and_the_turn() -> None:
    @tool
    async def note(ctx: Context) -> str:
        """Note."""
        ctx.variables["noted"] = [*ctx.variables.get("noted", ()), "once"]
        ctx.enqueue("by the way")
        return "noted"

    @tool
    async def read(ctx: Context) -> str:
        """Read."""
        return f"{ctx.variables['noted']}"

    seen: list[list[BaseEvent]] = []
    agent = an_agent(
        "a", [*PAY, ("note", {})], "so", [("read", {})], tools=[pay, note, read], seen=seen
    )
    run = MemoryRun("one")
    await approved(AgentProgram(agent, policy=GATED), run)
    assert prompts(seen[-1]) == ["one", "by the way"]
    again = MemoryRun("two", run_id="r2", history=CHAT[:2], agent_state=run.agent_state)
    assert isinstance(await again.go(AgentProgram(agent, policy=GATED)), Completed)
    assert again.said == "['once']"
    assert dict(agent.variables) == {}


async def test_a_takeover_does_not_ask_the_model_again() -> None:
    seen: list[list[BaseEvent]] = []
    program, run = AgentProgram(an_agent("a", PAY, tools=[pay], seen=seen)), MemoryRun()
    run.recorder.crash_at = crash_once("after started:pay")
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None
    await run.go(program)
    assert len(seen) == 1
    run.answer(run.pending[0], {"selected_option": "run_again"})
    await run.go(program)
    assert len(seen) == 2
    assert ran == ["pay 5"]


async def test_a_native_function_in_its_thread_records_its_true_end_when_cancelled() -> None:
    entered, leave = threading.Event(), threading.Event()

    @tool
    def block() -> str:
        """Block."""
        entered.set()
        leave.wait(60)
        return "late"

    program, run = AgentProgram(an_agent("a", [("block", {})], tools=[block])), MemoryRun()
    task = asyncio.create_task(run.go(program))
    await asyncio.to_thread(entered.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    leave.set()
    await program.detached_threads.wait()
    assert [e.state.value for e in run.recorder.effects.values()] == ["done"]


async def test_the_agent_itself_is_never_touched_and_two_runs_do_not_meet() -> None:
    agent = an_agent("a", PAY, tools=[pay])
    tools, middleware = list(agent.tools), list(agent.middleware)
    program = AgentProgram(agent, policy=GATED)
    one, two = MemoryRun("one"), MemoryRun("two", run_id="r2")
    await asyncio.gather(one.go(program), two.go(program))
    one.approve("pay")
    two.reject("pay", "no")
    await asyncio.gather(one.go(program), two.go(program))
    assert "paid 5" in one.said
    assert "rejected" in two.said
    assert ran == ["pay 5"]
    assert (list(agent.tools), list(agent.middleware)) == (tools, middleware)


async def test_a_list_among_the_variables_is_each_runs_own() -> None:
    @tool
    async def mark(ctx: Context) -> str:
        """Mark."""
        ctx.variables["marks"].append("x")
        return str(ctx.variables["marks"])

    agent = an_agent("a", [("mark", {})], tools=[mark], variables={"marks": []})
    for number in range(2):
        run = MemoryRun(run_id=f"r{number}")
        await run.go(AgentProgram(agent))
        assert run.said == "['x']"
    assert agent.variables["marks"] == []


async def test_its_own_middleware_works_on_and_may_ask() -> None:
    class Guard(BaseMiddleware):
        async def on_llm_call(self, call_next: Any, events: Any, context: Context) -> Any:
            answer = await context.input("May the model be asked?")
            ran.append(f"guard {answer}")
            return await call_next(events, context)

    agent = an_agent("a", "hello", middleware=[Middleware(Guard)])
    program, run = AgentProgram(agent), MemoryRun()
    assert isinstance(await run.go(program), Waiting), run.end
    run.answer("May the model be asked?", {"additional_notes": "yes"})
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == ["guard yes"]
    assert run.said == "hello"


async def test_a_class_of_event_that_is_gone_makes_the_state_unreadable() -> None:
    program, run = AgentProgram(an_agent("a", PAY, tools=[pay]), policy=GATED), MemoryRun()
    await run.go(program)
    run.approve("pay")
    assert run.recorder.saved is not None
    blob = run.recorder.saved.blob.replace(b":ToolCallsEvent", b":ToolCallsOfOld")
    object.__setattr__(run.recorder.saved, "blob", blob)
    end = await run.go(program)
    assert isinstance(end, Failed)
    assert isinstance(end.error, StateUnreadable)
    assert ran == []


# ── memory ──


async def test_memory_carries_on_and_learns_of_what_a_cancelled_run_left_in_the_chat() -> None:
    seen: list[list[BaseEvent]] = []
    program = AgentProgram(an_agent("a", "one!", "half a", "two!", seen=seen))
    first = MemoryRun("one")
    await first.go(program)
    again = MemoryRun("two", run_id="r2", history=CHAT, agent_state=first.agent_state)
    await again.go(program)
    assert prompts(seen[-1]) == ["one", "cancelled", "two"]
    assert again.said == "two!"


CHAT = [
    UniversalMessage(role="user", content="one"),
    UniversalMessage(role="assistant", content="one!"),
    UniversalMessage(role="user", content="cancelled"),
    UniversalMessage(role="assistant", content="half a"),
]

# ── agents behind tools ──


async def test_the_gated_call_of_an_agent_behind_a_tool_pauses_and_its_task_is_done_once() -> None:
    seen: list[list[BaseEvent]] = []
    clerk = an_agent("clerk", PAY, "the clerk paid", tools=[pay], seen=seen)
    boss = an_agent(
        "boss",
        [("task_clerk", {"objective": "pay it"}), ("look", {})],
        [("task_clerk", {"objective": "once more"})],
        tools=[clerk.as_tool(description="Pays."), look],
    )
    program, run = AgentProgram(boss, policy=GATED), MemoryRun()
    for edits in ({"amount": 4}, {}):
        assert isinstance(await run.go(program), Waiting), run.end
        assert [type(it.card) for it in run.pending] == [ApprovalCard]
        run.approve("pay", edits=edits)
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == ["look", "pay 4", "pay 5"]
    assert len(seen) == 4
    assert run.said == "the clerk paid"


async def test_what_a_tool_of_an_agent_behind_a_tool_did_to_its_turn_outlives_a_pause() -> None:
    seen: list[list[BaseEvent]] = []

    @tool
    async def note(ctx: Context) -> str:
        """Note."""
        ctx.variables["noted"] = "once"
        ctx.enqueue("by the way")
        return "noted"

    @tool
    async def read(ctx: Context) -> str:
        """Read."""
        return f"{ctx.variables['noted']}"

    first: Calls = [("note", {})]
    second: Calls = [*PAY, ("note", {})]
    clerk = an_agent(
        "clerk", first, second, [("read", {})], "so it is", tools=[pay, note, read], seen=seen
    )
    boss = an_agent(
        "boss", [("task_clerk", {"objective": "pay"})], tools=[clerk.as_tool(description="Pays.")]
    )
    clerk.config.usage = Usage(prompt_tokens=7, total_tokens=7)  # type: ignore[union-attr]
    run = MemoryRun()
    await approved(AgentProgram(boss, policy=GATED), run)
    assert run.said == "so it is"
    assert prompts(seen[-1]) == ["pay", "by the way", "by the way"]
    told = [
        r.result.parts[0] for m in seen[-1] if isinstance(m, ToolResultsEvent) for r in m.results
    ]
    assert [p.content for p in told if isinstance(p, TextInput)] == [
        "noted",
        "paid 5",
        "noted",
        "once",
    ]
    assert len(seen) == 4
    # What its model has spent is in the history once, however often the task has begun again.
    assert run.agent_state is not None
    events = json.loads(run.agent_state.blob)["events"]
    rollups = [e["event"] for e in events if e["type"].endswith(":UsageEvent")]
    assert [rollup["usage"]["data"]["prompt_tokens"] for rollup in rollups] == [21]


async def test_an_agent_behind_a_tool_may_ask_and_remember() -> None:
    seen: list[list[BaseEvent]] = []

    @tool
    async def wonder(ctx: Context) -> str:
        """Wonder."""
        return await ctx.input("Which one?")

    def console(event: HumanInputRequest) -> str:
        raise AssertionError("people are asked by cards")

    clerk = an_agent(
        "clerk",
        [("wonder", {})],
        "first",
        "second",
        tools=[wonder],
        seen=seen,
        hitl_hook=console,
    )
    passed_on = clerk.as_tool(description="Asks.", stream=persistent_stream())
    ask: Calls = [("task_clerk", {"objective": "do it"})]
    program = AgentProgram(an_agent("boss", ask, "so", ask, "and so", tools=[passed_on]))
    run = MemoryRun("one")
    assert isinstance(await run.go(program), Waiting), run.end
    run.answer("Which one?", {"additional_notes": "this"})
    assert isinstance(await run.go(program), Completed), run.end
    again = MemoryRun("two", run_id="r2", history=CHAT[:2], agent_state=run.agent_state)
    assert isinstance(await again.go(program), Completed), again.end
    assert prompts(seen[-1]) == ["do it", "do it"]
    assert [m.content for m in seen[-1] if isinstance(m, ModelResponse)] == [None, "first"]


async def test_a_nested_agent_that_asks_another_thing_than_before_ends_the_run() -> None:
    clerk = an_agent("clerk", PAY, tools=[pay])
    boss = an_agent(
        "boss", [("task_clerk", {"objective": "pay"})], tools=[clerk.as_tool(description="Pays.")]
    )
    program, run = AgentProgram(boss, policy=GATED), MemoryRun()
    await run.go(program)
    run.approve("pay")
    assert run.recorder.saved is not None
    blob = run.recorder.saved.blob.replace(b'"shape":1', b'"shape":3')
    object.__setattr__(run.recorder.saved, "blob", blob)
    end = await run.go(program)
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ReplayDiverged)
    assert ran == []


async def test_subtasks_are_gated_too() -> None:
    # The bare agent of a subtask has its parent's model: what it is asked tells which one it is.
    class Both(Model):
        async def __call__(
            self, messages: Sequence[BaseEvent], context: Context, **options: Any
        ) -> ModelResponse:
            task = prompts(messages)[0]
            self.replies = (
                ([("run_subtasks", {"tasks": ["a", "b"]})],)
                if task == "go"
                else ([("pay", {"amount": ord(task)})],)
            )
            return await super().__call__(messages, context, **options)

    model = Both()
    agent: Agent[Any] = Agent("boss", config=model, tools=[pay], tasks=TaskConfig())
    program, run = AgentProgram(agent, policy=GATED), MemoryRun()
    assert isinstance(await run.go(program), Waiting), run.end
    assert len(run.pending) == 2
    for card in list(run.pending):
        run.approve(card)
    assert isinstance(await run.go(program), Completed), run.end
    assert sorted(ran) == ["pay 97", "pay 98"]
    assert len(model.seen) == 6
    assert "paid 97" in run.said
    assert "paid 98" in run.said


async def test_a_task_beside_one_that_waits_goes_on_to_its_own_question() -> None:
    @tool
    def look() -> str:
        """Look something up."""
        return "found"

    class Both(Model):
        async def __call__(
            self, messages: Sequence[BaseEvent], context: Context, **options: Any
        ) -> ModelResponse:
            task = prompts(messages)[0]
            if task == "b" and len(messages) == 1:
                while not FRAME.get().pending:  # noqa: ASYNC110  # it tells nobody
                    await asyncio.sleep(0)
            pays: Calls = [("pay", {"amount": ord(task[0])})]
            scripts: dict[str, tuple[str | Calls, ...]] = {
                "go": ([("run_subtasks", {"tasks": ["a", "b"]})],),
                "a": (pays,),
                "b": ([("look", {})], pays),
            }
            self.replies = scripts[task]
            return await super().__call__(messages, context, **options)

    agent: Agent[Any] = Agent("boss", config=Both(), tools=[pay, look], tasks=TaskConfig())
    free = Rule(tool="look", then=Verdict.ALLOW)
    program, run = AgentProgram(agent, policy=[*GATED, free]), MemoryRun()
    async with asyncio.timeout(20):
        assert isinstance(await run.go(program), Waiting), run.end
    assert len(run.pending) == 2
    for card in list(run.pending):
        run.approve(card)
    assert isinstance(await run.go(program), Completed), run.end
    assert sorted(ran) == ["pay 97", "pay 98"]


async def test_an_agent_in_the_background_is_refused() -> None:
    clerk = an_agent("clerk", PAY, tools=[pay])
    boss = an_agent("boss", tools=[background_agent_tool(clerk, description="Pays.")])
    end = await MemoryRun().go(AgentProgram(boss, policy=GATED))
    assert isinstance(end, Failed)
    assert isinstance(end.error, NotSupportedError)
    assert "as_tool" in end.error.fix


async def test_a_cancelled_turn_leaves_no_call_dangling_anywhere() -> None:
    entered = asyncio.Event()

    @tool
    async def slow() -> str:
        """Take long."""
        entered.set()
        await asyncio.sleep(60)
        return "late"

    clerk = an_agent("clerk", [("slow", {})], tools=[slow])
    boss = an_agent(
        "boss",
        [("task_clerk", {"objective": "x"})],
        tools=[clerk.as_tool(description="Works.", stream=MemoryStream())],
    )
    before, run = asyncio.all_tasks(), MemoryRun()
    task = asyncio.create_task(run.go(AgentProgram(boss)))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)
    assert asyncio.all_tasks() == before
    assert [e.state.value for e in run.recorder.effects.values()] == ["uncertain"]
    assert run.agent_state is None


async def test_the_applications_deps_are_its_dependencies() -> None:
    @tool
    async def count(till: Annotated[int, Inject("till")]) -> str:
        """Count."""
        return f"{till} in the till"

    agent = an_agent("a", [("count", {})], tools=[count])
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent, deps={"till": 9})), Completed), run.end
    assert run.said == "9 in the till"
    end = await MemoryRun().go(AgentProgram(agent, deps=9))
    assert isinstance(end, Failed)
    assert isinstance(end.error, NotSupportedError)


def test_it_is_found_by_the_agent_itself() -> None:
    assert find_adapter(an_agent("a")).name == "ag2"


def prompts(messages: Sequence[BaseEvent]) -> list[str]:
    return [
        part.content
        for m in messages
        if isinstance(m, ModelRequest)
        for part in m.parts
        if isinstance(part, TextInput)
    ]


def crash_once(boundary: str) -> Callable[[str], None]:
    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    return crash


# ── what ends beside it ──


async def test_what_a_call_beside_it_did_is_kept_while_the_model_of_an_agent_is_away() -> None:
    has_begun, is_away = asyncio.Event(), asyncio.Event()

    class Away(Model):
        async def __call__(self, *given: Any, **options: Any) -> ModelResponse:
            if is_away.is_set():
                return ModelResponse(ModelMessage("paid"))
            await has_begun.wait()
            is_away.set()
            return ModelResponse(ModelMessage(""))  # it broke off before its first word

    @tool
    async def wire(amount: int) -> str:
        """Wire."""
        has_begun.set()
        await is_away.wait()
        for _ in range(200):  # the framework tells of it in its own time
            await asyncio.sleep(0)
        ran.append(f"wire {amount}")
        return "wired"

    payer = Agent("payer", config=Away()).as_tool(description="Pays.")
    desk = an_agent(
        "desk", [("task_payer", {"objective": "7"}), ("wire", {"amount": 5})], tools=[payer, wire]
    )
    run, program = MemoryRun(), AgentProgram(desk)
    end = await run.go(program)
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ModelUnavailable)
    [effect] = run.recorder.effects.values()
    assert (effect.state, effect.result) == (EffectState.DONE, "wired")
    assert len(run.returns) == 1, "the call of the agent is still to end"
    run.recorder.saved = end.saved
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == ["wire 5"]
    assert "paid" in run.said


async def test_a_cancellation_while_a_missing_tool_is_shown_is_not_the_end_of_the_segment() -> None:
    async def call(*given: object, **more: object) -> None:
        raise asyncio.CancelledError

    segment: Any = SimpleNamespace(toolbox=SimpleNamespace(tools=(), call=call), agent_name="a")
    run: Any = SimpleNamespace(turns=Ag2Turns(segment))
    run.turns.own = TurnPlace("a")
    with pytest.raises(asyncio.CancelledError):
        await Ag2Run._show_missing(run, SimpleNamespace(parent_id="c0", name="ghost"))  # type: ignore[arg-type]
    assert not run.turns.is_over
