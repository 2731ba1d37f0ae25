"""Reads spaces of Webex: messages in JSON, with the lists of spaces, members and people that lie beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ....schemas.identity_links import mail_link
from ....schemas.wire import replaced_text
from ...chats.accounts import Accounts
from ...chats.export_files import with_list
from ...chats.exported_chats import ChatExport, ExportConnector, Said, chat_of_file, read_members
from ...chats.json_messages import parsed_message, small_object
from ...connector import Member, ReadOptions, Source
from ...opening.member_subset import held_names
from ...record_faults import records_at
from ...text.json_fields import list_of, object_of, words_of
from ...text.json_stream import Element, Event, JSONStream
from ...text.unicode import as_utf8
from .detection import LISTS, MESSAGES, SCORES, kind_of
from .message import MessageReader

_PATHS = (("items",), ())
"""An answer of the API has its messages in ``items``; some programs save the list alone."""
_LIST_BYTES = 32 << 20


class WebexConnector(ExportConnector):
    """Reads chats of Webex."""

    name = "webex"
    program = "Webex"
    version = 2

    def score(self, member: Member) -> float:
        """Return a high score for messages of Webex, a lower one for its lists."""
        return SCORES.get(kind_of(member), 0.0)

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Read the lists, and who writes; then prepare the messages."""
        kinds = [(member, kind_of(member)) for member in source.members()]
        messages = [member for member, kind in kinds if kind == MESSAGES]
        others = [member for member, kind in kinds if not kind]
        if not messages:
            return None
        directory = _Directory(options.me)
        for member, kind in kinds:
            if kind == LISTS:
                directory.learn(small_object(member, _LIST_BYTES))
        reader = MessageReader(directory.accounts, held_names(source), options.zone)
        walk = _Walk(directory, reader, messages, alone=len(kinds) == 1)
        return ChatExport(directory.accounts, walk.said, {}, others, reader.counts, directory.links)


class _Directory:
    """The spaces and the people of an export."""

    def __init__(self, me: str | None) -> None:
        self.accounts = Accounts(me)
        self.spaces: dict[str, dict[str, Any]] = {}
        self._mails: dict[str, str] = {}

    def learn(self, value: dict[str, Any]) -> None:
        """Learn from a list, or from the details of a space that an archiver writes."""
        for each in [object_of(each) for each in list_of(value.get("items"))] or [value]:
            space, creator = object_of(each.get("space")), object_of(each.get("creator"))
            for entry in (each, space, creator):
                self._entry(entry)

    def _entry(self, entry: dict[str, Any]) -> None:
        identifier = words_of(entry.get("id"))
        if identifier and words_of(entry.get("title")):
            self.spaces[identifier] = entry
        mails = [words_of(each) for each in list_of(entry.get("emails"))]
        if identifier and mails:
            self.person(identifier, words_of(entry.get("displayName")), *mails)
        elif account := words_of(entry.get("personId")):
            self.person(account, words_of(entry.get("personDisplayName")), words_of(entry.get("personEmail")))

    def person(self, account: str, shown: str, *mails: str) -> None:
        """Learn who has an account; some archivers write instead of a name that they found nobody."""
        shown = "" if shown == "Person Not Found" else shown
        name = self.accounts.name_of(account, shown, *mails)
        if mail := next(filter(None, mails), ""):
            self._mails.setdefault(name, mail)

    def links(self, name: str) -> list[str | None]:
        """Return the mail address of a person."""
        return [mail_link(self._mails.get(name, ""))]

    def title(self, room: str, people: dict[str, None]) -> str:
        """Return the title of a space; that of two people is the other's name."""
        title = words_of(self.spaces.get(room, {}).get("title"))
        return title or ", ".join(name for name in people if name != self.accounts.user)


class _Walk:
    """The walk through the messages of all files."""

    def __init__(self, directory: _Directory, reader: MessageReader, messages: list[Member], *, alone: bool) -> None:
        self._directory = directory
        self._reader = reader
        self._messages = messages
        self._alone = alone
        self._people: dict[str, dict[str, None]] = {}

    def said(self) -> Iterator[Said | Rejected | Notice]:
        """Yield every message of every file."""
        for member in self._messages:  # the title of a conversation of two is known once both have written
            for row in self._rows(member):
                self._learn(row)
        yield from read_members(self._messages, self._read, alone=self._alone)

    def _learn(self, row: dict[str, Any]) -> None:
        mail = words_of(row.get("personEmail"))
        account = words_of(row.get("personId")) or mail
        if account:
            self._directory.person(account, words_of(row.get("personDisplayName")), mail)
        if row.get("roomType") == "direct":
            people = self._people.setdefault(words_of(row.get("roomId")), {})
            people[self._directory.accounts.known(account)] = None

    def _rows(self, member: Member) -> Iterator[dict[str, Any]]:
        try:
            with member.open() as stream:
                for event in _events(as_utf8(stream).stream.read1):
                    if isinstance(event, Element):
                        yield object_of(event.value)
        except SourceError:
            return  # reported when the file is read

    def _read(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
        text = as_utf8(stream)
        for event in with_list(_events(text.stream.read1), member.locator):
            if isinstance(event, Element):
                place = f"{member.locator}#{event.pointer}"
                yield from records_at(place, self._message, object_of(event.value), member, place)
            elif isinstance(event, Rejected):
                yield event
        if text.replaced:
            yield replaced_text(member.locator)

    def _message(self, row: dict[str, Any], member: Member, place: str) -> Iterator[Said]:
        room = words_of(row.get("roomId"))
        chat = room or chat_of_file(member)
        title = self._directory.title(room, self._people.get(room, {})) or chat_of_file(member).rpartition("/")[2]
        metadata = {"title": title, **({} if row.get("roomType") == "direct" else {"group": "true"})}
        yield Said(chat, metadata, self._reader.read(row), place)


def _events(read: Callable[[int], bytes]) -> Iterator[Event]:
    return JSONStream(read, _PATHS, parsed_message, genuine=lambda value: "roomId" in object_of(value)).events()
