"""Events that repeat, and several events of one title, are one hit with its dates; a time finds them by their rules."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.retrieval.answer import text_to_send
from memd.schemas import ConversationDocument, Hit, Query, TextDocument, TimelineDocument
from memd.tests.connectors.calendar.test_calendar import calendar, read

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 26, 20, tzinfo=BERLIN)
AT = "DTSTAMP:20240301T000000Z\nDTSTART;TZID=Europe/Berlin"
EVENTS = (
    f"UID:yoga\n{AT}:20240304T183000\nRRULE:FREQ=WEEKLY\nEXDATE;TZID=Europe/Berlin:20261214T183000\nSUMMARY:Yoga class\n",
    f"UID:stairs\n{AT}:20240927T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2\nSUMMARY:Cleaning the stairs\n",
    f"UID:dentist\n{AT}:20261127T110000\nSUMMARY:Dentist\n",
    f"UID:festival24\n{AT}:20240622T140000\nSUMMARY:Harbour festival 2024\n",
    f"UID:festival25\n{AT}:20250621T140000\nSUMMARY:Harbour festival 2025\nDESCRIPTION:bring the grill and the long tongs\n",
    f"UID:festival26\n{AT}:20260620T140000\nSUMMARY:Harbour Festival\n",
    f"UID:course1\n{AT}:20261119T170000\nSUMMARY:Sailing course\n",
    f"UID:course2\n{AT}:20261203T170000\nSUMMARY:Sailing course\n",
    f"UID:course3\n{AT}:20261217T170000\nSUMMARY:Sailing course\n",
)


def talk(day: int) -> ConversationDocument:
    """A day of a chat in which the words of the events occur."""
    start = datetime(2026, 11, day, 12, tzinfo=BERLIN)
    lines = (
        "I am too tired for yoga",
        "what a week, so many appointments",
        "the festival was loud",
        "see you tomorrow",
    )
    messages = [
        {"speaker": "Bob", "content": line, "time": start + timedelta(minutes=minute)}
        for minute, line in enumerate(lines)
    ]
    conversation = {"source": "chat", "people": ("Ann", "Bob"), "user": "Ann", "conversation": messages}
    return ConversationDocument.model_validate(
        {"id": f"chat:{day}", "conversation": conversation, "metadata": {"chat": "c"}}
    )


@asynccontextmanager
async def asked(folder: Path, *events: str) -> AsyncGenerator[EvolvingMemory]:
    """A memory of these events and some chats, asked on a Thursday evening."""
    embedder = BundledEmbedder()
    timelines = [each for each in read(calendar(*events)) if isinstance(each, TimelineDocument)]
    texts = [text for each in timelines if (text := each.as_text()) is not None]
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, embedder, embedder, now=lambda: NOW)
        await memory.start()
        await memory.store([*texts, *map(talk, (3, 12, 23))])
        await store.refresh_indexes()
        yield memory


async def hits_of(memory: EvolvingMemory, question: str, **more: object) -> list[Hit]:
    """The hits of a question among the events."""
    result = await memory.query(Query.model_validate({"text": question, "context": 0, **more}))
    return [each for each in result.hits if each.source == "calendar"]


def dates(hit: Hit) -> tuple[str, str, list[str]] | None:
    """The next date of a hit, the last one, and the others, in the zone of asking."""
    if hit.occurrences is None:
        return None
    around = (hit.occurrences.next, hit.occurrences.last)
    following, last = ("" if each is None else f"{each.astimezone(BERLIN):%Y-%m-%d %H:%M}" for each in around)
    return following, last, [f"{each.astimezone(BERLIN):%Y-%m-%d}" for each in hit.occurrences.others]


YOGA = ("2026-11-30 18:30", "2026-11-23 18:30")
FESTIVAL = ("", "2026-06-20 14:00")
COURSE = ("2026-12-03 17:00", "2026-11-19 17:00")
QUESTIONS: dict[str, tuple[str, tuple[str, str, list[str]] | None]] = {
    "when is the yoga class?": ("yoga", (*YOGA, [])),
    "yoga class in the second week of October 2026": ("yoga", (*YOGA, ["2026-10-12"])),
    "when do we clean the stairs?": ("stairs", ("2026-12-04 09:00", "2026-11-20 09:00", [])),
    "when is the dentist?": ("dentist", None),
    # Without a time the next one, else the last; with a time the one of then.
    "harbour festival": ("festival26", (*FESTIVAL, ["2024-06-22", "2025-06-21"])),
    "when was the harbour festival in 2025?": ("festival25", (*FESTIVAL, ["2024-06-22"])),
    "the harbour festival in June 2024": ("festival24", (*FESTIVAL, ["2025-06-21"])),
    # The words of a question decide before the dates do.
    "who brings the long tongs to the harbour festival?": ("festival25", (*FESTIVAL, ["2024-06-22"])),
    "sailing course": ("course2", (*COURSE, ["2026-12-17"])),
    "the sailing course last week": ("course1", ("2026-12-03 17:00", "2026-11-19 17:00", ["2026-12-17"])),
}


async def test_a_series_is_one_hit_with_its_dates(tmp_path: Path) -> None:
    """Its event fits the question's time, and its other events are no hits, however many are requested."""
    async with asked(tmp_path, *EVENTS) as memory:
        for question, (name, occurrences) in QUESTIONS.items():
            for limit in (3, 40):
                hits = await hits_of(memory, question, limit=limit)
                best = hits[0]
                assert (question, best.document_id, dates(best)) == (question, f"calendar:{name}", occurrences)
                others = [each.document_id for each in hits[1:]]
                assert not [each for each in others if each.startswith(f"calendar:{name.rstrip('0123456789')}")], (
                    question
                )


