"""Many commands one after another on one pseudo-terminal, in one process: what stands on the screen, at each width."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memd.tests.pseudo_terminal import environment_of, run_on_terminal

# Columns, a name, words for memd and what comes on standard input, of each step; None for the keyboard.
_DRIVER = """
import fcntl, io, json, struct, sys, termios
from memd.daemon.cli import main

for columns, name, words, typed in json.loads(sys.argv[1]):
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 500, columns, 0, 0))
    keyboard = sys.stdin
    if typed is not None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(typed.encode()))
    print(f"\\x1e{columns} {name}\\x1f", flush=True)
    try:
        code = main(words)
    except SystemExit as ended:  # as argparse ends behind a help
        code = ended.code or 0
    sys.stdin = keyboard
    sys.stdout.flush()
    sys.stderr.flush()
    print(f"\\x1d{code}", flush=True)
"""


@dataclass(frozen=True)
class Step:
    """A command line."""

    words: tuple[str, ...]
    typed: str | None = None
    """On standard input; None for the keyboard."""


@dataclass(frozen=True)
class Shown:
    """What a command wrote, and its exit code."""

    screen: str
    code: int


def run_steps(
    steps: Mapping[str, Step], widths: Sequence[int], variables: Mapping[str, str]
) -> dict[tuple[int, str], Shown]:
    """What each step shows at each width, with these variables of the environment; nothing is paged."""
    given = [(columns, name, step.words, step.typed) for columns in widths for name, step in steps.items()]
    command = [sys.executable, "-P", "-c", _DRIVER, json.dumps(given)]
    code, written = run_on_terminal(command, environment_of({**variables, "PAGER": ""}), seconds=280)
    assert code == 0, written[-2000:]
    found: dict[tuple[int, str], Shown] = {}
    for part in written.split("\x1e")[1:]:
        head, _, rest = part.partition("\x1f\n")
        columns, _, name = head.partition(" ")
        screen, _, ended = rest.rpartition("\x1d")
        found[int(columns), name] = Shown(screen, int(ended))
    assert len(found) == len(given)
    return found
