"""What is known of a body that was left by an exception, and who is asked about it. What really
happened stands in a ledger that the bodies write, outside of everything that Sayso records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

import sayso
from sayso import AgentContext, StepFailed, ToolContext, ToolMistake, tool
from sayso.adapters.program import AgentProgram
from sayso.core.cards import UncertainEffectCard
from sayso.core.digest import JsonObject
from sayso.core.effects import EffectState
from sayso.core.errors import ToolUnavailable
from sayso.core.events import ToolCallStatus
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.record import OutcomeState
from sayso.core.segments import Completed, Waiting
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.body_results import MAX_RESULT_BYTES
from sayso.tools.prior_calls import is_equal
from sayso.tools.tool import Tool


class Ledger:
    """What was done, by whomever, in a file of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def did(self, what: str) -> None:
        with self._path.open("a") as file:
            file.write(what + "\n")

    def forget(self) -> None:
        self._path.unlink()

    @property
    def deeds(self) -> list[str]:
        return self._path.read_text().splitlines() if self._path.exists() else []


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger")


async def retrying(ctx: AgentContext) -> str:
    """What a model does: it calls, reads the error, and calls again with equal arguments."""
    for _ in range(3):
        try:
            return f"it said {await ctx.call('pay', order=1, amount=2.0)}"
        except StepFailed as exc:
            await ctx.say(f"[{exc.error_type}] ")
    return "gave up"


def paying(ledger: Ledger, raises: Callable[[], Exception], **traits: object) -> Tool[..., object]:
    """A tool that pays and then raises, the first time."""

    @tool(**traits)  # type: ignore[call-overload, untyped-decorator]  # a test's keywords
    def pay(order: int, amount: float) -> str:
        ledger.did(f"pay {order} {amount}")
        if len(ledger.deeds) == 1:
            raise raises()
        return "paid"

    return pay  # type: ignore[no-any-return]


def program(*tools: object, agent: object = retrying, **options: object) -> AgentProgram:
    return AgentProgram(agent, tools=tools, **options)  # type: ignore[arg-type]


def states(run: MemoryRun) -> list[str]:
    return [effect.state.value for effect in run.recorder.effects.values()]


def card(run: MemoryRun) -> UncertainEffectCard:
    (it,) = run.pending
    assert isinstance(it.card, UncertainEffectCard)
    return it.card


async def approved(run: MemoryRun, agent: AgentProgram) -> None:
    assert isinstance(await run.go(agent), Waiting)
    run.approve("pay")
    await run.go(agent)


# ── who is asked ──

GATED = [{"approval": True}, {"destructive": True}, {"key": "pay:{order}"}]


@pytest.mark.parametrize("traits", GATED, ids=["approved", "destructive", "key"])
async def test_an_acting_tool_that_raises_after_it_acted_is_one_effect_and_one_question(
    ledger: Ledger, traits: dict[str, object]
) -> None:
    agent, run = program(paying(ledger, lambda: OSError("reset by peer"), **traits)), MemoryRun()
    await run.go(agent)
    if "approval" in traits:
        run.approve("pay")
        await run.go(agent)
    assert ledger.deeds == ["pay 1 2.0"]
    assert states(run) == ["uncertain"]
    assert card(run).tool_name == "pay"
    assert "reset by peer" in card(run).agent_message
    assert run.said == "", "the agent hears nothing of it before a person has said what is true"
    run.answer(run.pending[0], {"selected_option": "mark_done", "values": {"result": "receipt 7"}})
    assert isinstance(await run.go(agent), Completed)
    assert run.said == "it said receipt 7"
    assert ledger.deeds == ["pay 1 2.0"]
    assert states(run) == ["done"]
    assert len(run.interactions) == (2 if "approval" in traits else 1)


