"""What only AutoGen has: teams, handoffs, people as agents, delegates, its own tools and
executors."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("autogen_agentchat")

from autogen_agentchat.agents import (
    AssistantAgent,
    BaseChatAgent,
    CodeExecutorAgent,
    SocietyOfMindAgent,
    UserProxyAgent,
)
from autogen_agentchat.base import Handoff, Response
from autogen_agentchat.conditions import (
    HandoffTermination,
    MaxMessageTermination,
    TextMentionTermination,
)
from autogen_agentchat.messages import BaseChatMessage, TextMessage
from autogen_agentchat.teams import (
    DiGraphBuilder,
    GraphFlow,
    RoundRobinGroupChat,
    SelectorGroupChat,
    Swarm,
)
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import CancellationToken, FunctionCall
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from autogen_core.models import (
    AssistantMessage,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
)
from autogen_core.tools import StaticWorkbench, TextResultContent, ToolResult

from sayso.adapters.program import AgentProgram
from sayso.adapters.registry import find_adapter
from sayso.core.cards import ApprovalCard, OptionsCard
from sayso.core.errors import ModelUnavailable, NotSupportedError, ReplayDiverged, StateUnreadable
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Failed, Waiting
from sayso.core.tasks import UniversalMessage
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.tool import tool
from tests.contract.autogen_builder import USAGE, FreeClient

Calls = list[tuple[str, dict[str, Any]]]
#: What a model does at each of its replies, however long the chat is: text, or calls.
Replies = Sequence[str | Calls]


class Model(FreeClient):
    """Gives its replies one by one, by how many are in the history, then tells the last results."""

    def __init__(self, *replies: str | Calls, seen: list[list[LLMMessage]] | None = None) -> None:
        self.replies = replies
        self.seen: list[list[LLMMessage]] = seen if seen is not None else []

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
        self.seen.append(list(messages))
        turn = sum(isinstance(m, AssistantMessage) for m in messages)
        reply: str | Calls = self.replies[turn] if turn < len(self.replies) else _told(messages)
        content: str | list[FunctionCall]
        if isinstance(reply, str):
            content = reply
        else:
            content = [FunctionCall(f"c{n}", json.dumps(a), t) for n, (t, a) in enumerate(reply)]
        stop = "stop" if isinstance(reply, str) else "function_calls"
        return CreateResult(finish_reason=stop, content=content, usage=USAGE, cached=False)  # type: ignore[arg-type]

    async def create_stream(
        self, messages: Sequence[LLMMessage], **options: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        result = await self.create(messages, **options)
        if isinstance(result.content, str):
            yield result.content
        yield result


def _told(messages: Sequence[LLMMessage]) -> str:
    last = messages[-1]
    if isinstance(last, FunctionExecutionResultMessage):
        return "|".join(result.content for result in last.content)
    return f"heard {last.content}"


def an_agent(name: str, *replies: str | Calls, **options: Any) -> AssistantAgent:
    options.setdefault("max_tool_iterations", 5)
    return AssistantAgent(name, Model(*replies, seen=options.pop("seen", None)), **options)


def pay(amount: int) -> str:
    """Pay."""
    ran.append(f"pay {amount}")
    return f"paid {amount}"


async def look() -> dict[str, str]:
    """Look."""
    ran.append("look")
    return {"it": "is there"}


ran: list[str] = []
GATED = [Rule(tool="pay", then=Verdict.ASK)]
PAY: Calls = [("pay", {"amount": 5})]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    ran.clear()


async def approved(program: AgentProgram, run: MemoryRun, **parts: object) -> None:
    """One pause at `pay`, its approval, and the end."""
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("pay", **parts)
    assert isinstance(await run.go(program), Completed), run.end


# ── its own tools ──


async def test_its_own_tools_are_gated_by_name_and_edits_run() -> None:
    agent = an_agent("a", [*PAY, ("look", {})], tools=[pay, look])
    program, run = AgentProgram(agent, policy=GATED), MemoryRun()
    await approved(program, run, edits={"amount": 4})
    assert ran == ["look", "pay 4"]
    assert "A person changed amount from 5 to 4 before it ran." in run.said
    assert "is there" in run.said
    assert {r.arguments["amount"] for r in run.returns if r.arguments} == {4}


async def test_a_workbench_of_someones_own_is_gated_and_its_call_tool_is_used() -> None:
    class Bench(StaticWorkbench):
        async def call_tool(self, name: str, arguments: Any = None, *rest: Any, **more: Any) -> Any:
            ran.append(f"{name} {arguments}")
            text = '{"user_input_required": true, "question": "Which?", "options": []}'
            return ToolResult(name=name, result=[TextResultContent(content=text)])

    from autogen_core.tools import FunctionTool

    bench = Bench([FunctionTool(pay, description="Pay.")])
    program = AgentProgram(an_agent("a", PAY, workbench=bench), policy=GATED)
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    run.approve("pay")
    assert isinstance(await run.go(program), Waiting)
    assert ran == ["pay {'amount': 5}"]
    (card,) = run.pending
    assert isinstance(card.card, OptionsCard)
    run.answer("Which?", {"additional_notes": "the blue one"})
    assert isinstance(await run.go(program), Completed)
    assert "the blue one" in run.said
    assert ran == ["pay {'amount': 5}"]


async def test_wrong_arguments_of_its_own_tools_are_told_to_the_model() -> None:
    program = AgentProgram(an_agent("a", [("pay", {"amount": "much"})], tools=[pay]))
    run = MemoryRun()
    assert isinstance(await run.go(program), Completed)
    assert ran == []
    assert "do not fit" in run.said


async def test_the_default_summary_of_calls_is_said_once() -> None:
    agent = an_agent("a", PAY, tools=[pay], max_tool_iterations=1)
    program, run = AgentProgram(agent, policy=GATED), MemoryRun()
    await approved(program, run)
    assert run.said == "paid 5"


async def test_reflection_goes_on_after_the_pause_as_it_would_have() -> None:
    seen: list[list[LLMMessage]] = []
    agent = an_agent(
        "a", PAY, tools=[pay], max_tool_iterations=1, reflect_on_tool_use=True, seen=seen
    )
    program, run = AgentProgram(agent, policy=GATED), MemoryRun()
    await approved(program, run)
    assert run.said == "paid 5"
    assert len(seen) == 2


async def test_the_agent_itself_is_never_touched_and_two_runs_do_not_meet() -> None:
    agent = an_agent("a", PAY, tools=[pay])
    program = AgentProgram(agent, policy=GATED)
    one, two = MemoryRun("one"), MemoryRun("two", run_id="r2")
    await asyncio.gather(one.go(program), two.go(program))
    one.approve("pay")
    two.reject("pay", "no")
    await asyncio.gather(one.go(program), two.go(program))
    assert "paid 5" in one.said
    assert "rejected" in two.said
    assert ran == ["pay 5"]
    assert (await agent.save_state())["llm_context"] == {"messages": []}


async def test_a_teams_condition_counts_for_one_run_alone() -> None:
    done = MaxMessageTermination(2)
    team = RoundRobinGroupChat([an_agent("a", PAY, tools=[pay])], termination_condition=done)
    program = AgentProgram(team, policy=GATED)
    one, two = MemoryRun("one"), MemoryRun("two", run_id="r2")
    await one.go(program)
    assert done._message_count == 0
    await two.go(program)
    for run in (two, one):
        run.approve("pay")
        assert isinstance(await run.go(program), Completed), run.end
        assert run.said == "paid 5"


async def test_a_takeover_does_not_ask_the_model_again() -> None:
    seen: list[list[LLMMessage]] = []
    program = AgentProgram(an_agent("a", PAY, tools=[pay], seen=seen))
    run = MemoryRun()
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


async def test_another_prompt_while_it_waited_is_told() -> None:
    run = MemoryRun()
    await run.go(AgentProgram(an_agent("a", PAY, tools=[pay]), policy=GATED))
    run.approve("pay")
    assert run.recorder.saved is not None
    blob = run.recorder.saved.blob.replace(b'"1 UserMessage"', b'"3 UserMessage"')
    object.__setattr__(run.recorder.saved, "blob", blob)
    end = await run.go(AgentProgram(an_agent("a", PAY, tools=[pay]), policy=GATED))
    assert isinstance(end, Failed)
    assert isinstance(end.error, ReplayDiverged)
    assert ran == []


async def test_an_agent_that_is_gone_from_a_team_makes_the_state_unreadable() -> None:
    def team(*names: str) -> AgentProgram:
        members = [an_agent(name, PAY, tools=[pay]) for name in names]
        return AgentProgram(RoundRobinGroupChat(list(members), max_turns=1), policy=GATED)

    run = MemoryRun()
    await run.go(team("a", "b"))
    run.approve("pay")
    end = await run.go(team("a", "c"))
    assert isinstance(end, Failed)
    assert isinstance(end.error, StateUnreadable)
    assert ran == []


# ── memory ──


async def test_memory_carries_on_and_learns_of_what_a_cancelled_run_left_in_the_chat() -> None:
    seen: list[list[LLMMessage]] = []
    program = AgentProgram(an_agent("a", "one!", "two!", seen=seen))
    first = MemoryRun("one")
    await first.go(program)
    again = MemoryRun("two", run_id="r2", history=CHAT, agent_state=first.agent_state)
    await again.go(program)
    assert words(seen[-1]) == ["one", "one!", "cancelled", "half a", "two"]


async def test_a_team_remembers_and_old_words_do_not_end_its_new_turn() -> None:
    seen: list[list[LLMMessage]] = []

    def team() -> AgentProgram:
        done = TextMentionTermination("half") | MaxMessageTermination(2)
        chat = RoundRobinGroupChat(
            [an_agent("a", "one!", "two!", seen=seen)], termination_condition=done
        )
        return AgentProgram(chat)

    first = MemoryRun("one")
    await first.go(team())
    again = MemoryRun("two", run_id="r2", history=CHAT, agent_state=first.agent_state)
    assert isinstance(await again.go(team()), Completed)
    assert words(seen[-1]) == ["one", "one!", "cancelled", "half a", "two"]
    assert again.said == "two!"


async def test_a_selectors_memory_does_not_add_up() -> None:
    seen: list[list[LLMMessage]] = []

    def team() -> AgentProgram:
        members: list[Any] = [an_agent("planner", "one!", "two!"), an_agent("cashier", "x")]
        chat = SelectorGroupChat(
            members, model_client=_Selector(seen=seen), allow_repeated_speaker=True, max_turns=1
        )
        return AgentProgram(chat)

    first = MemoryRun("one")
    await first.go(team())
    again = MemoryRun("two", run_id="r2", history=CHAT, agent_state=first.agent_state)
    assert isinstance(await again.go(team()), Completed)
    asked = str(seen[-1][-1].content)
    for words_ in ("user: one", "planner: one!", "user: cancelled", "half a", "user: two"):
        assert asked.count(words_) == 1, asked


CHAT = [
    UniversalMessage(role="user", content="one"),
    UniversalMessage(role="assistant", content="one!"),
    UniversalMessage(role="user", content="cancelled"),
    UniversalMessage(role="assistant", content="half a"),
]

# ── teams ──


@pytest.mark.parametrize("kind", ["round robin", "selector", "swarm", "graph", "in a team"])
async def test_a_members_gated_call_pauses_the_team_and_goes_on(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[list[LLMMessage]] = []

    def team() -> AgentProgram:
        first: Replies = ["planned"]
        handoffs = []
        if kind == "swarm":
            first, handoffs = [[("transfer_to_cashier", {})]], ["cashier"]
        planner = an_agent("planner", *first, handoffs=handoffs)
        cashier = an_agent("cashier", PAY, "done: paid", tools=[pay], seen=seen)
        members: list[Any] = [planner, cashier]
        made: Any
        match kind:
            case "round robin":
                made = RoundRobinGroupChat(members, max_turns=2)
            case "selector":
                made = SelectorGroupChat(
                    members, model_client=_Selector(), allow_repeated_speaker=False, max_turns=2
                )
            case "swarm":
                made = Swarm(members, max_turns=2)
            case "graph":
                graph = DiGraphBuilder().add_node(planner).add_node(cashier)
                made = GraphFlow(members, graph.add_edge(planner, cashier).build())
            case _:
                inner = RoundRobinGroupChat([cashier], name="till", max_turns=1)
                made = RoundRobinGroupChat([planner, inner], max_turns=2)
        return AgentProgram(made, name="shop", policy=GATED)

    run = MemoryRun()
    with caplog.at_level(logging.ERROR):
        assert isinstance(await run.go(team()), Waiting)
    assert not caplog.records, "a pause is no error in anyone's log"
    assert ran == []
    (card,) = run.pending
    assert isinstance(card.card, ApprovalCard)
    run.approve("pay", edits={"amount": 3})
    assert isinstance(await run.go(team()), Completed), run.end
    assert ran == ["pay 3"]
    assert len(seen) == 2
    handover = "Transferred to cashier, adopting the role of cashier immediately."
    planned = handover if kind == "swarm" else "planned"
    assert speakers(run) == [("planner", planned), ("cashier", "done: paid")]
    assert [call.agent_name for call in run.calls] == ["cashier"]
    assert card.agent_name == "cashier"


def speakers(run: MemoryRun) -> list[tuple[object, str]]:
    """Who said what, one after the other."""
    said: list[tuple[object, str]] = []
    for chunk in run.chunks:
        who = chunk.metadata.get("agent_name")
        if said and said[-1][0] == who:
            said[-1] = (who, said[-1][1] + str(chunk.content))
        else:
            said.append((who, str(chunk.content)))
    return said


class _Selector(Model):
    """Chooses whoever has not spoken."""

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
        self.seen.append(list(messages))
        asked = str(messages[-1].content)
        who = "cashier" if "planner: planned" in asked else "planner"
        return CreateResult(finish_reason="stop", content=who, usage=USAGE, cached=False)


@pytest.mark.parametrize("secrets", [["code"], []])
async def test_the_runtime_logs_no_message_of_a_tool_that_has_secrets(
    secrets: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    @tool(secrets=secrets)
    def unlock(door: str, code: str) -> str:
        """Unlock a door."""
        return "open"

    reply: Calls = [("unlock", {"door": "front", "code": "0000-1111"})]
    team = RoundRobinGroupChat([an_agent("a", reply)], max_turns=1)
    with caplog.at_level(logging.DEBUG):
        end = await MemoryRun().go(AgentProgram(team, tools=[unlock]))
    assert isinstance(end, Completed), end
    assert ("0000-1111" in caplog.text) is not bool(secrets), "it tells all others as ever"


async def test_branches_of_a_graph_that_run_at_once_each_act_once() -> None:
    def team() -> AgentProgram:
        start = an_agent("start", "go")
        left = an_agent("left", PAY, "left done", tools=[pay])
        right = an_agent("right", [("look", {})], "right done", tools=[look])
        end = an_agent("end", "all done")
        graph = DiGraphBuilder()
        for node in (start, left, right, end):
            graph.add_node(node)
        graph.add_edge(start, left).add_edge(start, right)
        graph.add_edge(left, end).add_edge(right, end)
        return AgentProgram(
            GraphFlow([start, left, right, end], graph.build()), name="g", policy=GATED
        )

    run = MemoryRun()
    await approved(team(), run)
    assert sorted(ran) == ["look", "pay 5"]
    for said in ("go", "left done", "right done", "all done"):
        assert run.said.count(said) == 1


async def test_a_team_cancelled_in_the_middle_of_a_tool_ends_at_once_and_goes_on() -> None:
    """AutoGen's own cancellation token hangs here for ever (autogen#7956)."""
    entered = asyncio.Event()

    async def slow() -> str:
        """Take long."""
        entered.set()
        await asyncio.sleep(60)
        return "late"

    def team(*replies: str | Calls) -> AgentProgram:
        return AgentProgram(
            RoundRobinGroupChat([an_agent("a", *replies, tools=[slow, look])], max_turns=1)
        )

    before = asyncio.all_tasks()
    run = MemoryRun()
    task = asyncio.create_task(run.go(team([("slow", {}), ("look", {})])))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)
    assert asyncio.all_tasks() == before, "nothing of the team is left behind"
    states = sorted(e.state.value for e in run.recorder.effects.values())
    assert states in (["done", "uncertain"], ["uncertain"])
    after = MemoryRun("go on", run_id="r2", history=CHAT[:2])
    assert isinstance(await after.go(team("on", "on", "on")), Completed)
    assert after.said == "on"


