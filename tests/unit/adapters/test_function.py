"""Function agents: resumed by replay, in order, and never a second time."""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import replace
from typing import Any

import orjson
import pytest
from pydantic import BaseModel, Field, field_validator

from sayso.adapters.program import AgentProgram
from sayso.adapters.registry import find_adapter
from sayso.core.cards import FormCard
from sayso.core.digest import JsonObject
from sayso.core.errors import AgentFailed, NotSupportedError, ReplayDiverged, StateUnreadable
from sayso.core.events import ArtifactChanged, ProgressMade
from sayso.core.segments import Cancelled, Completed, Failed, Waiting
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.answer_messages import ApprovalAnswer
from sayso.tools.asking import Choice
from sayso.tools.context import AgentContext
from sayso.tools.suspension import StepFailed, Unanswered
from sayso.tools.tool import tool


async def finished(run: MemoryRun, program: AgentProgram) -> str:
    end = await run.go(program)
    assert isinstance(end, Completed), end
    return end.output


async def test_text_streams_and_is_not_doubled_by_a_pause() -> None:
    async def agent(ctx, message):
        await ctx.say(f"You said {message}. ")
        name = await ctx.ask("Who are you?")
        await ctx.say(f"Hello {name}.")

    run, it = MemoryRun("hi"), AgentProgram(agent)
    assert isinstance(await run.go(it), Waiting)
    assert run.said == "You said hi. "
    run.answer("Who are you?", {"additional_notes": "Ada"})
    run = pickle.loads(pickle.dumps(run))
    assert await finished(run, it) == "You said hi. Hello Ada."
    assert run.said == "You said hi. Hello Ada."


async def test_every_question_and_its_answer() -> None:
    class Address(BaseModel):
        street: str
        number: int = Field(ge=1)

        @field_validator("street")
        @classmethod
        def _no_moon(cls, street: str) -> str:
            if street == "moon":
                raise ValueError("nobody lives there")
            return street

    got: list[object] = []

    async def agent(ctx):
        got[:] = []
        got.append(await ctx.choose("Which?", ["mass", {"id": "energy", "label": "Energy"}]))
        got.append(await ctx.form(Address, title="Where?", values={"number": 3}))
        got.append(await ctx.confirm("Sure?", details={"a": 1}, impact="It ships"))
        got.append(await ctx.approve("product", "Product X", {"name": "X"}, "Creates X"))
        got.append(await ctx.ui_tool("Pick", {"title": "Pick one"}))

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    run.answer("Which?", {"selected_option": "mass", "additional_notes": "hm"})
    await run.go(it)
    run.answer("Where?", {"street": "moon", "number": 2})
    await run.go(it)
    card = run.pending[0].card
    assert isinstance(card, FormCard)
    assert card.message == "street: Value error, nobody lives there"
    assert card.values == {"street": "moon", "number": 2}
    run.answer("Where?", {"street": "Main", "number": 2})
    await run.go(it)
    run.approve("Sure?")
    await run.go(it)
    run.reject("Product X", "no", "Y")
    await run.go(it)
    run.answer("Pick one", {"picked": 7})
    assert isinstance(await run.go(it), Completed)
    choice, address, sure, decision, picked = got
    assert isinstance(choice, Choice)
    assert isinstance(decision, ApprovalAnswer)
    assert (choice.id, choice.notes) == ("mass", "hm")
    assert address == Address(street="Main", number=2)
    assert sure is True
    assert not decision
    assert (decision.reason, decision.suggestions) == ("no", ("Y",))
    assert picked == {"picked": 7}


async def test_gather_registers_every_question_and_takes_answers_in_any_order() -> None:
    async def agent(ctx):
        answers = await ctx.gather(*(ctx.ask(f"Q{n}?") for n in range(3)))
        return ",".join(answers)

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    assert [p.title for p in run.pending] == ["Q0?", "Q1?", "Q2?"]
    for n in (2, 0, 1):
        run.answer(f"Q{n}?", {"additional_notes": str(n)})
        await run.go(it)
    assert run.said == "0,1,2"


async def test_branches_go_on_by_themselves() -> None:
    async def branch(ctx, name):
        first = await ctx.ask(f"{name} one?")
        second = await ctx.ask(f"{name} two?")
        return first + second

    async def agent(ctx):
        return "/".join(await ctx.gather(branch(ctx, "a"), branch(ctx, "b")))

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    for title in ("b one?", "b two?", "a one?", "a two?"):
        run.answer(title, {"additional_notes": title[:3]})
        await run.go(it)
    assert run.said == "a oa t/b ob t"


async def test_time_ids_and_chance_are_what_they_were() -> None:
    seen = []

    async def agent(ctx):
        seen.append((ctx.now(), ctx.uuid(), ctx.uuid(), ctx.random()))
        await ctx.ask("Go on?")

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    run.answer("Go on?", {"additional_notes": "yes"})
    await run.go(it)
    assert seen[0] == seen[1]
    assert seen[0][1] != seen[0][2]


