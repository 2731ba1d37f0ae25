"""Connector for Teams and Skype: histories of personal accounts, and folders of an organisation's export in Graph's
JSON.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ....schemas.wire import replaced_text
from ...chats.accounts import Accounts
from ...chats.export_files import with_list
from ...chats.exported_chats import ChatExport, ExportConnector, Said, chat_of_file, read_members
from ...chats.json_messages import parsed_message
from ...connector import Member, ReadOptions, Source
from ...opening.member_subset import held_names
from ...opening.tracked_member import COPY, count_left_out
from ...record_faults import records_at
from ...text.json_fields import id_of, object_of, words_of
from ...text.json_stream import Element, Field, JSONStream
from ...text.unicode import as_utf8
from .detection import CHANNELS, GRAPH, HISTORY, MEMBERS, SCORES, TEAMS, USERS, kind_of
from .graph_message import GraphReader
from .graph_rows import GRAPH_PATHS, capitalised, chat_of, graph_rows
from .skype_message import SkypeReader, account_of

_HISTORY_PATHS = (("conversations", "*", "MessageList"),)
_FROM = re.compile(rb'"from"\s*:\s*"([^"\\]{1,300})"')
_PEOPLE = re.compile(r"19:([0-9a-f-]{36})_([0-9a-f-]{36})@", re.IGNORECASE)
_REMEMBERED = 1_000_000
"""The maximum number of messages remembered to skip duplicates, where several people's files hold the same chat."""


@dataclass(slots=True)
class _Files:
    """The files of an export by kind, and the names from its small lists."""

    histories: list[Member] = field(default_factory=list[Member])
    graphs: list[Member] = field(default_factory=list[Member])
    others: list[Member] = field(default_factory=list[Member])
    people: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The display name, then other names unique to the account, by id."""
    teams: dict[str, str] = field(default_factory=dict[str, str])
    channels: dict[str, str] = field(default_factory=dict[str, str])
    titles: dict[str, str] = field(default_factory=dict[str, str])
    """The titles of a history's conversations, by id."""
    maker: str = ""


class TeamsConnector(ExportConnector):
    """Reads chats of Teams and Skype."""

    name = "teams"
    version = 2
    program = "Teams or Skype"

    def score(self, member: Member) -> float:
        """Return the certainty for histories and for files of Graph's messages and lists."""
        return SCORES.get(kind_of(member), 0.0)

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Learn the names in a first pass, before messages are read."""
        files = _files(source)
        if not files.histories and not files.graphs:
            return None
        for member in files.histories:
            _learn(member, files)
        accounts = Accounts(options.me, files.maker)
        for account, names in files.people.items():
            accounts.name_of(account, *names)
        held = frozenset(name.partition(".")[0] for name in held_names(source)) if files.histories else frozenset[str]()
        walk = _Walk(files, accounts, options, held, alone=len(source.members()) == 1)
        titles = {} if files.graphs else files.titles
        return ChatExport(accounts, walk.said, titles, files.others, walk.counts)


class _Walk:
    """The pass over the messages."""

    def __init__(
        self, files: _Files, accounts: Accounts, options: ReadOptions, held: frozenset[str], *, alone: bool
    ) -> None:
        self._files = files
        self._accounts = accounts
        self._alone = alone
        self._skype = SkypeReader(accounts.name_of, options.zone, held)
        self._graph = GraphReader(accounts, options.zone)
        self._seen: set[int] = set()
        self.counts: Counter[str] = Counter()

    def said(self) -> Iterator[Said | Rejected | Notice]:
        """Yield every message of every file."""
        yield from read_members(self._files.histories, self._history, alone=self._alone)
        yield from read_members(self._files.graphs, self._messages, alone=self._alone)
        self.counts.update(self._skype.counts + self._graph.counts)

    def _history(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
        text = as_utf8(stream)
        chats: dict[str, str] = {}
        for event in with_list(_stream(text.stream, _HISTORY_PATHS).events(), member.locator):
            if isinstance(event, Element):
                place = f"{member.locator}#{event.pointer}"
                chat = chats.get(event.array.rpartition("/")[0], "")
                yield from records_at(place, self._of_skype, object_of(event.value), chat, place)
            elif isinstance(event, Rejected):
                yield event
            elif isinstance(event, Field) and event.key == "id" and id_of(event.value):
                chats = {event.holder: id_of(event.value)}
        if text.replaced:
            yield replaced_text(member.locator)

    def _messages(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
        for row in graph_rows(member, stream):
            if not isinstance(row, tuple):
                yield row
                continue
            yield from records_at(row[1], self._of_graph, member, *row)

    def _of_skype(self, raw: dict[str, Any], chat: str, place: str) -> Iterator[Said | Rejected]:
        chat = chat or id_of(raw.get("conversationid")) or "unknown"
        yield Said(chat, {"title": self._files.titles.get(chat) or chat}, self._skype.read(raw), place)

    def _of_graph(self, member: Member, raw: dict[str, Any], place: str) -> Iterator[Said | Rejected]:
        result = self._graph.read(raw)
        chat = chat_of(raw) or chat_of_file(member)
        if isinstance(result, str):
            yield Rejected(locator=place, reason=result)
        elif self._was_seen(chat, result["id"]):
            count_left_out(member, COPY)
        else:
            team = id_of(object_of(raw.get("ChannelIdentity")).get("TeamId"))
            yield Said(chat, self._metadata(chat, team), result, place)

    def _was_seen(self, chat: str, message_id: str) -> bool:
        """Return whether another person's file held the message."""
        if len(self._files.graphs) == 1:
            return False
        key = hash((chat, message_id))
        if key in self._seen:
            return True
        if len(self._seen) < _REMEMBERED:
            self._seen.add(key)
        return False

    def _metadata(self, chat: str, team: str) -> dict[str, str]:
        if team:
            name = self._files.channels.get(chat, "") or chat
            owner = self._files.teams.get(team, "")
            return {"title": f"{owner} / {name}" if owner else name, "channel_type": "channel"}
        pair = _PEOPLE.match(chat)
        if pair is not None:
            return {
                "title": ", ".join(self._accounts.known(account) for account in pair.groups()),
                "channel_type": "dm",
            }
        return {"title": chat, "channel_type": "group"}