async def test_the_further_times_are_no_part_of_the_passage(tmp_path: Path) -> None:
    """A screen shows the event and its nearest dates instead of a list of all."""
    async with asked(tmp_path, EVENTS[0], EVENTS[5]) as memory:
        yoga = (await hits_of(memory, "when is the yoga class?"))[0]
        assert yoga.passage is not None
        assert yoga.text[yoga.passage.end :].startswith("\nalso 2024-03-11 18:30, 2024-03-18 18:30")
        assert yoga.text[: yoga.passage.end] == "2024-03-04 18:30: Yoga class\n[every week]"
        assert [yoga.text[each.start : each.end] for each in yoga.highlights] == ["Yoga", "class"]
        assert text_to_send(yoga) == (
            "2024-03-04 18:30: Yoga class\n[every week]\nnext 2026-11-30 18:30\nlast 2026-11-23 18:30"
        )
        festival = (await hits_of(memory, "the harbour festival"))[0]
        assert (festival.passage, festival.occurrences) == (None, None)
        assert text_to_send(festival) == festival.text


async def test_an_event_that_repeats_stands_under_the_time_that_is_meant(tmp_path: Path) -> None:
    """Not under its first one: under the next, the one at the time of the question, or the last if it is over."""
    ended = f"UID:choir\n{AT}:20240304T200000\nRRULE:FREQ=WEEKLY;COUNT=3\nSUMMARY:Choir rehearsal\n"
    async with asked(tmp_path, *EVENTS, ended) as memory:
        for question, time in (
            ("when is the yoga class?", "2026-11-30T18:30+01:00"),
            ("yoga class in the second week of October 2026", "2026-10-12T18:30+02:00"),
            ("when is the choir rehearsal?", "2024-03-18T20:00+01:00"),
            ("when was the harbour festival in 2025?", "2025-06-21T14:00+02:00"),
        ):
            assert (question, (await hits_of(memory, question))[0].time) == (question, datetime.fromisoformat(time))


async def test_a_time_finds_events_by_their_rules(tmp_path: Path) -> None:
    """Not by their first date; a date that is taken out finds nothing, and a filter of the user counts."""
    async with asked(tmp_path, *EVENTS) as memory:
        questions = {
            "what do I have tomorrow?": {"dentist"},
            "what is on next Monday?": {"yoga"},
            "Was ist am 14.12.2026?": set[str](),
            "Was habe ich am 4. Dezember 2026?": {"stairs"},
            "what do I have on Wednesday?": set[str](),
        }
        for question, names in questions.items():
            hits = await hits_of(memory, question)
            found = {hit.document_id.removeprefix("calendar:") for hit in hits} if names else set[str]()
            assert (question, found) == (question, names)
        for question in ("which appointments do I have this week?", "Welche Termine habe ich diese Woche?"):
            hits = await hits_of(memory, question, limit=2)
            assert {hit.document_id for hit in hits} == {"calendar:yoga", "calendar:dentist"}
        assert not await hits_of(memory, "what is on next Monday?", sources=("chat",))
        assert not await hits_of(memory, "what did Bob say on Monday?", limit=3)
        assert not await hits_of(memory, 'what is on next Monday with "many appointments"?')


async def test_the_list_of_times_is_no_text(tmp_path: Path) -> None:
    """It has any day and number: an event that repeats is found by its title, and ranks behind those of one day."""
    doctor = f"UID:doctor\n{AT}:20261130T080000\nSUMMARY:Optician\n"
    async with asked(tmp_path, *EVENTS, doctor) as memory:
        for question in ("what is on next Monday?", "what do I have on 30 November 2026?"):
            assert [hit.document_id for hit in await hits_of(memory, question)] == ["calendar:doctor", "calendar:yoga"]
        hits = await hits_of(memory, "2026-10-05 18:30 yoga class", limit=40)
        assert [hit.document_id for hit in hits].count("calendar:yoga") == 1
        assert all("Yoga" in hit.text for hit in hits if hit.document_id == "calendar:yoga")


