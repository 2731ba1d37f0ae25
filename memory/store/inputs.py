"""The inputs of each document by run, in order, so that a run can be undone by merging the other inputs again.

One row per version of a document, about 130 bytes; runs that bring a known version again share a row of `repeats`. The
content of an input is kept, compressed, only if a document had different inputs; otherwise the document itself is its
content.
"""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
import zlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from ..write_batches import DocumentInput, UndoneRun
from . import repeats
from .codec import uuid_of
from .errors import decoding
from .sql import rows_for

TABLES = """
CREATE TABLE inputs (
    document INTEGER NOT NULL REFERENCES documents, number INTEGER NOT NULL, run TEXT NOT NULL, digest BLOB NOT NULL,
    body BLOB, PRIMARY KEY (document, number)
) WITHOUT ROWID;
CREATE INDEX inputs_by_run ON inputs (run);
"""
"""``body``: the compressed JSON of the input if the document had several different ones; empty if its content was lost.
"""


@dataclass(frozen=True, slots=True)
class _Form:
    """One row of ``inputs``: a version of a document."""

    number: int
    run: str
    digest: bytes
    body: bytes | None


@dataclass(slots=True)
class _Forms:
    """The rows of a document, by ascending number."""

    document: int
    rows: list[_Form] = field(default_factory=list[_Form])

    @property
    def latest(self) -> int:
        """The number of the latest row; 0 if there are none."""
        return self.rows[-1].number if self.rows else 0


def put_inputs(connection: sqlite3.Connection, inputs: Iterable[DocumentInput]) -> None:
    """Record the inputs of runs in their order. An input that a run repeats is recorded once if it is the only one."""
    new_inputs = list(inputs)
    forms_by_document = _forms(connection, {each.document for each in new_inputs}, words=False)
    repeated: defaultdict[tuple[str, int], dict[int, int]] = defaultdict(dict)
    for each in new_inputs:
        forms = forms_by_document.get(each.document)
        if forms is None:
            continue  # the document was forgotten
        if each.before is not None:
            _keep_words_before(connection, forms, each.before)
        same = [form for form in forms.rows if form.digest == each.digest]
        if len(forms.rows) == 1 and same and same[0].run == each.run:
            continue
        if same:
            back = len(forms.rows) - 1 - forms.rows.index(same[-1])
            repeated[each.run, back][forms.document] = forms.latest
            continue
        if any(forms.document in documents for documents in repeated.values()):
            _put_repeated(connection, repeated)  # it came in this version after another version
        number = max(forms.latest, repeats.last_number(connection)) + 1
        body = _packed(each.body)
        connection.execute(
            "INSERT INTO inputs VALUES (?, ?, ?, ?, ?)", (forms.document, number, each.run, each.digest, body)
        )
        forms.rows.append(_Form(number, each.run, each.digest, body))
    _put_repeated(connection, repeated)


def _put_repeated(connection: sqlite3.Connection, repeated: dict[tuple[str, int], dict[int, int]]) -> None:
    for (run, back), documents in repeated.items():
        repeats.put(connection, run, back, documents)
    repeated.clear()


def _keep_words_before(connection: sqlite3.Connection, forms: _Forms, before: bytes) -> None:
    body = _packed(before)
    if not forms.rows:  # the document comes from a memd that recorded no runs
        connection.execute("INSERT INTO inputs VALUES (?, 0, '', x'', ?)", (forms.document, body))
        forms.rows.append(_Form(0, "", b"", body))
    else:
        connection.execute(
            "UPDATE inputs SET body = ?1 WHERE document = ?2 AND body IS NULL AND number ="
            " (SELECT min(number) FROM inputs WHERE document = ?2)"
            " AND NOT EXISTS (SELECT 1 FROM inputs WHERE document = ?2 AND body IS NOT NULL)",
            (body, forms.document),
        )


