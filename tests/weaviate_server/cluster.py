"""Three real Weaviate nodes on loopback, as one cluster; each may be stopped, killed and started again."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

from memd.tests.weaviate_server.node import Node, free_ports

NODES = 3
PORTS = ("CLUSTER_GOSSIP_BIND_PORT", "CLUSTER_DATA_BIND_PORT", "RAFT_PORT", "RAFT_INTERNAL_RPC_PORT")
"""Of each node, beside those that clients use. The second of a pair is expected right behind the first."""


class Cluster:
    """Use as a context manager.

    Args:
        folder: holds a folder for each node.
    """

    def __init__(self, folder: Path) -> None:
        key, password = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        width = len(PORTS) + 2
        ports = free_ports(NODES * width)
        first = [ports[number * width :][:width] for number in range(NODES)]
        join = ",".join(f"node{number + 1}:{own[PORTS.index('RAFT_PORT')]}" for number, own in enumerate(first))
        self.nodes: list[Node] = []
        for number, own in enumerate(first):
            extra = dict(zip(PORTS, map(str, own), strict=False))
            extra |= {
                "CLUSTER_HOSTNAME": f"node{number + 1}",
                "CLUSTER_BASIC_AUTH_PASSWORD": password,
                "RAFT_BOOTSTRAP_EXPECT": str(NODES),
                "RAFT_BOOTSTRAP_TIMEOUT": "90",
                "RAFT_JOIN": join,
                "GOMEMLIMIT": "1GiB",
            }
            if number:
                extra["CLUSTER_JOIN"] = f"127.0.0.1:{first[0][0]}"
            home = folder / f"node{number + 1}"
            home.mkdir()
            self.nodes.append(Node(home, extra, key, port=own[-2], grpc_port=own[-1]))

    def __enter__(self) -> Self:
        with ThreadPoolExecutor(NODES) as pool:  # none is ready before the others are there
            for started in [pool.submit(node.start) for node in self.nodes]:
                started.result()
        return self

    def __exit__(self, *_: object) -> None:
        with ThreadPoolExecutor(NODES) as pool:
            for stopped in [pool.submit(node.stop) for node in self.nodes]:
                stopped.result()
