"""What others do to the values while a segment acts on them: what runs is what was shown."""

from typing import Annotated

from sayso import App, Rule, Verdict, tool
from sayso.core.requirements import state_in
from sayso.core.segments import Waiting
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.gate import Ask, Requirements
from sayso.gate.gated_program import GatedProgram
from sayso.testing.clock import FakeClock
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import AgentContext


class Trip(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]


async def test_a_value_that_changes_as_leave_is_given_is_shown_before_it_runs() -> None:
    """The click is judged by the values that stood; before its grant is written, somebody changes
    one in the panel."""
    ran: list[str] = []
    app = App()

    @app.action("checklist", requires=Trip)
    async def create_checklist(req: Trip, ctx: object) -> None:
        ran.append(req.destination)

    program = app.programs()["gate"]
    assert isinstance(program, GatedProgram)
    run = MemoryRun(text="We go to Rome. Create the checklist.")
    await run.go(program)
    [card] = run.pending
    run.approve(card)

    def meanwhile(boundary: str) -> None:
        if boundary == "before requirements":
            run.recorder.crash_at = None
            run.recorder.known = program.edited(
                run.recorder.known, "destination", "Oslo", at=FakeClock().now()
            )

    run.recorder.crash_at = meanwhile
    await run.go(program)
    assert ran == []
    [anew] = run.pending
    assert anew.proposal is not None
    assert anew.proposal.arguments == {"destination": "Oslo"}
    assert state_in(run.recorder.known).grants == ()
    run.approve(anew)
    await run.go(program)
    assert ran == ["Oslo"]


class Desk:
    """A tool behind a gate that a person is asked about as well; its agent sends Oslo each time."""

    def __init__(self, *rules: Rule) -> None:
        self.ran: list[str] = []

        @tool(approval=True, editable=["destination"])
        def book(destination: str) -> str:
            """Book it."""
            self.ran.append(destination)
            return "booked"

        async def agent(ctx: AgentContext) -> None:
            await ctx.call("book", destination="Oslo")

        app = App({"agent": agent}, tools=[book], policies=list(rules))
        app.guard("book", requires=Trip, trigger="explicit", phrases=["book it"])
        self.program = app.programs()["agent"]

    async def granted(self) -> MemoryRun:
        """A run whose agent calls the tool, in a chat where a person gave leave for Rome."""
        first = MemoryRun(run_id="first", text="We go to Rome. Book it.")
        await first.go(self.program)
        assert [g.status for g in state_in(first.recorder.known).grants] == ["valid"]
        task = TaskRequest(
            task_id="second", messages=[UniversalMessage(role="user", content="Thanks!")]
        )
        run = MemoryRun(run_id="second", task=task)
        run.recorder.known = first.recorder.known
        await run.go(self.program)
        return run


async def test_an_approval_shows_what_the_gate_has_leave_for() -> None:
    desk = Desk()
    run = await desk.granted()
    [card] = run.pending
    assert card.proposal is not None
    assert card.proposal.arguments == {"destination": "Rome"}
    run.approve(card)
    await run.go(desk.program)
    assert desk.ran == ["Rome"]


async def test_a_rule_is_asked_about_what_the_gate_has_leave_for() -> None:
    desk = Desk(Rule(tool="book", when={"destination": "Rome"}, then=Verdict.DENY))
    run = await desk.granted()
    assert [r.status.value for r in run.returns] == ["denied"]
    assert desk.ran == []


async def test_an_approval_of_something_else_than_the_leave_runs_nothing() -> None:
    desk = Desk()
    run = await desk.granted()
    [card] = run.pending
    run.approve(card, edits={"destination": "Paris"})
    end = await run.go(desk.program)
    assert not isinstance(end, Waiting)
    assert [r.status.value for r in run.returns] == ["denied"]
    assert desk.ran == []
    assert [g.status for g in state_in(run.recorder.known).grants] == ["valid"]
