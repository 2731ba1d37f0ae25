"""After an ingest: when, in which chats, by whom, and one next step."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memd.connectors.reading.content_counts import MOST_NAMES, ContentCounts
from memd.daemon.cli.render.read_contents import print_contents
from memd.schemas import ConversationDocument, TextDocument

START = datetime(2024, 1, 15, 23, 59, tzinfo=UTC)


def talk(*speakers: str, title: str = "Hut", chat: str = "", day: int = 0) -> ConversationDocument:
    """One message of each, a minute apart; the first is the user."""
    messages = [
        {"speaker": who, "content": "x", "time": START + timedelta(days=day, minutes=number)}
        for number, who in enumerate(speakers)
    ]
    people = tuple(dict.fromkeys(speakers))
    conversation = {"source": "test", "people": people, "user": people[0], "conversation": messages}
    return ConversationDocument.model_validate(
        {"id": f"d{day}", "conversation": conversation, "metadata": {"chat": chat or title, "title": title}}
    )


def test_span_chats_and_people_are_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """In local days, the busiest first; the question is about somebody else than the user."""
    monkeypatch.setenv("TZ", "UTC")
    contents = ContentCounts()
    contents.add(talk("Ann", "Ann", "Ann", "Bob", "Cy", "Bob"))
    contents.add(talk("Ann", "Cy", title="Work", day=30))
    body = contents.to_wire()
    assert (body["first"], body["last"]) == ("2024-01-15T23:59:00Z", "2024-02-15T00:00:00Z")
    assert body["chats"] == {"count": 2, "names": ["Hut", "Work"]}
    assert body["people"] == {"count": 3, "names": ["Ann", "Bob", "Cy"]}
    print_contents(body)
    assert capsys.readouterr().err.splitlines() == [
        "2024-01-15 to 2024-02-15 · 2 chats: Hut, Work · 3 people: Ann, Bob, Cy",
        'next: ask it, as in  memd query "what did Bob say in January 2024?"',
    ]


def test_the_day_of_a_call_that_nothing_tells_is_no_month_to_ask_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Its times count from 1970."""
    contents = ContentCounts()
    contents.add(talk("Ann", "Bob"))
    print_contents(contents.to_wire() | {"last": "1970-01-01T00:01:00Z", "others_last": []})
    assert capsys.readouterr().err.splitlines()[-1] == 'next: ask it, as in  memd query "what did Bob say?"'


def test_two_chats_of_one_title_are_two(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where they were counted in two exports; one that is read again is one. A receipt names the title once."""
    contents, other = ContentCounts(), ContentCounts()
    contents.add(talk("Ann", "Bob", chat="c1"))
    contents.add(talk("Ann", "Bob", title="Work"))
    other.add(talk("Ann", "Bob", chat="c2"))
    other.add(talk("Ann", "Bob", chat="c1", day=1))
    contents.merge(other)
    print_contents(contents.to_wire())
    assert " · 3 chats: Hut (2), Work · " in capsys.readouterr().err
    assert contents.receipt()["chats"] == {"count": 3, "names": ["Hut", "Work"]}


@pytest.mark.parametrize("name", ['$(rm -rf "$HOME")', "`id`", '"; reboot; "', "Bob\x1b[2J", "a\nb", "Bob!"])
def test_no_name_becomes_a_part_of_a_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is proposed will be pasted into a shell."""
    contents = ContentCounts()
    contents.add(talk("Ann", name))
    print_contents(contents.to_wire())
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == 'next: ask it, as in  memd query "what did somebody say in January 2024?"'
    assert "\x1b" not in "".join(told)


def test_texts_and_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Texts are counted; where nothing was read there is no next step."""
    contents = ContentCounts()
    print_contents(contents.to_wire())
    assert capsys.readouterr().err == ""
    contents.add(TextDocument(id="n.md", content="x"))
    print_contents(contents.to_wire())
    assert capsys.readouterr().err.splitlines()[0] == "1 text"


def test_events_of_a_calendar_are_no_texts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody wrote them: the question is for what was. Its tasks are texts."""
    monkeypatch.setenv("TZ", "UTC")
    contents, others = ContentCounts(), ContentCounts()
    for name, more in (("a", {}), ("b", {}), ("c", {"component": "task"})):
        metadata = {"source": "calendar", **more}
        contents.add(TextDocument(id=name, content="x", timestamp=START, metadata=metadata))
    others.merge(contents)
    assert (others.texts, others.events, others.messages) == (1, 2, 3)
    print_contents(others.to_wire())
    assert capsys.readouterr().err.splitlines()[0] == "2024-01-15 · 1 text · 2 events"
    print_contents(others.to_wire() | {"texts": 0})
    assert capsys.readouterr().err.splitlines()[1] == 'next: ask it, as in  memd query "what was in January 2024?"'


def test_very_many_people_cost_little() -> None:
    """Of more than can be told apart, so many are counted."""
    contents = ContentCounts()
    contents.add(talk(*(f"P{number}" for number in range(MOST_NAMES + 5))))
    assert contents.to_wire()["people"]["count"] == MOST_NAMES


@pytest.mark.parametrize("time", ["0001-01-01T00:00:01+14:00", "9999-12-31T23:59:59-14:00"])
def test_times_at_both_ends_of_the_calendar_are_shown(time: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No zone can move them, and the summary of an ingest does not fail for it."""
    contents = ContentCounts()
    contents.add(TextDocument.model_validate({"id": "a", "content": "a", "timestamp": time}))
    print_contents(contents.to_wire())
    assert time[:4] in capsys.readouterr().err


def test_a_name_of_any_length_takes_little_room() -> None:
    """What a summary keeps of a name has a bound."""
    contents = ContentCounts()
    message = {"speaker": "x" * 100_000, "content": "hi", "time": "2024-01-15T12:00:00Z"}
    body = {"source": "s", "people": [message["speaker"]], "user": message["speaker"], "conversation": [message]}
    contents.add(ConversationDocument.model_validate({"id": "y" * 100_000, "conversation": body}))
    assert len(str(contents.to_wire())) < 1_000