async def test_once_runs_once_and_errors_are_one_class() -> None:
    ran: list[int] = []
    errors: list[object] = []

    def charge() -> dict[str, int]:
        ran.append(1)
        return {"paid": 1}

    async def agent(ctx):
        assert await ctx.once("charge", charge) == {"paid": 1}
        try:
            await ctx.once("fail", lambda: 1 / 0)
        except StepFailed as exc:
            errors.append(exc.message)
        await ctx.ask("Go on?")

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    assert errors == [], "it may have acted: a person is asked before the agent hears of it"
    run.answer("Did fail run?", {"selected_option": "skip"})
    await run.go(it)
    run.answer("Go on?", {"additional_notes": "yes"})
    await finished(run, it)
    assert ran == [1]
    assert len(errors) == 2
    assert errors[0] == errors[1], "the same on each replay"


async def test_tools_rejections_are_values_and_errors_are_raised() -> None:
    @tool(approval=True)
    def refund(order: int) -> str:
        return "refunded"

    @tool
    def broken() -> None:
        raise KeyError("x")

    said: list[object] = []

    async def agent(ctx):
        said[:] = []
        try:
            await ctx.call(broken)
        except StepFailed as exc:
            said.append(exc.error_type)
        said.append(await ctx.call("refund", order=1))
        said.append(await ctx.call(refund, order=2))

    run, it = MemoryRun(), AgentProgram(agent, tools=[refund, broken])
    await run.go(it)
    run.reject("refund", "no")
    await run.go(it)
    run.approve("refund", edits={"order": 3})
    await finished(run, it)
    assert said == ["KeyError", {"status": "rejected", "reason": "no"}, "refunded"]
    assert len(run.recorder.attempts) == 2
    assert len(run.calls) == 3


async def test_progress_and_artifacts_are_shown_once_in_order_with_the_text() -> None:
    async def agent(ctx):
        await ctx.say("a")
        await ctx.progress(["read", "write"], current="read")
        await ctx.say("b")
        await ctx.show(title="Table", content={"rows": []}, artifact_id="t")
        await ctx.ask("Go on?")

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    run.answer("Go on?", {"additional_notes": "yes"})
    await finished(run, it)
    shown = list(run.recorder.events)
    assert [type(event) for event in shown] == [ProgressMade, ArtifactChanged]
    assert run.said == "ab"


@pytest.mark.parametrize("settle", ["dismiss", "expire"])
async def test_an_unanswered_question_ends_the_run_quietly_or_is_caught(settle: str) -> None:
    async def quiet(ctx):
        await ctx.say("So. ")
        await ctx.ask("Go on?")

    async def catches(ctx):
        try:
            await ctx.ask("Go on?")
        except Unanswered as exc:
            return exc.status

    for agent, said in ((quiet, "So. "), (catches, settle.rstrip("e") + "ed")):
        run, it = MemoryRun(), AgentProgram(agent)
        await run.go(it)
        getattr(run, settle)("Go on?")
        assert await finished(run, it) in (said, said.replace("dismissed", "dismissed"))


async def test_a_yes_to_stopping_cancels_the_run() -> None:
    async def agent(ctx):
        await ctx.offer_to_stop("Stop here?")
        return "went on"

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    assert run.pending[0].type.value == "cancellation"
    run.approve("Stop here?")
    assert isinstance(await run.go(it), Cancelled)


async def test_finally_bodies_run_at_each_pause() -> None:
    closed: list[object] = []

    async def agent(ctx):
        try:
            await ctx.ask("One?")
            await ctx.ask("Two?")
        except Exception:
            closed.append("caught")
        finally:
            closed.append(1)

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    run.answer("One?", {"additional_notes": "1"})
    await run.go(it)
    assert closed == [1, 1]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ("other question", "ask 'Other?' where it had ask 'First?'"),
        ("skips it", "ends or waits without reaching ask 'First?'"),
        ("other words", "says other words"),
        ("less text", "reaches once 'x' before it has said"),
        ("swallows it", "ask 'Other?' where it had ask 'First?'"),
    ],
)
async def test_changed_code_is_an_error_that_names_the_step(changed: str, named: str) -> None:
    ran = []

    async def before(ctx):
        await ctx.say("Hello. ")
        await ctx.ask("First?")

    async def after(ctx):
        if changed != "less text":
            await ctx.say("Hullo. " if changed == "other words" else "Hello. ")
        if changed == "skips it":
            return
        if changed == "swallows it":
            try:
                await ctx.ask("Other?")
            except Exception:
                await ctx.once("x", lambda: ran.append(1))
        await ctx.ask("Other?" if changed == "other question" else "First?")
        await ctx.once("x", lambda: ran.append(1))

    run = MemoryRun()
    await run.go(AgentProgram(before))
    run.answer("First?", {"additional_notes": "1"})
    end = await run.go(AgentProgram(after))
    assert isinstance(end, Failed)
    assert isinstance(end.error, ReplayDiverged)
    assert named in end.error.detail
    assert ran == []


