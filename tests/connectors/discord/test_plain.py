"""Text files and tables of DiscordChatExporter: what they show, by the clock of the exporter's language."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.connectors.connector import Connector, ReadOptions
from memd.connectors.formats.discord.connector import DiscordConnector
from memd.connectors.formats.discord.written_times import WrittenTimes, order_of
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import previews, read_records
from memd.schemas import ConversationMessage
from memd.tests.cases import for_each
from memd.tests.connectors.discord.exports import CHANNEL, OPTIONS, codes, documents, export, read, rejected
from memd.tests.contracts.connector import ConnectorContract, Samples

RULE = "=" * 62
HEAD = f"{RULE}\nGuild: Sailors\nChannel: Talk / harbour\nTopic: All about boats\n{RULE}\n\n"
FOOT = f"{RULE}\nExported 2 message(s)\n{RULE}\n"
COLUMNS = "AuthorID,Author,Date,Content,Attachments,Reactions\n"
TALK = (
    HEAD
    + "[01/15/2024 12:05 PM] ann_99 (pinned)\nWho moors\n\nin Kiel?\n\n"
    + "{Attachments}\nhttps://cdn.example.org/1/boat.png\n\n{Reactions}\n👍 (2) sail\n\n\n"
    + "[01/15/2024 12:06 PM] bo#1234\nI do\n[01/15/2024 12:00 PM] was said above\n\n\n"
    + FOOT
).encode()
TABLE = (
    COLUMNS
    + '"300000000000000001","ann_99","2024-01-15T12:05:07.1230000+01:00","Who moors,\n""really""?",'
    + '"https://cdn.example.org/1/a,b.png,https://cdn.example.org/2/c.pdf","👍 (2),sail (1)"\n'
    + '"300000000000000002","bo_99","2024-01-15T12:06:00.0000000+01:00","I do","",""\n'
).encode()


class TestPlainExports(ConnectorContract):
    """The connector keeps the contract for them, too."""

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return DiscordConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A text, and a table."""
        return {"a.txt": {"a.txt": TALK}, "b.csv": {"b.csv": TABLE}}


def messages(data: str, name: str = "a.txt") -> list[ConversationMessage]:
    """The messages of one file."""
    return [m for d in documents(read({name: data.encode()})) for m in d.messages]


def test_a_text_file_has_the_messages_of_its_chat(tmp_path: Path) -> None:
    """Headers stand behind an empty line; sections below the words are files and reactions; the ending is no message."""
    path = tmp_path / f"Sailors - Talk - harbour [{CHANNEL}].txt"
    path.write_bytes(TALK)
    assert DiscordConnector().sniff(open_source(path)) > WhatsAppConnector().sniff(open_source(path))
    records = list(read_records(path, OPTIONS))
    (found,) = documents(records)
    assert found.id == f"discord:{CHANNEL}:2024-01-15"
    assert found.metadata == {
        "chat": CHANNEL,
        "title": "Sailors #harbour",
        "server": "Sailors",
        "category": "Talk",
        "topic": "All about boats",
    }
    first, second = found.messages
    assert (first.speaker, first.content) == ("ann_99", "Who moors\n\nin Kiel?")
    assert (first.time, first.time_precision) == (datetime(2024, 1, 15, 12, 5, tzinfo=UTC), "minute")
    assert [a.name for a in first.attachments] == ["boat.png"]
    assert [r.emoji for r in first.reactions] == ["👍", "sail"]
    assert first.metadata == {"reaction_counts": "👍 2, sail 1", "pinned": "true"}
    assert (second.speaker, second.content) == ("bo#1234", "I do\n[01/15/2024 12:00 PM] was said above")
    assert codes(records) == ["user-unknown"]
    (look,) = previews(path, OPTIONS)
    assert sorted(look.speakers) == ["ann_99", "bo#1234"]


def test_a_table_has_its_accounts_and_exact_times(tmp_path: Path) -> None:
    """Commas and line ends stand between quotation marks; addresses hold commas, too."""
    path = tmp_path / f"Sailors - Talk - harbour [{CHANNEL}].csv"
    path.write_bytes(TABLE)
    (found,) = documents(list(read_records(path, ReadOptions(zone=UTC, me="bo_99"))))
    assert (found.metadata["title"], found.metadata["category"]) == ("Sailors #harbour", "Talk")
    assert found.conversation.user == "bo_99"
    first, second = found.messages
    assert (first.speaker, first.content) == ("ann_99", 'Who moors,\n"really"?')
    assert first.time.isoformat() == "2024-01-15T11:05:07.123000+00:00"
    assert [a.name for a in first.attachments] == ["a,b.png", "c.pdf"]
    assert second.content == "I do"


