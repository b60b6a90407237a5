"""What the contract does not say of Microsoft Agent Framework."""

from __future__ import annotations

import pytest

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed")

from agent_framework import Agent, FunctionTool, tool
from pydantic import JsonValue

from sayso.adapters.agent_framework import AgentFrameworkAdapter
from sayso.adapters.agent_framework.native_tool import given_by_person
from sayso.adapters.findings import AppSide, FindingKind
from tests.contract.agent_framework_builder import ScriptedClient, scripted

adapter = AgentFrameworkAdapter()
APP = AppSide(agent_name="desk")


@tool(approval_mode="always_require")
def pay(amount: float) -> str:
    """Pay."""
    return f"paid {amount}"


def kinds(agent: object, app: AppSide = APP) -> list[FindingKind]:
    return [found.kind for found in adapter.check(agent, app)]


def test_tools_of_agents_within_tools_are_known() -> None:
    payer = scripted("payer", [], pay)

    async def by_hand(order: int) -> str:
        return (await payer.run(str(order))).text

    traits = adapter.own_tools(scripted("desk", [], payer.as_tool(), by_hand))
    assert set(traits) == {"payer", "by_hand", "pay"}
    assert traits["pay"].approval is True
    assert traits["payer"].read_only
    assert not traits["by_hand"].read_only


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"type": "web_search"}, FindingKind.CAVEAT),
        ({"type": "mcp", "server_url": "https://shop.invalid"}, FindingKind.REFUSED),
        ({"type": "shell"}, FindingKind.REFUSED),
    ],
)
def test_what_the_provider_runs(given: dict[str, str], kind: FindingKind) -> None:
    inner = scripted("inner", [], given)
    assert kinds(scripted("desk", [], inner.as_tool())) == [kind]


def test_two_tools_of_one_name_are_refused() -> None:
    from sayso.testing.contract.tools import refund

    own = FunctionTool(name="refund", func=pay.func)
    app = AppSide(agent_name="desk", tools=[refund])
    assert kinds(scripted("desk", [], own), app) == [FindingKind.REFUSED]


def test_what_tools_are_given_has_names() -> None:
    assert kinds(scripted("desk", []), AppSide(agent_name="desk", deps=object())) == [
        FindingKind.REFUSED
    ]
    assert not kinds(scripted("desk", []), AppSide(agent_name="desk", deps={"shop": object()}))


def test_a_client_of_its_own_kind_is_refused() -> None:
    class Client:
        additional_properties: dict[str, object] = {}  # noqa: RUF012  # of the protocol

        def get_response(self, *given: object, **options: object) -> object: ...

    assert kinds(Agent(Client(), name="desk")) == [FindingKind.REFUSED]  # type: ignore[arg-type]


def test_the_agents_own_objects_are_as_they_were() -> None:
    client = ScriptedClient([])
    agent = Agent(client, name="desk", tools=[pay])
    adapter.check(agent, APP)
    assert vars(pay).get("invoke") is None
    assert pay.approval_mode == "always_require"
    assert "get_response" not in vars(client)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ({"tool_response": {"user_input": {"additional_notes": "Europe"}}}, "Europe"),
        ({"tool_response": {"user_input": {"values": {"n": 1}, "additional_notes": "x"}}}, None),
        ({"status": "dismissed"}, None),
    ],
)
def test_what_a_person_gives_for_a_tool_without_a_body(answer: JsonValue, given: object) -> None:
    found = given_by_person(answer)
    assert given is None or found == given
    assert found