@pytest.mark.parametrize(
    ("choice", "deeds", "said"),
    [
        ("run_again", ["pay 1 2.0", "pay 1 2.0"], "it said paid"),
        ("skip", ["pay 1 2.0"], "[ToolFailed] "),
    ],
)
async def test_a_person_may_have_it_run_again_or_skipped(
    ledger: Ledger, choice: str, deeds: list[str], said: str
) -> None:
    agent = program(paying(ledger, lambda: OSError("reset"), approval=True))
    run = MemoryRun()
    await approved(run, agent)
    run.answer(run.pending[0], {"selected_option": choice})
    await run.go(agent)
    assert run.said.startswith(said)
    assert ledger.deeds == deeds


async def test_a_call_that_a_person_skipped_is_not_said_not_to_have_run(ledger: Ledger) -> None:
    agent, run = program(paying(ledger, lambda: OSError("reset"), approval=True)), MemoryRun()
    await approved(run, agent)
    run.answer(run.pending[0], {"selected_option": "skip"})
    await run.go(agent)
    (effect,) = run.recorder.effects.values()
    assert effect.outcome is not None
    assert effect.outcome.state is OutcomeState.UNCLEAR
    assert run.returns[-1].status is ToolCallStatus.UNCERTAIN
    assert run.returns[-1].arguments == {"order": 1, "amount": 2.0}, "the audit tells them"


async def test_a_call_allowed_unasked_goes_on_with_its_error_and_is_asked_about_when_made_again(
    ledger: Ledger,
) -> None:
    agent, run = program(paying(ledger, lambda: OSError("reset"))), MemoryRun()
    assert isinstance(await run.go(agent), Waiting)
    assert run.said == "[OSError] "
    assert states(run) == ["uncertain"]
    assert run.returns[0].status is ToolCallStatus.UNCERTAIN
    assert ledger.deeds == ["pay 1 2.0"], "the same call again is asked about, not run"
    assert card(run).tool_name == "pay"
    run.answer(run.pending[0], {"selected_option": "mark_done", "values": {"result": "receipt 7"}})
    assert isinstance(await run.go(agent), Completed)
    assert run.said == "[OSError] it said receipt 7"
    assert ledger.deeds == ["pay 1 2.0"]
    assert states(run) == ["done"]


async def test_the_same_call_again_runs_once_a_person_says_so(ledger: Ledger) -> None:
    agent, run = program(paying(ledger, lambda: OSError("reset"))), MemoryRun()
    await run.go(agent)
    run.answer(run.pending[0], {"selected_option": "run_again"})
    assert isinstance(await run.go(agent), Completed)
    assert run.said == "[OSError] it said paid"
    assert ledger.deeds == ["pay 1 2.0", "pay 1 2.0"]


async def test_the_same_call_again_that_is_skipped_is_not_asked_about_once_more(
    ledger: Ledger,
) -> None:
    agent, run = program(paying(ledger, lambda: OSError("reset"))), MemoryRun()
    await run.go(agent)
    run.answer(run.pending[0], {"selected_option": "skip"})
    assert isinstance(await run.go(agent), Completed)
    assert ledger.deeds == ["pay 1 2.0"]
    assert len(run.interactions) == 1


@pytest.mark.parametrize("other", [{"order": 2, "amount": 2.0}, {"order": 1, "amount": 3.0}])
async def test_other_arguments_are_another_call(ledger: Ledger, other: dict[str, object]) -> None:
    async def agent(ctx: AgentContext) -> str:
        with pytest.raises(StepFailed):
            await ctx.call("pay", order=1, amount=2.0)
        return str(await ctx.call("pay", **other))

    run = MemoryRun()
    pay = paying(ledger, lambda: OSError("reset"))
    assert isinstance(await run.go(program(pay, agent=agent)), Completed)
    assert len(ledger.deeds) == 2


