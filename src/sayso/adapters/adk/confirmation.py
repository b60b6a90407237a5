"""What a tool that asks for a confirmation by itself wants to know with it: its payload.

It stands on the card among the arguments, where a person can change it, and is given to the tool
with the yes. A field of it that is called as a parameter of the tool is has another name there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from sayso.adapters.adk.value_fields import fields_like
from sayso.core.digest import JsonObject

#: The field of a payload that is no object.
_ONE = "confirmation"


@dataclass(frozen=True, slots=True)
class ConfirmationPayload:
    """A payload beside the parameters of the tool that asks for it."""

    payload: JsonValue
    parameters: Collection[str]

    @property
    def shown(self) -> JsonObject:
        """Its fields by the names they have on the card."""
        return {self._name(field): value for field, value in self._fields.items()}

    @property
    def properties(self) -> JsonObject:
        """The JSON Schema of each."""
        return fields_like(self.shown)

    def split(self, arguments: Mapping[str, JsonValue]) -> tuple[JsonObject, JsonValue]:
        """Return the tool's own arguments, and the payload as it stands among these."""
        fields = {self._name(field): field for field in self._fields}
        own = {name: value for name, value in arguments.items() if name not in fields}
        given = {fields[name]: value for name, value in arguments.items() if name in fields}
        if isinstance(self.payload, dict):
            return own, {**self.payload, **given}
        return own, given.get(_ONE, self.payload)

    @property
    def _fields(self) -> JsonObject:
        if self.payload is None:
            return {}
        return self.payload if isinstance(self.payload, dict) else {_ONE: self.payload}

    def _name(self, field: str) -> str:
        return f"confirmed_{field}" if field in self.parameters else field
