"""What the three actions make: typed content that people edit, check off, print and export."""

from __future__ import annotations

import datetime

from pydantic import BaseModel, ConfigDict, Field


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
