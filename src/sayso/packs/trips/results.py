"""What the three actions make: typed content that people edit, check off, print and export. A model
makes it as well, and what does not fit its shape is asked for again."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from sayso import ToolMistake
from sayso.gate import Requirements

if TYPE_CHECKING:
    from pydantic_ai.models import Model


Result = TypeVar("Result", bound=BaseModel)

_TOLD = """You help people travel. Make the {what} for the trip that is described, for exactly these
values and no others. Be concrete and short; name nothing that you are not sure exists. Leave `note`
empty, and set no `done`."""
_MODEL_NOTE = "Made by a model ({name}). Check what matters to you before you rely on it."


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class Item(_Part):
    text: str = Field(max_length=500)
    done: bool = False


class Category(_Part):
    name: str = Field(max_length=200)
    items: list[Item]


class Checklist(_Part):
    categories: list[Category]
    #: How it was made, in plain words.
    note: str = ""


class Day(_Part):
    title: str = Field(max_length=300)
    parts: list[str]
    date: datetime.date | None = None


class Itinerary(_Part):
    days: list[Day]
    note: str = ""


class Line(_Part):
    category: str = Field(max_length=200)
    amount: float = Field(allow_inf_nan=False)
    note: str = ""


class Budget(_Part):
    #: As the person wrote it, "" where they named none.
    currency: str = Field("", max_length=20)
    total: float = Field(allow_inf_nan=False)
    lines: list[Line]
    note: str = ""


async def by_model(model: Model, what: str, needs: Requirements, kind: type[Result]) -> Result:
    """Raises ToolMistake where the model gives nothing of this shape."""
    from pydantic_ai import Agent
    from pydantic_ai.exceptions import AgentRunError

    agent = Agent(model, output_type=kind, instructions=_TOLD.format(what=what), retries=2)
    try:
        made = await agent.run(needs.model_dump_json(exclude_none=True))
    except AgentRunError as exc:
        raise ToolMistake(
            f"The model gave no {what}: {exc}", suggestion="Try again in a moment."
        ) from exc
    return made.output.model_copy(update={"note": _MODEL_NOTE.format(name=model.model_name)})
