"""Phrases of time in six languages with their spans, what is no time, and what is told as not understood."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.question.feasts import easter_sunday
from memd.memory.question.times import LANGUAGES, places_of, read_times, times_in
from memd.memory.text.languages.language import words_of
from memd.memory.text.word_files import sections
from memd.tests.cases import check_all, for_each

NOW = datetime(2025, 9, 17, 10, 30, tzinfo=timezone(timedelta(hours=2)))
"""A Wednesday."""
PHRASES = sections(Path(__file__).with_name("time_phrases.txt"))
_WORDS = sorted(
    {
        word
        for language in LANGUAGES.values()
        for rows in (
            language.months, language.weekdays, language.seasons.values(), language.units.values(), language.numbers[:3],
            language.days.values(), language.roles.values(), language.feasts.values(), language.day_parts.values(),
        )
        for word in words_of(rows)
    }
)  # fmt: skip


def moment(text: str, otherwise: datetime | None) -> datetime | None:
    """Return the moment that a row names; "now" and nothing have their own meanings."""
    if text == "now":
        return NOW
    return datetime.fromisoformat(text).replace(tzinfo=NOW.tzinfo) if text else otherwise


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_question_means_the_span(code: str) -> None:
    """Of each language; none of these questions has words that are not understood."""

    def check(row: str) -> None:
        question, start, end = (part.strip() for part in row.split("|"))
        times, unread = read_times(question, NOW)
        expected = (moment(start, datetime(1900, 1, 1, tzinfo=NOW.tzinfo)), moment(end, None))
        assert [(time.start, time.end) for time in times] == [expected]
        assert unread == ()
        assert list(places_of(question, times))

    check_all(PHRASES[code], check)


@for_each(
    [
        "what may happen, and who will march?",
        "does June know Mr. Friday?",
        "the Sunday Times of Windows 2000",
        "every Monday and each weekend",
        "how old is the 7 years old dog?",
        "a 3 day trip",
        "it takes 20 minutes for 3 days",
        "the price of 2000 bricks",
        "when was the last day of school?",
        "on the 5th floor",
        "Herr Sommer und Frau Mai",
        "der Morgen ist hier",
        "montags und jeden Freitag",
        "Zimmer 2022 kostet 2022 Euro",
        "um 14.05 Uhr, in 2.5 Metern",
        "¿qué opina Domingo?",
        "todos los lunes",
        "un enfant de 7 ans, tous les mardis",
        "la seconde manche",
        "Eylül ne dedi?",
        "bir gün gelir mi? her pazartesi",
        "wann ist Weihnachten?",
        "月野さんと金さんは毎週月曜日に一番",
        "version 1.2.3 of 192.168.1.25",
        "what did we learn in week 2 of the course?",
        "wer kommt am 15. Geburtstag?",
        "qui habite le 15 rue Haute ?",
    ]
)
def test_a_question_without_a_time(question: str) -> None:
    """Names, habits, ages, lengths and numbers are no times, nor are they told as such."""
    assert read_times(question, NOW) == ((), ())


@for_each(
    [
        ("what was on 31.2.2025?", ["31.2.2025"]),
        ("was war am 31.2.?", ["31.2."]),
        ("who came on 30 February?", ["30 February"]),
        ("2025年2月31日", ["2025年2月31日"]),
        ("the mails of 45/45/2025 and of last week", ["45/45/2025"]),
        ("we met three weeks", ["three weeks"]),
        ("drei Wochen", ["drei Wochen"]),
        ("years ago", ["years ago"]),
        ("who rang at 5 o'clock yesterday?", ["5 o'clock"]),
        ("was war gestern um 17:30 Uhr?", ["17:30 Uhr"]),
        ("the 5 o'clock tea", []),
        ("what did we do last week?", []),
        ("where is the key?", []),
    ]
)
def test_what_is_not_understood_is_told(question: str, words: list[str]) -> None:
    """A day that there is not, a length without a beginning; not what has a span."""
    assert list(read_times(question, NOW).unread) == words


@for_each([("what did May say in May?", 1), ("what did I tell May before May?", 0), ("who met May in 2024?", 1)])
def test_a_name_is_no_month(question: str, count: int) -> None:
    """A person of the store who is called so is meant, unless a preposition makes it a time."""
    assert len(times_in(question, NOW, {"may"})) == count


@for_each(
    [("what will happen in March?", 2026), ("what happened in March?", 2025), ("what happened in December?", 2024)]
)
def test_a_question_about_the_future_means_the_next(question: str, year: int) -> None:
    """A month without a year is the last that has begun, else."""
    assert [time.start.year for time in times_in(question, NOW)] == [year]


@for_each(
    [
        *(
            (question, "2025-09-22")
            for question in (
                "What's on Monday?",
                "what is happening on Monday?",
                "my calendar for Monday",
                "which events are on Monday?",
                "Was steht am Montag an?",
                "Was habe ich am Montag?",
                "Hab ich am Montag was vor?",
                "Was ist am Montag los?",
                "Termine am Montag",
                "¿Qué hay el lunes?",
                "eventos el lunes",
                "Pazartesi müsait miyim?",
                "pazartesi randevuları",
                "qu'est-ce que j'ai lundi ?",
                "mes rendez-vous lundi",
                "月曜日のイベント",
            )
        ),
        *(
            (question, "2025-09-15")
            for question in (
                "what was on Monday?",
                "what did Ann say about the event on Monday?",
                "the mail about the appointment on Monday",
                "which appointments did I miss on Monday?",
                "photos of the event on Monday",
                "Was habe ich am Montag gekauft?",
                "Welche Termine hatte ich am Montag?",
                "¿qué citas tuve el lunes?",
                "pazartesi hangi etkinlik vardı?",
                "quels rendez-vous avais-je lundi ?",
                "月曜日のイベントはどうでしたか",
            )
        ),
    ]
)
def test_what_is_planned_is_ahead(question: str, day: str) -> None:
    """A question for an event, or in words of planning, means the next Monday; one that tells the past the last one."""
    assert [f"{time.start:%Y-%m-%d}" for time in times_in(question, NOW)] == [day]


@given(
    st.lists(st.sampled_from([*_WORDS, "31", "2024", "3", "-", "'", "on", "31.2.", "5/6"]), max_size=9).map(" ".join)
)
def test_words_of_time_in_any_order_are_read(question: str) -> None:
    """Nothing is raised, a span has a length, and its words are in the question."""
    times = times_in(question, NOW)
    assert all(time.start < time.end for time in times)
    assert all(word in " ".join(question.casefold().split()) for time in times for word in [time.words])


@given(st.sampled_from([row for rows in PHRASES.values() for row in rows]), st.datetimes(timezones=st.just(UTC)))
def test_a_phrase_is_read_at_any_time(row: str, now: datetime) -> None:
    """Also where the calendar ends."""
    times = times_in(row.split("|", maxsplit=1)[0], now)
    assert all(time.start < time.end for time in times)


def test_easter() -> None:
    """Days from the tables of the church."""
    assert [easter_sunday(year).isoformat()[5:] for year in (1961, 2000, 2008, 2024, 2025, 2038)] == [
        "04-02", "04-23", "03-23", "03-31", "04-20", "04-25",
    ]  # fmt: skip
