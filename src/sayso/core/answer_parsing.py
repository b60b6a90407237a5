"""The door for answers: every form of an answer is read into one, and held against its card."""

from __future__ import annotations

from collections.abc import Mapping, Set

from pydantic import ValidationError

from sayso.core.cards import Card, FormCard, UiToolCard
from sayso.core.digest import JsonObject
from sayso.core.errors import AnswerInvalid
from sayso.core.fitting import (
    asks_for_decision,
    check_answer,
    place_of,
    reasons_of_rows,
    undecided_rows,
)
from sayso.core.interactions import (
    DEFAULT_REJECTION,
    Interaction,
    InteractionResponse,
)

_NORMAL_FORM = set(InteractionResponse.model_fields)
#: What may stand beside a wrapped answer.
_ENVELOPE = {"interaction_id", "metadata", "digest"}
_VERDICT = {"approved", "user_message"}
_DECISIONS = {
    "approve": True,
    "approved": True,
    "partial": True,
    "reject": False,
    "rejected": False,
}


def read_answer(
    it: Interaction, body: Mapping[str, object], *, reason_required: bool
) -> InteractionResponse:
    """Return the normal form of `body` for this interaction, checked against its card.

    `body` is a response of the session API, an approval payload's decision or input, bare or in its
    `tool_response` wrapper, or the plain values of a form. `reason_required` says whether this door
    asks for a reason with a rejection (REST, console and CLI do; in-process answers do not). Raises
    AnswerInvalid with `context["errors"] = [{path, message}]`.
    """
    given = _unwrapped(it, body)
    try:
        response = _normal_form(it, given)
    except ValidationError as exc:
        said = [(place_of(e["loc"]), e["msg"][:1].lower() + e["msg"][1:]) for e in exc.errors()]
        raise _invalid(*said) from exc
    errors = check_answer(it.card, response, reason_required=reason_required)
    if not errors and _is_partial(it, given) and response.response_data.approved_rows is None:
        errors = undecided_rows(it.card, response.response_data)
    if errors:
        raise _of_errors(errors)
    return _settled_form(response)


def _unwrapped(it: Interaction, body: Mapping[str, object]) -> dict[str, object]:
    wrapped, own = body.get("tool_response"), _own_names(it.card)
    if not isinstance(wrapped, Mapping) or "tool_response" in own:
        return dict(body)
    beside = {key: value for key, value in body.items() if key != "tool_response"}
    _check_beside(set(beside) - _ENVELOPE)
    inner = wrapped.get("approval_decision") or wrapped.get("user_input")
    if not isinstance(inner, Mapping):
        raise _invalid(("tool_response", "needs `approval_decision` or `user_input`"))
    _check_beside(own & set(inner) & set(beside))
    if "digest" in own:
        return {**inner, **beside}
    named = [part["digest"] for part in (inner, wrapped, beside) if part.get("digest") is not None]
    return {**inner, **beside, "digest": _one_digest(named)}


def _check_beside(others: Set[str]) -> None:
    if others:
        said = "says something else beside `tool_response`"
        raise _invalid(*((key, said) for key in sorted(others)))


def _normal_form(it: Interaction, said: Mapping[str, object]) -> InteractionResponse:
    own = _own_names(it.card)
    if _is_normal_form(said, own):
        _check_id(it, said)
        rest = {key: value for key, value in said.items() if key != "digest"}
        metadata = _metadata(rest.pop("metadata", None), said.get("digest"))
        return InteractionResponse.model_validate(
            {**rest, "interaction_id": it.id, "metadata": metadata}
        )
    if _wraps_values(said, own):
        own = frozenset()
    values = {key: value for key, value in said.items() if key in own}
    rest = {key: value for key, value in said.items() if key not in own}
    _check_id(it, rest)
    rest.pop("interaction_id", None)
    approved = _approved(rest)
    reasons = [rest.pop("reason", None), rest.pop("user_message", None)]
    parts: dict[str, object] = {
        "interaction_id": it.id,
        "metadata": _metadata(rest.pop("metadata", None), rest.pop("digest", None)),
        "user_message": next((each for each in reasons if each is not None), None),
        "approved": _read_decision(None)
        if approved is None and asks_for_decision(it.card)
        else approved is None or approved,
    }
    # Of a form that named a field of its own, all the rest are fields too.
    parts["response_data"] = {"values": {**values, **rest}} if values else rest
    return InteractionResponse.model_validate(parts)


