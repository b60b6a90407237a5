"""Somebody who works with the guided assistant, and answers each card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from sayso import (
    ExecutionEngine,
    InteractionRequest,
    InteractionResponse,
    TaskRequest,
    TaskResult,
    TaskStatus,
    UniversalMessage,
)
from sayso.core.interactions import ResponseData
from sayso.packs.openlca import openlca_app
from sayso.packs.openlca.backend import Backend

#: What to answer, or how to make it from the card.
Answer = dict[str, Any] | Callable[[Mapping[str, Any]], dict[str, Any]]


class Practitioner:
    """Answers each card: as told for its title, else with a yes, or the first option."""

    def __init__(self, database: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SAYSO_MODEL", raising=False)
        self.engine = ExecutionEngine(openlca_app(database))
        self.titles: list[str] = []
        self.payloads: list[Mapping[str, Any]] = []

    async def say(self, words: str, **answers: list[Answer]) -> TaskResult:
        """Say it; `answers` are what to answer to the cards of a kind, one after the other."""
        message = UniversalMessage(role="user", content=words)
        task = TaskRequest(task_id=words, messages=[message])
        result = await self.engine.execute_task(task)
        while result.status is TaskStatus.WAITING:
            [it] = result.interactions
            payload = it.metadata["payload"]
            assert isinstance(payload, dict)
            self.titles.append(str(payload["title"]))
            self.payloads.append(payload)
            assert len(self.titles) < 30, self.titles
            given = answers.get(str(payload.get("tool_name") or it.metadata["ui_tool_id"]))
            answer = given.pop(0) if given else {}
            reply = _reply(it, answer(payload) if callable(answer) else answer)
            result = await self.engine.execute_task(task, resume=(result.state or b"", [reply]))
        return result


def _reply(it: InteractionRequest, given: dict[str, Any]) -> InteractionResponse:
    payload = it.metadata["payload"]
    assert isinstance(payload, dict)
    data: dict[str, JsonValue] = {}
    if payload.get("options"):
        data["selected_option"] = payload["options"][0]["id"]  # type: ignore[index, call-overload]
    return InteractionResponse(
        interaction_id=it.interaction_id,
        approved=bool(given.get("approved", True)),
        user_message=given.get("reason"),
        response_data=ResponseData.model_validate({**data, **given.get("data", {})}),
    )


def no(reason: str, *suggestions: str) -> dict[str, Any]:
    return {"approved": False, "reason": reason, "data": {"suggestions": list(suggestions)}}
