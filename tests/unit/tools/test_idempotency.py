"""Business keys: what a template says of the arguments that run, and what a second call gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from sayso import AgentContext, NotSupportedError, StepFailed, ToolContext, tool
from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed, Waiting
from sayso.testing.recorder import MemoryRun
from sayso.tools.idempotency import Done, NotDone, as_found, business_key
from sayso.tools.tool import Tool


@pytest.mark.parametrize(
    ("template", "arguments", "key"),
    [
        ("refund:{order}", {"order": 1001, "amount": 4.0}, "refund:1001"),
        ("refund:{order}", {"order": "1001"}, "refund:1001"),
        ("{a}:{b}", {"a": "1:2", "b": "3"}, "1%3A2:3"),
        ("{a}:{b}", {"a": "1", "b": "2:3"}, "1:2%3A3"),
        ("{a}", {"a": 2.0}, "2"),
        ("{a}", {"a": 2.5}, "2.5"),
        ("{a}", {"a": None}, "=null"),
        ("{a}", {"a": "null"}, "null"),
        ("{a}", {"a": True}, "=true"),
        ("{a}", {"a": {"b": [1]}}, "=%7B%22b%22%3A%5B1%5D%7D"),
        ("{a}", {"a": 2**70}, str(2**70)),
        ("{{{a}}}", {"a": "x"}, "{x}"),
        ("close the month", {}, "close the month"),
    ],
)
def test_a_key_is_what_the_template_says(
    template: str, arguments: dict[str, JsonValue], key: str
) -> None:
    assert business_key(template, arguments) == key


@pytest.mark.parametrize(
    "template",
    [
        "refund:{customer}",
        "{}",
        "{0}",
        "{order.id}",
        "{order[0]}",
        "{order!r}",
        "{order:>9}",
        "{",
        " ",
    ],
)
def test_a_template_that_the_arguments_cannot_fill_is_an_error_at_its_declaration(
    template: str,
) -> None:
    with pytest.raises(NotSupportedError):
        tool(key=template)(lambda order: None)


@pytest.mark.parametrize("template", ["close the month", "close {order} now", "{{{order}}}"])
def test_a_template_may_have_words_around_its_arguments(template: str) -> None:
    tool(key=template)(lambda order: None)


async def test_a_look_up_takes_what_it_names() -> None:
    def pay(order: int, amount: int) -> None: ...

    async def by_order(order: int, key: str) -> Done:
        return Done([order, key])

    async def with_context(ctx: ToolContext) -> Done:
        return Done(ctx)

    given: dict[str, JsonValue] = {"order": 7, "amount": 5}
    bare, aware = (tool(reconcile=look)(pay) for look in (by_order, with_context))
    assert await bare.look_up(given, None, "k") == Done([7, "k"])
    assert await aware.look_up(given, "the context", "k") == Done("the context")
    with pytest.raises(NotSupportedError, match="takes 'order'"):
        tool(reconcile=by_order)(lambda amount: None)


def test_nothing_of_a_value_reads_as_the_template() -> None:
    assert business_key("a/{of}", {"of": "b/c"}) == "a/b%2Fc"
    assert business_key("a/{of}", {"of": {"b": "c/d"}}) == "a/=%7B%22b%22%3A%22c%2Fd%22%7D"


def test_the_order_of_names_makes_no_other_key() -> None:
    one, other = ({"to": {"a": 1, "b": 2}}, {"to": {"b": 2, "a": 1}})
    assert business_key("{to}", one) == business_key("{to}", other)  # type: ignore[arg-type]


@pytest.mark.parametrize("found", [None, Done(5), NotDone()])
def test_a_look_up_finds_one_of_three(found: Done | NotDone | None) -> None:
    assert as_found(found, "pay") is found
    with pytest.raises(TypeError, match="reconcile of 'pay'"):
        as_found("done", "pay")


def test_what_does_nothing_has_no_key() -> None:
    with pytest.raises(NotSupportedError):
        tool(key="{order}", read_only=True)(lambda order: None)


def refunding(ledger: Path, **traits: object) -> Tool[..., object]:
    @tool(key="refund:{order}", **traits)  # type: ignore[call-overload, untyped-decorator]
    def refund(order: int, amount: float = 4.0) -> str:
        with ledger.open("a") as file:
            file.write(f"{order} {amount}\n")
        return f"receipt {order}"

    return refund  # type: ignore[no-any-return]


def deeds(ledger: Path) -> list[str]:
    return ledger.read_text().splitlines() if ledger.exists() else []


async def test_what_was_done_is_not_done_again_and_asks_nobody(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"

    async def agent(ctx: AgentContext) -> str:
        first = await ctx.call("refund", order=1)
        second = await ctx.call("refund", order=1, amount=9.0)
        return f"{first} {second}"

    made = AgentProgram(agent, tools=[refunding(ledger, approval=True)])
    run = MemoryRun()
    await run.go(made)
    run.approve("refund")
    assert isinstance(await run.go(made), Completed)
    assert run.said == "receipt 1 receipt 1"
    assert deeds(ledger) == ["1 4.0"]
    assert len(run.interactions) == 1
    shown = run.returns[-1].result
    assert isinstance(shown, dict)
    assert shown["result"] == "receipt 1"
    assert "was done already" in str(shown["note"])


async def test_the_key_is_over_the_arguments_that_run(tmp_path: Path) -> None:
    """A person changes the order to one that was refunded before."""
    ledger = tmp_path / "ledger"

    async def agent(ctx: AgentContext) -> str:
        await ctx.call("refund", order=1)
        return str(await ctx.call("refund", order=2))

    made = AgentProgram(agent, tools=[refunding(ledger, approval=True)])
    run = MemoryRun()
    await run.go(made)
    run.approve("refund")
    assert isinstance(await run.go(made), Waiting)
    run.approve("refund", edits={"order": 1})
    assert isinstance(await run.go(made), Completed)
    assert run.said == "receipt 1"
    assert deeds(ledger) == ["1 4.0"]


async def test_two_at_once_are_one_deed(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"

    async def agent(ctx: AgentContext) -> str:
        return str(await ctx.gather(*(ctx.call("refund", order=1, amount=n) for n in (4.0, 5.0))))

    made = AgentProgram(agent, tools=[refunding(ledger, approval=True)])
    run = MemoryRun()
    await run.go(made)
    for it in run.pending:
        run.approve(it)
    end = await run.go(made)
    assert len(deeds(ledger)) == 1
    # The second came while the first was under way, or found what it had done.
    assert "receipt 1" in run.said or "already" in str(end).lower() or run.returns


async def test_what_is_unclear_is_not_run_and_not_queued(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"

    @tool(key="refund:{order}", approval=True)
    def pay_back(order: int) -> None:
        raise OSError("reset")

    async def agent(ctx: AgentContext) -> str:
        async def second() -> str:
            try:
                return str(await ctx.call("refund", order=1))
            except StepFailed as exc:
                return exc.error_type

        return str(await ctx.gather(ctx.call("pay_back", order=1), second()))

    made = AgentProgram(agent, tools=[refunding(ledger, approval=True), pay_back])
    run = MemoryRun()
    await run.go(made)
    run.approve("pay_back")
    await run.go(made)
    assert [effect.state.value for effect in run.recorder.effects.values()] == ["uncertain"]
    run.approve("refund")
    await run.go(made)
    assert deeds(ledger) == []
    (ended,) = [r for r in run.returns if r.status.value == "not_executed"]
    assert isinstance(ended.result, dict)
    assert ended.result["code"] == "already_under_way"
    run.answer(run.pending[0], {"selected_option": "skip"})


@pytest.mark.parametrize("on_error", ["failed"])
async def test_what_failed_frees_its_key(tmp_path: Path, on_error: str) -> None:
    tries: list[int] = []

    @tool(key="refund:{order}", on_error="failed")
    def refund(order: int) -> str:
        tries.append(order)
        if len(tries) == 1:
            raise OSError("refused")
        return "receipt"

    async def agent(ctx: AgentContext) -> str:
        with pytest.raises(StepFailed):
            await ctx.call("refund", order=1)
        return str(await ctx.call("refund", order=1))

    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent, tools=[refund])), Completed)
    assert run.said == "receipt"
