"""What a question refuses to put on a card, and for how long a card may wait."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from pydantic import BaseModel, JsonValue

from sayso.adapters.program import AgentProgram
from sayso.core.cards import Option
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, TooDeep
from sayso.core.segments import Failed
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import AgentContext
from sayso.tools.questions import approval, as_timedelta, question


class Anything(BaseModel):
    value: JsonValue = None


Ask = Callable[[AgentContext, JsonObject], Awaitable[object]]
ASKS: dict[str, Ask] = {
    "form": lambda ctx, deep: ctx.form(Anything, values={"value": deep}),
    "choose": lambda ctx, deep: ctx.choose("Which?", ["a"], context=deep),
    "confirm": lambda ctx, deep: ctx.confirm("Sure?", details={"all": deep}),
    "approve": lambda ctx, deep: ctx.approve("box", "A box", {"in it": deep}),
    "edit_schema": lambda ctx, deep: ctx.approve("box", "A box", {"a": 1}, edit_schema=deep),
    "ui_tool": lambda ctx, deep: ctx.ui_tool("Pick", {"from": deep}),
    "response_schema": lambda ctx, deep: ctx.ui_tool("Pick", {}, response_schema=deep),
    "on_expiry": lambda ctx, deep: ctx.ask("Who?", expires_in=5, on_expiry={"values": deep}),
}


@pytest.mark.parametrize("levels", [100, 254, 3000])
@pytest.mark.parametrize("ask", ASKS)
async def test_what_nests_too_deeply_is_told_as_that_at_any_depth(ask: str, levels: int) -> None:
    deep: JsonObject = {"in": 1}
    for _ in range(levels - 1):
        deep = {"in": deep}

    async def agent(ctx: AgentContext) -> None:
        await ASKS[ask](ctx, deep)

    end = await MemoryRun().go(AgentProgram(agent))
    assert isinstance(end, Failed)
    assert isinstance(end.error, TooDeep), end.error
    assert "100 levels" in end.error.detail


@pytest.mark.parametrize(
    "wrong", [0, -1, float("nan"), float("inf"), 1e12, 1e300, "5", timedelta(-1), timedelta.max]
)
def test_a_card_waits_for_a_time_that_can_be(wrong: float) -> None:
    with pytest.raises(InvalidInput, match="cannot wait for that long"):
        as_timedelta(wrong)
    assert as_timedelta(1.5) == timedelta(seconds=1.5)


def test_what_is_approved_is_what_the_card_shows() -> None:
    card, proposal = approval(
        "box",
        "A box",
        details={"of": "oak"},
        impact="One oak less",
        action="create",
        message=None,
        context={},
        edit_schema=None,
        final_confirmation=False,
    )
    assert (proposal.tool_name, proposal.summary) == (card.entity_type, card.entity_summary)
    assert (proposal.details, proposal.impact) == (card.entity_details, card.impact)


def test_choices_are_told_apart_by_their_ids() -> None:
    keep, delete = Option(id="a", label="Keep it"), Option(id="a", label="Delete it")
    for unclear in ([keep, delete], ["", "b"]):
        with pytest.raises(InvalidInput, match="which was chosen"):
            question("Which?", unclear, True, {})
    assert (
        question("Which?", ["a", "b", "a"], True, {}).options
        == question("Which?", ["a", "b"], True, {}).options
    )
