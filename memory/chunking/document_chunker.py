"""Turns messages and texts into chunks: chooses the strategy, and builds the text that the embedder reads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import cast

import orjson

from ...schemas import ConversationMessage
from ...schemas.keys import chunk_key
from ..embedding.embedder import Tokenizer
from ..records import StoredChunk, StoredDocument, StoredMessage
from .chunker import Chunker
from .registry import chunker

CONVERSATION_STRATEGY = "message"
TEXT_STRATEGY = "recursive"
MARKDOWN_STRATEGY = "headers"
CODE_STRATEGY = "definitions"
MOST_RESERVED = 64
"""Tokens reserved for ``Speaker: ``; a longer name is truncated for the embedder, not for display."""
NAME_SHOWN = 80
_MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})
MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdwn", ".mdx", ".qmd", ".rmd")
_APPS_OWN = frozenset({"system", "call", "deleted"})


def _has_words(message: ConversationMessage) -> bool:
    """Return whether a person wrote this. Texts of the app (``<Media omitted>``, "Ann was added") get no vector and are
    found by words only: thousands of equal placeholders would be near every query. A caption follows on a line of its
    own.
    """
    if message.kind in _APPS_OWN:
        return False
    return message.kind != "media" or "\n" in message.content.strip()


def is_source_code(document: StoredDocument) -> bool:
    """Return whether a text is source code, that is, has a programming language in its metadata."""
    return "programming_language" in document.metadata


def is_markdown(document: StoredDocument) -> bool:
    """Return whether a text is Markdown, by its media type, or else by the ending of its path or id."""
    media_type = document.metadata.get("media_type")
    if media_type is not None:
        return media_type.partition(";")[0].strip().lower() in _MARKDOWN_TYPES
    return document.metadata.get("path", document.id).lower().endswith(MARKDOWN_ENDINGS)


def page_starts(document: StoredDocument) -> list[int]:
    """Return the offsets where the pages of a text begin, ascending; empty for texts without pages."""
    try:
        parsed: object = orjson.loads(document.metadata.get("page_starts", "[]"))
    except orjson.JSONDecodeError:
        return []
    starts = cast("list[object]", parsed) if isinstance(parsed, list) else []
    offsets = [start for start in starts if isinstance(start, int)]
    return offsets if len(offsets) == len(starts) and offsets == sorted(offsets) else []


def _page(starts: Sequence[int], at: int) -> str:
    """Return the page at this offset, as the section of a chunk."""
    return f"page {bisect_right(starts, at)}" if starts and at >= starts[0] else ""


class DocumentChunker:
    """Cuts documents with the current strategies.

    Args:
        tokenizer: the embedder's own.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._messages = chunker(CONVERSATION_STRATEGY, tokenizer)
        self._texts = chunker(TEXT_STRATEGY, tokenizer)
        self._markdown = chunker(MARKDOWN_STRATEGY, tokenizer)
        self._code = chunker(CODE_STRATEGY, tokenizer)
        self._reserves: dict[str, int] = {}

    @property
    def versions(self) -> tuple[str, ...]:
        """Return the versions of the strategies, sorted: a part of the generation."""
        return tuple(sorted(strategy.version for strategy in (self._messages, self._texts, self._markdown, self._code)))

    def messages(self, rows: Sequence[StoredMessage]) -> list[StoredChunk]:
        """Return the chunks of messages; the embedder reads ``Speaker: `` before each."""
        texts = [row.message.content for row in rows]
        reserves = [self._reserve(row.message.speaker) for row in rows]
        chunks: list[StoredChunk] = []
        for row, spans in zip(rows, self._messages.spans_many(texts, reserves), strict=True):
            for index, span in enumerate(spans):
                piece = row.message.content[span.start : span.end]
                chunks.append(
                    StoredChunk(
                        key=chunk_key(
                            row.key, self._messages.name, self._messages.version, span.start, span.end, piece
                        ),
                        document=row.document,
                        message=row.key,
                        index=index,
                        start=span.start,
                        end=span.end,
                        token_count=span.token_count,
                        strategy=self._messages.name,
                        version=self._messages.version,
                        section=span.section,
                        embed_text=f"{row.message.speaker[:NAME_SHOWN]}: {piece}" if _has_words(row.message) else "",
                    )
                )
        return chunks

    def text(self, document: StoredDocument, content: str) -> list[StoredChunk]:
        """Return the chunks of a text."""
        strategy = self._strategy(document)
        pages = page_starts(document)
        return [
            StoredChunk(
                key=chunk_key(
                    document.key, strategy.name, strategy.version, span.start, span.end,
                    content[span.start : span.end],
                ),
                document=document.key,
                message=None,
                index=index,
                start=span.start,
                end=span.end,
                token_count=span.token_count,
                strategy=strategy.name,
                version=strategy.version,
                section=span.section or _page(pages, span.start),
                embed_text=content[span.start : span.end],
            )
            for index, span in enumerate(strategy.spans(content))
        ]  # fmt: skip

    def _strategy(self, document: StoredDocument) -> Chunker:
        if is_source_code(document):
            return self._code
        return self._markdown if is_markdown(document) else self._texts

    def _reserve(self, speaker: str) -> int:
        reserve = self._reserves.get(speaker)
        if reserve is None:
            if len(self._reserves) > 10_000:  # a million participants must not be remembered
                self._reserves.clear()
            reserve = min(MOST_RESERVED, self._tokenizer.count_many([f"{speaker[:NAME_SHOWN]}: "])[0])
            self._reserves[speaker] = reserve
        return reserve
