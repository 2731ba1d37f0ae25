"""Long output on a terminal goes through the person's pager, and opens at the line that was asked for."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TextIO

from .terminal import size_of

_AT_A_LINE = frozenset({"less", "more"})
"""Pagers that take ``+N``, the line to begin with."""


def print_paged(lines: Sequence[str], stream: TextIO | None = None, *, at: int = 0) -> None:
    """Print lines; those that are more than a terminal shows through a pager, anything else as it is.

    Args:
        lines: harmless, none wider than the terminal.
        stream: standard output where it is not given.
        at: index of the line to open at, which is shown with some lines above it.
    """
    out = stream or sys.stdout
    rows = size_of(out)[1]
    command = pager_command(os.environ) if out.isatty() and len(lines) >= rows else []
    if not command or not _piped(command, lines, out, max(0, at - rows // 3)):
        for line in lines:
            print(line, file=out)


def pager_command(environ: Mapping[str, str]) -> list[str]:
    """``$PAGER``, else less, else more; empty where nothing is paged: for ``PAGER=``, ``PAGER=cat``, ``TERM=dumb``."""
    from shutil import which  # only for what is long

    if environ.get("TERM") == "dumb":
        return []
    if "PAGER" in environ:
        try:
            command = shlex.split(environ["PAGER"])
        except ValueError:  # a quote that is not closed
            return []
        return command if command and command != ["cat"] else []
    for each in ("less", "more"):
        if which(each, path=environ.get("PATH")):
            return [each]
    return []


def _piped(command: list[str], lines: Sequence[str], out: TextIO, first: int) -> bool:
    """Show the lines in the pager; return False if it could not be started, else when the person has left it."""
    import subprocess

    encoding, errors = out.encoding, out.errors or "strict"
    # Colours stay colours, what is read stays on the screen. Without a locale, less would show codes for letters.
    environment = {"LESS": "FRX"} | ({"LESSCHARSET": "utf-8"} if encoding == "utf-8" else {}) | os.environ
    at = [f"+{first + 1}"] if first and os.path.basename(command[0]) in _AT_A_LINE else []  # noqa: PTH119 - light path
    out.flush()
    try:
        pager = subprocess.Popen([*command, *at], stdin=subprocess.PIPE, env=environment)  # noqa: S603 - the person's own
    except OSError:
        return False
    assert pager.stdin is not None
    with suppress(BrokenPipeError, KeyboardInterrupt), pager.stdin as pipe:
        pipe.write("".join(f"{line}\n" for line in lines).encode(encoding, errors))
    while True:
        try:
            pager.wait()
        except KeyboardInterrupt:  # Ctrl-C is for the pager, which gets it as well
            continue
        return True
