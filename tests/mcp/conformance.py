"""The conformance suite of the Model Context Protocol, which `make conformance` fetches; it runs on a Node of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
FOLDER = CHECKOUT / ".conformance" / "node_modules"
NODE = FOLDER / "node" / "bin" / "node"
PROGRAM = FOLDER / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
REVISIONS = ("2026-07-28", "2025-11-25")
"""The sets of requirements."""


def why_not() -> str:
    """Why these tests cannot run here; empty where they can."""
    if NODE.exists() and PROGRAM.exists():
        return ""
    return "NOT TESTED for conformance to the Model Context Protocol: `make conformance` fetches the suite where npm is"


def run(address: str, revision: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the set of requirements of a revision against the server at an address.

    Args:
        address: host and port.
        revision: of `REVISIONS`.
        folder: for the results.
    """
    words = [NODE, PROGRAM, "server", "--url", f"http://{address}/mcp", "--requirements", revision, "-o", folder]
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=folder)
