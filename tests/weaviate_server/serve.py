"""`make weaviate`: a Weaviate to try memd with, until Ctrl-C; its data goes with it."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path

from memd.tests.weaviate_server.node import VERSION, Node, why_not


def main() -> None:
    """Start a node, say how to reach it, and wait."""
    if reason := why_not():
        raise SystemExit(reason)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="memd-weaviate-") as folder, Node(Path(folder)) as node:
        assert node.process is not None
        told = f"""Weaviate {VERSION} answers, process {node.process.pid}, data in {folder}

    host       127.0.0.1
    port       {node.port}
    grpc_port  {node.grpc_port}
    API key    {node.key}

import weaviate
client = weaviate.connect_to_local(port={node.port}, grpc_port={node.grpc_port}, auth_credentials="{node.key}")

Ctrl-C, or `kill {node.process.pid}`, stops it and removes its data."""
        print(told, flush=True)  # noqa: T201 - what it is for
        try:
            node.process.wait()
        except KeyboardInterrupt:
            print("stopping")  # noqa: T201


if __name__ == "__main__":
    main()
