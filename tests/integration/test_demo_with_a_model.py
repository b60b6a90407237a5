"""`SAYSO_MODEL` with a base URL: the demo asks a server that speaks OpenAI's API."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.integration.test_demo import Demo, running, told

pytest.importorskip("pydantic_ai")

PROPOSAL = {"order_id": "1001", "amount": 12.5, "reason": "The tin is dented."}


class Model(BaseHTTPRequestHandler):
    """Proposes a refund; with the tool's result in hand, says what it was told."""

    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        last = body["messages"][-1]
        if last["role"] == "tool":
            deltas: list[dict[str, Any]] = [
                {"content": "I was told: "},
                {"content": str(last["content"])},
            ]
            end = "stop"
        else:
            call = {"name": "refund_order", "arguments": json.dumps(PROPOSAL)}
            deltas = [
                {"content": "I look into it. "},
                {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]},
            ]
            end = "tool_calls"
        chunks = [_chunk(delta) for delta in deltas] + [_chunk({}, end)]
        text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        return None


def _chunk(delta: dict[str, Any], end: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": end}
    kind = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    return {**kind, "choices": [choice]}


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    base_url = f"http://127.0.0.1:{server.server_port}/v1"
    env = {"SAYSO_MODEL": "openai:scripted", "SAYSO_MODEL_BASE_URL": base_url}
    try:
        with running(tmp_path, env) as started:
            yield started
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_model_proposes_and_a_person_decides(demo: Demo) -> None:
    chat = demo.say("My tea came in a dented tin, order 1001")
    (card,) = demo.open_cards(chat)
    assert card["title"] == "Refund €12.50 for order 1001"
    assert demo.refunds == []
    demo.answer(card, {"decision": "approve", "edits": {"amount": 10}})
    said = told(demo.ended(chat))
    assert "I look into it." in said
    assert "A person changed amount" in said
    assert demo.refunds == [("1001", 1000)]
    offered = {tool["function"]["name"] for tool in Model.asked[0]["tools"]}
    assert {"refund_order", "look_up_order", "request_user_input"} <= offered
