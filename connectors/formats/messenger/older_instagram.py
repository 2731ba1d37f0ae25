"""Reads Instagram's exports of 2018 to 2020: one file, ``messages.json``, a list of chats with their people's names."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import BufferedReader
from typing import Any

from ....schemas import Rejected
from ....schemas.errors import SourceError
from ...chats.export_files import read_text, with_list
from ...chats.json_messages import parsed_message
from ...chats.ordered_days import OrderedDays
from ...connector import Member, ReadOptions, Record
from ...opening.attached_files import AttachedFiles
from ...opening.tracked_member import count_read
from ...record_faults import or_reason
from ...text.json_fields import list_of, object_of, words_of
from ...text.json_stream import Element, Elements, Ended, JSONStream, Started
from ...text.json_stream import Field as JSONField
from ...text.unicode import as_utf8
from .message import MessageReader
from .mojibake import repaired_name

_CHATS = (("*", "conversation"),)
_LONGEST_KEY = 80
_LISTED_PEOPLE = 50
"""The largest number of people whom metadata lists; larger chats have only their title."""
_MARKS = ("participants", "conversation", "sender", "created_at")
_LIKED = "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}"
_LINES = ("story_share", "live_video_share", "live_video_invite")
"""The keys of lines from the app beside shared content."""
_PLACE = ("location_name", "address", "city")


@dataclass(slots=True)
class OlderFile:
    """One file of such an export."""

    member: Member
    chats: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The people of each chat, by the chat's place in the file."""
    readers: list[MessageReader] = field(default_factory=list[MessageReader])
    """The readers of the chats read so far; each counts its speakers."""

    @property
    def keys(self) -> set[str]:
        """The keys of its chats."""
        return {_key(holder, people) for holder, people in self.chats.items()}

    @property
    def user(self) -> str:
        """The only person who is in all chats; empty if there is not exactly one."""
        sets = [set(people) for people in self.chats.values() if people]
        shared = set[str].intersection(*sets) if len(sets) > 1 else set[str]()
        return shared.pop() if len(shared) == 1 else ""

    def speakers(self, most: int, options: ReadOptions) -> Counter[str]:
        """Return the authors of the first messages of the file, with their counts."""
        reader = MessageReader("", options.zone, bool)
        with suppress(SourceError), self.member.open() as stream:
            left = most
            for event in _stream(as_utf8(stream).stream).events():
                if left <= 0:
                    break
                if isinstance(event, Element):
                    left -= 1
                    reader.read(_as_now(event.value))
        return reader.speakers

    def records(
        self, app: str, user: str, options: ReadOptions, beside: AttachedFiles, *, chat: str | None, alone: bool
    ) -> Iterator[Record]:
        """Yield every chat, grouped into documents by local day; the newest day comes first.

        Args:
            app: the source's name.
            user: the exporter.
            options: of the reading.
            beside: the files of the export.
            chat: the key and title of its only chat.
            alone: whether nothing else is read, so that a file that cannot be opened is an error.

        Raises:
            SourceError: the file is ``alone`` and cannot be opened.
        """
        yield from read_text(self.member, partial(self._chats, app, user, options, beside, chat), alone=alone)

    def _chats(
        self,
        app: str,
        user: str,
        options: ReadOptions,
        beside: AttachedFiles,
        chat_name: str | None,
        stream: BufferedReader,
    ) -> Iterator[Record]:
        locator = self.member.locator
        reader, days = MessageReader("", options.zone, bool), OrderedDays(app, "chat", user, {}, newest_first=True)
        chat = ""
        for event in with_list(_stream(stream).batches(), locator):
            if isinstance(event, Elements):
                place = f"{locator}#{event.array}/"
                count_read(self.member, len(event.values))
                for record in days.add_all(reader.read_all(map(or_reason(_as_now), event.values)), place, event.index):
                    if isinstance(record, Rejected):
                        count_read(self.member, -1)
                    yield record
            elif isinstance(event, Started):
                yield from days.close()
                chat = event.holder
                key, metadata = self._described(event.holder, user, chat_name)
                reader, days = (
                    MessageReader(key, options.zone, beside.has),
                    OrderedDays(app, key, user, metadata, newest_first=True),
                )
                self.readers.append(reader)
            elif isinstance(event, JSONField) and not event.holder and not object_of(event.value):
                yield Rejected(locator=f"{locator}#/{event.key}", reason="it is no chat")
            elif isinstance(event, Ended) and event.pointer.count("/") == 1 and event.pointer != chat:
                yield Rejected(locator=f"{locator}#{event.pointer}", reason="it is no chat")
            elif isinstance(event, Rejected):
                yield event
        yield from days.close()

    def _described(self, holder: str, user: str, chat_name: str | None) -> tuple[str, dict[str, str]]:
        """Return the key and the metadata of a chat."""
        people = self.chats.get(holder, ())
        key = chat_name or _key(holder, people)
        title = chat_name or ", ".join(name for name in people if name != user) or key
        metadata = {"title": title, "channel_type": "group" if len(people) > 2 else "dm"}
        return key, metadata | ({"participants": ", ".join(people)} if 0 < len(people) <= _LISTED_PEOPLE else {})