def _files(source: Source) -> _Files:
    files = _Files()
    for member in source.members():
        kind = kind_of(member)
        if kind == HISTORY:
            files.histories.append(member)
        elif kind == GRAPH:
            files.graphs.append(member)
        elif kind in (USERS, MEMBERS, TEAMS, CHANNELS):
            _describe(kind, member, files)
        else:
            files.others.append(member)
    return files


def _describe(kind: str, member: Member, files: _Files) -> None:
    """Add the names from a list of people, teams or channels."""
    with suppress(SourceError), member.open() as stream:
        for event in _stream(as_utf8(stream).stream, GRAPH_PATHS).events():
            if not isinstance(event, Element):
                continue
            entry = object_of(capitalised(event.value))
            account, name = id_of(entry.get("Id")), words_of(entry.get("DisplayName"))
            if kind == USERS and account and name:
                handles = (words_of(entry.get("UserPrincipalName")), words_of(entry.get("Mail")))
                files.people[account] = (name, *handles)
            elif kind == MEMBERS and name and id_of(entry.get("UserId")):
                files.people.setdefault(id_of(entry.get("UserId")), (name, words_of(entry.get("Email"))))
            elif kind == TEAMS:
                files.teams[id_of(entry.get("GroupsId"))] = words_of(entry.get("Name"))
            elif kind == CHANNELS:
                files.channels[account] = name


def _learn(member: Member, files: _Files) -> None:
    """Learn the names of a history's people and conversations, and its owner."""
    seen_ids: set[bytes] = set()
    named: dict[str, str] = {}

    def parse(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
        if not raw.startswith(b"{") or b'"messagetype"' not in raw:
            return parsed_message(raw)
        sender = _FROM.search(raw)
        return None if sender is None or sender[1] in seen_ids else parsed_message(raw)

    with suppress(SourceError), member.open() as stream:
        own_account = ""
        for event in JSONStream(as_utf8(stream).stream.read1, _HISTORY_PATHS, parse).events():
            if isinstance(event, Field) and event.key == "userId" and not event.holder:
                files.maker = files.maker or account_of(event.value)
            elif isinstance(event, Field) and event.key == "id":
                own_account = id_of(event.value)
                files.titles.setdefault(own_account, "")
            elif isinstance(event, Field) and event.key == "displayName" and own_account and words_of(event.value):
                files.titles[own_account] = words_of(event.value)
                if not own_account.startswith(("19:", "48:")):  # a chat with one person has the person's name
                    files.people.setdefault(account_of(own_account), (words_of(event.value),))
            elif isinstance(event, Field) and event.key == "threadProperties":
                topic = words_of(object_of(event.value).get("topic"))
                files.titles[own_account] = files.titles.get(own_account) or topic
            elif isinstance(event, Element) and event.value:
                message = object_of(event.value)
                if name := words_of(message.get("displayName")):
                    named.setdefault(account_of(message.get("from")), name)
                    seen_ids.add(words_of(message.get("from")).encode())
    for account, name in named.items():
        files.people.setdefault(account, (name,))


def _stream(stream: io.BufferedReader, paths: tuple[tuple[str, ...], ...]) -> JSONStream:
    return JSONStream(stream.read1, paths, parsed_message, genuine=_genuine)


def _genuine(value: object) -> bool:
    """Return whether an object after broken JSON may be a message."""
    keys = {key.lower() for key in object_of(value)}
    return bool(keys & {"messagetype", "createddatetime", "originalarrivaltime"})
