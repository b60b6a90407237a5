"""From a goal to a product system, one card after the other: each is proposed until it is approved,
after a no as the no asks."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field, JsonValue

from sayso import AgentContext, StepFailed
from sayso.core.digest import JsonObject
from sayso.packs.guided import list_of, object_of, objects, show_stage
from sayso.packs.openlca.goals import (
    Goal,
    GoalForm,
    InputLine,
    MeasuredIn,
    read_goal,
    read_lines,
    revised,
    revised_lines,
)
from sayso.packs.openlca.proposals import Linking

_STAGES = {
    "product": "Product",
    "process": "Process",
    "exchanges": "Exchanges",
    "validation": "Validation",
    "product_system": "Product system",
}
_NOBODY = "none"


class Stops(Exception):
    """The way to a product system ends here, for this reason."""


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


class SystemForm(BaseModel):
    """The product system, once more."""

    name: str = Field("", title="Name", max_length=255, description="The process's, if left empty")
    prefer_unit_processes: bool = Field(True, title="Prefer unit processes")
    provider_linking: Linking = Field("PREFER_DEFAULTS", title="Default providers")


async def model(ctx: AgentContext, words: str) -> str:
    """Lead from these words to a product system, and return its id."""
    await show_stage(ctx, _STAGES, "product")
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
    await show_stage(ctx, _STAGES, "process")
    process = await _agreed(
        ctx,
        "create_process_for_system",
        ProcessForm,
        {"name": goal.process or f"Production of {goal.product}", "location": goal.location},
    )
    process_id = str(process["process_id"])
    await show_stage(ctx, _STAGES, "exchanges")
    await _add_exchanges(ctx, process_id, goal, product)
    await show_stage(ctx, _STAGES, "validation")
    report = await call(ctx, "validate_process", process_id=process_id)
    if report.get("is_valid") is not True:
        raise Stops("The report says what is wrong. I go on when it is put right: **link** then.")
    await show_stage(ctx, _STAGES, "product_system")
    return await link(ctx, process_id)


async def link(ctx: AgentContext, process_id: str) -> str:
    """Make the product system of a process, and return its id."""
    arguments: JsonObject = {"process_id": process_id, **SystemForm().model_dump(mode="json")}
    result = await call(ctx, "create_product_system", **arguments)
    while result.get("status") == "rejected":
        arguments = await _revised(ctx, SystemForm, arguments, result)
        result = await call(ctx, "create_product_system", **arguments)
    if result.get("status") != "success":
        raise Stops(f"No product system was made. {refusal(result)}")
    await show_stage(ctx, _STAGES, "done")
    await ctx.say(
        f"Done: the product system **{result['name']}** has {result['processes']} processes and "
        f"{result['links']} links.\n\n"
    )
    return str(result["product_system_id"])


async def call(ctx: AgentContext, tool: str, **arguments: JsonValue) -> JsonObject:
    """Return what a tool told. Raises Stops where it failed, or nobody decided."""
    try:
        result = object_of(await ctx.call(tool, **arguments))
    except StepFailed as exc:
        raise Stops(f"I cannot go on: {exc.message}.") from exc
    if result.get("status") in ("dismissed", "expired"):
        raise Stops("All right, I leave everything as it is.")
    return object_of(result.get("result")) or result


def refusal(result: JsonObject) -> str:
    return str(result.get("reason") or result.get("message") or "It was refused.")


async def _agreed(
    ctx: AgentContext, tool: str, form: type[BaseModel], arguments: JsonObject
) -> JsonObject:
    """Propose until it is approved."""
    result = await call(ctx, tool, **arguments)
    while result.get("status") != "success":
        arguments = await _revised(ctx, form, arguments, result)
        result = await call(ctx, tool, **arguments)
    return result


async def _revised(
    ctx: AgentContext, form: type[BaseModel], arguments: JsonObject, result: JsonObject
) -> JsonObject:
    """Return the arguments as a no asks for them, or as a form is filled in."""
    reason = refusal(result)
    changed = revised(arguments, [reason, *_suggestions(result)])
    if changed == arguments:
        changed = {**arguments, **await _filled_in(ctx, form, arguments, reason)}
    if changed == arguments:
        raise Stops("Then I leave it there: nothing was written.")
    return changed


def _suggestions(result: JsonObject) -> list[str]:
    return [str(one) for one in list_of(result.get("suggestions"))]


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
        result = await call(ctx, "add_exchanges_to_process", process_id=process_id, exchanges=rows)
        if result.get("status") in ("success", "partial_success"):
            if left_out := list_of(result.get("rejected")):
                names = [str(object_of(rows[int(str(n)) - 1])["flow_name"]) for n in left_out]
                await ctx.say(f"Left out, as you said: {', '.join(names)}.\n\n")
            return
        changed = revised_lines(lines, [refusal(result), *_suggestions(result)])
        if changed == lines:
            changed = await _lines_filled_in(ctx, lines, refusal(result))
        if changed == lines:
            raise Stops("Then I leave it there: the process has no exchanges yet.")
        lines = changed


async def _lines_filled_in(
    ctx: AgentContext, lines: list[InputLine], reason: str
) -> list[InputLine]:
    given = await ctx.form(
        InputsForm,
        title="What should go in instead?",
        message=reason,
        values={"inputs": ", ".join(f"{o.amount:g} {o.unit} {o.name}" for o in lines)},
        submit_label="Propose again",
    )
    return read_lines(given.inputs)


async def _input(ctx: AgentContext, line: InputLine) -> JsonObject | None:
    """Return the exchange of a line, with its flow and its provider chosen by a person where there
    are several; None where no flow is like it."""
    found = await call(ctx, "explore_available_product_flows", query=line.name)
    items = objects(found.get("items"))
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
            "description": f"{item['category'] or 'no category'}, {made_by(item)}",
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
    providers = objects(flow.get("providers"))
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


def made_by(item: Mapping[str, JsonValue]) -> str:
    count = item["provider_count"]
    return "made by 1 process" if count == 1 else f"made by {count} processes"
