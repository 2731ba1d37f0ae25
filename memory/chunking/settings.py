"""The settings of chunking: a strategy for each kind of document, and their parameters."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...schemas.settings import Section

Tokens = Annotated[int, Field(ge=16, le=32_768)]
Repeated = Annotated[int, Field(ge=0, le=8_192)]


class ChunkingSettings(Section):
    """The way in which documents are cut into chunks. After a change, `memd reindex` cuts again what is stored."""

    conversations: str = "message"
    """The strategy for conversations: ``message``, ``contextual``, ``time-window``, ``adaptive``, or one of a package."""
    texts: str = "recursive"
    """The strategy for other texts: ``recursive``, ``paragraph``, ``sentences``, ``semantic``, ``semantic-similarity``,
    ``character``, ``headers``, ``definitions``, or one of a package."""
    markdown: str = "headers"
    """The strategy for Markdown, one for texts."""
    code: str = "definitions"
    """The strategy for source code, one for texts."""
    sources: dict[str, str] = Field(default_factory=dict[str, str])
    """Strategies by source, ``{ notes = "sentences", imap = "contextual" }``; one for texts leaves conversations as they
    are, and the other way round."""
    max_tokens: Tokens | None = None
    """Tokens of a chunk of a text; by default what is usual for the strategy, and never more than the embedder reads."""
    overlap_tokens: Repeated | None = None
    """Tokens that a chunk repeats of the one before it, where the strategy has an overlap."""
    min_tokens: Repeated | None = None
    """Tokens below which a paragraph or a subject is joined with the next."""
    max_characters: Annotated[int, Field(ge=40, le=100_000)] | None = None
    """The length of a chunk of the strategy ``character``."""
    overlap_characters: Repeated | None = None
    context_tokens: Repeated | None = None
    """Tokens of other messages that the embedder reads with each one, in ``contextual``, ``time-window`` and ``adaptive``."""
    window_minutes: Annotated[int, Field(ge=1, le=10_080)] | None = None
    """Minutes before and after a message, in ``time-window``."""
