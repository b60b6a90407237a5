"""An agent that calls the tool a person names: tools with UIs of their own."""

import os
import sys
from pathlib import Path

from sayso import AgentContext, App

_SERVER = Path(__file__).parents[1] / "old_mcp_server.py"


async def desk(ctx: AgentContext, message: str) -> None:
    if "echo" in ctx.message:
        await ctx.say(f"I was told: {message}")
        return
    await ctx.call(
        next(
            (n for n in ("hostile", "desk", "change", "load", "mute") if n in ctx.message),
            "pods_list",
        )
    )
    await ctx.say("Here they are.")


app = App(
    desk,
    mcp={
        "pods": {
            "command": sys.executable,
            "args": ["-S", "-E", str(_SERVER), os.environ["SAYSO_TEST_MCP"]],
            "sayso": {"startSeconds": 240},
        }
    },
)
