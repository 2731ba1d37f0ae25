"""Small things that an answer or a summary tells: what is known once, whose words, how many of what, and what comes next."""

from __future__ import annotations

import errno
import io
import os
from typing import Any

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands import chats
from memd.daemon.cli.commands import query as query_verb
from memd.daemon.cli.render.facts import fact_lines
from memd.daemon.cli.render.hits import print_answer
from memd.daemon.cli.render.ingest_summary import IngestSummary, print_summary
from memd.daemon.cli.render.people import person_lines
from memd.daemon.cli.render.read_contents import print_contents
from memd.schemas import Rejected

TIME = "2024-01-15T12:00:00Z"


def answer_of(text: str, *, marked: str = "", **others: str) -> str:
    """An answer of one hit, as it is printed."""
    start = text.index(marked) if marked else 0
    hit = {"rank": 1, "id": "i", "type": "message", "text": text, "speaker": "Ann", "time": TIME, "source": "mail"}
    hit |= {
        "document_id": "d",
        "score": 1.0,
        "highlights": [{"start": start, "end": start + len(marked)}] if marked else [],
        **others,
    }
    out = io.StringIO()
    print_answer({"query": "x", "hits": [hit]}, out)
    return out.getvalue()


def test_a_reply_begins_with_its_own_words() -> None:
    """What it quotes at the top stands above, and blank lines at its end nowhere; unless the quotation is what matches."""
    mail = "> will you come\n> on Monday?\n\nYes, with the boat.\n\n\n"
    shown = answer_of(mail, marked="boat").splitlines()
    assert [line.strip() for line in shown[1:3]] == ["… 2 lines above", "Yes, with the boat."]
    assert shown[3].strip().startswith("… all of it:")
    assert "> will you come" in answer_of(mail, marked="Monday")
    assert "> nothing but a quotation" in answer_of("> nothing but a quotation\n")
    assert [line.strip() for line in answer_of("Yes.\n\n\n").splitlines()[1:3]] == ["Yes.", "look one up: memd show 1"]


def test_a_hit_of_a_mounted_memory_offers_no_command_that_finds_nothing() -> None:
    """`memd show` looks into the own memory alone: neither the end of a long text nor the last line names it by number."""
    text = "\n".join(["a boat"] * 100)
    assert "memd show 1" in answer_of(text)
    shown = answer_of(text, memory="work")
    assert "more lines" in shown
    assert "memd show 1" not in shown


def fact(content: str, subject: str = "Bob") -> dict[str, Any]:
    """A fact of a message."""
    evidence = [{"document_id": "d", "message_id": "m", "quote": content}]
    return {
        "id": "f", "content": content, "subject": subject, "attribute": "home", "speaker": subject, "evidence": evidence,
        "valid_from": TIME, "observed_at": TIME,
    }  # fmt: skip


def test_a_fact_says_whom_it_is_about() -> None:
    """Also where it is told in the words of a message that name nobody."""
    assert next(fact_lines(fact("vivo en Roma"))) == "Bob: vivo en Roma"
    assert next(fact_lines(fact("Bob lives in Rome."))) == "Bob lives in Rome."


def test_what_is_known_is_told_also_where_a_hit_says_it_word_by_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is known comes first, and names whom it is about and since when."""
    hit: dict[str, Any] = {"rank": 1, "id": "m", "type": "message", "text": "vivo en Roma ", "speaker": "Bob"}
    hit |= {"time": TIME, "source": "s", "document_id": "d", "score": 1.0, "highlights": []}
    for content in ("Vivo en Roma", "Bob lives in Rome."):
        answer = {"query": "x", "hits": [hit], "facts": [fact(content)]}

        def asked(*_: object, told: dict[str, Any] = answer) -> dict[str, Any]:
            return told

        monkeypatch.setattr(query_verb, "request", asked)
        assert main(["query", "x"]) == 0
        assert "said:" in capsys.readouterr().out


def test_nothing_is_stored_in_the_folder_that_is_named() -> None:
    """Somebody may have asked in another one."""
    out = io.StringIO()
    print_answer({"query": "x", "hits": []}, out, empty="/home/ann/other")
    assert "nothing is stored yet in /home/ann/other;" in out.getvalue()


def test_the_next_step_leads_to_the_same_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """With the flags of the command before."""
    body: dict[str, Any] = {"first": TIME, "last": TIME, "texts": 0, "chats": {"count": 0, "names": []}}
    body |= {"people": {"count": 1, "names": ["Bob"]}, "others": ["Bob"], "others_last": [TIME]}
    print_contents(body, "memd --data-dir /tmp/x query")
    assert 'memd --data-dir /tmp/x query "what did Bob say in January 2024?"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("processed", "texts", "events", "told"),
    [
        (3, 0, 0, "3 messages of"),
        (3, 3, 0, "3 texts of"),
        (3, 1, 0, "2 messages and 1 text of"),
        (0, 0, 0, "0 messages of"),
        (12, 0, 12, "12 events of"),
        (6, 2, 3, "1 message, 2 texts and 3 events of"),
    ],
)
def test_texts_and_events_are_no_messages(
    processed: int, texts: int, events: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the first line of a summary."""
    body = IngestSummary().to_wire({"processed": processed, "added": processed}, 1.0)
    print_summary(body | {"contents": {"texts": texts, "events": events}})
    assert told in capsys.readouterr().err


def test_a_file_that_may_not_be_read_has_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    """What to do about it; any other reason speaks for itself."""
    for reason, hinted in ((os.strerror(errno.EACCES), True), ("cut off", False)):
        summary = IngestSummary()
        summary.reject(Rejected(locator="chat.txt", reason=reason))
        print_summary(summary.to_wire({}, 1.0))
        assert ("hint: memd may read what you may read" in capsys.readouterr().err) is hinted


def test_several_people_of_one_name_are_told() -> None:
    """They are counted together, and how to make one of them."""
    body: dict[str, Any] = {"names": ["Bob"], "messages": 3, "first": TIME, "last": TIME, "chats": [], "contacts": []}
    body |= {"topics": [], "facts": []}
    assert not any("people of this name" in line for line in person_lines(dict(body), 200))
    told = " ".join(person_lines(body | {"apart": ["slack:Bob", "whatsapp:Bob"]}, 200))
    assert "2 people of this name, counted together; if they are one: memd people merge" in told
    assert "slack:Bob" in told


def test_a_chat_of_one_day_is_told_with_one_day(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A span of several has both ends."""
    chat = {"title": "Boat", "source": "mail", "messages": 1, "people": ["Ann"], "first": TIME, "last": TIME}
    later = {**chat, "title": "Tent", "last": "2024-03-15T12:00:00Z"}

    def answered(*_: object) -> dict[str, Any]:
        return {"chats": [chat, later]}

    monkeypatch.setattr(chats, "request", answered)
    assert main(["chats"]) == 0
    shown = capsys.readouterr().out
    assert (shown.count(TIME[:10]), shown.count(" to 2024-03-15")) == (2, 1)
