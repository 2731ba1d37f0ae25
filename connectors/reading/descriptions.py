"""What memd reads, in words: a line on each format, for people who ask what their export needs to look like."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FormatDescription:
    """One format, as ``memd sources --formats`` tells it."""

    name: str
    """The connector's, for ``--format``."""
    reads: str
    leaves_out: str
    """What of the app or the export is not read."""


FORMATS = (
    FormatDescription(
        "whatsapp",
        "WhatsApp: exported chats (.txt, .zip) of Android and iOS, in any language and date format",
        "backups of the app (msgstore), the pictures and sounds beside a chat",
    ),
    FormatDescription(
        "telegram",
        "Telegram Desktop: result.json of a chat or of the whole account, and messages.html",
        "files beside the export, secret chats (no export has them)",
    ),
    FormatDescription(
        "slack",
        "Slack: export archives, unpacked or not, single channels, and what slackdump saves",
        "canvases, lists, logs of integrations, files",
    ),
    FormatDescription(
        "discord",
        "Discord: JSON, HTML, TXT and CSV of DiscordChatExporter, and the data package of Discord",
        "files beside the export; TXT and CSV hold no ids and answers",
    ),
    FormatDescription(
        "messenger",
        "Facebook Messenger: chats of the data export as JSON, and of the download of encrypted chats",
        "HTML exports, pictures and sounds, posts and all else of Facebook",
    ),
    FormatDescription(
        "instagram",
        "Instagram: chats of the data export as JSON",
        "HTML exports, pictures and sounds, posts and all else of Instagram",
    ),
    FormatDescription(
        "google_chat",
        "Google Chat: chats and spaces of Google Takeout, and Hangouts.json of Hangouts",
        "files beyond their names, cards of apps",
    ),
    FormatDescription(
        "imessage",
        "iMessage, SMS and RCS: the database of Messages on a Mac (chat.db) or of an iPhone's backup (sms.db)",
        "names of the address book, calls, encrypted backups",
    ),
    FormatDescription(
        "signal",
        "Signal: the app's own export (main.jsonl), and chats of signal-export (data.json, chat.md)",
        "encrypted backups, the database of Signal Desktop, HTML of signal-export",
    ),
    FormatDescription(
        "line",
        "LINE: chats saved as text (.txt) by phones and computers, in any language",
        "backups of the app, pictures and files, replies and reactions (no export has them)",
    ),
    FormatDescription(
        "kakaotalk",
        "KakaoTalk: chats exported as text (Windows, Android, iOS) and as CSV (macOS), in Korean and English",
        "backups of the app, pictures and files, replies and reactions (no export has them)",
    ),
    FormatDescription(
        "wechat",
        "WeChat: what WeFlow, EchoTrace, chatlog (JSON), PyWxDump, WeChatMsg, WeFlow, chatlog (CSV) export",
        "the app's encrypted databases, HTML and documents of these tools, pictures and files",
    ),
    FormatDescription(
        "qq",
        "QQ: chats exported as text, of one contact or the whole account, and JSON (also in pieces) or text of QQChatExporter",
        "the app's databases, .mht and .bak files, HTML of QQChatExporter, pictures and files",
    ),
    FormatDescription(
        "pidgin",
        "Pidgin and Adium: logs of conversations as text, HTML or XML (.chatlog), of any of their protocols",
        "logs of the system (who came online), logs of before 2.0 in one file",
    ),
    FormatDescription(
        "irc",
        "IRC: logs of WeeChat, irssi, ZNC, HexChat and XChat, mIRC, dircproxy, energymech and others like them",
        "logs whose days neither the log nor its name tells, databases of bouncers",
    ),
    FormatDescription(
        "matrix",
        "Matrix: rooms exported by Element as JSON, and lists of events",
        "HTML and plain text of Element, which hold no ids; pictures and files beyond their names",
    ),
    FormatDescription(
        "teams",
        "Teams and Skype: messages.json of a personal account's export, exports of organisations in the shape of Graph",
        "files beyond their names, meetings and their recordings, mailboxes of Purview",
    ),
    FormatDescription(
        "x",
        "X (Twitter): direct messages, groups, posts with long ones, and chats with Grok of the account's archive",
        "likes, followers, lists, advertising, pictures and films beyond their names",
    ),
    FormatDescription(
        "zulip",
        "Zulip: exports of organisations: channels by topic, direct messages, groups",
        "uploaded files beyond their names, settings, avatars and all else of the organisation",
    ),
    FormatDescription(
        "mattermost",
        "Mattermost: bulk exports (import.jsonl), alone or in their archive; posts saved from the server",
        "files beyond their names, settings, deleted posts (no export has them)",
    ),
    FormatDescription(
        "rocketchat",
        "Rocket.Chat: dumps of its database (BSON or JSON), and rooms exported as JSON",
        "rooms exported as HTML or CSV, uploaded files beyond their names, encrypted messages",
    ),
    FormatDescription(
        "chatgpt",
        "ChatGPT: the data export (conversations.json)",
        "answers that were made anew, pictures and sounds",
    ),
    FormatDescription(
        "claude",
        "Claude: the data export (conversations, projects, memories)",
        "artifacts as pages of their own, pictures",
    ),
    FormatDescription(
        "gemini",
        "Gemini: My Activity of Google Takeout as JSON or HTML, conversations of Workspace accounts",
        "which prompts were one conversation, where Google does not tell",
    ),
    FormatDescription(
        "mail",
        "mail: mbox (Google Takeout, Thunderbird), Maildir, .eml, .emlx",
        "PST and OST, encrypted mail, attachments beyond their names and sizes",
    ),
    FormatDescription(
        "transcripts",
        "video calls: transcripts and captions of Zoom, Google Meet, Teams and others (.vtt, .srt, .sbv, text)",
        "recordings, transcripts as .docx of Teams beyond their text",
    ),
    FormatDescription(
        "calendar",
        "calendars: .ics of Google, Apple, Outlook and others: events, tasks and journals, with all their times",
        "alarms, attachments, who is free or busy",
    ),
    FormatDescription(
        "pdf",
        "PDF: the text of each page",
        "pictures of pages (they need text recognition first), files that ask for a password, forms and attachments",
    ),
    FormatDescription(
        "docx",
        "Word: .docx, with headings, tables, text boxes, notes and comments",
        ".doc, pictures, headers and footers, what tracked changes deleted",
    ),
    FormatDescription(
        "epub",
        "books: .epub, a document for each chapter",
        "books that are protected by their seller, pictures",
    ),
    FormatDescription(
        "html",
        "pages: saved HTML, also of SingleFile, and web archives (.mht, .mhtml)",
        "pictures, menus, what only a script would show",
    ),
    FormatDescription(
        "notion",
        "Notion: exports as Markdown & CSV or HTML, with databases, properties and archives in parts",
        "comments, pictures and files, formulas beyond their values",
    ),
    FormatDescription(
        "evernote",
        "Evernote: exported notebooks (.enex), of any size",
        "pictures and files beyond their names, encrypted passages, the history of notes",
    ),
    FormatDescription(
        "source_code",
        "source code: files of some forty programming languages, cut along their definitions",
        "files that programs wrote, minified code, packages (node_modules, site-packages), notebooks (.ipynb)",
    ),
    FormatDescription(
        "notes",
        "notes: folders of Markdown and plain text (Obsidian, Logseq and others), single files",
        "pictures",
    ),
    FormatDescription(
        "documents",
        "documents: JSON or JSON lines in memd's own form (docs/formats.md), as memd export writes them",
        "nothing",
    ),
)
