"""The examples with the model that SAYSO_MODEL names: the client library of a provider, a real
socket, and at its other end a server that speaks the provider's API.

The run waits, its process ends, and the answers come in a new one.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sayso import (
    App,
    ExecutionEngine,
    InteractionResponse,
    TaskRequest,
    UniversalMessage,
    tool,
)
from tests.integration.model_server import Call, follows, model_server
from tests.integration.programs import Served, serving

Json = dict[str, Any]
ENDS = ("completed", "failed", "cancelled")


@dataclass(frozen=True)
class Example:
    target: str
    #: Beside the framework, the package that its client of the provider is in.
    needs: str
    model: str
    #: Where the server is asked.
    path: str
    plan: tuple[Call, ...]
    #: Whatever is asked before the call under approval.
    answer: Json
    #: The last tool, which a person approves, and what it gives.
    gives: str

    @property
    def approved(self) -> str:
        return self.plan[-1].tool


EXAMPLES = [
    Example(
        target="examples.adk_agent:root_agent",
        needs="google.adk",
        model="gemini-2.5-flash",
        path="/v1beta/models/gemini-2.5-flash:streamGenerateContent",
        plan=(Call("look_up_bicycle", {"number": 7}), Call("order_part", {"part": "chain-11"})),
        answer={},
        gives='"paid": 24.5',
    ),
    Example(
        target="examples.langgraph_agent:app",
        needs="langchain_openai",
        model="openai:gpt-5-mini",
        path="/v1/chat/completions",
        plan=(
            Call("find_trains", {"to": "Bergen"}),
            Call("ask_traveller", {"question": "Which?", "options": ["R 601", "R 605"]}),
            Call("book", {"train": "R 605", "to": "Bergen"}),
        ),
        answer={"selected_option": "R 605"},
        gives="Seat 14A on R 605 to Bergen is booked.",
    ),
    Example(
        target="examples.autogen_agent:app",
        needs="autogen_ext.models.openai",
        model="gpt-5-mini",
        path="/v1/chat/completions",
        plan=(
            Call("overdue_loans", {}),
            Call("send_reminder", {"to": "Ada Berg", "text": "Please bring it back."}),
        ),
        answer={},
        gives="The letter to Ada Berg is on its way.",
    ),
    Example(
        target="examples.ag2_agent:app",
        needs="ag2.config.openai",
        model="gpt-5-mini",
        path="/v1/chat/completions",
        plan=(Call("dry_bed", {}), Call("water", {"bed": "basil", "litres": 8})),
        answer={"additional_notes": "basil"},
        gives="basil had 8 litres.",
    ),
    Example(
        target="examples.strands_agent:app",
        needs="strands",
        model="gpt-5-mini",
        path="/v1/chat/completions",
        plan=(
            Call("handoff_to_user", {"message": "What became of it?"}),
            Call("charge", {"book": "the atlas", "euros": 12}),
        ),
        answer={"additional_notes": "y"},
        gives="12 euros were charged for the atlas.",
    ),
    Example(
        target="examples.agent_framework_agent:app",
        needs="agent_framework.openai",
        model="gpt-5-mini",
        path="/v1/responses",
        plan=(Call("look_up", {"name": "Rolf"}), Call("book_visit", {"name": "Rolf", "hour": 9})),
        answer={},
        gives="Rolf is expected at 9:00.",
    ),
    *(
        Example(
            target="examples.pydantic_ai_agent:app",
            needs="pydantic_ai.models.openai",
            model=model,
            path=path,
            plan=(Call("ask_decorator", {"task": "the words"}), Call("charge", {"amount": 24})),
            answer={"additional_notes": "Mara!"},
            gives="24 euros were charged.",
        )
        for model, path in (
            ("openai:gpt-5-mini", "/v1/responses"),
            ("openai-chat:gpt-5-mini", "/v1/chat/completions"),
        )
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda it: f"{it.target[9:-4]} {it.model}")
def test_an_example_with_a_model_over_the_wire(example: Example, tmp_path: Path) -> None:
    pytest.importorskip(example.needs)
    data = tmp_path / "data"
    with model_server(follows(*example.plan)) as model:
        settings = {
            "SAYSO_MODEL": example.model,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{model.url}/v1",
            "GOOGLE_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": model.url,
        }
        with serving(data, target=example.target, settings=settings) as first:
            chat = first.post("/api/chats")["id"]
            first.post(f"/api/chats/{chat}/messages", {"content": "go", "client_message_id": "1"})
            first.until(chat, "waiting")
            assert first.stop() == 0
        with serving(data, target=example.target, settings=settings) as second:
            said = answered(second, chat, example)
    assert {path for path, _ in model.asked} == {example.path}
    # Each client has told the model what each of its tools gave, once.
    told = [tool for tool, _ in model.asked[-1][1].results]
    assert len(told) == len(set(told))
    assert example.gives in said
    assert f"I was told: {model.asked[-1][1].results[-1][1]}" in said
    assert runs(data, example.approved) == ["done"]


def answered(server: Served, chat: str, example: Example) -> str:
    """What the agents said in all, once a person has answered whatever they asked."""
    approvals = 0
    while server.until(chat, "waiting", *ENDS)["run"]["status"] == "waiting":
        cards = server.get(f"/api/interactions?chat={chat}&status=pending")["interactions"]
        assert cards
        for card in cards:
            asks = card["payload"].get("tool_name") != example.approved
            approvals += not asks
            body: Json = {"approved": True, "response_data": example.answer if asks else {}}
            server.post(f"/api/interactions/{card['interaction_id']}/response", body)
    assert approvals == 1
    messages = server.until(chat, *ENDS)["messages"]
    return "\n".join(m["content"] for m in messages if m["role"] == "assistant")


def runs(data: Path, tool: str) -> list[str]:
    """How each run of a tool's body ended, as the store has it. A tool of AG2 that asks by itself
    has an attempt before it that executed nothing."""
    query = "select state from effect where tool_name = ? and state != 'not_executed'"
    with closing(sqlite3.connect(data / "sayso.db")) as rows:
        return [state for (state,) in rows.execute(query, (tool,))]


async def posts(agent: object) -> str:
    """What an agent says in the end, whose one tool a person lets it use."""

    @tool(approval=True)
    def post(to: str) -> str:
        """Send a letter by post."""
        return f"posted to {to}"

    engine = ExecutionEngine(App(agent, tools=[post]))
    words = UniversalMessage(role="user", content="Write to Mara")
    task = TaskRequest(task_id="letter", messages=[words])
    waiting = await engine.execute_task(task)
    (card,) = waiting.interactions
    yes = InteractionResponse(interaction_id=card.interaction_id, approved=True)
    done = await engine.execute_task(task, resume=(waiting.state or b"", [yes]))
    return str(done.output)


@pytest.mark.parametrize("framework", ["autogen", "ag2"])
async def test_a_model_that_does_not_stream(framework: str) -> None:
    """As the quick starts have it: these two stream where they are told to."""
    with model_server(follows(Call("post", {"to": "Mara"}))) as model:
        where = {"base_url": f"{model.url}/v1", "api_key": "none"}
        if framework == "autogen":
            clients = pytest.importorskip("autogen_ext.models.openai")
            agents = pytest.importorskip("autogen_agentchat.agents")
            client = clients.OpenAIChatCompletionClient(model="gpt-5-mini", **where)
            said = await posts(agents.AssistantAgent("clerk", client, max_tool_iterations=3))
            await client.close()
        else:
            configs = pytest.importorskip("ag2.config")
            ag2 = pytest.importorskip("ag2")
            said = await posts(
                ag2.Agent("clerk", config=configs.OpenAIConfig("gpt-5-mini", **where))
            )
    assert said.endswith("I was told: posted to Mara")
