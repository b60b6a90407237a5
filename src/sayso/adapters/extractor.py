"""A model as an extractor of requirements, by its Pydantic AI name: typed output, nothing else.

It is given one message and what may be said in it; it answers with operations. It does not decide
whether a value counts or whether anything runs: the gate does.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models import Model

from sayso.core.extraction_ops import Operation, Reading

_TOLD = """You read one message of a person and say what it gives for a request.
For each value that this very message states, give a `set` (or `correct`, where it replaces a known
one) with the words of the message that state it as `quote`, exactly as they stand there. Never
guess, never fill in what is not said, never take values from the agent's words. Give `clear` where
the person takes a value back, `deny` for a no, `later` for not yet, `unclear` where you cannot
tell, `request_action` where they ask for one of the actions. An empty list is a good answer."""


class _Found(BaseModel):
    operations: list[Operation] = []


class ModelExtractor:
    def __init__(self, model: Model | str) -> None:
        self.name = model if isinstance(model, str) else model.model_name
        self._agent = Agent(model, output_type=_Found, instructions=_TOLD, defer_model_check=True)

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        result = await self._agent.run(_prompt(reading))
        return result.output.operations


def _prompt(reading: Reading) -> str:
    slots = {
        name: {
            "question": slot.question,
            "why": slot.why,
            "schema": dict(slot.schema),
            "choices": list(slot.choices),
        }
        for name, slot in reading.slots.items()
    }
    told = {
        "fields": slots,
        "actions": [spec.name for spec in reading.actions],
        "known": dict(reading.known),
        "asked": list(reading.asked),
        "offered": {name: list(values) for name, values in reading.offered.items()},
        "today": reading.today.date().isoformat() if reading.today else None,
        "last_words": [{"role": role, "text": text} for role, text in reading.tail],
        "message": reading.message,
    }
    return orjson.dumps(told).decode()
