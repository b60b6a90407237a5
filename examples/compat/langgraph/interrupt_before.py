"""A graph that stops before a node."""

from langchain.chat_models import init_chat_model
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

model = init_chat_model("openai:gpt-5-mini")


def plan(state: MessagesState) -> dict:
    return {"messages": [{"role": "assistant", "content": "I plan it. "}]}


def act(state: MessagesState) -> dict:
    return {"messages": [model.invoke(state["messages"])]}


builder = StateGraph(MessagesState)
builder.add_node("plan", plan)
builder.add_node("act", act)
builder.add_edge(START, "plan")
builder.add_edge("plan", "act")
agent = builder.compile(checkpointer=InMemorySaver(), interrupt_before=["act"])
PLAY = {"answers": [{"decision": "approve"}], "answer": "It is done.", "says": "It is done."}
