"""A tool that asks before it acts, and takes edits."""

from typing import Any

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.types.tools import ToolContext


class DeleteTool:
    def __init__(self, app_name: str) -> None:
        self.app_name = app_name

    @tool(context=True)
    def delete_files(self, tool_context: ToolContext, paths: list[str]) -> str:
        """Delete files."""
        approval = tool_context.interrupt(f"{self.app_name}-approval", reason={"paths": paths})
        if approval.lower() not in ["y", "yes"]:
            return "The person did not allow it"
        return f"deleted {', '.join(paths)}"


shop: Any = DeleteTool("myapp")
agent = Agent(model=OpenAIModel(model_id="gpt-5-mini"), tools=[shop.delete_files])
PLAY = {
    "calls": [("delete_files", {"paths": ["a.txt", "b.txt"]})],
    "answers": [{"decision": "approve"}],
    "says": "deleted a.txt, b.txt",
}
