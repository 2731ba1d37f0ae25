"""The memory as a whole: merges documents into the store, cuts and embeds them, forgets, undoes runs, and answers queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID, uuid4

import anyio
from anyio import to_thread

from ..schemas import (
    Document,
    ProgressUpdate,
    Query,
    QueryResult,
    StoreReport,
)
from ..schemas.errors import BusyError
from ..schemas.message_list import MessageBatchList, MessageList, documents_of_messages
from .chunking.document_chunker import DocumentChunker
from .chunking.settings import ChunkingSettings
from .embedding.embedder import Embedder, Tokenizer
from .embedding_queue import PROBE, EmbeddingQueue
from .extraction.extractor import Extractor
from .facts.consistency import check_facts, repair_facts
from .facts.fact_reader import FORGOTTEN, FactReader
from .facts.service import FactService
from .fallback import Fallback, FallbackModel
from .forgetting.planner import ForgetPlanner
from .forgetting.selection import ForgetPlan
from .indexing.indexed_store import IndexedStore
from .ingest.batching import (
    DayDigest,
    chat_title,
    concrete_document,
    digest_of,
    size_of,
    split_by_distinct_key,
    write_batches_of,
)
from .ingest.planner import forgotten_of, plan_write, tombstone_keys_of, unrelated_chats, with_own_chunks
from .merge.known_messages import HomeFinder, moved_messages, names_of, thread_names_of
from .merge.plan import Stored, key_of, plan_document
from .people.carried import decisions_taken_out
from .person_service import PersonService
from .ports import ProgressSender, Storage
from .question.times import local_now
from .rechunk import RECHUNK_AT_ONCE, rechunk_documents, with_chunks_around
from .records import (
    CheckResult,
    Generation,
    StoredDocument,
    StoreStats,
)
from .retirement_service import RetirementService
from .retrieval.search import Retriever
from .statistics import CacheCounts, MemoryStats
from .store import documents_read, fact_rows, forget_rows, people_rows
from .store import inputs as input_rows
from .store.documents_write import apply_changes
from .store.vectors import generation_of
from .store.written_entries import written_entries
from .undo import (
    SOMETHING_ELSE,
    UNDONE,
    UNDONE_AT_ONCE,
    RenamedTexts,
    UndoCandidate,
    UndoPlan,
    inputs_of,
    joined,
    lasting_tags,
    plan_undo,
    tag_input,
    with_tags,
)
from .undo_documents import documents_of
from .write_batches import DocumentInput, EntryName, QueuedEntries, Removal, WriteBatch

Homes = dict[UUID, dict[str, UUID]]
"""The other document that has a message, by the key of a document and the id of the message in it."""
EMBED_AT_ONCE = 256
"""Texts embedded between two commits: the work that a crash may cost."""


class _GroupPlan(NamedTuple):
    changes: WriteBatch
    reports: list[StoreReport]
    stored: dict[UUID, Stored]
    forgotten: dict[UUID, frozenset[UUID]]


class EvolvingMemory:
    """The `Storage` of one `IndexedStore`.

    Args:
        store: the store.
        embedder: makes vectors; None for search by words only.
        tokenizer: the embedder's own, used by the chunkers.
        extractor: extracts statements from documents; None: no facts.
        now: the reference for "last week" in a question, in the zone in which days begin.
        chunking: how documents are cut; by default as the settings do.
        fallback: stands in for an embedder that fails; None: vectors wait for the embedder.

    Raises:
        ConfigError: ``chunking`` names a strategy that cannot be used.
    """

    def __init__(
        self,
        store: IndexedStore,
        embedder: Embedder | None,
        tokenizer: Tokenizer,
        extractor: Extractor | None = None,
        now: Callable[[], datetime] = local_now,
        chunking: ChunkingSettings | None = None,
        fallback: FallbackModel | None = None,
    ) -> None:
        self.indexed = store
        self.database = store.database
        self.embedder = embedder
        self.tokenizer = tokenizer
        self._chunker = DocumentChunker(tokenizer, chunking)
        self.retriever = Retriever(store, embedder, now=now, fallback=fallback)
        self._writing = anyio.Lock()

        def count(text: str) -> int:
            return tokenizer.count_many([text])[0]

        self.fact_reader = FactReader(store.database, count, now)
        self.fact_service = FactService(store.database, extractor, count, self._writing)
        self.person_service = PersonService(store.database, self.fact_service.updates, self._writing)
        self._embedding_queue = None if embedder is None else EmbeddingQueue(store.database, embedder)
        self.fallback = None if embedder is None or fallback is None else Fallback(store, fallback)
        self.forget_planner = ForgetPlanner(store.database)
        self.retirement = RetirementService(store.database, self._chunker, self._writing, self.retriever.forget_names)
        self._generation: Generation | None = None
        self._matches = True
        self._written = 0

    async def start(self) -> None:
        """Compare the current settings with the store's generation. The settings are adopted by a new store, by one
        that was made before a further strategy existed, and by one without chunks of a strategy that has changed.
        """
        await self.fact_service.start()
        embedder = self.embedder
        stored = await self.database.read(generation_of)
        if embedder is None:
            self._generation = stored
            return
        wanted = Generation(embedder.name, embedder.dimension, self._chunker.versions)
        if not self.database.read_only and (stored is None or await self._is_cut_alike(stored, wanted)):
            await self.indexed.set_generation(wanted)
            stored = wanted
        self._generation = stored
        self._matches = stored == wanted
        await self._look_for_pending()

    async def _is_cut_alike(self, stored: Generation, wanted: Generation) -> bool:
        """Return whether only strategies differ and nothing is stored that they would cut differently."""
        if stored == wanted or (stored.model, stored.dimension) != (wanted.model, wanted.dimension):
            return False
        return not await self.database.read(documents_read.outdated, self._chunker.version_of)

    async def _look_for_pending(self) -> None:
        if self._embedding_queue is not None:
            await self._embedding_queue.look_for_pending()

    def degraded(self) -> tuple[str, ...]:
        """The parts that are missing from answers: ``store`` if memory.db was deleted or replaced, ``index`` while its
        server does not answer, ``indexing`` while a reopened index is filled, ``generation`` if the settings changed
        since the store was made, ``pending`` while texts await vectors, and ``embedder`` instead while all of these have
        one of the fallback.
        """
        parts = ("store",) if self.database.in_place.failure() is not None else ()
        if self.indexed.index_failure is not None:
            parts += ("index",)
        elif self.indexed.words.filling or self.indexed.vectors.filling:
            parts += ("indexing",)
        if not self._matches:
            return (*parts, "generation")
        if self._embedding_queue is None or not self._embedding_queue.more:
            return parts
        return (*parts, "embedder" if self.fallback is not None and self.fallback.covers else "pending")

    # --- documents in -----------------------------------------------------------------------------------------------

    async def store(self, documents: Iterable[Document], progress: ProgressSender | None = None) -> StoreReport:
        """Store documents and embed them; see `Storage`."""
        report = StoreReport()
        for group in write_batches_of(documents):
            report += await self.write(group)
            _tell(progress, "storing", report)
        while self.embedder is not None and await self.embed_pending():
            _tell(progress, "embedding", report)
        await self.indexed.refresh_indexes()  # searchable means found: the indexes follow the store by a moment
        return report

    async def unchanged(self, documents: Sequence[Document]) -> list[bool]:
        """Return for each document whether the store already contains this very input."""
        keyed = [(key_of(concrete_document(document)), digest_of(document)) for document in documents]
        same = await self._unchanged(keyed)
        return [pair in same for pair in keyed]

    async def _unchanged(self, keyed: Sequence[tuple[UUID, bytes]]) -> set[tuple[UUID, bytes]]:
        same: set[tuple[UUID, bytes]] = set()
        # One key may come with several digests: ask once for each round of distinct keys.
        waiting = list(dict.fromkeys(keyed))
        while waiting:
            digests: dict[UUID, bytes] = {}
            later: list[tuple[UUID, bytes]] = []
            for key, digest in waiting:
                if key in digests:
                    later.append((key, digest))
                else:
                    digests[key] = digest
            same |= {(key, digests[key]) for key in await self.database.read(documents_read.unchanged, digests)}
            waiting = later
        return same

    async def forgotten_since(self, documents: Sequence[Document]) -> int:
        """Return how many messages of these documents, which are stored as given, were forgotten since."""
        gone = await self._forgotten(documents)
        touched = {key: each for each in map(concrete_document, documents) if (key := key_of(each)) in gone}
        if not touched:
            return 0
        rows = await self.database.read(documents_read.documents, touched)
        stored = await self._with_messages(rows)

        def counted() -> int:
            plans = [
                (touched[key], plan_document(each, touched[key], digest_of(touched[key]), gone[key]))
                for key, each in stored.items()
            ]
            return sum(size_of(each) if plan is None else plan.forgotten for each, plan in plans)

        return await to_thread.run_sync(counted)

    async def add(self, messages: MessageList, zone: tzinfo = UTC) -> StoreReport:
        """Store a list of messages at once, as `add_batch` does."""
        return await self.add_batch((messages,), zone)

    async def add_batch(self, batch: MessageBatchList, zone: tzinfo = UTC) -> StoreReport:
        """Keep lists of messages at once, without a buffer, as `write` does; a day begins in ``zone``.

        Raises:
            StoreError: as `write`.
        """
        arrived = datetime.now(UTC)
        documents = [
            document
            for messages in batch
            for document in documents_of_messages(messages, arrived=arrived, zone=zone, new_id=lambda: uuid4().hex)
        ]
        return await self.write(documents)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, by the embedder's tokenizer.

        Raises:
            EmbeddingError: it cannot count.
        """
        return await to_thread.run_sync(self.tokenizer.count_many, texts)

    async def write(
        self,
        documents: Sequence[Document],
        run: str = "",
        homes: Homes | None = None,
        reports: list[StoreReport] | None = None,
        entries: QueuedEntries | None = None,
    ) -> StoreReport:
        """Keep documents verbatim and searchable by words; vectors are `embed_pending`'s. Durable when it returns. What
        the ``run`` brought is noted, for `undo_runs`. Decisions on people that the documents carry are taken over.

        Args:
            documents: in the order in which they came.
            run: that brought them.
            homes: gets, by document and by the id of a message in it, which other document has that message.
            reports: gets the report of each document, in their order.
            entries: by which the caller knows the documents; what is given again under the same name is reported as what it was
                when it was stored.

        Raises:
            StoreError: the failing document and those after it were not written.
        """
        documents, decisions = decisions_taken_out(documents)
        counts = [StoreReport()] * len(documents) if reports is None else reports
        counts[:] = [StoreReport()] * len(documents)
        async with self._writing:
            matches = await self.unchanged(documents)
            same = {id(document) for document, stored in zip(documents, matches, strict=True) if stored}
            wholes = set(map(id, documents))
            divided = await self._in_their_homes(documents, same, {} if homes is None else homes)
            places = {id(part): place for place, parts in enumerate(divided) for part in parts}
            before = {} if entries is None else await self.database.read(written_entries)
            delivered = set[int]() if entries is None else _delivered_texts(documents, entries.names, before)
            if again := [part for parts in divided for part in parts if id(part) not in wholes]:
                same |= {id(part) for part, stored in zip(again, await self.unchanged(again), strict=True) if stored}
            try:
                for number, group in enumerate(split_by_distinct_key([part for parts in divided for part in parts])):
                    if number:  # a form that came before in these documents counts as if it had been stored long ago
                        stored_now = await self.unchanged(group)
                        same = {id(part) for part, stored in zip(group, stored_now, strict=True) if stored}
                    same |= delivered
                    # Inputs are recorded in the order of the run, which matters if it brings a document in several
                    # versions.
                    unchanged = [each for each in group if id(each) in same]
                    await self._note_unchanged([each for each in unchanged if id(each) not in delivered], run)
                    for each in unchanged:
                        counts[places[id(each)]] += StoreReport(unchanged=size_of(each))
                    if changed := [each for each in group if id(each) not in same]:
                        names = [] if entries is None else [entries.names[places[id(each)]] for each in changed]
                        outstanding = () if entries is None else entries.outstanding
                        for each, report in zip(
                            changed, await self._write_group(changed, run, names, outstanding), strict=True
                        ):
                            counts[places[id(each)]] += report
                if decisions:
                    await self.database.write(people_rows.take_over, decisions)
            finally:  # also when a group fails: those before it are stored
                if decisions or not all(matches):
                    self.retriever.forget_names()
        for place, name in enumerate([] if entries is None else entries.names):
            counts[place] = _as_written(counts[place], *before.get(name, (0, 0)))
        return sum(counts, StoreReport()).model_copy(update={"documents": len(documents)})

    async def _in_their_homes(
        self, documents: Sequence[Document], same: Collection[int], elsewhere: Homes
    ) -> Sequence[Sequence[Document]]:
        """Return, for each document, its messages in the documents that hold them in the store; see `known_messages`.
        ``same``: the `id` of each document that is stored as it is; ``elsewhere``: as ``homes`` of `write`.
        """
        fresh = [each for each in documents if id(each) not in same]
        names = await to_thread.run_sync(names_of, fresh)
        homes = await self.database.read(documents_read.homes, names) if names else []
        at_home = all(each.document in names[each.id, each.micros] for each in homes)
        threads = await to_thread.run_sync(thread_names_of, fresh)
        holders = await self.database.read(documents_read.holders, threads.answered) if threads.answered else {}
        related = await self.database.read(documents_read.documents, threads.keys) if threads.keys else {}
        alone = not holders and not related and not threads.together
        if at_home and alone and all(len(keys) == 1 for keys in names.values()):
            return [[document] for document in documents]
        keys = {each.document for each in homes}.union(related, *holders.values(), *names.values())
        rows = await self.database.read(documents_read.documents, keys)
        renames = await self.database.read(
            documents_read.renames, {row.chat for row in rows.values() if row.chat is not None}
        )
        finder = HomeFinder(homes, rows, renames, holders)
        all_parts: list[Sequence[Document]] = []
        for document in documents:
            parts = [document] if id(document) in same else finder.divided(document)
            all_parts.append(parts)
            if parts != [document] and (moved := moved_messages(document, parts)):
                elsewhere.setdefault(key_of(concrete_document(document)), {}).update(moved)
        return all_parts

    async def set_tags(
        self,
        changes: Mapping[UUID, Mapping[str, bool]],
        run: str = "",
        lasting: Callable[[Collection[str]], Awaitable[Collection[str]]] | None = None,
    ) -> int:
        """Give documents tags, or take them away; of those that are stored. Nothing else of them changes. Returns how many
        documents changed. It is noted, for `undo_runs`.

        Args:
            changes: by document and tag, whether it has it.
            run: that found it out.
            lasting: of runs, those that gave their tags for good: none of these is taken away.

        Raises:
            StoreError: nothing was changed.
        """
        async with self._writing:
            rows = await self.database.read(documents_read.documents, changes)
            inputs_by_key: Mapping[UUID, Sequence[DocumentInput]] = {}
            if lasting is not None and (ended := [key for key in rows if not all(changes[key].values())]):
                inputs_by_key = await self.database.read(input_rows.inputs_of, ended)
                runs = await lasting({each.run for inputs in inputs_by_key.values() for each in inputs})
                changes = {
                    key: {
                        tag: is_given or tag in kept
                        for kept in [lasting_tags(row, inputs_by_key.get(key, ()), runs)]
                        for tag, is_given in changes[key].items()
                    }
                    for key, row in rows.items()
                }
            tags = {key: with_tags(row.tags, changes[key]) for key, row in rows.items()}
            rows = {key: row for key, row in rows.items() if tags[key] != row.tags}
            if not rows:
                return 0
            stored = await self._with_messages(rows, renames=True)
            inputs_by_key = await self.database.read(input_rows.inputs_of, rows, repeated=False)
            forgotten = await self.database.read(forget_rows.tombstones, rows)
            inputs = [
                tag_input(run, each, tags[key], inputs_by_key.get(key, ()), sealed=bool(forgotten.get(key)))
                for key, each in stored.items()
            ]
            documents = [replace(row, tags=tags[key], digests=frozenset()) for key, row in rows.items()]
            await self.database.write(apply_changes, WriteBatch(documents=documents, inputs=inputs), read=True)
        return len(rows)

    async def note_unchanged(self, documents: Sequence[Document], run: str) -> None:
        """Record that a run brought documents that are stored already, so that undoing another run does not remove
        them.
        """
        async with self._writing:
            await self._note_unchanged(documents, run)

    async def _note_unchanged(self, documents: Sequence[Document], run: str) -> None:
        if not documents or not run:
            return

        def inputs() -> list[DocumentInput]:
            return [DocumentInput(key_of(concrete_document(each)), run, digest_of(each)) for each in documents]

        await self.database.write(input_rows.put_inputs, await to_thread.run_sync(inputs))

    async def _write_group(
        self,
        documents: Sequence[Document],
        run: str,
        names: Sequence[EntryName] = (),
        outstanding: Collection[EntryName] = (),
    ) -> list[StoreReport]:
        """Write documents with distinct keys in one transaction; return the report of each. `names` are their queue
        entries.
        """
        changes, reports, stored, forgotten = await self._plan_group(documents)
        inputs_by_key = await self.database.read(input_rows.inputs_of, stored, repeated=False) if stored else {}
        changes = replace(
            changes, inputs=inputs_of(run, documents, changes.documents, stored, inputs_by_key, forgotten)
        )
        if stored or self._chunker.reaches:
            changes = await with_chunks_around(self.database, self._chunker, changes)
        if names:
            changes = replace(changes, written=_written(names, reports), outstanding=outstanding)
        look = bool(changes.chunks) and self._embedding_queue is not None and not self._embedding_queue.more
        if look and self._embedding_queue is not None:
            self._embedding_queue.more = True  # before, since a cancellation may come when it is committed
        await self.database.write(apply_changes, changes)
        self._written += sum(bool(chunk.embed_text) for chunk in changes.chunks)
        if self.fallback is not None:
            self.fallback.written = self._written
        if look and self._embedding_queue is not None:
            await self._embedding_queue.look_for_pending()
        return reports

    async def _with_messages(self, rows: Mapping[UUID, StoredDocument], *, renames: bool = False) -> dict[UUID, Stored]:
        """Return stored documents with their messages, and with ``renames`` the renames of their chats."""
        messages = await self.database.read(documents_read.messages, rows) if rows else {}
        chats = {row.chat for row in rows.values() if row.chat is not None} if renames else set[UUID]()
        renamed: defaultdict[UUID | None, set[tuple[str, str]]] = defaultdict(set)
        for rename in await self.database.read(documents_read.renames, chats) if chats else []:
            renamed[rename.chat].add((rename.old, rename.new))
        return {
            key: Stored(row, messages.get(key, []), frozenset(renamed.get(row.chat, ()))) for key, row in rows.items()
        }

    async def _forgotten(self, documents: Sequence[Document]) -> dict[UUID, frozenset[UUID]]:
        """Return the keys that may not come back, by document key, including those forgotten in other documents."""
        if not await self.database.read(forget_rows.has_tombstones):
            return {}
        keys_by_document = await to_thread.run_sync(tombstone_keys_of, documents)
        tombstones = await self.database.read(
            forget_rows.tombstones, {key for keys in keys_by_document.values() for key in keys}
        )
        return forgotten_of(keys_by_document, tombstones)

    async def embed_pending(self, limit: int = EMBED_AT_ONCE) -> int:
        """Make vectors for the oldest texts that have none; returns for how many, 0 when nothing is left to do.

        Raises:
            EmbeddingError: the embedder failed; these texts stay pending.
            StoreError: the vectors could not be kept; these texts stay pending.
        """
        queue = self._embedding_queue
        if queue is None or self.embedder is None or not self._matches:
            return 0
        if self.fallback is None or not self.fallback.active:
            return await queue.embed(limit)
        made = 0
        await queue.look_for_pending()
        if queue.more:
            await self.embedder.embed_query(PROBE)  # tells in seconds that it still fails, where texts take minutes
            made = await queue.embed(limit)
        if not queue.more:
            await self.fallback.end()
        return made

    async def vector_counts(self) -> tuple[int, int]:
        """Return the vectors made since the start and the chunks that await one, at one moment."""
        return (0, 0) if self._embedding_queue is None else await self._embedding_queue.vector_counts()

    @property
    def made(self) -> int:
        """Vectors made since the start."""
        return 0 if self._embedding_queue is None else self._embedding_queue.made

    async def undecided(self, days: Sequence[DayDigest]) -> set[UUID]:
        """Return the keys of the stored days that may be of another chat of that title. A chat of which a day is stored
        as it is here is that very chat.
        """
        same_digests = await self._unchanged([(day.key, day.digest) for day in days])
        same = {day.chat for day in days if (day.key, day.digest) in same_digests}
        return set(
            await self.database.read(documents_read.documents, {day.key for day in days if day.chat not in same})
        )

    async def conflicts(self, documents: Sequence[Document]) -> list[str]:
        """Return the titles of chats whose stored messages belong to another chat of that title: they overlap in time
        and share nothing.
        """
        days = [day for document in documents if (day := document.as_conversation()) and "chat" in day.metadata]
        undecided = await self.undecided([DayDigest(key_of(day), chat_title(day), digest_of(day)) for day in days])
        days = [day for day in days if key_of(day) in undecided]
        stored = await self._with_messages(await self.database.read(documents_read.documents, undecided))
        return await to_thread.run_sync(unrelated_chats, days, stored)

    # --- upkeep -----------------------------------------------------------------------------------------------------

    async def forget(self, plan: ForgetPlan) -> None:
        """Carry out a plan; nothing of it is found on return, see `purge` for the files.

        Raises:
            StoreError: nothing was removed.
        """
        # Wait for texts that are being embedded: their vectors would otherwise be stored after the removal.
        async with self._exclusive():
            touched = {*plan.removal.documents, *plan.removal.tombstones}
            update = await self.fact_service.updates.update_without(FORGOTTEN, sorted(touched), plan.about)
            removal = plan.removal
            if removal.changes.documents:
                texts = [row.key for row in removal.changes.documents if row.kind == "text"]
                inputs = await self.database.read(input_rows.inputs_of, texts)
                changes = await to_thread.run_sync(with_own_chunks, removal.changes, self._chunker, inputs)
                removal = replace(removal, changes=changes)
            removal = replace(removal, update=update, changes=await self._around(removal))
            try:
                await self.indexed.forget(removal)
            finally:  # whoever asked may leave once it is removed
                self.retriever.forget_names()
        if removal.changes.chunks:
            await self._look_for_pending()

    async def _around(self, removal: Removal) -> WriteBatch:
        """Return the changes of a removal with the chunks of the messages that stay beside removed ones."""
        return await with_chunks_around(self.database, self._chunker, removal.changes, removal.messages)

    async def plan_undo(self, *runs: str, renames: Sequence[RenamedTexts] = ()) -> UndoPlan:
        """Return the plan of `undo_runs`."""
        plans: list[UndoPlan] = []
        keys, kept = await documents_of(self.database, runs, renames)
        for begin in range(0, len(keys), UNDONE_AT_ONCE):
            part = keys[begin : begin + UNDONE_AT_ONCE]
            stored = await self._with_messages(await self.database.read(documents_read.documents, part))
            inputs = await self.database.read(input_rows.inputs_of, part)
            forgotten = await self.database.read(forget_rows.tombstones, part)
            candidates = [
                UndoCandidate(each, inputs.get(key, ()), forgotten.get(key, frozenset()))
                for key, each in stored.items()
            ]
            plans.append(await to_thread.run_sync(plan_undo, runs, candidates, self._chunker))
        return replace(joined(runs, plans), renamed=kept)

    async def undo_runs(self, *runs: str, token: str | None = None, renames: Sequence[RenamedTexts] = ()) -> UndoPlan:
        """Undo what only these runs brought, in one transaction. It may be imported again. Texts of ``renames`` that the runs
        only gave another name keep that.

        Raises:
            BusyError: something else would go than the plan of this ``token`` says.
            StoreError: nothing was changed.
        """
        async with self._exclusive():
            plan = await self.plan_undo(*runs, renames=renames)
            if token is not None and plan.token != token:
                raise BusyError(SOMETHING_ELSE, hint="plan it again")
            update = await self.fact_service.updates.update_without(UNDONE, sorted(plan.touched))
            removal = replace(plan.removal, update=update, changes=await self._around(plan.removal))
            try:
                await self.indexed.forget(removal)
            finally:
                self.retriever.forget_names()
        await self._look_for_pending()
        return plan

    async def allow_again(self, documents: Sequence[Document]) -> int:
        """Allow forgotten content of these documents to come back; return the number of deleted tombstones."""
        async with self._writing:
            keys_by_document = await to_thread.run_sync(tombstone_keys_of, documents)
            return await self.database.write(
                forget_rows.allow_reingest, {key for keys in keys_by_document.values() for key in keys}
            )

    async def rechunk(self, tell: Callable[[int, int], None] | None = None, *, force: bool = False) -> int:
        """Take over the settings in force: cut again what was cut in another way, and let all texts without a vector
        of this model wait for one. May be cancelled at any time; calling it again goes on. Returns the documents cut.

        Args:
            tell: gets how many documents are done, and of how many.
            force: cut all documents again; a text that is the same as before needs no new vector.
        """
        embedder = self.embedder
        if embedder is not None:
            if not embedder.dimension:
                await embedder.embed_query("how long is a vector?")  # an endpoint tells by its first answer
            wanted = Generation(embedder.name, embedder.dimension, self._chunker.versions)
            stored = self._generation
            if stored is None or (stored.model, stored.dimension) != (wanted.model, wanted.dimension):
                # Of the new model from now on: what is made counts at once, and nothing of it is lost by an interruption.
                chunkers = self._chunker.versions if stored is None else stored.chunkers
                stored = Generation(wanted.model, wanted.dimension, chunkers)
                async with self._exclusive():
                    await self.indexed.set_generation(stored)
                self._generation = stored
        if force:
            keys = await self.database.read(documents_read.every_key)
        else:
            keys = await self.database.read(documents_read.outdated, self._chunker.version_of)
        for begin in range(0, len(keys), RECHUNK_AT_ONCE):
            part = keys[begin : begin + RECHUNK_AT_ONCE]
            async with self._exclusive():
                await rechunk_documents(self.database, part, self._chunker)
            if tell is not None:
                tell(begin + len(part), len(keys))
        if self._generation is not None:
            done = Generation(self._generation.model, self._generation.dimension, self._chunker.versions)
            async with self._exclusive():
                await self.indexed.set_generation(done)
            # First what waits is known, then the answers stop to say that nothing has a vector: in between, an answer would
            # say that nothing is missing.
            await self._look_for_pending()
            self._generation, self._matches = done, True
        return len(keys)

    async def check(self) -> list[CheckResult]:
        """Check the store for consistency, and the facts against their statements."""
        return [*await self.indexed.check(), await check_facts(self.database, self.fact_service.updates)]

    async def repair(self) -> None:
        """Rebuild derived data."""
        async with self._exclusive():
            await self.indexed.repair()
            await repair_facts(self.database, self.fact_service.updates)
            await self._look_for_pending()

    @asynccontextmanager
    async def _exclusive(self) -> AsyncGenerator[None]:
        """Hold the locks for writing and embedding: in this block nothing else writes and no text is being embedded."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._writing)
            for queue in (self._embedding_queue, None if self.fallback is None else self.fallback.queue):
                if queue is not None:
                    await stack.enter_async_context(queue.busy)
                    queue.clear()
            yield

    # --- answers out ------------------------------------------------------------------------------------------------

    async def query(self, query: str | Query) -> QueryResult:
        """Answer a question; see `Storage`. ``degraded`` names what did not take part."""
        question = Query(text=query) if isinstance(query, str) else query
        return await self.retriever.query(question, self.degraded())

    async def _plan_group(self, documents: Sequence[Document], chunker: DocumentChunker | None = None) -> _GroupPlan:
        """Plan the storing of documents with distinct keys."""
        keys = [key_of(concrete_document(document)) for document in documents]
        stored = await self._with_messages(await self.database.read(documents_read.documents, keys), renames=True)
        forgotten = await self._forgotten(documents)
        changes, reports = await to_thread.run_sync(plan_write, documents, stored, forgotten, chunker or self._chunker)
        return _GroupPlan(changes, reports, stored, forgotten)

    async def stats(self) -> MemoryStats:
        """Counts and sizes, in the shape of ``memd stats --json``, as far as the memory knows them."""
        stats = await self.indexed.stats()
        return {
            "documents": stats.documents,
            "messages": stats.messages,
            "chunks": stats.chunks,
            "facts": stats.facts,
            "facts_rejected": await self.database.read(fact_rows.rejections),
            "people": stats.people,
            "vectors": {"done": stats.vectors_done, "pending": stats.vectors_pending},
            "bytes": dict(stats.bytes_by_part),
            "embedding_cache": self._cache(stats),
            "index_lag": dict(stats.lag),
            "generation": None
            if self._generation is None
            else {"model": self._generation.model, "dimension": self._generation.dimension},
            "fallback": stats.fallback,
        }

    def _cache(self, stats: StoreStats) -> CacheCounts:
        """Return, since the start, the chunks whose text had been embedded before, and the texts that had to be
        embedded.
        """
        return {"hits": max(0, self._written - self.made - stats.vectors_pending), "misses": self.made}


async def planned_changes(memory: EvolvingMemory, documents: Sequence[Document]) -> WriteBatch:
    """Return the changes that `EvolvingMemory.write` would make for these documents, without making them. Texts are cut by
    the default strategies, as others may take minutes: a question waits for this.

    Raises:
        StoreError: the store cannot be read.
    """
    documents, _ = decisions_taken_out(documents)
    same = await memory.unchanged(documents)
    fresh = [document for document, stored in zip(documents, same, strict=True) if not stored]
    divided = await memory._in_their_homes(fresh, (), {})  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - a method in all but its place
    groups = split_by_distinct_key([part for parts in divided for part in parts])
    chunker = DocumentChunker(memory.tokenizer)
    batches = [(await memory._plan_group(group, chunker)).changes for group in groups]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return WriteBatch(
        documents=[each for batch in batches for each in batch.documents],
        messages=[each for batch in batches for each in batch.messages],
        chunks=[each for batch in batches for each in batch.chunks],
    )


def _written(names: Sequence[EntryName], reports: Sequence[StoreReport]) -> dict[EntryName, tuple[int, int]]:
    """Return the messages added and updated by queue entry; a document may belong to several entries, and an entry have
    several.
    """
    counts: dict[EntryName, tuple[int, int]] = {}
    for name, report in zip(names, reports, strict=True):
        if report.added or report.updated:
            added, updated = counts.get(name, (0, 0))
            counts[name] = added + report.added, updated + report.updated
    return counts


def _delivered_texts(
    documents: Sequence[Document], names: Sequence[EntryName], written: Collection[EntryName]
) -> set[int]:
    """Return the `id` of each text that was stored before memd was interrupted: other versions may have come after it."""
    pairs = zip(documents, names, strict=True)
    return {id(document) for document, name in pairs if name in written and not document.is_conversation()}


def _as_written(report: StoreReport, added: int, updated: int) -> StoreReport:
    """Return the report of a redelivered document with the counts from when it was stored; it is unchanged now."""
    if not added and not updated:
        return report
    more = {"added": report.added + added, "updated": report.updated + updated}
    return report.model_copy(update={**more, "unchanged": max(0, report.unchanged - added - updated)})


def _tell(progress: ProgressSender | None, stage: str, report: StoreReport) -> None:
    if progress is not None:
        done = report.added + report.updated + report.unchanged
        progress.send(ProgressUpdate.model_validate({"run": "store", "stage": stage, "processed": done}))


if TYPE_CHECKING:
    _storage: type[Storage] = EvolvingMemory
