"""Files of programs that memd knows and does not read: they are told by name, with the way out, and become no text."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.reading.known_programs import PAGE_BYTES, known_program
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import Rejected, TextDocument
from memd.schemas.errors import SourceError
from memd.tests.cases import for_each
from memd.tests.connectors.telegram.exports import OPTIONS
from memd.tests.contracts.connector import Shelf
from memd.tests.effort import examples
from memd.tests.fuzz.contract_samples import samples_by_format

DATABASE = b"SQLite format 3\0" + b"\0" * 84
PROGRAMS = [
    (b'<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">', "FictionBook"),
    (b'<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument>', "Word"),
    (b'<?xml version="1.0"?><office:document xmlns:office="urn:x">', "LibreOffice"),
    (b'<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><body>', "TTML"),
    (b'{"entries": [{"creationOSName": "iOS", "text": "a"}]}', "Day One"),
    (b'{"conversationId": "l", "messages": [{"messageId": "m", "text": "a", "isCreatedByUser": true}]}', "LibreChat"),
    (b'{"id": "1", "object": "thread.message", "thread_id": "t"}\n', "Jan"),
    (b'{"__exported_items": ["conversations"], "chat-sessions-list": []}', "Chatbox"),
    (b'{"data": {"chats": [{"chatID": "x", "chatTitle": "A"}]}}', "TypingMind"),
    (b'[{"id": "1", "chatId": "c", "content": "a", "contentChunks": null}]', "Le Chat"),
    (b'{"requesterUsername": "ann", "responderUsername": "GitHub Copilot", "requests": []}', "Copilot"),
    (b'[{"title": "A", "text": "a", "created": "20250407123102000"}]', "TiddlyWiki"),
    (b'["vcalendar", [["version", {}, "text", "2.0"]], []]', "jCal"),
    (b"PK\x03\x04" + b"\0" * 26 + b"Index/Document.iwa", "Apple"),
    (b"\xcf\xad\x12\xfe" + b"\0" * 60, "Outlook Express"),
    (b"\x01\x01\x01\x01\nFrom: ann@example.org\n", "MMDF"),
    (b"BABYL OPTIONS: -*- rmail -*-\nVersion: 5\n", "Babyl"),
    (b"First Name,Last Name,E-mail 1 - Label,E-mail 1 - Value\nAnn,Able,,ann@example.org\n", "contacts"),
    (b'"Subject","Start Date","Start Time"\n', "calendar"),
    (b"TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT\n", "Todoist"),
    (b"[Script Info]\nTitle: a\n", "SubStation Alpha"),
    (b"A book" + b"\0" * 54 + b"BOOKMOBI", "Kindle"),
    (b"AT&TFORM\0\0\0\0DJVM", "DjVu"),
    (b"%!PS-Adobe-3.0\n", "PostScript"),
    (b"ITSF\x03\0\0\0", "CHM"),
    (b"\xffWPC\x10", "WordPerfect"),
    (b'<html><body class="_5vb_"><div class="_a706" role="main">', "Instagram"),
    (b'<html><body><div class="message"><div class="sent iMessage">', "imessage-exporter"),
    (b'<html><body><div class="pam _3-95 _2pi0 _2lej uiBoxWhite noborder">', "Facebook"),
    (b"<html><head><style>" + b"div {margin: 0}" * 900 + b'</style><div class="sent SMS">', "imessage-exporter"),
    (b'<html><body><div class="item"><div class="message" data-id="7">\n  <div class="message__header">', "VK"),
    (b"May 17, 2022  5:29:42 PM (Read by you after 2 minutes)\nMe\nHello\n", "imessage-exporter"),
    (b"Conversation: Bo (+4179)\n\nFrom: Bo (+4179)\nType: incoming\nSent: Thu\n\nhi\n", "sigtop"),
    (b'"apiid","uid","isoutbox","isread"\n', "Threema"),
    (b'{"bo": [{"From": "bo", "Media Type": "TEXT", "Created": "2024-01-15"}]}', "Snapchat"),
    (b'{"Direct Messages": {"Chat History": {"ChatHistory": {}}}}', "TikTok"),
    (b'{"Direct Message": {"Direct Messages": {"ChatHistory": {}}}}', "TikTok"),
    (b'{"Activity": {"Favorite Effects": {"FavoriteEffectsList": []}}}', "TikTok"),
    (b'[{"match": [{"timestamp": "x"}], "chats": [{"body": "hi"}]}]', "Hinge"),
    (b'{"@context": "x", "id": "outbox.json", "type": "OrderedCollection", "orderedItems": []}', "Mastodon"),
    (b'{\n  "activeNotes": [{"id": "x", "content": "hi"}]}', "Simplenote"),
    (b'{"text": "hi", "date_modified": 1, "date_journal": 1}', "Journey"),
    (b'"CONVERSATION ID","CONVERSATION TITLE","FROM","TO"\n', "LinkedIn"),
    (b"message_id,created_at,updated_at,username,message\n", "Reddit"),
    (b"Conversation,Time,Author,Message\n", "Copilot"),
    (
        b'{"41@s.whatsapp.net": {"name": "Bo", "my_avatar": null, "their_avatar": null, "messages": {"1": {"from_me": false}}}}',
        "WhatsApp-Chat-",
    ),
    (b'{"messages": [{"conversationId": "c", "type": "incoming", "sent_at": 1, "body": "hi"}]}', "sigtop"),
    (b"\xef\xbb\xbfChat Session,Message Date,Service,Type,Text\nBo,2024-01-15 12:00:00,SMS,Incoming,hi\n", "iMazing"),
    (b'<html lang="en"><body><div class="mx_MatrixChat_wrapper"><div class="mx_MatrixChat">', "Element"),
    (b"1/15/2024, 9:15:02 PM - Ann joined the room\n1/15/2024, 9:16:02 PM - Ann: hi\n", "Element"),
    (b'{"chatlab": {"version": "0.0.1"}, "meta": {"name": "Crew"}, "messages": []}', "ChatLab"),
    (b'{"_type":"header","chatlab":{"version":"0.0.1"},"meta":{"name":"Crew"}}\n', "ChatLab"),
    ("\u738b(z00123456)\t2025-05-03 21:15:02\nhi\n".encode(), "WeLink"),
    (b'[{"source_guid": "x", "text": "hi", "favorited_by": []}]', "GroupMe"),
    (b'{"Usage": {"app_opens": {}}}', "Tinder"),
    (b'{"channel": {"topic_type": "chat", "members_type": "team"}}', "Keybase"),
    (b'{"qualified_conversation": {}, "qualified_from": {}}', "Wire"),
    (b'{"streamer": {}, "video": {}, "comments": []}', "Twitch"),
    (b'{"replayChatItemAction": {}}', "YouTube"),
    (b'{"messageCount": 3, "messages": [{"subId": 1}]}', "QKSMS"),
    (b'<session type="start" time="1700000000" medium="AIM">', "Trillian"),
    (b"<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='MessageLog.xsl'?><Log>", "MSN"),
    (b'{"date":"2024-01-15","name":"bo","title":"bo","account":"a"}\n', "Thunderbird"),
    (b'{"user_name":"Ann","character_name":"Bo"}\n', "SillyTavern"),
    (b'{"name": "x", "messages": [{"versions": [], "currentlySelected": 0}]}', "LM Studio"),
    (b"\n# aider chat started at 2024-01-15 12:00:00\n", "aider"),
    (b'{"entries": [{"creationDeviceType": "iPhone", "text": "hi"}]}', "Day One"),
    (b'{"items": [{"content_type": "Note"}]}', "Standard Notes"),
    (b'[{"title": "x", "create-email": "a@example.org", "children": []}]', "Roam"),
    (b'{"idBoard": "x", "idMembers": []}', "Trello"),
    (b'{"id": "5f", "name": "x", "closed": false, "idOrganization": null, "limits": {}}', "Trello"),
    (b'<?xml version="1.0"?><opml version="2.0">', "OPML"),
    (b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xmlPK\x03\x04" + b"\0" * 26 + b"xl/workbook.xml", "Excel"),
    (
        b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xmlPK\x03\x04" + b"\0" * 26 + b"ppt/presentation.xml",
        "PowerPoint",
    ),
    (b"PK\x03\x04" + b"\0" * 26 + b"mimetypeapplication/vnd.oasis.opendocument.text", "LibreOffice"),
    (b"{\\rtf1\\ansi hi}", "RTF"),
    (b"!BDN" + b"\0" * 60, "PST"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 60, ".msg"),
    (b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d" + b"\0" * 60, "OneNote"),
    (DATABASE + b"CREATE TABLE jid (x)CREATE TABLE message_media (x)", "WhatsApp"),
    (DATABASE + b"CREATE TABLE Conversations (x)CREATE TABLE Contacts (x)", "Skype"),
    (DATABASE + b"CREATE TABLE ChatInfo (x)", "Viber"),
    (DATABASE + b"CREATE TABLE messages_v2 (x)", "Telegram"),
    (DATABASE + b"CREATE TABLE chat_history (x)", "LINE"),
    (DATABASE + b"CREATE TABLE ZICCLOUDSYNCINGOBJECT (x)", "Apple Notes"),
    (DATABASE + b"CREATE TABLE jids (x)CREATE TABLE logs (x)", "Gajim"),
    (DATABASE + b"CREATE TABLE moz_places (x)", "browser"),
]


@for_each(PROGRAMS)
def test_programs_are_told_by_name(head: bytes, name: str) -> None:
    """With what helps."""
    program = known_program(head)
    assert program is not None
    assert name in program.name
    assert program.way_out


def test_there_are_at_least_forty() -> None:
    """Each of its own name."""
    assert len({program.name for head, _ in PROGRAMS if (program := known_program(head))}) >= 40


@for_each(sorted(samples_by_format()))
def test_no_sample_of_a_format_is_of_another_program(name: str) -> None:
    """What memd reads is never refused."""
    for files in samples_by_format()[name][1]:
        assert [file for file, data in files.items() if known_program(data)] == []


@pytest.mark.slow
def test_no_file_of_the_project_is_of_another_program(checkout: Path) -> None:
    """Its documents and sources speak of many; what they say of them is no mark."""
    endings = {".md", ".py", ".toml", ".json", ".html", ".txt"}
    folders = [each for each in checkout.iterdir() if each.is_dir() and each.name != "build" and each.name[0] != "."]
    ours = [path for folder in folders for path in folder.rglob("*") if path.suffix in endings and path.is_file()]
    assert len(ours) > 500
    assert [path.name for path in ours if known_program(path.read_bytes()[:PAGE_BYTES])] == []


@settings(max_examples=examples(300))
@given(st.text(max_size=300) | st.binary(max_size=300))
def test_no_text_is_of_another_program(words: str | bytes) -> None:
    """Also in braces, brackets and tags."""
    data = words.encode("utf-8", "surrogatepass") if isinstance(words, str) else words
    for head in (data, b"{" + data, b"[" + data, b"<" + data):
        assert known_program(head) is None


def test_a_file_by_itself_is_told_by_name(tmp_path: Path) -> None:
    """With what helps, as beside others; a page, too, which would be read as a text."""
    for data, name in ((b"!BDN" + b"\0" * 60, "PST"), (b'"apiid","uid","isoutbox"\n', "Threema"), PROGRAMS[0]):
        (tmp_path / "a").write_bytes(data)
        with pytest.raises(SourceError, match=name) as refused:
            list(read_records(tmp_path / "a", OPTIONS))
        assert refused.value.hint


def test_a_binary_file_of_another_program_is_left_out_by_name() -> None:
    """Beside what is read, without a rejection: chats have such files as attachments."""
    log = ReadingLog()
    book = BytesIO()
    with ZipFile(book, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    records = list(
        read_records(
            Shelf(
                "x",
                {
                    "a.msg": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 60,
                    "b.md": b"# A note\n\nwords\n",
                    "c.xlsx": book.getvalue(),
                },
            ),
            OPTIONS,
            log=log,
        )
    )
    assert sum(isinstance(record, TextDocument) for record in records) == 1
    assert not any(isinstance(record, Rejected) for record in records)
    mail, table = sorted(log.skipped, key=lambda each: each.path)
    assert "Outlook" in mail.reason
    assert "Excel" in table.reason


def test_a_known_page_becomes_no_text() -> None:
    """It is rejected beside notes, which are read."""
    page = b'<!doctype html><html><body><div class="_a706" role="main">words</div></body></html>'
    shelf = Shelf(
        "x",
        {
            "a.html": page,
            "b.md": b"# A note\n\nwords\n",
            "c.json": json.dumps({"Usage": {"app_opens": {}}}).encode(),
        },
    )
    records = list(read_records(shelf, OPTIONS))
    assert [record.metadata["title"] for record in records if isinstance(record, TextDocument)] == ["A note"]
    told = [(each.locator, each.reason) for each in records if isinstance(each, Rejected)]
    assert [locator for locator, _ in told] == ["x!a.html", "x!c.json"]
    assert "Instagram" in told[0][1]
