"""A tool's parameters, read from a function's signature: their JSON schema, and the check of
arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from functools import cached_property
from math import isfinite
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, create_model
from pydantic_core import PydanticSerializationError

from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError, SchemaInvalid
from sayso.core.field_errors import field_errors
from sayso.core.schemas import argument_errors
from sayso.tools.masking import MASK

_CONTEXT_NAMES = {"ctx"}
_CONTEXT_TYPES = {"ToolContext", "AgentContext"}


class ArgumentsInvalid(Exception):
    """Arguments do not fit: one `{path, message}` for each place."""

    def __init__(self, errors: list[JsonObject]) -> None:
        super().__init__("; ".join(f"{e['path']}: {e['message']}" for e in errors))
        self.errors = errors


class Parameters:
    """The parameters of a function, apart from its context."""

    def __init__(self, function: Callable[..., object], name: str) -> None:
        signature = inspect.signature(function)
        hints = _hints(function, name)
        parameters = list(signature.parameters.values())
        self.takes_context = bool(parameters) and _is_context(parameters[0], hints)
        self.names: list[str] = []
        fields: dict[str, Any] = {}
        for number, parameter in enumerate(parameters[1:] if self.takes_context else parameters):
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                said = str(parameter).partition(":")[0]
                raise NotSupportedError(
                    f"The tool '{name}' takes {said}: no model can see what goes there.",
                    fix="Name each parameter, with its type.",
                )
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise NotSupportedError(
                    f"The tool '{name}' takes '{parameter.name}' only by position.",
                    fix="Remove the `/` from its signature: arguments come by name.",
                )
            if _is_context(parameter, hints):
                raise NotSupportedError(
                    f"The tool '{name}' takes its context as '{parameter.name}', in the middle.",
                    fix=f"Make `{parameter.name}` the first parameter.",
                )
            default = ... if parameter.default is parameter.empty else parameter.default
            hint = hints.get(parameter.name, Any)
            # Fields are numbered and the names are aliases, so that a parameter may be called
            # `json` or `copy`.
            fields[f"p{number}"] = (Annotated[hint, Field(alias=parameter.name)], default)
            self.names.append(parameter.name)
        self._model: type[BaseModel] = create_model(
            f"{name}_arguments",
            __config__=ConfigDict(extra="forbid", allow_inf_nan=False),
            **fields,
        )

    @property
    def schema(self) -> JsonObject:
        """The JSON Schema (2020-12) of the arguments, made once: frameworks ask for it at each step
        of a model. Some write into what they get, so each gets a copy of its own."""
        return deepcopy(self._schema)

    @cached_property
    def _schema(self) -> JsonObject:
        schema: JsonObject = self._model.model_json_schema(by_alias=True)
        schema.pop("title", None)
        schema.setdefault("properties", {})
        return schema

    def check(self, arguments: Mapping[str, JsonValue]) -> tuple[JsonObject, dict[str, object]]:
        """Return the arguments as JSON with the defaults filled in, and the Python values for the
        body. Raises ArgumentsInvalid."""
        try:
            model = self._model.model_validate(dict(arguments))
        except ValidationError as exc:
            raise ArgumentsInvalid(field_errors(exc, arguments)) from exc
        fields = list(type(model).model_fields)
        values = {name: getattr(model, fields[i]) for i, name in enumerate(self.names)}
        try:
            whole: JsonObject = model.model_dump(mode="json", by_alias=True)
        except PydanticSerializationError:  # a default that JSON cannot say
            whole = dict(arguments)
        return whole, values


def check_arguments(schema: JsonObject, arguments: Mapping[str, JsonValue]) -> None:
    """Check a call against the schema that a framework or a server gives for its tool. Raises
    ArgumentsInvalid, also where that schema cannot be used."""
    try:
        errors = argument_errors(schema, dict(arguments))
    except SchemaInvalid as exc:
        said = f"cannot be checked, as the tool's own schema cannot be used. {exc.detail}"
        raise ArgumentsInvalid([{"path": "", "message": said}]) from exc
    if errors:
        raise ArgumentsInvalid(errors)


def not_finite(value: JsonValue, at: str = "") -> list[JsonObject]:
    """Return each NaN or infinite number in there, with its path."""
    match value:
        case dict():
            return [e for key, one in value.items() for e in not_finite(one, f"{at}/{key}")]
        case list():
            return [e for n, one in enumerate(value) for e in not_finite(one, f"{at}/{n}")]
        case float() if not isfinite(value):
            return [{"path": at.strip("/"), "message": "needs to be a finite number"}]
        case _:
            return []


def refuse_masked(secrets: Collection[str], arguments: Mapping[str, JsonValue]) -> None:
    """Raise ArgumentsInvalid for an argument that is the mask itself: a retry starts from what was
    shown, where secrets were masked."""
    masked = sorted(name for name in secrets if arguments.get(name) == MASK)
    if masked:
        raise ArgumentsInvalid(
            [
                {"path": name, "message": "is a secret and needs to be given again"}
                for name in masked
            ]
        )


def _hints(function: Callable[..., object], name: str) -> dict[str, Any]:
    target = function if inspect.isroutine(function) else type(function).__call__
    try:
        return get_type_hints(target, include_extras=True)
    except NameError as exc:
        raise NotSupportedError(
            f"The tool '{name}' has a type that cannot be found: {exc}.",
            fix="Define the type at the top of its module, not in a function or TYPE_CHECKING.",
        ) from exc


def _is_context(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> bool:
    if parameter.name in _CONTEXT_NAMES:
        return True
    return getattr(hints.get(parameter.name), "__name__", "") in _CONTEXT_TYPES