async def test_a_failing_model_is_told_in_its_own_words() -> None:
    class Broken(Model):
        async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
            raise PermissionError("the key is wrong")

    agent = AssistantAgent("a", Broken())
    for it in (agent, RoundRobinGroupChat([agent], max_turns=1)):
        end = await MemoryRun().go(AgentProgram(it))
        assert isinstance(end, Failed)
        assert end.error.detail.endswith("stopped: PermissionError: the key is wrong")


# ── questions ──


@pytest.mark.parametrize("kind", ["alone", "swarm"])
async def test_a_handoff_to_the_person_is_a_question(kind: str) -> None:
    def program() -> AgentProgram:
        handoff = Handoff(target="user", message="Which region?")
        agent = an_agent("a", [("transfer_to_user", {})], handoffs=[handoff])
        if kind == "alone":
            return AgentProgram(agent)
        return AgentProgram(
            Swarm([agent], termination_condition=HandoffTermination("user"), max_turns=4)
        )

    run = MemoryRun()
    assert isinstance(await run.go(program()), Waiting)
    (card,) = run.pending
    assert isinstance(card.card, OptionsCard)
    assert card.title == "Which region?"
    run.answer(card, {"additional_notes": "Europe"})
    assert isinstance(await run.go(program()), Completed), run.end
    assert "heard Europe" in run.said


