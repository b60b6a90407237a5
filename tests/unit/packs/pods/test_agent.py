"""What the agent without a model makes of words, and which cluster the application takes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sayso import App, NotSupportedError
from sayso.packs import pods
from sayso.packs.pods import pods_app, pods_server_entry
from sayso.packs.pods.agent import pods_agent
from tests.kube_server import KubeServer

ONE = {"namespace": "shop", "name": "web-1", "uid": "u-1", "status": "Running", "node": "n-1"}
TWO = {**ONE, "namespace": "payments", "uid": "u-2"}


class Context:
    """What an agent has of a conversation: it notes what is called and said."""

    def __init__(self, message: str, **replies: Any) -> None:
        self.message, self.replies = message, replies
        self.called: list[tuple[str, dict[str, Any]]] = []
        self.said = ""
        self.offered: list[Any] = []

    async def call(self, tool: str, **arguments: Any) -> Any:
        self.called.append((tool, arguments))
        return self.replies.get(tool, "3 pods.\nLook at: web-1.\n\nNAMESPACE  NAME")

    async def choose(self, question: str, options: list[Any]) -> Any:
        self.offered = options
        return SimpleNamespace(id=options[-1]["id"])

    async def say(self, words: str) -> None:
        self.said += words


async def heard(message: str, **replies: Any) -> Context:
    ctx = Context(message, **replies)
    await pods_agent(ctx)  # type: ignore[arg-type]  # a stand-in
    return ctx


@pytest.mark.parametrize(
    ("message", "tool", "namespace"),
    [
        ("Show me the pods in my cluster", "pods_list", ""),
        ("list pods in namespace shop", "pods_list", "shop"),
        ("list the pods in the shop namespace, please", "pods_list", "shop"),
        ("show the pods in shop", "pods_list", "shop"),
        ("显示集群里的 pod", "pods_list", ""),
        ("Which pods use the most?", "pods_top", ""),
        ("top pods in kube-system", "pods_top", "kube-system"),
    ],
)
async def test_what_it_shows(message: str, tool: str, namespace: str) -> None:
    ctx = await heard(message)
    assert ctx.called == [(tool, {"namespace": namespace})]
    assert ctx.said.startswith("3 pods. Look at: web-1.")


@pytest.mark.parametrize(
    ("message", "name", "namespace"),
    [
        ("delete pod web-1", "web-1", ""),
        ("Please delete the pod web-1 in shop", "web-1", "shop"),
        ("kill shop/web-1", "web-1", "shop"),
        ("remove web-1 from the namespace shop.", "web-1", "shop"),
    ],
)
async def test_it_looks_a_pod_up_before_it_asks_for_its_deletion(
    message: str, name: str, namespace: str
) -> None:
    ctx = await heard(message, pods_get=json.dumps([ONE]), pods_delete="Pod is deleted.")
    identity = {key: ONE[key] for key in ("namespace", "name", "uid")}
    assert ctx.called == [
        ("pods_get", {"name": name, "namespace": namespace}),
        ("pods_delete", identity),
    ]
    assert ctx.said == "Pod is deleted."


async def test_where_several_fit_a_person_chooses() -> None:
    ctx = await heard("delete pod web-1", pods_get=json.dumps([ONE, TWO]))
    assert [one["label"] for one in ctx.offered] == ["shop/web-1", "payments/web-1"]
    assert ctx.called[-1][1]["uid"] == "u-2"


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ({"status": "rejected", "reason": "It is mine."}, "Your reason: It is mine."),
        ({"status": "rejected"}, "I have not deleted shop/web-1."),
        ({"status": "dismissed"}, "You skipped shop/web-1"),
    ],
)
async def test_a_no_is_a_no(ended: dict[str, str], said: str) -> None:
    ctx = await heard("delete pod web-1", pods_get=json.dumps([ONE]), pods_delete=ended)
    assert said in ctx.said


@pytest.mark.parametrize("message", ["delete pod gone-1", "delete the pod", "hello"])
async def test_what_it_cannot_do_it_says_and_deletes_nothing(message: str) -> None:
    ctx = await heard(message, pods_get="[]")
    assert "pods_delete" not in dict(ctx.called)
    assert ctx.said


# ── which cluster ──


def test_without_a_kubeconfig_it_is_the_sample(tmp_path: Path) -> None:
    nowhere = {"KUBECONFIG": str(tmp_path / "none")}
    entry, is_sample = pods_server_entry(tmp_path, "", nowhere)
    assert is_sample
    assert entry.command == sys.executable
    assert entry.args[-1] == f"--sample={tmp_path / 'pods-sample.json'}"


def test_with_one_it_is_that_cluster_unless_the_sample_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(yaml.safe_dump(KubeServer(url="http://kube.test").kubeconfig()))
    env = {"KUBECONFIG": str(file)}
    entry, is_sample = pods_server_entry(tmp_path, "", env)
    assert not is_sample
    assert entry.args[2:] == (f"--kubeconfig={file}", "--context=test")
    assert pods_server_entry(tmp_path, "sample", env)[1]
    with pytest.raises(NotSupportedError, match="no context 'other'"):
        pods_server_entry(tmp_path, "other", env)
    with pytest.raises(NotSupportedError, match="no kubeconfig"):
        pods_server_entry(tmp_path, "other", {"KUBECONFIG": str(tmp_path / "none")})


def test_the_application_is_made_at_its_first_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SAYSO_DATA_DIR", str(tmp_path)), ("SAYSO_PODS_CLUSTER", "sample")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("SAYSO_MODEL", raising=False)
    made = pods.app
    monkeypatch.delitem(vars(pods), "app")
    assert isinstance(made, App)
    assert made.agent_names == ["pods of a sample cluster"]


def test_a_model_gets_the_same_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pydantic_ai")
    monkeypatch.setenv("SAYSO_MODEL", "test")
    entry, _ = pods_server_entry(tmp_path, "sample")
    made = pods_app(entry, is_sample=False)
    assert type(made.agents["pods"]).__name__ == "Agent"
    assert made.mcp is not None
    assert list(made.mcp.servers) == ["pods"]