def _forms(connection: sqlite3.Connection, documents: Collection[UUID], *, words: bool) -> dict[UUID, _Forms]:
    """Return the rows of the stored documents among `documents`, with their content if `words`."""
    by_key: dict[UUID, _Forms] = {}
    statement = (
        f"SELECT d.key, d.id, i.number, i.run, i.digest, {'i.body' if words else 'NULL'} FROM documents d LEFT JOIN inputs i ON i.document = d.id"
        " WHERE d.key IN ({}) ORDER BY d.id, i.number"
    )
    for key, document, *row in rows_for(connection, statement, [key.bytes for key in documents]):
        forms = by_key.setdefault(uuid_of(key), _Forms(document))
        if row[0] is not None:
            forms.rows.append(_Form(*row))
    return by_key


def documents_of(connection: sqlite3.Connection, run: str) -> list[UUID]:
    """Return the documents to which a run contributed, in the order of their rows."""
    rows = connection.execute(
        "SELECT DISTINCT d.id, d.key FROM inputs i JOIN documents d ON d.id = i.document WHERE i.run = ?", (run,)
    )
    by_row: dict[int, UUID] = {document: uuid_of(key) for document, key in rows}
    for each in repeats.of_run(connection, run):
        for span in each.documents:
            between = (span.start, span.stop - 1)
            rows = connection.execute("SELECT id, key FROM documents WHERE id BETWEEN ? AND ?", between)
            by_row |= {document: uuid_of(key) for document, key in rows}
    return [by_row[document] for document in sorted(by_row)]


def inputs_of(
    connection: sqlite3.Connection, documents: Collection[UUID], *, repeated: bool = True
) -> dict[UUID, list[DocumentInput]]:
    """Return the inputs of documents in order, with the stored content of each.

    Args:
        connection: to the database.
        documents: keys; documents without inputs are omitted.
        repeated: include inputs that repeat a known version.
    """
    forms_by_document = _forms(connection, documents, words=True)
    rows = {forms.document: list(forms.rows) for forms in forms_by_document.values()}
    if repeated:
        forms_of = {forms.document: forms.rows for forms in forms_by_document.values()}
        for document, form in _repeated(connection, forms_of):
            rows[document].append(form)
    return {
        key: [
            DocumentInput(key, form.run, form.digest, _unpacked(form.body))
            for form in sorted(rows[forms.document], key=lambda form: form.number)
        ]
        for key, forms in forms_by_document.items()
        if forms.rows
    }


def _repeated(connection: sqlite3.Connection, forms: Mapping[int, list[_Form]]) -> Iterable[tuple[int, _Form]]:
    """Yield (document row, version) for the inputs that repeated a known version; only the first occurrence has the
    content.
    """
    documents = sorted(forms)
    for each in repeats.of_documents(connection, documents):
        for document in each.among(documents):
            place = bisect_left(forms[document], each.number, key=lambda form: form.number) - 1 - each.back
            if place >= 0:
                form = forms[document][place]
                yield document, _Form(each.number, each.run, form.digest, None if form.body else form.body)


def seal(connection: sqlite3.Connection, documents: Collection[int]) -> None:
    """Erase the stored input content of these documents, after a part of them was forgotten."""
    connection.executemany("UPDATE inputs SET body = x'' WHERE document = ?", [(each,) for each in documents])


def apply_undo(connection: sqlite3.Connection, undone: UndoneRun) -> None:
    """Delete the inputs of undone runs; other inputs stay, and digests that only undone runs brought are deleted."""
    keys = [key.bytes for key in undone.left]
    documents = [row[0] for row in rows_for(connection, "SELECT id FROM documents WHERE key IN ({})", keys)]
    repeats.drop(connection, documents)
    connection.executemany("DELETE FROM inputs WHERE document = ?", [(document,) for document in documents])
    # Put the first inputs of all documents, then the second ones, and so on: repeats of one run are then stored
    # together.
    for place in range(max(map(len, undone.left.values()), default=0)):
        put_inputs(connection, [left[place] for left in undone.left.values() if place < len(left)])
    for key, gone in undone.digests.items():
        connection.executemany(
            "DELETE FROM digests WHERE document = (SELECT id FROM documents WHERE key = ?) AND digest = ?",
            [(key.bytes, digest) for digest in gone],
        )


@decoding
def _unpacked(body: bytes | None) -> bytes | None:
    return zlib.decompress(body) if body else body


def _packed(body: bytes | None) -> bytes | None:
    """Compress a body; None and empty bodies are returned unchanged."""
    return zlib.compress(body) if body else body
