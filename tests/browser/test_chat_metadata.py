"""Chat metadata: an answered card stays answered in a new page, a waiting one waits, in Chromium.

What is kept is read from the REST document, which the server makes from its rows after the process
that wrote them is gone.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.browser.console import Console, another_tab, console
from tests.browser.cuttable import wire_to
from tests.browser.plan_agent import APPROVAL, PLAN, REVISION
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until

TITLE = "Approve Action Plan"
REVISE = "Request Revisions"
DONE = "✓ ActionPlanApprovalForm completed"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    ledger = {"PLAN_LEDGER": str(tmp_path / "ledger")}
    command = ("serve", "tests.browser.plan_agent:app")
    async with running(tmp_path, *command, environment=ledger) as server:
        yield server


@pytest.fixture
async def tab(browser: Browser, server: ServerProcess) -> AsyncIterator[Console]:
    async with console(browser, server.url) as tab:
        yield tab


async def test_scenario_1_inline_component_completed_before_disconnect(
    server: ServerProcess, tab: Console
) -> None:
    """Scenario 1: Inline Component Completed Before Disconnect."""
    chat = await tab.begin("Make a plan")
    await expect(tab.card(TITLE)).to_contain_text("Review the plan and choose an option.")
    await tab.press("Approve", tab.card(TITLE))

    await the_plan_goes_ahead(tab)
    await expect(tab.receipt(TITLE)).to_contain_text("completed")
    await expect(tab.card(TITLE).get_by_role("button")).to_have_count(0)
    before = await at_rest(tab)

    await tab.page.close()
    await server.restart_after_kill()
    back = await another_tab(tab)
    await back.open(f"/chats/{chat}")

    await the_plan_goes_ahead(back)
    await expect(back.cards).to_have_count(0)
    await back.looks_like(before)
    tool = await ui_tool(server, chat, "ActionPlanApprovalForm")
    assert tool.pop("event_id")
    assert datetime.fromisoformat(tool.pop("timestamp")) <= datetime.fromisoformat(
        tool.pop("completed_at")
    )
    payload = tool.pop("payload")
    assert payload.pop("sayso")["card"] == "ui_tool"
    assert payload == APPROVAL
    assert (tool.pop("code"), tool.pop("params")) == (
        "settled.completed",
        {"name": "ActionPlanApprovalForm"},
    )
    assert tool == {
        "ui_tool_id": "ActionPlanApprovalForm",
        "display": "inline",
        "ui_tool_completed": True,
        "ui_tool_status": "completed",
        "response_summary": "ActionPlanApprovalForm completed",
        "completed_by": "you",
    }
    assert ledger(server) == ["Approve"]


async def test_scenario_2_inline_component_in_progress_during_disconnect(
    server: ServerProcess, tab: Console
) -> None:
    """Scenario 2: Inline Component In-Progress During Disconnect."""
    chat = await tab.begin("I want a revision")
    form = tab.card(REVISE)
    await form.get_by_role("textbox", name="Revisions").fill("Add more detail to step 2")
    await form.get_by_role("radio", name="high").check()
    before = await at_rest(tab)
    assert "Add more detail to step 2" in before

    await tab.page.close()
    await server.restart_after_kill()
    back = await another_tab(tab)
    await back.open(f"/chats/{chat}")

    await expect(back.card(REVISE).get_by_role("textbox", name="Revisions")).to_have_value(
        "Add more detail to step 2"
    )
    await expect(back.card(REVISE).get_by_role("radio", name="high")).to_be_checked()
    await back.looks_like(before)
    tool = await ui_tool(server, chat, "RevisionRequestForm")
    assert tool["ui_tool_completed"] is False
    assert tool["ui_tool_status"] == "pending"
    assert tool["payload"]["title"] == REVISION["title"]


async def test_scenario_2_what_was_typed_is_there_on_another_device_too(
    browser: Browser, server: ServerProcess, tab: Console
) -> None:
    chat = await tab.begin("I want a revision")
    await tab.card(REVISE).get_by_role("textbox", name="Revisions").fill("Typed at the desk")

    async with console(browser, server.url, width=320) as phone:
        await phone.open(f"/chats/{chat}")
        written = phone.card(REVISE).get_by_role("textbox", name="Revisions")
        await expect(written).to_have_value("Typed at the desk")


async def test_scenario_3_multiple_inline_components(server: ServerProcess, tab: Console) -> None:
    """Scenario 3: Multiple Inline Components."""
    chat = await tab.begin("Make a plan")
    await tab.press("Request Revisions", tab.card(TITLE))
    await expect(tab.receipt(TITLE)).to_contain_text(DONE)
    await expect(tab.cards).to_have_count(1)
    await expect(tab.card(REVISE).get_by_role("textbox", name="Revisions")).to_be_visible()
    before = await at_rest(tab)

    await tab.page.close()
    await server.restart_after_kill()
    back = await another_tab(tab)
    await back.open(f"/chats/{chat}")

    await expect(back.receipt(TITLE)).to_contain_text(DONE)
    await expect(back.cards).to_have_count(1)
    await expect(back.card(REVISE).get_by_role("textbox", name="Revisions")).to_be_editable()
    await back.looks_like(before)
    assert (await ui_tool(server, chat, "ActionPlanApprovalForm"))["ui_tool_completed"] is True
    assert (await ui_tool(server, chat, "RevisionRequestForm"))["ui_tool_completed"] is False
    assert ledger(server) == ["Request Revisions"]


async def test_scenario_4_artifact_vs_inline_display_modes(
    server: ServerProcess, tab: Console
) -> None:
    """Scenario 4: Artifact vs Inline Display Modes."""
    chat = await tab.begin("Make a plan with an artifact")
    side = tab.page.get_by_role("complementary")
    await expect(side.get_by_role("region", name="Action Plan")).to_contain_text("Measure")
    await tab.press("Approve", tab.card(TITLE))
    await the_plan_goes_ahead(tab)
    before = await at_rest(tab)

    await tab.page.close()
    await server.restart_after_kill()
    back = await another_tab(tab)
    await back.open(f"/chats/{chat}")

    side = back.page.get_by_role("complementary")
    await expect(side.get_by_role("region", name="Action Plan")).to_contain_text("Measure")
    await the_plan_goes_ahead(back)
    await back.looks_like(before)
    (artifact,) = (await server.get(f"/api/chats/{chat}"))["artifacts"]
    assert artifact["ui_tool_id"] == "ActionPlan"
    assert artifact["content"] == PLAN
    assert artifact["version"] == 1


async def test_scenario_4_a_component_displayed_as_artifact_stands_beside_the_chat(
    server: ServerProcess, tab: Console
) -> None:
    chat = await tab.begin("Show the plan beside the chat")
    side = tab.page.get_by_role("complementary")
    await expect(side.get_by_role("article", name="Look at the plan")).to_be_visible()
    await expect(tab.log.get_by_role("article")).to_have_count(0)
    await tab.press("Go there")
    await until(partial(tab.focus_is_in, side))
    await tab.press("Continue", side)
    await expect(side).to_contain_text("✓ PlanViewer completed")
    await expect(tab.card(TITLE)).to_be_visible()
    before = await at_rest(tab)

    await server.restart_after_kill()
    await tab.page.reload()

    await expect(tab.card(TITLE)).to_be_visible()
    await tab.looks_like(before)
    tool = await ui_tool(server, chat, "PlanViewer")
    assert tool["display"] == "artifact"
    assert tool["ui_tool_completed"] is True


async def test_case_1_user_responds_after_reconnection(server: ServerProcess, tab: Console) -> None:
    """Case 1: User Responds After Reconnection."""
    chat = await tab.begin("Make a plan")
    await expect(tab.card(TITLE)).to_be_visible()
    event_id = (await ui_tool(server, chat, "ActionPlanApprovalForm"))["event_id"]

    await server.kill()
    await tab.hears("Connection lost. Trying again.")
    await server.start()
    await tab.hears("Connected again")
    await tab.press("Approve", tab.card(TITLE))

    await the_plan_goes_ahead(tab)
    tool = await ui_tool(server, chat, "ActionPlanApprovalForm")
    assert (tool["event_id"], tool["ui_tool_status"]) == (event_id, "completed")
    assert ledger(server) == ["Approve"]


async def test_case_2_backend_crashes_before_completion_event(
    server: ServerProcess, tab: Console
) -> None:
    """Case 2: Backend Crashes Before Completion Event.

    The agent gets the answer and takes the whole process with it.
    """
    chat = await tab.begin("Make a plan and crash")
    await tab.press("Approve", tab.card(TITLE))
    await server.until_dead()
    await expect(tab.banner).to_contain_text("No connection")

    await server.start()

    await the_plan_goes_ahead(tab)
    assert (await ui_tool(server, chat, "ActionPlanApprovalForm"))["ui_tool_completed"] is True
    assert ledger(server) == ["Approve"]
    await a_fresh_page_is_the_same(tab, chat)


async def test_case_2_the_answer_was_received_and_the_page_never_heard(
    browser: Browser, server: ServerProcess
) -> None:
    """Case 2: Backend Crashes Before Completion Event.

    The page has sent the answer and heard nothing of it; it sends it again, and it counts once.
    """
    async with wire_to(server.port) as wire, console(browser, wire.url) as tab:
        chat = await tab.begin("Make a plan")
        await expect(tab.card(TITLE)).to_be_visible()
        wire.is_deaf = True
        await tab.press("Approve", tab.card(TITLE))

        async def it_was_done() -> bool:
            # Before its end a crash would leave open whether it was: that is another case.
            return bool((await server.get(f"/api/chats/{chat}"))["run"]["status"] == "completed")

        await until(it_was_done)
        await expect(tab.card(TITLE)).to_contain_text("Sending…")
        await server.kill()
        wire.cut()
        wire.is_deaf = False
        await server.start()

        await the_plan_goes_ahead(tab)
        assert ledger(server) == ["Approve"]
        await a_fresh_page_is_the_same(tab, chat)


async def test_case_2_what_may_have_been_done_already_is_asked_and_never_done_again_by_itself(
    server: ServerProcess, tab: Console
) -> None:
    """Case 2: Backend Crashes Before Completion Event.

    Later still: the line is in the ledger, and the crash came before anybody could note that.
    """
    chat = await tab.begin("Make a plan and fall over halfway")
    await tab.press("Approve", tab.card(TITLE))
    await server.until_dead()
    await server.start()

    question = tab.page.locator('article[data-card="uncertain_effect"]')
    await expect(question).to_contain_text("record the decision")
    await tab.picture("uncertain-effect")
    assert await tab.violations() == []
    assert ledger(server) == ["Approve"]
    await server.restart_after_kill()
    await tab.page.reload()
    await question.get_by_role("radio", name="was done").check()
    await tab.press("Send answer", question)

    await expect(tab.log).to_contain_text("The plan goes ahead.")
    assert ledger(server) == ["Approve"]
    await a_fresh_page_is_the_same(tab, chat)


async def test_case_3_multiple_reconnections(browser: Browser, server: ServerProcess) -> None:
    """Case 3: Multiple Reconnections."""
    async with wire_to(server.port) as wire, console(browser, wire.url) as tab:
        chat = await tab.begin("Make a plan with an artifact")
        await tab.press("Request Revisions", tab.card(TITLE))
        await tab.card(REVISE).get_by_role("textbox", name="Revisions").fill("Shorter, please")
        side = tab.page.get_by_role("complementary")
        await expect(side.get_by_role("region", name="Action Plan")).to_contain_text("Measure")
        before = await at_rest(tab)

        for round_ in range(12):
            if round_ % 4 == 3:
                await server.restart_after_kill()
            connections = await tab.connections()
            wire.cut()
            if round_ % 2:
                await tab.page.reload()
                connections = 0
            await tab.until_connected(after=connections)
            await expect(tab.receipt(TITLE)).to_contain_text(DONE)
            await expect(tab.cards).to_have_count(1)
            await tab.looks_like(before)

        await tab.press("Send", tab.card(REVISE))
        await expect(tab.log).to_contain_text("Thank you, I'll revise the plan: Shorter, please")
        await expect(tab.receipt(REVISE)).to_contain_text("✓ RevisionRequestForm completed")
        tools = [await ui_tool(server, chat, name) for name in ("ActionPlanApprovalForm",)]
        assert [tool["ui_tool_completed"] for tool in tools] == [True]
        assert ledger(server) == ["Request Revisions"]


# ── words of this suite ──


async def the_plan_goes_ahead(tab: Console) -> None:
    await expect(tab.receipt(TITLE)).to_contain_text(DONE)
    await expect(tab.log).to_contain_text("The plan goes ahead.")
    await expect(tab.state).to_contain_text("Done")


async def at_rest(tab: Console) -> str:
    """The tree, when nothing more happens by itself."""
    await expect(tab.state).to_contain_text(re.compile("Waits for you|Done"))
    return await tab.tree()


async def a_fresh_page_is_the_same(tab: Console, chat: str) -> None:
    fresh = await another_tab(tab)
    await fresh.open(f"/chats/{chat}")
    await the_plan_goes_ahead(fresh)
    await fresh.looks_like(await tab.tree())


async def ui_tool(server: ServerProcess, chat: str, ui_tool_id: str) -> dict[str, Any]:
    """`metadata.ui_tool` of the one message of this component, from the REST document and the
    database alike."""
    document = await server.get(f"/api/chats/{chat}")
    (message,) = (
        message
        for message in document["messages"]
        if message["metadata"].get("ui_tool", {}).get("ui_tool_id") == ui_tool_id
    )
    tool: dict[str, Any] = message["metadata"]["ui_tool"]
    assert message["role"] == "assistant"
    assert message["agent_name"] == "Generator"
    assert message["event_id"] == tool["event_id"]
    return tool


def ledger(server: ServerProcess) -> list[str]:
    """What was done in the world."""
    return [line.partition(" ")[2] for line in (server.data / "ledger").read_text().splitlines()]
