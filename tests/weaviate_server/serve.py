"""`make weaviate`: a Weaviate to try memd with, until Ctrl-C; its data goes with it, unless a folder is named for them."""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from memd.tests.weaviate_server.node import VERSION, Node, why_not

KEPT = "node.json"
"""In a folder that is kept: the ports and the key of before."""


def main() -> None:
    """Start a node, say how to reach it, and wait."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(";")[0])
    parser.add_argument("--folder", type=Path, help="keep the data, the ports and the key in this folder")
    folder: Path | None = parser.parse_args().folder
    if reason := why_not():
        raise SystemExit(reason)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with node_of(folder) as node:
        assert node.process is not None
        print(told(node, kept=folder is not None), flush=True)  # noqa: T201 - what it is for
        try:
            node.process.wait()
        except KeyboardInterrupt:
            print("stopping")  # noqa: T201


def told(node: Node, *, kept: bool) -> str:
    """How to reach it, from memd and from Python."""
    assert node.process is not None
    ends = f"`make weaviate FOLDER={node.folder}` goes on with its data" if kept else "its data goes with it"
    return f"""Weaviate {VERSION} answers, process {node.process.pid}, data in {node.folder}

memd, in another terminal:

    export MEMD_STORAGE_INDEX=weaviate
    export MEMD_WEAVIATE_URL=http://127.0.0.1:{node.port}
    export MEMD_WEAVIATE_GRPC_PORT={node.grpc_port}
    export WEAVIATE_API_KEY={node.key}

Python:

    import weaviate
    client = weaviate.connect_to_local(port={node.port}, grpc_port={node.grpc_port}, auth_credentials="{node.key}")

Ctrl-C, or `kill {node.process.pid}`, stops it; {ends}."""


@contextmanager
def node_of(folder: Path | None) -> Generator[Node]:
    """A running node with its data in this folder, or in a temporary one."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="memd-weaviate-") as temporary, Node(Path(temporary)) as node:
            yield node
        return
    folder = folder.resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = folder / KEPT
    node = Node(folder)
    if kept.exists():
        before = json.loads(kept.read_text(encoding="ascii"))
        node.key, node.port, node.grpc_port = str(before["key"]), int(before["port"]), int(before["grpc_port"])
    with node:
        held = {"key": node.key, "port": node.port, "grpc_port": node.grpc_port}
        with open(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            json.dump(held, file)
        yield node


if __name__ == "__main__":
    main()
