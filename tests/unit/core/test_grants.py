"""A grant permits one action, once, with exactly these values."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from sayso.core.digest import JsonObject
from sayso.core.errors import GrantVoid, VersionConflict
from sayso.core.requirements import (
    ActionNeed,
    ActionSpec,
    Given,
    Grant,
    Pending,
    RequirementState,
    Slot,
    Source,
    TurnTaken,
    check_next,
    has_run,
    is_known,
    next_questions,
    next_version,
    started_over,
    state_in,
    status_of,
    use_grant,
    used_up,
    valid_grant,
    value_hash,
    values_for,
    with_grant,
    with_values,
    without_stale_grants,
)


def slot(name: str, **more: Any) -> Slot:
    return Slot(name=name, label=name, question=f"{name}?", schema={}, **more)


CITY, DAYS, NOTE = slot("city"), slot("days", has_default=True, default=3), slot("note")
PLAN = ActionSpec(
    name="plan",
    needs=(
        ActionNeed(field="where", slot=CITY),
        ActionNeed(field="days", slot=DAYS),
        ActionNeed(field="note", slot=NOTE, optional=True),
    ),
)
LISTS = ActionSpec(name="lists", needs=(ActionNeed(field="cities", slot=CITY, is_list=True),))


def given(value: Any) -> Given:
    return Given(value=value, source=Source.SAID)


def test_what_nobody_says_of_a_slot_or_a_turn() -> None:
    plain, turn = slot("plain"), TurnTaken(message_id="m")
    assert (plain.precedence, plain.least, plain.from_context) == (100, 1, False)
    assert not turn.asks_outright


def test_what_is_known_is_changed_by_none_but_a_new_version() -> None:
    state = RequirementState()
    with pytest.raises(ValidationError, match="frozen"):
        state.version = 1  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Extra"):
        RequirementState.model_validate({"versions": 1})


def known(**values: Any) -> RequirementState:
    return RequirementState(values={name: given(value) for name, value in values.items()})


def grant(id: str = "g1", action: str = "plan", **values: Any) -> Grant:
    runs: JsonObject = values or {"where": "Rome", "days": 3}
    return Grant(
        id=id, action=action, value_hash=value_hash(action, runs), values=runs, given_by="m1"
    )


ROME = known(city="Rome")
GRANTED = ROME.model_copy(update={"grants": (grant(),), "requested": ("plan", "lists")})


def statuses(state: RequirementState) -> dict[str, str]:
    return {one.id: one.status for one in state.grants}


@pytest.mark.parametrize(
    ("action", "values", "status", "found"),
    [
        ("plan", {"where": "Rome", "days": 3}, "valid", True),
        ("plan", {"where": "Rome", "days": 4}, "valid", False),
        ("plan", {"where": "Rome", "days": 3, "note": ""}, "valid", False),
        ("lists", {"where": "Rome", "days": 3}, "valid", False),
        ("plan", {"where": "Rome", "days": 3}, "used", False),
        ("plan", {"where": "Rome", "days": 3}, "void", False),
    ],
)
def test_a_grant_is_for_one_action_with_these_values(
    action: str, values: JsonObject, status: str, found: bool
) -> None:
    held = grant().model_copy(update={"status": status})
    state = RequirementState(grants=(held,))
    assert (valid_grant(action, values, state) is not None) is found


def test_a_grant_of_one_action_is_none_of_another_with_the_same_hash() -> None:
    forged = grant().model_copy(update={"action": "lists"})
    state = RequirementState(grants=(forged,))
    assert valid_grant("plan", forged.values, state) is None
    assert not has_run(PLAN, ROME.model_copy(update={"grants": (forged,)}))


@pytest.mark.parametrize("status", ["valid", "used", "void"])
@pytest.mark.parametrize("grant_id", ["g1", "g2"])
@pytest.mark.parametrize("same_values", [True, False])
def test_a_grant_is_used_once(status: str, grant_id: str, same_values: bool) -> None:
    state = GRANTED.model_copy(
        update={"grants": (grant().model_copy(update={"status": status}), grant("g0"))}
    )
    wanted = grant().value_hash if same_values else "sha256:other"
    used = use_grant(state, grant_id, wanted)
    if (status, grant_id, same_values) != ("valid", "g1", True):
        assert used is None
        return
    assert used is not None
    assert statuses(used) == {"g1": "used", "g0": "valid"}
    assert used.requested == ("lists",)
    assert used.version == state.version + 1
    assert has_run(PLAN, used)
    assert not has_run(PLAN, with_values(used, {"city": given("Oslo")}, [PLAN]))
    assert not has_run(PLAN, state)


def test_what_is_kept_tells_that_it_is_used() -> None:
    detail: JsonObject = {
        "plan": {"requested": True, "x": 1},
        "lists": {"requested": False},
        "n": 1,
    }
    kept: JsonObject = {
        "version": 0,
        "state": GRANTED.model_dump(mode="json"),
        "requirements_detail": detail,
    }
    body = used_up(kept, "g1", grant().value_hash)
    assert body["version"] == 1
    assert statuses(state_in(body)) == {"g1": "used"}
    assert body["requirements_detail"] == {
        "plan": {"requested": False, "x": 1},
        "lists": {"requested": True},
        "n": 1,
    }
    assert "requirements_detail" not in used_up({"state": kept["state"]}, "g1", grant().value_hash)
    with pytest.raises(GrantVoid):
        used_up(body, "g1", grant().value_hash)
    with pytest.raises(GrantVoid):
        used_up(None, "g1", grant().value_hash)


@pytest.mark.parametrize(("version", "fits"), [(0, False), (1, True), (2, False), (None, False)])
def test_a_change_is_made_from_what_is_kept(version: int | None, fits: bool) -> None:
    changed: JsonObject = {"version": version}
    nothing: list[JsonObject | None] = [None, {}, {"state": None}]
    for kept in nothing:
        if fits:
            check_next(kept, changed)
        else:
            with pytest.raises(VersionConflict):
                check_next(kept, changed)


def test_a_changed_value_voids_what_was_granted_on_others() -> None:
    hashes = {"plan": grant().value_hash}
    other = grant("g2", "lists", cities=["Rome"])
    used = grant("g0").model_copy(update={"status": "used"})
    state = ROME.model_copy(
        update={
            "grants": (used, grant(), other),
            "pending": Pending(id="p", kind="offer", hashes=hashes),
            "suggested": {"city": given("Oslo"), "days": given(9)},
        }
    )
    same = without_stale_grants(state, [PLAN, LISTS])
    assert statuses(same) == {"g0": "used", "g1": "valid", "g2": "valid"}
    assert same.pending == state.pending
    longer = with_values(state, {"days": given(5)}, [PLAN, LISTS])
    assert statuses(longer) == {"g0": "used", "g1": "void", "g2": "valid"}
    assert longer.pending is None
    assert set(longer.suggested) == {"city"}
    cleared = with_values(state, {"city": None, "note": None}, [PLAN, LISTS])
    assert set(cleared.values) == set()
    assert statuses(cleared) == {"g0": "used", "g1": "void", "g2": "void"}
    assert statuses(without_stale_grants(state, [PLAN])) == {
        "g0": "used",
        "g1": "valid",
        "g2": "void",
    }


def test_one_yes_is_one_run() -> None:
    other = grant("g2", "lists", cities=["Rome"])
    used = grant("g0").model_copy(update={"status": "used"})
    pending = Pending(id="p", kind="card", hashes={})
    state = ROME.model_copy(update={"grants": (used, grant(), other), "pending": pending})
    after = with_grant(state, grant("g3"))
    assert statuses(after) == {"g0": "used", "g1": "void", "g2": "valid", "g3": "valid"}
    assert after.pending is None


def test_who_starts_over_leaves_nothing_that_may_run() -> None:
    used = grant("g0").model_copy(update={"status": "used"})
    state = GRANTED.model_copy(update={"grants": (used, grant()), "version": 7})
    over = started_over(state)
    assert (over.version, over.values, over.requested) == (7, {}, ())
    assert statuses(over) == {"g0": "used", "g1": "void"}


def test_what_would_run_is_what_was_given_and_the_defaults() -> None:
    assert values_for(PLAN, known(city="Rome")) == {"where": "Rome", "days": 3}
    every = known(city="Rome", days=5, note="quiet")
    assert values_for(PLAN, every) == {"where": "Rome", "days": 5, "note": "quiet"}
    assert values_for(LISTS, known(city="Rome")) == {"cities": ["Rome"]}
    assert values_for(LISTS, known(city=["Rome", "Oslo"])) == {"cities": ["Rome", "Oslo"]}
    assert values_for(PLAN, known()) == {"days": 3}


@pytest.mark.parametrize(
    ("state", "ready", "missing", "has"),
    [
        (known(), False, ["where", "days"], []),
        (known(days=5), False, ["where"], ["days"]),
        (known(note="quiet"), False, ["where", "days"], ["note"]),
        (known(city="Rome"), True, [], ["where", "days"]),
        (known(city="Rome", note="quiet"), True, [], ["where", "days", "note"]),
    ],
)
def test_a_default_stands_in_missing_while_anything_else_does(
    state: RequirementState, ready: bool, missing: list[str], has: list[str]
) -> None:
    status = status_of(PLAN, state)
    assert (status.ready, status.missing, status.has) == (ready, missing, has)


@pytest.mark.parametrize(
    ("slots", "state", "asked"),
    [
        ([slot("a"), slot("b"), slot("c")], known(), ["a", "b"]),
        ([slot("a", precedence=2), slot("b", precedence=1)], known(), ["b", "a"]),
        ([slot("a"), slot("b")], known(a=1), ["b"]),
        ([slot("a"), DAYS], known(), ["a", "days"]),
        ([slot("a"), DAYS], known(days=1), ["a"]),
        ([slot("a"), DAYS], RequirementState(asked_before=("days",)), ["a"]),
        ([DAYS], known(), []),
        ([slot("a"), DAYS], known(a=1), []),
        (
            [
                slot("a", precedence=9),
                slot("d1", has_default=True, precedence=1),
                slot("d2", has_default=True, precedence=2),
            ],
            known(),
            ["d1", "a"],
        ),
    ],
)
def test_at_most_two_are_asked_and_a_default_never_alone(
    slots: list[Slot], state: RequirementState, asked: list[str]
) -> None:
    action = ActionSpec(name="go", needs=tuple(ActionNeed(field=s.name, slot=s) for s in slots))
    spare = ActionNeed(field="z", slot=slot("z", precedence=0), optional=True)
    more = ActionSpec(name="more", needs=(spare,))
    assert [one.name for one in next_questions([action, more], state)] == asked


def test_a_question_that_yes_would_answer_stands_alone() -> None:
    sure = Slot(name="sure", label="sure", question="sure?", schema={"type": "boolean"})
    action = ActionSpec(
        name="go", needs=(ActionNeed(field="a", slot=CITY), ActionNeed(field="b", slot=sure))
    )
    assert [it.name for it in next_questions([action], known())] == ["city"]
    assert [it.name for it in next_questions([action], known(city="Rome"))] == ["sure"]
    two = ActionSpec(
        name="go", needs=(ActionNeed(field="a", slot=CITY), ActionNeed(field="b", slot=NOTE))
    )
    assert [it.name for it in next_questions([two], known())] == ["city", "note"]


def test_a_question_is_asked_in_a_language_that_it_has() -> None:
    asked = slot("city", texts={"de": "Wohin?", "fr": ""})
    assert [asked.question_in(code) for code in ("de", "fr", "it")] == ["Wohin?", "city?", "city?"]


def test_what_is_needed_is_asked_beside_the_first_that_has_a_default() -> None:
    first, second = (slot(name, has_default=True, precedence=1) for name in ("a", "b"))
    late, sooner = slot("late", precedence=50), slot("sooner", precedence=40)
    sure = Slot(name="s", label="s", question="s?", schema={"type": "boolean"}, precedence=30)

    def asked(*slots: Slot) -> list[str]:
        needs = tuple(ActionNeed(field=it.name, slot=it) for it in slots)
        return [it.name for it in next_questions([ActionSpec(name="go", needs=needs)], known())]

    assert asked(first, second, late, sooner) == ["a", "sooner"]
    assert asked(first, second, late, sure) == ["s"]
    assert asked(first, second) == []


def test_what_is_asked_next_is_told_with_the_status() -> None:
    assert status_of(PLAN, known()).follow_up == "city? days?"
    assert status_of(PLAN, known(city="Rome")).follow_up == ""


def test_a_list_is_known_with_so_many_entries_and_told_in_one_line() -> None:
    two = slot("city", least=2)
    found = [is_known(two, known(city=cities)) for cities in (["Rome"], ["Rome", "Oslo"], "Rome")]
    assert found == [False, True, True]
    values = values_for(PLAN, known(city=["Rome", "Oslo"]))
    assert values["where"] == "Rome, Oslo"


def test_what_is_kept_is_json_and_one_version_on() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    state = known(city="Rome")
    values = {"city": state.values["city"].model_copy(update={"at": at})}
    state = state.model_copy(update={"values": values})
    assert next_version(state).version == state.version + 1
    minted = with_grant(state, grant(where="Rome", days=3))
    (one,) = minted.grants
    kept: JsonObject = {"state": minted.model_dump(mode="json")}
    assert json.dumps(used_up(kept, one.id, one.value_hash))


def test_the_branch_of_an_action_is_its_name_in_capitals() -> None:
    assert LISTS.branch == "LISTS"
