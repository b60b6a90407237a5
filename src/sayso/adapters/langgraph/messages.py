"""A chat as LangChain's messages: what a graph is given, and what it said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import orjson
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from pydantic_core import to_jsonable_python

from sayso.adapters.contract import Segment
from sayso.adapters.langgraph.create_agent import Graph
from sayso.core.tasks import UniversalMessage


def graph_input(graph: Graph, segment: Segment, earlier: Sequence[UniversalMessage]) -> Any:
    """Return the task as the graph takes it: as messages, or in the fields of its own state.

    A graph without messages gets the task's context, field by field, and the person's words in its
    first field of text that the context does not name.
    """
    words, context = segment.task.words, segment.task.context
    key = messages_key(graph)
    if isinstance(graph, CompiledStateGraph):
        names, types = _fields(graph), _types(graph)
        texts = [name for name, kind in types.items() if _is_text(kind)]
    else:
        schema = graph.get_input_jsonschema()
        described = schema.get("properties")
        if not isinstance(described, dict):
            return words if schema.get("type") in ("string", None) else dict(context)
        names = list(described)
        texts = [name for name, shape in described.items() if shape.get("type") == "string"]
    given = {name: context[name] for name in names if name in context and name != key}
    if key is not None:
        return {**given, key: [*as_messages(earlier), HumanMessage(words)]}
    free = [name for name in texts if name not in given]
    return {**given, **({free[0]: words} if free else {})}


def messages_key(graph: Graph) -> str | None:
    """Return the field of the graph's input that holds the chat."""
    fields = _fields(graph)
    if "messages" in fields and not _is_texts(_types(graph).get("messages")):
        return "messages"
    adding = (n for n in fields if getattr(graph.channels.get(n), "operator", None) is add_messages)
    return next(adding, None)


def _fields(graph: Graph) -> Sequence[str]:
    if not isinstance(graph, CompiledStateGraph):
        return ()
    return list(graph.builder.schemas.get(graph.builder.input_schema, ()))


def _types(graph: Graph) -> Mapping[str, Any]:
    return fields_of(graph.builder.input_schema) if isinstance(graph, CompiledStateGraph) else {}


def fields_of(schema: object) -> dict[str, Any]:
    """Return the fields of a state or context with their types. Its own annotations say so: a JSON
    Schema cannot be made of every one that LangGraph takes."""
    if schema is None:
        return {}
    try:
        return get_type_hints(schema)
    except (NameError, TypeError):
        return dict(getattr(schema, "__annotations__", {}))


def _is_text(kind: object) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return any(_is_text(one) for one in get_args(kind))
    return kind is str


def _is_texts(kind: object) -> bool:
    """Tell whether it is a list of words: a log of some kind, and no chat."""
    if get_origin(kind) in (Union, UnionType):
        return any(_is_texts(one) for one in get_args(kind))
    return get_origin(kind) is list and get_args(kind) == (str,)


def as_messages(messages: Sequence[UniversalMessage]) -> list[AnyMessage]:
    made: list[AnyMessage] = []
    for message in messages:
        match message.role:
            case "user":
                made.append(HumanMessage(message.content))
            case "system":
                made.append(SystemMessage(message.content))
            case "assistant" if message.content:
                made.append(AIMessage(message.content))
            case _:
                pass
    return made


def output_of(graph: Graph, values: object) -> object:
    """Return what a graph that has ended gives: of its state, what its output schema names."""
    if isinstance(values, Mapping) and not isinstance(graph.output_channels, str):
        return {name: values[name] for name in graph.output_channels if name in values}
    return values


def text_of(output: object, words: str) -> str:
    """Return what such an output says to these words of a person: its last message, its one text,
    or, beside a chat in which nobody else has spoken, all of it as JSON."""
    if isinstance(output, str):
        return output
    structured = output.get("structured_response") if isinstance(output, Mapping) else None
    if structured is not None:
        return _json(structured)
    last = last_message(output, words)
    if last is not None:
        return str(last.text)
    if isinstance(output, Mapping):
        rest = {name: value for name, value in output.items() if not _chat_in(value)}
        return "" if output and not rest else _json(rest)
    return "" if output is None or _chat_in(output) else _json(output)


def last_message(output: object, words: str) -> BaseMessage | None:
    """Return the last message of such an output that is not a person's, after what the person said
    in this turn."""
    for value in output.values() if isinstance(output, Mapping) else (output,):
        for message in reversed(_chat_in(value)):
            if not _is_of_person(message):
                return message
            if message.text == words:
                break
    return None


def _chat_in(value: object) -> Sequence[BaseMessage]:
    parts = value if isinstance(value, list) else [value]
    messages = [one for one in parts if isinstance(one, BaseMessage)]
    return messages if len(messages) == len(parts) else ()


def _is_of_person(message: BaseMessage) -> bool:
    """Tell whether a person said it: an agent that speaks so to another one gives its name."""
    return isinstance(message, HumanMessage) and not message.name


def is_empty_reply(values: object) -> bool:
    """Tell whether a model was asked by a person, and said and called nothing."""
    for value in values.values() if isinstance(values, Mapping) else ():
        match value:
            case [*_, HumanMessage(), AIMessage() as last]:
                return not (last.content or last.tool_calls or last.invalid_tool_calls)
            case _:
                pass
    return False


def _json(value: object) -> str:
    return orjson.dumps(to_jsonable_python(value, fallback=str)).decode()
