"""Code that a model has written: every run of it is a call like any other."""

from __future__ import annotations

import asyncio
from typing import Any

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from pydantic import JsonValue

from sayso.adapters.autogen.scope import RunScope, StopRun
from sayso.adapters.autogen.tool_calls import AgentCalls, as_text
from sayso.adapters.native import NativeTool
from sayso.core.digest import JsonObject
from sayso.tools.tool import Traits

_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "code_blocks": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"language": {"type": "string"}, "code": {"type": "string"}},
                "required": ["language", "code"],
            },
        }
    },
    "required": ["code_blocks"],
}


class RoutedExecutor(CodeExecutor):
    """A code executor whose every run is a call of the tool `execute_code`."""

    component_type = "code_executor"

    def __init__(self, executor: CodeExecutor, calls: AgentCalls, scope: RunScope) -> None:
        self._executor, self._calls, self._scope = executor, calls, scope

    async def execute_code_blocks(
        self, code_blocks: list[CodeBlock], cancellation_token: CancellationToken
    ) -> CodeResult:
        self._scope.check()
        blocks: list[JsonValue] = [{"language": b.language, "code": b.code} for b in code_blocks]
        key = self._calls.key(None)
        came = await self._calls.make(
            key, "execute_code", {"code_blocks": blocks}, CodeTool(self._executor)
        )
        if came is None:
            raise StopRun
        found = came.result
        if came.error is None and isinstance(found, dict) and "exit_code" in found:
            said = "\n".join([str(found["output"]), *came.notes])
            return CodeResult(exit_code=int(str(found["exit_code"])), output=said)
        return CodeResult(exit_code=1, output=as_text(came.value))

    async def start(self) -> None:
        await self._executor.start()

    async def stop(self) -> None:
        """Do nothing: the executor is the application's, which stops it."""

    async def restart(self) -> None:
        await self._executor.restart()


class CodeTool(NativeTool):
    """What a code executor does, as the toolbox sees it."""

    def __init__(self, executor: CodeExecutor) -> None:
        traits = Traits(declared=False, destructive=True)
        super().__init__("execute_code", "Run code that the model wrote.", traits)
        self._executor = executor

    @property
    def schema(self) -> JsonObject:
        return _SCHEMA

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        given: Any = arguments["code_blocks"]
        blocks = [CodeBlock(code=b["code"], language=b["language"]) for b in given]
        token = CancellationToken()
        try:
            found = await self._executor.execute_code_blocks(blocks, token)
        except asyncio.CancelledError:
            token.cancel()
            raise
        return {"exit_code": found.exit_code, "output": found.output}