async def test_an_unclear_call_is_told_again_as_it_was_when_its_run_goes_on(ledger: Ledger) -> None:
    async def agent(ctx: AgentContext) -> str:
        try:
            await ctx.call("pay", order=1, amount=2.0)
        except StepFailed as exc:
            return f"{exc.message}, {await ctx.ask('And now?')}"
        return "paid"

    run = MemoryRun()
    made = program(paying(ledger, lambda: OSError("reset")), agent=agent)
    await run.go(made)
    run.answer(run.pending[0], {"additional_notes": "leave it"})
    assert isinstance(await run.go(made), Completed)
    assert run.said == "reset, leave it"
    assert ledger.deeds == ["pay 1 2.0"]


async def test_what_failed_once_is_told_again_in_its_own_words() -> None:
    def bank() -> None:
        raise sayso.NotExecuted("The bank is closed.")

    async def agent(ctx: AgentContext) -> str:
        try:
            await ctx.once("bank", bank)
        except StepFailed as exc:
            return f"{exc.message} {await ctx.ask('And now?')}"
        return "paid"

    run, made = MemoryRun(), program(agent=agent)
    await run.go(made)
    run.answer(run.pending[0], {"additional_notes": "Leave it."})
    assert isinstance(await run.go(made), Completed)
    assert run.said == "The bank is closed. Leave it."


async def test_what_returned_nothing_returns_nothing_again() -> None:
    @tool
    def file_away(order: int) -> None:
        """File it."""

    async def agent(ctx: AgentContext) -> str:
        filed = await ctx.call("file_away", order=1)
        return f"{filed} {await ctx.ask('And now?')}"

    run, made = MemoryRun(), program(file_away, agent=agent)
    await run.go(made)
    run.answer(run.pending[0], {"additional_notes": "Leave it."})
    assert isinstance(await run.go(made), Completed)
    assert run.said == "None Leave it."


@pytest.mark.parametrize("beyond", [0, 1])
async def test_a_result_may_be_as_large_as_the_limit_says(beyond: int) -> None:
    @tool
    def read() -> str:
        return "x" * (MAX_RESULT_BYTES - len('""') + beyond)

    async def agent(ctx: AgentContext) -> str:
        return str(isinstance(await ctx.call("read"), str))

    run = MemoryRun()
    await run.go(program(read, agent=agent))
    assert run.said == str(not beyond)


# ── who has said what an error means ──


def not_executed() -> Exception:
    return sayso.NotExecuted("Nothing was sent.")


@pytest.mark.parametrize(
    ("raises", "state"),
    [
        (not_executed, "not_executed"),
        (lambda: ToolUnavailable("The bank is away."), "not_executed"),
        (lambda: ToolMistake("Not this order.", suggestion="Take 2."), "not_executed"),
    ],
    ids=["NotExecuted", "ToolUnavailable", "ToolMistake"],
)
async def test_a_body_that_says_that_nothing_left_it_is_no_question(
    ledger: Ledger, raises: Callable[[], Exception], state: str
) -> None:
    async def agent(ctx: AgentContext) -> str:
        try:
            return str(await ctx.call("pay", order=1, amount=2.0))
        except StepFailed as exc:
            return exc.message

    made, run = program(paying(ledger, raises, approval=True), agent=agent), MemoryRun()
    await approved(run, made)
    assert isinstance(run.end, Completed)
    assert states(run) == [state]
    assert len(run.interactions) == 1
    assert str(raises()) in run.said


def test_what_nothing_was_done_for_is_one_kind() -> None:
    assert issubclass(ToolUnavailable, sayso.NotExecuted)
    assert issubclass(ToolMistake, sayso.NotExecuted)


async def test_on_error_failed_is_the_authors_word_that_it_has_not_acted(ledger: Ledger) -> None:
    pay = paying(ledger, lambda: OSError("reset"), destructive=True, on_error="failed")
    run = MemoryRun()
    assert isinstance(await run.go(program(pay)), Completed)
    assert states(run) == ["failed", "done"]
    assert not run.interactions


