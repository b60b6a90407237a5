"""Code that a model has written: every run of it is a call like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from pydantic import JsonValue

from sayso.adapters.autogen.seams import Scope, Stop
from sayso.adapters.autogen.tools import Calls, as_text, checked
from sayso.core.digest import JsonObject
from sayso.tools.tool import Prepared, Traits


class GatedExecutor(CodeExecutor):
    """A code executor whose every run is a call of the tool `execute_code`."""

    component_type = "code_executor"

    def __init__(self, executor: CodeExecutor, calls: Calls, scope: Scope) -> None:
        self._executor, self._calls, self._scope = executor, calls, scope

    async def execute_code_blocks(
        self, code_blocks: list[CodeBlock], cancellation_token: CancellationToken
    ) -> CodeResult:
        self._scope.check()
        blocks: list[JsonValue] = [{"language": b.language, "code": b.code} for b in code_blocks]
        key = self._calls.key(None)
        came = await self._calls.make(
            key, "execute_code", {"code_blocks": blocks}, _Code(self._executor)
        )
        if came is None:
            raise Stop
        found = came.result
        if came.error is None and isinstance(found, dict) and "exit_code" in found:
            said = "\n".join([str(found["output"]), *came.notes])
            return CodeResult(exit_code=int(str(found["exit_code"])), output=said)
        return CodeResult(exit_code=1, output=as_text(came.value))

    async def start(self) -> None:
        await self._executor.start()

    async def stop(self) -> None:
        """The executor is the application's, which stops it."""

    async def restart(self) -> None:
        await self._executor.restart()


class _Code:
    """What a code executor does, as the toolbox sees it."""

    name = "execute_code"
    description = "Run code that the model wrote."
    is_ours = False
    in_thread = False
    traits = Traits(destructive=True)
    schema: JsonObject = {  # noqa: RUF012  # read only
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

    def __init__(self, executor: CodeExecutor) -> None:
        self._executor = executor

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        return checked(self.schema, arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return None

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