async def test_a_user_proxy_asks_the_person_and_no_coroutine_is_held() -> None:
    async def console(prompt: str, token: CancellationToken | None) -> str:
        raise AssertionError("people are asked by cards")

    def team() -> AgentProgram:
        done = TextMentionTermination("enough", sources=["person"])
        members: list[Any] = [
            an_agent("a", "draft one", "draft two"),
            UserProxyAgent("person", input_func=console),
        ]
        return AgentProgram(
            RoundRobinGroupChat(members, termination_condition=done), name="writers"
        )

    run, before = MemoryRun(), asyncio.all_tasks()
    for answer in ("shorter", "enough"):
        assert isinstance(await run.go(team()), Waiting), run.end
        assert asyncio.all_tasks() == before
        (card,) = run.pending
        run.answer(card, {"additional_notes": answer})
    assert isinstance(await run.go(team()), Completed), run.end
    assert run.said == "draft onedraft two"


async def test_a_person_who_does_not_answer_is_told_to_the_agent() -> None:
    handoff = Handoff(target="user", message="Which region?")
    program = AgentProgram(an_agent("a", [("transfer_to_user", {})], handoffs=[handoff]))
    run = MemoryRun()
    await run.go(program)
    run.dismiss("Which region?")
    await run.go(program)
    assert "heard The person did not answer (dismissed)." in run.said


