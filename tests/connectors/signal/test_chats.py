"""Chats of signal-export: records and Markdown, both forms of one chat, and being told apart from WhatsApp."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.signal.connector import SignalConnector
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.registry import default_connectors
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.tests.connectors.discord.test_overlap import merged, one
from memd.tests.connectors.signal.exports import OPTIONS, at, codes, documents, lines, messages, read, record, rejected
from memd.tests.contracts.connector import Shelf

MARKDOWN = """[2024-01-15 12:00:00] Bo: Who moors: you?  

[2024-01-15 12:01:00] Me: 

> Who moors
> you?

I do  
and Cleo  

[2024-01-15 12:02:00] Bo: Look  ![kiel.jpg](./media/kiel%20a.jpg)  [list.pdf](./media/list.pdf)  

[2024-01-15 12:03:00] Bo: Fine  
(- Me: 👍, Cleo: 🦭 -)

[2024-01-15 12:04:00] Bo:   
(( 🦭 ))

[2024-01-15 12:05:00] Bo: (This message was deleted)

[2024-01-15 12:06:00] Bo: Missed voice call  

[2024-01-15 12:07:00] No-Sender:   

"""  # noqa: W291 - the blanks are what tells it from other formats
SAME = [
    record(0, "Bo", "Who moors: you?"),
    record(1, "Me", "I do  \nand Cleo", quote="\n\n> Who moors\n> you?\n\n"),
    record(
        2,
        "Bo",
        "Look",
        attachments=[
            {"name": "kiel.jpg", "path": "media/kiel%20a.jpg"},
            {"name": "list.pdf", "path": "media/list.pdf"},
        ],
    ),
    record(3, "Bo", "Fine", reactions=[["Me", "👍"], ["Cleo", "🦭"]]),
    record(4, "Bo", "", sticker={"id": "1", "packId": "2", "packKey": "3", "emoji": "🦭", "extension": None}),
    record(5, "Bo", "", deleted=True),
    record(6, "Bo", "Missed voice call", call=True, missed=True),
    record(7, "No-Sender", ""),
]


@pytest.mark.parametrize(
    "files", [{"Bo/data.json": lines(SAME)}, {"Bo/chat.md": MARKDOWN.encode()}], ids=["json", "md"]
)
def test_both_forms_of_a_chat_say_the_same(files: dict[str, bytes]) -> None:
    """Quotes, files, reactions, stickers, calls and what was deleted."""
    (day,) = documents(records := read({**files, "Bo/media/kiel a.jpg": b"x"}))
    assert (day.id, day.metadata) == ("signal:Bo:2024-01-15", {"chat": "Bo", "title": "Bo"})
    assert [(m.speaker, m.content, m.kind, m.time) for m in day.messages] == [
        ("Bo", "Who moors: you?", "text", at(0)),
        (UNKNOWN_USER, "> Who moors\n> you?\n\nI do  \nand Cleo", "text", at(1)),
        ("Bo", "Look", "text", at(2)),
        ("Bo", "Fine", "text", at(3)),
        ("Bo", "[sticker 🦭]", "media", at(4)),
        ("Bo", "[deleted message]", "deleted", at(5)),
        ("Bo", "Missed voice call", "call", at(6)),
        (SYSTEM_SPEAKER, "[message without text]", "system", at(7)),
    ]
    quoting = day.messages[1]
    assert [(s.kind, quoting.content[s.start : s.end], s.depth) for s in quoting.segments] == [
        ("quote", "> Who moors\n> you?", 1)
    ]
    assert [(a.name, a.mime, a.missing) for a in day.messages[2].attachments] == [
        ("kiel.jpg", "image/jpeg", False),
        ("list.pdf", None, True),
    ]
    assert [(r.emoji, r.people) for r in day.messages[3].reactions] == [("👍", (UNKNOWN_USER,)), ("🦭", ("Cleo",))]
    assert day.messages[5].deleted
    assert codes(records) == ["user-unknown"]


def test_of_both_forms_the_records_are_read() -> None:
    """They lie in one folder; a chat that has but one of them is read, too."""
    files = {
        "Bo/data.json": lines(SAME[:1]),
        "Bo/chat.md": MARKDOWN.encode(),
        "Bo/index.html": b"<html></html>",
        "Cleo/chat.md": b"[2024-01-15 12:00:00] Cleo: Hi  \n\n",
    }
    records = read(files, ReadOptions(zone=OPTIONS.zone, me="Ann"))
    assert [(d.metadata["chat"], len(d.messages)) for d in documents(records)] == [("Bo", 1), ("Cleo", 1)]
    assert codes(records) == []


def test_old_headers_have_a_comma_and_no_seconds() -> None:
    """Wall-clock times are those of the given zone."""
    text = b"[2019-05-29, 15:04] Bo: Hi  \n\n[2019-05-29, 15:05:11] Me: Ho  \n\n"
    berlin = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="option", me="Ann", chat="Dahl")
    (day,) = documents(read({"chat.md": text}, berlin))
    assert [(m.speaker, m.time.isoformat(), m.zone_origin) for m in day.messages] == [
        ("Bo", "2019-05-29T15:04:00+02:00", "option"),
        ("Ann", "2019-05-29T15:05:11+02:00", "option"),
    ]
    assert day.id == "signal:Dahl:2019-05-29"


def test_it_is_not_taken_for_whatsapp_nor_whatsapp_for_it(tmp_path: Path) -> None:
    """The lines look the same but for the blanks behind them; no other format claims the records."""
    chat = tmp_path / "0.txt"
    chat.write_text(MARKDOWN, encoding="utf-8")
    assert choose(open_source(chat), OPTIONS).name == "signal"
    chat.write_text("[2024-01-15, 12:00:00] Bo: Hi\n[2024-01-15, 12:01:00] Ann: Ho\n", encoding="utf-8")
    assert choose(open_source(chat), OPTIONS).name == WhatsAppConnector().name
    chat.write_text("[2019-12-24, 12:23] Bo: Hi\n[2019-12-24, 12:24] Ann: Ho\n", encoding="utf-8")
    assert choose(open_source(chat), OPTIONS).name == "signal"
    chat.write_bytes(lines(SAME))
    assert choose(open_source(chat), OPTIONS).name == "signal"
    shelf = Shelf("0.txt", {"0.txt": lines(SAME)})
    others = [connector for connector in default_connectors() if not isinstance(connector, SignalConnector)]
    assert max(connector.sniff(shelf) for connector in others) < 0.5
    for data in (
        b'{"chat": {"name": "x"}}\n',
        b'{"date": 1, "sender": "a", "body": "b"}\n',
        b'[{"version": 1}]',
        b"[x] y: z  \n",
    ):
        assert SignalConnector().sniff(Shelf("0.txt", {"0.txt": data})) < 0.5


def test_a_folder_of_chats_is_read_by_the_common_way(tmp_path: Path) -> None:
    """With attachments beside them; the folders are the chats."""
    for name in ("Bo", "Hey!"):
        (tmp_path / name / "media").mkdir(parents=True)
        (tmp_path / name / "data.json").write_bytes(lines(SAME[:2]))
        (tmp_path / name / "chat.md").write_text(MARKDOWN, encoding="utf-8")
        (tmp_path / name / "media" / "kiel.jpg").write_bytes(b"\xff\xd8" + bytes(64))
    found = documents(list(read_records(open_source(tmp_path), OPTIONS)))
    assert {d.metadata["chat"]: len(d.messages) for d in found} == {"Bo": 2, "Hey!": 2}
    (alone,) = documents(list(read_records(open_source(tmp_path / "Hey!" / "data.json"), OPTIONS)))
    assert alone.metadata["chat"] == "Hey!"


def test_a_later_export_adds_what_is_new() -> None:
    """Without ids: by time, person and words."""
    stored, _ = merged(None, one(read({"Bo/data.json": lines(SAME[:2])})))
    stored, plan = merged(stored, one(read({"Bo/data.json": lines(SAME[:4])})))
    assert (len(plan.added), len(plan.updated), plan.unchanged) == (2, 0, 2)


def test_hostile_records_are_rejected_or_read() -> None:
    """Values of wrong types cost no more than themselves."""
    odd = [
        record(0, "Bo", "Fine"),
        {**record(0, "Bo", "x"), "date": 7},
        {**record(0, "Bo", "x"), "date": "9999-12-31T23:59:59"},
        {**record(1, "Bo", "x"), "sender": None, "reactions": [7, ["a"], {"name": "Cleo", "emoji": "👍"}]},
        {**record(2, "Bo", "x"), "body": 7, "quote": [], "sticker": 7, "attachments": [7, {"path": 7}, {"name": "a"}]},
    ]
    records = read({"Bo/data.json": lines(odd) + b"rubbish\n"})
    assert [(m.speaker, m.content) for m in messages(records)] == [
        ("Bo", "Fine"),
        ("unknown sender", "x"),
        ("Bo", "[sticker]"),
    ]
    assert [(r.emoji, r.people) for r in messages(records)[1].reactions] == [("👍", ("Cleo",))]
    assert [r.reason for r in rejected(records)] == ["a message without a time that can be read"] * 2 + [
        "not valid JSON"
    ]


def test_a_chat_whose_blanks_at_line_ends_are_gone_is_one_of_its_name() -> None:
    """Editors remove them; the same lines under another name are no sure sign."""
    text = b"[2024-01-15 12:00] Bo: Hi\n\n[2024-01-15 12:01] Me: \n\n> Hi\n\nyes\n\n"
    assert SignalConnector().sniff(Shelf("x", {"Bo/chat.md": text})) > 0.95
    assert SignalConnector().sniff(Shelf("x", {"Bo/notes.md": text})) == 0
    (day,) = documents(read({"Bo/chat.md": text}))
    assert [message.content for message in day.messages] == ["Hi", "> Hi\n\nyes"]
