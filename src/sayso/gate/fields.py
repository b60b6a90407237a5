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
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
from sayso.core.requirements import ActionNeed, ActionSpec, Slot, Trigger


class Requirements(BaseModel):
    """What an action needs; subclass it. Validators see all fields before the action may run."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class _AskOptions:
    why: str = ""
    slot: str | None = None
    label: str | None = None
    choices: tuple[str, ...] = ()
    precedence: int = 100
    source: Literal["user", "context"] = "user"


class Ask:
    """The question that a required field is asked with.

    `slot` names what it shares with other actions' fields (its own name by default); `why` says
    what it is for; `choices` can be clicked; lower `precedence` is asked first;
    `source="context"` lets the request's context give the value.
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
    ) -> None:
        self.question = question
        self.options = _AskOptions(
            why=why,
            slot=slot,
            label=label,
            choices=tuple(choices),
            precedence=precedence,
            source=source,
        )


def needs_of(model: type[Requirements]) -> tuple[ActionNeed, ...]:
    """The fields of a requirements model, in their order."""
    return tuple(_need(model, name, field) for name, field in model.model_fields.items())


def spec_of(
    name: str,
    model: type[Requirements],
    *,
    trigger: Trigger,
    phrases: tuple[str, ...],
    title: str,
    tool_name: str,
) -> ActionSpec:
    return ActionSpec(
        name=name,
        needs=needs_of(model),
        trigger=trigger,
        phrases=phrases,
        title=title,
        tool_name=tool_name,
    )


def normalised(model: type[Requirements], field: str, value: JsonValue) -> JsonValue:
    """A value as JSON in the field's own form: "PT240H" for a duration. Raises ValueError with the
    reason in plain words."""
    adapter = _adapter(model, field)
    try:
        made = adapter.validate_python(value)
    except ValidationError as exc:
        raise ValueError(exc.errors()[0]["msg"]) from exc
    found: JsonValue = adapter.dump_python(made, mode="json")
    return found


def checked(model: type[Requirements], values: Mapping[str, JsonValue]) -> JsonObject:
    """All values of an action, with its cross-field validators. Raises ValueError."""
    try:
        made = model.model_validate(dict(values))
    except ValidationError as exc:
        first = exc.errors()[0]
        place = "/".join(str(part) for part in first["loc"])
        raise ValueError(f"{place}: {first['msg']}".removeprefix(": ")) from exc
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
        from_context=options.source == "context",
    )
    is_list = _is_list(field)
    return ActionNeed(field=name, slot=slot, optional=ask is None, is_list=is_list)


def _least(field: FieldInfo) -> int:
    bounds = [getattr(one, "min_length", None) for one in field.metadata]
    return max([1, *(bound for bound in bounds if isinstance(bound, int))])


def _is_list(field: FieldInfo) -> bool:
    return any(
        get_origin(kind) in (list, set, tuple) or kind in (list, set) for kind in _kinds(field)
    )


def _literals(field: FieldInfo) -> tuple[str, ...]:
    found = [kind for kind in _kinds(field) if get_origin(kind) is Literal]
    return tuple(str(value) for kind in found for value in get_args(kind))


def _kinds(field: FieldInfo) -> list[Any]:
    """The type itself, or the parts of a union without None."""
    annotation = field.annotation
    if get_origin(annotation) in (Union, UnionType):
        return [kind for kind in get_args(annotation) if kind is not type(None)]
    return [annotation]
