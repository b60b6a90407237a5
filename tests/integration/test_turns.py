"""Posting a message and having the answer in the reply: JSON lines, plain text, or the result."""

import asyncio
import json

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from sayso.core.errors import AgentFailed
from sayso.core.events import ToolCalled, ToolCallStatus, ToolReturned, ToolUiOpened
from sayso.core.tool_ui import ToolUi
from tests.integration.world import GUARD_SECONDS, Hold, Wire, World, refund, running

STREAM = {"Prefer": "stream", "Accept": "application/json"}


async def post(
    world: World, chat_id: str, headers: dict[str, str], *, key: str = "m1", words: str = "go"
) -> httpx.Response:
    body = {"content": words, "client_message_id": key}
    return await world.http.post(f"/api/chats/{chat_id}/messages", json=body, headers=headers)


async def holding(world: World, chat_id: str, *, after: Hold | None = None) -> Hold:
    """The segment that a message which is still being answered has started; `after` this one, which
    runs until the row says that it has ended."""
    before = after.run.id if after is not None else None
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            run = (await world.view(chat_id)).get("run")
            if run is not None and run["status"] == "running" and run["run_id"] != before:
                return await world.puppet.hold(run["run_id"])
            await asyncio.sleep(0.005)


def lines(answer: httpx.Response) -> list[Wire]:
    return [json.loads(line) for line in answer.text.splitlines()]


UI = ToolUi(server="pods", resource_uri="ui://pods/app.html", round=2)


async def work(hold: Hold) -> None:
    await hold.say("Let me ")
    await hold.say("see.")
    await hold.show(
        ToolCalled(tool_call_id="t1", name="pods", arguments={"n": 1}, run_id=hold.run.id),
        ToolReturned(tool_call_id="t1", status=ToolCallStatus.DONE, result={"pods": 3}),
        ToolUiOpened(tool_call_id="t1", ui=UI),
    )
    await hold.say("Three pods.")


async def test_lines_of_a_turn(world: World):
    chat_id = await world.chat()
    answering = asyncio.create_task(post(world, chat_id, STREAM))
    hold = await holding(world, chat_id)
    await work(hold)
    await hold.finish()
    answer = await answering
    assert answer.headers["content-type"] == "application/x-ndjson"
    said = lines(answer)
    assert "".join(e["data"]["token"] for e in said if e["event"] == "token") == (
        "Let me see.Three pods."
    )
    call, result, ui, end = [e for e in said if e["event"] != "token"]
    assert call == {
        "event": "tool_call",
        "data": {"id": "t1", "name": "pods", "args": {"n": 1}, "type": "tool_call"},
    }
    assert result["data"]["status"] == "done"
    assert (result["data"]["truncated"], result["data"]["round"]) == (False, 1)
    assert json.loads(result["data"]["content"]) == {"pods": 3}
    assert ui == {
        "event": "tool_ui",
        "data": {
            "id": "t1",
            "has_ui": True,
            "format": "html",
            "server": "pods",
            "resource_uri": "ui://pods/app.html",
            "url": "",
            "size": 0,
            "problem": "",
            "detail": "",
            "round": 2,
            "type": "tool_ui",
        },
    }
    assert end["event"] == "end"
    assert end["data"]["status"] == "completed"


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream", "text/plain"])
async def test_a_view_by_schema_is_never_given_as_a_page(world: World, accept: str):
    chat_id = await world.chat()
    headers = {"Accept": accept, "Prefer": "stream, ui=inline"}
    answering = asyncio.create_task(post(world, chat_id, headers))
    hold = await holding(world, chat_id)
    schema = json.dumps({"title": "Load"})
    kept = await world.engine.store.keep_content(hold.run.app_id, schema.encode())
    ui = UI.model_copy(update={"format": "schema", "content": kept})
    await hold.show(
        ToolCalled(tool_call_id="t1", name="load", arguments={}, run_id=hold.run.id),
        ToolUiOpened(tool_call_id="t1", ui=ui),
    )
    await hold.finish()
    answer = await answering
    assert answer.headers["content-type"].startswith(accept.replace("/json", "/x-ndjson"))
    if accept == "text/plain":
        shown = json.loads(answer.text.partition("\nTool UI: ")[2].partition("\n")[0])
    else:
        texts = [line.removeprefix("data: ") for line in answer.text.splitlines() if line]
        told = [json.loads(text) for text in texts]
        [shown] = [line["data"] for line in told if line["event"] == "tool_ui"]
    assert (shown["format"], shown["ui_schema"]) == ("schema", schema)
    assert "ui_content" not in shown