async def test_the_next_event_is_the_soonest(tmp_path: Path) -> None:
    """From now on, by the rules of those that repeat; with a topic the soonest of those that have a word of it."""
    async with asked(tmp_path, *EVENTS) as memory:
        for question, names in (
            ("my next appointment", ["dentist", "yoga", "course2", "stairs"]),
            ("wann ist mein nächster Termin?", ["dentist", "yoga", "course2", "stairs"]),
            ("next appointment in December 2026", ["course2", "stairs", "yoga"]),
            ("when is the next sailing course?", ["course2"]),
            ("when is the next yoga class?", ["yoga"]),
        ):
            result = await memory.query(Query(text=question, context=0))
            names_found = [hit.document_id.removeprefix("calendar:") for hit in result.hits[: len(names)]]
            assert (question, names_found, result.weak) == (question, names, False)
            assert result.understood is not None
            assert result.understood.order == "next"
        assert not await hits_of(memory, "when is my next appointment?", sources=("chat",))


async def test_a_changed_rule_counts_at_once(tmp_path: Path) -> None:
    """Rules are read once, and again when something is stored."""
    async with asked(tmp_path, EVENTS[0]) as memory:
        assert [hit.document_id for hit in await hits_of(memory, "what is on next Monday?")] == ["calendar:yoga"]
        moved = EVENTS[0].replace("20240304T183000", "20240305T183000")
        (timeline,) = [each for each in read(calendar(moved)) if isinstance(each, TimelineDocument)]
        text = timeline.as_text()
        assert text is not None
        await memory.store([text])
        (tuesday,) = await hits_of(memory, "what is on next Tuesday?")
        assert dates(tuesday) == ("2026-12-01 18:30", "2026-11-24 18:30", [])


async def test_titles_alone_do_not_make_a_series(tmp_path: Path) -> None:
    """Notes of one title are hits of their own, and so are events of two calendars and events without a title."""
    async with asked(tmp_path) as memory:
        day = NOW - timedelta(days=9)
        documents = [
            TextDocument(
                id=f"{source}:{number}", content=f"Kayak tour {source} {number}", timestamp=day, metadata=metadata
            )
            for source, number, metadata in (
                ("notes", 1, {"source": "notes", "title": "Kayak tour"}),
                ("notes", 2, {"source": "notes", "title": "Kayak tour"}),
                ("calendar", 1, {"source": "calendar", "title": "Kayak tour", "calendar": "home"}),
                ("calendar", 2, {"source": "calendar", "title": "Kayak tour", "calendar": "club"}),
                ("calendar", 3, {"source": "calendar", "title": "2026"}),
                ("calendar", 4, {"source": "calendar"}),
            )
        ]
        await memory.store(documents)
        result = await memory.query(Query(text="kayak tour", limit=20))
        kayaks = [hit for hit in result.hits if "Kayak" in hit.text]
        assert {hit.document_id for hit in kayaks} == {each.id for each in documents}
        assert all(hit.occurrences is None for hit in kayaks)


async def test_events_of_a_time_are_no_weak_answer(tmp_path: Path) -> None:
    """Nobody wrote them: what counts of "I" in a question for appointments is their time."""
    line = {"speaker": "Ann", "content": "I am at the dentist's, see you", "time": NOW - timedelta(days=9)}
    conversation = {"source": "chat", "people": ("Ann", "Bob"), "user": "Ann", "conversation": [line]}
    async with asked(tmp_path, *EVENTS) as memory:
        await memory.store([ConversationDocument.model_validate({"id": "chat:Ann", "conversation": conversation})])
        some = await memory.query(Query(text="which appointments do I have in December?"))
        assert {hit.source for hit in some.hits[:2]} == {"calendar"}
        assert (some.weak, some.notices) == (False, ())
        said = await memory.query(Query(text="what did I say in December?"))
        assert said.weak


async def test_what_was_written_last_is_not_in_the_future(tmp_path: Path) -> None:
    """An event that a calendar has is no message, unless events are asked for."""
    async with asked(tmp_path, EVENTS[2]) as memory:
        last = await memory.query(Query(text="who wrote last?", context=0))
        event = await memory.query(Query(text="when is the latest appointment?", context=0))
    assert last.summary == "the newest: Bob, 23 November 2026, 12:03"
    assert "Dentist" in event.hits[0].text
