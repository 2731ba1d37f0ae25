"""A proposal: a statement as an extractor proposes it, unchecked. Plain strings and numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed statement; a model's answer is parsed into proposals, and only `verify` makes statements of them."""

    subject: str
    """A name among the window's people, ``I`` for the speaker, or a thing as the cited lines call it."""
    attribute: str
    """A name of `attributes`, or another one; converted to snake_case."""
    value: str
    content: str
    """One sentence."""
    lines: tuple[int, ...]
    """The numbers of the cited lines of the window, never of its context."""
    quote: str
    """Words from one of the cited lines."""
    speaker: str = ""
    """The speaker exactly as the lines name them; empty for the speaker of all cited lines."""
    mode: str = ""
    """Either ``own``, or one of `verify.MODES`, which make it no statement of the speaker's; empty: not given."""
    tense: str = ""
    """One of ``now``, ``past`` and ``planned``; empty: not given."""
    negated: bool = False
    of_known: bool = False
    """True if it only ends a known fact, and states nothing by itself; see `Statement.of_known`."""
    valid_from: str = ""
    """An ISO date, month, year or time, or an expression such as ``last week``; empty if none was given."""
    valid_to: str = ""
    category: str = ""
    importance: float | None = None
    """The importance from 1 to 3; anything else means the attribute's default."""
    sensitivity: str = ""
    """One of ``low``, ``medium`` and ``high``; at least the attribute's default."""
    confidence: float = 1.0
    sentiment: float | None = None
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sentence: str = ""
    """The original sentence; empty if it is ``content``."""