# ── agents in agents ──


@pytest.mark.parametrize("kind", ["agent", "team"])
async def test_a_delegates_gated_call_pauses_and_its_task_is_done_once(kind: str) -> None:
    seen: list[list[LLMMessage]] = []

    def program() -> AgentProgram:
        clerk = an_agent("clerk", PAY, "the clerk paid", PAY, "and again", tools=[pay], seen=seen)
        passed_on: Any = AgentTool(clerk, return_value_as_last_message=True)
        if kind == "team":
            till = RoundRobinGroupChat([clerk], name="clerk", max_turns=1)
            passed_on = TeamTool(till, "clerk", "The till.", return_value_as_last_message=True)
        first, second = [("clerk", {"task": "pay it"})], [("clerk", {"task": "once more"})]
        agent = an_agent("boss", [*first, ("look", {})], second, tools=[passed_on, look])
        return AgentProgram(agent, policy=GATED)

    run = MemoryRun()
    for _ in range(2):
        assert isinstance(await run.go(program()), Waiting), run.end
        assert [type(it.card) for it in run.pending] == [ApprovalCard]
        run.approve("pay")
    assert isinstance(await run.go(program()), Completed), run.end
    assert ran == ["look", "pay 5", "pay 5"]
    assert len(seen) == 4
    # The delegate goes on from its own memory: its second task knows of the first.
    assert words(seen[-1]) == ["pay it", "", "", "the clerk paid", "once more", "", ""]
    assert run.said == "and again"


