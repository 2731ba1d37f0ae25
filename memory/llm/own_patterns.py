"""Searches texts for a user's own regular expressions, in a process of its own: some take exponential time on some texts,
and a search cannot be stopped otherwise. As a program, this file is that process.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence

SECONDS = 2.0
"""The longest time for the texts of one request; the daemon answers nothing meanwhile. Usually it is 20 ms."""


def own_matches(patterns: Sequence[str], texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Return for each text the spans that the patterns match, by pattern: of the group named ``hide``, or of the whole.

    Raises:
        subprocess.SubprocessError: the search took too long, or failed.
        OSError: no process can be started.
    """
    if not patterns:
        return [[] for _ in texts]
    search = subprocess.run(  # noqa: S603 - our own program, and its arguments contain no input
        [sys.executable, "-I", "-S", __file__],
        input=json.dumps([patterns, texts]).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=SECONDS,
        check=True,
    )
    return [[(start, end) for start, end in spans] for spans in json.loads(search.stdout)]


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    group = "hide" if "hide" in pattern.groupindex else 0
    at = 0
    while at <= len(text) and (match := pattern.search(text, at)) is not None:
        start, end = match.span(group)
        if start < end:
            yield start, end
        at = max(end, match.start() + 1)  # a group in a lookbehind ends before the match


def _main() -> None:
    patterns, texts = json.load(sys.stdin)
    compiled = [re.compile(pattern) for pattern in patterns]
    spans = [[span for each in compiled for span in _spans(each, text)] for text in texts]
    with os.fdopen(1, "w") as answer:
        json.dump(spans, answer)


if __name__ == "__main__":
    _main()
