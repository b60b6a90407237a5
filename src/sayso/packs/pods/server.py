"""The MCP server of a cluster's pods: two lists with UIs of their own, a look-up, and a deletion
that hosts ask about."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.resources import files
from typing import Annotated

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, ContentBlock, TextContent, ToolAnnotations
from pydantic import Field, JsonValue

from sayso.core.digest import JsonObject
from sayso.packs.pods.as_text import age, pods_as_text, usage_as_text, what_happens
from sayso.packs.pods.cluster import Cluster, ClusterError, Deleted, NoMetrics, Pod

_READS = ToolAnnotations(read_only_hint=True)
_DESTROYS = ToolAnnotations(destructive_hint=True, idempotent_hint=True)
#: More of a name than this nobody can choose from.
_MOST_FOUND = 50

Namespace = Annotated[str, Field(description="A namespace; empty means all of them.")]
Uid = Annotated[str, Field(description="The pod's uid, as pods_get gives it. Never invent one.")]


def _utc_now() -> datetime:
    return datetime.now(UTC)


def pods_server(cluster: Cluster, now: Callable[[], datetime] = _utc_now) -> MCPServer[None]:
    apps = Apps()

    @apps.tool(resource_uri="ui://pods_list/app.html", title="Pods", annotations=_READS)
    async def pods_list(namespace: Namespace = "") -> CallToolResult:
        """List the pods of the cluster: status, restarts, age and node of each. Its UI shows them
        to the person, who can sort, filter and look into them there."""
        try:
            found = await cluster.pods(namespace)
        except ClusterError as exc:
            return _refused(exc)
        pods: list[JsonValue] = [_shown(pod) for pod in found.pods]
        return _told(pods_as_text(cluster, found, now()), shown(pods=pods, is_cut=found.is_cut))

    @apps.tool(resource_uri="ui://pods_top/app.html", title="Pods by use", annotations=_READS)
    async def pods_top(namespace: Namespace = "") -> CallToolResult:
        """Show what the pods use now: CPU and memory. Its UI shows them to the person."""
        try:
            found = await cluster.usage(namespace)
        except NoMetrics as exc:
            return _told(str(exc), shown(pods=[], problem=str(exc)))
        except ClusterError as exc:
            return _refused(exc)
        pods: list[JsonValue] = [one.model_dump(mode="json") for one in found]
        return _told(usage_as_text(cluster, found), shown(pods=pods))

    def shown(**more: JsonValue) -> JsonObject:
        """Return what a UI shows: these pods, and of which cluster they are since when."""
        at = now().isoformat()
        return {"cluster": cluster.name, "is_sample": cluster.is_sample, "at": at, **more}

    for name, title in (("pods_list", "Pods"), ("pods_top", "Pods by use")):
        apps.add_html_resource(f"ui://{name}/app.html", page(name, title), title=title)
    made: MCPServer[None] = MCPServer("sayso-pods", extensions=[apps], log_level="WARNING")

    @made.tool(annotations=_READS)
    async def pods_get(name: str, namespace: Namespace = "") -> CallToolResult:
        """Look pods up by name, whole or as it begins: all that is known of each, with its uid."""
        try:
            pods = (await cluster.pods(namespace)).pods
        except ClusterError as exc:
            return _refused(exc)
        found = [pod for pod in pods if pod.name == name] or [
            pod for pod in pods if pod.name.startswith(name)
        ]
        return _told(json.dumps([_shown(pod) for pod in found[:_MOST_FOUND]]))

    @made.tool(annotations=_DESTROYS, meta={"sayso/preview": "pods_delete_preview"})
    async def pods_delete(namespace: str, name: str, uid: Uid) -> CallToolResult:
        """Delete one pod. The person is asked first, so never ask in words."""
        try:
            ended = await cluster.delete(namespace, name, uid)
        except ClusterError as exc:
            return _refused(exc)
        if ended is Deleted.NOW:
            return _told(f"Pod {namespace}/{name} is deleted.")
        return _told(f"Pod {namespace}/{name} was gone already; nothing else was deleted.")

    @made.tool(annotations=_READS, meta={"ui": {"visibility": ["app"]}})
    async def pods_delete_preview(namespace: str, name: str, uid: str) -> CallToolResult:
        """Tell what deleting this pod would do."""
        try:
            pod = await cluster.pod(namespace, name)
        except ClusterError as exc:
            return _refused(exc)
        if pod is None:
            return _refused(f"There is no pod {name} in the namespace {namespace}.")
        if pod.uid != uid:
            return _refused(f"Another pod is named {namespace}/{name} by now. Look it up again.")
        return _told("", _card(cluster, pod, now()))

    return made


def page(name: str, title: str) -> str:
    """Return a UI as one document that needs nothing else."""
    ui = files(__package__) / "ui"
    parts = {
        "TITLE": title,
        "/*STYLE*/": (ui / "app.css").read_text(encoding="utf-8"),
        "/*SCRIPT*/": "\n".join(
            (ui / part).read_text(encoding="utf-8")
            for part in ("words.js", "host.js", "table.js", f"{name}.js")
        ),
    }
    made = (ui / "app.html").read_text(encoding="utf-8")
    for mark, text in parts.items():
        made = made.replace(mark, text)
    return made


def _told(words: str, shown: JsonObject | None = None) -> CallToolResult:
    text: list[ContentBlock] = [TextContent(text=words)] if words else []
    return CallToolResult(content=text, structured_content=shown)


def _refused(why: ClusterError | str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=str(why))], is_error=True)


def _shown(pod: Pod) -> JsonValue:
    return {**pod.model_dump(mode="json"), "ready": pod.ready, "restarts": pod.restarts}


def _card(cluster: Cluster, pod: Pod, now: datetime) -> JsonObject:
    """Return what the card of a deletion shows beside namespace, name and uid."""
    return {
        "summary": f"Delete pod {pod.name}",
        "entity_type": "pod",
        "action": "delete",
        "message": f"May I delete the pod {pod.name} in {pod.namespace}?",
        "details": {
            "cluster": f"{cluster.name} (made up)" if cluster.is_sample else cluster.name,
            "node": pod.node or "none",
            "age": age(pod.created, now),
            "status": pod.status,
            "made by": pod.owner.replace("/", " ") or "nothing",
        },
        "impact": what_happens(pod),
        "warnings": ["It is being deleted already."] if pod.is_going else [],
        "editable": [],
    }
