"""A graph of functions and agents."""

from google.adk.workflow import Workflow


def double(node_input: str) -> str:
    return node_input * 2


agent = Workflow(name="desk", edges=[("START", double)])
PLAY = {"refused": True}
