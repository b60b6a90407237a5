"""A tool of an MCP server, as the toolbox sees it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Protocol

from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.errors import ToolUnavailable
from sayso.core.held_calls import CallOfRun
from sayso.core.tool_ui import ToolUi
from sayso.mcp.config import Own, Trust
from sayso.mcp.elicitation import answers_to
from sayso.mcp.pins import ToolDefinition
from sayso.mcp.replies import (
    NOTHING_GIVEN,
    Answered,
    Asked,
    Broke,
    Progress,
    Reply,
    Silent,
    StateExpired,
)
from sayso.mcp.results import as_prepared, plain_result, text_of
from sayso.tools.context import ToolContext
from sayso.tools.signature import check_arguments
from sayso.tools.suspension import SaidError
from sayso.tools.tool import Prepared, Traits
from sayso.tools.tool_ui import UiRead

#: A server that asks more often than this goes in circles.
_MOST_ROUNDS = 10

#: More often than this no progress is told: each is a line of the chat.
_PROGRESS_SECONDS = 1.0


class Caller(Protocol):
    """What makes the calls: the registry."""

    def agreed(self, server: str, name: str) -> ToolDefinition | None:
        """Return the tool of this server as it was agreed to, if it was."""

    def begin_call(
        self,
        server: str,
        tool: ToolDefinition,
        arguments: JsonObject,
        *,
        person: str | None,
        progress: Progress,
        given: Answered,
        of: CallOfRun | None = None,
    ) -> Future[Reply]: ...

    def give_up(self, call_id: str) -> None:
        """Tell the server that nobody waits for this open call any more."""

    def begin_reading(
        self, server: str, uri: str, *, person: str | None
    ) -> Future[tuple[ToolUi, bytes]]: ...


class McpTool:
    """One tool of one server (tools.tool.Runnable), as it was agreed to."""

    is_ours = False
    in_thread = False

    def __init__(self, caller: Caller, server: str, tool: ToolDefinition, own: Own) -> None:
        self._caller, self.server, self.definition = caller, server, tool
        self.name = own.prefix + tool.name
        self.description = tool.description
        self.traits = _traits(tool, own)
        #: What calls returned whose UI was not read yet, by the call's id.
        self._unread: dict[str, CallToolResult] = {}

    def __repr__(self) -> str:
        return f"<tool {self.name} of MCP server {self.server}>"

    @property
    def schema(self) -> JsonObject:
        return {"properties": {}, **self.definition.input_schema}

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        check_arguments(self.schema, arguments)
        return dict(arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        assert isinstance(ctx, ToolContext)
        if not self.definition.preview:
            return None
        told = self._caller.agreed(self.server, self.definition.preview)
        if told is None or not told.is_read_only:
            raise ToolUnavailable(f"What {self.name} would do is told by a tool that may not run.")
        begun = self._caller.begin_call(
            self.server,
            told,
            arguments,
            person=ctx.person,
            progress=lambda done, total, words: None,
            given=NOTHING_GIVEN,
        )
        try:
            result = await asyncio.wrap_future(begun)
        except (MCPError, Broke, Silent) as exc:
            raise ToolUnavailable(f"{self.server} does not say what this would do: {exc}") from exc
        if not isinstance(result, CallToolResult):
            raise ToolUnavailable(f"{self.server} asks before it says what this would do.")
        return as_prepared(self.server, arguments, result)

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        assert isinstance(ctx, ToolContext)
        return self._run(arguments, ctx)

    async def read_ui(self, call_id: str, person: str | None) -> UiRead | None:
        result = self._unread.pop(call_id, None)
        if result is None:
            return None
        ui, page = await asyncio.wrap_future(
            self._caller.begin_reading(self.server, self.definition.ui, person=person)
        )
        return UiRead(ui, page, result.model_dump_json(by_alias=True, exclude_none=True).encode())

    def _came(self, call_id: str, result: CallToolResult) -> None:
        """Keep the whole result of a call until somebody wants it."""
        if self.definition.ui:
            self._unread[call_id] = result

    async def _run(self, arguments: JsonObject, ctx: ToolContext) -> JsonValue:
        try:
            result = await self._answered(arguments, ctx)
        except MCPError as exc:
            raise SaidError(exc.error.message) from exc
        self._came(ctx.tool_call_id, result)
        if result.is_error:
            raise SaidError(text_of(result) or f"{self.name} failed, and does not say why.")
        return plain_result(self.name, result)

    async def _answered(self, arguments: JsonObject, ctx: ToolContext) -> CallToolResult:
        """Call, and ask people what the server wants to know first, until there is a result. Each
        reply is kept with the pause, so that nothing that was sent is sent again."""
        given, known = NOTHING_GIVEN, dict[str, JsonValue]()
        for number in range(1, _MOST_ROUNDS + 1):
            kept = await ctx.keep(f"reply {number}", partial(self._kept, arguments, ctx, given))
            assert isinstance(kept, dict)
            if "result" in kept:
                return CallToolResult.model_validate(kept["result"])
            if kept.get("expired") is True:
                # Who was asked in vain is asked again.
                known = {key: said for key, said in known.items() if _is_yes(said)}
                if not await self._may_begin_anew(ctx, number):
                    raise SaidError("It took too long, and nobody wanted to begin anew.")
                given = NOTHING_GIVEN
                continue
            asked = Asked.model_validate(kept["asked"])
            try:
                answers = await answers_to(ctx, self.server, asked, known)
            except Exception:
                self._give_up(asked.call_id)
                raise
            if asked.is_refused:
                if not all(_is_yes(said) for said in known.values()):
                    raise SaidError(f"Nobody went to the page that {self.server} asks for first.")
                known, given = {}, NOTHING_GIVEN
                continue
            if asked.task_id is not None:
                answers = {**(given.answers or {}), **answers}
            given = Answered(answers, asked.request_state, asked.task_id, asked.call_id)
        self._give_up(given.call_id)
        raise SaidError(f"{self.server} asks again and again.")

    async def _kept(self, arguments: JsonObject, ctx: ToolContext, given: Answered) -> JsonValue:
        try:
            reply = await self._called(arguments, ctx, given)
        except StateExpired:
            if given.state is None and given.call_id is None:
                raise
            return {"expired": True}
        name = "asked" if isinstance(reply, Asked) else "result"
        return {name: reply.model_dump(mode="json", by_alias=True, exclude_none=True)}

    def _give_up(self, call_id: str | None) -> None:
        if call_id is not None:
            self._caller.give_up(call_id)

    async def _may_begin_anew(self, ctx: ToolContext, number: int) -> bool:
        if self.traits.read_only or self.traits.idempotent:
            return True
        return await ctx.confirm(
            f"{self.server}: begin {self.name} anew?",
            message="The server no longer waits for an answer. What it did before it asked, it "
            "would do again.",
            details={"round": number},
        )

    async def _called(self, arguments: JsonObject, ctx: ToolContext, given: Answered) -> Reply:
        """Make the call in the registry's thread, and tell of its progress here."""
        loop = asyncio.get_running_loop()
        heard: asyncio.Queue[tuple[float, float | None, str | None]] = asyncio.Queue()

        def progress(done: float, total: float | None, words: str | None) -> None:
            loop.call_soon_threadsafe(heard.put_nowait, (done, total, words))

        begun = self._caller.begin_call(
            self.server,
            self.definition,
            arguments,
            person=ctx.person,
            progress=progress,
            given=given,
            of=ctx.call_of_run,
        )
        calling = asyncio.wrap_future(begun)
        telling = asyncio.create_task(_tell(heard, ctx, self.name))
        try:
            return await calling
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)


async def _tell(
    heard: asyncio.Queue[tuple[float, float | None, str | None]], ctx: ToolContext, name: str
) -> None:
    told_at = -_PROGRESS_SECONDS
    while True:
        done, total, words = await heard.get()
        now = time.monotonic()
        if now - told_at < _PROGRESS_SECONDS:
            continue
        told_at = now
        fraction = min(max(done / total, 0.0), 1.0) if total else None
        await ctx.tell_progress(fraction=fraction, note=f"{name}: {words}" if words else name)


def _is_yes(said: JsonValue) -> bool:
    return isinstance(said, dict) and said.get("action") == "accept"


def _traits(tool: ToolDefinition, own: Own) -> Traits:
    hints = tool.annotations if own.trust is not Trust.ASK else {}
    destructive = hints.get("destructiveHint") is True
    return Traits(
        declared=own.trust is Trust.ALL,
        approval=own.trust is Trust.ASK or (destructive and own.trust is Trust.HINTS),
        read_only=hints.get("readOnlyHint") is True,
        destructive=destructive,
        idempotent=hints.get("idempotentHint") is True,
        longest_for_model=own.longest_for_model,
    )
