"""Which formats are read file by file, and which are not: names alone, for those who read nothing themselves."""

from __future__ import annotations

READ_ALONE = frozenset(["whatsapp", "line", "kakaotalk", "wechat", "qq", "irc", "mail", "notes", "documents"]).union(
    ["pidgin", "pdf", "docx", "epub", "html", "calendar", "evernote", "source_code"]
)
"""Formats of which each file stands for itself; of all others several files may be one export, with lists of people and
pages that go on in the next file."""

GIVEN_OWN_FILES = frozenset(["transcripts", "documents", "pdf", "docx", "epub", "html", "calendar", "evernote"]).union(
    ["source_code"]
)
"""Formats whose connector takes every file that it is given for one of its format: of a folder or archive it is given those
that were recognised, and none that lies beside them.
"""

SENT_IN_CHATS = GIVEN_OWN_FILES | {"notes", "mail"}
"""Formats of files that people also send each other: where one lies tells nothing of where an export ends."""

FILES_IN = {"signal": "files"}
"""By format, the folder beside its messages with what they consist of: Signal keeps the end of a long text as a text there."""

READ_TOGETHER = frozenset(["notion", "google_chat"])
"""Formats whose export comes as several archives, in a folder or inside one: what these hold is one export."""

ARCHIVE = "archive"
"""Stands for the format of a file that is an archive: what is in it may be of any."""

UNMISTAKABLE = {"slack": 0.95, "discord": 0.97, "messenger": 0.95, "instagram": 0.95}
"""By format the score from which on a file is of no other: several keys of JSON that only this program writes. Its exports
have hundreds of such files, and who reads one is asked first about the next.
"""