async def test_an_idempotent_tool_just_runs_again(ledger: Ledger) -> None:
    pay = paying(ledger, lambda: OSError("reset"), idempotent=True, destructive=True)
    run = MemoryRun()
    assert isinstance(await run.go(program(pay)), Completed)
    assert run.said == "[OSError] it said paid"
    assert len(ledger.deeds) == 2
    assert not run.interactions


async def test_a_look_up_stays_as_it_is(ledger: Ledger) -> None:
    run = MemoryRun()
    pay = paying(ledger, lambda: TimeoutError("slow"), read_only=True)
    assert isinstance(await run.go(program(pay)), Completed)
    assert states(run) == []
    assert [returned.status.value for returned in run.returns] == ["failed", "done"]


async def test_an_error_in_the_tools_own_words_is_a_failure() -> None:
    @tool(approval=True)
    def pay(order: int, amount: float) -> JsonValue:
        return {"status": "error", "message": "The card was declined."}

    agent, run = program(pay), MemoryRun()
    await approved(run, agent)
    assert states(run)[0] == "failed"
    assert len(run.interactions) == 1


@pytest.mark.parametrize("result", [object(), "x" * 2_000_000], ids=["no JSON", "too large"])
async def test_a_body_that_returned_has_run_whatever_becomes_of_its_result(
    ledger: Ledger, result: object
) -> None:
    @tool(approval=True)
    def pay(order: int, amount: float) -> object:
        ledger.did("paid")
        return result

    agent, run = program(pay), MemoryRun()
    await approved(run, agent)
    assert isinstance(run.end, Completed)
    assert states(run) == ["done"]
    assert [returned.status.value for returned in run.returns] == ["done"]
    assert "ran" in run.said
    assert ledger.deeds == ["paid"]


async def test_a_result_that_nests_too_deeply_is_the_result_of_a_body_that_has_run() -> None:
    deep: list[object] = []
    for _ in range(400):
        deep = [deep]

    @tool(approval=True)
    def pay(order: int, amount: float) -> object:
        return deep

    agent, run = program(pay), MemoryRun()
    await approved(run, agent)
    assert states(run) == ["done"]


# ── steps within ──


async def test_an_inner_call_that_was_asked_about_makes_one_question(ledger: Ledger) -> None:
    @tool
    def post(order: int) -> str:
        ledger.did(f"post {order}")
        raise OSError("reset")

    @tool(approval=True)
    async def pay(ctx: ToolContext, order: int, amount: float) -> str:
        return f"paid: {await ctx.call('post', order=order)}"

    async def agent(ctx: AgentContext) -> str:
        try:
            return str(await ctx.call("pay", order=1, amount=2.0))
        except StepFailed as exc:
            return f"failed: {exc.message}"

    for choice, deeds, said in (
        ("skip", ["post 1"], "failed: "),
        ("mark_done", ["post 1"], "paid: yes"),
    ):
        made, run = program(post, pay, agent=agent), MemoryRun()
        await approved(run, made)
        assert card(run).tool_name == "post", "a person approved what it is a part of"
        run.answer(run.pending[0], {"selected_option": choice, "values": {"result": "yes"}})
        assert isinstance(await run.go(made), Completed)
        assert run.said.startswith(said)
        assert len(run.interactions) == 2
        assert ledger.deeds == deeds
        ledger.forget()


async def test_an_unclear_step_leaves_the_call_around_it_unclear(ledger: Ledger) -> None:
    @tool
    def post(order: int) -> str:
        ledger.did(f"post {order}")
        raise OSError("reset")

    @tool
    async def pay(ctx: ToolContext, order: int, amount: float) -> str:
        return f"paid: {await ctx.call('post', order=order)}"

    run = MemoryRun()
    assert isinstance(await run.go(program(post, pay)), Waiting)
    assert card(run).tool_name == "pay"
    assert ledger.deeds == ["post 1"]
    assert set(states(run)) == {"uncertain"}


