"""State that ADK keeps for more than a chat: under `user:` and `app:`. Here it goes with each chat
alone, which is told before any run, as far as the code says what it will keep."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import FunctionType

from google.adk.agents.llm_agent import LlmAgent
from google.adk.sessions.state import State

from sayso.adapters.reach import reachable

PREFIXES = (State.USER_PREFIX, State.APP_PREFIX)
_NAME = re.compile(r"(?:user|app):\w*")
#: Where an instruction asks for a value of the state.
_ASKED = re.compile(r"{((?:user|app):\w+)")
#: What leads to other agents, or into the model's own code.
_ELSEWHERE = ("parent_agent", "sub_agents", "model")


def wide_names(agents: Iterable[LlmAgent]) -> list[str]:
    """Return the names of such state that the instructions and functions of these agents hold."""
    held = [value for one in agents for name, value in one if name not in _ELSEWHERE]
    found = {name for text in held if isinstance(text, str) for name in _ASKED.findall(text)}
    for function in reachable(held, FunctionType):
        if not (function.__module__ or "").startswith("google."):
            texts = [text for text in function.__code__.co_consts if isinstance(text, str)]
            found |= {text for text in texts if _NAME.fullmatch(text)}
    return sorted(found)
