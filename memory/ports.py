"""What the memory offers (`Storage`) and what it needs (`Backend`): the contracts, and the rows that cross them.

Terminology. A *document* is what a source made. A *message* is one entry of a conversation document, kept verbatim.
A *chunk* is what is searched and embedded: a message, a piece of a long one, or a piece of a text. A *key* is a
UUIDv5 from `schemas.keys`; equal input has equal keys, so every write is an upsert and may be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ..schemas import (
    Arm,
    Conversation,
    ConversationMessage,
    Document,
    Fact,
    ProgressUpdate,
    Query,
    QueryResult,
    StoreReport,
)
from .evolution.links import Link, Spot
from .extraction.statement import Statement

Vector = NDArray[np.float32]
Column = NDArray[np.float64]


class ProgressSender(Protocol):
    """Where progress goes."""

    def send(self, update: ProgressUpdate) -> None:
        """Take the latest state. Never blocks, never raises, may drop all but the newest."""
        ...


class Storage(Protocol):
    """A memory: documents in, answers out."""

    async def store(self, documents: Iterable[Document], progress: ProgressSender | None = None) -> StoreReport:
        """Keep documents and make them searchable, by words and by vectors; returns when both are done.

        Raises:
            StoreError: nothing of the failing group was written; what was reported as processed stays.
        """
        ...

    async def query(self, query: str | Query) -> QueryResult:
        """Answer a question. An empty store, unknown words and no hits are answers.

        Raises:
            InvalidError: the query breaks a rule (``limit must be 1-100``).
            StoreError: the store cannot be read.
        """
        ...


# --- rows ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document without its messages. ``content`` is filled for texts only."""

    key: UUID
    id: str
    source: str
    account: str
    kind: Literal["conversation", "text"]
    user: str = ""
    people: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    timestamp: datetime | None = None
    content: str = ""
    chat: UUID | None = None
    """The key of its Conversation, for the days of one chat."""
    digests: frozenset[bytes] = frozenset()
    """SHA-256 of every JSON form that was merged into it: an input with a known digest changes nothing.
    On ``apply`` these are added to those already known."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message in its document; ``position`` counts from 0 in the order of the source."""

    key: UUID
    document: UUID
    position: int
    message: ConversationMessage


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of a message (``message`` set) or of a text; its text is ``content[start:end]`` of that owner."""

    key: UUID
    document: UUID
    message: UUID | None
    index: int
    """Within its owner, from 0."""
    start: int
    end: int
    token_count: int
    strategy: str
    version: str
    section: str
    embed_text: str
    """What the embedder reads, ``Speaker: text``; its SHA-256 names the vector. Empty: it is found by words only."""


@dataclass(frozen=True, slots=True)
class Rename:
    """In one chat, ``old`` and ``new`` are the same person; ``new`` is the later name."""

    chat: UUID
    source: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Changes:
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


@dataclass(frozen=True, slots=True)
class Filter:
    """Which chunks may be found; applied inside every arm, never after. Empty fields do not filter.

    Several values of one field mean any of them, several fields mean all. ``speakers`` and ``people`` match exact
    names, in any spelling of case; a renamed person is found under all of their names in that chat.
    A text has no speaker and no kind but ``text``; a text without a time fails ``since`` and ``until``.
    """

    speakers: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def empty(self) -> bool:
        """Whether it lets everything pass."""
        return self == _NO_FILTER


_NO_FILTER = Filter()


class Scored(NamedTuple):
    """A chunk and its raw score in one arm: a BM25 sum, or a cosine."""

    key: UUID
    score: float


@dataclass(frozen=True, slots=True)
class Entry:
    """A chunk with what a hit shows of its owner and document. ``message`` is None for a text."""

    chunk: StoredChunk
    text: str
    message: StoredMessage | None
    document: StoredDocument


class Place(NamedTuple):
    """Where a chunk stands: enough to rank it beside its neighbours and its document."""

    key: UUID
    document: UUID
    owner: UUID
    """The message's key; for a text the document's."""
    ordinal: int
    """Running number within the document: neighbours differ by one; all chunks of one message share it."""
    speaker: str
    tokens: int = 0
    """The chunk's, as its strategy counted them."""
    asks: bool = False
    """Whether its message ends in a question mark."""
    fact: bool = False
    """Whether the chunk stands for a fact: another key of its message."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The candidates for an answer: where they stand, and their exact scores in every arm that took part."""

    places: Sequence[Place] = ()
    """Distinct chunks."""
    found: int = 0
    """So many of them, the first, were among the best of an arm; the others stand beside one of these."""
    best: Mapping[Arm, Sequence[int]] = field(default_factory=dict[Arm, Sequence[int]])
    """By arm, the indexes of its best among the places, in the arm's order."""
    scores: Mapping[Arm, Column] = field(default_factory=dict[Arm, Column])
    """One number for each of the places, in their order; NaN where the arm gives it none."""
    notes: object = None
    """What the backend wants to know again when the survey goes on; nobody else's."""


