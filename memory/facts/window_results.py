"""The results of an extractor for windows, and what they make of a document. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from ..extraction.extractor import Extraction, Extractor, versioned_name
from ..extraction.records import DocumentExtraction, StoredStatement, UnreadWindow, WindowRecord
from ..extraction.window import Window
from .document_windows import DocumentWindows
from .fact_update_plan import cluster_name


@dataclass(slots=True)
class WindowResults:
    """New results, by the hashes of the windows."""

    read: dict[bytes, tuple[WindowRecord, list[StoredStatement]]] = field(
        default_factory=dict[bytes, tuple[WindowRecord, list[StoredStatement]]]
    )
    failed: dict[bytes, str] = field(default_factory=dict[bytes, str])
    """Windows that could not be read, with the reason."""

    @property
    def statements(self) -> list[StoredStatement]:
        """All statements."""
        return [each for _, statements in self.read.values() for each in statements]

    def add(
        self,
        extractions: Iterable[tuple[Window, Extraction]],
        documents: Mapping[UUID, DocumentWindows],
        run: str,
        reader: Extractor,
    ) -> list[Window]:
        """Add a reader's results; return the windows at which it failed."""
        failed: list[Window] = []
        for window, extraction in extractions:
            if extraction.failure:
                self.failed[window.hash] = extraction.failure
                failed.append(window)
                continue
            record = WindowRecord(
                window.hash, versioned_name(reader), dict(extraction.rejected), extraction.summary, extraction.refusals
            )
            who = documents[window.document].who
            self.read[window.hash] = (
                record,
                [
                    StoredStatement(statement, window.hash, cluster_name(statement, who), run)
                    for statement in extraction.statements
                ],
            )
        return failed


def records_of(
    document: DocumentWindows, stored: DocumentExtraction | None, reader: Extractor, *, substitute: bool
) -> dict[bytes, WindowRecord]:
    """Return the records of the windows that a reader has read; for the substitute, also of those that a model has
    read.
    """
    if stored is None:
        return {}
    name = versioned_name(reader)
    records = {
        record.hash: record
        for record in stored.windows
        if record.extractor == name or (substitute and not record.extractor.startswith(f"{reader.name}/"))
    }
    return {window.hash: records[window.hash] for window in document.windows if window.hash in records}


def document_extraction(
    document: DocumentWindows,
    stored: DocumentExtraction | None,
    results: WindowResults,
    records: Mapping[bytes, WindowRecord],
    *,
    provisional: bool,
) -> DocumentExtraction:
    """Return the whole extraction of a document: new results, and the stored ones of its other windows, by ``records``."""
    windows: list[WindowRecord] = []
    statements: list[StoredStatement] = []
    for digest in (window.hash for window in document.windows):
        if digest in results.read:
            record, extracts = results.read[digest]
        elif digest in records and stored is not None:
            record, extracts = records[digest], [each for each in stored.statements if each.window == digest]
        else:
            continue
        windows.append(record)
        statements += renamed(extracts, document)
    unread = [
        UnreadWindow(window.hash, results.failed[window.hash])
        for window in document.windows
        if window.hash in results.failed
    ]
    return DocumentExtraction(document.row.key, windows, statements, unread, provisional=provisional)


def renamed(statements: Iterable[StoredStatement], document: DocumentWindows) -> list[StoredStatement]:
    """Return statements of a document in the clusters of the present names: a participant may have been renamed."""
    return [replace(each, cluster=cluster_name(each.statement, document.who)) for each in statements]


def content_of(extraction: DocumentExtraction | None) -> set[tuple[bytes, str]]:
    """Return the windows of an extraction, each with its extractor, and its statements, each with its cluster."""
    if extraction is None:
        return set()
    windows = {(record.hash, record.extractor) for record in extraction.windows}
    return windows | {(each.statement.key.bytes, each.cluster) for each in extraction.statements}


def without_statements(extraction: DocumentExtraction, statements: Collection[UUID]) -> DocumentExtraction:
    """Return an extraction without these statements, and without the summaries of the windows that made them."""
    windows = {each.window for each in extraction.statements if each.statement.key in statements}
    if not windows:
        return extraction
    return replace(
        extraction,
        windows=[
            replace(record, summary="", refusals=()) if record.hash in windows else record
            for record in extraction.windows
        ],
        statements=[each for each in extraction.statements if each.statement.key not in statements],
    )
