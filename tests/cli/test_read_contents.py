"""After an ingest: when, in which chats, by whom, and one next step."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memd.daemon.cli.render.read_contents import MOST_NAMES, ReadContents, print_contents
from memd.schemas import ConversationDocument, TextDocument

START = datetime(2024, 1, 15, 23, 59, tzinfo=UTC)


def talk(*speakers: str, title: str = "Hut", day: int = 0) -> ConversationDocument:
    """One message of each, a minute apart; the first is the user."""
    messages = [
        {"speaker": who, "content": "x", "time": START + timedelta(days=day, minutes=number)}
        for number, who in enumerate(speakers)
    ]
    people = tuple(dict.fromkeys(speakers))
    conversation = {"source": "test", "people": people, "user": people[0], "conversation": messages}
    return ConversationDocument.model_validate(
        {"id": f"d{day}", "conversation": conversation, "metadata": {"chat": title, "title": title}}
    )


def test_span_chats_and_people_are_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """In local days, the busiest first; the question is about somebody else than the user."""
    monkeypatch.setenv("TZ", "UTC")
    contents = ReadContents()
    contents.add(talk("Ann", "Ann", "Ann", "Bob", "Cy", "Bob"))
    contents.add(talk("Ann", "Cy", title="Work", day=30))
    body = contents.to_wire()
    assert (body["first"], body["last"]) == ("2024-01-15T23:59:00Z", "2024-02-15T00:00:00Z")
    assert body["chats"] == {"count": 2, "names": ["Hut", "Work"]}
    assert body["people"] == {"count": 3, "names": ["Ann", "Bob", "Cy"]}
    print_contents(body)
    assert capsys.readouterr().err.splitlines() == [
        "2024-01-15 to 2024-02-15 · 2 chats: Hut, Work · 3 people: Ann, Bob, Cy",
        'next: ask it, as in  memd query "what did Bob say about the weekend?"',
    ]


@pytest.mark.parametrize("name", ['$(rm -rf "$HOME")', "`id`", '"; reboot; "', "Bob\x1b[2J", "a\nb", "Bob!"])
def test_no_name_becomes_a_part_of_a_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is proposed will be pasted into a shell."""
    contents = ReadContents()
    contents.add(talk("Ann", name))
    print_contents(contents.to_wire())
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == 'next: ask it, as in  memd query "what did somebody say about the weekend?"'
    assert "\x1b" not in "".join(told)


def test_texts_and_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Texts are counted; where nothing was read there is no next step."""
    contents = ReadContents()
    print_contents(contents.to_wire())
    assert capsys.readouterr().err == ""
    contents.add(TextDocument(id="n.md", content="x"))
    print_contents(contents.to_wire())
    assert capsys.readouterr().err.splitlines()[0] == "1 text"


def test_very_many_people_cost_little() -> None:
    """Of more than can be told apart, so many are counted."""
    contents = ReadContents()
    contents.add(talk(*(f"P{number}" for number in range(MOST_NAMES + 5))))
    assert contents.to_wire()["people"]["count"] == MOST_NAMES


def test_the_ends_of_the_calendar_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Hours before the year 1 and after 9999 have no name in UTC, nor in some local time: they keep their own."""
    contents = ReadContents()
    for number, time in enumerate(("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:00-14:00")):
        contents.add(TextDocument.model_validate({"id": f"n{number}", "content": "x", "timestamp": time}))
    body = contents.to_wire()
    assert (body["first"], body["last"]) == ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:00-14:00")
    print_contents(body)
    assert "0001-01-01 to 9999-12-31" in capsys.readouterr().err
