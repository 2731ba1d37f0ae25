"""Programs whose files memd knows and does not read, by their marks, each with the way out. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEAD = 4096
PAGE_BYTES = 64 * 1024
"""Pages begin with their styles, which are longer than the beginning of another file."""
_DATABASE = b"SQLite format 3\0"
_ELEMENT = "choose JSON when you export the chat"
_SAVE_AS = "save it as .docx, PDF or text"
_SIGNAL = "use Signal's own export or signal-export, which memd reads"
_WHATSAPP = "export each chat in the app: More, Export chat"


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """A program, and what helps."""

    name: str
    """The nature of the file, as people call it."""
    way_out: str
    marks: tuple[re.Pattern[bytes], ...]
    """The expressions that all occur in the beginning of its files."""


def _known(name: str, way_out: str, *marks: bytes) -> KnownProgram:
    return KnownProgram(name, way_out, tuple(re.compile(mark, re.DOTALL) for mark in marks))


_PAGES = (
    _known("a page of Facebook or Instagram", "choose JSON, not HTML, when you ask for the download", rb'class="[^"]*\b(?:_a706|_a6-g)\b|class="pam _3-95 [^"]*\buiBoxWhite noborder"'),
    _known("a page of imessage-exporter", "give memd the database itself: ~/Library/Messages/chat.db", rb'<div class="(?:sent|received) (?:iMessage|SMS|RCS)'),
    _known("a page of Element", _ELEMENT, rb'class="[^"]*\bmx_(?:MatrixChat|EventTile)'),
    _known("a page of VK", "memd does not read it", rb'<div class="message" data-id="\d+">\s*<div class="message__header">'),
    _known("a log of Trillian", "memd does not read it", rb'<session type="(?:start|stop)" time="\d+"'),
    _known("a log of MSN Messenger", "memd does not read it", rb"href=['\"]MessageLog\.xsl['\"]"),
    _known("a book in FictionBook's form", "convert it to EPUB", rb"<FictionBook\b[^<>]*>"),
    _known("a text in Word's XML of 2003, or in LibreOffice's flat XML", _SAVE_AS, rb'progid="Word\.Document"\?>|<office:document\b[^<>]*>'),
    _known("subtitles as TTML", "save them as .srt or .vtt", rb'xmlns="http://www\.w3\.org/(?:ns|2006/\d\d)/ttml'),
    _known("an outline (OPML)", "export it as plain text", rb"<opml\b[^<>]*>"),
)  # fmt: skip
_PAGE_WORDS = (
    b"_a706",
    b"_a6-g",
    b"uiBoxWhite",
    b"mx_MatrixChat",
    b"mx_EventTile",
    b"message__header",
    b'"sent ',
    b'"received ',
    b"MessageLog.xsl",
    b"<opml",
    b"<session ",
    b"<FictionBook",
    b"Word.Document",
    b"<office:document",
    b"/ttml",
)
"""The strings of which each of these has one; testing these first is much faster than the expressions."""
_JSON = (
    _known("Snapchat's chat history", "memd does not read it", rb'"Media Type"\s*:', rb'"Created"\s*:', rb'"From"\s*:'),
    _known("TikTok's data", "memd does not read it", rb'"(?:Chat History|Direct Messages)"\s*:\s*\{\s*"ChatHistory"|"FavoriteEffectsList"\s*:'),
    _known("GroupMe's messages", "memd does not read them", rb'"source_guid"\s*:', rb'"favorited_by"\s*:'),
    _known("Tinder's data", "memd does not read it", rb'"Usage"\s*:\s*\{\s*"app_opens"'),
    _known("a chat of Keybase", "memd does not read it", rb'"topic_type"\s*:', rb'"members_type"\s*:'),
    _known("Wire's backup", "memd does not read it", rb'"qualified_conversation"\s*:', rb'"qualified_from"\s*:'),
    _known("a chat of Twitch", "memd does not read it", rb'"streamer"\s*:', rb'"comments"\s*:', rb'"video"\s*:'),
    _known("a live chat of YouTube", "memd does not read it", rb'"replayChatItemAction"\s*:'),
    _known("QKSMS's backup", "SMS Backup & Restore makes one that memd reads", rb'"messageCount"\s*:\s*\d+', rb'"subId"\s*:'),
    _known("a chat log of Thunderbird", "memd does not read it", rb'\A\{"date":"[^"]+","name":"[^"]*","title":"[^"]*","account"'),
    _known("a chat of SillyTavern", "memd does not read it", rb'\A\{"user_name":"[^"]*","character_name":'),
    _known("a conversation of LM Studio", "memd does not read it", rb'"currentlySelected"\s*:', rb'"versions"\s*:'),
    _known("a journal of Day One", "export it as plain text", rb'"(?:creation(?:Device|DeviceType|DeviceModel|OSName|OSVersion)|isAllDay|editingTime|userEditDate)"\s*:', rb'"entries"\s*:'),
    _known("a chat of LibreChat", "memd does not read it", rb'"isCreatedByUser"\s*:', rb'"messageId"\s*:'),
    _known("a thread of Jan or of OpenAI's assistants", "memd does not read it", rb'"object"\s*:\s*"thread(?:\.message)?"'),
    _known("the chats of Chatbox", "memd does not read them", rb'"__exported_items"\s*:|"chat-sessions-list"\s*:'),
    _known("the chats of TypingMind", "memd does not read them", rb'"chatTitle"\s*:', rb'"chatID"\s*:'),
    _known("a chat of Le Chat", "memd does not read it", rb'"chatId"\s*:', rb'"contentChunks"\s*:'),
    _known("a chat of Copilot in VS Code", "memd does not read it", rb'"requesterUsername"\s*:', rb'"responderUsername"\s*:'),
    _known("a wiki of TiddlyWiki", "memd does not read it", rb'"title"\s*:', rb'"(?:created|modified)"\s*:\s*"\d{17}"'),
    _known("a calendar as JSON (jCal)", "export it as .ics", rb'\A\s*\[\s*"vcalendar"'),
    _known("a backup of Standard Notes", "export the notes as decrypted text files", rb'"content_type"\s*:\s*"(?:Note|Tag|SN\|[^"]*)"', rb'"items"\s*:'),
    _known("a graph of Roam", "export all as Markdown", rb'"(?:edit-email|create-email|:create/user)"\s*:', rb'"children"\s*:'),
    _known("a chat of ChatLab", "give memd the export that ChatLab read", rb'"chatlab"\s*:\s*\{', rb'"meta"\s*:\s*\{'),
    _known("WhatsApp-Chat-Exporter's result", _WHATSAPP, rb'"my_avatar"\s*:', rb'"their_avatar(?:_thumb)?"\s*:'),
    _known("a chat of sigtop", _SIGNAL, rb'"conversationId"\s*:', rb'"sent_at"\s*:'),
    _known("Hinge's matches", "memd does not read them", rb'"chats"\s*:\s*\[\s*\{\s*"body"\s*:', rb'"match"\s*:'),
    _known("Mastodon's posts", "memd does not read them", rb'"orderedItems"\s*:', rb'"@context"\s*:', rb'"OrderedCollection"'),
    _known("Simplenote's notes", "its export holds them as text files, too: memd reads those", rb'\A\s*\{\s*"activeNotes"\s*:'),
    _known("a journal of Journey", "export it as Markdown or PDF", rb'"date_journal"\s*:', rb'"date_modified"\s*:'),
    _known("a board of Trello", "memd does not read it", rb'"idBoard"\s*:.*"idMember[A-Za-z]*"\s*:|"idOrganization"\s*:.*"(?:limits|shortLink|labelNames)"\s*:'),
)  # fmt: skip
_BEGINNINGS = (
    _known("a text of imessage-exporter", "give memd the database itself: ~/Library/Messages/chat.db", rb"\A\s*[A-Z][a-z]{2} \d\d, \d{4}\s+\d{1,2}:\d\d:\d\d [AP]M(?: \(Read by [^)\n]*\))?\r?\n"),
    _known("a text of sigtop", _SIGNAL, rb"\AConversation: [^\n]+\n\nFrom: [^\n]+\nType: (?:incoming|outgoing)"),
    _known("a table of Threema's backup", "Threema exports single chats as text: memd does not read them", rb'\A"?apiid"?,"?uid"?,"?isoutbox"?'),
    _known("LinkedIn's messages", "memd does not read them", rb'\A(?:\xef\xbb\xbf)?"?CONVERSATION ID"?,"?CONVERSATION TITLE"?,'),
    _known("Reddit's messages", "memd does not read them", rb"\A(?:message_id,created_at,updated_at,username,message|id,permalink,thread_id,date,ip,from,to)"),
    _known("Microsoft Copilot's history", "memd does not read it", rb'\A(?:\xef\xbb\xbf)?"?Conversation"?,"?Time"?,"?Author"?,"?Message"?'),
    _known("a text of Element", _ELEMENT, rb"\A(?:\xef\xbb\xbf)?\d[^\n]{5,30} - (?:.{0,3000}?\n\d[^\n]{5,30} - )?[^\n:]{1,100} (?:joined the room|changed the room name to )"),
    _known("a table of iMazing", "give memd the database of the messages (chat.db), or export the chat in WhatsApp itself", rb'\A(?:\xef\xbb\xbf)?"?Chat Session"?,"?Message Date"?,'),
    _known("a chat of WeLink", "memd does not read it", rb"\A(?:\xef\xbb\xbf)?[^\t\n]{1,120}\([a-zA-Z]\d{8}\)\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\r?\n"),
    _known("a chat history of aider", "memd does not read it", rb"\A\s*# aider chat started at"),
    _known("a table of Excel", "save it as PDF", rb"\APK\x03\x04.*\bxl/(?:workbook|worksheets|_rels)"),
    _known("a presentation of PowerPoint", "save it as PDF", rb"\APK\x03\x04.*\bppt/(?:presentation|slides|_rels)"),
    _known("a text, a table or slides of LibreOffice", "save it as .docx or PDF", rb"\APK\x03\x04.{26}mimetypeapplication/vnd\.oasis"),
    _known("a rich text (RTF)", _SAVE_AS, rb"\A\{\\rtf"),
    _known("a text, a table or slides of Apple (Pages, Numbers, Keynote)", "export it as Word or PDF", rb"\APK\x03\x04.*\bIndex/[\w-]+\.iwa"),
    _known("a mailbox of Outlook Express (DBX)", "readdbx makes mailboxes of it that memd reads", rb"\A\xcf\xad\x12\xfe"),
    _known("a mailbox of MMDF or Babyl", "mutt or Emacs save it as an mbox, which memd reads", rb"\A(?:\x01{4}\r?\n|BABYL OPTIONS:)"),
    _known("contacts as a table", "memd does not read them", rb'\A(?:\xef\xbb\xbf)?[^\n]{0,2000}\bE-?mail(?: 1 - (?:Value|Label|Type)| Address"?,"?E-?mail Type)'),
    _known("a calendar as a table", "export it as .ics", rb'\A(?:\xef\xbb\xbf)?"?Subject"?,"?Start Date"?,'),
    _known("tasks of Todoist", "memd does not read them", rb"\A(?:\xef\xbb\xbf)?TYPE,CONTENT,(?:DESCRIPTION|PRIORITY),"),
    _known("subtitles of SubStation Alpha", "save them as .srt or .vtt", rb"\A(?:\xef\xbb\xbf)?\[Script Info\]"),
    _known("a book of Kindle (MOBI)", "convert it to EPUB", rb"\A.{60}(?:BOOKMOBI|TEXtREAd)"),
    _known("a DjVu document", "save it as PDF", rb"\AAT&TFORM"),
    _known("a PostScript document", "save it as PDF", rb"\A%!PS"),
    _known("a help file of Windows (CHM)", "memd does not read it", rb"\AITSF"),
    _known("a text of WordPerfect", _SAVE_AS, rb"\A\xffWPC"),
    _known("a mailbox of Outlook (PST)", "readpst makes mailboxes of it that memd reads", rb"\A!BDN"),
    _known("a mail of Outlook (.msg), or a file of Office before 2007", "save it as .eml, .docx or PDF", rb"\A\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    _known("a section of OneNote", "export it as PDF or Word", rb"\A\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d"),
)  # fmt: skip
_DATABASES = (
    _known("the database of WhatsApp", _WHATSAPP, rb"CREATE TABLE (?:jid|props|chat)\b", rb"message_(?:thumbnail|media|vcard)|legacy_available_messages"),
    _known("the database of Skype", "ask for the export at secure.skype.com, which memd reads", rb"CREATE TABLE Conversations\b", rb"CREATE TABLE (?:Contacts|Accounts|Calls)\b"),
    _known("the database of Viber", "memd does not read it", rb"CREATE TABLE (?:ChatInfo|EventInfo)\b"),
    _known("the database of Apple Notes", "export the notes as PDF or text", rb"ZICCLOUDSYNCINGOBJECT"),
    _known("the database of Telegram", "export each chat in Telegram Desktop, which memd reads", rb"CREATE TABLE messages_v2\b"),
    _known("the database of LINE", "export each chat in the app as text, which memd reads", rb"CREATE TABLE chat_history\b"),
    _known("the database of Gajim", "memd does not read it", rb"CREATE TABLE jids\b", rb"CREATE TABLE logs\b"),
    _known("the history of a browser", "it holds no messages", rb"CREATE TABLE (?:moz_places|urls)\b"),
)  # fmt: skip


def known_program(head: bytes) -> KnownProgram | None:
    """Return the program whose file begins so; None for any other.

    Args:
        head: the beginning of a file that no format of messages reads: `PAGE_BYTES` of a page, and of a database more, for
            its tables stand there.
    """
    if head.startswith(_DATABASE):
        return _first(_DATABASES, head)
    beginning = head[:_HEAD]
    first = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if first == b"<":
        page = head[:PAGE_BYTES]
        return _first(_PAGES, page) if any(word in page for word in _PAGE_WORDS) else None
    if first in (b"{", b"[") and (program := _first(_JSON, beginning)) is not None:
        return program
    return next((each for each in _BEGINNINGS if each.marks[0].match(beginning)), None)


def _first(programs: tuple[KnownProgram, ...], beginning: bytes) -> KnownProgram | None:
    return next((each for each in programs if all(mark.search(beginning) for mark in each.marks)), None)
