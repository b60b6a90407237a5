"""The five contracts are spoken as docs/reference/contracts.md writes them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest

from sayso import App, Ask, Requirements
from sayso.core.answer_parsing import read_answer
from sayso.core.cards import (
    ApprovalCard,
    Card,
    CardKind,
    Column,
    CriticalFailureCard,
    Display,
    ExchangesCard,
    OptionsCard,
    RecoverableErrorCard,
    Row,
    ValidationCard,
)
from sayso.core.chat_view import ChatView, MessageItem
from sayso.core.events import (
    EVENT_TYPES,
    ChatEvent,
    EventData,
    MessageWritten,
    RunMoved,
    ToolCalled,
    ToolCallStatus,
    ToolReturned,
    ToolUiOpened,
)
from sayso.core.interactions import (
    TYPE_OF_CARD,
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
)
from sayso.core.sessions import Run, RunState, session_of
from sayso.core.tasks import ExecutionMode, TaskChunkType, TaskRequest, UniversalMessage
from sayso.core.tool_result_cards import Asks, Shows, detect
from sayso.core.tool_ui import ToolUi
from sayso.engine.chunks import ChunkBuilder
from sayso.server.run_reply import PlainText, ReplyLine, RunLines, json_line
from sayso.testing.fold import fold
from sayso.tools.answer_messages import tool_response
from sayso.tools.builtin import request_user_approval, request_user_input

PAGE = Path(__file__).parents[2] / "docs/reference/contracts.md"
EXAMPLE = re.compile(r"<!-- contract: ([\w-]+) -->\n```(?:json|text)\n(.*?)```", re.DOTALL)
EXAMPLES = dict(EXAMPLE.findall(PAGE.read_text("utf-8")))
AT = datetime(2026, 1, 15, 10, 30, tzinfo=UTC)


def example(name: str) -> dict[str, Any]:
    body = json.loads(EXAMPLES[name])
    assert isinstance(body, dict)
    return body


def interaction(card: Card, **more: Any) -> Interaction:
    return Interaction(
        id="i-1",
        app_id="default",
        chat_id="c-1",
        run_id="r-1",
        task_id="t-1",
        call_key="k-1",
        batch_id="b-1",
        type=TYPE_OF_CARD[CardKind(card.card)],
        state=more.pop("state", InteractionState.PENDING),
        card=card,
        ui_tool_id="approval",
        agent_name="secretary",
        display=Display.INLINE,
        created_at=AT,
        **more,
    )


def asked(result: dict[str, Any]) -> Card:
    found = detect("any_tool", result)
    assert isinstance(found, Asks)
    return found.card


# ── approval payload ──


def test_a_question_is_a_card_with_its_options() -> None:
    payload = example("question")
    card = asked(payload)
    assert isinstance(card, OptionsCard)
    assert card.question == payload["question"]
    assert [option.model_dump() for option in card.options] == payload["options"]
    assert card.context == payload["context"]


@pytest.mark.parametrize("as_text", [False, True], ids=["object", "text"])
def test_both_forms_of_an_approval_are_one_card(as_text: bool) -> None:
    payload = example("approval")
    found = detect("any_tool", json.dumps(payload) if as_text else payload)
    assert isinstance(found, Asks)
    card = found.card
    assert isinstance(card, ApprovalCard)
    fields = set(payload) - {"approval_required"}
    assert card.model_dump(include=fields) == {key: payload[key] for key in fields}
    within = asked(example("approval-in-status"))
    assert isinstance(within, ApprovalCard)
    assert within.message == example("approval-in-status")["message"]
    assert within.entity_details == card.entity_details


async def test_the_tools_that_every_agent_can_be_given_speak_it() -> None:
    question, approval = example("question"), example("approval")
    assert question.pop("user_input_required") is True
    assert approval.pop("approval_required") is True
    assert request_user_input(**question) == example("question")
    assert request_user_approval(**approval) == example("approval")


TABLE = ExchangesCard(
    title="Lines",
    tool_name="add_lines",
    tool_params={},
    columns=[Column(key="amount", label="Amount")],
    rows=[Row(row_id="1", values={"amount": 1}), Row(row_id="2", values={"amount": 2})],
)


@pytest.mark.parametrize(
    ("name", "card", "said"),
    [
        ("decision", "approval", "approve"),
        ("rejection", "approval", "reject"),
        ("partial", TABLE, "partial"),
        ("input", "question", "approve"),
        ("tool-response", "approval", "approve"),
    ],
)
def test_answers_are_read(name: str, card: Card | str, said: str) -> None:
    it = interaction(asked(example(card)) if isinstance(card, str) else card)
    assert read_answer(it, example(name), reason_required=True).decision == said


def test_the_agent_gets_the_answer_as_a_tool_response() -> None:
    said = example("decision")
    it = interaction(asked(example("approval")))
    answer = read_answer(it, said, reason_required=True)
    settled = interaction(it.card, response=answer, state=InteractionState.COMPLETED)
    assert tool_response(settled, "request_user_approval") == example("tool-response")
    question = interaction(asked(example("question")))
    answer = read_answer(question, example("input"), reason_required=True)
    settled = interaction(question.card, response=answer, state=InteractionState.COMPLETED)
    told = tool_response(settled, "request_user_input")["tool_response"]
    assert told == {"tool_name": "request_user_input", "user_input": example("input")}
    dismissed = interaction(question.card, state=InteractionState.DISMISSED)
    assert tool_response(dismissed, "request_user_input") == {"status": "dismissed"}


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("validation", ValidationCard),
        ("critical-failure", CriticalFailureCard),
        ("recoverable-error", RecoverableErrorCard),
    ],
)
def test_reports_are_shown(name: str, card: type[ValidationCard]) -> None:
    payload = example(name)
    found = detect("any_tool", payload)
    assert isinstance(found, Shows)
    assert isinstance(found.card, card)
    assert found.card.model_dump(include=set(payload)) == payload


# ── chat metadata ──


def event(name: str) -> ChatEvent:
    body = example(name)
    data = EVENT_TYPES[body["type"]].model_validate(body["data"])
    read = ChatEvent(body["seq"], datetime.fromisoformat(body["at"]), data, body.get("by"))
    assert read.as_json() == body, "the event is not written as it is read"
    return read


def test_a_card_that_was_answered_is_kept_so_in_its_message() -> None:
    view = fold(ChatView(id="c-1", app_id="default"), [event("ui-tool"), event("ui-tool-complete")])
    (message,) = view.messages
    assert message.model_dump(mode="json", exclude_none=True) == example("message")


def test_a_dismissed_card_says_so() -> None:
    body = example("ui-tool-complete")["data"] | {"status": "dismissed"}
    end = ChatEvent(9, AT, EVENT_TYPES["chat.ui_tool_dismiss"].model_validate(body))
    (message,) = fold(ChatView(id="c-1", app_id="default"), [event("ui-tool"), end]).messages
    assert isinstance(message, MessageItem)
    assert message.ui_tool["ui_tool_dismissed"] is True
    assert message.ui_tool["ui_tool_completed"] is True


# ── requirements status ──


class Checklist(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]
    days: Annotated[int, Ask("How many days?")]
    num_travelers: Annotated[int, Ask("Alone or with others?")] = 1


def test_what_is_missing_is_said_in_the_metadata_and_by_check() -> None:
    app = App()

    @app.action("checklist", requires=Checklist)
    async def create_checklist(req: Checklist, ctx: object) -> str:
        return "never"

    status = app.check("checklist", known={"days": 5})
    assert status == example("check")
    kept = {key: value for key, value in status.items() if key != "follow_up"}
    assert example("requirements-status") == {"requirements_status": {"checklist": kept}}


# ── MCP UI stream ──

RUN: list[EventData] = [
    RunMoved(run_id="r-1", task_id="t-1", status="running"),
    MessageWritten(message_id="m-1", role="assistant", content="Let me look.", run_id="r-1"),
    ToolCalled(tool_call_id="c-1", name="pods_list", arguments={"namespace": "shop"}, run_id="r-1"),
    ToolReturned(tool_call_id="c-1", status=ToolCallStatus.DONE, result="3 pods"),
    ToolUiOpened(
        tool_call_id="c-1",
        ui=ToolUi(
            server="pods",
            resource_uri="ui://pods_list/app.html",
            url="/api/mcp/apps/c-1/ui",
            size=2048,
        ),
    ),
    RunMoved(
        run_id="r-1",
        task_id="t-1",
        status="failed",
        error={"code": "agent_failed", "detail": "The agent raised an error."},
    ),
]


def lines() -> list[ReplyLine]:
    turn = RunLines("r-1")
    told = [line for n, data in enumerate(RUN) for line in turn.read(ChatEvent(n, AT, data))]
    end = json.loads(EXAMPLES["lines"].splitlines()[-1])
    return [*told, ReplyLine("end", end["data"])]


def test_a_run_is_told_in_lines() -> None:
    told = [json.loads(json_line(line)) for line in lines()]
    assert told == [json.loads(line) for line in EXAMPLES["lines"].splitlines()]


def test_a_run_is_told_as_text() -> None:
    text = PlainText()
    assert b"".join(text.encode(line) for line in lines()).decode() == EXAMPLES["text"]


def test_text_says_what_a_card_says_beyond_its_title() -> None:
    said = ReplyLine("token", {"token": "Let me look.", "message_id": "m-1"})
    asks = [
        {"title": "Which one?", "payload": {"agent_message": "Which one?"}},
        {"title": "Send it?", "payload": {"agent_message": "To: Mara. Send it?"}},
        {"title": "Sign it", "payload": {"agent_message": {"of": "another form"}}},
    ]
    end = ReplyLine("end", {"interactions": asks}, "de")  # type: ignore[dict-item]  # it is JSON
    text = PlainText()
    assert b"".join(map(text.encode, [said, end])).decode() == (
        "Let me look.\n\nTo: Mara. Send it?\n"
        "Wartet auf eine Antwort: Which one?, Send it?, Sign it\n"
    )
    assert PlainText().encode(end).decode().startswith("To: Mara. Send it?\n")


# ── session API ──

LETTER = ApprovalCard(
    title="Send a letter",
    tool_name="send_letter",
    tool_params={"to": "Mara"},
    tool_description="Send a letter by post.",
)


def test_an_approval_is_asked_for_in_a_chunk() -> None:
    it = interaction(LETTER)
    opened = EVENT_TYPES["chat.ui_tool"].model_validate(
        {
            "ui_tool_id": it.ui_tool_id,
            "eventId": it.id,
            "workflow_name": it.agent_name,
            "display": "inline",
            "payload": it.payload,
        }
    )
    (chunk,) = ChunkBuilder("t-1", "r-1", 0).of_event(ChatEvent(4, AT, opened))
    told = chunk.as_json()
    assert isinstance(told["metadata"], dict)
    assert told["metadata"].pop("payload") == it.payload
    assert told == example("chunk-approval")


def test_the_answer_is_read_as_it_is_written() -> None:
    body = example("response")
    answer = InteractionResponse.model_validate(body)
    assert answer.model_dump(mode="json", exclude_defaults=True) | {"metadata": {}} == body
    with_another = body | {"response_data": {"colour": "red"}}
    assert InteractionResponse.model_validate(with_another).response_data.values == {
        "colour": "red"
    }


def test_a_session_is_the_view_of_a_run() -> None:
    run = Run(
        id="r-1",
        app_id="default",
        chat_id="c-1",
        agent="secretary",
        task=TaskRequest(
            task_id="t-1", messages=[UniversalMessage(role="user", content="Write to Mara")]
        ),
        state=RunState.WAITING,
        fence=1,
        created_at=AT,
        updated_at=AT,
    )
    session = asdict(session_of(run, [interaction(LETTER)]))
    assert session.keys() - example("session").keys() == {
        "created_at",
        "last_activity",
        "pending_interactions",
    }
    assert {key: session[key] for key in example("session")} == example("session")


@pytest.mark.parametrize("words", [TaskChunkType, InteractionType, ExecutionMode])
def test_every_word_of_the_session_api_is_on_the_page(words: Any) -> None:
    page = PAGE.read_text("utf-8")
    assert [word for word in words if f"`{word}`" not in page] == []


def test_every_example_is_held_against_the_code() -> None:
    mine = Path(__file__).read_text("utf-8")
    assert [name for name in EXAMPLES if f'"{name}"' not in mine] == []
