"""A card of your own: the agent opens it by name, and your page draws it.

The payload is yours. In a page, register a custom element for `RoomPlanForm`; where none is
registered, Sayso draws the title, the message and a form from the schema.

    python examples/own_ui_tool.py
"""

from __future__ import annotations

import asyncio

from sayso import (
    AgentContext,
    App,
    ExecutionEngine,
    InteractionResponse,
    ResponseData,
    TaskRequest,
    UniversalMessage,
)


async def planner(ctx: AgentContext) -> None:
    answer = await ctx.ui_tool(
        "RoomPlanForm",
        {
            "title": "The plan for the house",
            "agent_message": "How many rooms should it have?",
            "rooms": 2,
        },
        response_schema={
            "type": "object",
            "properties": {"rooms": {"type": "integer", "minimum": 1, "title": "Rooms"}},
            "required": ["rooms"],
        },
    )
    await ctx.say(f"The plan goes ahead with {answer['rooms']} rooms.")


app = App(planner)


async def main() -> None:
    engine = ExecutionEngine(app)
    said = UniversalMessage(role="user", content="Plan my house")
    task = TaskRequest(task_id="house", messages=[said])
    waiting = await engine.execute_task(task)
    (card,) = waiting.interactions
    print(f"{card.metadata['ui_tool_id']}: {card.content}")
    answer = InteractionResponse(
        interaction_id=card.interaction_id,
        approved=True,
        response_data=ResponseData(values={"rooms": 3}),
    )
    done = await engine.execute_task(task, resume=(waiting.state or b"", [answer]))
    print(done.output)


if __name__ == "__main__":
    asyncio.run(main())
