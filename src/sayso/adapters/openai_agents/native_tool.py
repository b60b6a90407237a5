"""A function tool of an agent of OpenAI Agents, as the toolbox sees it."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from copy import copy
from inspect import Signature
from typing import Any

from agents import FunctionTool, ModelBehaviorError
from agents.function_schema import FuncSchema
from agents.tool_context import ToolContext as RunToolContext
from pydantic import JsonValue, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from sayso.adapters.native import NativeTool, was_approved
from sayso.adapters.openai_agents.state import ENCLOSING, OpenAIEnclosing, OpenAITurn
from sayso.adapters.reach import reachable
from sayso.core.digest import JsonObject
from sayso.tools.signature import check_arguments
from sayso.tools.suspension import ProposalStale, ToolMistake
from sayso.tools.tool import Traits

#: What we need of a tool beyond what the framework documents.
NEEDED = ("_is_agent_tool", "_failure_error_function", "_use_default_failure_error_function")


def traits_of(tool: FunctionTool) -> Traits:
    # To run another agent does nothing by itself: that agent's calls are decided on one by one.
    return Traits(
        declared=False, approval=tool.needs_approval is True, read_only=tool._is_agent_tool
    )


class OpenAITool(NativeTool):
    """One of the agents' own tools, in one call."""

    def __init__(
        self, turn: OpenAITurn, key: str, tool: FunctionTool, context: RunToolContext[Any]
    ) -> None:
        invoker = tool.on_invoke_tool
        is_sync = getattr(invoker, "__agents_sync_function_tool__", False) is True
        super().__init__(tool.name, tool.description, traits_of(tool), in_thread=is_sync)
        self._turn, self._key, self._tool, self._context = turn, key, tool, context
        #: Below the framework's handler, which would make a text of what the body raises.
        self._body = getattr(invoker, "_invoke_tool_impl", invoker)
        #: What its body returned in this life.
        self.returned: object = None

    @property
    def schema(self) -> JsonObject:
        return dict(self._tool.params_json_schema)

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        check_arguments(_held_against(self._tool), arguments)
        return dict(arguments)

    def as_returned(self, result: JsonValue) -> object:
        """Return what the body returned; of a call of an earlier life, what its result is by the
        type that the function says it returns."""
        if self.returned is not None:
            return self.returned
        function = _function_of(self._tool)
        kind = function.signature.return_annotation if function else Any
        kind = getattr(function, "return_annotation", kind)
        try:
            return TypeAdapter(Any if kind is Signature.empty else kind).validate_python(result)
        except (PydanticUserError, ValidationError):
            return result

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        written = json.dumps(arguments)
        context = copy(self._context)
        context.tool_arguments = written
        if not was_approved(ctx) and await self._asks(context, arguments):
            raise ProposalStale("the tool asks for approval")
        enclosing = OpenAIEnclosing(self._turn, self._key)
        try:
            with enclosing.body(ENCLOSING):
                async with asyncio.timeout(self._tool.timeout_seconds):
                    found = await self._body(context, written)
        except ModelBehaviorError as exc:
            if str(exc).startswith("Invalid JSON input"):
                raise ToolMistake(f"The arguments of '{self.name}' do not fit: {exc}") from exc
            raise
        self._turn.keep_changes()
        self.returned = found
        return to_jsonable_python(found, fallback=str)

    async def _asks(self, context: RunToolContext[Any], arguments: JsonObject) -> bool:
        asks = self._tool.needs_approval
        if not callable(asks):
            return False
        found: Any = asks(context, arguments, context.tool_call_id)
        return bool(await found if inspect.isawaitable(found) else found)


def _function_of(tool: FunctionTool) -> FuncSchema | None:
    """Return what the framework knows of the tool's function; of one made by hand, nothing."""
    found = reachable([tool.on_invoke_tool], FuncSchema)
    shown = tool.params_json_schema
    return next((one for one in found if one.params_json_schema == shown), None)


def _held_against(tool: FunctionTool) -> JsonObject:
    """Return the schema that the framework holds arguments against: what it shows to models names
    every argument as required, also those that may be left out."""
    shown, function = dict(tool.params_json_schema), _function_of(tool)
    if function is None:
        return _relaxed(shown)  # type: ignore[no-any-return]  # JSON of the framework
    own = function.params_pydantic_model.model_json_schema()
    return {**own, "additionalProperties": shown.get("additionalProperties", True)}


def _relaxed(schema: Any) -> Any:
    """Return the schema as the framework holds arguments against it: what it shows to models names
    every argument as required, also those that have a default."""
    if isinstance(schema, list):
        return [_relaxed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    mine = {name: _relaxed(value) for name, value in schema.items()}
    fields = schema.get("properties")
    if isinstance(fields, dict) and isinstance(schema.get("required"), list):
        mine["required"] = [
            name for name in schema["required"] if "default" not in (fields.get(name) or {})
        ]
    return mine
