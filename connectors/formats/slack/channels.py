"""The chats of an export, by folder and by id: public and private channels, direct messages, group messages."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from .people import People
from .values import JSONObject, text_of, texts_of

ChannelType = Literal["public", "private", "dm", "group", ""]


@dataclass(frozen=True, slots=True)
class Channel:
    """A chat. ``id`` is Slack's, or the name of its folder where no list contains the chat."""

    id: str
    title: str
    type: ChannelType = ""


class Channels:
    """The channels of an export, filled from its lists."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._types: dict[str, ChannelType] = {}
        self._folders: dict[str, str] = {}
        self._archived: set[str] = set()
        self._teams: Counter[str] = Counter()

    @property
    def team(self) -> str:
        """The workspace that most chats name as theirs; empty if none does."""
        return self._teams.most_common(1)[0][0] if self._teams else ""

    def add(self, record: JSONObject) -> bool:
        """Add a chat of a list; return False if it has no id."""
        identifier = text_of(record, "id")
        if not identifier:
            return False
        name = text_of(record, "name")
        self._names[identifier] = name
        self._members[identifier] = texts_of(record, "members")
        self._types[identifier] = _type_of(identifier, name, record)
        archived = record.get("is_archived") is True
        for folder in filter(None, (identifier, name)):
            # An archived channel may have had the name before: prefer the one that is not archived.
            if _bare(folder) not in self._folders or (not archived and self._folders[_bare(folder)] in self._archived):
                self._folders[_bare(folder)] = identifier
        if archived:
            self._archived.add(identifier)
        if team := text_of(record, "context_team_id"):
            self._teams[team] += 1
        return True

    def name(self, identifier: str, label: str) -> str:
        """Return the channel name shown behind ``#`` in a mention."""
        return self._names.get(identifier) or label or identifier

    def of_folder(self, folder: str, people: People, user: str | None) -> Channel:
        """Return the chat of a folder; the title of a direct or group message leaves out ``user``."""
        identifier = self._folders.get(_bare(folder))
        if identifier is None:
            return Channel(folder, _folder_title(folder))
        kind = self._types[identifier]
        if kind in ("dm", "group"):
            title = _title_of_people(people.names(self._members[identifier]), user)
            return Channel(identifier, title or self._names[identifier] or folder, kind)
        return Channel(identifier, f"#{self._names[identifier] or folder}", kind)


def _type_of(identifier: str, name: str, record: JSONObject) -> ChannelType:
    if identifier.startswith("D") or record.get("is_im") is True:
        return "dm"
    if name.startswith("mpdm-") or record.get("is_mpim") is True:
        return "group"
    if record.get("is_private") is True or record.get("is_group") is True or identifier.startswith("G"):
        return "private"
    return "public"


def _title_of_people(names: tuple[str, ...], user: str | None) -> str:
    """Join the names of everybody but the user; of the user alone for notes to oneself."""
    return ", ".join([name for name in names if name != user] or names)


def _folder_title(folder: str) -> str:
    """Return the title of a chat that no list names: a channel's folder has its name, others an id or the members'
    handles.
    """
    if folder.startswith("mpdm-"):
        return ", ".join(folder.removeprefix("mpdm-").rpartition("-")[0].split("--")) or folder
    is_id = folder[:1] in "CDG" and len(folder) >= 9 and folder.isalnum() and folder.upper() == folder
    return folder if is_id else f"#{folder}"


def _bare(folder: str) -> str:
    """Normalise a folder name, which archivers of each system write differently."""
    return unicodedata.normalize("NFC", folder).casefold()
