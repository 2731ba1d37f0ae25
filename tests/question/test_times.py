"""Words of time: what they name, where they count, and what they do to an answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.question.times import MOST, asks_for_times_alone, time_named, times_in, without_relative_times
from memd.schemas import ConversationDocument, Query
from memd.tests.cases import for_each

NOW = datetime(2024, 8, 14, 15, tzinfo=timezone(timedelta(hours=2)))
"""A Wednesday."""
NAMES = {
    ("2024-01-01", "2025-01-01"): ["2024", "in 2024", "2024年"],
    ("2024-05-01", "2024-06-01"): [
        "2024-05", "May", "im Mai", "May 2024", "3 months ago", "vor drei Monaten", "hace 3 meses", "3 ay önce", "üç ay önce",
        "Mayıs 2024", "2024 Mayıs ayında", "en mayo de 2024", "2024年5月", "3か月前",
    ],
    ("2024-05-03", "2024-05-04"): ["2024-05-03", "03.05.2024", "3 May 2024", "May 3, 2024", "am 3. Mai 2024", "3 Mayıs 2024", "2024年5月3日"],
    ("2024-08-13", "2024-08-14"): ["yesterday", "gestern", "ayer", "dün", "Dün", "昨日"],
    ("2024-08-05", "2024-08-12"): ["last week", "letzte Woche", "la semana pasada", "geçen hafta", "先週"],
    ("2024-07-01", "2024-08-01"): ["last month", "letzten Monat", "el mes pasado", "geçen ay", "先月"],
    ("2023-01-01", "2024-01-01"): ["last year", "letztes Jahr", "el año pasado", "geçen yıl", "去年"],
    ("2023-08-01", "2023-09-01"): ["a year ago", "vor einem Jahr", "hace un año", "1年前"],
}  # fmt: skip


@for_each([(*span, each) for span, all_ in NAMES.items() for each in all_])
def test_words_name_a_span(start: str, end: str, words: str) -> None:
    """In five languages, in the zone of now."""
    found = time_named(words, NOW)
    assert found is not None
    assert (found.start.isoformat(), found.end.isoformat()) == (f"{start}T00:00:00+02:00", f"{end}T00:00:00+02:00")


@for_each(
    [
        ("What got  wet last\tWeek?", "What got  wet  ?"),
        ("¿Qué se mojó la semana pasada?", "¿Qué se mojó  ?"),
        ("先週何を買った?", " 何を買った?"),
        ("What did we buy in May 2023?", "What did we buy in May 2023?"),
        ("what happened on 5 May?", "what happened on 5 May?"),
        ("was war am 5. Mai", "was war am 5. Mai"),
        ("what was on May the 5th", "what was on May the 5th"),
        ("¿qué pasó el 5 de mayo?", "¿qué pasó el 5 de mayo?"),
        ("what happened 5 months ago?", "what happened  ?"),
        ("what was in May?", "what was  ?"),
        ("bu ay bu aynadan söz ettik mi?", "  bu aynadan söz ettik mi?"),
        ("bu ayakkabıyı nereden aldın?", "bu ayakkabıyı nereden aldın?"),
        ("bu yıldız hangisi, bu senet kimin?", "bu yıldız hangisi, bu senet kimin?"),
        ("geçen haftaki toplantı neydi?", "  toplantı neydi?"),
        ("1000日前の話", "1000日前の話"),
        ("İstanbul'da dün ne oldu?", "İstanbul'da   ne oldu?"),
        ("Straße, İzmir: İki ay önce ne oldu?", "Straße, İzmir:   ne oldu?"),
    ]
)
def test_relative_times_are_no_words_to_look_for(question: str, rest: str) -> None:
    """Of "last week" nothing is left; a date stays, for messages may hold it."""
    assert without_relative_times(question, times_in(question, NOW)) == rest


@for_each(["", "whenever", "2024-02-30", "31.04.2024", "2024-13", "until 2019", "99 Mayıs 2024", "2024年13月"])
def test_what_names_no_time_is_none(words: str) -> None:
    """Also a day that there is not."""
    assert time_named(words, NOW) is None


@for_each(
    [
        ("What did Lena say about the flat in May 2023?", ["in may 2023"]),
        ("was hat Lena letzte Woche gesagt", ["letzte woche"]),
        ("¿qué compramos la semana pasada?", ["la semana pasada"]),
        ("geçen ay ne aldık?", ["geçen ay"]),
        ("先週何を買った?", ["先週"]),
        ("what happened yesterday?", ["yesterday"]),
        ("what may happen on the march?", []),
        ("wer kommt morgen?", ["morgen"]),
        ("der Morgen war kalt", []),
        ("who came second, and who is Mark?", []),
        ("bir gün gelir mi?", []),
        ("room 2023", []),
        ("what happened in 2023-05?", ["in 2023-05"]),
        ("the plan of 2023-05-12", ["of 2023-05-12"]),
        ("invoice 2023-05-x, 2023-13 and 12023-05", []),
        ("2021-01, 2021-02, 2021-03, 2021-04", []),
        ("what did we buy before 2022?", ["before 2022"]),
        ("did we meet before in 2022?", ["in 2022"]),
        ("the end of May 2022, not the week after 3 May 2022", ["the end of may 2022", "the week after 3 may 2022"]),
        ("what did we buy until the end of 2022?", ["until the end of 2022"]),
        ("the photos of 2022", ["of 2022"]),
        ("was war 2022 los?", ["2022"]),
        ("wo wart ihr im Raum 2022?", []),
        ("WO WAR ANN 2022?", ["2022"]),
        ("Ann 2022'den sonra nerede yaşadı?", ["2022'den sonra"]),
        (
            "the week before 3 May 2022, two weeks before May 2022",
            ["the week before 3 may 2022", "two weeks before may 2022"],
        ),
    ]
)
def test_a_question_names_times(question: str, words: list[str]) -> None:
    """Not by a word that means something else as well, and not by very many."""
    assert [each.words for each in times_in(question, NOW, ["ann"])] == words


@for_each(
    [
        ("what happened yesterday?", True),
        ("was war am 1. Mai 2024?", True),
        ("¿qué pasó en mayo de 2023?", True),
        ("Mayıs 2023'te ne oldu?", True),
        ("2023-05-12", True),
        ("what did we eat last week?", False),
        ("2023年5月に何を買った", False),
        ("2023-05-12 생일 파티", False),
        ("2023-05-12 🎂", False),
        ("what happened?", False),
    ]
)
def test_a_question_that_names_nothing_but_a_time(question: str, alone: bool) -> None:
    """Words that ask are nothing; any other is something, in any script."""
    times = times_in(question, NOW)
    assert (bool(times) and asks_for_times_alone(question, times)) == alone


@given(st.text(max_size=80), st.datetimes(timezones=st.just(UTC)))
def test_any_text_is_read(text: str, now: datetime) -> None:
    """Nothing is raised, at any time; a span has a length."""
    found = times_in(text, now)
    assert len(found) <= MOST
    assert all(each.start < each.end for each in found)
    named = time_named(text, now)
    assert named is None or isinstance(named.start, datetime)


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_time_in_a_question_is_a_preference(tmp_path: Path) -> None:
    """What was said then comes first, what was said at another time is still there; the explanation tells which time."""
    days = [(datetime(2023, month, 10, tzinfo=UTC), "the boiler was repaired again") for month in range(1, 13)]
    documents = [
        ConversationDocument.model_validate(
            {
                "id": f"d{number}",
                "conversation": {
                    "source": "test", "people": ("Ann",), "user": "Ann",
                    "conversation": [{"speaker": "Ann", "content": words, "time": time}],
                },
            }
        )
        for number, (time, words) in enumerate(days)
    ]  # fmt: skip
    embedder = BundledEmbedder()
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder, embedder, now=lambda: datetime(2023, 12, 15, tzinfo=UTC))
        await memory.start()
        await memory.store(documents)
        await store.refresh_indexes()
        for question, month in (
            ("when was the boiler repaired in May 2023?", 5),
            ("was the boiler repaired last month?", 11),
        ):
            result = await memory.query(Query(text=question, limit=12, explain=True))
            assert result.hits[0].time == datetime(2023, month, 10, tzinfo=UTC)
            assert len(result.hits) == 12
            explained = result.hits[0].explain
            assert explained is not None
            assert explained.shares["time"] > 0
            assert [(span.start.month, span.end.month) for span in explained.times] == [(month, month + 1)]
        for question, months in (
            ("what was said in May 2023?", [5]),
            ("10.05.2023", [5]),
            ("letztes Jahr", [*range(1, 13)]),
        ):
            result = await memory.query(Query(text=question, limit=12))
            assert sorted(hit.time.month for hit in result.hits if hit.time) == months, question
            assert result.weak == (question == "letztes Jahr")
        plain = await memory.query(Query(text="when was the boiler repaired?", limit=12, explain=True))
        assert all(hit.explain is not None and "time" not in hit.explain.shares for hit in plain.hits)


@pytest.mark.slow
@pytest.mark.anyio
async def test_messages_of_another_time_do_not_match_by_the_name_of_a_month(tmp_path: Path) -> None:
    """Where nothing is of the time that is asked for, a hit answers that names all of it; "May" alone is that of another year."""
    words = ("the invoice of 6 May 2024 is paid", "the boat was bought: 20 June 2021", "I was ill last week")
    documents = [
        ConversationDocument.model_validate(
            {
                "id": f"d{number}",
                "conversation": {
                    "source": "test", "people": ("Ann",), "user": "Ann",
                    "conversation": [
                        {"speaker": "Ann", "content": content, "time": datetime(2024, 5, 6 + number, tzinfo=UTC)}
                    ],
                },
            }
        )
        for number, content in enumerate(words)
    ]  # fmt: skip
    embedder = BundledEmbedder()
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder, embedder, now=lambda: datetime(2024, 12, 15, tzinfo=UTC))
        await memory.start()
        await memory.store(documents)
        await store.refresh_indexes()
        for question, weak in (
            ("what happened in May 2023?", True),
            ("¿qué pasó en mayo de 2023?", True),
            ("what happened last week?", True),
            ("what happened in June 2021?", False),
            ("what happened in May 2024?", False),
            ("what happened on 20 June?", False),
            ("what happened on 21 June?", True),
            ("what happened on 3 August?", True),
        ):
            result = await memory.query(Query(text=question))
            assert (question, result.weak, bool(result.hits)) == (question, weak, True)
            named = any(notice.endswith("what names it:") for notice in result.notices)
            assert (question, named) == (
                question,
                question in ("what happened in June 2021?", "what happened on 20 June?"),
            )
