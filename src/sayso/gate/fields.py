"""How an action says what it needs: a pydantic model whose fields carry questions.

```python
class Checklist(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]
    trip_duration: Annotated[timedelta, Ask("How long is the trip?")]
    num_travelers: Annotated[int, Field(ge=1), Ask("Alone or with others?")] = 1
    accommodation: str | None = None
```

A field with `Ask` is required; with a default besides, it is asked once and then assumed. A field
without `Ask` is optional: taken when it is said, never asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    JsonValue,
    PastDate,
    PastDatetime,
    TypeAdapter,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
from sayso.core.field_errors import field_errors
from sayso.core.requirements import ActionNeed, ActionSpec, Slot, Tense, Trigger


class Requirements(BaseModel):
    """What an action needs: subclass it. Its validators check all fields before the action runs."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class _AskOptions:
    why: str = ""
    slot: str | None = None
    label: str | None = None
    choices: tuple[str, ...] = ()
    precedence: int = 100
    source: Literal["user", "context"] = "user"
    tense: Tense | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


class Ask:
    """The question that a required field is asked with.

    `slot` names what it shares with other actions' fields (its own name by default); `why` says
    what it is for; `choices` can be clicked; lower `precedence` is asked first;
    `source="context"` lets the request's context give the value; `tense="past"` says that a day has
    been, so that "on Tuesday" is the last one; `texts` has the question in other languages, as
    `{"de": "Wohin geht es?"}`.
    """

    __slots__ = ("options", "question")

    def __init__(
        self,
        question: str,
        *,
        why: str = "",
        slot: str | None = None,
        label: str | None = None,
        choices: tuple[str, ...] | list[str] = (),
        precedence: int = 100,
        source: Literal["user", "context"] = "user",
        tense: Tense | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.question = question
        self.options = _AskOptions(
            why=why,
            slot=slot,
            label=label,
            choices=tuple(choices),
            precedence=precedence,
            source=source,
            tense=tense,
            texts=dict(texts or {}),
        )


def needs_of(model: type[Requirements]) -> tuple[ActionNeed, ...]:
    """Return what a requirements model needs, in the order of its fields."""
    return tuple(_need(model, name, field) for name, field in model.model_fields.items())


def spec_of(
    name: str,
    model: type[Requirements],
    *,
    trigger: Trigger,
    phrases: tuple[str, ...],
    title: str,
    tool_name: str,
    ask: str = "",
    verb: str = "",
) -> ActionSpec:
    return ActionSpec(
        name=name,
        needs=needs_of(model),
        trigger=trigger,
        phrases=phrases,
        title=title,
        ask=ask,
        verb=verb,
        tool_name=tool_name,
    )


def normalised(model: type[Requirements], field: str, value: JsonValue) -> JsonValue:
    """Return a value as JSON in the field's own form: "PT240H" for a duration. Raises ValueError
    with the reason in plain words."""
    adapter = _adapter(model, field)
    try:
        made = adapter.validate_python(value)
    except ValidationError as exc:
        raise ValueError(exc.errors()[0]["msg"]) from exc
    found: JsonValue = adapter.dump_python(made, mode="json")
    return found


def checked(model: type[Requirements], values: Mapping[str, JsonValue]) -> JsonObject:
    """Validate all values of an action together, and return them as JSON. Raises ValueError."""
    try:
        made = model.model_validate(dict(values))
    except ValidationError as exc:
        first = field_errors(exc, values)[0]
        raise ValueError(f"{first['path']}: {first['message']}".removeprefix(": ")) from exc
    found: JsonObject = made.model_dump(mode="json", exclude_none=True)
    return found


@cache
def _adapter(model: type[Requirements], name: str) -> TypeAdapter[Any]:
    field = model.model_fields[name]
    return TypeAdapter(Annotated[field.annotation, field])  # type: ignore[arg-type]  # its own type


def _need(model: type[Requirements], name: str, field: FieldInfo) -> ActionNeed:
    ask = next((one for one in field.metadata if isinstance(one, Ask)), None)
    options = ask.options if ask is not None else _AskOptions()
    has_default = field.default is not PydanticUndefined or field.default_factory is not None
    if ask is None and not has_default:
        raise NotSupportedError(
            f"'{model.__name__}.{name}' is required and says no question.",
            fix="Give it Ask('…'), or a default.",
        )
    default = field.get_default(call_default_factory=True) if has_default else None
    label = options.label or field.title or name.replace("_", " ").capitalize()
    slot = Slot(
        name=options.slot or name,
        label=label,
        question=ask.question if ask is not None else "",
        why=options.why or field.description or "",
        schema=_adapter(model, name).json_schema(),
        has_default=has_default and ask is not None,
        default=to_jsonable_python(default),
        precedence=options.precedence,
        least=_least(field),
        choices=options.choices or _literals(field),
        texts=options.texts,
        from_context=options.source == "context",
        tense=options.tense or _tense(field),
    )
    is_list = _is_list(field)
    return ActionNeed(field=name, slot=slot, optional=ask is None, is_list=is_list)


def _least(field: FieldInfo) -> int:
    bounds = [getattr(one, "min_length", None) for one in field.metadata]
    return max([1, *(bound for bound in bounds if isinstance(bound, int))])


def _tense(field: FieldInfo) -> Tense:
    """Return where a day of this field lies, by its type and its bounds: not after today."""
    latest = [getattr(one, "le", None) or getattr(one, "lt", None) for one in field.metadata]
    today = date.today()  # noqa: DTZ011  # a bound has no time zone either
    is_past = any(
        (day.date() if isinstance(day, datetime) else day) <= today
        for day in latest
        if isinstance(day, date)
    )
    kinds = (*_kinds(field), *field.metadata)
    return (
        "past" if is_past or any(kind in (PastDate, PastDatetime) for kind in kinds) else "future"
    )


def _is_list(field: FieldInfo) -> bool:
    return any(
        get_origin(kind) in (list, set, tuple) or kind in (list, set) for kind in _kinds(field)
    )


def _literals(field: FieldInfo) -> tuple[str, ...]:
    found = [kind for kind in _kinds(field) if get_origin(kind) is Literal]
    return tuple(str(value) for kind in found for value in get_args(kind))


def _kinds(field: FieldInfo) -> list[Any]:
    """Return the type of a field, or the parts of its union without None."""
    annotation = field.annotation
    if get_origin(annotation) in (Union, UnionType):
        return [kind for kind in get_args(annotation) if kind is not type(None)]
    return [annotation]
