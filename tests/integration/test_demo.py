"""`sayso demo`, started as scripts start it: each sentence, and one through kill -9."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import httpx
import pytest

from sayso.packs.support.orders import OrderBook

Json = dict[str, Any]
T = TypeVar("T")


@dataclass
class Demo:
    """A running demo, and what a person does with it."""

    process: subprocess.Popen[str]
    http: httpx.Client
    data: Path

    def say(self, words: str, *, chat: str | None = None) -> str:
        """Write into a chat, a new one if none is given; its id."""
        chat = chat or self.post("/api/chats", {})["id"]
        self.post(f"/api/chats/{chat}/messages", {"content": words, "client_message_id": words})
        return chat

    def open_cards(self, chat: str, count: int = 1) -> list[Json]:
        def there() -> list[Json] | None:
            query = {"status": "pending", "chat": chat}
            found: list[Json] = self.get("/api/interactions", query)["interactions"]
            return found if len(found) == count else None

        return until(there)

    def answer(self, card: Json, body: Json) -> Json:
        place = f"/api/interactions/{card['interaction_id']}/response"
        return self.post(place, body, key=f"answer to {card['interaction_id']}")

    def ended(self, chat: str) -> Json:
        """The chat, once its run has ended."""

        def there() -> Json | None:
            view = self.get(f"/api/chats/{chat}")
            run = view["run"]
            return view if run is None or run["status"] == "completed" else None

        return until(there)

    def get(self, path: str, query: dict[str, str] | None = None) -> Json:
        reply = self.http.get(path, params=query)
        assert reply.is_success, reply.text
        body: Json = reply.json()
        return body

    def post(self, path: str, body: Json, *, key: str | None = None) -> Json:
        reply = self.http.post(path, json=body, headers={"Idempotency-Key": key} if key else {})
        assert reply.is_success, reply.text
        found: Json = reply.json()
        return found

    @property
    def refunds(self) -> list[tuple[str, int]]:
        return OrderBook(self.data / "orders.db").refunds()


def until(there: Callable[[], T | None]) -> T:
    """Look again until it is there; a guard of two minutes, for busy machines."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        found = there()
        if found is not None:
            return found
        time.sleep(0.02)
    pytest.fail("it did not come")


