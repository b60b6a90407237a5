"""The tools of an MCP server, held by their names."""

import sys

from mcp import StdioServerParameters, stdio_client
from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPClient

from sayso import App, Rule, Verdict

SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("shop")
@server.tool()
def sell(what: str) -> str:
    return f"sold {what}"
server.run()
"""
shop = MCPClient(
    lambda: stdio_client(StdioServerParameters(command=sys.executable, args=["-c", SERVER]))
)
desk = Agent(model=OpenAIModel(model_id="gpt-5-mini"), tools=[shop])
app = App(desk, policies=[Rule(tool="sell", then=Verdict.ASK)])
PLAY = {
    "calls": [("sell", {"what": "bread"})],
    "answers": [{"decision": "approve"}],
    "says": "sold bread",
}