Promising = Callable[[Sequence[Place], Mapping[Arm, Sequence[int]]], Collection[int]]
"""From places, and by arm the indexes of its best among them in their order, to the indexes of the most promising."""


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that waits for its vector."""

    hash: bytes
    text: str


@dataclass(frozen=True, slots=True)
class Generation:
    """What made the vectors and chunks: they never mix with those of another generation."""

    model: str
    dimension: int
    chunkers: tuple[str, ...]
    """Versions of the strategies in use, sorted."""

    def is_part_of(self, other: Generation) -> bool:
        """Whether everything that was made so is also made so in the other, which may know more strategies."""
        same = (self.model, self.dimension) == (other.model, other.dimension)
        return same and set(self.chunkers) < set(other.chunkers)


@dataclass(frozen=True, slots=True)
class Removal:
    """What is to be forgotten, and what becomes of the documents that stay; carried out in one transaction."""

    documents: Sequence[UUID] = ()
    """Whole documents, with everything in them."""
    messages: Sequence[UUID] = ()
    """Messages of documents that stay."""
    tombstones: Mapping[UUID, Collection[UUID]] = field(default_factory=dict[UUID, Collection[UUID]])
    """By document, keys that no later input may bring back."""
    changes: Changes = field(default_factory=Changes)
    """Applied after the removal: the documents that stay, without the names of those who are gone from them."""
    lesson: Lesson | None = None
    """What is known without it."""
    subjects: Collection[str] = ()
    """Names, folded: also what was known about them once and is not now goes for good."""


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """A statement where it was read. ``cluster`` names the statements that are resolved together."""

    statement: Statement
    window: bytes
    cluster: str
    run: str = ""
    """The run that first read it."""


@dataclass(frozen=True, slots=True)
class WindowNote:
    """What became of a window that was read: by whom, what did not pass, and what it is about."""

    hash: bytes
    extractor: str
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read in one document; replaces what was read there before."""

    document: UUID
    windows: Sequence[WindowNote] = ()
    statements: Sequence[StoredStatement] = ()


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A version of a fact."""

    fact: Fact
    cluster: str
    run: str
    """The run that made this version."""
    messages: tuple[UUID, ...] = ()
    """The keys of the messages it rests on, in the order they were written."""
    replaced_at: datetime | None = None
    """None: this is the present one."""
    chunks: tuple[UUID, ...] = ()
    """The keys of the chunks under which its messages are found by it."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What reading documents, or excluding statements, changes; applied in one transaction."""

    run: str
    at: datetime
    readings: Sequence[Reading] = ()
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
    links: Mapping[UUID, Sequence[Link]] = field(default_factory=dict[UUID, Sequence[Link]])
    """All links of these facts anew; each stands at the other fact too. Facts that go lose theirs."""
    spots: Mapping[UUID, Collection[Spot]] = field(default_factory=dict[UUID, Collection[Spot]])
    """Where these facts stand now, for `Backend.holders`."""
    changes: Changes = field(default_factory=Changes)
    """The chunks under which messages are found by what they say."""


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which facts are wanted. Empty fields do not filter; names in any spelling of case."""

    keys: tuple[UUID, ...] = ()
    subjects: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    as_of: datetime | None = None
    """What held at that time."""
    known_at: datetime | None = None
    """As it was recorded at that time."""
    messages: tuple[UUID, ...] = ()
    """Those that rest on one of these."""


@dataclass(frozen=True, slots=True)
class Contact:
    """Somebody who wrote in the same documents, or a chat that somebody wrote in."""

    name: str
    messages: int
    documents: int
    """Days or conversations in which both wrote."""
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """A person by what they wrote: how much, since when, where, and with whom."""

    names: tuple[str, ...]
    messages: int
    first: datetime
    last: datetime
    chats: tuple[Contact, ...]
    contacts: tuple[Contact, ...]
    recent: tuple[str, ...]
    """Contents of the latest messages, for telling what they are about."""


Severity = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked; ``detail`` and ``hint`` hold no private text."""

    check: str
    """Its short name: ``database``, ``texts``, ``vectors``, ``words``, …"""
    severity: Severity
    detail: str
    hint: str = ""
    """How to mend it."""
    repairable: bool = False
    """Whether `Backend.repair` mends it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the order of an export: right behind this document, whether it is still there or not."""

    source: str
    id: str
    key: UUID


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document, its messages in order, and who was renamed in its chat."""

    document: StoredDocument
    messages: Sequence[StoredMessage]
    renames: Sequence[Rename]


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document in a listing."""

    key: UUID
    id: str
    source: str
    kind: Literal["conversation", "text"]
    title: str
    timestamp: datetime | None
    messages: int


