"""The MCP server of a cluster's pods over stdio: `python -m sayso.packs.pods --help`."""

from __future__ import annotations

import argparse
from pathlib import Path

from sayso.packs.pods.cluster import Cluster
from sayso.packs.pods.kubeconfig import read_access
from sayso.packs.pods.kubernetes import Kubernetes
from sayso.packs.pods.sample import Sample
from sayso.packs.pods.server import pods_server


def main() -> None:
    parser = argparse.ArgumentParser("python -m sayso.packs.pods", description=__doc__)
    parser.add_argument("--kubeconfig", type=Path, action="append", help="may be given again")
    parser.add_argument("--context", default="", help="the current one where it is left out")
    parser.add_argument("--sample", type=Path, help="a sample cluster, kept in this file")
    given = parser.parse_args()
    cluster: Cluster
    if given.kubeconfig:
        cluster = Kubernetes(read_access(given.kubeconfig, given.context))
    else:
        cluster = Sample(given.sample)
    pods_server(cluster).run("stdio")


if __name__ == "__main__":
    main()
