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
        "Discord: JSON and HTML of DiscordChatExporter, and the data package of Discord",
        "TXT and CSV of DiscordChatExporter, which hold no ids",
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
        "notes",
        "notes: folders of Markdown and plain text (Obsidian and others), single files",
        "pictures, PDF and documents of offices",
    ),
    FormatDescription(
        "documents",
        "documents: JSON or JSON lines in memd's own form (docs/formats.md), as memd export writes them",
        "nothing",
    ),
)
