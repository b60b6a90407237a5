"""What is asked from outside, as the card that it becomes."""

from __future__ import annotations

from sayso.core.asks import AskKind, AskSpec, card_request
from sayso.core.cards import ApprovalCard, Option
from sayso.core.digest import JsonObject


def test_only_an_approval_proposes_a_call_and_says_what_it_does_not_bind() -> None:
    given: JsonObject = {"version": "4.2", "by": "ci"}
    deploy = AskSpec(
        kind=AskKind.APPROVE, title="Deploy?", arguments=given, digest_over=("version",)
    )
    asked = card_request(deploy, call_id="c")
    assert isinstance(asked.card, ApprovalCard)
    assert asked.card.not_bound == {"by": "ci"}
    assert asked.proposal is not None
    assert asked.proposal.arguments == {"version": "4.2"}
    options = (Option(id="a", label="A"), Option(id="b", label="B"))
    choose = card_request(
        AskSpec(kind=AskKind.CHOOSE, title="Which?", options=options), call_id="c"
    )
    assert (choose.proposal, choose.tool_call_id) == (None, None)
    assert "attachments" not in choose.content["card"]  # type: ignore[operator]  # an object
