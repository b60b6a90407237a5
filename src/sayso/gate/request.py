"""What an agent may do about an action: `request_action` asks a person for it, `offer_value` puts a
value to them. Neither fills anything in and neither confirms anything."""

from __future__ import annotations

from sayso.core.digest import JsonObject
from sayso.core.requirements import Offered, RequirementState, state_in, status_of
from sayso.gate.actions import Actions
from sayso.gate.conversation import carry_out, write
from sayso.gate.spoken import one_value
from sayso.gate.wording import result_words
from sayso.tools.context import ToolContext
from sayso.tools.tool import Tool, tool

#: More than these is no offer that one answer takes up.
_MOST_OFFERS = 12


def offer_value(actions: Actions) -> Tool[..., object]:
    """The tool with which an agent offers a value, for the agents of an application with these
    actions. What it offers is what its words say, read as a person's words are."""

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

        await write(ctx, actions, with_it)
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
    """The tool, for the agents of an application with these actions."""

    async def request(ctx: ToolContext, action: str) -> JsonObject:
        chosen = actions.named(action)
        status = status_of(chosen.spec, state_in(ctx.requirements))
        if not status.ready:
            told = status.model_dump(mode="json")
            return {"status": "requirements_not_met", "action": chosen.name, **told}
        [outcome] = await carry_out(ctx, actions, [chosen.name])
        return {
            "status": outcome.status,
            "action": chosen.name,
            "message": result_words(outcome),
            "result": outcome.result,
        }

    names = ", ".join(actions.by_name)
    said = (
        f"Ask the person to confirm an action ({names}) once all it needs is known. They see every "
        "value and decide; it runs only on their word."
    )
    return tool(name="request_action", description=said, read_only=True)(request)
