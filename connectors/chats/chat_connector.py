"""The recognition of chats by the beginnings of files, and the first look at them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...schemas import UNKNOWN_USER, Notice
from ..connector import Preview, ScoringConnector


class ChatConnector(ScoringConnector):
    """Recognises chats by the first files of a source; a subclass knows the format."""

    certain = 0.95


def preview_of(
    name: str,
    chats: Mapping[str, str],
    counts: Mapping[str, int],
    *,
    chat: str | None = None,
    user: str,
    messages: int | None = None,
    notices: Iterable[Notice] = (),
) -> Preview:
    """Return a preview of chats, with title and key if there is only one.

    Args:
        name: the format's.
        chats: titles by keys.
        counts: numbers of messages by their speakers.
        chat: the name given for the only chat.
        user: the user's name, empty or the placeholder where it is not known.
        messages: how many there are, if that was counted.
        notices: for people who decide what is missing.
    """
    one = len(chats) == 1
    key, title = next(iter(chats.items()), ("", ""))
    return Preview(
        format=name,
        title=chat or title if one else "",
        chat=chat or key if one else "",
        speakers=by_count(counts),
        user=user if user and user != UNKNOWN_USER else None,
        messages=messages,
        notices=tuple(notices),
    )


def by_count(counts: Mapping[str, int]) -> list[str]:
    """Return names, the most frequent first."""
    return sorted(counts, key=lambda name: (-counts[name], name))
