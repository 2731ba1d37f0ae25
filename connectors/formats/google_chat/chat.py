"""Describes one chat of a Takeout: its key, its title and its files, from its messages and its ``group_info.json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...chats.json_messages import MessageFiles
from ...connector import Member
from ...text.json_fields import words_of
from .people import Names

SOURCE = "google_chat"
_TITLED = 20
"""The maximum number of names in the title of a chat without a name."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A file of messages with its description."""

    member: Member
    key: str
    direct: bool
    group: dict[str, Any]
    """The content of its ``group_info.json``."""

    @property
    def files(self) -> MessageFiles:
        """The file as message files."""
        return MessageFiles([self.member], is_message)

    def title(self, user: str) -> str:
        """Return the name of the space; for a chat between people the names of the others."""
        others = [name for name in Names(self.group).listed if name != user]
        return words_of(self.group.get("name")) or ", ".join(others[:_TITLED]) or self.key

    def metadata(self, user: str) -> dict[str, str]:
        """Return the metadata for the documents of the chat."""
        return {"title": self.title(user), "channel_type": "dm" if self.direct else "group"}


def chat_of(member: Member, group: dict[str, Any]) -> Chat:
    """Return the chat of a file. Its key is the first part of its messages' ids, else the end of its folder's name."""
    folder = member.name.rpartition("/")[0].rpartition("/")[2]
    word, _, folder_id = folder.rpartition(" ")
    first: dict[str, Any] = next(MessageFiles([member], is_message).first(1), dict[str, Any]())
    parts = words_of(first.get("message_id")).split("/")
    named = words_of(group.get("name"))
    return Chat(
        member,
        key=(parts[0] if len(parts) == 3 else "") or folder_id or named or member.name,
        direct=word.casefold() == "dm" or (not word and not named and len(Names(group).listed) == 2),
        group=group,
    )


def is_message(raw: dict[str, Any]) -> bool:
    """Return whether an object has the fields of a message."""
    return bool(raw.keys() & {"created_date", "updated_date", "deleted_date"}) and bool(
        raw.keys() & {"message_id", "creator", "topic_id"}
    )
