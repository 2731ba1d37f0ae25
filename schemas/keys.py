"""The store's keys: UUIDv5 over (source, account, id, message), so that equal input always has equal keys.

Nothing random, nothing positional and no clock lives here.
"""

from __future__ import annotations

from hashlib import sha1, sha256
from typing import Literal
from uuid import UUID

MessageForm = Literal["named", "wall", "utc"]
"""How a message is known: by an id, or without one by its minute of a wall clock or of UTC."""

# uuid5(NAMESPACE_DNS, "memd.invalid"): a name of our own that can never resolve.
NAMESPACE = UUID("3d4a5508-dbe8-5037-abf1-11b898850429")


SHORTEST_KEY = 4
"""Characters of the beginning of an id that is looked for."""
CUT_KEY_CHARACTERS = 256
"""Characters of a cut message that count in its `cut_tombstone_key`: the whole one is looked up by each of its beginnings."""


def uuid5(*parts: str) -> UUID:
    """RFC 9562 version 5 over the parts; each is prefixed by its length, so no two lists of parts collide."""
    hasher = sha1(NAMESPACE.bytes, usedforsecurity=False)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(b"%d:" % len(data))
        hasher.update(data)
    digest = bytearray(hasher.digest()[:16])
    digest[6] = (digest[6] & 0x0F) | 0x50
    digest[8] = (digest[8] & 0x3F) | 0x80
    return UUID(bytes=bytes(digest))


def document_key(source: str, account: str, document_id: str) -> UUID:
    """The key of a document."""
    return uuid5("document", source, account, document_id)


def message_key(source: str, account: str, document_id: str, message_id: str) -> UUID:
    """The key of a message whose source gave it an id."""
    return uuid5("message", source, account, document_id, message_id)


def derived_message_key(
    source: str, account: str, document_id: str, minute: str, kind: str, text: str, ordinal: int
) -> UUID:
    """The key of a message without an id: what was written in which minute, and the how-manieth of its equals.

    ``text`` counts only for the kind ``text``. The author is not in the key: contacts get renamed.
    """
    words = text if kind == "text" else ""
    return uuid5("message", source, account, document_id, "", minute, kind, words, str(ordinal))


def chunk_key(owner: UUID, strategy: str, version: str, start: int, end: int, text: str) -> UUID:
    """The key of a chunk of a message or a text document."""
    return uuid5("chunk", str(owner), strategy, version, str(start), str(end), text)


def text_hash(text: str) -> bytes:
    """SHA-256 of a text: the name of its vector."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def reworded_tombstone_key(source: str, account: str, document: str, minute: str, speaker: str) -> UUID:
    """What a later wording of somebody's message of a minute is known by, where the source gives no ids."""
    return uuid5("reworded", source, account, document, minute, speaker.casefold())


def cut_tombstone_key(source: str, account: str, document: str, minute: str, speaker: str, words: str) -> UUID:
    """What the whole of somebody's message of a minute is known by where a file was cut in it: by the words it began with."""
    return uuid5("cut", source, account, document, minute, speaker.casefold(), words[:CUT_KEY_CHARACTERS])


def text_tombstone_key(source: str, account: str, document_id: str, content: str) -> UUID:
    """What a forgotten text is known by under another id: the last part of its id (a file's name) and its content.

    The id of a note begins with the folder that was read. Content alone would hold out other notes of equal text.
    """
    return uuid5("text", source, account, document_id.rpartition("/")[2], content)


def caption_tombstone_key(
    source: str, account: str, document: str, minute: str, speaker: str, caption: str, *, media: bool
) -> UUID:
    """What somebody's file of a minute is known by in an export that tells of it otherwise, by its caption, where the source
    gives no ids. ``media``: whether the message that was forgotten is of the kind ``media``.
    """
    kind = "media" if media else "words"
    return uuid5("captioned", source, account, document, minute, kind, speaker.casefold(), caption)


def chat_tombstone_key(
    source: str, account: str, chat: str, message_id: str, micros: int, kind: str, detail: str
) -> UUID:
    """What a forgotten message with an id is known by in whichever document of its chat it comes.

    ``micros``: its instant. ``kind``: what is equal beside, ``speaker`` or ``words``, with a name or a wording as ``detail``;
    ``id`` where nothing need be.
    """
    told = detail.casefold() if kind == "speaker" else detail
    return uuid5("known", source, account, chat, message_id, str(micros), kind, told)


def author_tombstone_prefix(key: UUID) -> bytes:
    """The first half of every `author_tombstone_key` of a message."""
    return uuid5("author", str(key)).bytes[:8]


def worded_tombstone_key(key: UUID, words: str) -> UUID:
    """What tells that a message of this key, which an id gave, read so: a hash under the key, as `author_tombstone_key`."""
    return UUID(bytes=author_tombstone_prefix(key) + uuid5("worded", str(key), words).bytes[:8])


def form_tombstone_key(source: str, account: str, document: str, form: MessageForm) -> UUID:
    """What tells that messages of this form were forgotten in a document: only then others are looked up as such."""
    return uuid5("form", source, account, document, form)


def unnamed_document(document: str) -> str:
    """The document in whose name a forgotten message with an id leaves the marks of one without: for exports without ids."""
    return f"{document}\0unnamed"


def author_tombstone_key(key: UUID, speaker: str, second: int | None) -> UUID:
    """What tells who wrote a message of this key, and in which second, to whoever knows both: a hash under the key."""
    detail = uuid5("author", str(key), speaker.casefold(), "" if second is None else str(second))
    return UUID(bytes=author_tombstone_prefix(key) + detail.bytes[:8])
