"""The chunks of the session API, field by field: contents, metadata, the final one."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from sayso.core.cards import ApprovalCard, CardKind, ConfirmationCard, Display, OptionsCard
from sayso.core.events import (
    ChatEvent,
    EventData,
    MessageWritten,
    ProgressMade,
    RunMoved,
    TextDelta,
    ToolCalled,
    UiToolOpened,
)
from sayso.core.interactions import (
    TYPE_OF_CARD,
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
)
from sayso.core.tasks import TaskChunkType
from sayso.engine.chunks import ChunkBuilder

AT = datetime(2026, 1, 1, tzinfo=UTC)
APPROVAL = ApprovalCard(
    title="Send the mail",
    tool_name="send_email",
    tool_params={"to": "ana@example.org"},
    tool_description="Sends a mail.",
)


def interaction(card: ApprovalCard | OptionsCard | ConfirmationCard) -> Interaction:
    return Interaction(
        id="i1",
        app_id="default",
        chat_id="c1",
        run_id="r1",
        task_id="t1",
        call_key="k1",
        batch_id="b1",
        type=TYPE_OF_CARD[CardKind(card.card)],
        state=InteractionState.PENDING,
        card=card,
        ui_tool_id="send_email",
        agent_name="agent",
        display=Display.INLINE,
        created_at=AT,
    )


def opened(it: Interaction) -> UiToolOpened:
    return UiToolOpened(
        ui_tool_id=it.ui_tool_id,
        eventId=it.id,
        workflow_name=it.agent_name,
        display=it.display,
        payload=it.payload,
    )


def chunks_of(*events: EventData):
    make = ChunkBuilder("t1", "r1", 0)
    return [c for n, data in enumerate(events, 1) for c in make.of_event(ChatEvent(n, AT, data))]


def test_an_approval_request_has_the_tool_call_and_the_ids():
    (chunk,) = chunks_of(opened(interaction(APPROVAL)))
    assert chunk.chunk_type is TaskChunkType.TOOL_APPROVAL_REQUEST
    assert chunk.task_id == "t1"
    assert chunk.sequence_id == 1
    assert chunk.content == {
        "tool_name": "send_email",
        "tool_params": {"to": "ana@example.org"},
        "tool_description": "Sends a mail.",
    }
    assert chunk.metadata["interaction_id"] == "i1"
    assert chunk.metadata["requires_approval"] is True
    assert chunk.is_final is False


def test_a_request_in_a_session_says_the_same():
    request = interaction(APPROVAL).as_request()
    assert request.interaction_type is InteractionType.TOOL_APPROVAL
    assert request.content == chunks_of(opened(interaction(APPROVAL)))[0].content
    assert request.metadata["interaction_id"] == "i1"
    assert request.metadata["requires_approval"] is True


@pytest.mark.parametrize(
    ("card", "kind"),
    [
        (OptionsCard(title="Which?", question="Which?"), "user_input"),
        (ConfirmationCard(title="Go?"), "confirmation"),
    ],
    ids=["question", "confirmation"],
)
def test_questions_and_confirmations_are_input_requests(
    card: OptionsCard | ConfirmationCard, kind: str
):
    (chunk,) = chunks_of(opened(interaction(card)))
    assert chunk.chunk_type is TaskChunkType.USER_INPUT_REQUEST
    assert chunk.metadata["interaction_type"] == kind
    assert chunk.metadata["requires_approval"] is False
    assert isinstance(chunk.content, dict)
    assert chunk.content["title"] == card.title


@pytest.mark.parametrize(
    ("moved", "chunk_type", "content"),
    [
        (
            RunMoved(run_id="r1", task_id="t1", status="completed"),
            TaskChunkType.COMPLETE,
            {"turn_complete": True},
        ),
        (
            RunMoved(run_id="r1", task_id="t1", status="cancelled", reason="changed my mind"),
            TaskChunkType.CANCELLED,
            {"interrupted": True, "reason": "changed my mind"},
        ),
        (
            RunMoved(run_id="r1", task_id="t1", status="failed", error={"code": "x"}),
            TaskChunkType.ERROR,
            {"code": "x"},
        ),
    ],
    ids=["complete", "cancelled", "error"],
)
def test_the_last_chunk_is_final(moved: RunMoved, chunk_type: TaskChunkType, content: object):
    (chunk,) = chunks_of(moved)
    assert chunk.chunk_type is chunk_type
    assert chunk.content == content
    assert chunk.is_final is True


def test_a_tool_call_and_progress_are_told():
    called = ToolCalled(tool_call_id="c", name="look_up", arguments={"id": 1}, run_id="r1")
    call, progress = chunks_of(called, ProgressMade(fraction=0.5, note="half"))
    assert call.chunk_type is TaskChunkType.TOOL_CALL_REQUEST
    assert call.content == {"tool_name": "look_up", "tool_params": {"id": 1}, "tool_call_id": "c"}
    assert progress.chunk_type is TaskChunkType.PROGRESS
    assert progress.content == {"stages": [], "fraction": 0.5, "note": "half"}


def test_text_is_told_once_however_it_comes():
    make = ChunkBuilder("t1", "r1", 4)
    said = [
        *make.of_text(TextDelta("m", 0, "Hello ")),
        *make.of_text(TextDelta("m", 0, "Hello ")),
        *make.of_text(TextDelta("m", 3, "lo wor")),
        *make.of_event(
            ChatEvent(
                5,
                AT,
                MessageWritten(
                    message_id="m", role="assistant", content="Hello world", run_id="r1"
                ),
            )
        ),
    ]
    assert "".join(str(c.content) for c in said) == "Hello world"
    assert [c.sequence_id for c in said] == [4, 4, 5]
    assert [c.metadata["offset"] for c in said] == [0, 6, 9]
    assert all(c.chunk_type is TaskChunkType.RESPONSE for c in said)


def test_other_runs_of_the_chat_are_not_told():
    other = RunMoved(run_id="r0", task_id="t0", status="completed")
    assert chunks_of(other) == []


def test_an_answer_may_be_no_more_than_a_yes():
    said = InteractionResponse.model_validate(
        {"interaction_id": "i1", "approved": True, "response_data": None, "user_message": None}
    )
    assert said == InteractionResponse(interaction_id="i1", approved=True)


@pytest.mark.parametrize("unclear", ["true", 1, "yes", None], ids=str)
def test_only_a_plain_yes_is_a_yes(unclear: object):
    with pytest.raises(ValidationError):
        InteractionResponse.model_validate({"interaction_id": "i1", "approved": unclear})
