"""Questions on a terminal: which of these people is you, and whether something is to be done."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from ....memory.text.names import folded
from ..arguments import UsageError
from .terminal import one_line, say

SHOWN = 20
"""So many names fit a screen; any other can be typed."""


def ask_who(title: str, speakers: Sequence[str], answers: TextIO | None = None) -> str | None:
    """Ask which speaker is the user; a number, a name, or Enter for nobody. Returns None when skipped."""
    say(f"Which of these is you{f' in “{one_line(title, 60)}”' if title else ''}?")
    for number, name in enumerate(speakers[:SHOWN], start=1):
        say(f"  {number:>2}  {one_line(name, 60)}")
    if len(speakers) > SHOWN:
        say(f"      … and {len(speakers) - SHOWN} more: type the name")
    for _ in range(3):
        answer = _answer("number, or Enter to skip: ", answers)
        if not answer:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= len(speakers):
            return speakers[int(answer) - 1]
        named = [name for name in speakers if folded(name) == folded(answer)]
        if len(named) == 1:
            return named[0]
        say("that is none of them")
    return None


def choose(question: str, choices: Sequence[str], answers: TextIO | None = None) -> int:
    """Ask for one of several by its number, the first by Enter; returns its index. After three wrong answers the first. Only the
    first are shown; a number beyond them counts, too.
    """
    say(question)
    for number, choice in enumerate(choices[:SHOWN], start=1):
        say(f"  {number:>2}  {one_line(choice, 70)}")
    if len(choices) > SHOWN:
        say(f"      … and {len(choices) - SHOWN:,} more")
    for _ in range(3):
        answer = _answer("number, or Enter for 1: ", answers)
        if not answer:
            return 0
        if answer.isdecimal() and 1 <= int(answer) <= len(choices):
            return int(answer) - 1
        say("that is none of them")
    return 0


def ask_yes(question: str, answers: TextIO | None = None) -> bool:
    """Ask for a yes; anything else is a no."""
    return _answer(f"{question} [y/N] ", answers).casefold() in ("y", "yes")


def confirmed(question: str, more: str = "") -> bool:
    """Ask the user to confirm what was shown; return the answer, and say so if nothing is done. Ask only after all
    checks.

    Args:
        question: to be answered with yes or no.
        more: another way, where there is no terminal.

    Raises:
        UsageError: there is no terminal.
    """
    if not can_ask():
        hint = "--dry-run shows what would be done, --yes does it without asking"
        raise UsageError("there is no terminal on which to confirm this", hint + (f"; {more}" if more else ""))
    if ask_yes(question):
        return True
    say("nothing was changed")
    return False


def can_ask() -> bool:
    """Return whether a person can be asked: input and output are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _answer(prompt: str, source: TextIO | None) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    if source is not None:
        return source.readline().strip()
    # Not `sys.stdin`: a thread that waits in it holds a lock that the interpreter needs to end after Ctrl-C.
    return os.read(sys.stdin.fileno(), 4096).decode(errors="replace").strip()