async def test_an_agent_that_raises_fails_with_its_own_words() -> None:
    async def agent(ctx):
        raise ValueError("no such thing")

    end = await MemoryRun().go(AgentProgram(agent))
    assert isinstance(end, Failed)
    assert isinstance(end.error, AgentFailed)
    assert end.error.detail == "The agent 'agent' stopped: ValueError: no such thing"


async def test_cancelling_the_consumer_cancels_and_awaits_the_agent() -> None:
    log = []
    entered = asyncio.Event()

    async def agent(ctx):
        try:
            await ctx.say("start ")
            entered.set()
            await asyncio.sleep(60)
        finally:
            log.append("cleaned")

    run = MemoryRun()
    task = asyncio.create_task(run.go(AgentProgram(agent)))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log == ["cleaned"]
    assert run.said == "start "


async def test_a_crash_takes_up_at_the_saved_step() -> None:
    done = []

    @tool
    def act(n: int) -> int:
        done.append(n)
        return n

    async def agent(ctx):
        one = await ctx.call(act, n=1)
        await ctx.say("between ")
        two = await ctx.call(act, n=2)
        return f"{one}{two}"

    run, it = MemoryRun(), AgentProgram(agent, tools=[act])

    def crash(at: str) -> None:
        if at == "before started:act" and done:
            raise Crash(at)

    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(it)
    run.recorder.crash_at = None
    assert await finished(run, it) == "between 12"
    assert done == [1, 2]


async def test_an_async_generator_is_an_agent_and_a_plain_function_is_not() -> None:
    async def agent(ctx):
        yield "a"
        yield await ctx.ask("Then?")

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    run.answer("Then?", {"additional_notes": "b"})
    assert await finished(run, it) == "ab"
    with pytest.raises(NotSupportedError, match="plain `def`"):
        find_adapter(lambda ctx: None)
    with pytest.raises(NotSupportedError, match="No adapter"):
        find_adapter(object())


async def test_an_own_gather_works_for_tools() -> None:
    @tool(read_only=True)
    async def double(n: int) -> int:
        return 2 * n

    async def agent(ctx):
        await ctx.ask("Go?")
        both = await asyncio.gather(ctx.call(double, n=1), ctx.call(double, n=2))
        await ctx.ask("On?")
        return str(both)

    run, it = MemoryRun(), AgentProgram(agent, tools=[double])
    await run.go(it)
    run.answer("Go?", {"additional_notes": "y"})
    await run.go(it)
    run.answer("On?", {"additional_notes": "y"})
    assert await finished(run, it) == "[2, 4]"


async def test_history_is_the_same_after_a_pause() -> None:
    async def agent(ctx):
        before = [m.content for m in ctx.history]
        await ctx.ask("Go?")
        return str(before == [m.content for m in ctx.history] == ["earlier"])

    run = MemoryRun(history=[UniversalMessage(role="user", content="earlier")])
    it = AgentProgram(agent)
    await run.go(it)
    assert run.recorder.saved is not None
    assert b"earlier" not in run.recorder.saved.journal, "the chat has it"
    run.answer("Go?", {"additional_notes": "y"})
    assert await finished(run, it) == "True"


async def test_the_history_in_an_older_journal_is_read() -> None:
    async def agent(ctx):
        await ctx.ask("Go?")
        return ctx.history[0].content

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    saved = run.recorder.saved
    assert saved is not None
    journal = {**orjson.loads(saved.journal), "history": [{"role": "user", "content": "earlier"}]}
    del journal["history_at"]
    run.recorder.saved = replace(saved, journal=orjson.dumps(journal))
    run.answer("Go?", {"additional_notes": "y"})
    assert await finished(run, it) == "earlier"


@pytest.mark.parametrize("part", ["adapter", "version", "journal"])
async def test_a_state_that_cannot_be_read_says_so(part: str) -> None:
    from dataclasses import replace

    async def agent(ctx):
        await ctx.ask("Go?")

    run, it = MemoryRun(), AgentProgram(agent)
    await run.go(it)
    wrong: Any = b'{"version": 99}' if part == "journal" else "other"
    assert run.recorder.saved is not None
    run.recorder.saved = replace(run.recorder.saved, **{part: wrong})
    end = await run.go(it)
    assert isinstance(end, Failed)
    assert isinstance(end.error, StateUnreadable)


