"""The digest of a card: over all that it shows and all that would run, and over nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sayso.core.cards import (
    ApprovalCard,
    AskingRule,
    Card,
    Change,
    Column,
    ConfirmationCard,
    Detail,
    Display,
    ExchangesCard,
    FormCard,
    KnownValue,
    Option,
    OptionsCard,
    RequirementsCard,
    Row,
    UiToolCard,
    UncertainEffectCard,
    ValidationCard,
    ValueFormat,
)
from sayso.core.digest import JsonObject, new_salt
from sayso.core.errors import InvalidInput
from sayso.core.interactions import CardRequest, Interaction, OnExpiry, Proposal
from sayso.core.messages import Saying
from sayso.core.shown import changes_between, content_of, older_digest

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SALT = "5a17"
SECRET = "hunter2-4711"
_APPROVAL: dict[str, Any] = {
    "title": "Refund order 7",
    "agent_message": "May I?",
    "message": "Look at it",
    "tool_name": "refund",
    "tool_params": {"order": 7, "password": "•••"},
    "tool_description": "Pays money back",
    "entity_type": "refund",
    "entity_summary": "Refund of order 7",
    "entity_details": {"order": 7},
    "action": "create",
    "impact": "5 euros leave",
    "context": {"policy": "over the limit"},
    "warnings": ["The customer is new"],
    "edit_schema": {"properties": {"order": {"type": "integer"}}},
    "changes": [Change(path="arguments/order", before=6, after=7)],
}
CARDS: dict[str, Card] = {
    "approval": ApprovalCard(**_APPROVAL),
    "exchanges": ExchangesCard(
        **_APPROVAL,
        columns=[Column(key="iban", label="Account", editable=True)],
        rows=[Row(row_id="1", values={"iban": "DE1"}, warnings=["new"])],
        rows_argument="rows",
    ),
    "requirements": RequirementsCard(
        **_APPROVAL,
        known=[KnownValue(field="to", label="Where", text="Oslo", source="said", quote="to Oslo")],
    ),
    "options": OptionsCard(
        title="Which?",
        agent_message="Which?",
        question="Which one?",
        options=[Option(id="a", label="A", description="The first")],
        context={"stage": "one"},
    ),
    "form": FormCard(
        title="Fill in",
        agent_message="Fill in",
        message="Please",
        response_schema={"properties": {"name": {"type": "string"}}},
        values={"name": "Ada"},
        context={"stage": "one"},
        submit_label="Send",
    ),
    "confirmation": ConfirmationCard(
        title="Pay?",
        agent_message="Pay?",
        message="Once and for all",
        details=[Detail(label="Amount", value=1000)],
        impact="money leaves",
        context={"stage": "one"},
    ),
    "uncertain_effect": UncertainEffectCard(
        title="Did it run?",
        agent_message="It may have",
        tool_name="refund",
        tool_params={"order": 7},
        started_at=NOW,
        attempt=1,
    ),
    "ui_tool": UiToolCard(
        payload={"title": "Plan", "agent_message": "A plan", "steps": ["one"]},
        response_schema={"properties": {"ok": {"type": "boolean"}}},
    ),
}
PROPOSAL = Proposal(
    tool_name="refund",
    arguments={"order": 7, "password": SECRET},
    summary="Refund of order 7",
    details={"order": 7},
    rows=[{"row_id": "1", "iban": "DE1"}],
    impact="5 euros leave",
    warnings=["The customer is new"],
    data={"version": 3},
)
kinds = pytest.mark.parametrize("kind", list(CARDS))


def request(card: Card, proposal: Proposal | None = PROPOSAL, **more: Any) -> CardRequest:
    return CardRequest(call_key="k", card=card, ui_tool_id="x", proposal=proposal, **more)


def opened(asked: CardRequest, *, salt: str = SALT, **ids: str) -> Interaction:
    names = ["interaction_id", "app_id", "chat_id", "run_id", "task_id", "batch_id"]
    places: dict[str, Any] = {**dict.fromkeys(names, "one"), **ids}
    return asked.opened(**places, now=NOW, steady=NOW, salt=salt)


def leaves(value: Any, put: Callable[[Any], Any] = lambda new: new) -> Iterator[tuple[str, Any]]:
    """Every way to change one text, number or yes of a JSON value: where, and the whole with it."""
    if isinstance(value, dict):
        for key, part in value.items():
            for path, whole in leaves(part, _inside(put, value, key)):
                yield f"/{key}{path}", whole
    elif isinstance(value, list):
        for n, part in enumerate(value):
            cut = [*value[:n], *value[n + 1 :]]
            yield f"/{n} taken out", put(cut)
            for path, whole in leaves(part, _inside(put, value, n)):
                yield f"/{n}{path}", whole
    elif isinstance(value, bool):
        yield "", put(not value)
    elif isinstance(value, int | float):
        yield "", put(value + 1)
    elif isinstance(value, str):
        yield "", put(_other(value))


def _inside(put: Callable[[Any], Any], value: Any, place: Any) -> Callable[[Any], Any]:
    def with_it(new: Any) -> Any:
        changed = value.copy()
        changed[place] = new
        return put(changed)

    return with_it


def _other(text: str) -> str:
    """Another text; a time stays one."""
    try:
        return (datetime.fromisoformat(text) + timedelta(seconds=1)).isoformat()
    except ValueError:
        return f"{text}."


@kinds
def test_whatever_is_shown_is_under_the_digest(kind: str) -> None:
    card = CARDS[kind]
    before = opened(request(card))
    seen = {before.digest}
    whole = card.model_dump(mode="json")
    whole.pop("card")
    changed = list(leaves(whole))
    assert len(changed) > 4
    for path, other in changed:
        after = opened(request(type(card).model_validate(other)))
        assert after.digest not in seen, path
        seen.add(after.digest)
    named = [opened(replace(request(card), ui_tool_id="y"))]
    named.append(opened(request(card, agent_name="another")))
    assert seen.isdisjoint(it.digest for it in named)


@kinds
def test_whatever_would_run_is_under_the_digest(kind: str) -> None:
    card = CARDS[kind]
    seen = {opened(request(card)).digest, opened(request(card, None)).digest}
    assert len(seen) == 2
    whole = PROPOSAL.model_dump(mode="json", exclude={"revision"})
    for path, other in leaves(whole):
        after = opened(request(card, Proposal.model_validate(other)))
        assert after.digest not in seen, path
        seen.add(after.digest)


@kinds
@given(seconds=st.integers(1, 10**6), person=st.text(), id_=st.text(min_size=1))
def test_time_people_and_ids_are_not(kind: str, seconds: int, person: str, id_: str) -> None:
    asked = request(CARDS[kind])
    one = opened(asked)
    other = replace(
        asked,
        call_key=id_,
        tool_call_id=id_,
        expires_in=timedelta(seconds=seconds),
        on_expiry=OnExpiry(action="cancel"),
        assignees=(person,),
        display=Display.ARTIFACT,
    )
    assert opened(other, interaction_id=id_, chat_id=id_, run_id=id_).digest == one.digest


@kinds
def test_two_cards_with_equal_content_have_digests_of_their_own(kind: str) -> None:
    asked = request(CARDS[kind])
    assert opened(asked, salt=new_salt()).digest != opened(asked, salt=new_salt()).digest


def test_a_masked_secret_cannot_be_tried_with_what_leaves_the_server() -> None:
    it = opened(request(CARDS["approval"]), salt=new_salt())
    told = json.dumps(
        [it.as_json(), it.payload, it.settlement(), it.as_request().model_dump_json()]
    )
    assert it.salt not in told
    assert it.salt not in repr(it)
    assert SECRET not in told
    # Whoever guesses right, and knows all but the salt, makes another digest.
    assert opened(request(CARDS["approval"]), salt="").digest != it.digest


@kinds
def test_a_card_redrawn_as_it_was_is_the_same_revision(kind: str) -> None:
    it = opened(request(CARDS[kind]))
    again = it.asked_again(request(CARDS[kind], assignees=("ben",)), salt="other")
    assert (again.digest, again.revision, again.changes) == (it.digest, 1, ())
    assert again.assignees == ("ben",)


@kinds
def test_any_change_in_a_redraw_is_a_new_revision_that_says_what_changed(kind: str) -> None:
    card = CARDS[kind]
    it = opened(request(card))
    whole = card.model_dump(mode="json")
    whole.pop("card")
    for path, other in leaves(whole):
        drawn = it.asked_again(request(type(card).model_validate(other)), salt=new_salt())
        assert drawn.id == it.id, path
        assert drawn.revision == 2, path
        assert drawn.digest != it.digest, path
        assert drawn.changes, path
        assert drawn.payload["sayso"]["changes"], path  # type: ignore[index,call-overload]
        back = drawn.asked_again(request(card), salt=new_salt())
        assert back.revision == 3, path
        assert back.digest not in (it.digest, drawn.digest), path


def test_a_redraw_says_each_change_once_and_by_name() -> None:
    it = opened(request(CARDS["confirmation"]))
    details = [Detail(label="Amount", value=2000), Detail(label="To", value="Bob")]
    shown = CARDS["confirmation"].model_copy(update={"details": details, "title": "Pay it?"})
    shown = shown.model_copy(update={"agent_message": "Pay it?"})
    drawn = it.asked_again(request(shown), salt=SALT)
    assert [(c.path, c.before, c.after) for c in drawn.changes] == [
        ("title", "Pay?", "Pay it?"),
        ("details/Amount", 1000, 2000),
        ("details/To", None, "Bob"),
    ]


def test_what_changed_only_in_what_would_run_is_named_without_its_value() -> None:
    it = opened(request(CARDS["approval"]))
    other = PROPOSAL.model_copy(update={"arguments": {"order": 7, "password": "another-0815"}})
    drawn = it.asked_again(request(CARDS["approval"], other), salt=SALT)
    assert drawn.revision == 2
    assert drawn.changes == (Change(path="arguments"),)
    assert "0815" not in json.dumps(drawn.as_json())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**60, "\ud800"], ids=repr)
def test_a_card_that_json_cannot_say_is_the_agents_error(value: Any) -> None:
    with pytest.raises(InvalidInput, match="canonical JSON"):
        request(ConfirmationCard(title="Pay?", details=[Detail(label="Amount", value=value)]), None)
    with pytest.raises(InvalidInput, match="canonical JSON"):
        request(CARDS["approval"], PROPOSAL.model_copy(update={"data": {"id": value}}))


def test_what_changed_very_deep_inside_is_told_as_one_part() -> None:
    def card(value: int) -> JsonObject:
        return {"card": {"a": {"b": {"c": {"d": {"e": {"f": value}}}}}}, "runs": None}

    (change,) = changes_between(card(1), card(2))
    assert change.path == "a/b/c/d"
    assert (change.before, change.after) == ({"e": {"f": 1}}, {"e": {"f": 2}})


def test_a_card_without_a_proposal_says_what_its_redraw_changed() -> None:
    before: JsonObject = {"card": {"question": "Which?"}, "runs": None}
    assert changes_between(before, {"card": {"question": "Which?"}, "runs": None}) == []
    begun: JsonObject = {"card": {"question": "Which?"}, "runs": {"arguments": {"n": 1}}}
    assert changes_between(before, begun) == [Change(path="arguments")]
    assert changes_between(begun, before) == [Change(path="arguments")]


def test_a_list_of_plain_texts_is_bound_as_it_is() -> None:
    said = {"title": "Check", "is_valid": False, "errors": ["no flow", "no unit"]}
    card = ValidationCard.model_validate(said)
    content = content_of(
        type_="tool_approval", ui_tool_id="check", agent_name="clerk", card=card, proposal=None
    )
    assert isinstance(content["card"], dict)
    assert content["card"]["errors"] == ["no flow", "no unit"]


def test_a_code_in_a_list_of_the_applications_own_is_bound() -> None:
    told = {"title": "Check", "is_valid": False, "issues": [{"code": None, "params": {"n": 1}}]}
    card = ValidationCard.model_validate(told)
    content = content_of(type_="t", ui_tool_id="u", agent_name="a", card=card, proposal=None)
    assert isinstance(content["card"], dict)
    assert content["card"]["issues"] == [{"code": None, "params": {"n": 1}}]


def test_a_code_is_bound_where_there_is_one_and_is_nothing_where_there_is_none() -> None:
    """So a card that is older than the codes still has the digest that it showed."""
    plain = OptionsCard(title="Which one?", question="Which one?")
    spoken = plain.model_copy(update={"says": Saying(code="gate.which")})
    bare, coded = (
        content_of(type_="t", ui_tool_id="u", agent_name="a", card=card, proposal=None)["card"]
        for card in (plain, spoken)
    )
    assert isinstance(bare, dict)
    assert "says" not in bare
    says: JsonObject = {"code": "gate.which", "params": {}}
    assert coded == {**bare, "says": says}


def bound(card: Card, proposal: Proposal | None = None) -> JsonObject:
    content = content_of(type_="t", ui_tool_id="u", agent_name="a", card=card, proposal=proposal)
    assert isinstance(content["card"], dict)
    return content["card"]


def test_what_nobody_decides_on_is_not_bound() -> None:
    plain = ApprovalCard(**_APPROVAL)
    assert {"rule", "asker", "not_bound", "formats"}.isdisjoint(bound(plain))
    ruled = plain.model_copy(update={"rule": AskingRule(by="tool")})
    assert bound(ruled) == bound(plain)
    formats = {"order": ValueFormat(unit="kg")}
    with_units = bound(plain.model_copy(update={"formats": formats}))
    assert with_units["formats"] == {"order": formats["order"].model_dump(mode="json")}
    assert bound(ConfirmationCard(title="Go?"))["impact"] is None, "a part of old, though empty"
    known = KnownValue(field="to", label="To", text="Oslo", source="said", source_code="gate.said")
    requirements = CARDS["requirements"].model_copy(update={"known": [known]})
    assert "'source_code': 'gate.said'" in str(bound(requirements)["known"])
    first, second = (
        content_of(type_="t", ui_tool_id="u", agent_name="a", card=plain, proposal=it)
        for it in (PROPOSAL, PROPOSAL.model_copy(update={"revision": 2}))
    )
    assert first == second


def test_a_text_and_its_code_are_one_change() -> None:
    def content(text: str, code: str) -> JsonObject:
        known: JsonValue = [{"text": text, "code": code}]
        said: JsonObject = {"title": text, "says": {"code": code}, "known": known}
        return {"card": {**said, "errors": [f"{text} has no label"]}, "runs": None}

    changed = changes_between(content("Rome", "a"), content("Oslo", "b"))
    assert [change.path for change in changed] == ["title", "known", "errors"]
    assert changed[1].after == [{"text": "Oslo"}]
    assert changes_between(content("Rome", "a"), content("Rome", "b")) == []


def test_a_card_of_before_there_was_a_salt_keeps_its_digest() -> None:
    proposal = PROPOSAL.model_dump(mode="json")
    assert older_digest(proposal) == older_digest({**proposal, "summary": "another"})
    for name in ("tool_name", "arguments", "details", "rows", "impact", "data"):
        assert older_digest({**proposal, name: "another"}) != older_digest(proposal)
    assert older_digest({}).endswith("16fb55a4")


def test_so_are_the_codes_of_a_known_value_and_of_nothing_else() -> None:
    card = CARDS["requirements"].model_copy(update={"not_bound": None})
    content = content_of(type_="t", ui_tool_id="u", agent_name="a", card=card, proposal=None)
    assert isinstance(content["card"], dict)
    assert isinstance(content["card"]["known"], list)
    (known,) = content["card"]["known"]
    assert isinstance(known, dict)
    assert {"code", "params", "source_code"}.isdisjoint(known)
