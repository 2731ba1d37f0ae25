"""Texts of the Bot API, with entities by place, as the lists of parts that exports have. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ...formats.telegram.values import Object, integer_of, list_of, object_of, text_of

_MARKED = {"blockquote": "blockquote", "expandable_blockquote": "blockquote", "code": "code", "pre": "pre"}
_LINKS = frozenset({"text_link", "text_mention"})
_MOST_ENTITIES = 1_000
"""A message of Telegram has at most a hundred."""


def text_parts(text: str, entities: object) -> str | list[Any]:
    """Return the text as an export has it: a string if nothing in it is quoted, code or a link, otherwise in parts.

    Entities count in units of UTF-16 (https://core.telegram.org/bots/api#messageentity).
    """
    rich_spans = [
        each
        for raw in list_of(entities)[:_MOST_ENTITIES]
        if text_of((each := object_of(raw)).get("type")) in _MARKED or text_of(each.get("type")) in _LINKS
    ]
    if not rich_spans:
        return text
    places = _places(text)
    spans: list[tuple[int, int, Object]] = []
    for entity in rich_spans:
        start, length = integer_of(entity.get("offset")), integer_of(entity.get("length"))
        if start is None or length is None or start < 0 or length <= 0:
            continue
        begin, end = (places[min(at, len(places) - 1)] for at in (start, start + length))
        if begin < end:
            spans.append((begin, end, entity))
    cuts = sorted({0, len(text), *(at for span in spans for at in span[:2])})
    return [
        _part(text[begin:end], [each[2] for each in spans if each[0] <= begin and end <= each[1]])
        for begin, end in pairwise(cuts)
    ]


def _part(text: str, around: list[Object]) -> str | Object:
    kinds = [str(each.get("type")) for each in around]
    marked = next((_MARKED[kind] for kind in kinds if kind in _MARKED), "")
    part: Object = {"type": marked, "text": text}
    for entity in around:
        if address := text_of(entity.get("url")):
            part |= {"type": marked or "text_link", "href": address}
        elif user := integer_of(object_of(entity.get("user")).get("id")):
            part |= {"type": marked or "mention_name", "user_id": user}
    return part if part["type"] else text


def _places(text: str) -> list[int]:
    """Return the index of the character for each UTF-16 unit of a text, which entities count."""
    places: list[int] = []
    for index, character in enumerate(text):
        places += [index] * (2 if ord(character) > 0xFFFF else 1)
    return [*places, len(text)]
