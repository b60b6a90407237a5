"""`@tool(key=…)` over a real file: other chats, other people, another process of the tenant."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sayso import AgentContext, App, StepFailed, tool
from sayso.core.chat_view import ChatView
from sayso.engine.engine import Engine
from tests.integration.test_engine import running, until


def desk(ledger: Path) -> App:
    @tool(key="refund:{order}", approval=True)
    def refund(order: int, amount: float = 4.0) -> str:
        with ledger.open("a") as file:
            file.write(f"{order} {amount}\n")
        if order == 13:
            raise OSError("reset")
        return f"receipt {order}"

    async def agent(ctx: AgentContext) -> str:
        try:
            return str(await ctx.call(refund, order=int(ctx.message)))
        except StepFailed as exc:
            return exc.error_type

    return App(agent, tools=[refund])


async def say(engine: Engine, words: str, person: str, *statuses: str) -> ChatView:
    chat = await engine.create_chat("default", by=person)
    await engine.post_message("default", chat.id, content=words, client_message_id="m", by=person)
    return await until(engine, chat.id, *statuses)


async def answer(engine: Engine, view: ChatView, **body: object) -> None:
    (card,) = [
        message.event_id
        for message in view.messages
        if message.metadata.get("ui_tool", {}).get("ui_tool_status") == "pending"  # type: ignore[union-attr]
    ]
    await engine.answer("default", card, body, key=None, by="ada")


async def test_a_second_chat_gets_what_the_first_one_did(tmp_path: Path) -> None:
    ledger, place = tmp_path / "ledger", tmp_path / "data"
    async with running(desk(ledger), place) as engine:
        first = await say(engine, "7", "ada", "waiting")
        await answer(engine, first, decision="approve")
        await until(engine, first.id, "completed")
    # Another process, another person.
    async with running(desk(ledger), place) as engine:
        view = await say(engine, "7", "bo", "completed")
        assert view.messages[-1].content == "receipt 7"
        (row,) = view.tool_calls
        assert row.status.value == "done"
        assert "was done already" in str(row.result)
        assert first.id not in view.model_dump_json()
        assert '"ada"' not in view.model_dump_json()
    assert ledger.read_text() == "7 4.0\n"


async def test_two_chats_that_are_approved_at_once_do_it_once(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    async with running(desk(ledger), tmp_path / "data") as engine:
        views = [await say(engine, "7", person, "waiting") for person in ("ada", "bo")]
        await asyncio.gather(*(answer(engine, view, decision="approve") for view in views))
        ended = [await until(engine, view.id, "completed") for view in views]
    assert ledger.read_text() == "7 4.0\n"
    said = sorted(str(view.messages[-1].content) for view in ended)
    assert said in (["AlreadyUnderWay", "receipt 7"], ["receipt 7", "receipt 7"])


async def test_what_is_unclear_in_one_chat_does_not_run_in_another(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    async with running(desk(ledger), tmp_path / "data") as engine:
        first = await say(engine, "13", "ada", "waiting")
        await answer(engine, first, decision="approve")
        first = await until(engine, first.id, "waiting")
        second = await say(engine, "13", "bo", "completed")
        (row,) = second.tool_calls
        assert row.status.value == "not_executed"
        assert isinstance(row.result, dict)
        assert row.result["code"] == "already_under_way"
        assert second.messages[-1].content != "receipt 13"
        assert ledger.read_text() == "13 4.0\n"
        await answer(engine, first, approved=True, response_data={"selected_option": "skip"})
        await until(engine, first.id, "completed")
        third = await say(engine, "13", "bo", "waiting")
        assert third.run is not None, "the key is free again: a person is asked"