async def test_a_step_that_is_done_once_is_asked_about_and_may_run_again(ledger: Ledger) -> None:
    def post() -> str:
        ledger.did("post")
        if len(ledger.deeds) == 1:
            raise OSError("reset")
        return "ok"

    @tool(approval=True)
    async def pay(ctx: ToolContext, order: int, amount: float) -> str:
        return f"paid: {await ctx.once('post', post)}"

    agent, run = program(pay), MemoryRun()
    await approved(run, agent)
    assert card(run).tool_name == "post"
    run.answer(run.pending[0], {"selected_option": "run_again"})
    assert isinstance(await run.go(agent), Completed)
    assert run.said == "it said paid: ok"
    assert len(run.interactions) == 2
    assert ledger.deeds == ["post", "post"]


async def test_a_step_that_never_began_says_nothing_of_the_call_around_it() -> None:
    """What the body did before its step is not known by that."""

    def post() -> str:
        raise sayso.NotExecuted("Nothing was sent.")

    @tool(approval=True)
    async def pay(ctx: ToolContext, order: int, amount: float) -> str:
        return f"paid: {await ctx.once('post', post)}"

    agent, run = program(pay), MemoryRun()
    await approved(run, agent)
    assert card(run).tool_name == "pay"
    assert states(run) == ["uncertain", "not_executed"]


# ── somebody who looks it up ──


def looked_up(ledger: Ledger, found: object) -> AgentProgram:
    async def look(order: int) -> object:
        ledger.did(f"look {order}")
        if isinstance(found, Exception):
            raise found
        return found

    @tool(reconcile=look)
    def pay(order: int, amount: float) -> str:
        ledger.did(f"pay {order} {amount}")
        raise OSError("reset")

    async def agent(ctx: AgentContext) -> str:
        try:
            return f"it said {await ctx.call('pay', order=1, amount=2.0)}"
        except StepFailed as exc:
            return exc.message

    return program(pay, agent=agent)


