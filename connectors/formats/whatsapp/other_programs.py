"""Texts of other programs whose lines begin like those of WhatsApp: logs, rooms of Element, channels of IRC. Pure."""

from __future__ import annotations

import re

from .header_detection import HeaderFormat
from .message_body import is_system
from .title import named_by_app

_LEVEL = re.compile(
    r"[ \t]{0,2}(?:\[(?:debug|info|notice|warn(?:ing)?|error|crit(?:ical)?|alert|emerg|fatal|trace)\]"
    r"|(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|TRACE)\b)"
)
_LEVEL_AS_AUTHOR = re.compile(
    r"[ \t]?\W{0,4}(?:[\w-]{1,40}\.)?(?:debug|info|notice|warn(?:ing)?|error|err|crit(?:ical)?|alert|emerg(?:ency)?|fatal|trace|verbose)"
    r"[ \t]*:",
    re.IGNORECASE,
)
"""Matches a log level in the place of an author: ``[2025-05-03 21:00:02] production.ERROR: timeout``."""
_AUTHOR = re.compile(r"[ \t]?(?![+-]\d{4}\b)[^\s:<\[][^:\n]{0,99}:(?=[ \t]|$)")
_SPOKEN = re.compile(r"[ \t]?[^\s:<][^:\n]{0,139}:")
_ANGLED = re.compile(r"[ \t]?<[^<>\n]{1,100}>(?=[ \t]|$)")
"""Matches an author in the form of other programs: ``[03.05.2025 21:00:02] <Nora Field> are you home?``."""
_OF_ROOMS = re.compile(r" ?[^\n:]{1,100} (?:joined the room|changed the room name to )")
"""Matches lines of Element about a room: WhatsApp has chats and groups."""
_PART_OF_PROGRAM = re.compile(
    r"[ \t]?(?=[A-Za-z_./-]{0,60}[\d_/.$\[(#])[A-Za-z_][\w./$\-]{0,60}(?:[\[(#][\w.:/\-]{1,40}[\])]?)?:(?=[ \t])"
)
"""Matches the name of a part of a program in the place of an author: ``[2025-05-03 21:00:02] worker-1: job done``."""
_CLOCK = re.compile(r"[ \t]{0,2}\d{1,2}:\d\d\b")
_AUTHORED = 3
"""The lines per author required where only a blank separates time and text: the lines of most logs begin with dates."""


def is_no_chat(header_format: HeaderFormat, lines: list[str], name: str) -> bool:
    """Return whether the lines are another program's: with a log level behind the time (``INFO: ready``, ``[error]
    7#7: …``), without authors, with authors in angle brackets, with the end of a time span, or, in a file that the app did
    not name and whose dates begin with the year, with parts of a program alone.
    """
    texts = [line[match.end() - 1 :] for line in lines if (match := header_format.pattern.match("\n" + line))]
    if any(map(_OF_ROOMS.match, texts)):
        return True
    by_year = header_format.template.date.year == "first"
    if (
        by_year
        and not named_by_app(name)
        and all(_PART_OF_PROGRAM.match(each) and "\u200e" not in each for each in texts)
    ):
        return True
    if header_format.template.shape != "space":
        others = sum(1 for text in texts if _CLOCK.match(text) or _ANGLED.match(text) or _LEVEL_AS_AUTHOR.match(text))
        angled = sum(1 for text in texts if _ANGLED.match(text))
        spoken = sum(1 for text in texts if _SPOKEN.match(text))
        return others * 2 > len(texts) or angled > spoken or not any(map(_is_evidence, texts))
    levels = sum(1 for text in texts if _LEVEL.match(text))
    return levels * 2 > len(texts) or sum(1 for text in texts if _AUTHOR.match(text)) * _AUTHORED < len(texts)


def _is_evidence(text: str) -> bool:
    """Return whether a line names an author, or is one that the app writes about a chat."""
    return _SPOKEN.match(text) is not None or text[:2].endswith("\u200e") or is_system(text)
