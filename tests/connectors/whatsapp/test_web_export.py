"""The export of WhatsApp in a browser, and words of the app that are nobody's own, in other languages too."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import read_records
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected, TextDocument
from memd.tests.cases import for_each
from memd.tests.connectors.whatsapp.sources import options, parse

NOTICE = "Messages and calls are end-to-end encrypted. Only people in this chat can read, listen to, or share them."
LINES = [
    "- You created the group",
    "You: home?",
    "Otto: a.jpg (file attached) the garden",
    "Kim: <video omitted> too long",
    "Kim: [Forwarded] the mill",
    "You: Poll: Which day?\n    - Sat",
    "Otto: Contact: Rex",
    "- [Call]",
    "- Otto changed the group name to 'Crew: 2025'",
    "Kim: This message was deleted by admin Otto",
    "Kim: <3 <b> is bold",
]
CHAT = NOTICE + "\n" + "".join(f"[5/3/25, 9:{n:02d}:02 PM] {line}\n" for n, line in enumerate(LINES, 10))


def browser_chat(
    folder: Path, me: str | None = None
) -> tuple[list[ConversationMessage], list[str], list[TextDocument | Rejected]]:
    """Messages, codes of notices and other records of an archive with the chat, its second form and a picture."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("chat.txt", CHAT)
        archive.writestr("chat.md", "# WhatsApp Chat Export: Crew\n\n[9:11 PM] **You:** home?\n")
        archive.writestr("media/a.jpg", b"\xff\xd8\xff")
    (folder / "Crew.zip").write_bytes(packed.getvalue())
    records = list(read_records(open_source(folder / "Crew.zip"), replace(options(), me=me)))
    chats = [record for record in records if isinstance(record, ConversationDocument)]
    others = [record for record in records if isinstance(record, Rejected | TextDocument)]
    notices = [record.code for record in records if isinstance(record, Notice)]
    return [message for chat in chats for message in chat.messages], notices, others


def test_the_chat_is_read_once(tmp_path: Path) -> None:
    """With the app's own lines, files and what was forwarded; the month comes first, and "You" is the user."""
    found, notices, others = browser_chat(tmp_path)
    assert [(each.speaker, each.kind, each.content) for each in found] == [
        ("(system)", "system", NOTICE),
        ("(system)", "system", "You created the group"),
        ("(me)", "text", "home?"),
        ("Otto", "media", "a.jpg (file attached) the garden"),
        ("Kim", "media", "<video omitted> too long"),
        ("Kim", "text", "the mill"),
        ("(me)", "poll", "Poll: Which day?\n    - Sat"),
        ("Otto", "contact", "Contact: Rex"),
        ("(system)", "call", "[Call]"),
        ("(system)", "system", "Otto changed the group name to 'Crew: 2025'"),
        ("Kim", "deleted", "This message was deleted by admin Otto"),
        ("Kim", "text", "<3 <b> is bold"),
    ]
    assert found[0].time.isoformat() == "2025-05-03T21:10:02+00:00"
    assert [(each.name, each.size) for each in found[3].attachments] == [("a.jpg", 3)]
    assert [each.kind for each in found[5].segments] == ["forward"]
    assert others == []
    assert "user-unknown" in notices


def test_the_notice_may_be_missing(tmp_path: Path) -> None:
    """The name of the file and times of twelve hours show the export; an iPhone's has marks, and "You" is somebody."""
    plain = "[5/3/25, 9:10:02 PM] You: home?\n[5/3/25, 9:11:02 PM] Kim: <image omitted> here\n"
    path = tmp_path / "chat.txt"
    for text, expected in (
        (plain, [("(me)", "text"), ("Kim", "media")]),
        (plain.replace("<image", "\u200e<image"), [("You", "text"), ("Kim", "media")]),
    ):
        path.write_text(text, "utf-8")
        records = read_records(open_source(path), options())
        chats = [record for record in records if isinstance(record, ConversationDocument)]
        assert [(each.speaker, each.kind) for chat in chats for each in chat.messages] == expected


def test_the_user_may_be_named(tmp_path: Path) -> None:
    """Then nobody else is meant by "You"."""
    found, notices, _ = browser_chat(tmp_path, "Ines")
    assert {each.speaker for each in found} == {"(system)", "Ines", "Otto", "Kim"}
    assert "user-unknown" not in notices


@for_each(
    [
        ("\u200eWaiting for this message. This may take a while.", "unknown"),
        ("Warten auf diese Nachricht. Dies kann etwas dauern.", "unknown"),
        ("\u200eYou received a view once photo. For added privacy, you can only open it on your phone.", "media"),
        ("This message was deleted by admin Otto", "deleted"),
        ("Waiting for this message was dull", "text"),
    ]
)
def test_words_of_the_app_are_nobody_s(body: str, kind: str) -> None:
    """What this phone could not read or show."""
    assert parse(f"[13.05.24, 10:00:00] Ana: {body}\n[13.05.24, 10:00:01] Bo: hi\n")[0][0] == kind


@for_each(["Pesan ini diedit", "Denne meldingen ble redigert", "Bu mesaj düzenlendi", "Tämä viesti muokattiin äsken"])
def test_marks_of_edits_in_languages_without_a_list(mark: str) -> None:
    """They begin as the text of a deleted message does; other words in angle brackets stay, also with that text in them."""
    own = ["so <this is it>", "ha <this message was deleted for fun>"]
    lines = [f"five miles <{mark}>", *own]
    text = "".join(f"13.05.24, 10:0{number} - Ana: {line}\n" for number, line in enumerate(lines))
    assert [content for _, _, content in parse(text)] == ["five miles", *own]


@for_each(
    [
        ("<動画は含まれていません> 長い", "media", False),
        ("[転送済み] 古い水車小屋", "text", True),
        ("[Пересланное] мельница", "text", True),
    ]
)
def test_placeholders_and_forwards_in_other_languages(body: str, kind: str, forwarded: bool) -> None:
    """With a caption, and by the words in brackets."""
    (row,) = parse(f"メッセージと通話はエンドツーエンド暗号化されています。\n[5/3/25, 9:10:02 PM] Kim: {body}\n")[1:]
    assert row[0] == kind
    assert (row[2] == body.partition("] ")[2]) == forwarded
