"""A hook of a graph, which asks before an agent runs."""

from strands import Agent
from strands.hooks import BeforeNodeCallEvent, HookProvider, HookRegistry
from strands.models.openai import OpenAIModel
from strands.multiagent import GraphBuilder

model = OpenAIModel(model_id="gpt-5-mini")


class ApprovalHook(HookProvider):
    def __init__(self, app_name: str) -> None:
        self.app_name = app_name

    def register_hooks(self, registry: HookRegistry, **more: object) -> None:
        registry.add_callback(BeforeNodeCallEvent, self.approve)

    def approve(self, event: BeforeNodeCallEvent) -> None:
        if event.node_id != "cleanup":
            return
        approval = event.interrupt(f"{self.app_name}-approval", reason={"resources": "example"})
        if approval.lower() != "y":
            event.cancel_node = "User denied permission to cleanup resources"


builder = GraphBuilder()
builder.add_node(Agent(model=model, name="inspector", callback_handler=None), "inspector")
builder.add_node(Agent(model=model, name="cleanup", callback_handler=None), "cleanup")
builder.add_edge("inspector", "cleanup")
builder.set_entry_point("inspector")
builder.set_hook_providers([ApprovalHook("myapp")])
agent = builder.build()
PLAY = {
    "answers": [{"decision": "approve"}],
    "answer": "It is clean.",
    "says": "approvalIt is clean.",
}
