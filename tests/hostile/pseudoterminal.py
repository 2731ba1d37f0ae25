"""Running commands on a terminal of their own, and looking at every byte that it would obey."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from memd.tests import processes
from memd.tests.command import COMMAND, MODULE_COMMAND, memd_command

# What memd itself writes on a terminal: bold, dim, plain, and the bar's "back to the margin, clear the line".
OWN = re.compile(r"\x1b\[[012]?m|\r\x1b\[K|\r\n")
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


_DRIVER = """
import json, sys
from memd.daemon.cli import main

for words in json.loads(sys.argv[1]):
    try:
        code = main(words)
    except SystemExit as ended:  # as argparse ends a usage error
        code = ended.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    print(f"\\x1d{code}", flush=True)
"""


def each_on_terminal(
    commands: Sequence[Sequence[str]], environment: Mapping[str, str]
) -> list[tuple[Sequence[str], int, str]]:
    """Run commands of memd one after another on one pseudo-terminal, in one process if they are this checkout's.

    Returns:
        The words of each command, its exit code and everything that it showed.
    """
    if COMMAND != MODULE_COMMAND:
        return [(words, *on_terminal(memd_command(*words), environment)) for words in commands]
    program = [sys.executable, "-P", "-c", _DRIVER, json.dumps([list(words) for words in commands])]
    code, shown = on_terminal(program, environment, seconds=240)
    *parts, rest = re.split("\x1d(\\d+)\r\n", shown)
    assert (code, rest, len(parts)) == (0, "", 2 * len(commands)), shown[-2000:]
    return [(words, int(parts[2 * n + 1]), parts[2 * n]) for n, words in enumerate(commands)]


def on_terminal(
    words: Sequence[str], environment: Mapping[str, str], answers: bytes = b"", seconds: float = 60
) -> tuple[int, str]:
    """Run it with all three streams on a pseudo-terminal; returns the exit code and everything that was shown."""
    process, terminal = start_on_terminal(words, environment)
    if answers:
        os.write(terminal, answers)
    shown = all_of(terminal, process, seconds)
    return process.wait(timeout=60), shown


def start_on_terminal(words: Sequence[str], environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start it on a pseudo-terminal; returns the process and the other side, which `all_of` reads and closes."""
    terminal, own = pty.openpty()
    try:
        process = processes.Popen(words, stdin=own, stdout=own, stderr=own, env={**environment, "TERM": "xterm"})
    finally:
        os.close(own)
    return process, terminal


def obeyed(shown: str) -> list[str]:
    """The pieces around whatever a terminal would obey that is not memd's own."""
    rest = OWN.sub(lambda own: "\n" if own.group() == "\r\n" else "", shown)
    return [rest[max(0, found.start() - 30) : found.end() + 30] for found in OBEYED.finditer(rest)]


def all_of(terminal: int, process: subprocess.Popen[bytes], seconds: float) -> str:
    """Everything that is shown until the process ends, or is ended because it took too long."""
    deadline = time.monotonic() + seconds
    parts: list[bytes] = []
    try:
        while time.monotonic() < deadline:
            ready, _, _ = select.select([terminal], [], [], 0.1)
            if not ready:
                if process.poll() is not None:
                    break
                continue
            part = os.read(terminal, 65536)
            if not part:
                break
            parts.append(part)
    except OSError:  # the other side is closed: how Linux tells the end of a terminal
        pass
    finally:
        os.close(terminal)
        if time.monotonic() >= deadline:
            process.kill()
    return b"".join(parts).decode("utf-8", "surrogateescape")
