"""Which of the calls that are open asks, whom, and for how long it may be silent."""

from __future__ import annotations

import asyncio
from contextvars import Context

import pytest
from mcp_types import (
    CallToolResult,
    ElicitRequestFormParams,
    ElicitResult,
    InputResponses,
    TextContent,
)

from sayso.core.held_calls import CallOfRun
from sayso.mcp import open_calls
from sayso.mcp.open_calls import OpenCall, OpenCalls, Patience, Send
from sayso.mcp.replies import Asked, Broke, Reply, StateExpired

YES = ElicitResult(action="accept", content={"cores": 4})
NOBODY = ElicitResult(action="cancel")
DONE = CallToolResult(content=[TextContent(text="done")])


class Stdio:
    """A server whose questions name no call."""

    name, is_broken = "desk", False

    def __init__(self) -> None:
        self.calls = OpenCalls()
        #: What each question was answered with.
        self.told: dict[str, ElicitResult] = {}

    async def begin(self, name: str, send: Send, person: str = "ada") -> asyncio.Task[Reply]:
        of = CallOfRun("app", f"run of {name}", name)
        made = asyncio.create_task(self.calls.call(self, send, of=of, person=person))
        await turns()
        return made

    async def ask(self, words: str) -> None:
        params = ElicitRequestFormParams(message=words, requested_schema={"type": "object"})
        asking = self.calls.asked(self, params)
        self.told[words] = await asyncio.create_task(asking, context=Context())

    def asking(self, *words: str, after: asyncio.Event | None = None) -> Send:
        async def send(call: OpenCall) -> Reply:
            call.patience = Patience(60)
            async with call.patience:
                if after is not None:
                    await after.wait()
                for one in words:
                    await self.ask(one)
            return DONE

        return send


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def words_of(reply: Reply) -> list[str]:
    assert isinstance(reply, Asked)
    return [str(one.params.message) for one in (reply.input_requests or {}).values()]  # type: ignore[union-attr]


def answer_to(reply: Reply) -> tuple[str, InputResponses]:
    assert isinstance(reply, Asked)
    assert reply.call_id is not None
    return reply.call_id, dict.fromkeys(reply.input_requests or {}, YES)


async def test_a_call_is_not_impatient_while_a_person_is_asked_and_is_again_after_it() -> None:
    server = Stdio()

    async def send(call: OpenCall) -> Reply:
        call.patience = Patience(0.01)
        async with call.patience:
            await server.ask("how many?")
            return await asyncio.Future[Reply]()

    asked = await (await server.begin("a", send))
    await asyncio.sleep(0.05)
    [held] = server.calls.held
    assert held.is_asking
    with pytest.raises(TimeoutError):
        await server.calls.go_on(*answer_to(asked))
    assert (server.told, server.calls.held) == ({"how many?": YES}, [])


async def test_what_names_no_call_is_of_the_one_that_is_left() -> None:
    server, free = Stdio(), asyncio.Event()
    slow = await server.begin("slow", server.asking(after=free))
    asks = await server.begin("asks", server.asking("how many?"))
    assert not asks.done()
    free.set()
    assert await slow is DONE
    assert words_of(await asks) == ["how many?"]
    # While that one waits for its person, the next is known at once.
    assert words_of(await (await server.begin("b", server.asking("which?")))) == ["which?"]
    assert [held.of.tool_call_id for held in server.calls.held] == ["asks", "b"]


@pytest.mark.parametrize("second", ["ada", "bob"])
async def test_of_several_people_nobody_is_asked_what_may_be_anothers(second: str) -> None:
    server, free = Stdio(), asyncio.Event()
    calls = [
        await server.begin(name, server.asking(f"{name}?", after=free), person)
        for name, person in (("a", "ada"), ("b", second))
    ]
    free.set()
    replies = await asyncio.gather(*calls)
    if second == "ada":
        assert [words_of(reply) for reply in replies] == [["a?"], ["b?"]]
    else:
        assert replies == [DONE, DONE]
        assert server.told == {"a?": NOBODY, "b?": NOBODY}


async def test_a_call_that_breaks_while_it_asks_is_over_and_after_the_answer_unclear() -> None:
    server, breaks = Stdio(), asyncio.Event()
    moved: list[bool] = []
    server.calls.on_moved = lambda: moved.append(True)

    async def send(call: OpenCall) -> Reply:
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(server.ask("how many?"))
            await breaks.wait()
            asking.cancel()
        raise Broke("gone")

    first = await (await server.begin("a", send))
    server.is_broken = True
    breaks.set()
    await turns()
    assert moved
    assert [held.is_asking for held in server.calls.held] == [False]
    with pytest.raises(StateExpired):
        await server.calls.go_on(*answer_to(first))
    assert server.calls.held == []
    breaks.clear()
    second = await (await server.begin("b", send))
    going = asyncio.create_task(server.calls.go_on(*answer_to(second)))
    await turns()
    breaks.set()
    with pytest.raises(Broke):
        await going


async def test_what_is_asked_for_no_run_or_too_often_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Stdio()
    reply = await server.calls.call(server, server.asking("what?"), of=None, person="ada")
    assert words_of(reply) == ["what?"]
    await turns()
    assert server.told == {}
    monkeypatch.setattr(open_calls, "MOST_HELD", 1)
    await (await server.begin("a", server.asking("first?")))
    assert await (await server.begin("b", server.asking("second?"))) is DONE
    assert server.told == {"second?": NOBODY}
