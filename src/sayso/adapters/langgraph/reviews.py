"""LangChain's human-in-the-loop middleware: a card for each call that it holds, and the answer to
the card as its decision. Both of its modes: one interrupt per message, or one per call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sayso.adapters.langgraph.interrupt_answers import words_of
from sayso.core.cards import ApprovalCard, Card, OptionsCard
from sayso.core.digest import JsonObject
from sayso.core.errors import AgentFailed
from sayso.core.interactions import Interaction, Proposal
from sayso.tools.answer_messages import ApprovalAnswer, approval_answer
from sayso.tools.questions import question

#: The middleware's word for a yes.
APPROVED: JsonObject = {"type": "approve"}


@dataclass(frozen=True)
class Review:
    """One call that the middleware holds. Its name is fixed: an edit never switches to another
    tool."""

    name: str
    arguments: JsonObject
    description: str
    allowed: frozenset[str]

    @property
    def may_be_approved(self) -> bool:
        return "approve" in self.allowed

    def card(self, schema: JsonObject | None) -> tuple[Card, Proposal | None]:
        title = self.name.replace("_", " ").strip().capitalize()
        if not self.allowed & {"approve", "edit"}:
            return question(self.description or title, (), True, {}), None
        properties = (schema or {}).get("properties") or dict.fromkeys(self.arguments, True)
        rest = {"$defs": schema["$defs"]} if schema and "$defs" in schema else {}
        edits: JsonObject = {
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
            **rest,
        }
        card = ApprovalCard(
            title=title,
            agent_message=self.description or title,
            message=self.description or None,
            tool_name=self.name,
            tool_params=self.arguments,
            tool_description=self.description,
            entity_summary=title,
            entity_details=self.arguments,
            edit_schema=edits if "edit" in self.allowed else None,
            requires_reason="reject" in self.allowed,
            agent_acts=True,
        )
        return card, Proposal(tool_name=self.name, arguments=self.arguments, summary=title)

    def decision(self, it: Interaction) -> JsonObject:
        if isinstance(it.card, OptionsCard) and it.response is not None:
            return {"type": "respond", "message": str(words_of(it))}
        outcome = approval_answer(it)
        if not outcome.approved:
            return self._refusal(outcome)
        data = it.response.response_data if it.response is not None else None
        if data is not None and data.additional_notes and "respond" in self.allowed:
            return {"type": "respond", "message": data.additional_notes}
        edits = data.edits if data is not None else {}
        arguments = {**self.arguments, **edits}
        if "approve" in self.allowed and arguments == self.arguments:
            return dict(APPROVED)
        return {"type": "edit", "edited_action": {"name": self.name, "args": arguments}}

    def _refusal(self, outcome: ApprovalAnswer) -> JsonObject:
        said = outcome.reason
        if outcome.suggestions:
            said = f"{said} Suggestions: {'; '.join(outcome.suggestions)}"
        for kind in ("reject", "respond"):
            if kind in self.allowed:
                return {"type": kind, "message": said}
        raise AgentFailed(
            f"'{self.name}' was {outcome.status}, and its middleware allows no refusal.",
            fix='Add "reject" to its `allowed_decisions`.',
        )


def reviews_in(value: JsonValue, schema: JsonObject | None) -> list[Review] | None:
    """Return the calls in a payload of the middleware, batched or per call; None for any other
    value."""
    if not isinstance(value, dict):
        return None
    if value.get("type") == "tool_approval" and "name" in value and "args" in value:
        return [_review(value, _decisions_in(schema))]
    requests, configs = value.get("action_requests"), value.get("review_configs")
    if not isinstance(requests, list) or not isinstance(configs, list):
        return None
    allowed = {
        str(c.get("action_name")): _strings(c.get("allowed_decisions")) for c in _dicts(configs)
    }
    return [
        _review(one, allowed.get(str(one.get("name"))) or frozenset({"approve", "reject"}))
        for one in _dicts(requests)
    ]


def _review(body: JsonObject, allowed: frozenset[str]) -> Review:
    arguments = body.get("args")
    return Review(
        name=str(body.get("name")),
        arguments=dict(arguments) if isinstance(arguments, dict) else {},
        description=str(body.get("description") or ""),
        allowed=allowed,
    )


def _decisions_in(schema: JsonObject | None) -> frozenset[str]:
    """Return the decisions that a per-call interrupt's published schema allows."""
    if schema is None:
        return frozenset({"approve", "reject"})
    definitions = schema.get("$defs")
    places = (
        [schema, *_dicts(list(definitions.values()))] if isinstance(definitions, dict) else [schema]
    )
    found: set[str] = set()
    for place in places:
        properties = place.get("properties")
        kind = properties.get("type") if isinstance(properties, dict) else None
        if isinstance(kind, dict) and isinstance(kind.get("const"), str):
            found.add(str(kind["const"]))
    return frozenset(found & {"approve", "edit", "reject", "respond"})


def _dicts(values: Sequence[JsonValue]) -> list[JsonObject]:
    return [one for one in values if isinstance(one, dict)]


def _strings(value: JsonValue) -> frozenset[str]:
    values = value if isinstance(value, list) else ()
    return frozenset(one for one in values if isinstance(one, str))
