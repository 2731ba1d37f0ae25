"""Chooses stored messages on which to try a language model: those most likely to contain facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..extraction.extractor import Extractor
from ..extraction.llm import worth_asking
from ..extraction.window import TAIL_LINES, Line, Window, as_context

MESSAGES = 2_000
"""The number of newest messages to choose from."""
LONGEST = 300
"""The most characters of a message chosen for its length: longer ones are mostly forwarded or pasted."""
CHOICE = (
    f"of the newest {MESSAGES:,} messages first those in which the rules find a fact, then the longest of at most"
    f" {LONGEST} characters"
)
"""The description of the choice, for users."""


async def likely_messages(windows: Sequence[Window], rules: Extractor, limit: int) -> list[Window]:
    """Return the messages most likely to contain facts, each as a window of its own, with the lines before it as
    context.

    Args:
        windows: windows of the newest documents.
        rules: finds facts without a model.
        limit: the most messages.
    """
    cited = {
        cited.message
        for extraction in await rules.extract(windows)
        for statement in extraction.statements
        for cited in statement.evidence
    }
    alone = [_alone(window, place) for window in windows for place in range(len(window.lines))]
    wanted = [each for each in alone if worth_asking(each)]
    wanted.sort(key=lambda each: _rank(each.lines[0], is_cited=each.lines[0].message in cited))
    return wanted[:limit]


def _rank(line: Line, *, is_cited: bool) -> tuple[bool, int]:
    length = len(line.text)
    return not is_cited, -length if length <= LONGEST else 0


def _alone(window: Window, place: int) -> Window:
    before = (*window.context, *window.lines[:place])[-TAIL_LINES:]
    context = tuple(as_context(line, at - len(before)) for at, line in enumerate(before))
    return replace(window, lines=(replace(window.lines[place], number=1),), context=context)
