"""The actions of an application: what each needs, when it runs, and its body."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.effects import GrantUse
from sayso.core.errors import InvalidInput, NotSupportedError
from sayso.core.requirements import (
    ActionSpec,
    ActionStatus,
    Given,
    RequirementState,
    Slot,
    Source,
    Trigger,
    state_in,
    status_of,
    valid_grant,
    value_hash,
    values_for,
    with_values,
)
from sayso.gate.fields import Requirements, checked, normalised, spec_of
from sayso.tools.gatekeeper import Blocked, Granted
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.threads import in_thread
from sayso.tools.tool import Prepared, Traits

Body = Callable[..., object]


@dataclass(frozen=True)
class Action:
    """One expensive action. Its body is a tool that no agent sees: the gate calls it under a
    grant."""

    spec: ActionSpec
    requires: type[Requirements]
    #: None for an action whose body is an agent's own tool, held by its name.
    body: Body | None
    description: str

    @property
    def name(self) -> str:
        return self.spec.name

    @cached_property
    def tool(self) -> ActionTool:
        return ActionTool(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """What came of an action in a turn: `done` with what its body gave, `granted` to an agent's own
    tool, or `rejected`."""

    action: Action
    status: Literal["done", "granted", "rejected"]
    result: JsonValue = None


class ActionTool:
    """The body of an action as the toolbox calls it (tools.tool.Runnable)."""

    is_ours = True
    traits = Traits()

    def __init__(self, action: Action) -> None:
        self._action = action
        self.name = action.spec.tool_name
        self.description = action.description

    @property
    def schema(self) -> JsonObject:
        found: JsonObject = self._action.requires.model_json_schema()
        return found

    @property
    def in_thread(self) -> bool:
        return not inspect.iscoroutinefunction(self._action.body)

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        try:
            checked(self._action.requires, arguments)
        except ValueError as exc:
            raise ArgumentsInvalid([{"path": "values", "message": str(exc)}]) from exc
        return dict(arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return None

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        return self._start(self._action.requires.model_validate(arguments), ctx)

    async def _start(self, requirements: Requirements, ctx: object) -> object:
        body = self._action.body
        assert body is not None
        if inspect.iscoroutinefunction(body):
            return await body(requirements, ctx)
        return await in_thread(lambda: body(requirements, ctx))


class Actions:
    """All actions of an application, and the gatekeeper of their bodies and of the tools they
    hold."""

    def __init__(self, actions: Sequence[Action] = ()) -> None:
        self._all = list(actions)

    def add(
        self,
        name: str,
        body: Body | None,
        *,
        requires: type[Requirements],
        trigger: Trigger | str = Trigger.CONFIRM,
        phrases: Sequence[str] = (),
        title: str = "",
        ask: str = "",
        verb: str = "",
        tool_name: str = "",
        description: str = "",
    ) -> Action:
        """Declare an action. Raises NotSupportedError for a name that is taken."""
        if name in self.by_name:
            raise NotSupportedError(f"Two actions are named '{name}'.", fix="Rename one of them.")
        spec = spec_of(
            name,
            requires,
            trigger=Trigger(trigger),
            # Whoever is offered "wire the money" is understood when they say it.
            phrases=(*phrases, verb) if verb and verb not in phrases else tuple(phrases),
            ask=ask,
            verb=verb,
            title=title or name.replace("_", " ").capitalize(),
            tool_name=tool_name or str(getattr(body, "__name__", name)),
        )
        action = Action(spec, requires, body, description or (inspect.getdoc(body) or ""))
        self._all.append(action)
        return action

    def __bool__(self) -> bool:
        return bool(self._all)

    @property
    def module(self) -> str:
        """The plain name of the module that declares the first of them; "" where there is none."""
        bodies = [action.body for action in self._all if action.body is not None]
        path = str(getattr(bodies[0], "__module__", "")) if bodies else ""
        if path == "__main__":  # the same name as when it is imported
            return Path(getattr(sys.modules[path], "__file__", None) or "").stem
        return path.rpartition(".")[2]

    @property
    def specs(self) -> list[ActionSpec]:
        return [action.spec for action in self._all]

    @property
    def by_name(self) -> dict[str, Action]:
        return {action.name: action for action in self._all}

    @property
    def tools(self) -> list[ActionTool]:
        return [action.tool for action in self._all if action.body is not None]

    @property
    def slots(self) -> dict[str, Slot]:
        """Every slot by its name; of those that share one, the one with a question."""
        found: dict[str, Slot] = {}
        for spec in self.specs:
            for name, slot in spec.slots.items():
                known = found.get(name)
                if known is None or (slot.question and not known.question):
                    found[name] = slot
        return found

    def named(self, name: str) -> Action:
        """Return an action by its name, or by its branch in capitals. Raises InvalidInput."""
        found = next((a for a in self._all if name in (a.name, a.spec.branch)), None)
        if found is None:
            known = ", ".join(self.by_name) or "none"
            raise InvalidInput(f"There is no action '{name}'.", fix=f"The actions are: {known}.")
        return found

    def slot_of(self, field: str) -> str:
        """Return the slot of a field, of whatever action, or of its own name. Raises
        InvalidInput."""
        slots = {need.field: need.slot.name for spec in self.specs for need in spec.needs}
        name = slots.get(field, field)
        if name not in self.slots:
            known = ", ".join(slots)
            raise InvalidInput(f"Nothing here is called '{field}'.", fix=f"Known are: {known}.")
        return name

    def normalise(self, slot: str, value: JsonValue) -> JsonValue:
        """Return the value in the form of the first field that accepts it; None where none does."""
        for action in self._all:
            for need in action.spec.needs:
                if need.slot.name != slot:
                    continue
                shaped = value
                if need.is_list and not isinstance(value, list):
                    shaped = [value]
                try:
                    return normalised(action.requires, need.field, shaped)
                except ValueError:
                    continue
        return None

    def check(
        self,
        action: str,
        *,
        known: Mapping[str, object] | JsonObject,
        context: Mapping[str, object],
    ) -> dict[str, object]:
        """Return an action's requirements status, `{ready, missing, has, follow_up}`."""
        chosen = self.named(action)
        if "state" in known and "version" in known:
            state = state_in(dict(known))  # type: ignore[arg-type]  # as the row keeps it
        else:
            state = self._state_of(known)
        given: dict[str, Given | None] = {}
        for name, slot in self.slots.items():
            value = context.get(name)
            if slot.from_context and name not in state.values and value is not None:
                normal = self.normalise(name, value)  # type: ignore[arg-type]  # JSON, or refused
                if normal is not None:
                    given[name] = Given(value=normal, source=Source.CONTEXT)
        state = with_values(state, given, self.specs)
        return dict(status_of(chosen.spec, state).model_dump(mode="json"))

    def _state_of(self, known: Mapping[str, object]) -> RequirementState:
        slots = {need.field: need.slot.name for spec in self.specs for need in spec.needs}
        given: dict[str, Given | None] = {}
        for field, value in known.items():
            name = slots.get(field, field)
            normal = self.normalise(name, value)  # type: ignore[arg-type]  # JSON, or refused
            if normal is not None:
                given[name] = Given(value=normal, source=Source.SAID)
        return with_values(RequirementState(), given, self.specs)

    def status(self, kept: JsonObject | RequirementState | None) -> dict[str, ActionStatus]:
        state = kept if isinstance(kept, RequirementState) else state_in(kept)
        return {spec.name: status_of(spec, state) for spec in self.specs}

    # ── the gatekeeper (tools.gatekeeper) ──

    def check_call(
        self, tool_name: str, arguments: JsonObject, kept: JsonObject | None
    ) -> Granted | Blocked | None:
        action = next((a for a in self._all if a.spec.tool_name == tool_name), None)
        if action is None:
            return None
        state = state_in(kept)
        values = values_for(action.spec, state)
        status = status_of(action.spec, state)
        grant = valid_grant(action.name, values, state)
        if grant is None or not status.ready:
            return Blocked(result=_blocked_result(action, status))
        use = GrantUse(
            grant_id=grant.id,
            value_hash=value_hash(action.name, values),
            interaction_id=grant.interaction_id,
            message_id=grant.given_by if grant.given_by != grant.interaction_id else None,
        )
        # What the person agreed to is what runs, whatever the agent sends.
        if action.body is not None:
            return Granted(grant=use, arguments=grant.values)
        shared = {key: value for key, value in grant.values.items() if key in arguments}
        return Granted(grant=use, arguments={**arguments, **shared})


def _blocked_result(action: Action, status: ActionStatus) -> JsonObject:
    told = status.follow_up or (
        f"All is known. A person has to say go first: ask for it with "
        f'request_action("{action.name}").'
    )
    return {
        "status": "requirements_not_met",
        "action": action.name,
        **status.model_dump(mode="json"),
        "follow_up": told,
    }