async def test_a_delegate_is_remembered_by_the_next_run_of_the_chat() -> None:
    seen: list[list[LLMMessage]] = []

    def program() -> AgentProgram:
        clerk = an_agent("clerk", "first", "second", seen=seen)
        passed_on = AgentTool(clerk, return_value_as_last_message=True)
        ask: Calls = [("clerk", {"task": "do it"})]
        return AgentProgram(an_agent("boss", ask, "so", ask, "and so", tools=[passed_on]))

    one = MemoryRun("one")
    await one.go(program())
    two = MemoryRun("two", run_id="r2", history=CHAT[:2], agent_state=one.agent_state)
    await two.go(program())
    assert words(seen[-1]) == ["do it", "first", "do it"]


async def test_a_society_of_mind_is_gated_within() -> None:
    def program() -> AgentProgram:
        team = RoundRobinGroupChat([an_agent("a", PAY, "paid", tools=[pay])], max_turns=1)
        return AgentProgram(SocietyOfMindAgent("mind", team, Model("so it is")), policy=GATED)

    run = MemoryRun()
    await approved(program(), run)
    assert ran == ["pay 5"]
    assert run.said.endswith("so it is")


async def test_code_is_a_call_that_can_be_gated() -> None:
    class Executor(CodeExecutor):
        component_type = "code_executor"

        async def execute_code_blocks(
            self, code_blocks: list[CodeBlock], cancellation_token: CancellationToken
        ) -> CodeResult:
            ran.extend(block.code.strip() for block in code_blocks)
            return CodeResult(exit_code=0, output="42")

        async def start(self) -> None: ...
        async def stop(self) -> None: ...
        async def restart(self) -> None: ...

    def program() -> AgentProgram:
        members: list[Any] = [
            an_agent("coder", "```python\nprint(42)\n```"),
            CodeExecutorAgent("runner", Executor(), approval_func=_yes),
        ]
        return AgentProgram(
            RoundRobinGroupChat(members, max_turns=2),
            policy=[Rule(tool="execute_code", then=Verdict.ASK)],
        )

    run = MemoryRun()
    assert isinstance(await run.go(program()), Waiting)
    assert ran == []
    run.approve("execute_code")
    assert isinstance(await run.go(program()), Completed), run.end
    assert ran == ["print(42)"]
    assert "42" in run.said


