"""An MCP server that the provider runs."""

from agents import Agent, HostedMCPTool

shop = HostedMCPTool(
    tool_config={
        "type": "mcp",
        "server_label": "shop",
        "server_url": "https://shop.example",
        "require_approval": "never",
    }
)
agent = Agent(name="desk", model="gpt-5-mini", tools=[shop])
PLAY = {"refused": True}
