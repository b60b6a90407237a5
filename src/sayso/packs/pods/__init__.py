"""The pods of a Kubernetes cluster in the chat, with UIs of their own, and a deletion that asks.

`sayso serve sayso.packs.pods:app` takes the cluster of your kubeconfig; without one, or with
SAYSO_PODS_CLUSTER=sample, a sample cluster that is made up. With SAYSO_MODEL, a model drives the
same tools.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sayso import App, NotSupportedError, Rule, Verdict
from sayso.mcp import Own, Server, Servers
from sayso.packs import app_at_first_use, data_dir
from sayso.packs.model_agent import model_agent
from sayso.packs.pods.agent import pods_agent
from sayso.packs.pods.kubeconfig import places, read_access

__all__ = ["app", "pods_app", "pods_server_entry"]

#: Made at its first use.
app: App

SAMPLE = "sample"
#: A busy machine may take long to start it.
_START_SECONDS = 120
STARTERS = [
    "Show me the pods in my cluster",
    "Which pods use the most?",
    "delete pod debug-shell",
    "help",
]
INSTRUCTIONS = """You look after the pods of a Kubernetes cluster.

When a person wants to see pods, call pods_list, or pods_top for what they use: their UIs show it
all, so say in a sentence or two what matters, and do not repeat the table. Before you delete a pod,
look it up with pods_get for its namespace and uid; where several fit, use request_user_input with
them as options. pods_delete asks the person itself, so never ask for permission in words, and never
say that something is deleted before the tool has said so. When a person refuses, take their reason
seriously. If the cluster is a sample, say that it is made up."""
POLICIES = [
    Rule(tool="pods_delete", then=Verdict.ASK, reason="A pod is deleted only after a person's yes.")
]


def pods_app(entry: Server, *, is_sample: bool) -> App:
    """Return the application on one server of pods. With SAYSO_MODEL, a model drives."""
    name = "pods of a sample cluster" if is_sample else "pods"
    starters = STARTERS if is_sample else [words for words in STARTERS if "debug" not in words]
    servers = Servers({"pods": entry})
    model = os.environ.get("SAYSO_MODEL")
    agent = model_agent(model, name, INSTRUCTIONS) if model else pods_agent
    return App({name: agent}, mcp=servers, policies=POLICIES, starters=starters)


def pods_server_entry(
    folder: Path, cluster: str = "", env: Mapping[str, str] = os.environ
) -> tuple[Server, bool]:
    """Return how the server of a cluster is started, and whether that is the sample. `cluster` is
    a context of the kubeconfig, "sample", or empty for what there is. Raises NotSupportedError."""
    files = places(env) if cluster != SAMPLE else []
    if cluster not in ("", SAMPLE) and not files:
        raise NotSupportedError(
            f"There is no kubeconfig with a context '{cluster}'.",
            fix="Set KUBECONFIG, or SAYSO_PODS_CLUSTER=sample for a cluster that is made up.",
        )
    if files:
        # Here, so that what is wrong with it is said at the start.
        context = read_access(files, cluster).context
        args = [f"--kubeconfig={path.absolute()}" for path in files] + [f"--context={context}"]
    else:
        args = [f"--sample={(folder / 'pods-sample.json').absolute()}"]
    # The server finds its packages as this process does.
    found = {name: env[name] for name in ("PYTHONPATH",) if name in env}
    return Server(
        command=sys.executable,
        args=("-m", "sayso.packs.pods", *args),
        env=found,
        sayso=Own(start_seconds=_START_SECONDS),
    ), not files


def _app() -> App:
    cluster = os.environ.get("SAYSO_PODS_CLUSTER", "")
    entry, is_sample = pods_server_entry(data_dir(), cluster)
    return pods_app(entry, is_sample=is_sample)


__getattr__ = app_at_first_use(__name__, _app)
