"""`memd mcp --install`: tell a program that it may run `memd mcp`, by its own configuration, which is shown first."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from ....schemas.errors import StoreError
from ...config.file_edit import write_settings
from ...mcp.programs import PROGRAMS, changed
from ..arguments import UsageError
from ..output import print_json
from ..render.prompts import can_ask, confirmed
from ..render.terminal import one_line, say


def install(arguments: argparse.Namespace, flags: Sequence[str]) -> int:
    """Show the change to the program's file, ask, write."""
    program = PROGRAMS[arguments.install]
    path = Path(program.path(str(Path.home()), os.environ)).resolve()
    command = [*own_command(), "mcp", *flags, *(["--allow-forget"] if arguments.allow_forget else [])]
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read", hint="look at it, then the same command again") from error
    after = changed(program, before, command)
    if same := _same(before, after):
        say(f"{program.title} has memd already: {path}")
    elif not arguments.json:
        _show(before, after, path)
    if not same:
        if not arguments.yes:
            if not can_ask():
                raise UsageError("there is no terminal on which to confirm this", "--yes writes it without asking")
            if not confirmed(f"Write {path}?"):
                return 0
        write_settings(path, after, "is there room, and is it yours?")
        say(f"{program.title} runs memd from its next start on")
    if arguments.json:
        print_json({"program": arguments.install, "path": str(path), "command": command, "changed": not same})
    return 0


def own_command() -> list[str]:
    """Return the words that run this memd, whatever PATH the program has."""
    name = Path(sys.argv[0])
    program = shutil.which(name.name) if name.name == "memd" else None
    return [str(Path(program).absolute())] if program else [sys.executable, "-P", "-m", "memd"]


def _same(before: str, after: str) -> bool:
    """Return whether nothing changes but white space."""
    try:
        return bool(before) and json.loads(before) == json.loads(after)
    except ValueError:
        return before == after


def _show(before: str, after: str, path: Path) -> None:
    """Print the lines that change, with those around them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=2)
    for line in lines:
        text = line[1:].lstrip(" ")  # `one_line` would join the indentation to one space
        print(line[: len(line) - len(text)] + one_line(text, 200))
