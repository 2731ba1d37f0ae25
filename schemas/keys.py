"""The store's keys: UUIDv5 over (source, account, id, message), so that equal input always has equal keys.

Nothing random, nothing positional and no clock lives here.
"""

from __future__ import annotations

from hashlib import sha1, sha256
from typing import Literal
from uuid import UUID

MessageForm = Literal["named", "wall", "utc"]
"""The form in which a message is identified: by an id, or without one by its minute in wall-clock time or UTC."""

# uuid5(NAMESPACE_DNS, "memd.invalid"): a name of our own that can never resolve.
NAMESPACE = UUID("3d4a5508-dbe8-5037-abf1-11b898850429")


SHORTEST_KEY = 4
"""The fewest characters for looking up an id by its beginning."""
CUT_KEY_CHARACTERS = 256
"""The characters of a truncated message that count in its `cut_tombstone_key`: a complete message is looked up by each
of its beginnings.
"""


def uuid5(*parts: str) -> UUID:
    """Return an RFC 9562 version 5 UUID over the parts; each is prefixed by its length, so no two lists of parts
    collide.
    """
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
    """Return the key of a document."""
    return uuid5("document", source, account, document_id)


def message_key(source: str, account: str, document_id: str, message_id: str) -> UUID:
    """Return the key of a message whose source gave it an id."""
    return uuid5("message", source, account, document_id, message_id)


def derived_message_key(
    source: str, account: str, document_id: str, minute: str, kind: str, text: str, ordinal: int
) -> UUID:
    """Return the key of a message without an id, from minute, text and ordinal among identical messages.

    ``text`` counts only for the kind ``text``. The author is not in the key: contacts get renamed.
    """
    words = text if kind == "text" else ""
    return uuid5("message", source, account, document_id, "", minute, kind, words, str(ordinal))


def chunk_key(owner: UUID, strategy: str, version: str, start: int, end: int, text: str) -> UUID:
    """Return the key of a chunk of a message or a text document."""
    return uuid5("chunk", str(owner), strategy, version, str(start), str(end), text)


def text_hash(text: str) -> bytes:
    """Return the SHA-256 of a text, which identifies its vector."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def reworded_tombstone_key(source: str, account: str, document: str, minute: str, speaker: str) -> UUID:
    """Return the tombstone that a later wording of a person's message in a minute matches, for sources without ids."""
    return uuid5("reworded", source, account, document, minute, speaker.casefold())


def cut_tombstone_key(source: str, account: str, document: str, minute: str, speaker: str, words: str) -> UUID:
    """Return the tombstone that the complete form of a truncated message matches, by the words it began with."""
    return uuid5("cut", source, account, document, minute, speaker.casefold(), words[:CUT_KEY_CHARACTERS])


def text_tombstone_key(source: str, account: str, document_id: str, content: str) -> UUID:
    """Return the tombstone of a text that matches it under another id: by the last part of its id (the file name) and
    its content.

    The id of a note begins with the folder that was read. Content alone would also match other notes with equal text.
    """
    return uuid5("text", source, account, document_id.rpartition("/")[2], content)


def caption_tombstone_key(
    source: str, account: str, document: str, minute: str, speaker: str, caption: str, *, media: bool
) -> UUID:
    """Return the tombstone that a file's message matches in another kind of export, by its caption, for sources without
    ids. ``media``: whether the forgotten message is of the kind ``media``.
    """
    kind = "media" if media else "words"
    return uuid5("captioned", source, account, document, minute, kind, speaker.casefold(), caption)


def chat_tombstone_key(
    source: str, account: str, chat: str, message_id: str, micros: int, kind: str, detail: str
) -> UUID:
    """Return the tombstone that a forgotten message with an id matches in any document of its chat.

    ``micros``: its time. ``kind``: the further property that must be equal, ``speaker`` or ``words``, with a name or a
    wording as ``detail``; ``id`` if none is required.
    """
    value = detail.casefold() if kind == "speaker" else detail
    return uuid5("known", source, account, chat, message_id, str(micros), kind, value)


def author_tombstone_prefix(key: UUID) -> bytes:
    """Return the first half of every `author_tombstone_key` of a message."""
    return uuid5("author", str(key)).bytes[:8]


def worded_tombstone_key(key: UUID, words: str) -> UUID:
    """Return the tombstone of a wording of a message with an id: a hash under its key, like `author_tombstone_key`."""
    return UUID(bytes=author_tombstone_prefix(key) + uuid5("worded", str(key), words).bytes[:8])


def redacted_message_key(key: UUID) -> UUID:
    """Return the key of a message without the words that were redacted in the message with this key."""
    return uuid5("redacted", str(key))


def redacted_tombstone_key(key: UUID) -> UUID:
    """Return the tombstone of a message, or of a text, that was redacted: no import changes what has this key."""
    return uuid5("kept redacted", str(key))


def form_tombstone_key(source: str, account: str, document: str, form: MessageForm) -> UUID:
    """Return the tombstone recording that messages of this form were forgotten in a document; without it, other forms
    are not looked up.
    """
    return uuid5("form", source, account, document, form)


def unnamed_document(document: str) -> str:
    """Return the document id under which a forgotten message with an id leaves tombstones for exports without ids."""
    return f"{document}\0unnamed"


def author_tombstone_key(key: UUID, speaker: str, second: int | None) -> UUID:
    """Return the tombstone of a message's author and second: a hash under its key, which only someone who knows both
    can match.
    """
    detail = uuid5("author", str(key), speaker.casefold(), "" if second is None else str(second))
    return UUID(bytes=author_tombstone_prefix(key) + detail.bytes[:8])