def older_file(member: Member) -> OlderFile:
    """Open a file and collect the people of its chats, who are listed before or after the messages."""
    older = OlderFile(member)
    with suppress(SourceError), member.open() as stream:
        for event in JSONStream(as_utf8(stream).stream.read1, _CHATS, _outside, genuine=_is_message).events():
            if isinstance(event, Started):
                older.chats.setdefault(event.holder, ())
            elif isinstance(event, JSONField) and event.key == "participants":
                names = dict.fromkeys(name for each in list_of(event.value) if (name := repaired_name(each)))
                older.chats[event.holder] = tuple(names)
    return older


def is_older_chat(head: bytes) -> bool:
    """Return whether a file begins like such an export."""
    text = head.lstrip()
    return text.startswith(b"[") and all(f'"{key}"'.encode() in text for key in _MARKS)


def _key(holder: str, people: tuple[str, ...]) -> str:
    """Return a key made from the people of a chat, or from its place in the file; these exports have no chat ids."""
    key = "+".join(sorted(people)) or f"chat {holder.strip('/')}"
    return key if len(key) <= _LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()[:16]


def _outside(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
    """Parse everything except messages, which are skipped."""
    return None if raw.startswith(b"{") else parsed_message(raw)


def _stream(stream: BufferedReader) -> JSONStream:
    return JSONStream(stream.read1, _CHATS, parsed_message, genuine=_is_message)


def _is_message(value: object) -> bool:
    return object_of(value).keys() >= {"sender", "created_at"}


def _as_now(value: object) -> dict[str, Any]:
    """Convert a message to the keys of today's exports."""
    raw = object_of(value)
    now: dict[str, Any] = {"timestamp_ms": raw.get("created_at"), "content": raw.get("text") or raw.get("heart")}
    if isinstance(raw.get("sender"), str):
        now["sender_name"] = raw["sender"]
    if action := words_of(raw.get("action")):
        now |= {"content": now["content"] or action, "type": "Subscribe"}
    if raw.keys() & {"video_call_action", "video_call_title"}:
        call = words_of(raw.get("video_call_action")) or words_of(raw.get("video_call_title"))
        now |= {"content": now["content"] or call, "type": "Call"}
    for key, old in (("media", "media"), ("photos", "media_url"), ("audio_files", "voice_media")):
        if address := words_of(raw.get(old)):
            now[key] = [{"uri": address if "/" in address else ""}]  # else a note that the file is gone
    if "animated_media_images" in raw:
        now["gifs"] = [{"uri": _moving_picture(raw["animated_media_images"])}]
    if share := _share(raw):
        now["share"] = share
    if likes := [name for each in list_of(raw.get("likes")) if (name := object_of(each).get("username"))]:
        now["reactions"] = [{"reaction": _LIKED, "actor": name} for name in likes]
    return now


def _share(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a shared post, story, profile, link or place."""
    place = [words for key in _PLACE if (words := words_of(raw.get(key)))]
    lines = [words for key in _LINES if (words := words_of(raw.get(key)))]
    share = {
        "link": words_of(raw.get("media_share_url")) or words_of(raw.get("link")),
        "share_text": words_of(raw.get("media_share_caption")) or "\n".join(lines) or ", ".join(place),
        "original_content_owner": words_of(raw.get("media_owner")) or words_of(raw.get("mentioned_username")),
        "profile_share_username": words_of(raw.get("profile_share_username")),
        "profile_share_name": words_of(raw.get("profile_share_name")),
    }
    return {key: value for key, value in share.items() if value}


def _moving_picture(images: object) -> str:
    """Return the address of the largest listed size."""
    for size in ("original", "downsized_large", "fixed_height", *object_of(images)):
        held = object_of(object_of(images).get(size))
        if address := words_of(held.get("url")) or words_of(held.get("mp4")):
            return address
    return ""
