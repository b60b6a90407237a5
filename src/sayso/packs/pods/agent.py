"""The pods as a plain async function: it needs no key, and answers what its help says."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable

from pydantic import JsonValue

from sayso import AgentContext, StepFailed, Unanswered
from sayso.core.digest import JsonObject
from sayso.packs.guided import objects

_HELP = """I look after the pods of a cluster. Try one of these:

- **Show me the pods in my cluster**, or **list the pods in the namespace shop**
- **Which pods use the most?**: CPU and memory
- **delete pod NAME**, or **delete pod NAME in NAMESPACE**: I ask before anything is deleted
"""
_NAME = r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?"
_DELETE = re.compile(
    rf"\b(?:delete|remove|kill)\s+(?:the\s+)?(?:pods?\s+)?(?:({_NAME})/)?({_NAME})"
    rf"(?:\s+(?:in|from)\s+(?:the\s+)?(?:namespace\s+)?({_NAME}))?"
)
_WITHIN = re.compile(
    rf"\bnamespace\s+({_NAME})|\bin\s+(?:the\s+)?({_NAME})\s+namespace|\bin\s+({_NAME})\W*$"
)


async def pods_agent(ctx: AgentContext) -> None:
    """Show the pods, what they use, and delete one after a person's yes."""
    words = ctx.message.lower()
    try:
        for pattern, answer in _ANSWERS:
            if re.search(pattern, words):
                return await answer(ctx, words)
        await ctx.say(_HELP)
    except Unanswered:
        await ctx.say("All right, I leave everything as it is.")
    except StepFailed as exc:
        await ctx.say(f"That did not work: {exc.message}")


async def _show(ctx: AgentContext, words: str) -> None:
    told = await ctx.call("pods_list", namespace=_namespace(words))
    await ctx.say(f"{_head(told)}\n\nOpen **pods_list UI** above to sort, filter and look closer.")


async def _top(ctx: AgentContext, words: str) -> None:
    told = await ctx.call("pods_top", namespace=_namespace(words))
    await ctx.say(_head(told))


async def _delete(ctx: AgentContext, words: str) -> None:
    found = _DELETE.search(words)
    if found is None or found[2] in ("pod", "pods"):
        return await ctx.say("Which one? Tell me its name: **delete pod NAME**.")
    name, namespace = found[2], found[1] or found[3] or ""
    told = await ctx.call("pods_get", name=name, namespace=namespace)
    pods = objects(json.loads(told)) if isinstance(told, str) else []
    if not pods:
        within = f" in the namespace {namespace}" if namespace else ""
        return await ctx.say(f"There is no pod {name}{within}.")
    pod = pods[0] if len(pods) == 1 else await _choose(ctx, pods)
    ended = await ctx.call(
        "pods_delete", namespace=pod["namespace"], name=pod["name"], uid=pod["uid"]
    )
    await ctx.say(_ended(ended, f"{pod['namespace']}/{pod['name']}"))


async def _choose(ctx: AgentContext, pods: list[JsonObject]) -> JsonObject:
    chosen = await ctx.choose(
        "Which of these pods should I delete?",
        [
            {
                "id": pod["uid"],
                "label": f"{pod['namespace']}/{pod['name']}",
                "description": f"{pod['status']}, on {pod['node'] or 'no node'}",
            }
            for pod in pods
        ],
    )
    return next(pod for pod in pods if pod["uid"] == chosen.id)


_ANSWERS: tuple[tuple[str, Callable[[AgentContext, str], Awaitable[None]]], ...] = (
    (r"\b(delete|remove|kill)\b", _delete),
    (r"\b(top|cpu|memory|usage|uses?|using|load)\b", _top),
    (r"pods?(?![a-z])|\bshow\b|\blist\b", _show),
)


def _namespace(words: str) -> str:
    found = _WITHIN.search(words)
    named = next((one for one in found.groups() if one), "") if found is not None else ""
    return "" if named in ("cluster", "it", "all", "detail", "total") else named


def _head(told: JsonValue) -> str:
    """Return what stands above the table."""
    return str(told).partition("\n\n")[0].replace("\n", " ")


def _ended(ended: JsonValue, pod: str) -> str:
    match ended:
        case str(words):
            return words
        case {"status": "dismissed"}:
            return f"You skipped {pod}; nothing was deleted."
        case {"reason": str(reason)} if reason:
            return f"I have not deleted {pod}. Your reason: {reason}"
        case _:
            return f"I have not deleted {pod}."
