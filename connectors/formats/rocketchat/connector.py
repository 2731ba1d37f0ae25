"""Reads dumps of Rocket.Chat's database and exports of rooms, as files, folders and archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.accounts import Accounts
from ...chats.exported_chats import ChatExport, ExportConnector, Said, read_members
from ...connector import Member, ReadOptions, Source
from ...opening.attached_files import AttachedFiles
from ...record_faults import records_at
from .detection import MESSAGES, ROOM, ROOMS, SCORES, USERS, kind_of
from .lists import Lists
from .message import MessageReader
from .records import key_of, rows

_ASSETS = "assets"
"""The folder of files in the export of a room."""
_MESSAGE = b"\x02rid\x00"
"""The field that every message has."""


class RocketChatConnector(ExportConnector):
    """Reads chats of Rocket.Chat."""

    name = "rocketchat"
    version = 2
    program = "Rocket.Chat"

    def score(self, member: Member) -> float:
        """Return a high score for Rocket.Chat's collections."""
        return SCORES.get(kind_of(member)[0], 0.0)

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Open the export; people and rooms are read first."""
        kinds = [(member, *kind_of(member)) for member in source.members()]
        messages = [(member, binary) for member, kind, binary in kinds if kind == MESSAGES]
        rooms = [member for member, kind, _ in kinds if kind == ROOM]
        others = [member for member, kind, _ in kinds if not kind]
        if not messages and not rooms:
            return None
        lists = Lists()
        nameless = all(kind != USERS for _, kind, _ in kinds)
        for member, kind, binary in kinds:
            if kind in (USERS, ROOMS) or (kind == MESSAGES and (binary or nameless)):
                _learn(member, kind, lists, binary=binary, authors=nameless)
        accounts = Accounts(options.me)
        lists.tell(accounts)
        walk = _Walk(lists, accounts, options, messages, rooms, AttachedFiles(source), alone=len(kinds) == 1)
        titles = {_room(member): _room(member) for member in rooms} if not messages else {}
        return ChatExport(accounts, walk.said, titles, others, walk.counts)


def _learn(member: Member, kind: str, lists: Lists, *, binary: bool, authors: bool) -> None:
    """Read a collection into `lists`; of messages only the earlier wordings and, if `authors` is set, the authors."""
    with suppress(SourceError), member.open() as stream:
        wanted = b"\x08_hidden\x00" if kind == MESSAGES and not authors else b""
        for row in rows(member, stream, binary=binary, wanted=lambda raw: wanted in raw):
            if row.value is None:
                continue
            if kind == USERS:
                lists.person(row.value)
            elif kind == ROOMS:
                lists.room(row.value)
            else:
                if authors:
                    lists.author(row.value)
                if binary:
                    lists.version(row.value)


def _room(member: Member) -> str:
    """Return the name of the room in an exported file."""
    return member.name.rpartition("/")[2].rpartition(".")[0] or member.name


class _Walk:
    """The walk through the messages of all files."""

    def __init__(
        self,
        lists: Lists,
        accounts: Accounts,
        options: ReadOptions,
        messages: list[tuple[Member, bool]],
        rooms: list[Member],
        beside: AttachedFiles,
        *,
        alone: bool,
    ) -> None:
        self._lists = lists
        self._accounts = accounts
        self._binary = {member.locator: binary for member, binary in messages}
        self._messages = [member for member, _ in messages]
        self._rooms = rooms
        self._alone = alone
        self._folder = ""
        self._reader = MessageReader(accounts, lists, options.zone, lambda name: beside.has(name, self._folder))
        self.counts: Counter[str] = Counter()

    def said(self) -> Iterator[Said | Rejected | Notice]:
        """Yield every message of every file."""
        yield from read_members(self._messages, self._read, alone=self._alone)
        yield from read_members(self._rooms, self._read_room, alone=self._alone)
        self.counts.update(self._reader.counts)
        left = sum(len(versions) for versions in self._lists.versions.values())
        self.counts["relations-left-out"] += self._lists.left_out + left

    def _read(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected]:
        for row in rows(member, stream, binary=self._binary[member.locator], mark=_MESSAGE):
            if row.value is None:
                yield Rejected(locator=row.place, reason=row.reason)
                continue
            if row.value.get("_hidden") is True and key_of(row.value.get("parent")) and self._binary[member.locator]:
                continue  # an earlier wording, which is stored with its message
            yield from records_at(row.place, self._message, row.value, row.place)

    def _message(self, value: dict[str, Any], place: str) -> Iterator[Said | Rejected]:
        rid = key_of(value.get("rid"))
        result = self._reader.read(value) if rid else "a message that does not say of which room it is"
        metadata = {} if isinstance(result, str) else self._lists.metadata(rid, self._accounts)
        yield Said(rid, metadata, result, place)

    def _read_room(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected]:
        name = _room(member)
        self._folder = f"{member.name.rpartition('/')[0]}/{_ASSETS}"
        for row in rows(member, stream, binary=False):
            result = self._reader.read(row.value) if row.value is not None else row.reason
            yield Said(name, {"title": name}, result, row.place)
