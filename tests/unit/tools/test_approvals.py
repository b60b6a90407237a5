"""What a proposal becomes: its rows, what an answer lets run of it, what an edit changes beside
itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Annotated, Any, cast

import pytest
from pydantic import BaseModel, Field, JsonValue

from sayso.core.cards import (
    ApprovalCard,
    Change,
    ConfirmationCard,
    ExchangesCard,
    UncertainEffectCard,
)
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectState, GrantUse
from sayso.core.interactions import CardRequest, Interaction, InteractionResponse, Proposal
from sayso.core.policy_rules import Decision, Verdict
from sayso.tools.answer_messages import approval_answer
from sayso.tools.approval_cards import approval_request, edit_schema
from sayso.tools.approvals import (
    Approved,
    allowed_as,
    approval_of,
    approved_part,
    arguments_to_run,
    changes_beyond,
    edited_changes,
    entries_of,
    make_proposal,
    notes_of,
    revision_key,
    was_refused,
)
from sayso.tools.masking import Mask
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.tool import Prepared, Tool, tool

ROWS: list[JsonObject] = [{"to": "ann", "n": 1}, {"to": "ben", "n": 2}, {"to": "ben", "n": 2}]


class Line(BaseModel):
    to: str
    n: int = 1


def paying(**traits: Any) -> Tool[..., Any]:
    @tool(approval=True, **traits)
    def pay_out(
        lines: list[Line],
        note: str = "",
        key: Annotated[str, Field(json_schema_extra={"pattern": "(?=a)"})] = "",
    ) -> None:
        """Pay them."""

    return pay_out


def proposed(rows: list[JsonObject], entries: JsonValue = None, **more: Any) -> Proposal:
    arguments: JsonObject = {"lines": entries if entries is not None else list(ROWS), "note": "x"}
    return Proposal(tool_name="pay_out", arguments=arguments, rows=rows, **more)


def named(*names: str) -> list[JsonObject]:
    return [{**row, "row_id": name} for row, name in zip(ROWS, names, strict=True)]


def says(**data: Any) -> InteractionResponse:
    return InteractionResponse(interaction_id="i", approved=True, response_data=data)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("own", "ids"),
    [
        (["a", "b", "c"], ["a", "b", "c"]),
        ([7, "8", 9], ["7", "8", "9"]),
        ([None, None, None], ["1", "2", "3"]),
        (["a", "a", "c"], ["1", "2", "3"]),
        ([1, "1", 3], ["1", "2", "3"]),
        (["a", "", "c"], ["1", "2", "3"]),
        (["a", None, "c"], ["1", "2", "3"]),
        (["a", {}, "c"], ["1", "2", "3"]),
    ],
)
def test_every_row_has_an_id_of_its_own(own: list[JsonValue], ids: list[str]) -> None:
    rows: list[JsonObject] = [{"n": n, "row_id": name} for n, name in enumerate(own)]
    found = Prepared(rows=rows)
    made = make_proposal(paying(), {"lines": []}, found, revision=1)
    assert [str(row["row_id"]) for row in made.rows] == ids
    assert [row["n"] for row in made.rows] == [0, 1, 2]


@pytest.mark.parametrize(
    ("entries", "rows"),
    [(list(ROWS), 3), ([], 0), ("all", 0), ([{"to": "ann"}, 5], 0), (None, 0)],
)
def test_the_entries_of_an_argument_are_its_rows_if_all_can_be_shown(
    entries: JsonValue, rows: int
) -> None:
    made = make_proposal(paying(rows="lines"), {"lines": entries}, None, revision=1)
    assert len(made.rows) == rows
    assert make_proposal(paying(), {"lines": entries}, None, revision=1).rows == []


@pytest.mark.parametrize(
    ("rows", "entries", "one_to_one"),
    [
        (named("a", "b", "c"), list(ROWS), True),
        ([{**row, "bank": "x"} for row in named("a", "b", "c")], list(ROWS), True),
        (named("a", "b", "b"), list(ROWS), False),
        (named("a", "b", "c")[:2], list(ROWS), False),
        (list(reversed(named("a", "b", "c"))), list(ROWS), False),
        ([{"row_id": "a"}, {"row_id": "b"}, {"row_id": "c"}], list(ROWS), False),
        (named("a", "b", "c"), "all", False),
        (named("a", "b", "c"), [1, 2, 3], False),
        (named("a", "b", "c"), [{"to": "ann", "n": True}, *ROWS[1:]], False),
    ],
)
def test_rows_are_told_apart_where_each_shows_one_entry(
    rows: list[JsonObject], entries: JsonValue, one_to_one: bool
) -> None:
    made = proposed(rows, entries)
    found = entries_of(made, "lines")
    assert (found is not None) is one_to_one
    if found is not None:
        assert found == list(zip(["a", "b", "c"], ROWS, strict=True))
    for other in (None, "note", "nothing"):
        assert entries_of(made, other) is None


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (None, ["a", "b", "c"]),
        (says(), ["a", "b", "c"]),
        (says(approved_rows=["a", "b", "c"]), ["a", "b", "c"]),
        (says(approved_rows=["a", "c"]), ["a", "c"]),
        (says(approved_rows=["a", "b", "c"], rejected_rows={"b": ""}), ["a", "c"]),
        (says(approved_rows=["a"], rejected_rows={"b": "", "c": ""}), ["a"]),
    ],
)
def test_what_runs_is_what_was_approved(said: InteractionResponse | None, kept: list[str]) -> None:
    made = proposed(named("a", "b", "c"))
    by_name = dict(zip(["a", "b", "c"], ROWS, strict=True))
    runs = arguments_to_run(made, said, "lines")
    assert runs == {"lines": [by_name[name] for name in kept], "note": "x"}
    assert [row["row_id"] for row in approved_part(made, said).rows] == kept


@pytest.mark.parametrize(
    "said",
    [says(approved_rows=[]), says(rejected_rows={"a": ""}), says(approved_rows=["d"])],
)
def test_where_no_row_was_approved_nothing_can_run(said: InteractionResponse) -> None:
    made = proposed(named("a", "b", "c"))
    assert not (arguments_to_run(made, said, "lines") or {}).get("lines")
    assert approved_part(made, said).rows == []


def test_a_yes_to_no_row_is_no_list_of_none() -> None:
    made = proposed(named("a", "b", "c"))
    assert arguments_to_run(made, says(approved_rows=[]), "lines") is None


def test_a_yes_to_every_row_is_one_to_the_whole() -> None:
    made = proposed(named("a", "b", "c"))
    for rows in (["a", "b", "c"], ["a", "b", "c", "d"]):
        assert arguments_to_run(made, says(approved_rows=rows), None) == made.arguments
    beside_a_no = says(approved_rows=["a", "b", "c"], rejected_rows={"b": ""})
    assert arguments_to_run(made, beside_a_no, None) is None
    unknown = says(approved_rows=["a", "b", "c"], rejected_rows={"d": ""})
    assert arguments_to_run(made, unknown, None) is None


def test_what_the_model_must_know_is_of_approvals_alone() -> None:
    yes = replace(answered(), proposal=OLD, response=says(edits={"note": "y"}))
    no = replace(yes, response=says(edits={"note": "z"}).model_copy(update={"approved": False}))

    def env(*answers: Interaction) -> SegmentEnv:
        keys = {revision_key("k", n): it for n, it in enumerate(answers, 1)}
        return cast("SegmentEnv", SimpleNamespace(answer=keys.get))

    notes = ("A person changed note from x to y before it ran.",)
    assert notes_of(env(no, yes), "k") == notes
    assert notes_of(env(), "k") == ()
    assert [was_refused(env(*it), "k") for it in ((), (no,), (yes,), (yes, no))] == [
        False, True, False, True,
    ]  # fmt: skip


def test_the_names_of_rows_are_no_part_of_their_entries() -> None:
    entries: list[JsonObject] = [{**row, "row_id": "own"} for row in ROWS]
    made = proposed(named("a", "b", "c"), list(entries))
    assert entries_of(made, "lines") == list(zip(["a", "b", "c"], entries, strict=True))


def test_the_next_attempt_runs_under_the_approval_of_the_last() -> None:
    shown = proposed(named("a", "b", "c"))
    it = replace(answered(), proposal=shown, response=says(approved_rows=["a"]))
    effect = Effect(
        key="k", attempt=1, state=EffectState.UNCERTAIN, tool_name="pay_out",
        arguments={"lines": [ROWS[0]]}, started_at=it.created_at, shown_digest="sha256:seen",
    )  # fmt: skip

    def under(answers: dict[str, Any]) -> Approved:
        return approval_of(cast("SegmentEnv", SimpleNamespace(answer=answers.get)), effect)

    approval = under({"k": it})
    assert approval.proposal is not None
    assert approval.proposal.arguments == {"lines": [ROWS[0]]}
    assert [row["row_id"] for row in approval.proposal.rows] == ["a"]
    assert (approval.shown_digest, approval.is_by_a_person) == ("sha256:seen", True)
    assert under({}).proposal is None
    by_words = Approved(grant=GrantUse(grant_id="g", value_hash="h"))
    assert (by_words.is_by_a_person, Approved().is_by_a_person) == (True, False)
    assert under({"k": replace(it, proposal=None)}).proposal is None


def test_of_rows_that_are_not_what_would_run_no_part_can() -> None:
    said = says(approved_rows=["a"])
    assert arguments_to_run(proposed(named("a", "b", "c")), said, None) is None
    assert arguments_to_run(proposed(named("a", "b", "b")), said, "lines") is None


OLD = proposed(
    [{"row_id": "a", "n": 1, "tax": 1}, {"row_id": "b", "n": 2, "tax": 2}],
    [{"n": 1}, {"n": 2}],
    details={"sum": 3, "note": "x"},
    data={"rate": 1},
    impact="small",
)


def beyond(edits: JsonObject, rows_argument: str | None = None, **new: Any) -> list[Change]:
    return changes_beyond(OLD, OLD.model_copy(update=new), edits, rows_argument)


def test_what_an_edit_changes_beside_itself_is_told() -> None:
    assert beyond({"note": "y"}) == []
    assert beyond({"note": "y"}, details={"sum": 3, "note": "y"}) == []
    assert beyond({"note": "y"}, details={"sum": 3, "note": "z"}) == [
        Change(path="details/note", before="x", after="z")
    ]
    assert beyond({}, details={"sum": 4, "note": "x", "fee": 1}) == [
        Change(path="details/sum", before=3, after=4),
        Change(path="details/fee", before=None, after=1),
    ]
    assert beyond({}, details={"note": "x"}) == [Change(path="details/sum", before=3, after=None)]
    assert beyond({}, data={"rate": 2}) == [Change(path="data/rate", before=1, after=2)]
    assert beyond({}, impact="large") == [Change(path="impact", before="small", after="large")]
    one: JsonObject = {"row_id": "a", "n": 1, "tax": 1}
    assert beyond({}, rows=[one]) == [
        Change(path="rows/b", before={"row_id": "b", "n": 2, "tax": 2}, after=None)
    ]
    more: JsonObject = {"row_id": "c", "n": 1, "tax": 1}
    assert beyond({}, rows=[*OLD.rows, more]) == [Change(path="rows/c", before=None, after=more)]


def test_a_changed_cell_is_an_edit_of_its_row_alone() -> None:
    edits: JsonObject = {"lines": [{"n": 9}, {"n": 2}]}
    first: JsonObject = {"row_id": "a", "n": 9, "tax": 1}
    assert beyond(edits, "lines", rows=[first, OLD.rows[1]]) == []
    both = beyond(edits, "lines", rows=[first, {"row_id": "b", "n": 9, "tax": 2}])
    assert both == [Change(path="rows/b/n", before=2, after=9)]
    taxed = beyond(edits, "lines", rows=[{**first, "tax": 9}, OLD.rows[1]])
    assert taxed == [Change(path="rows/a/tax", before=1, after=9)]
    unnamed = beyond(edits, None, rows=[first, OLD.rows[1]])
    assert unnamed == [Change(path="rows/a/n", before=1, after=9)]


@pytest.mark.parametrize("entries", [[{"n": 5}], [5, {"n": 2}], "all"])
def test_an_edit_that_is_no_edit_of_the_rows_explains_no_change_of_them(entries: JsonValue) -> None:
    now: list[JsonObject] = [{"row_id": "a", "n": 5, "tax": 1}, {"row_id": "b", "n": 2, "tax": 2}]
    changed = beyond({"lines": entries}, "lines", rows=now)
    assert [change.path for change in changed] == ["rows/a/n"]


def test_the_next_revision_shows_the_edits_that_change_something() -> None:
    assert edited_changes(OLD, {"note": "x", "more": 1}) == [
        Change(path="arguments/more", before=None, after=1)
    ]


ASKED = Decision(Verdict.ASK, "Rule.", may_be_remembered=True, bulk=True)


def card_of(
    made: Tool[..., Any], proposal: Proposal, decision: Decision = ASKED, found: Any = None
) -> ApprovalCard:
    request = approval_request(
        made,
        proposal,
        found,
        call_key="k",
        tool_call_id="c",
        agent_name="desk",
        decision=decision,
    )
    assert isinstance(request.card, ApprovalCard)
    assert (request.call_key, request.tool_call_id, request.agent_name) == ("k", "c", "desk")
    assert request.proposal is proposal
    return request.card


PLAIN = Proposal(tool_name="pay_out", arguments={"lines": [], "note": "x"})


@pytest.mark.parametrize(
    ("traits", "proposal", "decision", "bulk"),
    [
        ({}, {}, ASKED, True),
        ({}, {}, Decision(Verdict.ASK), False),
        ({"final_confirmation": True}, {}, ASKED, False),
        ({}, {"warnings": ["Large."]}, ASKED, False),
        ({}, {"revision": 2}, ASKED, False),
    ],
)
def test_what_needs_a_second_look_is_approved_alone(
    traits: Any, proposal: Any, decision: Decision, bulk: bool
) -> None:
    assert card_of(paying(**traits), PLAIN.model_copy(update=proposal), decision).bulk is bulk


@pytest.mark.parametrize(
    ("decision", "offered"),
    [
        (ASKED, True),
        (Decision(Verdict.ASK), False),
        (Decision(Verdict.ALLOW, may_be_remembered=True), False),
    ],
)
def test_always_allow_is_offered_where_the_rule_that_asks_says_so(
    decision: Decision, offered: bool
) -> None:
    assert card_of(paying(), PLAIN, decision).may_be_remembered is offered


@pytest.mark.parametrize(
    ("traits", "prepared", "names"),
    [
        ({}, {}, {"lines", "note"}),
        ({"editable": ["note"]}, {}, {"note"}),
        ({"editable": ["note"]}, {"editable": ["lines.n"]}, {"lines"}),
        ({"editable": []}, {}, set()),
        ({"secrets": ["note"]}, {}, {"lines"}),
    ],
)
def test_what_may_be_changed_is_what_can_be_checked_and_is_no_secret(
    traits: Any, prepared: Any, names: set[str]
) -> None:
    schema = edit_schema(paying(**traits), Prepared(**prepared))
    assert (schema is None) == (not names)
    if schema is not None:
        properties: Any = schema["properties"]
        assert set(properties) == names
        assert schema["additionalProperties"] is False


def test_a_tool_that_describes_no_arguments_has_none_to_change() -> None:
    bare = SimpleNamespace(schema={"type": "object"}, traits=paying().traits)
    assert edit_schema(bare, Prepared()) is None


def test_a_change_within_nested_lists_is_named_at_its_place() -> None:
    shown = proposed(ROWS)
    edits: JsonObject = {"lines": [{"to": "ann", "n": 1}, {"to": "eve", "n": 2}, ROWS[2]]}
    it = replace(answered(), response=says(edits=edits))
    found = allowed_as(it, shown, shown, shown, Mask((), {}))
    assert [(c.path, c.before, c.after) for c in found.changed] == [("lines/2/to", "ben", "eve")]


def answered() -> Interaction:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return CardRequest(call_key="k", card=ConfirmationCard(title="Pay?"), ui_tool_id="card").opened(
        interaction_id="i",
        app_id="app",
        chat_id="c",
        run_id="r",
        task_id="t",
        batch_id="b",
        now=now,
        steady=now,
        salt="salt",
    )


def test_the_record_is_titled_by_what_runs_and_says_every_change_of_it() -> None:
    shown = proposed(named("a", "b", "c"), summary="Pay three")
    executed = shown.model_copy(update={"summary": "Pay x to three"})
    part = executed.model_copy(update={"rows": executed.rows[:2]})
    it = replace(answered(), response=says(edits={"note": "y", "new": {"a": 1}}))
    mask = Mask({"note"}, {"note": "x"})
    whole = allowed_as(it, shown, executed, executed, mask)
    assert (whole.interaction_id, whole.title) == ("i", "Pay x to three")
    assert allowed_as(it, shown, executed, part, mask).title is None
    assert [c.path for c in whole.changed] == ["note", "new"]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (1, 1, []),
        (1, True, [("n", 1, True)]),
        (1, 1.0, [("n", 1, 1.0)]),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}, [("n/b", 2, 3), ("n/c", None, 4)]),
        ([1, 2], [1, 3], [("n/2", 2, 3)]),
        ([1, 2], [1], [("n", [1, 2], [1])]),
        ([1], {"a": 1}, [("n", [1], {"a": 1})]),
        ({"a": 1}, 5, [("n", {"a": 1}, 5)]),
        ([1], "x", [("n", [1], "x")]),
        ("x", [1], [("n", "x", [1])]),
        ({"a": 1}, {"a": 1, "b": 2}, [("n/b", None, 2)]),
    ],
)
def test_a_change_is_told_at_its_own_place(
    before: JsonValue, after: JsonValue, told: list[tuple[str, JsonValue, JsonValue]]
) -> None:
    shown = Proposal(tool_name="pay_out", arguments={"n": before})
    it = replace(answered(), response=says(edits={"n": after}))
    found = allowed_as(it, shown, shown, shown, Mask((), {}))
    assert [(c.path, c.before, c.after) for c in found.changed] == told


@pytest.mark.parametrize(
    ("traits", "editable"),
    [
        ({}, {"to", "n"}),
        ({"editable": ["lines"]}, {"to", "n"}),
        ({"editable": ["lines.n"]}, {"n"}),
        ({"editable": ["note"]}, set()),
    ],
)
def test_the_cells_that_are_open(traits: Any, editable: set[str]) -> None:
    made = paying(rows="lines", **traits)
    proposal = make_proposal(made, {"lines": list(ROWS)}, None, revision=1)
    card = card_of(made, proposal)
    assert isinstance(card, ExchangesCard)
    assert {column.key for column in card.columns if column.editable} == editable
    assert [column.key for column in card.columns] == ["to", "n"]
    assert card.rows_argument == ("lines" if editable else None)
    assert card.rows_decidable
    assert all("row_id" not in row.values for row in card.rows)


def test_what_a_person_says_with_a_yes_is_told() -> None:
    assert approval_answer(replace(answered(), response=says())).reason == ""
    told = approval_answer(
        replace(answered(), response=says().model_copy(update={"user_message": "ok"}))
    )
    assert (told.status, told.reason) == ("approved", "ok")


def test_a_card_without_a_context_is_shown_as_it_is_at_every_stage() -> None:
    began = datetime(2026, 1, 1, tzinfo=UTC)
    card = UncertainEffectCard(
        title="Did it run?", tool_name="pay", tool_params={}, started_at=began, attempt=1
    )
    request = CardRequest(call_key="k", card=card, ui_tool_id="x", workflow_stage="check")
    assert request.shown_card is card
