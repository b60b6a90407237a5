"""What an MCP server asks a person in the middle of a call (elicitation), as cards that can wait.

A form asks for values, and never for secrets; an address is shown whole, and a person opens it. The
server that asks is named.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from urllib.parse import urlsplit

from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    InputResponses,
)
from pydantic import JsonValue

from sayso.core.cards import FormCard
from sayso.core.digest import JsonObject, object_in
from sayso.core.interactions import InteractionState
from sayso.tools.context import ToolContext
from sayso.tools.suspension import SaidError

_SECRET = re.compile(
    r"pass(word|phrase|wd|code)|secret|token|api.?key|private.?key|credential|\bpin\b|\bcvv\b", re.I
)


async def answers_to(
    ctx: ToolContext,
    server: str,
    asked: InputRequiredResult,
    known: MutableMapping[str, JsonValue],
) -> InputResponses:
    """Return a person's answers, by the server's keys. All that it asks at once stands open at
    once; what was answered is `known`, and is not asked a second time."""
    requests = asked.input_requests or {}
    unanswered = [key for key, one in requests.items() if _words(key, one) not in known]
    found = await ctx.gather(*(_answer(ctx, server, requests[key]) for key in unanswered))
    for key, answer in zip(unanswered, found, strict=True):
        assert isinstance(answer, ElicitResult)
        known[_words(key, requests[key])] = answer.model_dump(mode="json", exclude_none=True)
    return {
        key: ElicitResult.model_validate(known[_words(key, one)]) for key, one in requests.items()
    }


def _words(key: str, request: InputRequest) -> str:
    """Return what a question is: the same key with other words is another one."""
    return f"{key} {request.model_dump_json(by_alias=True, exclude_none=True)}"


async def _answer(ctx: ToolContext, server: str, request: InputRequest) -> ElicitResult:
    match request:
        case ElicitRequest(params=ElicitRequestFormParams() as form):
            return await _values(ctx, server, form)
        case ElicitRequest(params=ElicitRequestURLParams() as page):
            return await _visited(ctx, server, page)
        case _:
            raise SaidError(f"{server} asks for '{request.method}', which it does not get here.")


async def _values(ctx: ToolContext, server: str, form: ElicitRequestFormParams) -> ElicitResult:
    schema: JsonObject = dict(form.requested_schema)
    if asks_for_secrets(schema):
        return ElicitResult(action="decline")
    card = FormCard(
        title=f"{server}: {form.message}",
        agent_message=form.message,
        message=form.message,
        response_schema=schema,
        context={"MCP server": server},
    )
    settled = await ctx.present(f"{server} asks", card)
    given = settled.response
    if given is None or settled.state is not InteractionState.COMPLETED:
        return ElicitResult(action="cancel")
    values = given.response_data.values
    return ElicitResult.model_validate({"action": "accept", "content": values})


async def _visited(ctx: ToolContext, server: str, page: ElicitRequestURLParams) -> ElicitResult:
    host = host_of(page.url)
    if host is None:
        return ElicitResult(action="decline")
    said_yes = await ctx.confirm(
        f"{server}: {page.message}",
        message=page.message,
        details={"MCP server": server, "host": host, "address": page.url},
    )
    return ElicitResult(action="accept" if said_yes else "decline")


def asks_for_secrets(schema: JsonObject) -> bool:
    """Tell whether a field of this form looks like one for a secret."""
    for name, field in object_in(schema.get("properties")).items():
        told = object_in(field)
        words = " ".join(str(told.get(part, "")) for part in ("title", "description", "format"))
        if _SECRET.search(f"{name} {words}"):
            return True
    return False


def host_of(url: str) -> str | None:
    """Return the host as it is looked up, so that letters that look alike are seen; None where it
    is no page of the web, or names somebody before it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        plain = host.encode("idna").decode()
    except ValueError:
        return None
    is_page = parts.scheme in ("http", "https") and bool(host) and parts.username is None
    return plain if is_page else None
