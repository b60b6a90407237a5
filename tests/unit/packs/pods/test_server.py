"""The MCP server of the pods, in process: what it offers and tells, and what its pages are."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp.client import Client

from sayso.core.tool_ui import APP_MEDIA_TYPE
from sayso.packs.pods.cluster import Cluster, ClusterError, NoMetrics, PodList
from sayso.packs.pods.sample import Sample
from sayso.packs.pods.server import page, pods_server


class Troubled(Sample):
    """A cluster that answers nothing."""

    is_sample = False

    async def pods(self, namespace: str) -> PodList:
        raise ClusterError("The cluster does not answer.")

    async def pod(self, namespace: str, name: str) -> None:
        raise ClusterError("The cluster does not answer.")

    async def usage(self, namespace: str) -> Any:
        raise NoMetrics("It has no metrics API.")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(pods_server(Sample())) as client:
        yield client


async def told(cluster: Cluster, tool: str, **arguments: str) -> Any:
    async with Client(pods_server(cluster)) as client:
        return await client.call_tool(tool, arguments)


def text(result: Any) -> str:
    return "".join(one.text for one in result.content)


async def found(client: Client, name: str) -> dict[str, str]:
    [pod] = json.loads(text(await client.call_tool("pods_get", {"name": name})))
    return {key: pod[key] for key in ("namespace", "name", "uid")}


async def test_what_it_offers(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {name: (tool.meta or {}).get("ui") for name, tool in tools.items()} == {
        "pods_list": {"resourceUri": "ui://pods_list/app.html"},
        "pods_top": {"resourceUri": "ui://pods_top/app.html"},
        "pods_get": None,
        "pods_delete": None,
        "pods_delete_preview": {"visibility": ["app"]},
    }
    hints = {name: tool.annotations for name, tool in tools.items()}
    acts = hints.pop("pods_delete")
    assert acts is not None
    assert (acts.destructive_hint, acts.idempotent_hint) == (True, True)
    assert all(one is not None and one.read_only_hint for one in hints.values())
    assert tools["pods_delete"].meta == {"sayso/preview": "pods_delete_preview"}
    assert set(tools["pods_delete"].input_schema["required"]) == {"namespace", "name", "uid"}


async def test_the_list_is_a_summary_and_a_table_and_what_its_ui_shows(client: Client) -> None:
    result = await client.call_tool("pods_list", {})
    head, trouble, blank, columns, *rows = text(result).splitlines()
    assert head == (
        "21 pods in 5 namespaces of the sample cluster (made up): "
        "17 running, 1 waiting, 2 failing, 1 completed."
    )
    assert trouble.startswith("Look at: payments/api-canary-")
    assert (blank, columns.split()[:2], len(rows)) == ("", ["NAMESPACE", "NAME"], 21)
    shown = result.structured_content
    assert shown is not None
    assert (shown["cluster"], shown["is_sample"], len(shown["pods"])) == ("sample", True, 21)


async def test_what_nothing_fits_is_said(client: Client) -> None:
    result = await client.call_tool("pods_list", {"namespace": "nowhere"})
    assert text(result) == "There are no pods of the sample cluster (made up)."


async def test_what_they_use(client: Client) -> None:
    result = await client.call_tool("pods_top", {"namespace": "monitoring"})
    head, _, _, first, *_ = text(result).splitlines()
    assert head.startswith("4 pods of the sample cluster (made up) use ")
    assert first.split()[1] == "prometheus-0"


async def test_a_cluster_that_measures_nothing_has_a_ui_that_says_so() -> None:
    result = await told(Troubled(), "pods_top")
    assert not result.is_error
    assert result.structured_content["problem"] == text(result) == "It has no metrics API."


@pytest.mark.parametrize("tool", ["pods_list", "pods_get", "pods_delete_preview"])
async def test_trouble_is_told_in_its_own_words(tool: str) -> None:
    given = {"pods_list": {}, "pods_get": {"name": "x"}}.get(
        tool, {"namespace": "n", "name": "x", "uid": "u"}
    )
    result = await told(Troubled(), tool, **given)
    assert (result.is_error, text(result)) == (True, "The cluster does not answer.")


@pytest.mark.parametrize(
    ("name", "happens"),
    [
        ("debug-shell", "Nothing makes it again: it is gone for good, with all that it holds."),
        ("ledger-0", "It stops. The StatefulSet ledger then starts it anew under the same name."),
        ("mailer", "It stops. The ReplicaSet mailer-tb9l5gkdf then starts another in its place."),
        ("nightly", "It stops. Whether the Job nightly-report starts another depends on the Job."),
    ],
)
async def test_the_card_of_a_deletion_says_what_happens(
    client: Client, name: str, happens: str
) -> None:
    pod = await found(client, name)
    card = (await client.call_tool("pods_delete_preview", pod)).structured_content
    assert card is not None
    assert card["summary"] == f"Delete pod {pod['name']}"
    assert card["impact"] == happens
    assert set(card["details"]) == {"cluster", "node", "age", "status", "made by"}
    assert card["editable"] == []


async def test_a_pod_is_deleted_once(client: Client) -> None:
    pod = await found(client, "debug-shell")
    assert text(await client.call_tool("pods_delete", pod)) == (
        "Pod default/debug-shell is deleted."
    )
    assert text(await client.call_tool("pods_delete", pod)) == (
        "Pod default/debug-shell was gone already; nothing else was deleted."
    )
    gone = await client.call_tool("pods_delete_preview", pod)
    assert (gone.is_error, text(gone)) == (
        True,
        "There is no pod debug-shell in the namespace default.",
    )


async def test_nobody_is_asked_about_a_pod_that_took_a_name(client: Client) -> None:
    old = await found(client, "ledger-0")
    await client.call_tool("pods_delete", old)
    refused = await client.call_tool("pods_delete_preview", old)
    assert text(refused) == "Another pod is named payments/ledger-0 by now. Look it up again."


async def test_its_pages_need_nothing_else(client: Client) -> None:
    for name in ("pods_list", "pods_top"):
        [content] = (await client.read_resource(f"ui://{name}/app.html")).contents
        assert content.mime_type == APP_MEDIA_TYPE
        made = page(name, "Pods")
        assert len(made.encode()) < 32 * 1024
        # No place to load from, no markup out of words, no code out of words.
        assert not re.search(r"https?:|src=|@import|url\(|<link|innerHTML|eval\(|Function\(", made)
        assert made.count("<script") == made.count("</script>") == 1


async def test_every_word_of_the_pages_is_there_in_chinese() -> None:
    code = page("pods_list", "Pods") + page("pods_top", "Pods")
    words = set(re.findall(r'\bt\("([^"]+)"', code))
    words |= set(re.findall(r'\b(?:head|title): "([^"]+)"', code))
    words |= set(re.findall(r'\w+: "(\w+)"', code.partition("HEALTHS = {")[2].partition("}")[0]))
    known = set(re.findall(r'^  "([^"]+)": "', code, re.M))
    assert words - known == set()
    assert known - words <= {"All", "Made by", "Address", "Container", "Why", "CPU"}