def _yes(request: Any) -> Any:
    from autogen_agentchat.agents import ApprovalResponse

    return ApprovalResponse(approved=True, reason="asked by Sayso")


async def test_an_agent_of_someones_own_has_its_turn_once() -> None:
    class Sender(BaseChatAgent):
        @property
        def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
            return (TextMessage,)

        async def on_messages(
            self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
        ) -> Response:
            ran.append("sent")
            return Response(chat_message=TextMessage(content="I sent it.", source=self.name))

        async def on_reset(self, cancellation_token: CancellationToken) -> None: ...

    def program() -> AgentProgram:
        members: list[Any] = [Sender("sender", "Sends."), an_agent("a", PAY, "ok", tools=[pay])]
        return AgentProgram(RoundRobinGroupChat(members, max_turns=2), policy=GATED)

    run = MemoryRun()
    await approved(program(), run)
    assert ran == ["sent", "pay 5"]
    assert speakers(run) == [("sender", "I sent it."), ("a", "ok")]


async def test_an_agent_without_a_model_is_heard_whole() -> None:
    class Counter(BaseChatAgent):
        @property
        def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
            return (TextMessage,)

        async def on_messages(
            self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
        ) -> Response:
            counted = [TextMessage(content=f"{n}… ", source=self.name) for n in (2, 1)]
            done = TextMessage(content="Done!", source=self.name)
            return Response(chat_message=done, inner_messages=counted)

        async def on_reset(self, cancellation_token: CancellationToken) -> None: ...

    def program() -> AgentProgram:
        members: list[Any] = [Counter("counter", "Counts."), an_agent("a", PAY, "ok", tools=[pay])]
        return AgentProgram(RoundRobinGroupChat(members, max_turns=3), policy=GATED)

    run = MemoryRun()
    await approved(program(), run)
    whole = ("counter", "2… 1… Done!")
    assert speakers(run) == [whole, ("a", "ok"), whole]


