"""What the memory offers (`Storage`) and what it needs (`Backend`): the contracts; what crosses them is in `records`, `write_batches`
and `search_types`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from ..schemas import (
    Arm,
    Conversation,
    Document,
    ProgressUpdate,
    Query,
    QueryResult,
    StoreReport,
)
from .facts.links import Link, LinkKey
from .records import (
    BackendStats,
    CheckResult,
    DocumentExtraction,
    DocumentLine,
    ExportCursor,
    Generation,
    PendingText,
    PersonStats,
    Rename,
    StoredDocument,
    StoredFact,
    StoredMessage,
    StoredStatement,
    WholeDocument,
)
from .search_types import CandidateSet, ChunkRef, Entry, ExpansionPolicy, FactFilter, Filter, Scored, Vector
from .write_batches import KnowledgeUpdate, Removal, WriteBatch


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
    knowing      unread, unread_among, unread_count, expect_extractor, readings, clusters, excluded, disbelieved, learn, facts,
                 facts_of_clusters, history, facts_of_run
    upkeep       pending, settle, stats, generation, check, repair, prune
    """

    async def apply(self, changes: WriteBatch) -> None:
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
        """Of these documents (they need not exist) the keys that may not come back.

        The key of a tombstone (see `text_mark`) that is asked for like a document stands for itself.
        """
        ...

    async def lift(self, documents: Collection[UUID]) -> int:
        """Drop the tombstones of these documents, and their digests, so that the same input is looked at again; single
        tombstones by their own keys.

        Returns how many tombstones there were.
        """
        ...

    async def outdated(self, versions: Collection[str]) -> list[UUID]:
        """The documents with a chunk of another version than these, in the order they came."""
        ...

    async def chunk_keys(self, documents: Collection[UUID]) -> dict[UUID, set[UUID]]:
        """The keys of the chunks of these documents."""
        ...

    async def unread(self, after: int, limit: int) -> list[tuple[int, UUID]]:
        """Documents that changed since they were last read, the oldest first, with a number that grows, to go on
        ``after``.
        """
        ...

    async def unread_among(self, documents: Collection[UUID]) -> set[UUID]:
        """Those of these documents that are unread."""
        ...

    async def unread_count(self) -> int:
        """Number of unread documents."""
        ...

    async def rejections(self) -> dict[str, int]:
        """How many proposals of extractors became no statement, by reason; the most first."""
        ...

    async def expect_extractor(self, extractor: str) -> None:
        """Record who reads from now on; all documents are unread when it was another before."""
        ...

    async def readings(self, documents: Collection[UUID]) -> dict[UUID, DocumentExtraction]:
        """What was read in these documents."""
        ...

    async def clusters(self, names: Collection[str]) -> dict[str, list[StoredStatement]]:
        """The statements of these clusters that are not excluded, in no particular order."""
        ...

    async def excluded(self) -> dict[UUID, str]:
        """Statements that are not believed, and the run that said so."""
        ...

    async def disbelieved(self) -> list[StoredStatement]:
        """The statements that are stored and not believed, in no particular order."""
        ...

    async def learn(self, lesson: KnowledgeUpdate) -> None:
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

    async def holders(self, wanted: Mapping[LinkKey, int]) -> dict[LinkKey, list[UUID]]:
        """The present facts that stand at spots, at each no more than so many."""
        ...

    async def links(self, facts: Collection[UUID]) -> dict[UUID, list[Link]]:
        """The links of these facts, of those that have some."""
        ...

    async def acquaintance(self, name: str) -> PersonStats | None:
        """What the messages of a person tell by their numbers; None when nobody of that name wrote."""
        ...

    async def documents_of(self, messages: Collection[UUID]) -> dict[UUID, UUID]:
        """The document of each message that exists; of a text's key that key itself."""
        ...

    async def facts_of_run(self, run: str) -> list[StoredFact]:
        """The versions that a run made."""
        ...

    async def check(self) -> list[CheckResult]:
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

    async def places(self, chunks: Collection[UUID]) -> dict[UUID, ChunkRef]:
        """Where these chunks stand."""
        ...

    async def neighbours(self, chunks: Collection[UUID], before: int, after: int) -> list[ChunkRef]:
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
        self, where: Filter, after: ExportCursor | None, limit: int, among: Collection[UUID] | None = None
    ) -> list[WholeDocument]:
        """Documents that hold something which passes, by source, id and key, behind ``after``; all from one state.

        So many that they hold about ``limit`` messages, at least one; none at the end. ``among`` restricts to these.
        Digests are left out.
        """
        ...

    async def names(self) -> dict[str, int]:
        """Everybody who wrote, with their number of messages; without reserved speakers."""
        ...

    async def mentioned(self) -> set[str]:
        """The names, in folded case, of everybody whom a document names, whether they wrote or not, with former names."""
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

    async def survey_words(self, arms: Sequence[Arm], terms: Sequence[str], where: Filter, limit: int) -> CandidateSet:
        """The union of the best of each of these lexical arms, all scored exactly in each of them; see `search_words`."""
        ...

    async def survey(
        self,
        words: CandidateSet,
        terms: Sequence[str],
        vector: Vector | None,
        where: Filter,
        limit: int,
        promising: ExpansionPolicy | None,
    ) -> CandidateSet:
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
