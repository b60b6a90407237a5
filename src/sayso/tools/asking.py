"""The questions of a context: one method per card. Each waits for a person and returns the answer.

A question is a step of the journal: on replay it returns what was answered before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, Unpack

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import to_jsonable_python

from sayso.core.cards import Card, Option
from sayso.core.digest import JsonObject
from sayso.core.field_errors import field_errors
from sayso.core.interactions import (
    Interaction,
    InteractionState,
    InteractionType,
    Proposal,
    ResponseData,
)
from sayso.tools import questions
from sayso.tools.answer_messages import ApprovalAnswer, approval_answer
from sayso.tools.questions import AskOptions
from sayso.tools.replay import Steps
from sayso.tools.suspension import Stopped, Unanswered

FormT = TypeVar("FormT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen option's id, and what the person added."""

    id: str
    notes: str = ""


class Questions(Steps):
    """The part of a context that asks people."""

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> str:
        """Ask a free question; returns the person's words. Raises Unanswered if it is dismissed or
        expires."""
        card = questions.question(question, [], True, questions.context_of(options))
        it = await self._answer("ask", question, card.question, card, options)
        data = self._data(it, question)
        return data.additional_notes or data.selected_option or ""

    async def choose(
        self,
        question: str,
        choices: Sequence[Option | str | JsonObject],
        *,
        notes: bool = True,
        context: JsonObject | None = None,
        **options: Unpack[AskOptions],
    ) -> Choice:
        """Ask to choose one of several; with `notes` the person may add words."""
        card = questions.question(question, choices, notes, questions.context_of(options, context))
        fingerprint: JsonValue = [question, [option.id for option in card.options]]
        it = await self._answer("choose", question, fingerprint, card, options)
        data = self._data(it, question)
        return Choice(data.selected_option or "", data.additional_notes or "")

    async def form(
        self,
        model: type[FormT],
        *,
        title: str | None = None,
        message: str | None = None,
        values: Mapping[str, object] | None = None,
        submit_label: str | None = None,
        **options: Unpack[AskOptions],
    ) -> FormT:
        """Ask for values, described and checked by one model; asked again while the model refuses
        them."""
        name = title or model.__name__
        schema: JsonObject = model.model_json_schema()
        while True:
            card = questions.form(
                schema,
                title=name,
                message=message,
                values=values,
                context=questions.context_of(options),
                submit_label=submit_label,
            )
            fingerprint = to_jsonable_python([name, message, dict(values or {})])
            it = await self._answer("form", name, fingerprint, card, options)
            data = self._data(it, name)
            try:
                return model.model_validate(data.values)
            except ValidationError as exc:
                first = field_errors(exc, data.values)[0]
                message = f"{first['path']}: {first['message']}".removeprefix(": ")
                values = data.values

    async def confirm(
        self,
        title: str,
        *,
        message: str | None = None,
        details: Mapping[str, object] | None = None,
        impact: str | None = None,
        **options: Unpack[AskOptions],
    ) -> bool:
        """Ask for a yes or no, with everything it depends on. No answer is a no."""
        card = questions.confirmation(
            title,
            message=message,
            details=details,
            impact=impact,
            context=questions.context_of(options),
            options=["approve", "reject"],
        )
        it = await self._answer("confirm", title, [title, message, impact], card, options)
        return approval_answer(it).approved

    async def approve(
        self,
        entity_type: str,
        summary: str,
        details: Mapping[str, object] | None = None,
        impact: str | None = None,
        *,
        action: str = "create",
        message: str | None = None,
        edit_schema: JsonObject | None = None,
        final_confirmation: bool = False,
        **options: Unpack[AskOptions],
    ) -> ApprovalAnswer:
        """Ask for approval of something about to be created or changed."""
        shown = questions.as_shown(details)
        card, proposal = questions.approval(
            entity_type,
            summary,
            details=shown,
            impact=impact,
            action=action,
            message=message,
            context=questions.context_of(options),
            edit_schema=edit_schema,
            final_confirmation=final_confirmation,
        )
        fingerprint: JsonValue = [entity_type, summary, shown, impact]
        it = await self._answer("approve", summary, fingerprint, card, options, proposal=proposal)
        return approval_answer(it)

    async def ui_tool(
        self,
        ui_tool_id: str,
        payload: Mapping[str, object],
        *,
        response_schema: JsonObject | None = None,
        **options: Unpack[AskOptions],
    ) -> JsonObject:
        """Show the application's own card; returns what the person entered there."""
        card = questions.ui_tool(payload, response_schema)
        fingerprint: JsonValue = [ui_tool_id, card.payload]
        it = await self._answer(
            "ui_tool", ui_tool_id, fingerprint, card, options, ui_tool_id=ui_tool_id
        )
        data = self._data(it, ui_tool_id)
        rest = data.model_dump(mode="json", exclude={"values"}, exclude_defaults=True)
        return {**rest, **data.values}

    async def offer_to_stop(self, question: str, **options: Unpack[AskOptions]) -> None:
        """Ask whether to stop. A yes ends the run as cancelled; anything else goes on."""
        card = questions.confirmation(
            question, context=questions.context_of(options), options=["stop", "go on"]
        )
        it = await self._answer(
            "offer_to_stop", question, question, card, options, type_=InteractionType.CANCELLATION
        )
        if approval_answer(it).approved:
            raise Stopped(approval_answer(it).reason or question)

    async def present(
        self,
        name: str,
        card: Card,
        *,
        proposal: Proposal | None = None,
        type_: InteractionType | None = None,
        before: Callable[[], Awaitable[None]] | None = None,
        **options: Unpack[AskOptions],
    ) -> Interaction:
        """Show a custom card and wait; returns how it was settled. `name` tells it from the others
        of this body. `before` is awaited once the card is about to open."""
        return await self._answer(
            "present", name, name, card, options, proposal=proposal, type_=type_, before=before
        )

    async def _answer(
        self,
        kind: str,
        name: str,
        fingerprint: JsonValue,
        card: Card,
        options: AskOptions,
        *,
        ui_tool_id: str | None = None,
        proposal: Proposal | None = None,
        type_: InteractionType | None = None,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> Interaction:
        with self._working():
            step = await self._reach(kind, name[:80], fingerprint)
            it = self._env.answer(step.key)
            if it is None:
                if before is not None:
                    await before()
                request = questions.request(
                    step.key,
                    card,
                    options,
                    agent_name=self._env.agent_name,
                    tool_call_id=self._env.call_id(self._call_key) if self._call_key else None,
                    ui_tool_id=ui_tool_id,
                    proposal=proposal,
                    type_=type_,
                )
                await self._wait([request])
            step.finish()
            return it

    @staticmethod
    def _data(it: Interaction, question: str) -> ResponseData:
        if it.response is None or (
            it.state is InteractionState.EXPIRED and not it.response.approved
        ):
            status = "expired" if it.state is InteractionState.EXPIRED else "dismissed"
            raise Unanswered(question, status)
        return it.response.response_data