async def test_members_of_a_team_have_the_applications_tools() -> None:
    @tool(approval=True)
    def refund(order: int) -> str:
        """Refund."""
        ran.append(f"refund {order}")
        return "refunded"

    members: list[Any] = [an_agent("a", [("refund", {"order": 1})])]
    program = AgentProgram(RoundRobinGroupChat(members, max_turns=1), tools=[refund])
    run = MemoryRun()
    await run.go(program)
    run.reject("refund", "too dear", "wait")
    await run.go(program)
    assert ran == []
    assert "too dear" in run.said
    assert "wait" in run.said


async def test_deps_are_refused_in_words() -> None:
    end = await MemoryRun().go(AgentProgram(an_agent("a", "hello"), deps={"till": 9}))
    assert isinstance(end, Failed)
    assert isinstance(end.error, NotSupportedError)


def test_it_is_found_by_the_agent_itself() -> None:
    agent = an_agent("a")
    for it in (agent, RoundRobinGroupChat([agent])):
        assert find_adapter(it).name == "autogen"


def words(messages: Sequence[LLMMessage]) -> list[str]:
    return [
        m.content if isinstance(m.content, str) else ""
        for m in messages
        if not isinstance(m, SystemMessage)
    ]


def crash_once(boundary: str) -> Callable[[str], None]:
    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    return crash


# ── replies that are none ──


class Broken(Model):
    """Its second reply has no end, as a stream that is cut in good order leaves it."""

    ends: tuple[str, ...] = ("function_calls", "unknown")

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
        whole = await super().create(messages, **options)
        return whole.model_copy(update={"finish_reason": self.ends[len(self.seen) - 1]})


class NeverSaid(Broken):
    ends = ("unknown", "unknown")


@pytest.mark.parametrize(("kind", "is_cut"), [(Broken, True), (NeverSaid, False)])
async def test_a_reply_without_its_end_is_none_where_ends_are_told(
    kind: type[Broken], is_cut: bool
) -> None:
    agent = AssistantAgent(
        "clerk", kind(PAY), tools=[pay], model_client_stream=True, max_tool_iterations=5
    )
    end = await MemoryRun().go(AgentProgram(agent))
    if is_cut:
        assert isinstance(end, Failed)
        assert isinstance(end.error, ModelUnavailable)
    else:
        assert isinstance(end, Completed), end


async def test_an_empty_first_reply_is_none() -> None:
    end = await MemoryRun().go(AgentProgram(an_agent("clerk", "")))
    assert isinstance(end, Failed)
    assert isinstance(end.error, ModelUnavailable)