async def test_each_agent_of_a_run_speaks_in_messages_of_its_own(world: World):
    chat_id = await world.chat()
    answering = asyncio.create_task(post(world, chat_id, STREAM))
    hold = await holding(world, chat_id)
    await hold.say("One ")
    await hold.say("moment.")
    await hold.say("I am ", "clerk")
    await hold.say("the clerk.", "clerk")
    await hold.say("Thanks.")
    await hold.finish()
    await answering
    messages = (await world.view(chat_id))["messages"][1:]
    assert [(m["agent_name"], m["content"]) for m in messages] == [
        ("puppet", "One moment."),
        ("clerk", "I am the clerk."),
        ("puppet", "Thanks."),
    ]


async def test_lines_come_while_it_is_written(world: World):
    chat_id = await world.chat()
    body = {"content": "go", "client_message_id": "m1"}
    path = f"/api/chats/{chat_id}/messages"
    async with world.http.stream("POST", path, json=body, headers=STREAM) as answer:
        said = answer.aiter_lines()
        hold = await holding(world, chat_id)
        await hold.say("First")
        assert json.loads(await anext(said))["data"]["token"] == "First"
        await hold.say(" second")
        assert json.loads(await anext(said))["data"]["token"] == " second"
        await hold.finish()
        assert json.loads(await anext(said))["event"] == "end"


async def asked_in(world: World, chat_id: str) -> list[Wire]:
    """The open cards as the chat has them: a list of cards names their chats as well."""
    listed = await world.pending(chat_id)
    only_in_lists = {"chat_title", "claim", "snoozed_until"}
    return [{key: it[key] for key in it if key not in only_in_lists} for it in listed]


async def test_a_turn_that_waits_ends_with_what_it_asks(world: World):
    chat_id = await world.chat()
    answering = asyncio.create_task(post(world, chat_id, STREAM))
    hold = await holding(world, chat_id)
    await hold.say("May I?")
    await hold.ask(refund())
    *_, end = lines(await answering)
    assert end["data"]["status"] == "waiting"
    assert end["data"]["interactions"] == await asked_in(world, chat_id)


async def test_a_turn_that_fails_says_why_once(world: World):
    chat_id = await world.chat()
    answering = asyncio.create_task(post(world, chat_id, STREAM))
    hold = await holding(world, chat_id)
    await hold.fail(AgentFailed("ValueError: boom"))
    error, end = lines(await answering)
    assert error["event"] == "error"
    assert error["data"]["details"] == "ValueError: boom"
    assert end["data"]["status"] == "failed"
    assert end["data"]["error"]["code"] == "agent_failed"


async def test_plain_text(world: World):
    chat_id = await world.chat()
    answering = asyncio.create_task(post(world, chat_id, {"Accept": "text/plain"}))
    hold = await holding(world, chat_id)
    await work(hold)
    await hold.finish()
    answer = await answering
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    before, ui, after = answer.text.partition("\nTool UI: ")
    assert before == "Let me see."
    assert ui
    shown, _, rest = after.partition("\n")
    assert json.loads(shown)["resource_uri"] == "ui://pods/app.html"
    assert rest == "\n\nThree pods."


