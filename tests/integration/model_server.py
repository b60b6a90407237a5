"""A model at the other end of a real socket: it speaks the APIs of OpenAI and of Gemini, whole and
streamed, and what it replies is a function of the conversation it is given."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

#: What it calls itself: AutoGen warns where that is not what OpenAI calls a gpt-5-mini.
MODEL = "gpt-5-mini-2025-08-07"


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: Json


@dataclass(frozen=True)
class Reply:
    words: str = ""
    call: Call | None = None
    #: What it thinks before it says that.
    thought: str = ""


@dataclass(frozen=True)
class Asked:
    """A request: the tools it offers, and what they gave since a person last spoke."""

    tools: set[str]
    #: Tool and result, in order.
    results: list[tuple[str, str]]


@dataclass(frozen=True)
class Fault:
    """What a request gets in place of a reply."""

    #: 0: nothing is answered, and the connection stays open.
    status: int
    #: When it wants to be asked again, in seconds.
    retry_after: float | None = None
    #: The client is told to make no tries of its own.
    at_once: bool = False
    #: A reply that has begun is cut off after so many of its pieces.
    pieces: int | None = None
    #: It is cut off as if it had ended: the connection is closed in good order.
    in_good_order: bool = False
    code: str = ""


Mind = Callable[[Asked], Reply]


def follows(*plan: Call) -> Mind:
    """A mind that makes these calls in turn, as far as it is offered the tools, and then tells what
    the last one gave."""

    def reply(asked: Asked) -> Reply:
        done = [tool for tool, _ in asked.results]
        for call in plan:
            if call.tool in asked.tools and call.tool not in done:
                return Reply("I see to it. ", call)
        return Reply(f"I was told: {asked.results[-1][1]}" if asked.results else "I know nothing.")

    return reply


class ModelServer(ThreadingHTTPServer):
    def __init__(self, mind: Mind, faults: Sequence[Fault | None] = ()) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mind = mind
        #: What the next requests get; None is the mind's reply, as after the last of them.
        self.faults = list(faults)
        self.closing = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"
        #: When it was asked.
        self.times: list[float] = []
        #: What it was asked, with the path that it was asked on.
        self.asked: list[tuple[str, Asked]] = []


@contextmanager
def model_server(mind: Mind, faults: Sequence[Fault | None] = ()) -> Iterator[ModelServer]:
    with ModelServer(mind, faults) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        read, whole, pieces = next(it for end, it in _LANGUAGES.items() if path.endswith(end))
        asked = read(body)
        self.server.asked.append((path, asked))
        self.server.times.append(time.monotonic())
        fault = self.server.faults.pop(0) if self.server.faults else None
        if fault is not None and fault.pieces is None:
            return self._fail(fault)
        reply = self.server.mind(asked)
        if body.get("stream") or path.endswith(":streamGenerateContent"):
            events = [f"data: {it}\n\n" for it in pieces(reply)]
            if fault is not None:
                begun = "".join(events[: fault.pieces])
                return (
                    self._send("text/event-stream", begun)
                    if fault.in_good_order
                    else self._cut(begun)
                )
            self._send("text/event-stream", "".join(events))
        else:
            self._send("application/json", json.dumps(whole(reply)))

    def _send(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def _fail(self, fault: Fault) -> None:
        if not fault.status:
            self.server.closing.wait()
            return
        error: Json = {"code": fault.code or fault.status, "message": "not now"}
        wait = fault.retry_after
        if wait is not None:
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            error["details"] = [{"@type": kind, "retryDelay": f"{wait}s"}]
        body = json.dumps({"error": error}).encode()
        self.send_response(fault.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if wait is not None:
            self.send_header("retry-after-ms", str(wait * 1000))
        if fault.at_once:
            self.send_header("x-should-retry", "false")
        self.end_headers()
        self.wfile.write(body)

    def _cut(self, text: str) -> None:
        """Begin a reply and lose the connection within it."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(text.encode()) + 100))
        self.end_headers()
        self.wfile.write(text.encode())
        self.wfile.flush()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        return None


# ── OpenAI: chat completions ──

#: What each reply took.
INPUT_TOKENS, OUTPUT_TOKENS = 11, 7
_USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}


def _read_chat(body: Json) -> Asked:
    results, names = list[tuple[str, str]](), dict[str, str]()
    tools = {tool["function"]["name"] for tool in body.get("tools") or ()}
    for message in body["messages"]:
        if message["role"] == "user":
            results = []
        for call in message.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
        if message["role"] == "tool":
            results.append((names[message["tool_call_id"]], str(message["content"])))
    return Asked(tools, results)


def _chat(reply: Reply) -> Json:
    message: Json = {"role": "assistant", "content": reply.words or None}
    if reply.call is not None:
        message["tool_calls"] = [_chat_call(reply.call)]
    choice = {"index": 0, "message": message, "finish_reason": _end(reply), "logprobs": None}
    return {**_head("chat.completion"), "choices": [choice], "usage": _USAGE}


