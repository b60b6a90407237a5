"""Agents that answer in a fixed shape, with the real clients of their models: the application's
tools are theirs too, and a call that is asked about waits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed, Waiting
from sayso.testing.recorder import MemoryRun
from sayso.tools.tool import tool
from tests.integration.model_server import MODEL, Asked, Call, Reply, model_server


class Receipt(BaseModel):
    order: str
    ok: bool


class Line(BaseModel):
    number: int
    text: str = ""


SHAPE = '{"order":"A1","ok":true}'


@tool(approval=True)
def refund(order: str, amount: float = 1.0, lines: list[Line] | None = None) -> str:
    """Refund an order."""
    return f"refunded {order} {amount} {lines}"


@tool
def note(anything: dict[str, Any]) -> str:
    """Note whatever it is."""
    return "noted"


CALL = {"order": "A1", "amount": None, "lines": [{"number": 1, "text": None}]}


def autogen(url: str, *, stream: bool) -> Any:
    openai = pytest.importorskip("autogen_ext.models.openai")
    agents = pytest.importorskip("autogen_agentchat.agents")
    client = openai.OpenAIChatCompletionClient(
        model=MODEL,
        api_key="key",
        base_url=f"{url}/v1",
        model_info={
            "vision": False,
            "function_calling": True,
            "json_output": True,
            "family": "unknown",
            "structured_output": True,
        },
    )
    return agents.AssistantAgent(
        "clerk", client, output_content_type=Receipt, model_client_stream=stream
    )


@pytest.mark.filterwarnings("ignore:Pydantic serializer")  # of the client, which logs its reply
@pytest.mark.parametrize("stream", [False, True])
async def test_autogen_offers_the_tools_that_a_strict_schema_can_describe(stream: bool) -> None:
    def mind(asked: Asked) -> Reply:
        return Reply(SHAPE) if asked.results else Reply("", Call("refund", CALL))

    with model_server(mind) as server:
        run = MemoryRun()
        program = AgentProgram(autogen(server.url, stream=stream), tools=[refund, note])
        assert isinstance(await run.go(program), Waiting), run.end
        run.approve("refund")
        assert isinstance(await run.go(program), Completed), run.end
    assert server.asked[0][1].tools == {"refund", "request_user_input", "request_user_approval"}
    ((tool_name, told),) = server.asked[-1][1].results
    assert (tool_name, told) == ("refund", "refunded A1 1.0 [Line(number=1, text='')]")
    assert json.loads(run.said) == {"order": "A1", "ok": True}


async def test_adk_offers_the_applications_tools_beside_an_output_schema(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agents = pytest.importorskip("google.adk.agents")

    def mind(asked: Asked) -> Reply:
        if asked.results:
            return Reply("", Call("set_model_response", {"order": "A1", "ok": True}))
        return Reply("", Call("refund", {"order": "A1"}))

    with model_server(mind) as server:
        monkeypatch.setenv("GOOGLE_API_KEY", "key")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        agent = agents.LlmAgent(name="clerk", model="gemini-2.5-flash", output_schema=Receipt)
        run, program = MemoryRun(), AgentProgram(agent, tools=[refund])
        assert isinstance(await run.go(program), Waiting), run.end
        run.approve("refund")
        end = await run.go(program)
        assert isinstance(end, Completed), end
    assert {"refund", "set_model_response"} <= server.asked[0][1].tools
    assert json.loads(end.output) == {"order": "A1", "ok": True}
