"""What is written to the store, each in one transaction: changes of documents, what was learned of them, removals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from ..schemas import Conversation
from .records import DocumentExtraction, LinkKey, Rename, StoredChunk, StoredDocument, StoredFact, StoredMessage

EntryName = tuple[str, int]
"""By which whoever gives documents knows one that may be given again: its run and a number."""


@dataclass(frozen=True, slots=True)
class QueuedEntries:
    """The names of documents that may be given again, because nobody knows after an interruption that they are stored."""

    names: Sequence[EntryName]
    """Of each document that is written."""
    outstanding: Collection[EntryName]
    """All that may still be given again, these included."""


@dataclass(frozen=True, slots=True)
class DocumentInput:
    """That a run brought something of a document."""

    document: UUID
    run: str
    """Empty: no run is known."""
    digest: bytes
    """SHA-256 of its JSON form."""
    body: bytes | None = None
    """The JSON form, where the document had others; empty: something of the document was forgotten since."""
    before: bytes | None = None
    """On writing, the document as it stood, where its only input was not kept."""


@dataclass(frozen=True, slots=True)
class UndoneRun:
    """What becomes of the inputs of documents when runs are undone."""

    left: Mapping[UUID, Sequence[DocumentInput]] = field(default_factory=dict[UUID, Sequence[DocumentInput]])
    """By document that stays, the inputs of all other runs."""
    digests: Mapping[UUID, Collection[bytes]] = field(default_factory=dict[UUID, Collection[bytes]])
    """By document that stays, digests of inputs that no other run brought."""


@dataclass(frozen=True, slots=True)
class WriteBatch:
    """One atomic group of upserts. Order within a group does not matter; a group is applied whole or not at all."""

    documents: Sequence[StoredDocument] = ()
    messages: Sequence[StoredMessage] = ()
    chunks: Sequence[StoredChunk] = ()
    dropped_chunks: Sequence[UUID] = ()
    """Chunks that a changed text replaced."""
    moved: Mapping[UUID, int] = field(default_factory=dict[UUID, int])
    """New positions of messages that are otherwise unchanged."""
    conversations: Sequence[tuple[UUID, Conversation]] = ()
    """People are merged into those already known; a non-empty title replaces."""
    renames: Sequence[Rename] = ()
    inputs: Sequence[DocumentInput] = ()
    """Noted after the documents were written."""
    written: Mapping[EntryName, tuple[int, int]] = field(default_factory=dict[EntryName, tuple[int, int]])
    """By the entry of a queue that is written how many messages of it are added, and how many updated."""
    outstanding: Collection[EntryName] = ()
    """The entries of which that is kept."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What is to be forgotten, and what becomes of the documents that stay; carried out in one transaction."""

    documents: Sequence[UUID] = ()
    """Whole documents, with everything in them."""
    messages: Sequence[UUID] = ()
    """Messages of documents that stay."""
    tombstones: Mapping[UUID, Collection[UUID]] = field(default_factory=dict[UUID, Collection[UUID]])
    """By document, keys that no later input may bring back."""
    changes: WriteBatch = field(default_factory=WriteBatch)
    """Applied after the removal: the documents that stay, without the names of those who are gone from them."""
    update: KnowledgeUpdate | None = None
    """What is known without it."""
    undone: UndoneRun | None = None
    """Nothing is forgotten: a run is taken back, which may come again."""
    subjects: Collection[str] = ()
    """Names, folded: also what was known about them once and is not now goes for good."""
    merged: Collection[tuple[str, str]] = ()
    """The same for names in one source each, which belong to these people."""


@dataclass(frozen=True, slots=True)
class KnowledgeUpdate:
    """What reading documents, or excluding statements, changes; applied in one transaction."""

    run: str
    at: datetime
    extractions: Sequence[DocumentExtraction] = ()
    facts: Sequence[StoredFact] = ()
    """New present versions; those before them are kept as replaced ``at``."""
    gone: Sequence[UUID] = ()
    """Facts that nothing supports any more; their last versions are kept as replaced."""
    excluded: Sequence[UUID] = ()
    """Statements that are not believed any more: undo."""
    included: Sequence[UUID] = ()
    """Statements that are believed again."""
    erased: Sequence[str] = ()
    """Clusters all of whose versions go for good, before ``facts`` are kept: forgetting."""
    link_keys: Mapping[UUID, Collection[LinkKey]] = field(default_factory=dict[UUID, Collection[LinkKey]])
    """The present link keys of these facts, for `SQLiteStore.facts_by_link_key`."""
    changes: WriteBatch = field(default_factory=WriteBatch)
    """The chunks under which messages are found by what they say."""
