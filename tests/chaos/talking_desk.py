"""The gated application that gets killed, with an agent that answers what is nothing to the gate:
it looks something up, which leaves a line as well."""

from __future__ import annotations

from pathlib import Path

from sayso import AgentContext, App, tool
from tests.chaos import gate_desk

ASKS = "Who will carry the bags?"
SAID_BEFORE = (*gate_desk.SAID_BEFORE, ASKS, f"Yes. {ASKS}")


def make_app(data: Path, crash_point: object = None) -> App:
    crash = crash_point if callable(crash_point) else lambda name: None

    @tool(approval=False, idempotent=True)
    async def look_up(ctx: AgentContext, what: str) -> str:
        """Look something up."""
        crash("look.before")
        with (data / "looked.txt").open("a") as file:
            file.write(f"{ctx.idempotency_key}\n")
        crash("look.after")
        return f"Ana ({what})"

    async def agent(ctx: AgentContext) -> None:
        if ctx.message.endswith("?"):
            await ctx.say("I look. ")
            await ctx.say(f"That is {await ctx.call(look_up, what='bags')}.")
        else:
            await ctx.say("Noted.")

    app = App({"desk": agent}, tools=[look_up], store=data / "sayso.db")
    return gate_desk.with_actions(app, data, crash)
