"""What moves an interaction, and where to: by an answer, a dismissal, its time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sayso.core.cards import (
    ApprovalCard,
    Card,
    Column,
    ConfirmationCard,
    ExchangesCard,
    FormCard,
    Option,
    OptionsCard,
    Row,
    UiToolCard,
    UncertainEffectCard,
)
from sayso.core.decisions import (
    Overdue,
    Refused,
    Repeated,
    Settle,
    already_settled,
    asks_the_same,
    asks_to_act,
    check_together,
    decide_answer,
    decide_dismissal,
    default_answer,
    expiry_of,
    is_approval,
    settled_summary,
    state_after,
    tool_to_remember,
    was_allowed,
)
from sayso.core.errors import AlreadySettled, AnswerAlone, IdempotencyKeyReused, StaleDigest
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
    OnExpiry,
    Proposal,
)

NOW = datetime(2026, 1, 1, 12, 30, tzinfo=UTC)
PAY = {"title": "Pay", "tool_name": "pay", "tool_params": {"n": 1}}
PROPOSAL = Proposal(tool_name="pay", arguments={"n": 1})
APPROVAL = ApprovalCard.model_validate(PAY)
OFFERING = APPROVAL.model_copy(update={"may_be_remembered": True})
TABLE = ExchangesCard.model_validate(
    {
        **PAY,
        "columns": [Column(key="to", label="To")],
        "rows": [Row(row_id="a", values={}), Row(row_id="b", values={})],
    }
)
CONFIRMATION = ConfirmationCard(title="Go?")
COLOURS = OptionsCard(title="Which?", question="Which?", options=[Option(id="red", label="Red")])
UNCERTAIN = UncertainEffectCard(
    title="Did it?", tool_name="pay", tool_params={}, started_at=NOW, attempt=1
)
FORM = FormCard(title="Where?", response_schema={})
OWN = UiToolCard(payload={"title": "Mine"})


def opened(card: Card, *, proposal: Proposal | None = None, **more: Any) -> Interaction:
    request = CardRequest(call_key="k", card=card, ui_tool_id="card", proposal=proposal)
    it = request.opened(
        interaction_id="i1",
        app_id="app",
        chat_id="c1",
        run_id="r1",
        task_id="t1",
        batch_id="b1",
        now=NOW,
        steady=NOW,
        salt="salt",
    )
    return replace(it, **more)


def pay(**more: Any) -> Interaction:
    return opened(APPROVAL, proposal=PROPOSAL, **more)


def says(*, approved: bool = True, metadata: Any = None, **more: Any) -> InteractionResponse:
    message = more.pop("user_message", None)
    return InteractionResponse(
        interaction_id="i1",
        approved=approved,
        user_message=message,
        metadata=metadata or {},
        response_data=more,  # type: ignore[arg-type]  # read as it comes
    )


ENDED = [state for state in InteractionState if state.is_final]
REJECTION = says(approved=False, user_message="no")


@pytest.mark.parametrize("state", ENDED)
def test_what_is_settled_moves_no_more(state: InteractionState) -> None:
    it = pay(state=state, response=says(), answer_key="key", settled_at=NOW)
    other = decide_answer(it, REJECTION, key=None, now=NOW)
    assert isinstance(other, Refused)
    assert isinstance(other.error, AlreadySettled)
    assert f"already {state.value} at 2026-01-01 12:30 UTC" in str(other.error)
    reused = decide_answer(it, REJECTION, key="key", now=NOW)
    assert isinstance(reused, Refused)
    assert isinstance(reused.error, IdempotencyKeyReused)
    assert decide_answer(it, says(), key="key", now=NOW) == Repeated()
    answered = state in (InteractionState.COMPLETED, InteractionState.REJECTED)
    for key in (None, "another"):
        again = decide_answer(it, says(), key=key, now=NOW)
        assert (again == Repeated()) is answered
    dismissal = decide_dismissal(it, now=NOW)
    assert (dismissal == Repeated()) is (state is InteractionState.DISMISSED)
    assert isinstance(dismissal, Repeated | Refused)


def test_what_nobody_answered_repeats_nothing() -> None:
    it = pay(state=InteractionState.CANCELLED, answer_key=None)
    assert isinstance(decide_answer(it, says(), key=None, now=NOW), Refused)
    assert "at" not in str(already_settled(it)).split("cancelled")[1]


@pytest.mark.parametrize(
    ("seconds", "late"), [(-1, True), (0, True), (0.001, False), (None, False)]
)
def test_its_time_is_over_from_that_moment_on(seconds: float | None, late: bool) -> None:
    at = NOW + timedelta(seconds=seconds) if seconds is not None else None
    it = pay(expires_at=at)
    assert (decide_answer(it, says(), key=None, now=NOW) == Overdue()) is late
    assert (decide_dismissal(it, now=NOW) == Overdue()) is late


@pytest.mark.parametrize(
    ("revision", "digest", "taken"),
    [
        (1, "its own", True),
        (1, None, True),
        (1, "sha256:other", False),
        (2, "its own", True),
        (2, None, False),
        (2, "sha256:other", False),
    ],
)
def test_an_answer_is_to_the_revision_that_it_names(
    revision: int, digest: str | None, taken: bool
) -> None:
    it = pay(revision=revision)
    named = it.digest if digest == "its own" else digest
    response = says(metadata={"digest": named} if named is not None else {})
    decision = decide_answer(it, response, key=None, now=NOW)
    if taken:
        assert decision == Settle(InteractionState.COMPLETED, response)
        return
    assert isinstance(decision, Refused)
    assert isinstance(decision.error, StaleDigest)
    assert decision.error.context == {"digest": it.digest, "revision": revision}
    assert ("names no digest" in str(decision.error)) is (digest is None)


@pytest.mark.parametrize(
    "moved",
    [
        {"state": InteractionState.DISMISSED},
        {"revision": 2},
        {"digest": "sha256:other"},
        {"card": OFFERING},
        {"proposal": None},
        {"assignees": ("bob",)},
    ],
    ids=lambda moved: next(iter(moved)),
)
def test_what_was_checked_holds_for_what_asks_the_same(moved: dict[str, Any]) -> None:
    it = pay()
    assert asks_the_same(it, replace(it, settled_by="ada"))
    assert not asks_the_same(replace(it, **moved), it)


def test_what_expiry_says() -> None:
    state, response = expiry_of(pay()).state, expiry_of(pay()).response
    assert state is InteractionState.EXPIRED
    assert response is not None
    assert (response.approved, response.interaction_id) == (False, "i1")
    default = OnExpiry(action="answer", answer={"response_data": {"selected_option": "red"}})
    answered = expiry_of(opened(COLOURS, on_expiry=default))
    assert answered.state is InteractionState.EXPIRED
    assert answered.response is not None
    assert (answered.response.approved, answered.response.interaction_id) == (True, "i1")
    assert answered.response.response_data.selected_option == "red"
    for silent in (OnExpiry(action="answer"), OnExpiry(action="reject", answer={"approved": True})):
        said = expiry_of(pay(on_expiry=silent)).response
        assert said is not None
        assert not said.approved


SOME = says(approved_rows=["a"], rejected_rows={"b": "no"})
NONE = says(approved_rows=[], rejected_rows={"a": "no"})


@pytest.mark.parametrize(
    ("card", "response", "state", "approves"),
    [
        (APPROVAL, says(), "completed", True),
        (APPROVAL, REJECTION, "rejected", False),
        (TABLE, SOME, "completed", True),
        (TABLE, NONE, "rejected", False),
        (CONFIRMATION, says(), "completed", True),
        (CONFIRMATION, REJECTION, "rejected", False),
        (COLOURS, says(selected_option="red"), "completed", False),
        (UNCERTAIN, REJECTION, "completed", False),
        (FORM, says(), "completed", False),
        (OWN, REJECTION, "completed", False),
    ],
)
def test_a_no_where_a_yes_was_asked_for_rejects(
    card: Card, response: InteractionResponse, state: str, approves: bool
) -> None:
    it = opened(card)
    assert state_after(it, response).value == state
    assert is_approval(it, response) is approves


def test_a_choice_is_no_rejection_whatever_its_agent_calls_it() -> None:
    it = opened(COLOURS, type=InteractionType.TOOL_APPROVAL)
    assert state_after(it, REJECTION) is InteractionState.COMPLETED


@pytest.mark.parametrize("card", [APPROVAL, CONFIRMATION])
@pytest.mark.parametrize("state", list(InteractionState))
def test_what_was_allowed_was_settled_by_a_yes(card: Card, state: InteractionState) -> None:
    settled = state in (InteractionState.COMPLETED, InteractionState.EXPIRED)
    assert was_allowed(opened(card, state=state, response=says())) is settled
    assert not was_allowed(opened(card, state=state, response=REJECTION))
    assert not was_allowed(opened(card, state=state))


def test_what_asks_to_act_has_something_to_run() -> None:
    assert asks_to_act(pay())
    assert not asks_to_act(opened(APPROVAL))
    assert not asks_to_act(opened(FORM, proposal=PROPOSAL))
    assert not asks_to_act(opened(COLOURS, proposal=PROPOSAL))
    assert not asks_to_act(opened(UNCERTAIN, proposal=PROPOSAL))


def test_together_goes_what_may_and_what_names_what_was_seen() -> None:
    bulk = opened(APPROVAL.model_copy(update={"bulk": True}), proposal=PROPOSAL)
    check_together(bulk, says(metadata={"digest": bulk.digest}))
    for it, metadata in (
        (pay(), {"digest": pay().digest}),
        (bulk, {}),
        (bulk, {"digest": "sha256:other"}),
        (replace(bulk, digest=None), {}),
    ):
        with pytest.raises(AnswerAlone):
            check_together(it, says(metadata=metadata))


REMEMBER = {"always_allow": True}


@pytest.mark.parametrize(
    ("it", "response", "tool"),
    [
        (opened(OFFERING, proposal=PROPOSAL), says(metadata=REMEMBER), "pay"),
        (opened(OFFERING, proposal=PROPOSAL), says(), None),
        (opened(OFFERING, proposal=PROPOSAL), says(metadata={"always_allow": "yes"}), None),
        (opened(OFFERING, proposal=PROPOSAL), says(approved=False, metadata=REMEMBER), None),
        (opened(OFFERING), says(metadata=REMEMBER), None),
        (pay(), says(metadata=REMEMBER), None),
        (opened(COLOURS, proposal=PROPOSAL), says(metadata=REMEMBER), None),
    ],
)
def test_a_tool_is_remembered_where_its_card_offered_it(
    it: Interaction, response: InteractionResponse, tool: str | None
) -> None:
    assert tool_to_remember(it, response) == tool


IN_WORDS = {"message_id": "m1"}


@pytest.mark.parametrize(
    ("it", "state", "response", "words"),
    [
        (pay(), "completed", says(), "Pay approved"),
        (
            pay(),
            "completed",
            says(metadata={"signed_in": False}),
            "Pay approved, answered without sign-in",
        ),
        (pay(), "completed", None, "Pay completed"),
        (pay(), "rejected", REJECTION, "Pay rejected: no"),
        (pay(), "rejected", says(approved=False), "Pay rejected"),
        (pay(), "rejected", None, "Pay rejected"),
        (pay(), "dismissed", None, "Pay dismissed"),
        (pay(), "expired", REJECTION, "Pay expired"),
        (opened(TABLE), "completed", SOME, "Pay approved in part"),
        (opened(COLOURS), "completed", says(selected_option="red"), "Which? completed"),
        (opened(UNCERTAIN), "completed", says(selected_option="skip"), "Did it? completed"),
        (opened(FORM), "completed", says(), "Where? completed"),
        (opened(OWN), "completed", says(), "card completed"),
        (
            pay(),
            "completed",
            says(metadata=IN_WORDS, user_message="go on"),
            "Pay approved in words: go on",
        ),
        (pay(), "completed", says(edits={"n": 5}), "Pay approved, with n changed"),
        (pay(), "completed", says(edits={"n": 5, "m": 1}), "Pay approved, with m and n changed"),
        (
            pay(),
            "completed",
            says(edits={"n": 5, "m": 1, "o": 2}),
            "Pay approved, with 3 values changed",
        ),
        (
            opened(OFFERING, proposal=PROPOSAL),
            "completed",
            says(metadata=REMEMBER),
            "Pay approved, from now on without asking in this chat",
        ),
    ],
)
def test_the_decision_in_words(
    it: Interaction, state: str, response: InteractionResponse | None, words: str
) -> None:
    assert settled_summary(it, InteractionState(state), response) == words


def test_who_comes_too_late_is_told_the_outcome() -> None:
    settled = pay(state=InteractionState.COMPLETED, response=says(), settled_at=NOW)
    assert already_settled(settled).context == {"outcome": settled.settlement()}


def test_a_default_answer_is_a_yes_where_it_says_nothing() -> None:
    for on_expiry in (OnExpiry(action="reject"), OnExpiry(action="reject", answer={})):
        said = default_answer(on_expiry, "i1")
        assert (said.approved, said.interaction_id) == (True, "i1")
    said = default_answer(OnExpiry(action="answer", answer={"approved": False}), "i1")
    assert not said.approved


def test_a_choice_is_no_yes_whatever_its_type() -> None:
    for card in (COLOURS, UNCERTAIN):
        it = opened(card, proposal=PROPOSAL, type=InteractionType.CONFIRMATION)
        assert not asks_to_act(it)
        assert settled_summary(it, InteractionState.COMPLETED, says()).endswith(" completed")


def test_an_answer_without_a_key_is_no_other_answer_of_one() -> None:
    settled = pay(state=InteractionState.COMPLETED, response=says(), settled_at=NOW)
    refused = decide_answer(settled, REJECTION, key=None, now=NOW)
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, AlreadySettled)


def test_whoever_asked_is_told_that_nobody_answered() -> None:
    said = expiry_of(pay()).response
    assert said is not None
    assert (said.approved, said.user_message) == (False, "Nobody answered in time.")
