"""Finds the heading levels of styles by style id; ids differ between languages, style names do not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...text.xml_stream import XmlEvent

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


def heading_levels(events: Iterable[XmlEvent]) -> dict[str, int]:
    """Return the heading level (1 to 9) by style id, from ``word/styles.xml``."""
    levels: dict[str, int] = {}
    style = ""
    for event in events:
        if event.kind != "start":
            continue
        value = event.attributes.get("val", "")
        if event.name == "style":
            style = event.attributes.get("styleId", "")
        elif event.name == "name" and style:
            if match := _HEADING.fullmatch(value):
                levels[style] = int(match[1])
            elif value.lower() == "title":
                levels[style] = 1
        elif event.name == "outlineLvl" and style and value.isdecimal() and int(value) < 9:
            levels.setdefault(style, int(value) + 1)
    return levels
