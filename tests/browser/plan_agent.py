"""A workflow with inline components and an artifact of its own.

    sayso serve tests.browser.plan_agent:app

What it does in the world is a line in the file PLAN_LEDGER, so that a second time would show.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

from pydantic import JsonValue

from sayso import AgentContext, App
from sayso.core.cards import Display

APPROVAL: dict[str, JsonValue] = {
    "title": "Approve Action Plan",
    "options": ["Approve", "Request Revisions"],
    "agent_message": "Review the plan and choose an option.",
}
REVISION: dict[str, JsonValue] = {
    "title": "Request Revisions",
    "agent_message": "What should be different?",
}
REVISION_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "revisions": {"type": "string", "title": "Revisions", "minLength": 3},
        "urgency": {"type": "string", "title": "Urgency", "enum": ["low", "high"]},
    },
    "required": ["revisions"],
}
PLAN = "# Action plan\n\n1. Measure\n2. Order\n3. Build\n"


async def generator(ctx: AgentContext) -> None:
    words = ctx.message
    if "artifact" in words:
        await ctx.show(title="Action Plan", content=PLAN, ui_tool_id="ActionPlan")
    if "beside" in words:
        await ctx.ui_tool("PlanViewer", {"title": "Look at the plan"}, display=Display.ARTIFACT)
    if "revision" in words:
        return await _revise(ctx)
    await ctx.say("Here's your action plan. Do you approve?")
    answer = await ctx.ui_tool("ActionPlanApprovalForm", APPROVAL)
    if "crash" in words:
        _die_once(ctx.task.task_id)
    chosen = answer.get("selected_option")
    await ctx.once("record the decision", lambda: _note(ctx.task.task_id, chosen, words))
    if chosen == "Request Revisions":
        return await _revise(ctx)
    await ctx.say("The plan goes ahead.")


async def _revise(ctx: AgentContext) -> None:
    answer = await ctx.ui_tool("RevisionRequestForm", REVISION, response_schema=REVISION_SCHEMA)
    await ctx.say(f"Thank you, I'll revise the plan: {answer['revisions']}")


def _note(task: str, chosen: JsonValue, words: str) -> None:
    with _ledger().open("a") as ledger:
        ledger.write(f"{task} {chosen}\n")
    if "halfway" in words:
        _die_once(task)


def _die_once(task: str) -> None:
    """The process falls over with the answer in its hand, before it has told anybody."""
    stone = _ledger().with_suffix(f".{task}.died")
    if not stone.exists():
        stone.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def _ledger() -> Path:
    return Path(os.environ["PLAN_LEDGER"])


app = App({"Generator": generator})
