"""A proposal: what an extractor believes somebody said, before anything of it was checked. Plain strings and numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proposal:
    """One statement as proposed; the answer of a model is parsed into this, and only `verify` makes statements of it."""

    subject: str
    """A name among the window's people, ``I`` for the speaker, or a thing as the cited lines call it."""
    attribute: str
    """A name of `attributes`, or another; brought to snake_case."""
    value: str
    content: str
    """One sentence."""
    lines: tuple[int, ...]
    """Numbers of the cited lines of the window, never of its context."""
    quote: str
    """Words of one of the cited lines."""
    speaker: str = ""
    """Exactly as the lines name the speaker; empty: whoever spoke all the cited lines."""
    mode: str = ""
    """``own``, or one of `verify.MODES`, with which it is no statement of the speaker's; empty: not told."""
    tense: str = ""
    """``now``, ``past`` or ``planned``; empty: not told."""
    negated: bool = False
    of_known: bool = False
    """It only ends what is known, and says nothing by itself; see `Statement.of_known`."""
    valid_from: str = ""
    """An ISO date, month, year or time, or an expression such as ``last week``; empty when nothing was said."""
    valid_to: str = ""
    category: str = ""
    importance: float | None = None
    """1 to 3; anything else: what the attribute usually has."""
    sensitivity: str = ""
    """``low``, ``medium`` or ``high``; never less than what the attribute has."""
    confidence: float = 1.0
    sentiment: float | None = None
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sentence: str = ""
    """The sentence it was read in, as it was written; empty when ``content`` is that."""
