"""Tools as people write them on their first day: methods, generators, bodies that exit or cancel
themselves, errors that no file can hold, predicates that are async or change what they judge."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

import pytest
from pydantic import JsonValue

from sayso.adapters.program import AgentProgram
from sayso.core.errors import NotSupportedError
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.raised import told
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import AgentContext
from sayso.tools.policies import Policy
from sayso.tools.suspension import StepFailed, Suspend, is_unwinding
from sayso.tools.tool import Prepared, as_tool, tool

did: list[object] = []


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    did.clear()


async def agent(ctx: AgentContext) -> str:
    try:
        return str(await ctx.call("act"))
    except StepFailed as exc:
        return str(exc)


# ── what a body raises ──


class OfALibrary(BaseException):
    """As a panic of a library that is written in Rust."""


RAISED: list[Callable[[], BaseException]] = [
    lambda: SystemExit(3),
    lambda: OfALibrary("panicked"),
    lambda: GeneratorExit(),
    lambda: asyncio.CancelledError(),
    lambda: BaseExceptionGroup("several", [SystemExit(1)]),
    lambda: FileNotFoundError("caf\udce9.txt"),
]


@pytest.mark.parametrize("makes", RAISED)
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("approval", [False, True])
async def test_whatever_a_body_raises_it_may_have_acted(
    makes: Callable[[], BaseException], is_async: bool, approval: bool
) -> None:
    def act() -> None:
        did.append("acted")
        raise makes()

    async def acts() -> None:
        act()

    tools = [tool(name="act", approval=approval)(acts if is_async else act)]
    run = MemoryRun()
    end = await run.go(AgentProgram(agent, tools=tools))
    if approval:
        assert isinstance(end, Waiting)
        run.approve("act")
        assert isinstance(await run.go(AgentProgram(agent, tools=tools)), Waiting)
        assert [it.card.card for it in run.pending] == ["uncertain_effect"]
    else:
        assert isinstance(end, Completed)
        assert "call 'act': " in run.said
    assert [effect.state.value for effect in run.recorder.effects.values()] == ["uncertain"]
    assert did == ["acted"]


async def test_nobody_presses_ctrl_c_in_a_thread() -> None:
    @tool
    def act() -> None:
        raise KeyboardInterrupt

    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent, tools=[act])), Completed)


@pytest.mark.parametrize("makes", RAISED)
async def test_an_agent_that_exits_ends_its_run_and_nothing_else(
    makes: Callable[[], BaseException],
) -> None:
    async def leaves(ctx: AgentContext) -> None:
        raise makes()

    end = await MemoryRun().go(AgentProgram(leaves))
    assert isinstance(end, Failed)
    assert type(makes()).__name__ in end.error.detail
    end.error.detail.encode()


async def test_a_cancellation_from_outside_is_no_error_of_the_code() -> None:
    async def work() -> bool:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as exc:
            return is_unwinding(exc)
        return False

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    assert await task
    assert not is_unwinding(asyncio.CancelledError())
    assert is_unwinding(BaseExceptionGroup("", [ValueError(), Suspend([])]))
    assert is_unwinding(KeyboardInterrupt())
    assert not is_unwinding(SystemExit())


def test_an_exception_that_cannot_say_what_it_is_is_told_too() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert told(Silent()) == "Silent: (its words could not be read: RuntimeError)"
    assert told(ValueError("caf\udce9")) == "ValueError: caf\\udce9"


# ── generators and methods ──


@tool(name="act", approval=True)
def yields() -> Iterator[str]:
    did.append("began")
    yield "one"
    did.append("ended")
    yield "two"


@tool(name="act", approval=True)
async def yields_async() -> AsyncIterator[str]:
    did.append("began")
    yield "one"
    did.append("ended")
    yield "two"


@pytest.mark.parametrize("generator", [yields, yields_async])
async def test_a_generator_runs_to_its_end_and_gives_all_of_it(generator: object) -> None:
    run, program = MemoryRun(), AgentProgram(agent, tools=[generator])
    await run.go(program)
    run.approve("act")
    assert isinstance(await run.go(program), Completed)
    assert run.said == "['one', 'two']"
    assert did == ["began", "ended"]


async def test_a_generator_that_breaks_off_may_have_acted() -> None:
    @tool
    def act() -> Iterator[int]:
        yield 1
        raise OSError("reset")

    run = MemoryRun()
    await run.go(AgentProgram(agent, tools=[act]))
    assert [effect.state.value for effect in run.recorder.effects.values()] == ["uncertain"]


class Bank:
    def __init__(self, name: str) -> None:
        self.name = name

    @tool(approval=True)
    def act(self, amount: int = 1) -> str:
        did.append((self.name, amount))
        return "acted"

    @act.prepare
    def show(self, amount: int) -> Prepared:
        return Prepared(summary=f"{self.name} acts for {amount}")


async def test_a_method_is_a_tool_of_its_object() -> None:
    act = Bank("north").act
    assert list(act.schema["properties"]) == ["amount"]  # type: ignore[arg-type]
    run, program = MemoryRun(), AgentProgram(agent, tools=[act])
    await run.go(program)
    assert run.pending[0].title == "north acts for 1"
    run.approve(run.pending[0])
    await run.go(program)
    assert did == [("north", 1)]


def test_a_method_without_its_object_is_no_tool() -> None:
    with pytest.raises(NotSupportedError, match="is a method") as refused:
        as_tool(Bank.act)
    assert "bank.act" in refused.value.fix


async def test_another_tool_of_the_same_name_does_not_run_in_its_place() -> None:
    async def mixes(ctx: AgentContext) -> str:
        return str(await ctx.call(Bank("south").act))

    end = await MemoryRun().go(AgentProgram(mixes, tools=[Bank("north").act]))
    assert isinstance(end, Failed)
    assert isinstance(end.error, NotSupportedError)
    assert did == []


# ── what decides ──


async def later(arguments: Mapping[str, JsonValue]) -> bool:
    return False


def exits(arguments: Mapping[str, JsonValue]) -> bool:
    sys.exit(1)


@pytest.mark.parametrize("judges", [later, exits])
async def test_a_predicate_that_cannot_judge_has_a_person_asked(judges: object) -> None:
    @tool(name="act", approval=judges)  # type: ignore[call-overload, untyped-decorator]
    def act() -> str:
        return "acted"

    rule = Rule(tool="act", then=Verdict.ALLOW, predicate=judges)  # type: ignore[arg-type]
    for policy in (None, Policy(rules=[rule])):
        run = MemoryRun()
        program = AgentProgram(agent, tools=[act], policy=policy)
        assert isinstance(await run.go(program), Waiting)


async def test_what_a_predicate_does_to_the_arguments_does_not_run() -> None:
    def takes_out(arguments: dict[str, JsonValue]) -> bool:
        return arguments.pop("amount", 0) != 5

    @tool(approval=takes_out)  # type: ignore[arg-type]  # it changes what it should only read
    def act(amount: int = 1) -> str:
        did.append(amount)
        return "acted"

    async def five(ctx: AgentContext) -> None:
        await ctx.call(act, amount=5)

    await MemoryRun().go(AgentProgram(five, tools=[act]))
    assert did == [5]


async def test_what_is_no_text_cannot_be_said_and_what_is_no_utf8_can() -> None:
    async def says(ctx: AgentContext) -> None:
        await ctx.say("caf\udce9 ")
        await ctx.say({"a": 1})  # type: ignore[arg-type]

    run = MemoryRun()
    end = await run.go(AgentProgram(says))
    assert run.said == "caf\\udce9 "
    assert isinstance(end, Failed)
    assert "takes a text, not a dict" in end.error.detail
