"""Connector for Zulip: exports of organisations, as folders and archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.wire import replaced_text
from ...chats.accounts import Accounts
from ...chats.export_files import with_list
from ...chats.exported_chats import ChatExport, ExportConnector, Said, read_members
from ...chats.json_messages import parsed_message
from ...connector import Member, ReadOptions, Source
from ...opening.member_subset import held_files
from ...record_faults import records_at
from ...text.json_fields import id_of, object_of, words_of
from ...text.json_stream import Element, JSONStream
from ...text.unicode import as_utf8
from .detection import MESSAGES, SCORES, TABLES, kind_of
from .message import MessageReader
from .realm import Realm

_PATHS = (("zerver_message",),)
_UPLOADS = 200_000


class ZulipConnector(ExportConnector):
    """Reads exports of Zulip."""

    name = "zulip"
    program = "Zulip"

    def score(self, member: Member) -> float:
        """Return the certainty for files with Zulip's tables."""
        return SCORES.get(kind_of(member), 0.0)

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Read the tables first, then prepare the messages."""
        kinds = {member.locator: kind_of(member) for member in source.members()}
        messages = [member for member in source.members() if kinds[member.locator] == MESSAGES]
        others = [member for member in source.members() if not kinds[member.locator]]
        if not messages:
            return None
        realm = Realm()
        for member in [each for each in source.members() if kinds[each.locator] == TABLES]:
            realm.learn(member)
        for member in messages:  # some exports hold reactions next to the messages, behind those they refer to
            realm.learn(member)
        accounts = Accounts(options.me)
        realm.tell(accounts)
        walk = _Walk(realm, accounts, options, source, messages)
        return ChatExport(accounts, walk.said, {}, others, walk.counts)


class _Walk:
    """The pass over the files of messages."""

    def __init__(
        self,
        realm: Realm,
        accounts: Accounts,
        options: ReadOptions,
        source: Source,
        messages: list[Member],
    ) -> None:
        self._realm = realm
        self._accounts = accounts
        self._messages = messages
        self._alone = len(source.members()) == 1
        self._uploads = {file.name.rpartition("uploads/")[2] for file in held_files(source)[:_UPLOADS]}
        self._reader = MessageReader(accounts, realm, options.zone, self._uploads.__contains__)
        self._titles: dict[str, dict[str, str]] = {}
        self.counts: Counter[str] = Counter()

    def said(self) -> Iterator[Said | Rejected | Notice]:
        """Yield every message of every file."""
        yield from read_members(self._messages, self._read, alone=self._alone)
        self.counts["content-unknown"] += self._reader.unknown
        left = sum(len(rows) for rows in self._realm.reactions.values())
        self.counts["relations-left-out"] += self._realm.left_out + left

    def _read(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
        text = as_utf8(stream)
        events = JSONStream(
            text.stream.read1, _PATHS, parsed_message, genuine=lambda value: "date_sent" in object_of(value)
        ).events()
        for event in with_list(events, member.locator):
            if isinstance(event, Element):
                place = f"{member.locator}#{event.pointer}"
                yield from records_at(place, self._message, object_of(event.value), place)
            elif isinstance(event, Rejected):
                yield event
        if text.replaced:
            yield replaced_text(member.locator)

    def _message(self, row: dict[str, Any], place: str) -> Iterator[Said | Rejected]:
        result = self._reader.read(row)
        if isinstance(result, str):
            yield Rejected(locator=place, reason=result)
            return
        chat = self._chat(id_of(row.get("recipient")), id_of(row.get("sender")), words_of(row.get("subject")))
        if chat is None:
            yield Rejected(locator=place, reason="nothing says which chat a message is of: realm.json is missing")
        else:
            yield Said(chat[0], chat[1], result, place)

    def _chat(self, recipient: str, sender: str, topic: str) -> tuple[str, dict[str, str]] | None:
        chat = self._realm.chat_of(recipient, sender, topic)
        if chat is None:
            return None
        key, metadata, people = chat
        if people and "title" not in metadata:
            user = self._accounts.user
            names = [self._accounts.known(account) for account in people]
            metadata["title"] = ", ".join(name for name in names if name != user) or user
        return key, metadata
