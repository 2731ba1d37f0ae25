"""Builds the pinned Weaviate by `go install` into a folder of the user's cache: minutes the first time, then nothing to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from memd.tests.weaviate_server.node import VERSION, binary

PACKAGE = "github.com/weaviate/weaviate/cmd/weaviate-server"


def main() -> int:
    """Build it unless it is there; 1 where that cannot be done."""
    path = binary()
    if path.exists():
        print(f"Weaviate {VERSION} is in {path}")  # noqa: T201 - a line for whoever runs it
        return 0
    if shutil.which("go") is None:
        print("no Go here: Weaviate is built by `go install`, which Go 1.25 or later brings", file=sys.stderr)  # noqa: T201
        return 1
    print(f"building Weaviate {VERSION}: several minutes, 2 GB of Go modules")  # noqa: T201
    path.parent.mkdir(parents=True, exist_ok=True)
    # Into a folder beside: what is interrupted leaves no half server in the place of a whole one.
    beside = path.parent / "building"
    command = ["go", "install", f"{PACKAGE}@v{VERSION}"]
    done = subprocess.run(command, env={**os.environ, "GOBIN": str(beside)}, cwd=path.parent, check=False)
    if done.returncode:
        return 1
    (beside / path.name).replace(path)
    beside.rmdir()
    print(f"Weaviate {VERSION} is in {path}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