def test_files_beside_a_text_are_not_missing() -> None:
    """The exporter names those that it loaded by their path from the text."""
    text = (
        HEAD
        + "[01/15/2024 12:05 PM] ann_99\nlook\n\n{Attachments}\na.txt_Files/boat.png\na.txt_Files/gone.png\n\n\n"
        + FOOT
    )
    records = read({"a.txt": text.encode(), "a.txt_Files/boat.png": b"x"})
    (message,) = [message for document in documents(records) for message in document.messages]
    assert [(each.name, each.missing) for each in message.attachments] == [("boat.png", False), ("gone.png", True)]


def test_what_is_forwarded_shown_or_told_by_the_app_has_its_kind() -> None:
    """Sections with nothing above them are the message; a notice is known by its words alone."""
    at = "[15.01.2024 12:05] ann\n"
    forward, box, sticker, joined, call, empty = messages(
        HEAD
        + f"{at}Look\n\n{{Forwarded Message}}\nHigh tide\n\nOriginally sent: 14.01.2024 09:00\n\n\n"
        + f"{at}\n\n{{Embed}}\nWeather\nWind\n\n\n"
        + f"{at}\n\n{{Stickers}}\nhttps://cdn.example.org/stickers/77.png\n\n\n"
        + f"{at}Joined the server.\n\n\n{at}Started a call that lasted 5 minutes.\n\n\n{at}\n\n\n"
        + FOOT
    )
    assert forward.content == "Look\nHigh tide"
    assert [(s.kind, forward.content[s.start : s.end]) for s in forward.segments] == [("forward", "High tide")]
    assert (box.content, box.kind) == ("Weather\nWind", "text")
    assert (sticker.content, sticker.kind) == ("[sticker: 77.png]", "media")
    assert (joined.kind, call.kind, empty.kind) == ("system", "call", "unknown")


@for_each(
    [
        ("7/24/2021 4:49\u202fPM", "mdy", (2021, 7, 24, 16, 49)),
        ("24/07/2021 16:49", "dmy", (2021, 7, 24, 16, 49)),
        ("24.07.2021 16:49", "mdy", (2021, 7, 24, 16, 49)),
        ("2021/7/24 下午 04:49", None, (2021, 7, 24, 16, 49)),
        ("2021-07-24 오후 4:49", None, (2021, 7, 24, 16, 49)),
        ("24.7.2021 16.49", None, (2021, 7, 24, 16, 49)),
        ("2021. 07. 24. 16:49", None, (2021, 7, 24, 16, 49)),
        ("24-Jul-21 04:49 PM", None, (2021, 7, 24, 16, 49)),
        ("31/02/2021 16:49", "dmy", None),
        ("2021-07-24Tnoon", None, None),
    ]
)
def test_times_of_many_languages_are_read(text: str, order: None, time: tuple[int, ...] | None) -> None:
    """As .NET writes short dates."""
    found = WrittenTimes(order).read(text)
    assert (found and found[0]) == (time and datetime(*time))  # type: ignore[arg-type]  # noqa: DTZ001


def test_the_order_of_dates_comes_from_all_of_them() -> None:
    """A day beyond twelve tells; else a clock of twelve hours is American."""
    assert order_of(["01/02/2021 16:49", "13/02/2021 16:49"]) == "dmy"
    assert order_of(["01/02/2021 4:49 PM", "01/13/2021 4:49 PM"]) == "mdy"
    assert order_of(["01/02/2021 4:49 PM"]) == "mdy"
    assert order_of(["01/02/2021 16:49"]) == "dmy"
    assert order_of(["2021-01-02 16:49"]) is None


def test_a_time_that_does_not_exist_is_rejected() -> None:
    """With its line; the messages around are read."""
    records = read({"a.txt": TALK.replace(b"12:06 PM", b"31:06 PM")})
    assert [m.speaker for d in documents(records) for m in d.messages] == ["ann_99"]
    assert [locator.rpartition(":")[2] for locator, _ in rejected(records)] == ["19"]


def test_the_fullest_export_of_a_channel_is_read_alone() -> None:
    """Without ids, the same messages would stand there twice."""
    name = f"Sailors - harbour [{CHANNEL}]"
    files = {f"{name}.txt": TALK, f"{name}.csv": TABLE}
    assert [m.speaker for d in documents(read(files)) for m in d.messages] == ["ann_99", "bo_99"]
    records = read({**files, f"{name}.json": export()})
    assert all(m.id for d in documents(records) for m in d.messages)


def test_a_text_of_another_time_is_read_beside_a_fuller_export() -> None:
    """Its name tells that it is no copy; nothing else holds its messages."""
    name = f"Sailors - harbour [{CHANNEL}]"
    records = read({f"{name}.json": export(), f"old/{name} (before 2024-02-01).txt": TALK, f"text/{name}.txt": TALK})
    said = [m.content.partition("\n")[0] for d in documents(records) for m in d.messages if not m.id]
    assert said == ["Who moors", "I do"]
    assert "files-left-out" in codes(records)
