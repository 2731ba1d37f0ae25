"""The layout of help: examples stay in their lines, and what is wider than the terminal is wrapped."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from itertools import groupby

from .render.terminal import joined, width_of, words_of

EXAMPLE = re.compile(r"( +\S.*?) {2,}(\S.*)")
"""A command and, behind a gap, what it does."""
_SEPARATOR = " · "


class HelpLayout(argparse.RawDescriptionHelpFormatter):
    """Lines with an indent are examples and lists, and stay; others are paragraphs, and are filled."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for is_paragraph, group in groupby(text.splitlines(), lambda line: bool(line) and not line.startswith(" ")):
            if is_paragraph:
                lines += joined(words_of(" ".join(group)), " ", indent, width, first=indent)
            else:
                lines += [each for line in group for each in _fitted(indent + line if line else "", width)]
        return "".join(f"{line}\n" for line in lines)


def _fitted(line: str, width: int) -> Iterator[str]:
    """An example in as many lines as it needs: the command, then what it does."""
    margin = line[: len(line) - len(line.lstrip())]
    further = f"{margin}    "
    if width_of(line) <= width:
        yield line
    elif _SEPARATOR in line:
        yield from joined(line.strip().split(_SEPARATOR), _SEPARATOR, margin, width, first=margin)
    elif example := EXAMPLE.fullmatch(line):
        yield from joined(words_of(example[1]), " ", further, width, first=margin)
        yield from joined(words_of(example[2]), " ", further, width, first=further)
    else:
        yield from joined(words_of(line), " ", further, width, first=margin)
