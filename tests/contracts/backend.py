"""What every backend must hold: subclass `BackendContract`, give it `opening`, and every promise of `ports.Backend` is tested."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID, uuid4

import anyio
import numpy as np
import pytest

from memd.memory.ports import Backend
from memd.memory.records import (
    DocumentLine,
    Generation,
    Rename,
    StoredChunk,
    StoredDocument,
    StoredMessage,
)
from memd.memory.search_types import CandidateSet, ChunkRef, Filter, Scored, Vector
from memd.memory.text import analyzer
from memd.memory.write_batches import WriteBatch
from memd.schemas import Arm, Attachment, Conversation, ConversationMessage, Edit, Reaction
from memd.schemas.errors import EmbeddingError, StoreError
from memd.schemas.keys import chunk_key, document_key, message_key, text_hash

Opening = Callable[[], AbstractAsyncContextManager[Backend]]

NOON = datetime(2024, 1, 15, 12, 0, tzinfo=timezone(timedelta(hours=1)))
GENERATION = Generation("test", 16, ("message-1",))


def message_of(
    document: StoredDocument, position: int, speaker: str, content: str, *, identifier: str | None = None
) -> StoredMessage:
    """A message a minute after the one before it, named by its first position unless ``identifier`` says otherwise."""
    name = identifier or f"m{position}"
    message = ConversationMessage(speaker=speaker, content=content, time=NOON + timedelta(minutes=position), id=name)
    return StoredMessage(message_key(document.source, "", document.id, name), document.key, position, message)


def _best(seen: CandidateSet) -> dict[Arm, list[UUID]]:
    """By arm, the keys of its best."""
    return {arm: [seen.places[number].key for number in numbers] for arm, numbers in seen.best.items()}


def _scored(seen: CandidateSet) -> dict[Arm, dict[UUID, object]]:
    """By arm, the scores by key of the places that it gives one; cosines may differ in the last digits."""
    return {
        arm: {
            place.key: pytest.approx(float(score), rel=1e-5)
            for place, score in zip(seen.places, column, strict=True)
            if not np.isnan(score)
        }
        for arm, column in seen.scores.items()
    }


def chunk_of(message: StoredMessage) -> StoredChunk:
    """The one chunk of a message."""
    content = message.message.content
    return StoredChunk(
        key=chunk_key(message.key, "message", "message-1", 0, len(content), content),
        document=message.document,
        message=message.key,
        index=0,
        start=0,
        end=len(content),
        token_count=len(content.split()),
        strategy="message",
        version="message-1",
        section="",
        embed_text=f"{message.message.speaker}: {content}",
    )


def conversation(name: str, source: str = "chat", **fields: object) -> StoredDocument:
    """A conversation document between Ann and Bob."""
    plain = StoredDocument(
        document_key(source, "", name), name, source, "", "conversation", "Ann", ("Ann", "Bob"), timestamp=NOON
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def group(document: StoredDocument, lines: Iterable[tuple[str, str]], first: int = 0) -> WriteBatch:
    """A document with one chunk a message."""
    messages = [message_of(document, first + n, speaker, text) for n, (speaker, text) in enumerate(lines)]
    return WriteBatch(documents=[document], messages=messages, chunks=[chunk_of(message) for message in messages])


def text_group(name: str, pieces: Sequence[str], timestamp: datetime | None = None) -> WriteBatch:
    """A text document, one chunk a piece."""
    content = "\n".join(pieces)
    key = document_key("notes", "", name)
    document = StoredDocument(key, name, "notes", "", "text", tags=("note",), timestamp=timestamp, content=content)
    chunks: list[StoredChunk] = []
    start = 0
    for index, piece in enumerate(pieces):
        end = start + len(piece)
        made = chunk_key(key, "recursive", "recursive-1", start, end, piece)
        chunks.append(StoredChunk(made, key, None, index, start, end, 3, "recursive", "recursive-1", "", piece))
        start = end + 1
    return WriteBatch(documents=[document], chunks=chunks)


def vector_of(text: str, dimension: int = GENERATION.dimension) -> Vector:
    """A unit vector that depends on the text alone."""
    seed = int.from_bytes(text_hash(text)[:8], "little")
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def vectors_for(changes: WriteBatch) -> dict[bytes, Vector]:
    """A vector for each chunk of a group."""
    return {text_hash(chunk.embed_text): vector_of(chunk.embed_text) for chunk in changes.chunks}


def keys_of(found: Iterable[Scored]) -> list[UUID]:
    """The keys, in their order."""
    return [scored.key for scored in found]


LINES = [
    ("Ann", "the ferry leaves at seven"),
    ("Bob", "bring the blue kayak"),
    ("Ann", "and a lamp for the cabin"),
    ("Bob", "the lamp is broken"),
    ("Ann", "then candles"),
    ("Bob", "good night"),
]


class BackendContract:
    """The suite. ``opening`` may be called again after its block ended and must find the same store."""

    @pytest.fixture
    def opening(self) -> Opening:
        """How to open, and after closing to reopen, one store."""
        raise AssertionError("an implementation's tests give this fixture")

    @asynccontextmanager
    async def _filled(self, opening: Opening, *groups: WriteBatch) -> AsyncGenerator[Backend]:
        async with opening() as backend:
            await backend.set_generation(GENERATION)
            for changes in groups:
                await backend.apply(changes)
                await backend.put_vectors(vectors_for(changes))
            await backend.settle()
            yield backend

    # --- an empty store -------------------------------------------------------------------------------------------

    @pytest.mark.anyio
    async def test_an_empty_store_answers(self, opening: Opening) -> None:
        """Every read of a new store is empty, and none fails."""
        async with opening() as backend:
            await backend.settle()
            nobody = [uuid4()]
            assert await backend.generation() is None
            assert await backend.search_words("lexical", ["lamp"], Filter(), 10) == []
            assert await backend.search_words("lexical", [], Filter(), 10) == []
            assert await backend.search_vectors(vector_of("x"), Filter(), 10) == []
            assert await backend.documents(nobody) == {}
            assert await backend.messages(nobody) == {}
            assert await backend.entries(nobody) == {}
            assert await backend.places(nobody) == {}
            assert await backend.neighbours(nobody, 3, 1) == []
            assert await backend.find("nothing") == []
            assert await backend.listing(Filter(), None, 10) == []
            assert await backend.names() == {}
            assert await backend.mentioned() == set()
            assert await backend.conversations() == []
            assert await backend.pending(10) == []
            await backend.apply(WriteBatch())
            stats = await backend.stats()
            assert (stats.documents, stats.messages, stats.chunks, stats.vectors_pending) == (0, 0, 0, 0)

    # --- reading back ---------------------------------------------------------------------------------------------

    @pytest.mark.anyio
    async def test_rows_come_back_as_they_were(self, opening: Opening) -> None:
        """Documents, messages with all that they may carry, and chunks are equal to what was given, also after reopening."""
        document = conversation(
            "full",
            tags=("b", "a"),
            metadata={"title": "T", "x": "\u2028 \U0001f6f6"},
            digests=frozenset({b"d" * 32}),
            chat=document_key("chat", "", "whole"),
            people=("Ann", "Bob", "Ängström"),
        )
        plain = message_of(document, 0, "Ann", "  spaces \n kept\u0301 ")
        rich = replace(
            message_of(document, 1, "Ängström", "[photo]"),
            message=ConversationMessage(
                speaker="Ängström",
                content="[photo]",
                time=datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=timezone(timedelta(hours=-9, minutes=-30))),
                kind="media",
                reply_to="m0",
                edited=True,
                edits=(Edit(content="old", time=NOON),),
                attachments=(Attachment(name="a.jpg", size=0),),
                reactions=(Reaction(emoji="\U0001f44d", people=("Bob",)),),
                time_precision="minute",
                metadata={"k": "v"},
            ),
        )
        changes = WriteBatch(documents=[document], messages=[plain, rich], chunks=[chunk_of(plain), chunk_of(rich)])
        for first in (True, False):
            async with opening() as backend:
                if first:
                    await backend.apply(changes)
                assert await backend.documents([document.key, uuid4()]) == {document.key: document}
                assert await backend.messages([document.key]) == {document.key: [plain, rich]}
                entries = await backend.entries([chunk_of(rich).key])
                entry = entries[chunk_of(rich).key]
                assert (entry.chunk, entry.text, entry.message) == (chunk_of(rich), "[photo]", rich)
                assert entry.document.id == "full"

    @pytest.mark.anyio
    async def test_a_group_may_be_repeated(self, opening: Opening) -> None:
        """Applying an equal group again changes nothing: no counts, no sequence, no names."""
        changes = group(conversation("a"), LINES)
        async with self._filled(opening, changes) as backend:
            before, names = await backend.stats(), await backend.names()
            await backend.apply(changes)
            await backend.put_vectors(vectors_for(changes))
            await backend.settle()
            after = await backend.stats()
            assert (after.sequence, after.messages, after.chunks) == (before.sequence, 6, 6)
            assert await backend.names() == names == {"Ann": 3, "Bob": 3}

    @pytest.mark.anyio
    async def test_a_group_is_applied_whole_or_not_at_all(self, opening: Opening) -> None:
        """A group with a message of an unknown document is refused and leaves nothing."""
        good, homeless = group(conversation("a"), LINES), group(conversation("b"), LINES)
        async with opening() as backend:
            with pytest.raises(StoreError):
                await backend.apply(replace(good, messages=[*good.messages, *homeless.messages]))
            assert (await backend.stats()).documents == 0
            assert await backend.pending(10) == []
            await backend.apply(good)
            assert (await backend.stats()).messages == len(LINES)

    @pytest.mark.anyio
    async def test_a_cancelled_group_is_whole_or_nothing(self, opening: Opening) -> None:
        """Wherever the cancellation falls, all or none of a group is there, and the store works on."""
        async with opening() as backend:
            for n in range(12):
                document = conversation(f"c{n}")
                with anyio.move_on_after(0.0003 * n):
                    await backend.apply(group(document, LINES * 10))
                found = await backend.messages([document.key])
                assert len(found.get(document.key, [])) in (0, len(LINES) * 10)
            await backend.settle()

    @pytest.mark.anyio
    async def test_digests_add_up(self, opening: Opening) -> None:
        """An input is unchanged when its digest is among all that were ever merged into that document."""
        one, two = conversation("a", digests=frozenset({b"1" * 32})), conversation("a", digests=frozenset({b"2" * 32}))
        async with self._filled(opening, group(one, LINES[:1]), group(two, LINES[:1])) as backend:
            other = conversation("b").key
            assert await backend.unchanged({one.key: b"1" * 32, other: b"1" * 32}) == {one.key}
            assert await backend.unchanged({one.key: b"2" * 32}) == {one.key}
            assert await backend.unchanged({one.key: b"3" * 32}) == set()
            assert (await backend.documents([one.key]))[one.key].digests == {b"1" * 32, b"2" * 32}

    @pytest.mark.anyio
    async def test_moves_keep_everything_else(self, opening: Opening) -> None:
        """A message inserted in the middle moves the later ones, and the words of their neighbourhoods follow."""
        document = conversation("a")
        changes = group(document, LINES)
        new = message_of(document, 1, "Bob", "remember the zebra", identifier="late")
        moved = {message.key: message.position + 1 for message in changes.messages[1:]}
        async with self._filled(opening, changes) as backend:
            await backend.apply(WriteBatch(messages=[new], chunks=[chunk_of(new)], moved=moved))
            await backend.settle()
            stored = (await backend.messages([document.key]))[document.key]
            assert [message.position for message in stored] == list(range(7))
            assert stored[1] == new
            wide = await backend.search_words("wide", ["zebra"], Filter(), 10)
            expected = {chunk_of(message).key for message in stored[0:5]}
            assert set(keys_of(wide)) == expected
            near = await backend.search_words("near", ["zebra"], Filter(), 10)
            assert set(keys_of(near)) == {chunk_of(message).key for message in stored[1:3]}

    @pytest.mark.anyio
    async def test_an_edit_replaces_its_chunk(self, opening: Opening) -> None:
        """After an edit the old words are found nowhere, not in the neighbourhood either, and the new ones are."""
        document = conversation("a")
        changes = group(document, LINES)
        old = changes.chunks[1]
        edited = message_of(document, 1, "Bob", "bring the yellow canoe", identifier="m1")
        async with self._filled(opening, changes) as backend:
            edit = WriteBatch(messages=[edited], chunks=[chunk_of(edited)], dropped_chunks=[old.key])
            await backend.apply(edit)
            await backend.settle()
            for arm in ("lexical", "near", "wide"):
                assert await backend.search_words(arm, analyzer.terms("kayak"), Filter(), 10) == []
            found = await backend.search_words("lexical", analyzer.terms("canoe"), Filter(), 10)
            assert keys_of(found) == [chunk_of(edited).key]
            assert await backend.entries([old.key]) == {}
            nearest = await backend.search_vectors(vector_of(old.embed_text), Filter(), 10)
            assert old.key not in keys_of(nearest)
            await backend.put_vectors(vectors_for(edit))
            await backend.settle()
            nearest = await backend.search_vectors(vector_of(edit.chunks[0].embed_text), Filter(), 1)
            assert keys_of(nearest) == [chunk_of(edited).key]

    # --- places and neighbours ------------------------------------------------------------------------------------

    @pytest.mark.anyio
    async def test_neighbourhoods_stop_at_the_documents_edge(self, opening: Opening) -> None:
        """The first and the last message have neighbours on one side only, and none in another document."""
        first, second = group(conversation("a"), LINES), group(conversation("b"), LINES)
        async with self._filled(opening, first, second) as backend:
            keys = [chunk.key for chunk in first.chunks]
            found = await backend.neighbours([keys[0]], 3, 1)
            assert {place.key for place in found} == {keys[1]}
            found = await backend.neighbours([keys[5]], 3, 1)
            assert {place.key for place in found} == set(keys[2:5])
            found = await backend.neighbours([keys[2], keys[3]], 1, 1)
            assert {place.key for place in found} == set(keys[1:5])
            assert len(found) == 4
            found = await backend.neighbours([keys[2]], 0, 0)
            assert found == []
            ordinals = [place.ordinal for place in (await backend.places(keys)).values()]
            assert sorted(ordinals) == list(range(6))

    @pytest.mark.anyio
    async def test_one_trip_gives_what_several_give(self, opening: Opening) -> None:
        """Surveys and `entries` with neighbours equal the single calls, with and without a filter."""
        changes = group(conversation("c"), LINES)
        async with self._filled(opening, changes) as backend:
            keys = [chunk.key for chunk in changes.chunks]
            terms, vector = ["lamp", "ferry"], vector_of("Bob: the lamp is broken")
            fields: list[Arm] = ["lexical", "near", "wide"]
            for where in (Filter(), Filter(speakers=("bob",))):
                some = {arm: await backend.search_words(arm, terms, where, 2) for arm in fields[1:]}
                words = await backend.survey_words(fields[1:], terms, where, 2)
                assert _best(words) == {arm: keys_of(hits) for arm, hits in some.items()}
                among = {place.key for place in words.places}
                assert among == {hit.key for hits in some.values() for hit in hits}
                assert words.found == len(words.places) == len(among)
                expected = {arm: await backend.search_words(arm, terms, where, 10, among) for arm in fields[1:]}
                assert _scored(words) == {arm: dict(hits) for arm, hits in expected.items()}
                nearest = await backend.search_vectors(vector, where, 2)
                union = {hit.key for hits in (*some.values(), nearest) for hit in hits}
                told: list[dict[Arm, list[UUID]]] = []

                def promising(
                    places: Sequence[ChunkRef],
                    best: Mapping[Arm, Sequence[int]],
                    told: list[dict[Arm, list[UUID]]] = told,
                ) -> list[int]:
                    told.append({arm: [places[n].key for n in numbers] for arm, numbers in best.items()})
                    return [n for n, place in enumerate(places) if place.key == keys[0]]

                seen = await backend.survey(words, terms, vector, where, 2, promising)
                assert told == [_best(seen)]
                assert _best(seen) == {arm: keys_of(hits) for arm, hits in {**some, "vector": nearest}.items()}
                places = {place.key: place for place in seen.places}
                around = [place for place in await backend.neighbours(keys[:1], 1, 1) if keys[0] in union]
                assert places == {place.key: place for place in around} | await backend.places(union)
                assert {place.key for place in seen.places[: seen.found]} == union
                assert len(places) == len(seen.places)
                among = set(places)
                expected = {arm: await backend.search_words(arm, terms, where, 10, among) for arm in fields[1:]}
                expected["vector"] = await backend.search_vectors(vector, where, 10, among)
                assert _scored(seen) == {arm: dict(hits) for arm, hits in expected.items()}
                as_found = await backend.survey(CandidateSet(), terms, vector, where, 2, None)
                assert _scored(as_found) == {"vector": dict(nearest)}
            assert (await backend.survey(words, terms, None, Filter(), 2, None)).scores.keys() == {"near", "wide"}
            assert (await backend.entries(keys[1:2], 1)).keys() == set(keys[:3])
            nothing = await backend.survey(CandidateSet(), terms, None, Filter(), 2, None)
            assert (list(nothing.places), nothing.found, dict(nothing.scores)) == ([], 0, {})

    @pytest.mark.anyio
    async def test_a_place_tells_how_much_is_said_and_whether_it_asks(self, opening: Opening) -> None:
        """By the tokens of the chunk, and a question mark of any script at the end."""
        lines = [("Ann", "is it broken? "), ("Bob", "it is? no"), ("Ann", "\u58ca\u4e86\uff1f")]
        changes = group(conversation("c"), lines)
        async with self._filled(opening, changes) as backend:
            keys = [chunk.key for chunk in changes.chunks]
            places = await backend.places(keys)
            assert [(places[key].tokens, places[key].asks) for key in keys] == [(3, True), (3, False), (1, True)]
            beside = await backend.neighbours([keys[1]], 1, 1)
            assert {place.key: place for place in beside} == {key: places[key] for key in (keys[0], keys[2])}

    @pytest.mark.anyio
    async def test_texts_have_places_too(self, opening: Opening) -> None:
        """Pieces of a text neighbour each other; their owner is the document and they have no speaker."""
        changes = text_group("n", ["alpha one", "beta two", "gamma three"])
        async with self._filled(opening, changes) as backend:
            keys = [chunk.key for chunk in changes.chunks]
            place = (await backend.places(keys))[keys[1]]
            assert (place.owner, place.document, place.ordinal, place.speaker) == (place.document, place.owner, 1, "")
            assert {p.key for p in await backend.neighbours([keys[1]], 1, 1)} == {keys[0], keys[2]}
            assert set(keys_of(await backend.search_words("wide", ["alpha"], Filter(), 5))) == set(keys)
            assert keys_of(await backend.search_words("lexical", ["alpha"], Filter(), 5)) == [keys[0]]
            entry = (await backend.entries(keys))[keys[2]]
            assert (entry.text, entry.message) == ("gamma three", None)

    @pytest.mark.anyio
    async def test_all_chunks_of_a_long_message_share_its_place(self, opening: Opening) -> None:
        """Two chunks of one message have one ordinal, and neither neighbours the other."""
        document = conversation("a")
        changes = group(document, LINES)
        whole = changes.chunks[2]
        halves = [
            replace(whole, key=uuid4(), index=0, end=10, embed_text=f"Ann: {LINES[2][1][:10]}"),
            replace(whole, key=uuid4(), index=1, start=11, embed_text=f"Ann: {LINES[2][1][11:]}"),
        ]
        chunks = [*changes.chunks[:2], *halves, *changes.chunks[3:]]
        async with self._filled(opening, replace(changes, chunks=chunks)) as backend:
            places = await backend.places([half.key for half in halves])
            assert {place.ordinal for place in places.values()} == {2}
            beside = await backend.neighbours([halves[0].key], 1, 1)
            assert {place.key for place in beside} == {changes.chunks[1].key, changes.chunks[3].key}
            around = await backend.neighbours([changes.chunks[1].key], 0, 1)
            assert {place.key for place in around} == {half.key for half in halves}
            found = await backend.search_words("lexical", analyzer.terms("cabin"), Filter(), 5)
            assert keys_of(found) == [halves[1].key]

    # --- filters --------------------------------------------------------------------------------------------------

    @pytest.mark.anyio
    async def test_filters_are_applied_inside_the_arms(self, opening: Opening) -> None:
        """A filter that one of 2,000 equal candidates passes finds it with a limit of 1."""
        many = group(conversation("many"), [("Ann", f"lamp {n}") for n in range(1999)])
        lone = group(
            conversation("lone", "mail", tags=("rare",), people=("Ann", "Carla")), [("Carla", "dim lamp here")]
        )
        async with self._filled(opening, many, lone) as backend:
            expected = [lone.chunks[0].key]
            far = -vector_of(lone.chunks[0].embed_text)
            for where in (
                Filter(speakers=("CARLA",)),
                Filter(people=("carla",)),
                Filter(sources=("mail",)),
                Filter(tags=("rare", "none")),
                Filter(speakers=("carla", "nobody"), sources=("mail",), kinds=("text",)),
            ):
                assert keys_of(await backend.search_words("wide", ["lamp"], where, 1)) == expected
                assert keys_of(await backend.search_vectors(far, where, 1)) == expected

    @pytest.mark.anyio
    async def test_every_filter_field(self, opening: Opening) -> None:
        """Values of one field mean any, several fields all; both arms and the listing agree."""
        chat = group(conversation("a", tags=("x",)), LINES)
        call = replace(
            message_of(conversation("a"), 6, "Bob", "missed lamp call"),
            message=ConversationMessage(speaker="Bob", content="missed lamp call", time=NOON, kind="call"),
        )
        called = WriteBatch(messages=[call], chunks=[chunk_of(call)])
        dated = text_group("dated", ["lamp manual"], NOON + timedelta(days=1))
        undated = text_group("undated", ["lamp notes"])
        lamps = {
            "ann": chat.chunks[2].key,
            "bob": chat.chunks[3].key,
            "call": called.chunks[0].key,
            "dated": dated.chunks[0].key,
            "undated": undated.chunks[0].key,
        }
        cases: list[tuple[Filter, set[str]]] = [
            (Filter(), {"ann", "bob", "call", "dated", "undated"}),
            (Filter(speakers=("ann", "BOB")), {"ann", "bob", "call"}),
            (Filter(speakers=("nobody",)), set()),
            (Filter(people=("bob",)), {"ann", "bob", "call"}),
            (Filter(kinds=("text",)), {"ann", "bob", "dated", "undated"}),
            (Filter(kinds=("call", "poll")), {"call"}),
            (Filter(sources=("notes",)), {"dated", "undated"}),
            (Filter(tags=("x", "note")), {"ann", "bob", "call", "dated", "undated"}),
            (Filter(tags=("note",), until=NOON + timedelta(days=9)), {"dated"}),
            (Filter(since=NOON), {"ann", "bob", "call", "dated"}),
            (Filter(since=NOON + timedelta(minutes=2), until=NOON + timedelta(minutes=3)), {"ann"}),
            (Filter(since=(NOON + timedelta(minutes=3)).astimezone(UTC), kinds=("text",)), {"bob", "dated"}),
            (Filter(speakers=("bob",), kinds=("text",)), {"bob"}),
        ]
        async with self._filled(opening, chat, called, dated, undated) as backend:
            for where, expected in cases:
                wanted = {lamps[name] for name in expected}
                found = await backend.search_words("lexical", ["lamp"], where, 10)
                assert set(keys_of(found)) == wanted, where
                near = await backend.search_vectors(vector_of("q"), where, 100)
                assert set(keys_of(near)) & set(lamps.values()) == wanted, where
                among = await backend.search_vectors(vector_of("q"), where, 100, list(lamps.values()))
                assert set(keys_of(among)) == wanted, where
                listed = {line.key for line in await backend.listing(where, None, 10)}
                documents = {entry.document.key for entry in (await backend.entries(wanted)).values()}
                assert documents <= listed, where

    @pytest.mark.anyio
    async def test_a_renamed_person_is_found_under_all_names(self, opening: Opening) -> None:
        """In that chat and nowhere else, over several renames, in any spelling of case."""
        chat, other = uuid4(), uuid4()
        here = group(
            conversation("here", chat=chat), [("Bob", "lamp one"), ("Bobby", "lamp two"), ("Ann", "lamp three")]
        )
        there = group(conversation("there", chat=other, people=("Ann", "Robert")), [("Robert", "lamp four")])
        renames = [Rename(chat, "chat", "Bob", "Bobby"), Rename(chat, "chat", "Bobby", "Robert")]
        async with self._filled(opening, here, there) as backend:
            await backend.apply(WriteBatch(renames=renames))
            await backend.apply(WriteBatch(renames=renames))
            assert await backend.renames([chat]) == renames
            assert await backend.renames([]) == await backend.renames([uuid4()]) == []
            await backend.settle()
            both = {here.chunks[0].key, here.chunks[1].key}
            for name, expected in (("bob", both), ("BOBBY", both), ("Robert", {*both, there.chunks[0].key})):
                found = await backend.search_words("lexical", ["lamp"], Filter(speakers=(name,)), 10)
                assert set(keys_of(found)) == expected
                near = await backend.search_vectors(vector_of("q"), Filter(speakers=(name,)), 10)
                assert set(keys_of(near)) == expected
            people = await backend.search_words("lexical", ["lamp"], Filter(people=("robert",)), 10)
            assert set(keys_of(people)) == {chunk.key for chunk in [*here.chunks, *there.chunks]}

    @pytest.mark.anyio
    async def test_a_name_is_found_however_its_accents_are_composed(self, opening: Opening) -> None:
        """As a speaker and among people, also by a rename."""
        chat = uuid4()
        composed, apart = "Zo\u00eb \u00c5", "Zoe\u0308 A\u030a"
        one = group(conversation("one", people=("Ann", apart)), [(apart, "lamp one")])
        two = group(conversation("two", people=("Ann", composed)), [(composed, "lamp two")])
        three = group(conversation("three", chat=chat, people=("Ann", "Zed")), [("Zed", "lamp three")])
        async with self._filled(opening, one, two, three) as backend:
            await backend.apply(WriteBatch(renames=[Rename(chat, "chat", apart, "Zed")]))
            await backend.settle()
            everything = {each.chunks[0].key for each in (one, two, three)}
            for name in (composed, apart, composed.upper(), apart.lower(), "Zoe\u0308 \u00c5"):
                for where in (Filter(speakers=(name,)), Filter(people=(name,))):
                    found = await backend.search_words("lexical", ["lamp"], where, 10)
                    assert set(keys_of(found)) == everything, where
                    near = await backend.search_vectors(vector_of("q"), where, 10)
                    assert set(keys_of(near)) == everything, where
                    assert len(await backend.listing(where, None, 10)) == 3, where
                known = await backend.acquaintance(name)
                assert known is not None
                assert set(known.names) == {composed, apart, "Zed"}

    @pytest.mark.anyio
    async def test_a_documents_new_tags_and_people_are_found(self, opening: Opening) -> None:
        """Filters see what a later group changed about a document."""
        changes = group(conversation("a"), LINES)
        async with self._filled(opening, changes) as backend:
            where = Filter(tags=("new",), people=("carla",))
            assert await backend.search_words("lexical", ["lamp"], where, 10) == []
            await backend.apply(
                WriteBatch(documents=[conversation("a", tags=("new",), people=("Ann", "Bob", "Carla"))])
            )
            await backend.settle()
            assert len(await backend.search_words("lexical", ["lamp"], where, 10)) == 2
            assert len(await backend.search_vectors(vector_of("q"), where, 10)) == 6

    # --- scores ---------------------------------------------------------------------------------------------------

    @pytest.mark.anyio
    async def test_among_scores_exactly(self, opening: Opening) -> None:
        """The score among a few equals the score among all, in every arm; those without a term are left out."""
        changes = group(conversation("a"), [("Ann", f"lamp {'cabin ' * (n % 4)} {n}") for n in range(600)])
        async with self._filled(opening, changes) as backend:
            some = [chunk.key for chunk in changes.chunks[50:550]]
            for arm in ("lexical", "near", "wide"):
                everything = {s.key: s.score for s in await backend.search_words(arm, ["lamp", "cabin"], Filter(), 600)}
                found = await backend.search_words(arm, ["lamp", "cabin"], Filter(), 600, some)
                assert set(keys_of(found)) == set(some)
                assert all(abs(scored.score - everything[scored.key]) < 1e-4 for scored in found)
                assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
            lacking = await backend.search_words("lexical", ["cabin"], Filter(), 600, some)
            assert len(lacking) == 375
            asked = vector_of("q")
            near = await backend.search_vectors(asked, Filter(), 600, [*some, uuid4()])
            assert len(near) == 500
            exact = {c.key: float(asked @ vector_of(c.embed_text)) for c in changes.chunks}
            assert all(abs(scored.score - exact[scored.key]) < 2e-3 for scored in near)
            assert await backend.search_words("lexical", ["lamp"], Filter(), 10, []) == []
            assert await backend.search_vectors(asked, Filter(), 10, []) == []

    @pytest.mark.anyio
    async def test_strange_terms_are_words_not_syntax(self, opening: Opening) -> None:
        """Unknown terms, query syntax, very long terms and thousands of terms are answered."""
        async with self._filled(opening, group(conversation("a"), LINES)) as backend:
            for terms in (
                ["nothing"],
                ['what about (this: "'],
                ["*:*", "AND", "lexical:lamp"],
                ["x" * 70_000],
                ["\0", ""],
            ):
                assert await backend.search_words("lexical", terms, Filter(), 10) == []
            huge = [f"w{n}" for n in range(5_000)] + ["lamp"]
            assert len(await backend.search_words("lexical", huge, Filter(), 10)) == 2

    # --- vectors --------------------------------------------------------------------------------------------------

    @pytest.mark.anyio
    async def test_bad_vectors_are_refused(self, opening: Opening) -> None:
        """Wrong dimension, zero or not finite: EmbeddingError, and nothing of that group is kept."""
        changes = group(conversation("a"), LINES[:2])
        good, bad = (text_hash(chunk.embed_text) for chunk in changes.chunks)
        async with opening() as backend:
            await backend.apply(changes)
            with pytest.raises(EmbeddingError):
                await backend.put_vectors({good: vector_of("g")})
            await backend.set_generation(GENERATION)
            nan = np.full(16, np.nan, dtype=np.float32)
            inf = np.full(16, np.inf, dtype=np.float32)
            for vector in (vector_of("x", 8), np.zeros(16, dtype=np.float32), nan, inf):
                with pytest.raises(EmbeddingError):
                    await backend.put_vectors({good: vector_of("g"), bad: vector})
            assert len(await backend.pending(10)) == 2
            await backend.settle()
            assert await backend.search_vectors(vector_of("g"), Filter(), 10) == []

    @pytest.mark.anyio
    async def test_a_chunk_without_a_text_to_embed_waits_for_no_vector(self, opening: Opening) -> None:
        """It is found by its words, and nothing is pending for it, also under another model."""
        plain = group(conversation("a"), [("Ann", "omitted"), ("Ann", "hello")])
        bare = replace(plain, chunks=[replace(plain.chunks[0], embed_text=""), plain.chunks[1]])
        async with opening() as backend:
            await backend.set_generation(GENERATION)
            await backend.apply(bare)
            assert [text.text for text in await backend.pending(10)] == ["Ann: hello"]
            await backend.set_generation(replace(GENERATION, model="another"))
            assert [text.text for text in await backend.pending(10)] == ["Ann: hello"]
            await backend.settle()
            found = await backend.search_words("lexical", analyzer.terms("omitted"), Filter(), 10)
            assert [hit.key for hit in found] == [bare.chunks[0].key]

    @pytest.mark.anyio
    async def test_pending_texts_are_distinct_and_in_order(self, opening: Opening) -> None:
        """Equal texts wait once, the oldest first; what has its vector or lost its chunk waits no more."""
        first = group(conversation("a"), [("Ann", "one"), ("Ann", "two"), ("Ann", "one")])
        second = group(conversation("b"), [("Ann", "two"), ("Ann", "three")])
        async with opening() as backend:
            await backend.set_generation(GENERATION)
            await backend.apply(first)
            await backend.apply(second)
            waiting = await backend.pending(10)
            assert [text.text for text in waiting] == ["Ann: one", "Ann: two", "Ann: three"]
            assert [text.hash for text in waiting] == [text_hash(text.text) for text in waiting]
            assert await backend.pending(1) == waiting[:1]
            await backend.put_vectors({waiting[0].hash: vector_of("Ann: one")})
            assert await backend.pending(10) == waiting[1:]
            await backend.apply(WriteBatch(dropped_chunks=[second.chunks[1].key]))
            assert await backend.pending(10) == waiting[1:2]
            await backend.apply(WriteBatch(dropped_chunks=[second.chunks[0].key]))
            assert await backend.pending(10) == waiting[1:2]
            await backend.settle()
            found = await backend.search_vectors(vector_of("Ann: one"), Filter(), 10)
            assert set(keys_of(found)) == {first.chunks[0].key, first.chunks[2].key}

    @pytest.mark.anyio
    async def test_a_known_vector_serves_a_new_chunk(self, opening: Opening) -> None:
        """A new chunk with a known text is found by its vector without being embedded again."""
        first, second = group(conversation("a"), LINES), group(conversation("b"), LINES)
        async with self._filled(opening, first) as backend:
            await backend.apply(second)
            assert await backend.pending(10) == []
            await backend.settle()
            found = await backend.search_vectors(vector_of(first.chunks[0].embed_text), Filter(), 2)
            assert set(keys_of(found)) == {first.chunks[0].key, second.chunks[0].key}

    @pytest.mark.anyio
    async def test_another_models_vectors_are_not_searched(self, opening: Opening) -> None:
        """A new generation starts without vectors; going back finds the old ones again."""
        changes = group(conversation("a"), LINES)
        other = Generation("other", 8, ("message-2", "recursive-1"))
        async with self._filled(opening, changes) as backend:
            await backend.set_generation(other)
            assert await backend.generation() == other
            assert len(await backend.pending(10)) == len(LINES)
            await backend.settle()
            assert await backend.search_vectors(vector_of("q", 8), Filter(), 10) == []
            text = changes.chunks[0].embed_text
            await backend.put_vectors({text_hash(text): vector_of(text, 8)})
            await backend.settle()
            assert keys_of(await backend.search_vectors(vector_of(text, 8), Filter(), 10)) == [changes.chunks[0].key]
            await backend.set_generation(GENERATION)
            await backend.settle()
            assert await backend.pending(10) == []
            assert len(await backend.search_vectors(vector_of("q"), Filter(), 10)) == len(LINES)

    # --- finding and listing --------------------------------------------------------------------------------------

    @pytest.mark.anyio
    async def test_find_knows_every_id(self, opening: Opening) -> None:
        """A key, a source's own id and a document's id each find what carries them."""
        first, second = group(conversation("a"), LINES), group(conversation("b"), LINES)
        async with self._filled(opening, first, second) as backend:
            assert await backend.find("m3") == [first.messages[3], second.messages[3]]
            assert await backend.find(str(first.messages[2].key)) == [first.messages[2]]
            assert await backend.find("b") == [second.documents[0]]
            assert await backend.find(str(first.documents[0].key)) == [first.documents[0]]
            assert await backend.find("' OR 1=1 --") == []

    @pytest.mark.anyio
    async def test_a_listing_has_pages(self, opening: Opening) -> None:
        """Page by page every document comes once, the newest first, equal times and undated ones included."""
        times = [NOON + timedelta(days=n // 2) for n in range(9)]
        dated = [group(conversation(f"d{n}", timestamp=time), LINES[:2]) for n, time in enumerate(times)]
        undated = [text_group(f"u{n}", ["some text"]) for n in range(3)]
        async with self._filled(opening, *dated, *undated) as backend:
            seen: list[DocumentLine] = []
            after: UUID | None = None
            while page := await backend.listing(Filter(), after, 4):
                assert len(page) <= 4
                seen += page
                after = page[-1].key
            assert len({line.key for line in seen}) == len(seen) == 12
            stamps = [line.timestamp for line in seen]
            assert stamps[9:] == [None] * 3
            known = [stamp for stamp in stamps if stamp is not None]
            assert known == sorted(known, reverse=True)
            assert {line.messages for line in seen[:9]} == {2}
            only = await backend.listing(Filter(sources=("notes",)), None, 10)
            assert {line.id for line in only} == {"u0", "u1", "u2"}

    @pytest.mark.anyio
    async def test_names_and_chats(self, opening: Opening) -> None:
        """Reserved speakers are nobody; a chat's people add up, and an empty title replaces none."""
        changes = group(conversation("a"), [*LINES, ("(system)", "Bob left"), ("(me)", "hm")])
        key = uuid4()
        chat = Conversation(id="c", source="chat", title="Trip", people=("Ann",))
        async with self._filled(opening, changes) as backend:
            assert await backend.names() == {"Ann": 3, "Bob": 3}
            renamed = message_of(changes.documents[0], 0, "Anna", LINES[0][1])
            await backend.apply(WriteBatch(messages=[renamed], conversations=[(key, chat)]))
            assert await backend.names() == {"Bob": 3, "Ann": 2, "Anna": 1}
            later = Conversation(id="c", source="chat", people=("Bob", "Ann"))
            await backend.apply(WriteBatch(conversations=[(key, later)]))
            assert await backend.conversations() == [(key, replace_people(chat, ("Ann", "Bob")))]
            quiet = group(conversation("b", people=("Zoë", "Carl")), [("Carl", "hm")])
            await backend.apply(replace(quiet, renames=[Rename(key, "chat", "Karl", "Carl")]))
            assert {"ann", "anna", "bob", "zoë", "carl", "karl"} <= await backend.mentioned()

    @pytest.mark.anyio
    async def test_statistics_count_the_store(self, opening: Opening) -> None:
        """Counts, sizes, and no lag after settling."""
        changes = group(conversation("a"), LINES)
        async with self._filled(opening, changes, text_group("n", ["x one", "y two"])) as backend:
            stats = await backend.stats()
            assert (stats.documents, stats.messages, stats.chunks, stats.people) == (2, 6, 8, 2)
            assert (stats.vectors_done, stats.vectors_pending, stats.facts) == (8, 0, 0)
            assert set(stats.bytes_by_part) == {"database", "words", "vectors"}
            assert set(stats.lag.values()) == {0}

    @pytest.mark.anyio
    async def test_everything_survives_reopening(self, opening: Opening) -> None:
        """What was applied is found after closing and opening, by words and by vectors."""
        changes = group(conversation("a"), LINES)
        async with self._filled(opening, changes):
            pass
        async with opening() as backend:
            await backend.settle()
            assert await backend.generation() == GENERATION
            assert len(await backend.search_words("lexical", ["lamp"], Filter(), 10)) == 2
            asked = vector_of(changes.chunks[4].embed_text)
            assert keys_of(await backend.search_vectors(asked, Filter(), 1)) == [changes.chunks[4].key]


def replace_people(chat: Conversation, people: tuple[str, ...]) -> Conversation:
    """The chat with other people."""
    return chat.model_copy(update={"people": people})
