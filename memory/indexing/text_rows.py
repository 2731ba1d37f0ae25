"""Builds the rows of the word index: the terms of a chunk and of its neighbourhood, and its filter columns."""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from ..index.rows import DocumentFields, FilterRow, ShownFields, TextRow
from ..records import EXPANSION_STRATEGY, MAIL_SOURCES
from ..search_types import CROWD
from ..store.chunk_spans import IN_READERS_WORDS
from ..store.codec import embed_text
from ..store.errors import row_errors
from ..store.sql import rows_for, spans
from ..text.fields import WIDE_AFTER, WIDE_BEFORE, lexical_fields, titled

Terms = Callable[[str], str]
"""Converts a text to its terms, separated by spaces."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    chunk: int
    document: int
    ordinal: int
    owner: int | None
    start: int
    end: int
    said: str | None
    """The text of a fact or an expansion, which is in an extractor's words; None for a piece of the message."""


def text_rows(connection: sqlite3.Connection, chunks: Sequence[int], terms: Terms) -> Iterator[TextRow]:
    """Yield the rows of those chunks that still exist, document by document."""
    statement = f"""SELECT c.id, c.document, coalesce(m.position, c.ordinal), c.message, c.start, c."end",
        CASE WHEN {IN_READERS_WORDS} THEN c.embed END FROM chunks c
        LEFT JOIN messages m ON m.id = c.message WHERE c.id IN ({{}})"""
    groups: dict[tuple[int, bool], list[_Chunk]] = defaultdict(list)
    for row in rows_for(connection, statement, chunks):
        chunk = _Chunk(*row)
        groups[chunk.document, chunk.owner is not None].append(chunk)
    documents = _documents(connection, {document for document, _ in groups})
    for (identifier, of_messages), members in groups.items():
        document = documents[identifier]
        if of_messages:
            yield from _message_rows(connection, document, members, terms)
        else:
            yield from _piece_rows(connection, document, members, terms)


_FILTERED = """
SELECT c.id, c.document, s.folded, m.kind, m.micros FROM chunks c LEFT JOIN messages m ON m.id = c.message
LEFT JOIN speakers s ON s.id = m.speaker WHERE c.id IN ({})
"""


def filter_rows(connection: sqlite3.Connection, chunks: Sequence[int]) -> list[FilterRow]:
    """Return the filter columns of those chunks that still exist."""
    columns = list(rows_for(connection, _FILTERED, chunks))
    documents = _documents(connection, {row[1] for row in columns})
    rows: list[FilterRow] = []
    for chunk, document, speaker, kind, time in columns:
        fields = documents[document]
        of_text = speaker is None
        rows.append(FilterRow(chunk, speaker, "text" if of_text else kind, fields.time if of_text else time, fields))
    return rows


# Refused proposals are shown nowhere: the message's own text is stored in their place.
_SHOWN = f"""
SELECT c.id, coalesce(m.key, c.key), d.id, d.name, v.title, s.name,
    CASE WHEN k.strategy = '{EXPANSION_STRATEGY}' THEN m.content ELSE c.embed END,
    coalesce(m.content, d.content, ''), c.start, c."end"
FROM chunks c JOIN makes k ON k.id = c.make JOIN documents d ON d.id = c.document LEFT JOIN messages m ON m.id = c.message
LEFT JOIN speakers s ON s.id = m.speaker LEFT JOIN conversations v ON v.key = d.chat WHERE c.id IN ({{}})
"""


def with_shown(connection: sqlite3.Connection, rows: Sequence[TextRow]) -> list[TextRow]:
    """Return the rows with the texts that other tools display."""
    columns = {row[0]: row[1:] for row in rows_for(connection, _SHOWN, (row.chunk for row in rows))}
    people: dict[int, list[str]] = defaultdict(list)
    statement = "SELECT document, name FROM people WHERE document IN ({}) AND ordinal < ?"
    for document, name in rows_for(connection, statement, {each[1] for each in columns.values()}, CROWD):
        people[document].append(name)
    result: list[TextRow] = []
    for row in rows:
        key, document, name, title, speaker, extracted, content, start, end = columns[row.chunk]
        with row_errors():
            text = content[start:end] if extracted is None else extracted
            shown = ShownFields(UUID(bytes=key), name, title or "", speaker or "", text, tuple(people[document]))
        result.append(replace(row, shown=shown))
    return result