async def test_a_look_up_that_breaks_is_logged(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    run = MemoryRun()
    await run.go(looked_up(ledger, ConnectionError("the bank is away")))
    assert "reconcile of 'pay' could not tell" in caplog.text
    assert [it.card.card.value for it in run.pending] == ["uncertain_effect"]


async def test_a_look_up_that_finds_it_brings_the_result(ledger: Ledger) -> None:
    run = MemoryRun()
    end = await run.go(looked_up(ledger, sayso.Done({"receipt": 7})))
    assert isinstance(end, Completed)
    assert run.said == "it said {'receipt': 7}"
    assert states(run) == ["done"]
    assert [returned.status.value for returned in run.returns][-1] == "done"
    assert ledger.deeds == ["pay 1 2.0", "look 1"]


async def test_a_look_up_that_knows_that_it_was_not_done(ledger: Ledger) -> None:
    run = MemoryRun()
    assert isinstance(await run.go(looked_up(ledger, sayso.NotDone())), Completed)
    assert states(run) == ["not_executed"]
    assert "reset" in run.said


@pytest.mark.parametrize("found", [None, OSError("away")], ids=["unknown", "raises"])
async def test_a_look_up_that_cannot_tell_leaves_it_to_a_person(
    ledger: Ledger, found: object
) -> None:
    run = MemoryRun()
    agent = looked_up(ledger, found)
    assert isinstance(await run.go(agent), Waiting)
    assert card(run).tool_name == "pay"
    run.answer(run.pending[0], {"selected_option": "mark_done", "values": {"result": "ok"}})
    assert isinstance(await run.go(agent), Completed)
    assert run.said == "it said ok"


async def test_a_look_up_asks_nobody(ledger: Ledger, caplog: pytest.LogCaptureFixture) -> None:
    async def look(ctx: ToolContext, order: int) -> object:
        return await ctx.ask("Was it paid?")

    @tool(reconcile=look)
    def pay(order: int) -> str:
        raise OSError("reset")

    async def agent(ctx: AgentContext) -> str:
        return str(await ctx.call("pay", order=1))

    run = MemoryRun()
    await run.go(program(pay, agent=agent))
    assert [it.card.card.value for it in run.pending] == ["uncertain_effect"]
    assert "reconcile of 'pay' could not tell" in caplog.text


async def test_it_is_looked_up_after_a_crash_too(ledger: Ledger) -> None:
    run, agent = MemoryRun(), looked_up(ledger, sayso.Done("receipt 7"))

    def crash(at: str) -> None:
        if at == "before ended:pay":
            raise Crash(at)

    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(agent)
    run.recorder.crash_at = None
    assert isinstance(await run.go(agent), Completed)
    assert run.said == "it said receipt 7"
    assert ledger.deeds == ["pay 1 2.0", "look 1"]


def test_a_look_up_takes_what_the_tool_takes() -> None:
    with pytest.raises(sayso.NotSupportedError, match="customer"):
        tool(reconcile=lambda customer: None)(lambda order: None)


# ── the same call after a no ──


def gated(ledger: Ledger, name: str = "pay") -> Tool[..., object]:
    @tool(approval=True, name=name)
    def pay(order: int, amount: float) -> str:
        ledger.did(f"pay {order} {amount}")
        return "paid"

    return pay  # type: ignore[return-value]


async def test_the_same_call_after_a_no_is_answered_with_that_no(ledger: Ledger) -> None:
    async def agent(ctx: AgentContext) -> str:
        first = await ctx.call("pay", order=1, amount=2.0)
        second = await ctx.call("pay", order=1, amount=2)
        return f"{first == second} {second}"

    made, run = program(gated(ledger), agent=agent), MemoryRun()
    await run.go(made)
    run.reject("pay", "not this week")
    assert isinstance(await run.go(made), Completed)
    assert run.said.startswith("True")
    assert "not this week" in run.said
    assert len(run.interactions) == 1
    assert [returned.status.value for returned in run.returns] == ["rejected", "rejected"]
    asked: JsonObject = {"order": 1, "amount": 2.0}
    assert [returned.arguments for returned in run.returns] == [asked, asked]
    assert ledger.deeds == []


@pytest.mark.parametrize("settle", ["dismiss", "expire"])
async def test_no_answer_is_no_no(ledger: Ledger, settle: str) -> None:
    async def agent(ctx: AgentContext) -> None:
        for _ in range(2):
            await ctx.call("pay", order=1, amount=2.0)

    made, run = program(gated(ledger), agent=agent), MemoryRun()
    await run.go(made)
    getattr(run, settle)("pay")
    assert isinstance(await run.go(made), Waiting)
    assert len(run.interactions) == 2


@pytest.mark.parametrize(
    "other", [("pay", {"order": 1, "amount": 3.0}), ("pay2", {"order": 1, "amount": 2.0})]
)
async def test_a_no_is_about_one_call(ledger: Ledger, other: tuple[str, dict[str, object]]) -> None:
    async def agent(ctx: AgentContext) -> None:
        await ctx.call("pay", order=1, amount=2.0)
        await ctx.call(other[0], **other[1])

    made, run = program(gated(ledger), gated(ledger, "pay2"), agent=agent), MemoryRun()
    await run.go(made)
    run.reject("pay", "no")
    assert isinstance(await run.go(made), Waiting)
    assert len(run.pending) == 1


async def test_a_person_who_writes_again_may_be_asked_again(ledger: Ledger) -> None:
    async def agent(ctx: AgentContext) -> None:
        await ctx.call("pay", order=1, amount=2.0)
        await ctx.ask("Sure?")
        await ctx.call("pay", order=1, amount=2.0)

    made, run = program(gated(ledger), agent=agent), MemoryRun()
    await run.go(made)
    run.reject("pay", "no")
    await run.go(made)
    run.answer(run.pending[0], {"additional_notes": "No, I was wrong: pay it."})
    assert isinstance(await run.go(made), Waiting)
    run.approve("pay")
    assert isinstance(await run.go(made), Completed)
    assert ledger.deeds == ["pay 1 2.0"]


@pytest.mark.parametrize("then", ["another call is approved", "a question is dismissed"])
async def test_a_no_stands_until_a_person_writes(ledger: Ledger, then: str) -> None:
    async def agent(ctx: AgentContext) -> None:
        await ctx.call("pay", order=1, amount=2.0)
        if then == "another call is approved":
            await ctx.call("pay2", order=1, amount=2.0)
        else:
            await ctx.ask("Sure?")
        await ctx.call("pay", order=1, amount=2.0)

    made, run = program(gated(ledger), gated(ledger, "pay2"), agent=agent), MemoryRun()
    await run.go(made)
    run.reject("pay", "no")
    await run.go(made)
    if then == "another call is approved":
        run.approve("pay2")
    else:
        run.dismiss(run.pending[0])
    assert isinstance(await run.go(made), Completed)
    assert len(run.interactions) == 2


@pytest.mark.parametrize("question_first", [True, False])
@pytest.mark.parametrize("no_first", [True, False])
async def test_since_a_no_is_told_by_when_it_was_answered_and_not_by_when_it_was_asked(
    ledger: Ledger, question_first: bool, no_first: bool
) -> None:
    async def agent(ctx: AgentContext) -> None:
        both = [ctx.ask("Which month?"), ctx.call("pay", order=1, amount=2.0)]
        await ctx.gather(*(both if question_first else reversed(both)))
        await ctx.call("pay", order=1, amount=2.0)

    made, run = program(gated(ledger), agent=agent), MemoryRun()
    await run.go(made)
    question = next(it for it in run.pending if it.proposal is None)
    if no_first:
        run.reject("pay", "no")
    run.answer(question, {"additional_notes": "May"})
    if not no_first:
        run.reject("pay", "no")
    end = await run.go(made)
    assert isinstance(end, Waiting if no_first else Completed)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ({"a": [1, 2]}, {"a": [1.0, 2]}, True),
        ([1, 2], [2, 1], False),
        (2**60, 2**60, True),
        (2**60, 2**60 + 1, False),
    ],
)
def test_calls_are_the_same_as_json_is(one: JsonValue, other: JsonValue, same: bool) -> None:
    assert is_equal({"order": one}, {"order": other}) is same


