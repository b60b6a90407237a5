"""The tools of an MCP server, held by their names."""

import sys

from agents import Agent, set_default_openai_api
from agents.mcp import MCPServerStdio

from sayso import App, Rule, Verdict

set_default_openai_api("chat_completions")
SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("shop")
@server.tool()
def sell(what: str) -> str:
    return f"sold {what}"
server.run()
"""
shop = MCPServerStdio(params={"command": sys.executable, "args": ["-c", SERVER]}, name="shop")
agent = Agent(name="desk", model="gpt-5-mini", mcp_servers=[shop])
app = App(agent, policies=[Rule(tool="sell", then=Verdict.ASK)])
PLAY = {
    "calls": [("sell", {"what": "bread"})],
    "answers": [{"decision": "approve"}],
    "says": "sold bread",
}
