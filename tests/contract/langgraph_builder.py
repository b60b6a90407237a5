"""A LangChain agent that plays a script: its model's reply is a function of the history alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, TypedDict

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolCallChunk,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool
from langchain_core.tools import tool as lc_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState
from langgraph.types import Command, interrupt
from pydantic import field_validator

from sayso.adapters.langgraph import langchain_tool
from sayso.adapters.program import AgentProgram
from sayso.testing.adapter_contract import OWN_POLICY, TOOLS, Script, Turn, own_refund
from sayso.testing.contract.script import as_written
from sayso.testing.contract.tools import (
    ANSWER,
    POOR_ANSWER,
    QUESTION_RESULT,
    OrderState,
    did,
    own_final,
    own_slow,
)
from sayso.tools.tool import as_tool


class ScriptedModel(BaseChatModel):
    """Plays its turns after the person's last message; then says the results it was given."""

    script: Any
    #: What the model was sent, call by call.
    seen: Any = None
    #: The names of the tools that it was given.
    given: Any = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> ScriptedModel:
        if self.given is not None:
            self.given[:] = [getattr(tool, "name", None) for tool in tools]
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        words, calls = self._reply(messages)
        made = [_call(n, call) for n, call in enumerate(calls)]
        message = AIMessage("".join(words), tool_calls=made)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        words, calls = self._reply(messages)
        for word in words:
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
            await asyncio.sleep(0)
        chunks = [
            # The same ids in every response, as some providers give.
            ToolCallChunk(name=name, args=as_written(args), id=f"call_{n}", index=n)
            for n, (name, args) in enumerate(calls)
        ]
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=chunks))

    def _reply(self, messages: list[BaseMessage]) -> tuple[list[str], Sequence[Any]]:
        no_call_dangles(messages)
        if self.seen is not None:
            self.seen.append(list(messages))
        start = max(n for n, message in enumerate(messages) if isinstance(message, HumanMessage))
        mine = messages[start:]
        turn = sum(isinstance(message, AIMessage) for message in mine)
        if turn < len(self.script):
            said = [word + " " for word in self.script[turn].say.split(" ")[:-1]]
            if self.script[turn].calls:
                return said, self.script[turn].calls
        else:
            said = []
        return self._last(said, mine)

    def _last(
        self, said: list[str], mine: Sequence[BaseMessage]
    ) -> tuple[list[str], Sequence[Any]]:
        found = [m.text for m in mine if isinstance(m, ToolMessage)]
        return [*said, "Results: " + "|".join(map(_as_json, found))], ()


class StructuredModel(ScriptedModel):
    """Gives, once its script is played, an answer that is an object: `answers`, one after the
    other, as calls of the tool that is named for it, or as text."""

    answers: Any = (ANSWER,)
    output_tool: Any = None

    def _last(
        self, said: list[str], mine: Sequence[BaseMessage]
    ) -> tuple[list[str], Sequence[Any]]:
        if self.output_tool is None:
            return [*said, json.dumps(self.answers[0])], ()
        given = sum(
            call["name"] == self.output_tool
            for message in mine
            if isinstance(message, AIMessage)
            for call in message.tool_calls
        )
        return said, [(self.output_tool, self.answers[given])]


def _call(number: int, call: tuple[str, Any]) -> Any:
    # The same ids in every response, as some providers give.
    return {"name": call[0], "args": dict(call[1]), "id": f"call_{number}", "type": "tool_call"}


def _as_json(text: str) -> str:
    return json.dumps(json.loads(text) if text[:1] in ("{", "[") else text)


def no_call_dangles(messages: Sequence[BaseMessage]) -> None:
    waiting: set[str | None] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            waiting.discard(message.tool_call_id)
            continue
        assert not waiting
        if isinstance(message, AIMessage):
            waiting = {call["id"] for call in message.tool_calls}
    assert not waiting


def langgraph(script: Script) -> AgentProgram:
    return AgentProgram(create_agent(ScriptedModel(script=script), name="agent"), tools=TOOLS)


def langgraph_own_tools(script: Script) -> AgentProgram:
    tools = [StructuredTool.from_function(coroutine=own_refund)]
    graph = create_agent(ScriptedModel(script=script), tools=tools, name="agent")
    return AgentProgram(graph, tools=TOOLS, policy=OWN_POLICY)


def langgraph_nested(script: Script) -> AgentProgram:
    """An agent whose own tool runs another agent, which plays the script with Sayso's tools."""
    inner = create_agent(
        ScriptedModel(script=script),
        tools=[langchain_tool(tool) for tool in TOOLS],
        name="inner",
    )

    @lc_tool
    async def delegate() -> str:
        """Let another agent do it."""
        ended = await inner.ainvoke({"messages": [HumanMessage("go")]})
        return str(ended["messages"][-1].text)

    outer = ScriptedModel(script=[Turn("", [("delegate", {})])])
    return AgentProgram(create_agent(outer, tools=[delegate], name="agent"), tools=TOOLS)


class Noted(AgentState[Any], total=False):
    noted: str