@contextmanager
def running(data: Path, settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[Demo]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SAYSO_", "OPENAI_"))}
    env |= {"SAYSO_DEMO_TOKEN_MS": "0", "PYTHONUNBUFFERED": "1", **settings}
    command = [sys.executable, "-m", "sayso", "demo"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--data", str(data), "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        with httpx.Client(base_url=found[0], timeout=120, verify=False) as http:
            yield Demo(process, http, data)
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running(tmp_path_factory.mktemp("demo")) as started:
        yield started


def told(view: Json) -> str:
    return "\n".join(m["content"] for m in view["messages"] if m["role"] == "assistant")


def test_refund_order_1001(demo: Demo) -> None:
    chat = demo.say("refund order 1001")
    (card,) = demo.open_cards(chat)
    assert (card["card"], card["title"]) == ("approval", "Refund €42.00 for order 1001")
    before = len(demo.refunds)
    demo.answer(card, {"decision": "approve", "edits": {"amount": 30}})
    view = demo.ended(chat)
    assert demo.refunds[before:] == [("1001", 3000)]
    assert "Done: €30.00 for order 1001" in told(view)
    assert [stage["state"] for stage in view["progress"]["stages"]] == ["done"] * 4


def test_a_rejection_repeats_its_reason(demo: Demo) -> None:
    chat = demo.say("refund order 1002")
    (card,) = demo.open_cards(chat)
    demo.answer(card, {"decision": "reject", "reason": "The bread was eaten."})
    assert "Your reason: The bread was eaten." in told(demo.ended(chat))


def test_three_cards_at_once_answered_in_any_order(demo: Demo) -> None:
    chat = demo.say("refund orders 1001, 1002 and 1003")
    cards = {c["payload"]["tool_params"]["order_id"]: c for c in demo.open_cards(chat, 3)}
    demo.answer(cards["1003"], {"decision": "approve"})
    demo.answer(cards["1001"], {"decision": "reject", "reason": "Not now."})
    demo.answer(cards["1002"], {"decision": "approve"})
    said = told(demo.ended(chat))
    assert "Done: €41.00 for order 1003" in said
    assert "I have not refunded order 1001. Your reason: Not now." in said
    assert "Done: €18.00 for order 1002" in said


def test_refund_my_order(demo: Demo) -> None:
    chat = demo.say("refund my order")
    (options,) = demo.open_cards(chat)
    assert options["card"] == "options"
    demo.answer(options, {"selected_option": "1009", "additional_notes": "It scratches."})
    card = until(lambda: next((c for c in demo.open_cards(chat) if c["card"] == "approval"), None))
    assert card["payload"]["tool_params"]["reason"] == "It scratches."
    demo.answer(card, {"decision": "approve"})
    assert "Done: €43.20 for order 1009" in told(demo.ended(chat))


def test_change_my_delivery(demo: Demo) -> None:
    chat = demo.say("change my delivery")
    (form,) = demo.open_cards(chat)
    assert form["card"] == "form"
    values = {**form["payload"]["values"], "postcode": "?"}
    place = f"/api/interactions/{form['interaction_id']}/response"
    refused = demo.http.post(place, json=values)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == "values/postcode"
    demo.answer(form, {**values, "postcode": "211 29"})
    card = until(
        lambda: next((c for c in demo.open_cards(chat) if c["card"] == "confirmation"), None)
    )
    demo.answer(card, {"decision": "approve"})
    assert "Done: order 1004 comes to" in told(demo.ended(chat))
    assert OrderBook(demo.data / "orders.db").order("1004").postcode == "211 29"


def test_check_my_orders(demo: Demo) -> None:
    view = demo.ended(demo.say("check my orders"))
    (report,) = _cards(view, "validation")
    assert report["payload"]["is_valid"] is True
    assert report["payload"]["exchange_summary"]["total_orders"] == 12


def test_tell_me_a_story(demo: Demo) -> None:
    story = told(demo.ended(demo.say("tell me a story")))
    assert 1_800 < len(story.split()) < 2_500


def test_write_a_summary(demo: Demo) -> None:
    view = demo.ended(demo.say("write a summary"))
    (artifact,) = view["artifacts"]
    assert artifact["title"] == "Summary of your orders"
    assert "| 1004 | Soap box | €19.50 |" in artifact["content"]


def test_ask_me_something_takes_the_next_message_as_its_answer(demo: Demo) -> None:
    chat = demo.say("ask me something")
    demo.open_cards(chat)
    demo.say("The tin with the lid.", chat=chat)
    assert "You said: The tin with the lid." in told(demo.ended(chat))


def test_fail_softly_and_retry_with_a_correction(demo: Demo) -> None:
    view = demo.ended(demo.say("fail softly"))
    (error,) = _cards(view, "recoverable_error")
    payload = error["payload"]
    assert payload["suggestion"] == "Use one of PostNord, DHL, An Post."
    retry = payload["retry"]
    assert retry["arguments_schema"]["properties"]["carrier"]["type"] == "string"
    arguments = {**retry["arguments"], "carrier": "DHL"}
    demo.post(f"/api/tool-calls/{retry['tool_call_id']}/retry", {"arguments": arguments})
    until(lambda: "succeeded" in told(demo.get(f"/api/chats/{view['id']}")) or None)

    # Whoever opens the chat now is not offered the same retry again.
    (tried,) = _cards(demo.get(f"/api/chats/{view['id']}"), "recoverable_error")
    assert tried["ui_tool_status"] == "superseded"
    assert tried["response_summary"] == f"{payload['title']} superseded: tried again"


def test_fail_badly(demo: Demo) -> None:
    (error,) = _cards(demo.ended(demo.say("fail badly")), "critical_failure")
    assert error["payload"]["message"] == "The warehouse does not answer"
    assert len(error["payload"]["resolution_steps"]) == 3


def test_the_card_is_still_there_after_kill_9_and_runs_once(tmp_path: Path) -> None:
    with running(tmp_path) as demo:
        chat = demo.say("refund order 1001")
        (card,) = demo.open_cards(chat)
        before = demo.get(f"/api/chats/{chat}")
        demo.process.send_signal(signal.SIGKILL)
        demo.process.wait()
    with running(tmp_path) as demo:
        assert demo.get(f"/api/chats/{chat}") == before
        demo.answer(card, {"decision": "approve"})
        again = demo.answer(card, {"decision": "approve"})
        assert again["repeated"] is True
        demo.ended(chat)
        assert demo.refunds == [("1001", 4200)]


def _cards(view: Json, ui_tool_id: str) -> list[Json]:
    tools = [m["metadata"].get("ui_tool") for m in view["messages"]]
    return [tool for tool in tools if tool and tool["ui_tool_id"] == ui_tool_id]