def _chat_pieces(reply: Reply) -> Iterator[str]:
    deltas: list[Json] = [{"reasoning_content": reply.thought}] if reply.thought else []
    deltas += ({"content": word} for word in _words(reply.words))
    if reply.call is not None:
        deltas.append({"tool_calls": [{"index": 0, **_chat_call(reply.call)}]})
    head = _head("chat.completion.chunk")
    for delta in deltas:
        choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}
        yield json.dumps({**head, "choices": [choice]})
    last = {"index": 0, "delta": {}, "finish_reason": _end(reply)}
    yield json.dumps({**head, "choices": [last], "usage": _USAGE})
    yield "[DONE]"


def _chat_call(call: Call) -> Json:
    function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
    return {"id": f"call-{call.tool}", "type": "function", "function": function}


def _head(kind: str) -> Json:
    return {"id": "1", "object": kind, "created": 0, "model": MODEL}


def _end(reply: Reply) -> str:
    return "tool_calls" if reply.call is not None else "stop"


# ── OpenAI: responses, streamed alone ──


def _read_responses(body: Json) -> Asked:
    tools = {tool["name"] for tool in body.get("tools") or ()}
    results, names = list[tuple[str, str]](), dict[str, str]()
    for item in body["input"]:
        if item.get("role") == "user":
            results = []
        elif item.get("type") == "function_call":
            names[item["call_id"]] = item["name"]
        elif item.get("type") == "function_call_output":
            results.append((names[item["call_id"]], str(item["output"])))
    return Asked(tools, results)


def _responses(reply: Reply) -> Json:
    return {
        "id": "1",
        "object": "response",
        "created_at": 0,
        "model": MODEL,
        "status": "completed",
        "output": _items(reply),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _responses_pieces(reply: Reply) -> Iterator[str]:
    events: list[Json] = [{"type": "response.created", "response": {**_responses(Reply())}}]
    for index, item in enumerate(_items(reply)):
        at = {"output_index": index, "item_id": item["id"]}
        begun = {**item, "content": []} if "content" in item else {**item, "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": index, "item": begun})
        if "content" in item:
            at["content_index"] = 0
            part = {"type": "output_text", "text": "", "annotations": []}
            events.append({"type": "response.content_part.added", **at, "part": part})
            events += (
                {"type": "response.output_text.delta", **at, "delta": word, "logprobs": []}
                for word in _words(reply.words)
            )
        else:
            delta = item["arguments"]
            events.append({"type": "response.function_call_arguments.delta", **at, "delta": delta})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": _responses(reply)})
    for number, event in enumerate(events):
        yield json.dumps({"sequence_number": number, **event})


def _items(reply: Reply) -> list[Json]:
    items: list[Json] = []
    if reply.words:
        content = {"type": "output_text", "text": reply.words, "annotations": []}
        said = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
        items.append({**said, "content": [content]})
    if reply.call is not None:
        name, arguments = reply.call.tool, json.dumps(reply.call.arguments)
        call = {"type": "function_call", "id": f"fc-{name}", "call_id": f"call-{name}"}
        items.append({**call, "name": name, "arguments": arguments, "status": "completed"})
    return items


# ── Gemini ──


def _read_gemini(body: Json) -> Asked:
    offered = [one for tool in body.get("tools") or () for one in tool["functionDeclarations"]]
    results = list[tuple[str, str]]()
    for content in body["contents"]:
        for part in content["parts"]:
            if "functionResponse" in part:
                given = part["functionResponse"]
                results.append((given["name"], json.dumps(given["response"])))
            elif content["role"] == "user":
                results = []
    return Asked({tool["name"] for tool in offered}, results)


def _gemini(reply: Reply) -> Json:
    parts: list[Json] = [{"text": reply.words}] if reply.words else []
    if reply.call is not None:
        parts.append({"functionCall": {"name": reply.call.tool, "args": reply.call.arguments}})
    return _candidate(parts, finishReason="STOP")


def _gemini_pieces(reply: Reply) -> Iterator[str]:
    if reply.thought:
        yield json.dumps(_candidate([{"text": reply.thought, "thought": True}]))
    for word in _words(reply.words):
        yield json.dumps(_candidate([{"text": word}]))
    used = {"promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": OUTPUT_TOKENS}
    yield json.dumps({**_gemini(Reply("", reply.call)), "usageMetadata": used})


def _candidate(parts: list[Json], **more: str) -> Json:
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "index": 0, **more}], "modelVersion": MODEL}


def _words(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]] + [text.rpartition(" ")[2]]


#: The end of a path → how its requests are read, and how a reply is told whole and in pieces.
_LANGUAGES: dict[
    str,
    tuple[Callable[[Json], Asked], Callable[[Reply], Json], Callable[[Reply], Iterator[str]]],
] = {
    "/chat/completions": (_read_chat, _chat, _chat_pieces),
    "/responses": (_read_responses, _responses, _responses_pieces),
    ":generateContent": (_read_gemini, _gemini, _gemini_pieces),
    ":streamGenerateContent": (_read_gemini, _gemini, _gemini_pieces),
}
