"""`memd sources add agents`: the folders in which coding agents keep their sessions, each as a source."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...client import DaemonError
from ...operations import ADD_SOURCE, SOURCES
from ..arguments import UsageError
from ..connect import request
from ..output import print_json
from ..render.sources import source_lines
from ..render.terminal import print_told, say

FOLDERS = {
    "claude-code": ("claude_code", "CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
    "codex": ("codex", "CODEX_HOME", "~/.codex", "sessions"),
    "gemini-cli": ("gemini_cli", "", "~/.gemini", "tmp"),
    "copilot-cli": ("copilot_cli", "COPILOT_HOME", "~/.copilot", "session-state"),
}
"""By the name of a source: the format of its sessions, the variable that moves the program's folder, that folder, and the
one inside it that holds them.
"""


def folders_present(environ: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return format and path of each folder of sessions that is there, by the name of its source."""
    present: dict[str, tuple[str, str]] = {}
    for name, (form, variable, usual, inside) in FOLDERS.items():
        path = Path(environ.get(variable) or usual).expanduser() / inside
        if path.is_dir():
            present[name] = (form, str(path.absolute()))
    return present


def run_add_agents(arguments: argparse.Namespace, settings: Mapping[str, Any]) -> int:
    """Add a source for each program that is there and is none yet.

    Raises:
        UsageError: none is there, or a place was named.
    """
    if arguments.where or arguments.name or arguments.format:
        raise UsageError(
            "the sessions of agents are found by themselves", "for another place: memd sources add folder PATH"
        )
    present = folders_present(os.environ)
    if not present:
        looked = ", ".join(f"{usual}/{inside}" for _, _, usual, inside in FOLDERS.values())
        raise UsageError(f"no sessions of agents lie in {looked}", "add another folder: memd sources add folder PATH")
    names_by_path = {source.get("path"): source["name"] for source in request(arguments, SOURCES)["sources"]}
    added: list[dict[str, Any]] = []
    for name, (form, path) in present.items():
        if path in names_by_path:
            say(f"{path} is read already, as {names_by_path[path]}")
            continue
        body = {"name": name, "kind": "folder", "path": path, "format": form, **settings}
        try:
            added.append(request(arguments, ADD_SOURCE, {"settings": body}))
        except DaemonError:
            for each in added:
                say(f"{each['name']} was added before this failed")
            raise
    if arguments.json:
        print_json({"sources": added})
        return 0
    for each in added:
        for line in source_lines(each, alone=True):
            print_told(line)
    if added:
        say("`memd sync` reads them now; a running `memd serve` reads them by their schedule")
    return 0