@pytest.mark.parametrize("raises", [True, False], ids=["raises", "returns an error"])
async def test_what_a_failure_says_of_a_secret_is_masked(
    raises: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Its words go on into the chat, as an error of the run or as what came of a retry, and into
    the log."""

    @tool(secrets=["key"])
    def act(key: str) -> object:
        if raises:
            raise ValueError(f"wrong key: {key}")
        return {"status": "error", "message": f"wrong key: {key}", "suggestion": "another"}

    async def agent(ctx):
        return await ctx.call(act, key="hunter22")

    it = AgentProgram(agent, tools=[act])
    context: JsonObject = {"tool_name": "act", "arguments": {"key": "hunter22"}}
    retry = TaskRequest(task_id="r", task_type="tool_retry", messages=[], context=context)
    for run in (MemoryRun(), MemoryRun(task=retry)):
        end = await run.go(it)
        detail = end.error.detail if isinstance(end, Failed) else ""
        assert "hunter22" not in f"{run.said} {detail} {run.recorder.events}"
        assert "wrong key" in f"{run.said} {detail} {run.recorder.events}"
    assert "hunter22" not in caplog.text
    assert "Traceback" not in caplog.text
    assert (f"ValueError at {__file__}:" in caplog.text) == raises


async def test_an_error_without_secrets_is_logged_whole(caplog: pytest.LogCaptureFixture) -> None:
    @tool
    def act() -> None:
        raise ValueError("no key")

    async def agent(ctx):
        return await ctx.call(act)

    await MemoryRun().go(AgentProgram(agent, tools=[act]))
    assert "Traceback" in caplog.text
    assert "ValueError: no key" in caplog.text


async def test_a_retry_runs_one_tool_and_says_what_came_of_it() -> None:
    @tool(approval=True, secrets=["key"])
    def act(n: int, key: str = "") -> int:
        return n

    async def agent(ctx): ...

    def task(**arguments) -> TaskRequest:
        context: JsonObject = {"tool_name": "act", "arguments": arguments}
        return TaskRequest(task_id="r", task_type="tool_retry", messages=[], context=context)

    it = AgentProgram(agent, tools=[act])
    run = MemoryRun(task=task(n=1))
    await run.go(it)
    run.approve("act")
    assert await finished(run, it) == "act ran again and succeeded."
    masked = MemoryRun(task=task(n=1, key="•••"))
    assert "needs to be given again" in await finished(masked, it)


async def test_calls_of_two_tools_with_equal_arguments_are_two_calls() -> None:
    ran: list[str] = []

    @tool(read_only=True)
    async def look_up(order: int) -> str:
        ran.append(f"look_up {order}")
        return f"order {order} is paid"

    @tool(approval=True)
    async def refund(order: int) -> str:
        ran.append(f"refund {order}")
        return f"refunded {order}"

    @tool(approval=True)
    async def cancel(order: int) -> str:
        ran.append(f"cancel {order}")
        return f"cancelled {order}"

    async def agent(ctx):
        for step in (look_up, refund, cancel, look_up):
            await ctx.say(f"{await ctx.call(step, order=7)}. ")

    run, it = MemoryRun(), AgentProgram(agent, tools=[look_up, refund, cancel])
    for expected in ("refund", "cancel"):
        assert isinstance(await run.go(it), Waiting)
        assert [card.proposal.tool_name for card in run.pending if card.proposal] == [expected]
        run.approve(run.pending[0])
        run = pickle.loads(pickle.dumps(run))
    said = await finished(run, it)
    assert said == "order 7 is paid. refunded 7. cancelled 7. order 7 is paid. "
    assert ran == ["look_up 7", "refund 7", "cancel 7", "look_up 7"]


async def test_inner_calls_of_two_tools_with_equal_arguments_are_two_calls() -> None:
    ran: list[str] = []

    @tool
    async def a(n: int) -> str:
        ran.append(f"a {n}")
        return "A"

    @tool
    async def b(n: int) -> str:
        ran.append(f"b {n}")
        return "B"

    @tool
    async def outer(ctx: AgentContext) -> str:
        return f"{await ctx.call(a, n=5)}{await ctx.call(b, n=5)}"

    async def agent(ctx):
        await ctx.say(str(await ctx.call(outer)))

    assert await finished(MemoryRun(), AgentProgram(agent, tools=[a, b, outer])) == "AB"
    assert ran == ["a 5", "b 5"]


async def test_stages_by_name_are_done_before_the_current_one_and_to_do_after_it() -> None:
    async def agent(ctx):
        await ctx.progress(["goal", "system", "impact"], current="system")

    run = MemoryRun()
    await finished(run, AgentProgram(agent))
    (made,) = [e for e in run.recorder.events if isinstance(e, ProgressMade)]
    assert [stage.state for stage in made.stages] == ["done", "current", "todo"]
