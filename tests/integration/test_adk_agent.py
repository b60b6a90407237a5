"""An agent of Google ADK that knows nothing of Sayso (examples/adk_agent.py): served, and in
process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso import (
    ExecutionEngine,
    InteractionResponse,
    InteractiveExecutionEngine,
    TaskChunkType,
    TaskRequest,
    UniversalMessage,
)
from tests.integration.programs import Served, serving

pytest.importorskip("google.adk")

from examples.adk_agent import root_agent

EXAMPLE = "examples.adk_agent:root_agent"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("adk") / "data", target=EXAMPLE) as served:
        yield served


def ask(server: Served, words: str, chat: str | None = None) -> str:
    chat = chat or server.post("/api/chats")["id"]
    body = {"content": words, "client_message_id": words}
    server.post(f"/api/chats/{chat}/messages", body)
    return chat


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"approved": True}, "1 × chain-11 is on its way, for €24.50."),
        (
            {"approved": False, "user_message": "Theo has one"},
            "I have ordered nothing, since you said: Theo has one",
        ),
        (
            {"approved": True, "response_data": {"edits": {"quantity": 2}}},
            "2 × chain-11 is on its way, for €49.00.",
        ),
    ],
    ids=["approved", "rejected", "edited"],
)
def test_an_order_waits_for_a_person(server: Served, answer: dict[str, object], said: str) -> None:
    chat = ask(server, "What about bicycle 7?")
    server.until(chat, "waiting")
    (card,) = server.get(f"/api/interactions?chat={chat}")["interactions"]
    assert card["payload"]["tool_name"] == "order_part"
    server.post(f"/api/interactions/{card['interaction_id']}/response", answer)
    messages = server.until(chat, "completed")["messages"]
    assert messages[-1]["content"] == said
    assert messages[-1]["agent_name"] == "workshop"


def test_what_needs_no_order_is_said_at_once_and_the_chat_goes_on(server: Served) -> None:
    chat = ask(server, "Hello")
    server.until(chat, "completed")
    ask(server, "It is 12", chat)
    texts: list[str] = []
    while len(texts) < 4:
        texts = [m["content"] for m in server.until(chat, "completed")["messages"] if m["content"]]
    assert texts[1] == "Which bicycle is it? Its number is on the frame."
    assert texts[-1] == "A spoke is broken. We have spoke-262 on the shelf: ready tomorrow."


def test_an_order_waits_for_a_server_that_was_stopped(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, target=EXAMPLE) as first:
        chat = ask(first, "bicycle 7, please")
        first.until(chat, "waiting")
        assert first.stop() == 0
    with serving(data, target=EXAMPLE) as second:
        (card,) = second.get(f"/api/interactions?chat={chat}")["interactions"]
        second.post(f"/api/interactions/{card['interaction_id']}/response", {"approved": True})
        said = second.until(chat, "completed")["messages"][-1]["content"]
    assert said == "1 × chain-11 is on its way, for €24.50."


def task() -> TaskRequest:
    words = UniversalMessage(role="user", content="bicycle 7")
    return TaskRequest(task_id="t", messages=[words])


async def test_the_loop_over_chunks_with_an_approval_in_its_middle(tmp_path: Path) -> None:
    said, asked = "", []
    async with InteractiveExecutionEngine(root_agent, store=tmp_path / "s.db") as live:
        stream, communicator = await live.start_interactive_session(task())
        async for chunk in stream:
            match chunk.chunk_type:
                case TaskChunkType.RESPONSE:
                    said += str(chunk.content)
                case TaskChunkType.TOOL_APPROVAL_REQUEST:
                    assert isinstance(chunk.content, dict)
                    asked.append(chunk.content["tool_name"])
                    yes = InteractionResponse(
                        interaction_id=str(chunk.metadata["interaction_id"]), approved=True
                    )
                    await communicator.send_user_response(yes)
                case _:
                    pass
    assert asked == ["order_part"]
    assert said == "1 × chain-11 is on its way, for €24.50."
    assert chunk.chunk_type is TaskChunkType.COMPLETE


async def test_a_task_without_any_server_or_store() -> None:
    engine = ExecutionEngine(root_agent)
    waiting = await engine.execute_task(task())
    (card,) = waiting.interactions
    yes = InteractionResponse(interaction_id=card.interaction_id, approved=True)
    assert waiting.state is not None
    done = await engine.execute_task(task(), resume=(waiting.state, [yes]))
    assert done.output == "1 × chain-11 is on its way, for €24.50."