@pytest.mark.parametrize("headers", [STREAM, {"Prefer": "wait=60"}], ids=["stream", "wait"])
async def test_the_same_message_again_gives_the_same_turn(world: World, headers: dict[str, str]):
    chat_id = await world.chat()
    answering = asyncio.create_task(post(world, chat_id, headers))
    hold = await holding(world, chat_id)
    await work(hold)
    await hold.finish()
    first = await answering
    again = await post(world, chat_id, headers)
    if "wait" in headers["Prefer"]:
        assert {**again.json(), "status": "started"} == first.json()
    else:
        merged = [tokens(lines(first)), tokens(lines(again))]
        assert merged[0] == merged[1]
        assert lines(first)[-1] == lines(again)[-1]
    assert len(world.puppet.holds) == 1


def tokens(said: list[Wire]) -> str:
    return "".join(e["data"]["token"] for e in said if e["event"] == "token")


async def test_a_queued_message_streams_its_own_turn_only(world: World):
    chat_id = await world.chat()
    first = await world.start(chat_id)
    await first.say("Not yours. ")
    live = await world.live(chat_id)
    answering = asyncio.create_task(post(world, chat_id, STREAM, key="m2", words="next"))
    await live.until_event("chat.message", status="queued")
    await first.say("Still not yours.")
    await first.finish()
    second = await holding(world, chat_id, after=first)
    await second.say("Yours.")
    await second.finish()
    assert tokens(lines(await answering)) == "Yours."


async def test_waiting_for_the_result(world: World):
    chat_id = await world.chat()
    answering = asyncio.create_task(post(world, chat_id, {"Prefer": "respond-async, wait=60"}))
    hold = await holding(world, chat_id)
    await work(hold)
    await hold.ask(refund())
    answer = await answering
    assert answer.status_code == 200
    assert answer.headers["preference-applied"] == "wait=60"
    body = answer.json()
    assert body["run"]["status"] == "waiting"
    assert body["run"]["interactions"] == await asked_in(world, chat_id)
    assert [m["content"] for m in body["messages"] if m["role"] == "assistant"] == [
        "Let me see.",
        "Three pods.",
        "May I?",
    ]
    assert body["tool_calls"][0]["result"] == {"pods": 3}
    assert body["messages"][-1]["metadata"]["ui_tool"]["ui_tool_status"] == "pending"


async def test_waiting_no_longer_than_asked(world: World):
    chat_id = await world.chat()
    answer = await post(world, chat_id, {"Prefer": "wait=0"})
    assert answer.status_code == 202
    assert answer.json()["status"] == "started"


@pytest.mark.parametrize("prefer", ["wait=-1", "wait=soon", "wait", "", "=;,", "return=minimal"])
async def test_a_preference_that_cannot_be_read_is_ignored(world: World, prefer: str):
    answer = await post(world, await world.chat(), {"Prefer": prefer})
    assert answer.status_code == 202


async def test_a_reader_that_leaves_ends_nothing(world: World):
    chat_id = await world.chat()
    body = {"content": "go", "client_message_id": "m1"}
    path = f"/api/chats/{chat_id}/messages"
    async with world.http.stream("POST", path, json=body, headers=STREAM):
        hold = await holding(world, chat_id)
        await hold.say("Hello")
    await world.until_metric('sayso_connections{kind="turn"} 0.0')
    await hold.say(" there")
    await hold.finish()
    view = await world.until_run(chat_id, "completed")
    assert view["messages"][-1]["content"] == "Hello there"
    assert world.listening == 0


async def test_a_server_that_stops_keeps_nobody_waiting():
    async with running() as world:
        chat_id = await world.chat()
        live = await world.live(chat_id)
        answering = asyncio.create_task(post(world, chat_id, {"Prefer": "wait=60"}))
        await holding(world, chat_id)
        world.server.should_exit = True
        answer = await answering
        assert answer.status_code == 202
        with pytest.raises(ConnectionClosed) as closed:
            await live.until(lambda _: False)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012, "service restart: come back"
