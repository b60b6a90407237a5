"""Sayso: agents act on your say-so. The public API by name; nothing is imported before its use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sayso._version import __version__

_NAMES = {
    "sayso.app": ("App", "asgi"),
    "sayso.server.process": ("serve_asgi",),
    "sayso.client.asking": ("ask", "ask_async"),
    "sayso.embedded": ("ExecutionEngine", "InteractiveExecutionEngine", "AIAssistant"),
    "sayso.core.tasks": (
        "ExecutionConfig",
        "ExecutionContext",
        "ExecutionMode",
        "TaskRequest",
        "TaskResult",
        "TaskStatus",
        "UniversalMessage",
        "TaskChunkType",
        "TaskStreamChunk",
    ),
    "sayso.core.interactions": (
        "InteractionRequest",
        "InteractionResponse",
        "InteractionType",
        "OnExpiry",
        "ResponseData",
    ),
    "sayso.gate": ("Ask", "Requirements"),
    "sayso.core.sessions": ("LiveSession", "InteractiveCommunicator"),
    "sayso.adapters.contract": ("FrameworkAdapter",),
    "sayso.core.errors": (
        "NotExecuted",
        "NotSupportedError",
        "SaysoError",
        "SystemAway",
        "ToolMistake",
        "ToolUnavailable",
    ),
    "sayso.core.policy_rules": ("Rule", "Verdict"),
    "sayso.tools.tool": ("tool", "Prepared", "Tool"),
    "sayso.tools.agents": ("agent_tool",),
    "sayso.core.attachments": ("File", "WebLink"),
    "sayso.tools.http": ("HttpTransport", "SyncHttpTransport"),
    "sayso.tools.idempotency": ("Done", "NotDone"),
    "sayso.tools.suspension": ("ProposalStale", "StepFailed", "Unanswered"),
    "sayso.tools.context": ("ToolContext", "AgentContext"),
    "sayso.core.chat_view": ("ArtifactItem",),
    "sayso.core.offerings": ("Exports", "Rows"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  # the names are strings, the linter cannot see it

if TYPE_CHECKING:
    from sayso.adapters.contract import FrameworkAdapter as FrameworkAdapter
    from sayso.app import App as App
    from sayso.app import asgi as asgi
    from sayso.client.asking import ask as ask
    from sayso.client.asking import ask_async as ask_async
    from sayso.core.attachments import File as File
    from sayso.core.attachments import WebLink as WebLink
    from sayso.core.chat_view import ArtifactItem as ArtifactItem
    from sayso.core.errors import NotExecuted as NotExecuted
    from sayso.core.errors import NotSupportedError as NotSupportedError
    from sayso.core.errors import SaysoError as SaysoError
    from sayso.core.errors import SystemAway as SystemAway
    from sayso.core.errors import ToolMistake as ToolMistake
    from sayso.core.errors import ToolUnavailable as ToolUnavailable
    from sayso.core.interactions import InteractionRequest as InteractionRequest
    from sayso.core.interactions import InteractionResponse as InteractionResponse
    from sayso.core.interactions import InteractionType as InteractionType
    from sayso.core.interactions import OnExpiry as OnExpiry
    from sayso.core.interactions import ResponseData as ResponseData
    from sayso.core.offerings import Exports as Exports
    from sayso.core.offerings import Rows as Rows
    from sayso.core.policy_rules import Rule as Rule
    from sayso.core.policy_rules import Verdict as Verdict
    from sayso.core.sessions import InteractiveCommunicator as InteractiveCommunicator
    from sayso.core.sessions import LiveSession as LiveSession
    from sayso.core.tasks import ExecutionConfig as ExecutionConfig
    from sayso.core.tasks import ExecutionContext as ExecutionContext
    from sayso.core.tasks import ExecutionMode as ExecutionMode
    from sayso.core.tasks import TaskChunkType as TaskChunkType
    from sayso.core.tasks import TaskRequest as TaskRequest
    from sayso.core.tasks import TaskResult as TaskResult
    from sayso.core.tasks import TaskStatus as TaskStatus
    from sayso.core.tasks import TaskStreamChunk as TaskStreamChunk
    from sayso.core.tasks import UniversalMessage as UniversalMessage
    from sayso.embedded import AIAssistant as AIAssistant
    from sayso.embedded import ExecutionEngine as ExecutionEngine
    from sayso.embedded import InteractiveExecutionEngine as InteractiveExecutionEngine
    from sayso.gate import Ask as Ask
    from sayso.gate import Requirements as Requirements
    from sayso.server.process import serve_asgi as serve_asgi
    from sayso.tools.agents import agent_tool as agent_tool
    from sayso.tools.context import AgentContext as AgentContext
    from sayso.tools.context import ToolContext as ToolContext
    from sayso.tools.http import HttpTransport as HttpTransport
    from sayso.tools.http import SyncHttpTransport as SyncHttpTransport
    from sayso.tools.idempotency import Done as Done
    from sayso.tools.idempotency import NotDone as NotDone
    from sayso.tools.suspension import ProposalStale as ProposalStale
    from sayso.tools.suspension import StepFailed as StepFailed
    from sayso.tools.suspension import Unanswered as Unanswered
    from sayso.tools.tool import Prepared as Prepared
    from sayso.tools.tool import Tool as Tool
    from sayso.tools.tool import tool as tool


def __getattr__(name: str) -> object:
    """Import a name's home at its first use: `import sayso` itself brings in nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sayso' has no attribute '{name}'")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
