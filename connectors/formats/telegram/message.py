"""Conversion of one record of an export's JSON into the fields that ``ConversationMessage`` validates. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from ....schemas import SYSTEM_SPEAKER
from ...chats.day_documents import Message
from ...chats.plain_runs import FEW, places_with_other_keys, read_in_runs, together_or_alone
from ...opening.limits import MESSAGE_TOO_LARGE, is_too_large
from ...record_faults import or_reason
from .chats import DELETED, Chat, peer_key
from .media import FILES, MEDIA, media_of
from .rich_message import RichMessage
from .rich_text import RichText, rich_text
from .service import REFERENCES, service_line
from .speakers import Speakers
from .times import Times
from .topics import Topics
from .values import Object, integer_of, list_of, object_of, text_of

NO_TIME = "it has no time"
NO_ID = "it has no id"
NO_OBJECT = "not an object"
UNSUPPORTED = "the app that wrote the export could not read this message"

WITHOUT_ID = frozenset({"type", "from", "text"})
"""The keys of a message without an id: programs that rewrite exports leave the ids out."""
_TEXTS = frozenset({"via_bot", "author", "saved_from"})
_PEERS = ("user", "chat", "channel")
_PLAIN_KEYS = frozenset({"id", "type", "date", "date_unixtime", "from", "from_id", "text", "text_entities"})
_RICH = "rich_message"
"""The key of a text of blocks, which stands in place of ``text``."""
_MEDIA_KEYS = frozenset({*MEDIA, _RICH})
_NUMBERS = ("self_destruct_period_seconds", "media_spoiler", "paid_stars_amount")
_SHORT = 1 << 20
"""The number of characters below which a message is certainly not too large."""
_KNOWN_WRITERS = 10_000
_KNOWN_KEYS = frozenset({
    "id", "type", "date", "date_unixtime", "edited", "edited_unixtime", "from", "from_id", "author", "forwarded_from",
    "forwarded_from_id", "saved_from", "reply_to_message_id", "reply_to_peer_id", "via_bot", "text", "text_entities",
    "reactions", "photo", "photo_file_size", "width", "height", "file", "file_name", "file_size", "mime_type",
    "media_type", "duration_seconds", "sticker_emoji", "thumbnail", "thumbnail_file_size", "performer", "title",
    "poll", "contact_information", "contact_vcard", "contact_vcard_file_size", "location_information",
    "live_location_period_seconds", "place_name", "address", "game_title", "game_description", "game_link",
    "invoice_information", "giveaway_information", "giveaway_results", "todo_list", "dice_emoji", "dice_value",
    "self_destruct_period_seconds", "inline_bot_buttons", "media_spoiler", "paid_stars_amount",
    _RICH,
})  # fmt: skip


Found = Message | str
"""A message, or the reason why there is none."""
_Writer = tuple[str, dict[str, str]]
"""The speaker, and the metadata of messages that are text alone."""


class MessageReader:
    """Converts the messages of one chat, in the order of the export."""

    def __init__(self, chat: Chat, speakers: Speakers, times: Times, held: Callable[[str], bool] | None = None) -> None:
        """``held``: returns whether the export has the file at a path; None if files are elsewhere."""
        self._chat = chat
        self._held = held
        self._bot = chat.key if chat.type == "bot_chat" else None
        """The key of the program in a chat with a bot."""
        self._speakers = speakers
        self._times = times
        self._topics = Topics()
        self._writers: dict[tuple[str, str], _Writer] = {}
        """The speakers and metadata, by the name and the id of an author."""
        self.unknown: Counter[str] = Counter()
        """The unknown keys and kinds of messages, with their numbers."""

    def read_all(self, records: Iterable[Any]) -> list[Found]:
        """Convert records, as `read` does one. The hot path: most records are text and nothing else, and
        consecutive.
        """
        raws = [*records]
        if {*map(type, raws)} != {dict}:
            return [*map(self.read, raws)]
        if _PLAIN_KEYS.issuperset(chain.from_iterable(raws)):
            return together_or_alone(raws, self._words, self.read)
        return read_in_runs(raws, places_with_other_keys(raws, _PLAIN_KEYS), self._words, self.read)

    def _words(self, raws: Sequence[Object]) -> list[Found]:
        """Convert records that are text and nothing else, column by column, which is faster than one by one."""
        if len(raws) < FEW:
            return [*map(self.read, raws)]
        try:
            writers = [*map(self._writers.get, [(raw["from"], raw["from_id"]) for raw in raws])]
            contents = [raw["text"] for raw in raws]
            numbers = [raw["id"] for raw in raws]
            times = self._times.instants([raw["date_unixtime"] for raw in raws])
            plain = {raw["type"] for raw in raws} == {"message"} and {*map(type, numbers)} == {int}
        except (KeyError, TypeError):  # a field is missing or has another type
            return [*map(self.read, raws)]
        if times is None or not plain:
            return [*map(self.read, raws)]
        if odd := _odd_places(contents, writers):
            return read_in_runs(raws, odd, self._words, self.read)
        return [
            {
                "time": time,
                "zone_origin": "explicit",
                "time_precision": "second",
                "id": str(number),
                "speaker": writer[0],
                "metadata": writer[1],
                "content": content,
            }
            for time, number, writer, content in zip(times, numbers, writers, contents, strict=True)
            if writer
        ]

    @or_reason
    def read(self, record: object) -> Message | str:
        """Return the message, or the reason why the record is none."""
        if not isinstance(record, dict):
            return NO_OBJECT
        raw: Object = record  # pyright: ignore[reportUnknownVariableType]
        number = integer_of(raw.get("id"))
        if number is None and ("id" in raw or not raw.keys() >= WITHOUT_ID):
            return NO_ID
        when = self._times.instant(raw.get("date_unixtime"), raw.get("date"), in_order=True)
        if when is None:
            return UNSUPPORTED if raw.get("type") == "unsupported" else NO_TIME
        message: Message = {"time": when[0], "zone_origin": when[1], "time_precision": "second"}
        if number is not None:
            message["id"] = str(number)
        more = raw.keys() - _PLAIN_KEYS
        if raw.get("type") == "service":
            self._service(raw, message)
        else:
            self._written(raw, message)
            if more:
                self._details(raw, more, message)
        if is_too_large(message["content"]):
            return MESSAGE_TOO_LARGE
        if more:
            self._references(raw, number, message)
            self._changes(raw, message)
        return message

    def _service(self, raw: Object, message: Message) -> None:
        content, kind = service_line(raw)
        message["speaker"] = SYSTEM_SPEAKER
        message["content"] = content if content.strip() else "[service message]"
        message["kind"] = kind
        actor = peer_key(raw.get("actor_id"))
        _add(message, "actor_id", actor)
        _add(message, "action", text_of(raw.get("action")))

    def _written(self, raw: Object, message: Message) -> None:
        sender_id = raw.get("from_id")
        peer = sender_id if isinstance(sender_id, str) and sender_id.startswith(_PEERS) else peer_key(sender_id)
        name = text_of(raw.get("from"))
        if not name and not peer and "channel" in self._chat.type:
            name = self._chat.title  # older exports name no author for posts: it is the channel
        message["speaker"] = self._speakers.name(name, peer)
        if peer:
            message["metadata"] = {"from_id": peer}
        if peer and peer == self._bot:
            message["role"] = "tool"
        elif peer and peer is sender_id and len(self._writers) < _KNOWN_WRITERS:
            self._writers[name, peer] = (message["speaker"], {"from_id": peer})
        text = raw.get("text")
        if isinstance(text, str) and text and not text.isspace() and not _MEDIA_KEYS & raw.keys():
            message["content"] = text
        else:
            self._content(raw, message)

    def _details(self, raw: Object, more: set[str], message: Message) -> None:
        if "forwarded_from" in more or "saved_from" in more:
            source = text_of(raw.get("forwarded_from")).strip() or text_of(raw.get("saved_from")).strip()
            message["forwarded_from"] = source or DELETED
            message["segments"] = [{"kind": "forward", "start": 0, "end": len(message["content"])}]
            _add(message, "forwarded_from_id", peer_key(raw.get("forwarded_from_id")))
        for key in sorted(more):
            if key in _TEXTS:
                _add(message, key, text_of(raw[key]))
            elif key in _NUMBERS or key not in _KNOWN_KEYS:
                _add(message, key if key in _NUMBERS else f"x-{key}", json.dumps(raw[key], ensure_ascii=False))
                if key not in _KNOWN_KEYS:
                    self.unknown[key] += 1
        if "inline_bot_buttons" in more:
            _add(message, "buttons", json.dumps(raw["inline_bot_buttons"], ensure_ascii=False))

    def _changes(self, raw: Object, message: Message) -> None:
        if "edited" in raw or "edited_unixtime" in raw:
            message["edited"] = True
            if edited := self._times.instant(raw.get("edited_unixtime"), raw.get("edited")):
                message["edited_at"] = edited[0]
        if "reactions" in raw:
            self._reactions(raw, message)

    def _content(self, raw: Object, message: Message) -> None:
        text, segments, links, mentions = self._text(raw, message)
        media = media_of(raw)
        if media is not None:
            if self._held is not None and not all(self._held(text_of(raw[key])) for key in FILES if key in raw):
                for each in media.attachments:
                    each["missing"] = True
            if media.attachments:
                message["attachments"] = [*media.attachments, *message.get("attachments", ())]
            for key, data in media.metadata.items():
                _add(message, key, data)
        if media is not None and (media.worded or not text.strip()):
            message["content"] = media.content
            message["kind"] = media.kind
            if text.strip():
                before = len(media.content) + 1
                message["content"] = f"{media.content}\n{text}"
                segments = [{**each, "start": each["start"] + before, "end": each["end"] + before} for each in segments]
        elif text.strip():
            message["content"] = text
        else:
            self._empty(text_of(raw.get("type")), message)
            segments = []
        if segments:
            message["segments"] = segments
        if links:
            _add(message, "links", json.dumps(links, ensure_ascii=False))
        if mentions:
            _add(message, "mentions", json.dumps(mentions, ensure_ascii=False))

    def _text(self, raw: Object, message: Message) -> RichText:
        text = rich_text(raw.get("text") or raw.get("text_entities"))
        if _RICH not in raw:
            return text
        rich = RichMessage(raw[_RICH], self._held)
        if rich.attachments:
            message["attachments"] = rich.attachments
        words = f"{rich.text}\n{text[0]}" if text[0].strip() else rich.text
        return words, rich.segments, rich.links, rich.mentions

    def _empty(self, kind: str, message: Message) -> None:
        if "attachments" in message:  # a rich message of files alone
            message |= {"content": "[file]", "kind": "media"}
            return
        message["content"] = "[unsupported message]" if kind == "unsupported" else "[empty message]"
        message["kind"] = "unknown"
        self.unknown[kind or "message"] += 1

    def _references(self, raw: Object, number: int | None, message: Message) -> None:
        replied = None
        for key in REFERENCES:
            if key in raw and (replied := integer_of(raw[key])) is not None:
                break
        other = peer_key(raw.get("reply_to_peer_id"))
        if replied is not None and other and other != self._chat.key:
            _add(message, "reply_to_chat", other)
            _add(message, "reply_to_message", str(replied))
            replied = None
        created = raw.get("action") == "topic_created"
        topic, title = None, ""
        if number is not None:
            topic, title = self._topics.of(number, replied, text_of(raw.get("title")) if created else None)
        if topic is not None:
            message["thread"] = str(topic)
            _add(message, "topic", title)
        # Messages of a topic that are no replies name the topic itself.
        if replied is not None and replied != topic:
            message["reply_to"] = str(replied)

    def _reactions(self, raw: Object, message: Message) -> None:
        reactions: dict[str, list[str]] = {}
        counts: dict[str, int] = {}
        for each in list_of(raw.get("reactions")):
            reaction = object_of(each)
            emoji = text_of(reaction.get("emoji")) or _unnamed_emoji(reaction)
            people = reactions.setdefault(emoji, [])
            for recent in list_of(reaction.get("recent")):
                who = object_of(recent)
                people.append(self._speakers.name(text_of(who.get("from")), peer_key(who.get("from_id"))))
            count = integer_of(reaction.get("count"))
            if count is not None and count != len(people):
                counts[emoji] = counts.get(emoji, 0) + count
        if reactions:
            message["reactions"] = [{"emoji": emoji, "people": people} for emoji, people in reactions.items()]
        if counts:
            _add(message, "reaction_counts", json.dumps(counts, ensure_ascii=False))


def _odd_places(contents: list[Any], writers: Sequence[_Writer | None]) -> list[int]:
    """Return the positions of messages with other content than text, or with a new author."""
    words = {*map(type, contents)} == {str} and all(contents) and not any(map(str.isspace, contents))
    if words and None not in writers and max(map(len, contents)) < _SHORT:
        return []
    return [
        place
        for place, (content, writer) in enumerate(zip(contents, writers, strict=True))
        if writer is None or type(content) is not str or not content.strip() or len(content) >= _SHORT
    ]


def _unnamed_emoji(reaction: Object) -> str:
    kind = text_of(reaction.get("type")) or "reaction"
    document = reaction.get("document_id")
    return f"[{kind} {document}]" if isinstance(document, str | int) else f"[{kind}]"


def _add(message: dict[str, Any], key: str, value: str) -> None:
    if value:
        message.setdefault("metadata", {})[key] = value
