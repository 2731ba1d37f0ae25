"""The units of writing to the store, one transaction each: changes of documents, extraction results, removals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from ..schemas import Conversation
from .records import DocumentExtraction, LinkKey, Rename, StoredChunk, StoredDocument, StoredFact, StoredMessage

EntryName = tuple[str, int]
"""The name of a document that may be delivered again: its run and a number."""


@dataclass(frozen=True, slots=True)
class QueuedEntries:
    """The names of documents that may be delivered again, because an interruption may hide that they were stored."""

    names: Sequence[EntryName]
    """The name of each document that is written."""
    outstanding: Collection[EntryName]
    """All names that may still be delivered again, including these."""


@dataclass(frozen=True, slots=True)
class DocumentInput:
    """The record that a run contributed to a document."""

    document: UUID
    run: str
    """Empty for an unknown run."""
    digest: bytes
    """The SHA-256 of its JSON form."""
    body: bytes | None = None
    """The JSON form, if the document had several versions; empty if a part of the document was forgotten since."""
    before: bytes | None = None
    """The former state of the document on writing, if its only input was not kept."""


@dataclass(frozen=True, slots=True)
class UndoneRun:
    """The inputs of documents after runs are undone."""

    left: Mapping[UUID, Sequence[DocumentInput]] = field(default_factory=dict[UUID, Sequence[DocumentInput]])
    """The inputs of all other runs, by remaining document."""
    digests: Mapping[UUID, Collection[bytes]] = field(default_factory=dict[UUID, Collection[bytes]])
    """The digests of inputs that no other run brought, by remaining document."""


@dataclass(frozen=True, slots=True)
class WriteBatch:
    """One atomic batch of upserts. The order within a batch does not matter; it is applied completely or not at all."""

    documents: Sequence[StoredDocument] = ()
    messages: Sequence[StoredMessage] = ()
    chunks: Sequence[StoredChunk] = ()
    dropped_chunks: Sequence[UUID] = ()
    """Chunks that a changed text replaced."""
    moved: Mapping[UUID, int] = field(default_factory=dict[UUID, int])
    """New positions of messages that are otherwise unchanged."""
    conversations: Sequence[tuple[UUID, Conversation]] = ()
    """Merged into the stored ones: people are united, a non-empty title replaces."""
    renames: Sequence[Rename] = ()
    inputs: Sequence[DocumentInput] = ()
    """Recorded after the documents are written."""
    written: Mapping[EntryName, tuple[int, int]] = field(default_factory=dict[EntryName, tuple[int, int]])
    """The messages added and updated by each queue entry that is written."""
    outstanding: Collection[EntryName] = ()
    """The entries whose counts are kept."""


@dataclass(frozen=True, slots=True)
class Removal:
    """The content to remove, and the changes of documents that stay; carried out in one transaction."""

    documents: Sequence[UUID] = ()
    """Whole documents, with everything in them."""
    messages: Sequence[UUID] = ()
    """Messages of documents that stay."""
    tombstones: Mapping[UUID, Collection[UUID]] = field(default_factory=dict[UUID, Collection[UUID]])
    """Keys that no later input may bring back, by document."""
    changes: WriteBatch = field(default_factory=WriteBatch)
    """Changes applied after the removal: remaining documents without the names of removed people."""
    update: KnowledgeUpdate | None = None
    """The update of facts that follows from the removal."""
    undone: UndoneRun | None = None
    """Set for an undo: nothing is forgotten, and the content may come again."""
    subjects: Collection[str] = ()
    """Folded names of people whose former facts are deleted for good too."""
    merged: Collection[tuple[str, str]] = ()
    """Such names that count in one source only, as (source, name)."""


@dataclass(frozen=True, slots=True)
class KnowledgeUpdate:
    """The changes from extracting documents or excluding statements; applied in one transaction."""

    run: str
    at: datetime
    extractions: Sequence[DocumentExtraction] = ()
    facts: Sequence[StoredFact] = ()
    """New current versions; the versions before them are kept as replaced ``at``."""
    gone: Sequence[UUID] = ()
    """Facts without any support left; their last versions are kept as replaced."""
    excluded: Sequence[UUID] = ()
    """Statements that are excluded from now on, by an undo."""
    included: Sequence[UUID] = ()
    """Statements that are no longer excluded."""
    erased: Sequence[str] = ()
    """Clusters of which all versions are deleted for good, before ``facts`` are stored: forgetting."""
    link_keys: Mapping[UUID, Collection[LinkKey]] = field(default_factory=dict[UUID, Collection[LinkKey]])
    """The current link keys of these facts, for `facts_by_link_key`."""
    changes: WriteBatch = field(default_factory=WriteBatch)
    """The chunks by which messages are found through these facts."""
