"""An agent that is a function, and remembers by what it saved last."""

from langchain.chat_models import init_chat_model
from langchain.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph.message import add_messages
from langgraph.types import interrupt


@tool
def book(city: str) -> str:
    """Book a hotel."""
    return f"booked in {city}"


model = init_chat_model("openai:gpt-5-mini").bind_tools([book])


@task
def ask_model(messages):
    return model.invoke(messages)


@task
def run_tool(call):
    return book.invoke(call)


@entrypoint(checkpointer=InMemorySaver())
def desk(messages, previous):
    messages = add_messages(previous or [], messages)
    reply = ask_model(messages).result()
    while reply.tool_calls:
        results = []
        for call in reply.tool_calls:
            review = interrupt({"question": "Is this right?", "call": call})
            if review["action"] == "continue":
                results.append(run_tool(call).result())
        messages = add_messages(messages, [reply, *results])
        reply = ask_model(messages).result()
    return entrypoint.final(value=reply, save=add_messages(messages, reply))


agent = desk
PLAY = {
    "calls": [("book", {"city": "Bergen"})],
    "answers": [{"action": "continue"}],
    "says": "I was told: booked in Bergen",
}
