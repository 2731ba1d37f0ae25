"""Reads the exports of further assistants: Grok, DeepSeek, Open WebUI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from ....schemas import UNKNOWN_USER, Rejected
from ...chats.chat_connector import ChatConnector
from ...chats.notices import user_unknown
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...opening.left_out import files_left_out
from ...opening.notice_places import place_of
from ...record_faults import or_rejected
from . import talks
from .documents import NOBODY, Chat, Tally, named
from .members import by_kind, json_kind, read_values

CHATS = "chats"
"""The kind of a file with conversations."""

_NO_RECORD = "not a conversation of this program"


class TalksConnector(ChatConnector):
    """Reads the conversations of one program. A subclass says which, and how a record of it is read."""

    assistant: ClassVar[str]
    """The speaker of the answers."""
    keys: ClassVar[frozenset[str]]
    """The keys that tell the program's records from those of others."""
    talk: ClassVar[Callable[[dict[str, Any]], talks.Talk]]
    certain = 0.97

    def score(self, member: Member) -> float:
        """Return how sure it is of a file."""
        return self.certain if self._kind(member) else 0.0

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return that nothing names the user; the chats state everything else themselves."""
        notices = () if options.me else (user_unknown(place_of(source, self._files(source)[0]), NOBODY),)
        return Preview(format=self.name, title=source.name, user=options.me, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield one document for each conversation."""
        chats, others = self._files(source)
        if options.format == self.name and not chats:
            chats, others = others, []
        place = place_of(source, chats)
        if not options.me:
            yield user_unknown(place, NOBODY)
        tally = Tally()

        def one(record: dict[str, Any], place: str) -> Iterable[Chat | Record]:
            broken: list[str] = []
            chat = talks.as_chat(
                record,
                type(self).talk,
                self.name,
                self.assistant,
                options.me or UNKNOWN_USER,
                options.zone,
                tally,
                place,
                broken,
            )
            return (or_rejected(chat, place), *(Rejected(locator=place, reason=reason) for reason in broken))

        yield from named(self._conversations(chats, one), options, source.locator)
        yield from tally.notices(place)
        yield from files_left_out(others, source.locator)

    def _conversations(
        self, chats: list[Member], one: Callable[[dict[str, Any], str], Iterable[Chat | Record]]
    ) -> Iterator[Chat | Record]:
        def genuine(record: dict[str, Any], place: str) -> Iterable[Chat | Record]:
            return one(record, place) if self._is_record(record) else (Rejected(locator=place, reason=_NO_RECORD),)

        return read_values(chats, self._is_record, genuine, alone=len(chats) == 1)

    def _files(self, source: Source) -> tuple[list[Member], list[Member]]:
        files = by_kind(source, self._kind)
        return files.get(CHATS, []), files[""]

    def _kind(self, member: Member) -> str:
        return json_kind(member, lambda keys, _: CHATS if self.keys <= keys else "")

    def _is_record(self, value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
        return isinstance(value, dict) and self.keys <= value.keys()


class GrokConnector(TalksConnector):
    """Reads the export of an account of Grok (``prod-grok-backend.json``)."""

    name = "grok"
    version = 2
    assistant = "Grok"
    keys = frozenset({"conversation", "responses"})
    talk = staticmethod(talks.grok)


class DeepSeekConnector(TalksConnector):
    """Reads the export of DeepSeek (``conversations.json``)."""

    name = "deepseek"
    version = 2
    assistant = "DeepSeek"
    keys = frozenset({"mapping", "inserted_at"})
    talk = staticmethod(talks.deepseek)


class OpenWebUIConnector(TalksConnector):
    """Reads the export of chats from Open WebUI."""

    name = "openwebui"
    version = 2
    assistant = "Open WebUI"
    keys = frozenset({"chat", "user_id", "title"})
    older_keys = frozenset({"history", "models", "messages", "title"})
    """The keys of a chat of the first versions, which had no users."""
    talk = staticmethod(talks.open_webui)

    def _kind(self, member: Member) -> str:
        return json_kind(member, lambda keys, _: CHATS if self.keys <= keys or self.older_keys <= keys else "")

    def _is_record(self, value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
        return isinstance(value, dict) and (self.keys <= value.keys() or self.older_keys <= value.keys())