@dataclass(frozen=True, slots=True)
class BackendStats:
    """Counts and sizes. ``bytes_by_part``: ``database``, ``words``, ``vectors``, in bytes on disk."""

    documents: int
    messages: int
    chunks: int
    facts: int
    people: int
    vectors_done: int
    vectors_pending: int
    bytes_by_part: Mapping[str, int]
    sequence: int
    """The number of the last change that was applied."""
    lag: Mapping[str, int]
    """How many changes each derived index is behind."""


class Backend(Protocol):
    """What the evolving memory needs of a store, drawn for an embedded one and for a remote one without transactions.

    All writes are idempotent upserts by key. Every method may be cancelled: a group that was not applied whole
    leaves nothing behind. Methods raise ``StoreError`` when the store cannot be read or written, and nothing else
    unless they say so. Reads see every group whose ``apply`` returned (search: once ``settle`` returned).

    writing      apply, put_vectors, set_generation
    forgetting   forget, purge, tombstones, lift
    reading      documents, unchanged, messages, entries, places, neighbours, find, listing, export, names,
                 conversations, renames, outdated, chunk_keys
    searching    search_words, search_vectors; survey_words, survey: for several arms at once
    knowing      unread, unread_count, expect_extractor, readings, clusters, excluded, learn, facts,
                 facts_of_clusters, history, facts_of_run
    upkeep       pending, settle, stats, generation, check, repair, prune
    """

    async def apply(self, changes: Changes) -> None:
        """Apply one group; acknowledged (durable through ``kill -9`` and power loss) when it returns."""
        ...

    async def forget(self, removal: Removal) -> None:
        """Remove, and apply what goes with it. Nothing of it is found any more when it returns.

        Chats and names that nothing refers to any more go too; texts that no other chunk has lose their vectors.
        """
        ...

    async def purge(self) -> None:
        """Return when no file of the backend holds anything that was removed before this call.

        Until then an interrupted one is taken up again when the backend is opened.
        """
        ...

    async def tombstones(self, documents: Collection[UUID]) -> dict[UUID, frozenset[UUID]]:
        """Of these documents (they need not exist) the keys that may not come back."""
        ...

    async def lift(self, documents: Collection[UUID]) -> int:
        """Drop the tombstones of these documents, and their digests, so that the same input is looked at again.

        Returns how many tombstones there were.
        """
        ...

    async def outdated(self, versions: Collection[str]) -> list[UUID]:
        """The documents with a chunk of another version than these, in the order they came."""
        ...

    async def chunk_keys(self, documents: Collection[UUID]) -> dict[UUID, set[UUID]]:
        """The keys of the chunks of these documents."""
        ...

    async def unread(self, limit: int) -> list[UUID]:
        """Documents that changed since they were last read, the oldest first."""
        ...

    async def unread_count(self) -> int:
        """How many there are."""
        ...

    async def rejections(self) -> dict[str, int]:
        """How many proposals of extractors became no statement, by reason; the most first."""
        ...

    async def expect_extractor(self, extractor: str) -> None:
        """Record who reads from now on; all documents are unread when it was another before."""
        ...

    async def readings(self, documents: Collection[UUID]) -> dict[UUID, Reading]:
        """What was read in these documents."""
        ...

    async def clusters(self, names: Collection[str]) -> dict[str, list[StoredStatement]]:
        """The statements of these clusters that are not excluded, in no particular order."""
        ...

    async def excluded(self) -> dict[UUID, str]:
        """Statements that are not believed, and the run that said so."""
        ...

    async def learn(self, lesson: Lesson) -> None:
        """Apply it; what was read is no longer unread."""
        ...

    async def facts(self, where: FactFilter, after: int, limit: int) -> list[tuple[int, StoredFact]]:
        """Facts with a number that grows, to go on ``after``; the present versions, or those of ``known_at``."""
        ...

    async def facts_of_clusters(self, names: Collection[str]) -> dict[UUID, StoredFact]:
        """The present facts of these clusters."""
        ...

    async def history(self, fact: UUID) -> list[StoredFact]:
        """All versions of a fact, the oldest first."""
        ...

    async def holders(self, wanted: Mapping[Spot, int]) -> dict[Spot, list[UUID]]:
        """The present facts that stand at spots, at each no more than so many."""
        ...

    async def links(self, facts: Collection[UUID]) -> dict[UUID, list[Link]]:
        """The links of these facts, of those that have some."""
        ...

    async def acquaintance(self, name: str) -> Acquaintance | None:
        """What the messages of a person tell by their numbers; None when nobody of that name wrote."""
        ...

    async def documents_of(self, messages: Collection[UUID]) -> dict[UUID, UUID]:
        """The document of each message that exists; of a text's key that key itself."""
        ...

    async def facts_of_run(self, run: str) -> list[StoredFact]:
        """The versions that a run made."""
        ...

    async def check(self) -> list[Finding]:
        """Compare what is kept with itself: every text with its hash, every index with what it is made from."""
        ...

    async def repair(self) -> None:
        """Make anew whatever is derived and was found wrong; what sources said is not touched."""
        ...

    async def prune(self) -> int:
        """Drop the vectors of other models than the generation's; returns how many. Raises nothing of its own."""
        ...

    async def put_vectors(self, vectors: Mapping[bytes, Vector]) -> None:
        """Keep vectors by the hash of their text, for the current generation; all chunks with that text get them.

        Raises:
            EmbeddingError: a vector has the wrong dimension, is zero or is not finite; none of the group is kept.
        """
        ...

    async def pending(self, limit: int) -> list[PendingText]:
        """Distinct texts without a vector in the current generation, the oldest first."""
        ...

    async def generation(self) -> Generation | None:
        """What the store's vectors were made with; None in a new store."""
        ...

    async def set_generation(self, generation: Generation) -> None:
        """Record it. Vectors of another model stay as they are, but are not searched."""
        ...

    async def settle(self) -> None:
        """Return when the search sees everything that was applied before this call."""
        ...

    async def documents(self, keys: Collection[UUID]) -> dict[UUID, StoredDocument]:
        """The documents among these keys that exist."""
        ...

    async def unchanged(self, digests: Mapping[UUID, bytes]) -> set[UUID]:
        """Of documents by key with the digest of an input, those that already contain that very input."""
        ...

    async def messages(self, documents: Collection[UUID]) -> dict[UUID, list[StoredMessage]]:
        """All messages of these documents, in order."""
        ...

    async def entries(self, chunks: Collection[UUID], around: int = 0) -> dict[UUID, Entry]:
        """What a hit shows, for those chunks that exist, and for those of so many owners before and after them."""
        ...

    async def places(self, chunks: Collection[UUID]) -> dict[UUID, Place]:
        """Where these chunks stand."""
        ...

    async def neighbours(self, chunks: Collection[UUID], before: int, after: int) -> list[Place]:
        """The chunks of the owners up to ``before`` in front of and ``after`` behind these, within their document.

        Without those asked for unless they neighbour each other; each once.
        """
        ...

    async def find(self, identifier: str) -> list[StoredMessage | StoredDocument]:
        """What carries this id: a key, a source's own message id, or a document's id."""
        ...

    async def listing(self, where: Filter, after: UUID | None, limit: int) -> list[DocumentLine]:
        """Documents by time, the newest first (undated last); ``after`` is the last key of the page before."""
        ...

    async def export(
        self, where: Filter, after: Mark | None, limit: int, among: Collection[UUID] | None = None
    ) -> list[WholeDocument]:
        """Documents that hold something which passes, by source, id and key, behind ``after``; all from one state.

        So many that they hold about ``limit`` messages, at least one; none at the end. ``among`` restricts to these.
        Digests are left out.
        """
        ...

    async def names(self) -> dict[str, int]:
        """Everybody who wrote, with their number of messages; without reserved speakers."""
        ...

    async def conversations(self) -> list[tuple[UUID, Conversation]]:
        """All chats."""
        ...

    async def renames(self, chats: Collection[UUID]) -> list[Rename]:
        """Who was renamed in these chats."""
        ...

    async def search_words(
        self, arm: Arm, terms: Sequence[str], where: Filter, limit: int, among: Collection[UUID] | None = None
    ) -> list[Scored]:
        """The best chunks by BM25 in one lexical field (``lexical``, ``near``, ``wide``), best first.

        ``terms`` come from ``analysis.query_terms``; any of them may match. ``among`` restricts to these chunks and
        scores each of them exactly (those without a term are left out).
        """
        ...

    async def search_vectors(
        self, vector: Vector, where: Filter, limit: int, among: Collection[UUID] | None = None
    ) -> list[Scored]:
        """The nearest chunks by cosine, best first. ``among`` restricts to these chunks and scores them exactly."""
        ...

    async def survey_words(self, arms: Sequence[Arm], terms: Sequence[str], where: Filter, limit: int) -> Survey:
        """The union of the best of each of these lexical arms, all scored exactly in each of them; see `search_words`."""
        ...

    async def survey(
        self,
        words: Survey,
        terms: Sequence[str],
        vector: Vector | None,
        where: Filter,
        limit: int,
        promising: Promising | None,
    ) -> Survey:
        """The union of each arm's best and the direct `neighbours` of some of it, all scored exactly in every arm.

        Args:
            words: what `survey_words` gave for ``terms``, ``where`` and ``limit``; empty for the vector arm alone.
            terms: see `search_words`.
            vector: adds the arm of that name with its best ``limit``; None leaves it out.
            where: see `search_words`.
            limit: how many of the vector arm's best are taken.
            promising: chooses whose neighbours join; None: nobody's, and scores stay as the arms found them.
        """
        ...

    async def stats(self) -> BackendStats:
        """Counts and sizes, from the store itself."""
        ...