_MAILS = ", ".join(f"'{source}'" for source in MAIL_SOURCES)
_DOCUMENTS = f"""
SELECT id, source, chat, micros, content,
    CASE WHEN (kind = 'text' OR source IN ({_MAILS})) AND json_valid(metadata) THEN metadata ->> '$.title' END
FROM documents WHERE id IN ({{}})
"""


def _documents(connection: sqlite3.Connection, identifiers: set[int]) -> dict[int, DocumentFields]:
    people: dict[int, list[str]] = defaultdict(list)
    tags: dict[int, list[str]] = defaultdict(list)
    statement = "SELECT document, folded FROM people WHERE document IN ({}) AND ordinal <= ?"
    for document, name in rows_for(connection, statement, identifiers, CROWD):
        people[document].append(name)
    for document, tag in rows_for(connection, "SELECT document, tag FROM tags WHERE document IN ({})", identifiers):
        tags[document].append(tag)
    return {
        identifier: DocumentFields(
            source,
            "" if chat is None else chat.hex(),
            tuple(dict.fromkeys(people[identifier])) if len(people[identifier]) <= CROWD else (),
            identifier if len(people[identifier]) > CROWD else None,
            tuple(dict.fromkeys(tags[identifier])),
            time,
            content or "",
            str(title or ""),
        )
        for identifier, source, chat, time, content, title in rows_for(connection, _DOCUMENTS, identifiers)
    }


_AROUND = """
SELECT m.id, m.position, s.name, s.folded, m.kind, m.micros, m.content FROM messages m JOIN speakers s ON s.id = m.speaker
WHERE m.document = ? AND m.position BETWEEN ? AND ? ORDER BY m.position, m.id
"""


def _message_rows(
    connection: sqlite3.Connection, document: DocumentFields, members: Sequence[_Chunk], terms: Terms
) -> Iterator[TextRow]:
    positions = [chunk.ordinal for chunk in members]
    title = terms(document.title)
    chunks = {chunk.ordinal: [c for c in members if c.ordinal == chunk.ordinal] for chunk in members}
    for low, high in spans(positions, WIDE_BEFORE, WIDE_AFTER):
        around = connection.execute(_AROUND, (members[0].document, low, high)).fetchall()
        owners = [terms(embed_text(row[2], row[6])) for row in around]
        for index, (identifier, position, name, folded, kind, micros, content) in enumerate(around):
            for chunk in chunks.get(position, ()):
                if chunk.owner != identifier:
                    continue
                whole = chunk.start == 0 and chunk.end == len(content)
                if chunk.said is not None:
                    # An extracted text is found by its own words and by those of its message: both together match
                    # better than each.
                    text = f"{owners[index]} {terms(chunk.said)}"
                elif whole:
                    text = owners[index]
                else:
                    with row_errors():
                        slice_text = embed_text(name, content[chunk.start : chunk.end])
                    text = terms(slice_text)
                if position == chunk.start == 0:
                    text = titled(text, title)
                yield TextRow(chunk.chunk, lexical_fields(text, owners, index, title), folded, kind, micros, document)


_PIECES = """
SELECT id, ordinal, start, "end" FROM chunks WHERE document = ? AND message IS NULL AND ordinal BETWEEN ? AND ?
ORDER BY ordinal, id
"""


def _piece_rows(
    connection: sqlite3.Connection, document: DocumentFields, members: Sequence[_Chunk], terms: Terms
) -> Iterator[TextRow]:
    requested = {chunk.chunk for chunk in members}
    title = terms(document.title)
    for low, high in spans([chunk.ordinal for chunk in members], WIDE_BEFORE, WIDE_AFTER):
        around = connection.execute(_PIECES, (members[0].document, low, high)).fetchall()
        with row_errors():
            texts = [document.content[start:end] for _, _, start, end in around]
        owners = [terms(text) for text in texts]
        for index, (identifier, ordinal, _, _) in enumerate(around):
            if identifier in requested:
                # The title is a word of the first piece: a book is one document about its subject, not a thousand.
                text = owners[index] if ordinal else titled(owners[index], title)
                fields = lexical_fields(text, owners, index, title)
                yield TextRow(identifier, fields, None, "text", document.time, document)
