"""A plain async function with a tool that needs approval, without any server or store.

The task stops at the question and comes back as bytes. Keep them wherever you keep things; with the
answer, any process goes on from there.

    python examples/plain_function.py
"""

from __future__ import annotations

import asyncio

from sayso import (
    AgentContext,
    App,
    ExecutionEngine,
    InteractionResponse,
    TaskRequest,
    UniversalMessage,
    tool,
)


@tool(approval=True)
def send_letter(to: str, text: str) -> str:
    """Send a letter by post."""
    return f"posted to {to}: {text}"


async def secretary(ctx: AgentContext) -> None:
    await ctx.say("I have written the letter. ")
    result = await ctx.call(send_letter, to="Mara", text="Your box is on its way.")
    await ctx.say(f"It was {result}")


async def main() -> None:
    engine = ExecutionEngine(App(secretary, tools=[send_letter]))
    said = UniversalMessage(role="user", content="Write to Mara")
    task = TaskRequest(task_id="letter-1", messages=[said])

    waiting = await engine.execute_task(task)
    (question,) = waiting.interactions
    assert waiting.state is not None
    print(f"It waits, as {len(waiting.state)} bytes, to be told: {question.content}")

    yes = InteractionResponse(interaction_id=question.interaction_id, approved=True)
    done = await engine.execute_task(task, resume=(waiting.state, [yes]))
    print(done.output)


if __name__ == "__main__":
    asyncio.run(main())
