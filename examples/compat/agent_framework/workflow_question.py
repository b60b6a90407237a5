"""A step of a graph that asks, and goes on with the answer."""

from dataclasses import dataclass

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler, response_handler


@dataclass
class HumanFeedbackRequest:
    prompt: str


class TurnManager(Executor):
    @handler
    async def start(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(
            request_data=HumanFeedbackRequest(prompt="Which size?"), response_type=str
        )

    @response_handler
    async def on_human_feedback(
        self, asked: HumanFeedbackRequest, feedback: str, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"Noted: {feedback}")


agent = WorkflowBuilder(start_executor=TurnManager(id="turn_manager")).build()
PLAY = {"answers": [{"additional_notes": "size 42"}], "says": "Noted: size 42"}
