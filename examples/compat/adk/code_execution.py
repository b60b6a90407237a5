"""Code that the model wrote."""

from google.adk.agents import Agent
from google.adk.code_executors import UnsafeLocalCodeExecutor

agent = Agent(name="desk", model="gemini-2.5-flash", code_executor=UnsafeLocalCodeExecutor())
PLAY = {"refused": True}
