"""The desk of a bicycle workshop, written in Google ADK alone: nothing here knows of Sayso.

It looks bicycles up, and orders the part that one needs; ADK's own `require_confirmation` marks the
order as what a person is asked for first. Served by Sayso the question is a card that waits.

    pip install '.[adk]'
    cd examples && sayso serve adk_agent:root_agent      # then write: What about bicycle 7?

Without a key it plays its part by a script. With SAYSO_MODEL a model does, under the name that ADK
knows it by (`SAYSO_MODEL=gemini-2.5-flash`, with GOOGLE_API_KEY).
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

BICYCLES = {
    7: {"owner": "Ines", "fault": "The chain is worn.", "part": "chain-11"},
    12: {"owner": "Theo", "fault": "A spoke is broken.", "part": "spoke-262"},
}
SHELF = {"chain-11": 0, "spoke-262": 40}
PRICES = {"chain-11": 24.5, "spoke-262": 0.9}


def look_up_bicycle(number: int) -> dict[str, Any]:
    """What is wrong with a bicycle, which part it needs, and how many of them are on the shelf."""
    found = BICYCLES.get(number)
    if found is None:
        return {"error": f"No bicycle here has the number {number}."}
    return {**found, "on_shelf": SHELF[found["part"]], "price": PRICES[found["part"]]}


def order_part(part: str, quantity: int = 1) -> dict[str, Any]:
    """Order a part from the wholesaler. It is paid at once."""
    return {"ordered": quantity, "part": part, "paid": round(PRICES[part] * quantity, 2)}


class Script(BaseLlm):
    """What a model would do here, from the conversation alone, so that any process can go on."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        last = (llm_request.contents[-1].parts or [types.Part()])[-1]
        if last.function_response is None:
            reply = self._first(last.text or "")
        else:
            reply = self._next(last.function_response.name, last.function_response.response or {})
        if stream and reply.text:
            for word in re.findall(r"\S+\s*", reply.text):
                yield self._say(types.Part(text=word), partial=True)
        yield self._say(reply)

    def _first(self, message: str) -> types.Part:
        number = re.search(r"\d+", message)
        if number is None:
            return types.Part(text="Which bicycle is it? Its number is on the frame.")
        return self._call("look_up_bicycle", number=int(number[0]))

    def _next(self, tool: str | None, result: dict[str, Any]) -> types.Part:
        match result:
            case {"result": dict(inner), "note": _}:  # a person has changed the arguments
                return self._next(tool, inner)
            case {"error": error}:
                return types.Part(text=str(error))
            case {"fault": fault, "part": part, "on_shelf": 0}:
                return self._call("order_part", part=part)
            case {"fault": fault, "part": part}:
                return types.Part(text=f"{fault} We have {part} on the shelf: ready tomorrow.")
            case {"status": "rejected", "reason": reason}:
                return types.Part(text=f"I have ordered nothing, since you said: {reason}")
            case {"ordered": quantity, "part": part, "paid": paid}:
                return types.Part(text=f"{quantity} × {part} is on its way, for €{paid:.2f}.")
            case _:
                return types.Part(text=f"{tool} came to this: {result}")

    def _call(self, name: str, **arguments: object) -> types.Part:
        return types.Part(function_call=types.FunctionCall(name=name, args=arguments))

    def _say(self, part: types.Part, *, partial: bool = False) -> LlmResponse:
        return LlmResponse(content=types.Content(role="model", parts=[part]), partial=partial)


root_agent = LlmAgent(
    name="workshop",
    model=os.environ.get("SAYSO_MODEL") or Script(model="script"),
    description="The desk of a bicycle workshop.",
    instruction="You are the desk of a bicycle workshop. Look a bicycle up before you say anything "
    "about it. Where the part it needs is not on the shelf, order it. Answer in a sentence or two.",
    tools=[look_up_bicycle, FunctionTool(order_part, require_confirmation=True)],
)
