"""The tools that an agent has for actions: `request_action` asks the person for one, `offer_value`
offers them a value. Neither fills anything in and neither confirms anything."""

from __future__ import annotations

from sayso.core.digest import JsonObject
from sayso.core.requirements import Offered, RequirementState, state_in, status_of
from sayso.gate.actions import Actions
from sayso.gate.confirmation import change_known, confirm_and_run
from sayso.gate.messages import result_words
from sayso.gate.yes_scope import one_value
from sayso.tools.context import ToolContext
from sayso.tools.tool import Tool, tool

#: The last offers that are kept.
_MOST_OFFERS = 12


def offer_value(actions: Actions) -> Tool[..., object]:
    """Make the tool with which an agent offers a value for these actions. The value is read from
    the agent's words, as it would be from a person's."""

    async def offer(ctx: ToolContext, field: str, words: str) -> JsonObject:
        slot = actions.slots[actions.slot_of(field)]
        language = ctx.task.context.get("language")
        lang = language if isinstance(language, str) else ""
        said = one_value(words, slot, today=ctx.now().date(), language=lang)
        value = actions.normalise(slot.name, said)
        if value is None:
            return {"status": "not_offered", "message": f"'{words}' says no {slot.label.lower()}."}
        offered = Offered(slot=slot.name, value=said, words=words)

        def with_it(state: RequirementState) -> RequirementState:
            others = [one for one in state.offers if one != offered]
            return state.model_copy(update={"offers": (*others, offered)[-_MOST_OFFERS:]})

        await change_known(ctx, actions, with_it)
        return {"status": "offered", "field": field, "value": value, "message": _OFFERED}

    fields = ", ".join(dict.fromkeys(n.field for spec in actions.specs for n in spec.needs))
    told = (
        f"Offer the person a value for one of: {fields}. `words` are the few words that name it, "
        "as you will say them. Then end your message with a question that holds these words. It "
        "counts once the person takes it up."
    )
    return tool(name="offer_value", description=told, read_only=True)(offer)


_OFFERED = "Now end your message with a question that holds these very words."


def request_action(actions: Actions) -> Tool[..., object]:
    """Make the tool with which an agent asks a person to confirm one of these actions."""

    async def request(ctx: ToolContext, action: str) -> JsonObject:
        chosen = actions.named(action)
        status = status_of(chosen.spec, state_in(ctx.requirements))
        if not status.ready:
            told = status.model_dump(mode="json")
            return {"status": "requirements_not_met", "action": chosen.name, **told}
        [done] = await confirm_and_run(ctx, actions, [chosen.name])
        return {
            "status": done.status,
            "action": chosen.name,
            "message": result_words(done),
            "result": done.result,
        }

    names = ", ".join(actions.by_name)
    said = (
        f"Ask the person to confirm an action ({names}) once all it needs is known. They see every "
        "value and decide; it runs only on their word."
    )
    return tool(name="request_action", description=said, read_only=True)(request)
