"""Reads iMessage: databases of Messages, alone or in a folder or archive with their logs and attachments."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.chat_connector import ChatConnector, preview_of
from ...chats.day_documents import DayDocuments
from ...chats.notices import CONTENT_UNKNOWN, chat_ignored, content_unknown, user_unknown
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.database_copy import Database, log_beside, opened_copy
from ...opening.left_out import files_left_out
from ...opening.limits import MESSAGE_TOO_LARGE, is_too_large
from ...opening.member_subset import held_files
from ...opening.tracked_member import note_role
from ...record_faults import attempt
from .attachments import place_of
from .detection import is_messages
from .message import MessageReader, Related, is_still_to_be_sent
from .people import People
from .reactions import is_reaction
from .tables import Chat, Place, Tables, failure, readable

SOURCE = "imessage"
_SCORE = 0.97
_NOBODY = "the database does not say whose it is"
_PREVIEWED = 5000
"""The maximum number of messages that the preview reads."""


class IMessageConnector(ChatConnector):
    """Reads databases of Messages."""

    name = SOURCE
    version = 2

    def score(self, member: Member) -> float:
        """Return the score of a database that has the tables of Messages, 0 for any other file."""
        return _SCORE * is_messages(member)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the authors of the first messages with their message counts, the titles of their chats, and the user."""
        counts: dict[str, int] = {}
        titles: dict[str, str] = {}
        user = options.me or ""
        for member in _databases(source):
            with opened_copy(member, log_beside(member, source.members()), options.temporary) as database:
                try:
                    people = _count_speakers(database, options, counts, titles)
                except sqlite3.Error:
                    continue
                user = user or people.user
        nobody = [user_unknown(source.locator, _NOBODY)] if user in ("", UNKNOWN_USER) else ()
        return preview_of(self.name, titles, counts, user=user, notices=nobody)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield the day documents of every chat, in order of the local days."""
        members = source.members()
        databases = _databases(source)
        if not databases:
            for member in members:
                yield Rejected(locator=member.locator, reason="no database of Messages")
            return
        held = {place_of(member.name) for member in held_files(source)}
        for member in databases:
            log = log_beside(member, members)
            if log is not None:
                note_role(log, "the log of the database: holds its newest messages", used=True)
            try:
                with opened_copy(member, log, options.temporary) as database:
                    yield from _records(database, member.locator, options, held)
            except SourceError as error:
                if len(members) == 1:
                    raise
                yield refusal(member.locator, error)
        yield from files_left_out((each for each in members if each not in databases), source.locator)


def _databases(source: Source) -> list[Member]:
    return [member for member in source.members() if is_messages(member)]


def _records(database: Database, locator: str, options: ReadOptions, held: set[str]) -> Iterator[Record]:
    try:
        if not readable(database):
            yield Rejected(locator=locator, reason="its table of messages is none that memd knows")
            return
        tables = Tables(database)
        people = People(tables.handles, options.me, tables.own_account())
    except sqlite3.Error:
        yield Rejected(locator=locator, reason="a damaged database: copy it again while Messages is closed")
        return
    if people.user == UNKNOWN_USER:
        yield user_unknown(locator, _NOBODY)
    if tables.damaged:
        yield Rejected(locator=locator, reason="a damaged database: only what is on its undamaged pages was read")
    reading = _Reading(tables, people, MessageReader(people, options.zone, held), locator)
    try:
        chat_name = _one_chat(options.chat, tables)
        if options.chat and not chat_name:
            yield chat_ignored(locator, "their own titles were kept")
        yield from reading.chats(chat_name)
    except sqlite3.Error:
        yield Rejected(locator=locator, reason="a damaged database: what follows could not be read")
    yield from reading.notices(options.me)


class _Reading:
    """Reads the chats of one database."""

    def __init__(self, tables: Tables, people: People, reader: MessageReader, locator: str) -> None:
        self._tables = tables
        self._people = people
        self._reader = reader
        self._locator = locator
        self._reactions = 0
        self._lost_reactions = 0
        self._scheduled = 0

    def chats(self, chat_name: str | None) -> Iterator[Record]:
        """Yield the day documents of every chat.

        Raises:
            sqlite3.Error: the list of messages cannot be read.
        """
        chat, days, date = Chat(""), None, ""
        for place in self._tables.places():
            if days is None or place.chat != chat.key:
                if days is not None:
                    yield from days.close()
                chat = self._tables.chats.get(place.chat) or Chat(place.chat)
                days = DayDocuments(
                    SOURCE, chat_name or chat.key, self._people.user, _metadata(chat, chat_name), self._people.links
                )
                date = ""
            result = attempt(self._message, place, chat)
            if result is None:
                continue
            if isinstance(result, str):
                yield Rejected(locator=f"{self._locator}#message/{place.message}", reason=result)
                continue
            day = result["time"].date().isoformat()
            if day != date:
                date = day
                yield from days.start_day(day)
            yield from days.flush_large_day(len(result["content"]))
            days.day_messages.append(result)
        if days is not None:
            yield from days.close()

    def notices(self, me: str | None) -> Iterator[Notice]:
        """Yield the notices about the whole database."""
        yield from content_unknown(self._reader.counts[CONTENT_UNKNOWN], self._locator)
        if count := self._tables.reactions - self._reactions + self._lost_reactions:
            hint = f"{count} reaction(s) are to messages that are not here, and were left out"
            yield Notice(code="reactions-left-out", locator=self._locator, hint=hint)
        if self._scheduled:
            hint = f"{self._scheduled} message(s) are to be sent at a later time, so nobody said them yet; they were left out"
            yield Notice(code="scheduled-left-out", locator=self._locator, hint=hint)
        if me and not self._people.seen_me:
            hint = "the user writes nothing in this database: check --me"
            yield Notice(code="user-not-seen", locator=self._locator, hint=hint)

    def _message(self, place: Place, chat: Chat) -> dict[str, Any] | str | None:
        """Return the message, or the reason why it cannot be read; None for what is only counted: a message that is
        still to be sent, and a reaction in a damaged database.
        """
        try:
            row = self._tables.message(place.message)
            if row is None:
                return "the database is damaged here"
            if is_still_to_be_sent(row):
                self._scheduled += 1
                return None
            if self._tables.damaged and is_reaction(row):
                self._lost_reactions += 1
                return None
            guid = row["guid"] if isinstance(row["guid"], str) else ""
            reactions = self._tables.reactions_to(guid) if guid else []
            related = Related(self._tables.attachments(place.message), reactions)
        except sqlite3.Error as error:
            return failure(error)
        self._reactions += len(reactions)
        result = self._reader.read(place.message, row, related, chat, deleted=place.deleted)
        if not isinstance(result, str) and is_too_large(result["content"]):
            return MESSAGE_TOO_LARGE
        return result


def _count_speakers(database: Database, options: ReadOptions, counts: dict[str, int], titles: dict[str, str]) -> People:
    """Count the authors of the first messages in ``counts``, and collect the titles of their chats in ``titles``."""
    if not readable(database):
        return People({}, options.me, "")
    tables = Tables(database)
    people = People(tables.handles, options.me, tables.own_account())
    for place in islice(tables.places(), _PREVIEWED):
        chat = tables.chats.get(place.chat) or Chat(place.chat)
        titles[chat.key] = chat.shown
        try:
            row = tables.message(place.message)
        except sqlite3.Error:
            continue
        if row is not None and not row["item_type"]:
            name = people.sender(row, "" if chat.group else chat.key)
            counts[name] = counts.get(name, 0) + 1
    return people


def _one_chat(chat_name: str | None, tables: Tables) -> str | None:
    """Return the chat name given by the user, if there is only one chat; else None."""
    if not chat_name:
        return None
    keys = {place.chat for place in tables.places()}
    return chat_name if len(keys) == 1 else None


def _metadata(chat: Chat, chat_name: str | None) -> dict[str, str]:
    metadata = {"chat": chat_name or chat.key, "title": chat_name or chat.shown, "service": chat.service}
    if chat.group:
        metadata["group"] = "true"
    return {key: value for key, value in metadata.items() if value}
