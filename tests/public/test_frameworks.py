"""docs/frameworks.md says what is so: its table comes from the adapters, and its quick starts run.

Only the model is played: what the page writes for a real one is given a scripted one here.
"""

from __future__ import annotations

import asyncio
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso import (
    App,
    InteractionResponse,
    InteractiveExecutionEngine,
    TaskChunkType,
    TaskRequest,
    UniversalMessage,
)
from sayso.adapters.registry import find_adapter
from sayso.testing.adapter_contract import Turn
from scripts import reference

PAGE = reference.FRAMEWORKS.read_text("utf-8")
BLOCKS: dict[str, str] = dict(
    re.findall(r"<!-- quick start: (\w+) -->\n```python\n(.*?)```", PAGE, re.DOTALL)
)
FRAMEWORKS = [name for name in BLOCKS if name not in ("tool", "together")]
SCRIPT = [Turn("", [("send_letter", {"to": "Mara"})])]

#: What is done before a block runs, and with the agent it makes.
Play = Callable[[pytest.MonkeyPatch], Callable[[Any], None]]


def function(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    return lambda agent: None


def adk(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    from tests.contract.adk_builder import ScriptedLlm

    return lambda agent: setattr(agent, "model", ScriptedLlm(model="scripted", script=SCRIPT))


def pydantic_ai(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    from tests.contract.pydantic_ai_builder import scripted_agent

    patch.setenv("OPENAI_API_KEY", "no key")
    return lambda agent: setattr(agent, "model", scripted_agent(SCRIPT).model)


def openai_agents(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    from tests.contract.openai_agents_builder import ScriptedModel

    return lambda agent: setattr(agent, "model", ScriptedModel(SCRIPT))


def strands(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    from tests.contract.strands_builder import ScriptedModel

    return lambda agent: setattr(agent, "model", ScriptedModel(SCRIPT))


def agent_framework(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    from tests.contract.agent_framework_builder import ScriptedClient

    patch.setenv("OPENAI_API_KEY", "no key")
    return lambda agent: setattr(agent, "client", ScriptedClient(SCRIPT))


def langgraph(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    from langchain import chat_models

    from tests.contract.langgraph_builder import ScriptedModel

    patch.setattr(chat_models, "init_chat_model", lambda name: ScriptedModel(script=SCRIPT))
    return lambda agent: None


def autogen(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    from tests.contract.autogen_builder import ScriptedClient

    module = types.ModuleType("autogen_ext.models.openai")
    module.OpenAIChatCompletionClient = lambda model: ScriptedClient(SCRIPT)  # type: ignore[attr-defined]
    for name in ("autogen_ext", "autogen_ext.models"):
        patch.setitem(sys.modules, name, types.ModuleType(name))
    patch.setitem(sys.modules, module.__name__, module)
    return lambda agent: None


def ag2(patch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    from ag2 import config

    from tests.contract.ag2_builder import ScriptedClient, ScriptedConfig

    played = ScriptedConfig(ScriptedClient(SCRIPT))
    patch.setattr(config, "OpenAIConfig", lambda model: played, raising=False)
    return lambda agent: None


PLAYED: dict[str, Play] = {
    each.__name__: each
    for each in (
        function,
        adk,
        agent_framework,
        pydantic_ai,
        openai_agents,
        strands,
        langgraph,
        autogen,
        ag2,
    )
}


@pytest.mark.parametrize("name", FRAMEWORKS)
async def test_a_quick_start_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name != "function":
        pytest.importorskip(
            {"adk": "google.adk", "autogen": "autogen_agentchat", "openai_agents": "agents"}.get(
                name, name
            )
        )
    space = _run(name, monkeypatch)
    assert find_adapter(space["secretary"]).name == name
    assert "posted to Mara" in await _letter(space["app"])


async def test_the_quick_start_of_two_in_one_chat_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    space = _run("pydantic_ai", monkeypatch)
    exec(BLOCKS["together"], space)
    assert "posted to Mara" in await _letter(space["app"])


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_quick_start_has_ten_lines(name: str) -> None:
    assert len([line for line in BLOCKS[name].splitlines() if line.strip()]) <= 10


def test_every_adapter_has_its_column_and_its_quick_start() -> None:
    pytest.importorskip("agents")
    pytest.importorskip("agent_framework")
    adapters = reference.adapters()
    assert sorted(FRAMEWORKS) == sorted(adapters)
    header = next(line for line in PAGE.splitlines() if line.startswith("| | "))
    assert header.strip("| ").split(" | ") == [reference.CALLED[name] for name in adapters]


def test_the_table_changes_with_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("agents")
    pytest.importorskip("agent_framework")
    adapter = next(iter(reference.adapters().values()))
    less = {**adapter.capabilities.as_json(), "streams_text": False}
    monkeypatch.setattr(type(adapter.capabilities), "as_json", lambda self: less)
    assert "frameworks.md" in reference.out_of_date()


def _run(name: str, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The page's lines up to this framework's; what they made."""
    dress = PLAYED[name](patch)
    space: dict[str, Any] = {"__name__": "quick_start"}
    for block in dict.fromkeys(("tool", "function", name)):
        exec(compile(BLOCKS[block], str(Path(reference.FRAMEWORKS)), "exec"), space)
    dress(space["secretary"])
    return space


async def _letter(app: App) -> str:
    """Ask for a letter and approve it; all that was said."""
    said, asked = "", 0
    task = TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="Write")])
    async with asyncio.timeout(60), InteractiveExecutionEngine(app, store=":memory:") as live:
        stream, communicator = await live.start_interactive_session(task)
        async for chunk in stream:
            if chunk.chunk_type is TaskChunkType.TOOL_APPROVAL_REQUEST:
                asked += 1
                yes = InteractionResponse(
                    interaction_id=str(chunk.metadata["interaction_id"]), approved=True
                )
                await communicator.send_user_response(yes)
            elif chunk.chunk_type is TaskChunkType.RESPONSE:
                said += str(chunk.content)
            assert chunk.chunk_type is not TaskChunkType.ERROR, chunk.content
    assert asked == 1
    return said
