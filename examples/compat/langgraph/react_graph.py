"""A graph of a model and its tools, made by hand."""

from typing import Annotated, TypedDict

from langchain.chat_models import init_chat_model
from langchain.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition

from sayso import App, Rule, Verdict


class State(TypedDict):
    messages: Annotated[list, add_messages]


@tool
def book_hotel(city: str) -> str:
    """Book a hotel."""
    return f"Booked a hotel in {city}"


tools = [book_hotel]
llm_with_tools = init_chat_model("openai:gpt-5-mini").bind_tools(tools)


def chatbot(state: State) -> State:
    return {"messages": [llm_with_tools.invoke(state["messages"])]}


graph_builder = StateGraph(State)
graph_builder.add_node("chatbot", chatbot)
graph_builder.add_node("tools", ToolNode(tools=tools))
graph_builder.add_conditional_edges("chatbot", tools_condition)
graph_builder.add_edge("tools", "chatbot")
graph_builder.add_edge(START, "chatbot")
graph = graph_builder.compile(checkpointer=InMemorySaver())
app = App(graph, name="chatbot", policies=[Rule(tool="book_hotel", then=Verdict.ASK)])
PLAY = {
    "calls": [("book_hotel", {"city": "Oslo"})],
    "answers": [{"decision": "approve"}],
    "says": "Booked a hotel in Oslo",
}
