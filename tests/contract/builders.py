"""Agents of no framework that play a script."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent, Together
from sayso.testing.adapter_contract import TOOLS, Script
from sayso.tools.context import AgentContext
from sayso.tools.suspension import StepFailed


def words(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]]


def results(found: Sequence[object]) -> str:
    return "Results: " + "|".join(json.dumps(one) for one in found)


def function(script: Script) -> AgentProgram:
    async def agent(ctx: AgentContext) -> None:
        found: list[object] = []
        for turn in script:
            for word in words(turn.say):
                await ctx.say(word)
                await asyncio.sleep(0)
            found += await ctx.gather(*(call(ctx, name, args) for name, args in turn.whole_calls))
        await ctx.say(results(found))

    async def call(ctx: AgentContext, name: str, args: Mapping[str, JsonValue]) -> JsonValue:
        try:
            return await ctx.call(name, **args)
        except StepFailed as exc:
            return str(exc)

    return AgentProgram(agent, tools=TOOLS)


def scripted(script: Script) -> AgentProgram:
    steps: list[Say | CallTool | Together] = []
    for turn in script:
        steps += [Say(word) for word in words(turn.say)]
        if turn.calls:
            steps.append(Together([CallTool(name, dict(args)) for name, args in turn.whole_calls]))
    return AgentProgram(ScriptedAgent([*steps, Say(results)]), tools=TOOLS)
