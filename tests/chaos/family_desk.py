"""Two agents that get killed: one asks a person and the other at once, and that one asks a person
too. Each stamp leaves a line that survives."""

from __future__ import annotations

from pathlib import Path

from sayso import AgentContext, App, ToolContext, agent_tool, tool


def make_app(data: Path, crash_point: object = None) -> App:
    crash = crash_point if callable(crash_point) else lambda name: None

    @tool(approval=True, idempotent=True)
    def stamp(ctx: ToolContext, what: str) -> str:
        """Stamp it."""
        crash("stamp.before")
        with (data / "stamps.txt").open("a") as file:
            file.write(f"{what} {ctx.idempotency_key}\n")
        crash("stamp.after")
        return f"{what} stamped"

    async def lead(ctx: AgentContext) -> str:
        order = str(ctx.task.words)
        mine, theirs = await ctx.gather(
            ctx.call(stamp, what=f"lead-{order}"), ctx.call("ask_clerk", task=order)
        )
        return f"{mine}, {theirs}"

    async def clerk(ctx: AgentContext) -> str:
        return str(await ctx.call(stamp, what=f"clerk-{ctx.task.words}"))

    ask_clerk = agent_tool("clerk", description="The clerk stamps it too.")
    return App({"lead": lead, "clerk": clerk}, tools=[stamp, ask_clerk], store=data / "sayso.db")
