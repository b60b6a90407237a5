"""A chat's events as the chunks of the session API."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from sayso.core.digest import JsonObject
from sayso.core.events import (
    ChatEvent,
    ErrorShown,
    MessageWritten,
    OpenText,
    PhaseEntered,
    ProgressMade,
    RunMoved,
    TextDelta,
    ToolCalled,
    ToolReturned,
    UiToolCompleted,
    UiToolDismissed,
    UiToolExpired,
    UiToolOpened,
)
from sayso.core.tasks import TaskChunkType, TaskStreamChunk


class ChunkBuilder:
    """Builds the chunks of one run's stream. It remembers how much of each text was sent, so that
    nothing is sent twice."""

    def __init__(self, task_id: str, run_id: str, seq: int, family: Iterable[str] = ()) -> None:
        self._task_id, self._run_id, self._seq = task_id, run_id, seq
        #: This run and its children, which are called like the calls that started them.
        self._family = {run_id, *family}
        self._sent_lengths: dict[str, int] = {}
        #: What the run's last message carries beside its text.
        self._metadata: JsonObject = {}

    def of_text(self, text: TextDelta | OpenText) -> list[TaskStreamChunk]:
        offset = text.offset if isinstance(text, TextDelta) else 0
        return self._text(text.message_id, text.text, offset)

    def of_event(self, event: ChatEvent, settled: Collection[str] = ()) -> list[TaskStreamChunk]:
        """Return the chunks of a durable event; none where it does not concern this run. A card in
        `settled` is reported, and not asked."""
        self._seq = event.seq
        data = event.data
        match data:
            case MessageWritten(role="assistant") if data.run_id in self._family:
                self._metadata = data.metadata
                return self._text(data.message_id, data.content, 0)
            case ToolCalled() if data.run_id in self._family:
                self._family.add(data.tool_call_id)
                content: JsonObject = {
                    "tool_name": data.name,
                    "tool_params": data.arguments,
                    "tool_call_id": data.tool_call_id,
                }
                return [self._chunk(event, TaskChunkType.TOOL_CALL_REQUEST, content)]
            case UiToolOpened():
                return self._card(event, data, is_settled=data.eventId in settled)
            case RunMoved(run_id=self._run_id):
                return [self._moved(event, data)]
            case PhaseEntered(run_id=self._run_id):
                return [self._chunk(event, TaskChunkType.PROCESSING, {"phase": data.phase})]
            case ProgressMade():
                made = data.model_dump(mode="json", exclude_none=True)
                return [self._chunk(event, TaskChunkType.PROGRESS, made)]
            case ErrorShown(run_id=self._run_id):
                shown: JsonObject = {"ui_tool_id": data.ui_tool_id, "payload": data.payload}
                return [self._chunk(event, TaskChunkType.PROCESSING, shown)]
            case ToolReturned():
                returned: JsonObject = {
                    "tool_call_id": data.tool_call_id,
                    "status": data.status.value,
                    "result": data.result,
                }
                return [self._chunk(event, TaskChunkType.PROCESSING, returned)]
            case UiToolCompleted() | UiToolDismissed() | UiToolExpired():
                ended: JsonObject = {"interaction_id": data.eventId, "status": data.status}
                return [self._chunk(event, TaskChunkType.PROCESSING, ended)]
            case _:
                return []

    def _card(
        self, event: ChatEvent, data: UiToolOpened, *, is_settled: bool
    ) -> list[TaskStreamChunk]:
        own = data.payload.get("sayso")
        meta = own if isinstance(own, dict) else {}
        if meta.get("run_id") is not None and meta["run_id"] not in self._family:
            return []
        self._metadata = data.metadata or self._metadata
        fields = {key: value for key, value in data.payload.items() if key != "sayso"}
        kind = meta.get("interaction_type")
        if kind is None:
            shown: JsonObject = {"ui_tool_id": data.ui_tool_id, "payload": fields}
            return [self._chunk(event, TaskChunkType.PROCESSING, shown)]
        if kind == "tool_approval":
            asked: JsonObject = {
                "tool_name": fields.get("tool_name", data.ui_tool_id),
                "tool_params": fields.get("tool_params", {}),
                "tool_description": fields.get("tool_description", ""),
            }
            chunk_type = TaskChunkType.TOOL_APPROVAL_REQUEST
        else:
            asked, chunk_type = fields, TaskChunkType.USER_INPUT_REQUEST
        chunk = self._chunk(
            event,
            TaskChunkType.PROCESSING if is_settled else chunk_type,
            asked,
            interaction_id=data.eventId,
            requires_approval=kind == "tool_approval",
            interaction_type=kind,
            ui_tool_id=data.ui_tool_id,
            payload=data.payload,
        )
        return [replace(chunk, metadata={**(data.metadata or {}), **chunk.metadata})]

    def _moved(self, event: ChatEvent, data: RunMoved) -> TaskStreamChunk:
        match data.status:
            case "completed":
                done: JsonObject = {"turn_complete": True}
                complete = self._chunk(event, TaskChunkType.COMPLETE, done, final=True)
                return replace(complete, metadata=dict(self._metadata))
            case "failed":
                return self._chunk(event, TaskChunkType.ERROR, data.error or {}, final=True)
            case "cancelled":
                ended: JsonObject = {
                    "interrupted": True,
                    "reason": data.reason or "user_cancelled",
                }
                return self._chunk(event, TaskChunkType.CANCELLED, ended, final=True)
            case _:
                moved: JsonObject = {"status": data.status}
                if data.reason is not None:
                    moved["reason"] = data.reason
                told = self._metadata if data.status == "waiting" else {}
                chunk = self._chunk(event, TaskChunkType.PROCESSING, moved)
                return replace(chunk, metadata=dict(told))

    def _text(self, message_id: str, text: str, offset: int) -> list[TaskStreamChunk]:
        sent = self._sent_lengths.get(message_id, 0)
        new = text[max(0, sent - offset) :]
        if not new or offset > sent:
            return []
        self._sent_lengths[message_id] = sent + len(new)
        return [
            TaskStreamChunk(
                task_id=self._task_id,
                chunk_type=TaskChunkType.RESPONSE,
                sequence_id=self._seq,
                content=new,
                metadata={"message_id": message_id, "offset": sent},
            )
        ]

    def _chunk(
        self,
        event: ChatEvent,
        chunk_type: TaskChunkType,
        content: JsonObject,
        *,
        final: bool = False,
        **metadata: object,
    ) -> TaskStreamChunk:
        return TaskStreamChunk(
            task_id=self._task_id,
            chunk_type=chunk_type,
            sequence_id=event.seq,
            content=content,
            timestamp=event.at,
            is_final=final,
            metadata=dict(metadata),  # type: ignore[arg-type]  # JSON by construction
        )
