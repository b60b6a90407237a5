"""An agent with a sandbox of its own."""

from agents.sandbox import SandboxAgent

agent = SandboxAgent(name="desk", model="gpt-5-mini")
PLAY = {"refused": True}
