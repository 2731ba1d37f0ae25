"""Chats and people of the Bot API under the ids that exports have of them. Pure.

Supergroups and channels count their messages themselves, so that an export and a bot name the same message alike. In
private chats and basic groups every account counts for itself (https://core.telegram.org/api/peers): there the key of a chat
names the bot, so that its ids are never taken for those of somebody's export.
"""

from __future__ import annotations

from ...formats.telegram.accounts import full_name
from ...formats.telegram.chats import DELETED, Chat
from ...formats.telegram.values import Object, integer_of, object_of, text_of

_CHANNELS = -1_000_000_000_000
_TYPES = {"supergroup": "supergroup", "channel": "channel"}


def peer_of(number: int) -> str:
    """Return ``user42``, ``chat42`` or ``channel42`` for a number, whose sign and size show the kind."""
    if number > 0:
        return f"user{number}"
    return f"channel{_CHANNELS - number}" if number < _CHANNELS else f"chat{-number}"


def chat_of(value: object, bot: int, only_chat: str | None) -> Chat | None:
    """Return the chat of a message; None if there is none.

    Args:
        value: the object ``chat``.
        bot: the id of the bot.
        only_chat: the key and title to take instead.
    """
    raw = object_of(value)
    number, kind = integer_of(raw.get("id")), text_of(raw.get("type"))
    if not number:
        return None
    peer = peer_of(number)
    if kind == "private":
        title, word, key = full_name(raw) or DELETED, "bot_chat", f"{peer}@bot{bot}"
    elif kind in _TYPES:
        title, key = text_of(raw.get("title")), peer
        word = f"{'public' if text_of(raw.get('username')) else 'private'}_{_TYPES[kind]}"
    else:
        title, word, key = text_of(raw.get("title")), "private_group", f"{peer}@bot{bot}"
    return Chat(only_chat, only_chat, word) if only_chat else Chat(key, title, word)


def author_of(message: Object) -> tuple[str, str]:
    """Return the name and the id of a message's author: a chat if it speaks for itself, else a person; empty if
    unknown.
    """
    for key in ("sender_chat", "from"):
        if (author := named(message.get(key)))[1]:
            return author
    return "", ""


def named(value: object) -> tuple[str, str]:
    """Return the name and the id of a person or a chat."""
    raw = object_of(value)
    number = integer_of(raw.get("id"))
    return text_of(raw.get("title")) or full_name(raw), peer_of(number) if number else ""
