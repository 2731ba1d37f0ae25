"""Extracts the text of the boxes that Discord shows below a message: previews of links, and contents from bots. Pure."""

from __future__ import annotations

from typing import Any

from ...text.json_fields import list_of, object_of, text_of, words_of


def embed_text(embeds: list[Any]) -> str:
    """Return the titles, descriptions and fields of the boxes, one below the other; the address of a box without text."""
    said: list[str] = []
    for each in embeds:
        embed = object_of(each)
        lines = [
            text_of(object_of(embed.get("author")).get("name")),
            text_of(embed.get("title")),
            text_of(embed.get("description")),
        ]
        for entry in list_of(embed.get("fields")):
            field = object_of(entry)
            lines.append(": ".join(part for part in (text_of(field.get("name")), text_of(field.get("value"))) if part))
        lines.append(text_of(object_of(embed.get("footer")).get("text")))
        text = "\n".join(line for line in lines if line.strip())
        said.append(text or _address(embed))
    return "\n\n".join(text for text in said if text)


def component_text(components: list[Any]) -> str:
    """Return the text of buttons and other components in messages of bots."""
    said: list[str] = []
    left = list(reversed(components))
    while left:
        component = object_of(left.pop())
        said += [text for key in ("label", "content", "text", "placeholder") if (text := text_of(component.get(key)))]
        left.extend(reversed(list_of(component.get("components"))))
    return "\n".join(said)


def _address(embed: dict[str, Any]) -> str:
    for part in (
        embed,
        object_of(embed.get("image")),
        object_of(embed.get("video")),
        object_of(embed.get("thumbnail")),
    ):
        if url := words_of(part.get("url")):
            return url
    images = list_of(embed.get("images"))
    return words_of(object_of(images[0]).get("url")) if images else ""
