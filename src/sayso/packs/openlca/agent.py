"""An assistant that leads from a goal to a product system by rules: no key, no network, no model.

It says so. What it does not understand it asks for in a form, and every entity is approved before
it is written.
"""

from __future__ import annotations

from sayso import AgentContext, StepFailed, Unanswered
from sayso.core.digest import JsonObject
from sayso.packs.guided import list_of, object_of, objects
from sayso.packs.openlca.goals import read_goal
from sayso.packs.openlca.modelling import Stops, call, link, made_by, model, refusal

HELP = """I lead you from a goal to a product system, step by step. I go by rules and know nothing \
of processes: the numbers are yours, and nothing is written before you allow it.

- **model the fabrication of reinforced concrete**: an example, from start to end
- **model 1 kg of Mortar in Germany from 0.2 kg Cement and 0.8 kg Sand and gravel**: your own
- **model something**: I ask for everything
- **search steel**: product flows, and how many processes make each
- **validate** or **link**, with the name of a process: that step alone
- **calculate**, with the name of a product system: inventory and global warming potential
- **export**, with the name of a file: everything, as a zip that openLCA imports
"""


async def guided_agent(ctx: AgentContext) -> None:
    """Answers what its help says; anything else gets the help."""
    words = " ".join(ctx.message.split())
    verb, _, rest = words.partition(" ")
    named = rest.strip(" .'\"")
    try:
        match verb.lower():
            case "model" if named:
                await _calculate(ctx, await model(ctx, words))
            case "search" if named:
                await _search(ctx, named)
            case "validate" if named:
                await call(ctx, "validate_process", process_id=named)
            case "link" if named:
                await _calculate(ctx, await link(ctx, named))
            case "calculate" if named:
                await _calculate(ctx, named)
            case "export" if named:
                await _export(ctx, named)
            case _ if read_goal(words) is not None:
                await _calculate(ctx, await model(ctx, words))
            case _:
                await ctx.say(HELP)
    except Unanswered:
        await ctx.say("All right, I leave everything as it is.")
    except Stops as exc:
        await ctx.say(str(exc))


async def _calculate(ctx: AgentContext, system: str) -> None:
    """Calculate it; where processes make several products, as the person chooses."""
    result = await _calculated(ctx, system, {})
    impact = objects(result.get("impacts"))[0]
    lines = [
        f"{result['amount']:g} {result['unit']} of **{result['product_system']}**: "
        f"{impact['amount']:.4g} {impact['unit']} ({impact['name']}), "
        f"allocation: {str(result['allocation']).replace('_', ' ')}.",
        "",
    ]
    for one in objects(result.get("contributions"))[:5]:
        lines.append(f"- {one['process']}: {one['amount']:.4g} {one['unit']}")
    lines += ["", *(str(note) for note in list_of(result.get("notes"))), str(impact["source"])]
    await ctx.say("\n".join(lines))


async def _calculated(ctx: AgentContext, system: str, choice: JsonObject) -> JsonObject:
    try:
        return object_of(
            await ctx.call("calculate_product_system", product_system=system, **choice)
        )
    except StepFailed as exc:
        if choice or "allocation method" not in exc.message:
            raise Stops(f"I cannot go on: {exc.message}.") from exc
        question = f"{exc.message}. How should they be shared out?"
    options: list[JsonObject] = [
        {"id": "mass", "label": "By mass", "description": "Each product carries its share of mass"},
        {"id": "none", "label": "Not at all", "description": "Each product carries everything"},
    ]
    chosen = await ctx.choose(question, options, workflow_stage="product_system")
    return await _calculated(ctx, system, {"allocation": chosen.id})


async def _export(ctx: AgentContext, name: str) -> None:
    result = await call(ctx, "export_database", file_name=name)
    if result.get("status") != "success":
        raise Stops(f"Nothing was exported. {refusal(result)}")
    await ctx.say(f"Exported to {result['file']}. In openLCA: File > Import > File.")


async def _search(ctx: AgentContext, words: str) -> None:
    found = await call(ctx, "explore_available_product_flows", query=words)
    items = objects(found.get("items"))
    if not items:
        return await ctx.say(f"{found['message']} {found['suggestion']}")
    lines = [f"{found['total']} product flows:", ""]
    lines += [f"- {item['name']} ({item['ref_unit']}), {made_by(item)}" for item in items]
    await ctx.say("\n".join(lines))
