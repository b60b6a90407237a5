"""The cards that a context opens: one function per question, and the options that all of them
take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TypedDict

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.core.cards import (
    ApprovalCard,
    Card,
    ConfirmationCard,
    Detail,
    Display,
    FormCard,
    Option,
    OptionsCard,
    UiToolCard,
)
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput
from sayso.core.fitting import check_request
from sayso.core.interactions import CardRequest, InteractionType, OnExpiry, Proposal
from sayso.core.json_limits import check_depth

_SHOWN = "What the card shows"


class AskOptions(TypedDict, total=False):
    """Options of every question: how long it waits and what then, who may answer, where it is
    drawn."""

    expires_in: timedelta | float
    #: "reject", "cancel", an OnExpiry, or the default answer as a dict (`{"selected_option":
    #: "mass"}` …).
    on_expiry: OnExpiry | str | JsonObject
    assignees: Sequence[str]
    display: Display
    workflow_stage: str


def request(
    call_key: str,
    card: Card,
    options: AskOptions,
    *,
    agent_name: str,
    tool_call_id: str | None,
    ui_tool_id: str | None = None,
    proposal: Proposal | None = None,
    type_: InteractionType | None = None,
) -> CardRequest:
    check_depth(card, _SHOWN)
    asked = CardRequest(
        call_key=call_key,
        card=card,
        ui_tool_id=ui_tool_id or card.card.value,
        agent_name=agent_name,
        display=options.get("display", Display.INLINE),
        tool_call_id=tool_call_id,
        proposal=proposal,
        expires_in=as_timedelta(options.get("expires_in")),
        on_expiry=_on_expiry(options),
        assignees=tuple(options.get("assignees", ())),
        workflow_stage=options.get("workflow_stage"),
        type=type_,
    )
    check_request(asked)
    return asked


def context_of(options: AskOptions, context: Mapping[str, JsonValue] | None = None) -> JsonObject:
    check_depth(context, _SHOWN)
    stage = options.get("workflow_stage")
    return {**(context or {}), **({"workflow_stage": stage} if stage else {})}


def as_shown(values: Mapping[str, object] | None) -> JsonObject:
    """Return these values as JSON. Raises TooDeep first: pydantic fails on deep nesting."""
    found = dict(values or {})
    check_depth(found, _SHOWN)
    plain: JsonObject = to_jsonable_python(found)
    return plain


def question(
    words: str, options: Sequence[Option | str | JsonObject], notes: bool, context: JsonObject
) -> OptionsCard:
    return OptionsCard(
        title=words,
        agent_message=words,
        question=words,
        options=_each_once(options),
        context=context,
        allow_notes=notes,
    )


def _each_once(options: Sequence[Option | str | JsonObject]) -> list[Option]:
    """Raises InvalidInput where an answer, which names an id, could not say which one is meant."""
    found = list(dict.fromkeys(Option.model_validate(option) for option in options))
    ids = {option.id for option in found}
    if "" in ids or len(ids) < len(found):
        raise InvalidInput(
            "Two choices have the same id, or one has none: nobody would know which was chosen.",
            fix="Give each choice an id of its own.",
        )
    return found


def form(
    schema: JsonObject,
    *,
    title: str,
    message: str | None,
    values: Mapping[str, object] | None,
    context: JsonObject,
    submit_label: str | None,
) -> FormCard:
    return FormCard(
        title=title,
        agent_message=message or title,
        message=message,
        response_schema=schema,
        values=as_shown(values),
        context=context,
        submit_label=submit_label,
    )


def confirmation(
    title: str,
    *,
    message: str | None = None,
    details: Mapping[str, object] | None = None,
    impact: str | None = None,
    context: JsonObject,
    options: Sequence[str],
) -> ConfirmationCard:
    rows = [Detail(label=label, value=value) for label, value in as_shown(details).items()]
    return ConfirmationCard(
        title=title,
        agent_message=message or title,
        message=message,
        details=rows,
        impact=impact,
        context=context,
        approval_options=list(options),
    )


def approval(
    entity_type: str,
    summary: str,
    *,
    details: JsonObject,
    impact: str | None,
    action: str,
    message: str | None,
    context: JsonObject,
    edit_schema: JsonObject | None,
    final_confirmation: bool,
) -> tuple[ApprovalCard, Proposal]:
    check_depth(edit_schema, _SHOWN)
    card = ApprovalCard(
        title=summary,
        agent_message=message or summary,
        message=message,
        tool_name=entity_type,
        tool_params=details,
        entity_type=entity_type,
        entity_summary=summary,
        entity_details=details,
        action=action,
        impact=impact,
        context=context,
        edit_schema=edit_schema,
        final_confirmation=final_confirmation,
    )
    proposal = Proposal(
        tool_name=entity_type, arguments=details, summary=summary, details=details, impact=impact
    )
    return card, proposal


def ui_tool(payload: Mapping[str, object], response_schema: JsonObject | None) -> UiToolCard:
    check_depth(response_schema, _SHOWN)
    return UiToolCard(payload=as_shown(payload), response_schema=response_schema)


def _on_expiry(options: AskOptions) -> OnExpiry:
    given = options.get("on_expiry", "reject")
    check_depth(given, "The answer in `on_expiry`")
    if isinstance(given, dict):
        parts = {"selected_option", "additional_notes", "values", "edits", "suggestions"}
        if set(given) <= parts:
            given = {"response_data": given}
    return as_on_expiry(given)


#: A hundred years: more than anybody waits, and less than a date can say.
_LONGEST = timedelta(days=36_525)


def as_timedelta(given: timedelta | float | None, *, name: str = "expires_in") -> timedelta | None:
    """Read how long a card waits. Raises InvalidInput."""
    if given is None:
        return None
    try:
        found = given if isinstance(given, timedelta) else timedelta(seconds=given)
    except (TypeError, ValueError, OverflowError):  # no number, NaN, or too large
        found = None
    if found is None or not timedelta() < found <= _LONGEST:
        raise InvalidInput(
            f"`{name}` is {given!r:.40}: a card cannot wait for that long.",
            fix="Give a timedelta, or seconds: more than 0, and at most a hundred years.",
        )
    return found


def as_on_expiry(given: OnExpiry | str | JsonObject) -> OnExpiry:
    """Read "reject", "cancel", an OnExpiry, or the default answer itself as a dict."""
    if isinstance(given, OnExpiry):
        return given
    if isinstance(given, str):
        return OnExpiry.model_validate({"action": given})
    return OnExpiry(action="answer", answer=given)
