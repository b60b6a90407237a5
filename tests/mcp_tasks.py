"""A tool that a real MCP server takes as a task (SEP-2663), kept in a file, so that another process
of it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, RequestParams

Context = ServerRequestContext[Any, Any]
TIMES = {"createdAt": "2026-11-23T12:00:00Z", "lastUpdatedAt": "2026-11-23T12:00:00Z"}
SIZE = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "How many frames?",
        "requestedSchema": {
            "type": "object",
            "properties": {"frames": {"type": "integer", "minimum": 1}},
            "required": ["frames"],
        },
    },
}


class OfTask(RequestParams):
    task_id: str
    input_responses: dict[str, Any] | None = None


class Rendering(Extension):
    """`render` is a task: it asks how many frames, works, and then it is done, once."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, done: Path, note: Callable[[str], None]) -> None:
        self._file, self._note = done.with_name("tasks.json"), note

    def methods(self) -> list[MethodBinding]:
        return [
            MethodBinding("tasks/get", OfTask, self._get),
            MethodBinding("tasks/update", OfTask, self._update),
            MethodBinding("tasks/cancel", OfTask, self._cancel),
        ]

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: Context, call_next: CallNext
    ) -> HandlerResult:
        if params.name != "render":
            return await call_next(ctx)
        require_client_extension(ctx, self.identifier)
        tasks = self._tasks()
        name = (params.arguments or {})["name"]
        task_id = f"{name}-{len(tasks)}"
        tasks[task_id] = {"name": name, "answer": None, "looks": 0}
        self._keep(tasks)
        return {"resultType": "task", **self._told(task_id, "working")}

    async def _get(self, ctx: Context, params: OfTask) -> HandlerResult:
        task = self._task(params.task_id)
        if task["name"] == "failing":
            error = {"code": -32000, "message": "no film left"}
            return self._told(params.task_id, "failed", error=error)
        if task["name"].startswith("endless"):
            return self._told(params.task_id, "working", statusMessage="not yet half of it")
        answer = task["answer"]
        if answer is None or task["looks"] == 0:
            # An answer that has come may show only later.
            task["looks"] += answer is not None
            self._change(params.task_id, task)
            return self._told(params.task_id, "input_required", inputRequests={"frames": SIZE})
        task["looks"] += 1
        self._change(params.task_id, task)
        if task["looks"] < 3:
            return self._told(params.task_id, "working", statusMessage="half of it")
        if answer["action"] != "accept":
            return self._told(params.task_id, "cancelled")
        text = f"rendered {task['name']} with {answer['content']['frames']} frames"
        if task["looks"] == 3:
            self._note(f"render {task['name']} {answer['content']['frames']}")
        result = {"content": [{"type": "text", "text": text}], "resultType": "complete"}
        return self._told(params.task_id, "completed", result=result)

    async def _update(self, ctx: Context, params: OfTask) -> HandlerResult:
        task = self._task(params.task_id)
        if task["answer"] is None:
            task["answer"] = (params.input_responses or {})["frames"]
            self._change(params.task_id, task)
        return {"resultType": "complete"}

    async def _cancel(self, ctx: Context, params: OfTask) -> HandlerResult:
        self._note(f"cancelled {params.task_id}")
        return {"resultType": "complete"}

    def _told(self, task_id: str, status: str, **more: object) -> dict[str, Any]:
        task = {"taskId": task_id, "status": status, "ttlMs": None, "pollIntervalMs": 10}
        return {**task, **TIMES, **more}

    def _task(self, task_id: str) -> dict[str, Any]:
        task = self._tasks().get(task_id)
        if task is None:
            raise MCPError(code=INVALID_PARAMS, message=f"no task {task_id}")
        return dict(task)

    def _tasks(self) -> dict[str, Any]:
        return dict(json.loads(self._file.read_text())) if self._file.exists() else {}

    def _change(self, task_id: str, task: dict[str, Any]) -> None:
        self._keep({**self._tasks(), task_id: task})

    def _keep(self, tasks: dict[str, Any]) -> None:
        self._file.write_text(json.dumps(tasks))
