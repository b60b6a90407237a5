"""An MCP server that the provider runs."""

from agent_framework import Agent
from agent_framework.openai import OpenAIChatClient

client = OpenAIChatClient(model="gpt-5-mini", api_key="none")
shop = client.get_mcp_tool(name="shop", url="https://shop.example")
agent = Agent(client=client, name="desk", tools=[shop])
PLAY = {"refused": True}
