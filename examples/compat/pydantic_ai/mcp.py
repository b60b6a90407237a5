"""The tools of an MCP server, held by their names."""

import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

from sayso import App, Rule, Verdict

SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("shop")
@server.tool()
def sell(what: str) -> str:
    return f"sold {what}"
server.run()
"""
shop = MCPToolset(StdioTransport(sys.executable, ["-c", SERVER]))
agent = Agent("openai-chat:gpt-5-mini", name="desk", toolsets=[shop])
app = App(agent, policies=[Rule(tool="sell", then=Verdict.ASK)])
PLAY = {
    "calls": [("sell", {"what": "bread"})],
    "answers": [{"decision": "approve"}],
    "says": "sold bread",
}
