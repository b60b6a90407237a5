"""An assistant that leads from a goal to a product system by rules: no key, no network, no model.

It says so. What it does not understand it asks for in a form, and every entity is approved before
it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pydantic import BaseModel, Field, JsonValue

from sayso import AgentContext, StepFailed, Unanswered
from sayso.core.digest import JsonObject
from sayso.packs.openlca.goals import Goal, GoalForm, InputLine, MeasuredIn, read_goal, read_lines
from sayso.packs.openlca.revising import revised

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
_STAGES = {
    "product": "Product",
    "process": "Process",
    "exchanges": "Exchanges",
    "validation": "Validation",
    "product_system": "Product system",
}
_NOBODY = "none"


class ProductForm(BaseModel):
    """The output product, once more."""

    name: str = Field(title="Name", min_length=1, max_length=200)
    flow_property: MeasuredIn = Field("Mass", title="Flow property")
    category: str = Field("", title="Category")


class ProcessForm(BaseModel):
    """The process, once more."""

    name: str = Field(title="Name", min_length=1, max_length=200)
    location: str = Field("", title="Location", description="A country, or GLO, RER, RoW")


class InputsForm(BaseModel):
    """The inputs, once more."""

    inputs: str = Field(title="What goes in", min_length=3, max_length=2000)


async def guided_agent(ctx: AgentContext) -> None:
    """Answers what its help says; anything else gets the help."""
    words = " ".join(ctx.message.split())
    verb, _, rest = words.partition(" ")
    named = rest.strip(" .'\"")
    try:
        match verb.lower():
            case "model" if named:
                await _model(ctx, words)
            case "search" if named:
                await _search(ctx, named)
            case "validate" if named:
                await _validated(ctx, named)
            case "link" if named:
                await _link(ctx, named)
            case "calculate" if named:
                await _calculate(ctx, named)
            case "export" if named:
                await _export(ctx, named)
            case _ if read_goal(words) is not None:
                await _model(ctx, words)
            case _:
                await ctx.say(HELP)
    except Unanswered:
        await ctx.say("All right, I leave everything as it is.")
    except _Stops as exc:
        await ctx.say(str(exc))


class _Stops(Exception):
    """The way to a product system ends here, for this reason."""


# ── from a goal to a product system ──


async def _model(ctx: AgentContext, words: str) -> None:
    await _stage(ctx, "product")
    goal = read_goal(words)
    if goal is None:
        given = await ctx.form(
            GoalForm,
            title="What do you want to model?",
            submit_label="Continue",
            workflow_stage="product",
        )
        goal = given.goal()
    product = await _agreed(
        ctx,
        "create_output_product",
        ProductForm,
        {"name": goal.product, "flow_property": goal.flow_property, "category": goal.category},
    )
    await _stage(ctx, "process")
    process = await _agreed(
        ctx,
        "create_process_for_system",
        ProcessForm,
        {"name": goal.process or f"Production of {goal.product}", "location": goal.location},
    )
    process_id = str(process["process_id"])
    await _stage(ctx, "exchanges")
    await _add_exchanges(ctx, process_id, goal, product)
    await _stage(ctx, "validation")
    report = await _validated(ctx, process_id)
    if report.get("is_valid") is not True:
        raise _Stops("The report says what is wrong. I go on when it is put right: **link** then.")
    await _stage(ctx, "product_system")
    await _link(ctx, process_id)


async def _agreed(
    ctx: AgentContext, tool: str, form: type[BaseModel], arguments: JsonObject
) -> JsonObject:
    """Propose until it is approved: after a no as the no asks, or as a form is filled in."""
    while True:
        result = await _call(ctx, tool, **arguments)
        if result.get("status") == "success":
            return result
        reason = _refusal(result)
        changed = revised(arguments, [reason, *_texts(result.get("suggestions"))])
        if changed == arguments:
            changed = {**arguments, **await _filled_in(ctx, form, arguments, reason)}
        if changed == arguments:
            raise _Stops("Then I leave it there: nothing was written.")
        arguments = changed


async def _filled_in(
    ctx: AgentContext, form: type[BaseModel], arguments: JsonObject, reason: str
) -> JsonObject:
    given = await ctx.form(
        form,
        title="What should it be instead?",
        message=reason,
        values={key: value for key, value in arguments.items() if key in form.model_fields},
        submit_label="Propose again",
    )
    return given.model_dump(mode="json")


async def _add_exchanges(
    ctx: AgentContext, process_id: str, goal: Goal, product: JsonObject
) -> None:
    lines = goal.inputs
    while True:
        found = [await _input(ctx, line) for line in lines]
        output: JsonObject = {
            "flow_name": product["name"],
            "flow_id": product["flow_id"],
            "amount": goal.amount,
            "is_input": False,
            "is_quantitative_reference": True,
            "default_provider": None,
        }
        if goal.unit:
            output["unit"] = goal.unit
        rows: list[JsonValue] = [*(row for row in found if row is not None), output]
        result = await _call(ctx, "add_exchanges_to_process", process_id=process_id, exchanges=rows)
        if result.get("status") in ("success", "partial_success"):
            left_out = result.get("rejected")
            if isinstance(left_out, list) and left_out:
                names = [str(_object(rows[int(str(n)) - 1])["flow_name"]) for n in left_out]
                await ctx.say(f"Left out, as you said: {', '.join(names)}.\n\n")
            return
        again = await ctx.form(
            InputsForm,
            title="What should go in instead?",
            message=_refusal(result),
            values={"inputs": ", ".join(f"{o.amount:g} {o.unit} {o.name}" for o in lines)},
            submit_label="Propose again",
        )
        if read_lines(again.inputs) == lines:
            raise _Stops("Then I leave it there: the process has no exchanges yet.")
        lines = read_lines(again.inputs)


async def _input(ctx: AgentContext, line: InputLine) -> JsonObject | None:
    """Return the exchange of a line, with its flow and its provider chosen by a person where there
    are several; None where no flow is like it."""
    found = await _call(ctx, "explore_available_product_flows", query=line.name)
    items = [_object(item) for item in _list(found.get("items"))]
    same = [item for item in items if str(item["name"]).casefold() == line.name.casefold()]
    offered = same or items
    if not offered:
        await ctx.say(f"No product flow is like '{line.name}', so I leave it out.\n\n")
        return None
    flow = offered[0] if len(offered) == 1 else await _picked_flow(ctx, line, offered)
    return {
        "flow_name": flow["name"],
        "flow_id": flow["flow_id"],
        "amount": line.amount,
        "unit": line.unit,
        "is_input": True,
        "is_quantitative_reference": False,
        "default_provider": await _provider(ctx, flow),
    }


async def _picked_flow(ctx: AgentContext, line: InputLine, items: list[JsonObject]) -> JsonObject:
    options: list[JsonObject] = [
        {
            "id": item["flow_id"],
            "label": item["name"],
            "description": f"{item['category'] or 'no category'}, {_made_by(item)}",
        }
        for item in items[:12]
    ]
    chosen = await ctx.choose(
        f"Which flow is '{line.name}'?",
        options,
        workflow_stage="exchanges",
    )
    return next(item for item in items if item["flow_id"] == chosen.id)


async def _provider(ctx: AgentContext, flow: JsonObject) -> str | None:
    """Return the provider: the only one, the one that the person chooses, or none."""
    providers = [_object(one) for one in _list(flow.get("providers"))]
    if len(providers) <= 1:
        return str(providers[0]["process_id"]) if providers else None
    options: list[JsonObject] = [
        {
            "id": one["process_id"],
            "label": f"{one['name']} ({one['location']})",
            "description": str(one["process_type"]).replace("_", " ").lower(),
        }
        for one in providers
    ]
    options.append(
        {"id": _NOBODY, "label": "None yet", "description": "openLCA takes the first when it links"}
    )
    chosen = await ctx.choose(
        f"Which process provides {flow['name']}?",
        options,
        workflow_stage="exchanges",
    )
    return None if chosen.id == _NOBODY else chosen.id


async def _validated(ctx: AgentContext, process_id: str) -> JsonObject:
    return await _call(ctx, "validate_process", process_id=process_id)


async def _link(ctx: AgentContext, process_id: str) -> None:
    result = await _call(ctx, "create_product_system", process_id=process_id)
    if result.get("status") != "success":
        raise _Stops(f"No product system was made. {_refusal(result)}")
    await _stage(ctx, "done")
    await ctx.say(
        f"Done: the product system **{result['name']}** has {result['processes']} processes and "
        f"{result['links']} links.\n\n"
    )
    await _calculate(ctx, str(result["product_system_id"]))


async def _calculate(ctx: AgentContext, system: str) -> None:
    """Calculate it; where processes make several products, as the person chooses."""
    result = await _calculated(ctx, system, {})
    impact = _object(_list(result.get("impacts"))[0])
    lines = [
        f"{result['amount']:g} {result['unit']} of **{result['product_system']}**: "
        f"{impact['amount']:.4g} {impact['unit']} ({impact['name']}), "
        f"allocation: {str(result['allocation']).replace('_', ' ')}.",
        "",
    ]
    for one in map(_object, _list(result.get("contributions"))[:5]):
        lines.append(f"- {one['process']}: {one['amount']:.4g} {one['unit']}")
    lines += ["", *(str(note) for note in _list(result.get("notes"))), str(impact["source"])]
    await ctx.say("\n".join(lines))


async def _calculated(ctx: AgentContext, system: str, choice: JsonObject) -> JsonObject:
    try:
        return _object(await ctx.call("calculate_product_system", product_system=system, **choice))
    except StepFailed as exc:
        if choice or "allocation method" not in exc.message:
            raise _Stops(f"I cannot go on: {exc.message}.") from exc
        question = f"{exc.message}. How should they be shared out?"
    options: list[JsonObject] = [
        {"id": "mass", "label": "By mass", "description": "Each product carries its share of mass"},
        {"id": "none", "label": "Not at all", "description": "Each product carries everything"},
    ]
    chosen = await ctx.choose(question, options, workflow_stage="product_system")
    return await _calculated(ctx, system, {"allocation": chosen.id})


async def _export(ctx: AgentContext, name: str) -> None:
    result = await _call(ctx, "export_database", file_name=name)
    if result.get("status") != "success":
        raise _Stops(f"Nothing was exported. {_refusal(result)}")
    await ctx.say(f"Exported to {result['file']}. In openLCA: File > Import > File.")


# ── search ──


async def _search(ctx: AgentContext, words: str) -> None:
    found = await _call(ctx, "explore_available_product_flows", query=words)
    items = [_object(item) for item in _list(found.get("items"))]
    if not items:
        return await ctx.say(f"{found['message']} {found['suggestion']}")
    lines = [f"{found['total']} product flows:", ""]
    lines += [f"- {item['name']} ({item['ref_unit']}), {_made_by(item)}" for item in items]
    await ctx.say("\n".join(lines))


def _made_by(item: Mapping[str, JsonValue]) -> str:
    count = item["provider_count"]
    return "made by 1 process" if count == 1 else f"made by {count} processes"


# ── what comes back ──


async def _call(ctx: AgentContext, tool: str, **arguments: JsonValue) -> JsonObject:
    try:
        result = _object(await ctx.call(tool, **arguments))
    except StepFailed as exc:
        raise _Stops(f"I cannot go on: {exc.message}.") from exc
    if result.get("status") in ("dismissed", "expired"):
        raise _Stops("All right, I leave everything as it is.")
    if isinstance(result.get("result"), dict):
        return _object(result["result"])
    return result


def _refusal(result: JsonObject) -> str:
    return str(result.get("reason") or result.get("message") or "It was refused.")


async def _stage(ctx: AgentContext, current: str) -> None:
    names = list(_STAGES)
    reached = len(names) if current == "done" else names.index(current)
    stages: list[JsonValue] = []
    for number, (name, label) in enumerate(_STAGES.items()):
        state = "done" if number < reached else "current" if number == reached else "todo"
        stages.append({"id": name, "label": label, "state": state})
    await ctx.progress(cast("list[JsonObject]", stages), current=current)


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _texts(value: JsonValue) -> list[str]:
    return [str(one) for one in _list(value)]
