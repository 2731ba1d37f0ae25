"""Runs programs on a pseudo-terminal of a given size, and looks at what stands on it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
import unicodedata
from collections.abc import Mapping, Sequence

from memd.tests import processes

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
PYTHON = re.compile(r"\bNone\b|\bTrue\b|\bFalse\b|datetime|Traceback|\{'|\['|\(\)|<[\w.]+ object|UUID\(|Error\b")
"""What Python prints of its own objects and errors."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

WIDTHS = (60, 80, 120)
LOOKS = {
    "colour": {"TERM": "xterm", "LC_ALL": "C.UTF-8"},
    "no-colour": {"TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"},
    "dumb": {"TERM": "dumb", "LANG": "C.UTF-8"},
    "ascii": {"TERM": "xterm", "LC_ALL": "C"},
    "ascii-no-colour": {"TERM": "xterm", "LC_ALL": "C", "NO_COLOR": "1"},
}
"""Kinds of terminals, by the variables that tell of them."""


def environment_of(given: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without what changes how text looks, with these variables."""
    unwanted = ("MEMD_", "LC_", "LANG", "COLUMNS", "LINES", "NO_COLOR", "TERM", "PAGER", "LESS")
    return {name: value for name, value in os.environ.items() if not name.startswith(unwanted)} | dict(given)


def run_on_terminal(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    columns: int = 80,
    rows: int = 24,
    keys: Sequence[tuple[str, bytes]] = (),
    seconds: float = 120,
) -> tuple[int, str]:
    """Run a program until it ends.

    Args:
        command: with its arguments.
        environment: all of it.
        columns: of the terminal.
        rows: of the terminal.
        keys: what is typed, each as soon as this text stands on the screen after what was typed before.
        seconds: after which it is killed.

    Returns:
        The exit code and everything that it wrote, with line ends as a program writes them.
    """
    keyboard, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    program = processes.Popen(
        command, stdin=screen, stdout=screen, stderr=screen, env=dict(environment), controlling_terminal=True
    )
    os.close(screen)
    written, seen, typed = b"", 0, list(keys)
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            if not select.select([keyboard], [], [], 0.2)[0]:
                continue
            try:
                some = os.read(keyboard, 65_536)
            except OSError:  # nobody has the terminal open any more
                break
            written += some
            if typed and typed[0][0].encode() in written[seen:]:
                os.write(keyboard, typed.pop(0)[1])
                seen = len(written)
        else:
            program.kill()
        return program.wait(10), written.decode("utf-8", "replace").replace("\r\n", "\n")
    finally:
        os.close(keyboard)


def lines_of(screen: str) -> list[str]:
    """What stood in lines, without escape codes; a line that was drawn anew is several."""
    return re.split(r"[\n\r]", ESCAPE.sub("", screen))


def columns_of(line: str) -> int:
    """Columns that a terminal needs for a line."""
    shown = [each for each in line if unicodedata.category(each) not in ("Mn", "Me") and each != "\u200d"]
    wide = sum(1 for each in shown if unicodedata.east_asian_width(each) in "WF")
    return len(shown) + wide + line.count("\ufe0f")  # a heart that is an emoji takes the columns of one


def text_of(screen: str) -> str:
    """The words, wherever lines were broken."""
    return " ".join(ESCAPE.sub("", screen).split())
