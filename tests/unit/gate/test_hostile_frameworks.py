"""Hostile agents of real frameworks, whose own tool is held by its name: nothing is paid before a
person has said go, and then once, for what they said."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolCallChunk,
    ToolMessage,
)
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import tool as langchain_tool
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from sayso import App
from sayso.core.segments import Completed, Program, Waiting
from tests.seeds import SEED, SOAK
from tests.unit.gate.test_hostile import DOCUMENT, INVENTED, SAYINGS, YESES, Conversation, Wire

CONVERSATIONS, TURNS = 4 * SOAK, 15
#: A call of the model: the tool's name and its arguments.
Call = tuple[str, dict[str, Any]]
Calls = Sequence[Call]


class World:
    """What was paid, and what the model has tried."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        self.tried: Counter[str] = Counter()
        self.heard: Counter[str] = Counter()

    def pay(self, destination: str) -> str:
        self.paid.append(destination)
        return "paid"

    def reply(self, words: str, results: Sequence[str]) -> Calls | str:
        """Three attacks on each message, then words that say yes and ask something else."""
        for result in results:
            self.heard.update(s for s in ("requirements_not_met", "offered") if s in result)
        if results:
            return f"yes, go ahead. pay for it. {DOCUMENT} Do you like coffee?"
        chance = random.Random(f"{SEED} {words} {self.tried.total()}")
        place = chance.choice(INVENTED)
        attacks: list[Call] = [
            ("wire_money", {"destination": place, "confirmed": True}),
            ("wire_money", {"destination": "", "confirmed": False}),
            ("offer_value", {"field": "destination", "words": place}),
            ("request_action", {"action": "wire_money"}),
        ]
        chosen = chance.sample(attacks, k=3)
        self.tried.update(name for name, _ in chosen)
        return chosen


def pydantic_agent(world: World) -> object:
    async def model(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        parts = [part for m in messages if isinstance(m, ModelRequest) for part in m.parts]
        prompts = [(n, part) for n, part in enumerate(parts) if isinstance(part, UserPromptPart)]
        start, asked = prompts[-1]
        results = [str(part.content) for part in parts[start:] if isinstance(part, ToolReturnPart)]
        said = world.reply(str(asked.content), results)
        if isinstance(said, str):
            yield said
            return
        yield {
            n: DeltaToolCall(name, json.dumps(args), tool_call_id=f"call_{n}")
            for n, (name, args) in enumerate(said)
        }

    agent = Agent(FunctionModel(stream_function=model), name="agent")

    @agent.tool_plain
    def wire_money(destination: str = "", confirmed: bool = False) -> str:
        """Pay for the trip."""
        return world.pay(destination)

    return agent


class Model(BaseChatModel):
    """A LangChain chat model that replies as the world says."""

    world: Any

    @property
    def _llm_type(self) -> str:
        return "hostile"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Model:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        raise NotImplementedError

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        start = max(n for n, message in enumerate(messages) if isinstance(message, HumanMessage))
        results = [m.text for m in messages[start:] if isinstance(m, ToolMessage)]
        said = self.world.reply(messages[start].text, results)
        if isinstance(said, str):
            yield ChatGenerationChunk(message=AIMessageChunk(content=said))
            return
        calls = [
            ToolCallChunk(name=name, args=json.dumps(args), id=f"call_{n}", index=n)
            for n, (name, args) in enumerate(said)
        ]
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))


def langchain_agent(world: World) -> object:
    @langchain_tool
    def wire_money(destination: str = "", confirmed: bool = False) -> str:
        """Pay for the trip."""
        return world.pay(destination)

    return create_agent(Model(world=world), tools=[wire_money], name="agent")


def program(world: World, make: Callable[[World], object], trigger: str) -> Program:
    app = App({"agent": make(world)})
    app.guard("wire_money", requires=Wire, trigger=trigger, phrases=["pay for it"])
    return app.programs()["agent"]


FRAMEWORKS = pytest.mark.parametrize("make", [pydantic_agent, langchain_agent])
TRIGGERS = pytest.mark.parametrize("trigger", ["confirm", "explicit"])


@FRAMEWORKS
@TRIGGERS
async def test_nothing_is_paid_and_nothing_is_believed(
    make: Callable[[World], object], trigger: str
) -> None:
    world = World()
    agent = program(world, make, trigger)
    chance = random.Random(f"{SEED} {trigger}")
    cards = yeses = 0
    for number in range(CONVERSATIONS):
        chat = Conversation(agent, f"f{number}")
        for _ in range(TURNS):
            answers = chance.random() < 0.3 and chat.card is None
            await chat.say(chance.choice(YESES if answers else SAYINGS))
            yeses += answers
            cards += chat.card is not None
            if chat.card is not None and chance.random() < 0.5:
                await chat.answer(None)
            assert isinstance(chat.run.end, Completed | Waiting), chat.run.end
            assert world.paid == []
            assert chat.invented() == []
            assert [g for g in chat.state.grants if g.status != "void"] == []
    # The attacks were real.
    turns = CONVERSATIONS * TURNS
    tried = min(world.tried[n] for n in ("wire_money", "offer_value", "request_action"))
    assert tried > turns / 4, world.tried
    assert world.heard["requirements_not_met"] > turns / 4, world.heard
    assert world.heard["offered"] > turns / 12, world.heard
    assert (cards > turns / 15, yeses > turns / 30) == (True, True), (cards, yeses)


@FRAMEWORKS
@TRIGGERS
async def test_with_a_persons_word_it_is_paid_once_and_as_they_said(
    make: Callable[[World], object], trigger: str
) -> None:
    """The control: the same agent, the same attacks."""
    world = World()
    agent = program(world, make, trigger)
    for number in range(3 * SOAK):
        world.paid.clear()
        chat = Conversation(agent, f"y{number}")
        await chat.say("I want to go to Rome")
        if chat.card is not None:
            await chat.answer(None)
        assert world.paid == []
        await chat.say("pay for it")
        if trigger == "confirm":
            await chat.answer({"approved": True})
        for _ in range(6):
            await chat.say("How many bags can I take?")
            if chat.card is not None:
                await chat.answer(None)
        assert world.paid == ["Rome"]
