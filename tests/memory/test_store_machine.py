"""A state machine: random operations on the store, compared after each with a model of plain dicts."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec import structs

from memd.memory.index.exact_vectors import FILE
from memd.memory.index.ports import Indexes
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.indexing.vector_sync import FALLBACK_FOLDER
from memd.memory.records import Rename, StoredChunk, StoredMessage
from memd.memory.search_types import Filter
from memd.memory.store import documents_read, forget_rows
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_fallback_vectors, keep_vectors, pending_texts
from memd.memory.text.analyzer import terms
from memd.memory.write_batches import Removal, WriteBatch
from memd.schemas import Arm
from memd.schemas.keys import document_key
from memd.tests import effort
from memd.tests.memory.store.samples import GENERATION, NOON, chunk_of, conversation, keys_of, message_of, vector_of
from memd.tests.memory.store.searches import chunks_of, must_equal_brute_force, search_vectors, search_words

WORDS = ("lamp", "kayak", "zebra", "candle", "cabin")
SPEAKERS = ("Ann", "Bob", "Cem")
NAMES = ("a", "b", "c")
TAGS = ("red", "blue")
LIMIT = 1_000
FALLBACK_DIMENSION = 5

words = st.sampled_from(WORDS[:2]) | st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
"""Half of them repeat another message, at least."""
lines = st.lists(st.tuples(st.sampled_from(SPEAKERS), words), min_size=1, max_size=5)
filters = st.builds(
    Filter,
    speakers=st.lists(st.sampled_from(("ann", "BOB", "Cem", "Dee")), max_size=2).map(tuple),
    sources=st.lists(st.sampled_from(("chat", "mail")), max_size=1).map(tuple),
    tags=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
    scope=st.lists(st.lists(st.sampled_from(TAGS), min_size=1, max_size=2).map(tuple), max_size=2).map(tuple),
    since=st.none() | st.integers(0, 8).map(lambda n: NOON + timedelta(minutes=n)),
    until=st.none() | st.integers(2, 12).map(lambda n: NOON + timedelta(minutes=n)),
)


@dataclass
class Talk:
    """What the model knows of one document; a message without a chunk has had it dropped."""

    name: str
    tags: tuple[str, ...] = ()
    messages: list[tuple[StoredMessage, StoredChunk | None]] = field(
        default_factory=list[tuple[StoredMessage, StoredChunk | None]]
    )
    made: int = 0

    @property
    def chat(self) -> UUID:
        """Two of the three talks are days of one chat."""
        return document_key("chat", "", "one" if self.name in "ab" else "two")

    @property
    def source(self) -> str:
        """The third talk is of another source."""
        return "mail" if self.name == "c" else "chat"


class StoreMachine(RuleBasedStateMachine):
    """Everything that is read or searched must equal what the model says."""

    tolerance = 1e-5
    """Between cosines of the index and of the store's own vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="memd-machine-"))
        self.portals = start_blocking_portal()
        self.portal: BlockingPortal = self.portals.__enter__()
        self.talks: dict[str, Talk] = {}
        self.waiting: list[str] = []
        self.embedded: set[str] = set()
        self.stood_in: set[str] = set()
        self.aliases: dict[UUID, list[set[str]]] = {}
        self.forgotten: set[UUID] = set()
        self.made: dict[str, int] = {}
        self.opened = False

    @initialize()
    def start(self) -> None:
        """Open a new store."""
        self._open()
        self.portal.call(self.store.set_generation, GENERATION)

    def indexes(self) -> Indexes | None:
        """What the store is opened with: its own files."""
        return None

    def lose(self, harm: str) -> None:
        """Remove what the closed store can make anew: "words", "vectors" or "both"."""
        data = self.directory / "data"
        if harm in ("words", "both"):
            shutil.rmtree(data / "words")
        if harm in ("vectors", "both"):
            (data / FILE).unlink(missing_ok=True)
            shutil.rmtree(data / FALLBACK_FOLDER, ignore_errors=True)

    def _open(self) -> None:
        opening = self.portal.wrap_async_context_manager(open_store(self.directory / "data", indexes=self.indexes()))
        self.opening: AbstractContextManager[IndexedStore] = opening
        self.store = opening.__enter__()
        self.opened = True

    def _close(self) -> None:
        if self.opened:
            self.opened = False
            self.opening.__exit__(None, None, None)

    def teardown(self) -> None:
        """Close and remove everything."""
        self._close()
        self.portals.__exit__(None, None, None)
        shutil.rmtree(self.directory, ignore_errors=True)

    # --- the model ------------------------------------------------------------------------------------------------

    def _document(self, talk: Talk) -> WriteBatch:
        return WriteBatch(documents=[conversation(talk.name, talk.source, tags=talk.tags, chat=talk.chat)])

    def _chunks(self) -> list[tuple[Talk, int, StoredMessage, StoredChunk]]:
        return [
            (talk, position, message, chunk)
            for talk in self.talks.values()
            for position, (message, chunk) in enumerate(talk.messages)
            if chunk is not None
        ]

    def _now_waiting(self, chunks: list[StoredChunk]) -> None:
        alive = {chunk.embed_text for _, _, _, chunk in self._chunks()}
        self.waiting = [text for text in self.waiting if text in alive]
        for chunk in chunks:
            if chunk.embed_text not in self.embedded and chunk.embed_text not in self.waiting:
                self.waiting.append(chunk.embed_text)

    def _same(self, talk: Talk, asked: str, speaker: str) -> bool:
        one, other = asked.casefold(), speaker.casefold()
        return one == other or any({one, other} <= names for names in self.aliases.get(talk.chat, []))

    def _passes(self, where: Filter, talk: Talk, message: StoredMessage) -> bool:
        time = message.message.time
        return (
            (not where.speakers or any(self._same(talk, name, message.message.speaker) for name in where.speakers))
            and (not where.sources or talk.source in where.sources)
            and all(set(group) & set(talk.tags) for group in (where.tags, *where.scope) if group)
            and (where.since is None or time >= where.since)
            and (where.until is None or time < where.until)
        )

    # --- writing --------------------------------------------------------------------------------------------------

    @rule(name=st.sampled_from(NAMES), said=lines, at=st.none() | st.integers(0, 6))
    def say(self, name: str, said: list[tuple[str, str]], at: int | None) -> None:
        """Append messages to a document, or insert them, which moves the later ones."""
        talk = self.talks.setdefault(name, Talk(name, made=self.made.get(name, 0)))
        place = len(talk.messages) if at is None else min(at, len(talk.messages))
        changes = self._document(talk)
        new: list[tuple[StoredMessage, StoredChunk | None]] = []
        for offset, (speaker, text) in enumerate(said):
            message = message_of(changes.documents[0], talk.made, speaker, text)
            message = replace(message, position=place + offset)
            talk.made += 1  # also what was forgotten keeps its name: nobody says the same message again
            self.made[name] = talk.made
            new.append((message, chunk_of(message)))
        later = [
            (replace(message, position=message.position + len(new)), chunk) for message, chunk in talk.messages[place:]
        ]
        talk.messages[place:] = new + later
        chunks = [chunk for _, chunk in new if chunk is not None]
        self._now_waiting(chunks)
        moved = {message.key: message.position for message, _ in later}
        changes = replace(changes, messages=[message for message, _ in new], chunks=chunks, moved=moved)
        self.portal.call(lambda: self.store.database.write(apply_changes, changes))

    @precondition(lambda self: self.talks)
    @rule(data=st.data(), text=words, speaker=st.sampled_from(SPEAKERS))
    def edit(self, data: st.DataObject, text: str, speaker: str) -> None:
        """Reword a message, perhaps under another name; its old chunk goes."""
        talk = data.draw(st.sampled_from(list(self.talks.values())))
        index = data.draw(st.integers(0, len(talk.messages) - 1))
        old, dropped = talk.messages[index]
        message = replace(old, message=structs.replace(old.message, content=text, speaker=speaker))
        chunk = chunk_of(message)
        talk.messages[index] = (message, chunk)
        self._now_waiting([chunk])
        gone = [dropped.key] if dropped is not None and dropped.key != chunk.key else []
        self.portal.call(
            lambda: self.store.database.write(
                apply_changes, WriteBatch(messages=[message], chunks=[chunk], dropped_chunks=gone)
            )
        )

    @precondition(lambda self: self._chunks())
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        """Delete one chunk; its message stays."""
        talk, position, message, chunk = data.draw(st.sampled_from(self._chunks()))
        talk.messages[position] = (message, None)
        self._now_waiting([])
        self.portal.call(lambda: self.store.database.write(apply_changes, WriteBatch(dropped_chunks=[chunk.key])))

    @precondition(lambda self: self.talks)
    @rule(data=st.data(), tags=st.lists(st.sampled_from(TAGS), unique=True).map(tuple))
    def tag(self, data: st.DataObject, tags: tuple[str, ...]) -> None:
        """Give a document other tags."""
        talk = data.draw(st.sampled_from(list(self.talks.values())))
        talk.tags = tags
        self.portal.call(lambda: self.store.database.write(apply_changes, self._document(talk)))

    @rule(name=st.sampled_from(NAMES), names=st.permutations(("Ann", "Bob", "Cem", "Dee")))
    def rename(self, name: str, names: list[str]) -> None:
        """Two names are one person in one chat."""
        chat = Talk(name).chat
        classes = self.aliases.setdefault(chat, [])
        merged = {names[0].casefold(), names[1].casefold()}
        for known in [known for known in classes if known & merged]:
            merged |= known
            classes.remove(known)
        classes.append(merged)
        self.portal.call(
            lambda: self.store.database.write(
                apply_changes, WriteBatch(renames=[Rename(chat, "chat", names[0], names[1])])
            )
        )

    @precondition(lambda self: self.talks)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        """Forget some messages of a document, or all of it."""
        talk = data.draw(st.sampled_from(list(self.talks.values())))
        count = len(talk.messages)
        places = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
        gone = [talk.messages[place][0] for place in places]
        talk.messages = [each for place, each in enumerate(talk.messages) if place not in places]
        key = document_key(talk.source, "", talk.name)
        self.forgotten |= {each.key for each in gone}
        names = {key: [each.key for each in gone]}
        if talk.messages:
            talk.messages = [(replace(m, position=place), chunk) for place, (m, chunk) in enumerate(talk.messages)]
            moved = {message.key: message.position for message, _ in talk.messages}
            removal = Removal(messages=[each.key for each in gone], tombstones=names, changes=WriteBatch(moved=moved))
        else:
            removal = Removal(documents=[key], tombstones=names)
            del self.talks[talk.name]
        self._forget_names(talk.chat)
        alive = {chunk.embed_text for _, _, _, chunk in self._chunks()}
        # Texts whose chunk was dropped before keep their vector until anything is forgotten.
        self.embedded &= alive
        self.stood_in &= alive
        self._now_waiting([])
        self.portal.call(self.store.forget, removal)

    def _forget_names(self, chat: UUID) -> None:
        """Of whom nothing is left in a chat, no name is left either."""
        talks = [talk for talk in self.talks.values() if talk.chat == chat]
        present = {message.message.speaker.casefold() for talk in talks for message, _ in talk.messages}
        present |= {"ann", "bob"} if talks else set()
        self.aliases[chat] = [names for names in self.aliases.get(chat, []) if names & present]

    @rule()
    def purge(self) -> None:
        """Nothing that was forgotten is in any file; what is kept is sound."""
        self.portal.call(self.store.purge)
        found = self.portal.call(self.store.check)
        assert [each for each in found if each.severity == "error" and each.check != "chunks"] == []

    @rule(limit=st.integers(1, 6))
    def embed(self, limit: int) -> None:
        """Give the oldest waiting texts their vectors."""
        batch = self.portal.call(lambda: self.store.database.read(pending_texts, limit))
        assert [text.text for text in batch] == self.waiting[:limit]
        self.portal.call(
            lambda: self.store.database.write(keep_vectors, {text.hash: vector_of(text.text) for text in batch})
        )
        self.embedded |= {text.text for text in batch}
        self.stood_in -= self.embedded
        del self.waiting[:limit]

    @rule(limit=st.integers(1, 6))
    def stand_in(self, limit: int) -> None:
        """Give the oldest texts without any vector one of the fallback, which begins with the first."""
        self.portal.call(self.store.begin_fallback, "fallback", FALLBACK_DIMENSION)
        batch = self.portal.call(lambda: self.store.database.read(partial(pending_texts, of_fallback=True), limit))
        assert [text.text for text in batch] == [text for text in self.waiting if text not in self.stood_in][:limit]
        vectors = {text.hash: vector_of(text.text, FALLBACK_DIMENSION) for text in batch}
        self.portal.call(lambda: self.store.database.write(keep_fallback_vectors, vectors))
        self.stood_in |= {text.text for text in batch}

    @rule()
    def end_fallback(self) -> None:
        """The vectors of the fallback go, with the files of its index."""
        self.portal.call(self.store.end_fallback)
        self.stood_in = set()
        assert not (self.directory / "data" / FALLBACK_FOLDER).exists()

    @rule(harm=st.sampled_from(("nothing", "words", "vectors", "both")))
    def restart(self, harm: str) -> None:
        """Close and open again, perhaps without the derived indexes."""
        self._close()
        self.lose(harm)
        self._open()

    # --- comparing ------------------------------------------------------------------------------------------------

    @rule(arm=st.sampled_from(("lexical", "near", "wide")), word=st.sampled_from(WORDS), where=filters)
    def search_words(self, arm: Arm, word: str, where: Filter) -> None:
        """By words, within the arm's neighbourhood."""
        self.portal.call(self.store.refresh_indexes)
        before, after = {"lexical": (0, 0), "near": (1, 0), "wide": (3, 1)}[arm]
        expected = {
            chunk.key
            for talk, position, message, chunk in self._chunks()
            if self._passes(where, talk, message)
            and any(
                word in other.message.content
                for other, _ in talk.messages[max(0, position - before) : position + after + 1]
            )
        }
        found = keys_of(self.portal.call(search_words, self.store, arm, terms(word), where, LIMIT))
        assert len(found) == len(set(found))
        assert set(found) == expected

    @rule(word=st.sampled_from(WORDS), where=filters)
    def search_vectors(self, word: str, where: Filter) -> None:
        """By vectors: everything that has one passes or not; the order is that of the cosines."""
        self.portal.call(self.store.refresh_indexes)
        expected = {
            chunk.key
            for talk, _, message, chunk in self._chunks()
            if self._passes(where, talk, message) and chunk.embed_text in self.embedded
        }
        found = self.portal.call(search_vectors, self.store, vector_of(word), where, LIMIT)
        assert len(found) == len(expected)
        assert set(keys_of(found)) == expected
        scores = [scored.score for scored in found]
        assert scores == sorted(scores, reverse=True)
        question = vector_of(word, FALLBACK_DIMENSION)
        by_fallback = keys_of(
            self.portal.call(partial(search_vectors, fallback=True), self.store, question, where, LIMIT)
        )
        assert not expected.intersection(by_fallback)
        assert sorted(by_fallback) == sorted(
            chunk.key
            for talk, _, message, chunk in self._chunks()
            if self._passes(where, talk, message) and chunk.embed_text in self.stood_in
        )

    @precondition(lambda self: self.opened)
    @invariant()
    def vectors_equal_brute_force(self) -> None:
        """The vector arm gives what comparing the question with every stored vector gives."""
        self.portal.call(self.store.refresh_indexes)
        self.portal.call(must_equal_brute_force, self.store, vector_of("q"), self.tolerance)

    @precondition(lambda self: self.opened)
    @invariant()
    def reads_agree(self) -> None:
        """Documents, messages, names and counts are the model's."""
        stats = self.portal.call(self.store.stats)
        total = sum(len(talk.messages) for talk in self.talks.values())
        assert (stats.documents, stats.messages, stats.chunks) == (len(self.talks), total, len(self._chunks()))
        assert stats.vectors_pending == len(self.waiting)
        counts: dict[str, int] = {}
        for talk in self.talks.values():
            key = document_key(talk.source, "", talk.name)
            stored = self.portal.call(lambda key=key: self.store.database.read(documents_read.messages, [key]))
            assert stored[key] == [message for message, _ in talk.messages]
            for message, _ in talk.messages:
                counts[message.message.speaker] = counts.get(message.message.speaker, 0) + 1
        assert self.portal.call(lambda: self.store.database.read(documents_read.names)) == counts
        documents = [document_key("mail" if name == "c" else "chat", "", name) for name in NAMES]
        kept = self.portal.call(lambda: self.store.database.read(forget_rows.tombstones, documents))
        assert {key for keys in kept.values() for key in keys} == self.forgotten
        keys = [chunk.key for _, _, _, chunk in self._chunks()]
        assert self.portal.call(chunks_of, self.store, keys) == {c.key: c for _, _, _, c in self._chunks()}


def test_the_store_is_a_plain_model() -> None:
    """A few dozen stories."""
    run_state_machine_as_test(
        StoreMachine, settings=settings(max_examples=effort.examples(12), stateful_step_count=20, deadline=None)
    )


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_store_is_a_plain_model_in_long_stories() -> None:
    """Hundreds of longer stories."""
    run_state_machine_as_test(StoreMachine, settings=settings(max_examples=100, stateful_step_count=40, deadline=None))