@lc_tool
async def note(call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Note it."""
    did("note")
    answer = ToolMessage("noted", tool_call_id=call_id)
    return Command(update={"noted": "once", "messages": [answer]})


@lc_tool
async def recall(state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Recall it."""
    did(f"recall {state.get('noted')}")
    return "recalled"


def langgraph_own_state(script: Script) -> AgentProgram:
    """Its tools share a channel of the graph's state."""
    model = ScriptedModel(script=script)
    graph = create_agent(model, tools=[note, recall], state_schema=Noted, name="agent")
    return AgentProgram(graph)


# ── what the tutorials have ──


def own_blocking(script: Script) -> AgentProgram:
    return _with_own(script, lc_tool(own_slow))


def ends_on_result(script: Script) -> AgentProgram:
    return _with_own(script, lc_tool(own_final, return_direct=True))


def asks_as_object(script: Script) -> AgentProgram:
    @lc_tool
    def own_question() -> dict[str, Any]:
        """Ask which allocation."""
        did("own_question")
        return dict(QUESTION_RESULT)

    return _with_own(script, own_question)


def asks_as_text(script: Script) -> AgentProgram:
    @lc_tool
    def own_question() -> str:
        """Ask which allocation."""
        did("own_question")
        return json.dumps(QUESTION_RESULT)

    return _with_own(script, own_question)


def output_tool(script: Script) -> AgentProgram:
    model = StructuredModel(script=script, output_tool="OrderState")
    return _structured(model, ToolStrategy(OrderState))


def output_native(script: Script) -> AgentProgram:
    return _structured(StructuredModel(script=script), ProviderStrategy(OrderState))


class CheckedState(OrderState):
    @field_validator("ok")
    @classmethod
    def must_be_ok(cls, ok: bool) -> bool:
        assert ok, "It must be ok."
        return ok


def output_validated(script: Script) -> AgentProgram:
    model = StructuredModel(
        script=script, output_tool="CheckedState", answers=(POOR_ANSWER, ANSWER)
    )
    return _structured(model, ToolStrategy(CheckedState))


def own_memory(script: Script) -> AgentProgram:
    model, saver = ScriptedModel(script=script), InMemorySaver()
    return AgentProgram(create_agent(model, name="agent", checkpointer=saver), tools=TOOLS)


def speakers(script: Script) -> AgentProgram:
    """A graph whose node is another agent."""
    tools = [StructuredTool.from_function(coroutine=own_refund)]
    clerk = create_agent(ScriptedModel(script=script), tools=tools, name="clerk")
    builder = StateGraph(MessagesState)
    builder.add_node("clerk", clerk)
    builder.add_edge(START, "clerk")
    return AgentProgram(builder.compile(name="lead"), name="agent", policy=OWN_POLICY)


def refused(script: Script) -> AgentProgram:
    return AgentProgram(
        create_agent(ScriptedModel(script=script), tools=[lc_tool(own_final)], name="agent"),
        tools=[as_tool(own_final)],
    )


def _with_own(script: Script, tool: BaseTool) -> AgentProgram:
    return AgentProgram(create_agent(ScriptedModel(script=script), tools=[tool], name="agent"))


def _structured(model: StructuredModel, response_format: Any) -> AgentProgram:
    agent = create_agent(model, response_format=response_format, name="agent")
    return AgentProgram(agent, tools=TOOLS)


# ── its own ways to ask, as its documentation writes them ──


class Doc(TypedDict, total=False):
    words: str
    said: str
    age: int


def _node(node: Any) -> AgentProgram:
    builder = StateGraph(Doc)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    return AgentProgram(builder.compile(checkpointer=InMemorySaver()))


def middleware(script: Script) -> AgentProgram:
    tools = [StructuredTool.from_function(coroutine=own_refund)]
    hold = HumanInTheLoopMiddleware(interrupt_on={"own_refund": True})
    model = ScriptedModel(script=script)
    return AgentProgram(create_agent(model, tools=tools, middleware=[hold], name="agent"))


def human_assistance(script: Script) -> AgentProgram:
    """The first tutorial: a tool asks a person, who answers in `data`."""

    @lc_tool
    def human_assistance(query: str) -> str:
        """Request assistance from a human."""
        human_response = interrupt({"query": query})
        return str(human_response["data"])

    return _with_own(script, human_assistance)


def send_email(script: Script) -> AgentProgram:
    """A tool asks before it acts, and reads an action and edits of the answer."""

    @lc_tool
    def send_email(to: str, subject: str) -> str:
        """Send an email."""
        response = interrupt(
            {"action": "send_email", "to": to, "message": "Approve sending this email?"}
        )
        if response.get("action") == "approve":
            final_to = response.get("to", to)
            did(f"sent {final_to} {subject}")
            return f"Email sent to {final_to}"
        return "Email cancelled by user"

    return _with_own(script, send_email)


def yes_or_no(script: Script) -> AgentProgram:
    def ask(state: Doc) -> Command[Any]:
        is_approved = interrupt({"question": "Do you want to proceed?", "details": "a transfer"})
        if is_approved:
            return Command(update={"said": "proceeds"})
        return Command(update={"said": "stops"})

    return _node(ask)


def review_and_edit(script: Script) -> AgentProgram:
    def ask(state: Doc) -> Doc:
        result = interrupt({"task": "Review the summary", "generated_summary": "A short text"})
        return {"said": result["edited_summary"]}

    return _node(ask)


def asks_until_it_fits(script: Script) -> AgentProgram:
    def ask(state: Doc) -> Doc:
        prompt = "What is your age?"
        while True:
            answer = interrupt(prompt)
            if isinstance(answer, int) and answer > 0:
                break
            prompt = f"'{answer}' is not a valid age. Please enter a positive number."
        return {"age": answer, "said": f"age {answer}"}

    return _node(ask)
