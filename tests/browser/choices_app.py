"""An action whose questions have choices, and a list that has some; nothing but the rules."""

from __future__ import annotations

from typing import Annotated

from sayso import App
from sayso.gate import Ask, Requirements
from sayso.tools.context import ToolContext

PACES = ("slow", "steady", "fast")


class Walk(Requirements):
    pace: Annotated[str, Ask("How fast do you walk?", choices=PACES, precedence=10)]
    company: Annotated[str, Ask("Who comes along?", choices=("nobody", "friends"), precedence=20)]


app = App()


@app.action("walk", requires=Walk, phrases=["plan the walk"])
async def plan_walk(req: Walk, ctx: ToolContext) -> str:
    return f"A {req.pace} walk with {req.company}."