async def test_the_newest_no_is_the_one_that_is_told(ledger: Ledger) -> None:
    async def agent(ctx: AgentContext) -> str:
        said = [await ctx.call("pay", order=1, amount=2.0)]
        await ctx.ask("Sure?")
        said += [await ctx.call("pay", order=1, amount=2.0) for _ in range(2)]
        return "|".join(map(str, said))

    made, run = program(gated(ledger), agent=agent), MemoryRun()
    await run.go(made)
    run.reject("pay", "not this week")
    await run.go(made)
    run.answer(run.pending[0], {"additional_notes": "Try once more."})
    await run.go(made)
    run.reject("pay", "never")
    assert isinstance(await run.go(made), Completed)
    first, *later = run.said.split("|")
    assert "not this week" in first
    assert ["never" in words for words in later] == [True, True]
    assert ledger.deeds == []


async def test_a_rule_that_allows_the_call_by_then_is_no_way_around_the_no(ledger: Ledger) -> None:
    async def agent(ctx: AgentContext) -> None:
        for _ in range(2):
            await ctx.call("pay", order=1, amount=2.0)

    run = MemoryRun()
    await run.go(program(gated(ledger), agent=agent))
    run.reject("pay", "no")
    allowing = program(gated(ledger), agent=agent, policy=[Rule(tool="pay", then=Verdict.ALLOW)])
    assert isinstance(await run.go(allowing), Completed)
    assert ledger.deeds == []


def test_the_states_of_an_effect_are_what_they_were() -> None:
    assert [state.value for state in EffectState] == [
        "started",
        "done",
        "failed",
        "uncertain",
        "not_executed",
    ]
