"""A hook that asks before a call."""

from typing import Any

from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry
from strands.models.openai import OpenAIModel


@tool
def delete_files(paths: list[str]) -> bool:
    """Delete files."""
    return True


@tool
def inspect_files(paths: list[str]) -> dict[str, Any]:
    """Look at files."""
    return dict.fromkeys(paths, "42 bytes")


class ApprovalHook(HookProvider):
    def __init__(self, app_name: str) -> None:
        self.app_name = app_name

    def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:
        registry.add_callback(BeforeToolCallEvent, self.approve)

    def approve(self, event: BeforeToolCallEvent) -> None:
        if event.tool_use["name"] != "delete_files":
            return
        approval = event.interrupt(
            f"{self.app_name}-approval", reason={"paths": event.tool_use["input"]["paths"]}
        )
        if approval.lower() != "y":
            event.cancel_tool = "User denied permission to delete files"


agent = Agent(
    model=OpenAIModel(model_id="gpt-5-mini"),
    hooks=[ApprovalHook("myapp")],
    system_prompt="You delete files older than 5 days",
    tools=[delete_files, inspect_files],
    callback_handler=None,
)
PLAY = {
    "calls": [
        ("inspect_files", {"paths": ["a.txt"]}),
        ("delete_files", {"paths": ["a.txt"]}),
    ],
    "answers": [{"decision": "reject", "reason": "keep it"}],
    "says": "User denied permission",
}