def _is_normal_form(said: Mapping[str, object], own: Set[str]) -> bool:
    """A form may have a field called `approved`: then only `response_data` tells."""
    return {"approved", "response_data"} <= set(said) <= _NORMAL_FORM | ({"digest"} - own)


def _wraps_values(said: Mapping[str, object], own: Set[str]) -> bool:
    """`{"values": {…}}`, also for a form with a field called `values`."""
    inner = said.get("values")
    is_alone = set(said) <= {"values", "reason", "decision", *_ENVELOPE, *(_VERDICT - own)}
    return isinstance(inner, Mapping) and is_alone and set(inner) <= own


def _own_names(card: Card) -> Set[str]:
    """Return the names that a card gives its own fields: in its answer they are nothing else."""
    schema = card.response_schema if isinstance(card, FormCard | UiToolCard) else None
    properties = (schema or {}).get("properties")
    return properties.keys() if isinstance(properties, dict) else frozenset()


def _check_id(it: Interaction, said: Mapping[str, object]) -> None:
    named = said.get("interaction_id")
    if named is not None and named != it.id:
        raise _invalid(("interaction_id", f"names another card than '{it.id}'"))


def _metadata(given: object, digest: object) -> object:
    if digest is None:
        return {} if given is None else given
    if given is None:
        return {"digest": digest}
    if not isinstance(given, Mapping):
        return given
    return {**given, "digest": _one_digest([given.get("digest", digest), digest])}


def _one_digest(named: list[object]) -> object:
    """A digest may stand in several places, but an answer is to one revision."""
    if any(each != named[0] for each in named):
        raise _invalid(("digest", "differs from another one in this answer"))
    return named[0] if named else None


def _is_partial(it: Interaction, said: Mapping[str, object]) -> bool:
    word = said.get("decision") if "decision" not in _own_names(it.card) else None
    return isinstance(word, str) and word.lower() == "partial"


def _approved(rest: dict[str, object]) -> object:
    """The verdict, in either of its two names; a yes and a no at once are neither."""
    given, word = rest.pop("approved", None), rest.pop("decision", None)
    if word is None:
        return given
    read = _read_decision(word)
    if given is not None and given != read:
        raise _invalid(("decision", "says something else than `approved`"))
    return read


def _read_decision(word: object) -> bool:
    if isinstance(word, str) and word.lower() in _DECISIONS:
        return _DECISIONS[word.lower()]
    raise _invalid(("decision", 'needs to be "approve", "reject" or "partial"'))


def _settled_form(response: InteractionResponse) -> InteractionResponse:
    """One form for what means the same: no row approved is a rejection, with its reason."""
    data = response.response_data
    if data.rejected_rows and not data.approved_rows and response.approved:
        data = data.model_copy(update={"approved_rows": []})
        response = response.model_copy(update={"response_data": data})
    if response.decision != "reject" or response.user_message:
        return response
    return response.model_copy(update={"user_message": reasons_of_rows(data) or DEFAULT_REJECTION})


def _invalid(*places: tuple[str, str]) -> AnswerInvalid:
    return _of_errors([{"path": path, "message": message} for path, message in places])


def _of_errors(errors: list[JsonObject]) -> AnswerInvalid:
    first = errors[0]
    return AnswerInvalid(f"{first['path']}: {first['message']}.", context={"errors": list(errors)})
