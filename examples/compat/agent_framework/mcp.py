"""The tools of an MCP server, held by their names."""

import sys

from agent_framework import Agent, MCPStdioTool
from agent_framework.openai import OpenAIChatClient

from sayso import App, Rule, Verdict

SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("shop")
@server.tool()
def sell(what: str) -> str:
    return f"sold {what}"
server.run()
"""
shop = MCPStdioTool(name="shop", command=sys.executable, args=["-c", SERVER])
agent = Agent(client=OpenAIChatClient(model="gpt-5-mini"), name="desk", tools=[shop])
app = App(agent, policies=[Rule(tool="sell", then=Verdict.ASK)])
PLAY = {
    "calls": [("sell", {"what": "bread"})],
    "answers": [{"decision": "approve"}],
    "says": "sold bread",
}
