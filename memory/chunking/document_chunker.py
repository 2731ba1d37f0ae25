"""Turns messages and texts into chunks: chooses the strategy, and builds the text that the embedder reads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import cast
from uuid import UUID

import orjson

from ...schemas import ConversationMessage
from ...schemas.keys import chunk_key
from ..embedding.embedder import Tokenizer
from ..records import StoredChunk, StoredDocument, StoredMessage
from .chunker import TextSpan
from .message import MessageChunker
from .registry import neighbours_of, spans_of
from .settings import ChunkingSettings
from .strategies import Sort, Strategies

MOST_RESERVED = 64
"""Tokens reserved for ``Speaker: ``; a longer name is truncated for the embedder, not for display."""
NAME_SHOWN = 80
NEIGHBOUR_SHOWN = 240
"""Characters that the embedder reads of another message, at most: a long one must not push out all others."""
_NONE: Mapping[UUID, str] = MappingProxyType({})
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


def _sort(document: StoredDocument) -> Sort:
    if is_source_code(document):
        return "code"
    return "markdown" if is_markdown(document) else "texts"


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
    """Cuts documents with the strategies of the settings.

    Args:
        tokenizer: the embedder's own.
        settings: the strategies and their parameters.

    Raises:
        ConfigError: the settings name a strategy that does not exist, or is for other documents.
    """

    def __init__(self, tokenizer: Tokenizer, settings: ChunkingSettings | None = None) -> None:
        self._tokenizer = tokenizer
        self._strategies = Strategies(tokenizer, settings or ChunkingSettings())
        self._reserves: dict[str, int] = {}

    @property
    def versions(self) -> tuple[str, ...]:
        """Return the versions of the strategies, sorted: a part of the generation."""
        return self._strategies.versions

    def version_of(self, document: StoredDocument) -> str:
        """Return the version of the strategy that cuts a document."""
        if document.kind == "conversation":
            return self._strategies.for_messages(document.source).version
        return self._strategies.for_text(document.source, _sort(document)).version

    def reach(self, source: str) -> int:
        """Return how many messages before and after each one of a source the embedder may read with it."""
        return self._strategies.for_messages(source).reach

    @property
    def reaches(self) -> bool:
        """Return whether some vectors are of several messages."""
        return self._strategies.reaches

    def messages(self, rows: Sequence[StoredMessage], sources: Mapping[UUID, str] = _NONE) -> list[StoredChunk]:
        """Return the chunks of messages; the embedder reads ``Speaker: `` before each.

        Args:
            rows: of any documents.
            sources: of their documents by key.
        """
        chunks: list[StoredChunk] = []
        by_strategy: dict[MessageChunker, list[StoredMessage]] = {}
        for row in rows:
            by_strategy.setdefault(self._strategies.for_messages(sources.get(row.document, "")), []).append(row)
        for strategy, some in by_strategy.items():
            for row, of_row in self._cut(strategy, some):
                chunks += self._chunks(strategy, row, of_row)
        return chunks

    def conversation(
        self, rows: Sequence[StoredMessage], source: str, wanted: Collection[UUID] | None = None
    ) -> list[StoredChunk]:
        """Return the chunks of a whole conversation; the embedder reads each with its neighbours, as the strategy says.

        Args:
            rows: all its messages, in order.
            source: of the document.
            wanted: keys of the messages whose chunks are wanted; None for all.
        """
        strategy = self._strategies.for_messages(source)
        cut = self._cut(strategy, [row for row in rows if wanted is None or row.key in wanted])
        if not strategy.reach:
            return [chunk for row, spans in cut for chunk in self._chunks(strategy, row, spans)]
        messages = [row.message for row in rows]
        lines = [_as_neighbour(message) for message in messages]
        sizes = self._tokenizer.count_many(lines)
        places = {row.key: place for place, row in enumerate(rows)}
        chunks: list[StoredChunk] = []
        for row, spans in cut:
            at = places[row.key]
            around = neighbours_of(strategy, messages, at, sizes)
            before, after = (
                [line for line in lines[part] if line] for part in (slice(around.start, at), slice(at + 1, around.stop))
            )
            chunks += self._chunks(strategy, row, spans, before, after)
        return chunks

    def _cut(
        self, strategy: MessageChunker, rows: Sequence[StoredMessage]
    ) -> list[tuple[StoredMessage, list[TextSpan]]]:
        texts = [row.message.content for row in rows]
        reserves = [self._reserve(row.message.speaker) for row in rows]
        return list(zip(rows, spans_of(strategy, texts, reserves), strict=True))

    def _chunks(
        self,
        strategy: MessageChunker,
        row: StoredMessage,
        spans: Sequence[TextSpan],
        before: Sequence[str] = (),
        after: Sequence[str] = (),
    ) -> list[StoredChunk]:
        chunks: list[StoredChunk] = []
        for index, span in enumerate(spans):
            piece = row.message.content[span.start : span.end]
            line = f"{row.message.speaker[:NAME_SHOWN]}: {piece}"
            chunks.append(
                StoredChunk(
                    key=chunk_key(row.key, strategy.name, strategy.version, span.start, span.end, piece),
                    document=row.document,
                    message=row.key,
                    index=index,
                    start=span.start,
                    end=span.end,
                    token_count=span.token_count,
                    strategy=strategy.name,
                    version=strategy.version,
                    section=span.section,
                    embed_text="\n".join([*before, line, *after]) if _has_words(row.message) else "",
                )
            )
        return chunks

    def text(self, document: StoredDocument, content: str) -> list[StoredChunk]:
        """Return the chunks of a text."""
        strategy = self._strategies.for_text(document.source, _sort(document))
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
            for index, span in enumerate(spans_of(strategy, [content])[0])
        ]  # fmt: skip

    def _reserve(self, speaker: str) -> int:
        reserve = self._reserves.get(speaker)
        if reserve is None:
            if len(self._reserves) > 10_000:  # a million participants must not be remembered
                self._reserves.clear()
            reserve = min(MOST_RESERVED, self._tokenizer.count_many([f"{speaker[:NAME_SHOWN]}: "])[0])
            self._reserves[speaker] = reserve
        return reserve


def _as_neighbour(message: ConversationMessage) -> str:
    """Return the line by which the embedder reads a message beside another: of a long one its end; empty if no person
    wrote it.
    """
    if not _has_words(message):
        return ""
    words = message.content.strip()
    if len(words) > NEIGHBOUR_SHOWN:
        words = words[-NEIGHBOUR_SHOWN:].partition(" ")[2] or words[-NEIGHBOUR_SHOWN:]
    return f"{message.speaker[:NAME_SHOWN]}: {words}"
