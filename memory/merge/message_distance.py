"""The distance between two readings of a possibly common message, without regard to author and place. Pure.

A distance is weighed against ``UNMATCHED``, the cost of a message that only one reading has: two readings are taken for
one message at less than twice that. Greater distances are accepted only where keeping both would contradict the order
of the readings, see `overlap`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...schemas import ConversationMessage
from ...schemas.times import utc_minute, wall_minute
from .revisions import caption, is_cut

UNMATCHED = 2
SAME = 0
REREAD = 1
"""The same message with less or more known: an omitted file and the attached one, or an earlier wording."""
DELETED = 3
"""A message and the placeholder of a deleted one."""
CHANGED = 3
"""Two wordings, at least one of which is flagged as edited."""
OTHER_FILE = 5
"""Two file names: apps may rename files in each export."""
UNFLAGGED = 7
"""Two wordings, neither flagged as edited."""
GAP = 1 << 24
"""A place in mid-chat where the stored reading lacks something."""
TWICE = GAP
"""The cost, on each side, of keeping a distinctive text of both sides twice, see `is_distinctive`."""
HOLE = 1 << 44
"""A place in mid-chat where the incoming reading lacks something."""

_FILES = frozenset({"media", "contact"})
"""An export without files shows a contact card like any other omitted file."""
_UNDELETABLE = frozenset({"system", "call"})
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_PLACEHOLDER = re.compile(r"\A(?:\u200e[^\n]{1,80}|<[^<>\n]{1,80}>)(?=\n)")
_BEHIND = re.compile("([^\u200e]+?)[ \n]?\u200e[^\n\u200e]{1,80}")
_MENTION = re.compile("@\u2068([^\u2068\u2069\n]{1,200})\u2069")
_VOTES = re.compile(r" ?\(\d{1,9}[^()\n]{0,40}\)[^\S\n]*$", re.MULTILINE)


def minute_of(message: ConversationMessage) -> str:
    """Return the minute that identifies a message: in wall-clock time for a source without zones, else in UTC."""
    return wall_minute(message.time) if is_naive(message) else utc_minute(message.time)


def is_naive(message: ConversationMessage) -> bool:
    """Return whether the source wrote wall-clock time without a zone."""
    return message.zone_origin is not None and message.zone_origin != "explicit"


def second_of(message: ConversationMessage) -> int | None:
    """Return the second within the minute if the source wrote it; None if it wrote minutes, and for second 0 of a
    source with unknown precision.
    """
    if message.time_precision is None:
        return message.time.second or None
    return message.time.second if message.time_precision == "second" else None


def is_distinctive(message: ConversationMessage) -> bool:
    """Return whether the text is unlikely to be sent twice in a minute: it has several words; single ones such as "ok"
    repeat.
    """
    return message.kind == "text" and not message.deleted and len(message.content.split(maxsplit=1)) > 1


def distance(old: ConversationMessage, new: ConversationMessage) -> int | None:
    """Return the distance of two readings of one minute; None if they are certainly two messages."""
    ours, theirs = second_of(old), second_of(new)
    if ours is not None and theirs is not None and ours != theirs:
        return None
    if is_cut(old, new) and not (old.deleted and new.deleted):
        return SAME if old.content == new.content else REREAD
    if old.deleted or new.deleted:
        return _deleted(old, new)
    if old.kind != new.kind:
        return _other_kind(old, new)
    if old.content == new.content:
        return SAME
    if old.edits or new.edits:
        wordings = {old.content, *(edit.content for edit in old.edits)}
        if not wordings.isdisjoint([new.content, *(edit.content for edit in new.edits)]):
            return REREAD
    if old.kind in _FILES:
        return _file(old, new)
    return _changed(old, new)


def _file_behind(above: ConversationMessage, behind: ConversationMessage) -> bool:
    """Return whether one app shows a file above its caption and the other behind it."""
    is_file = above.kind == "media" or _PLACEHOLDER.match(above.content) is not None
    match = _BEHIND.fullmatch(behind.content) if is_file and "\u200e" in behind.content else None
    return match is not None and match[1].strip() == caption(above)


def comparable_content(message: ConversationMessage, person: Callable[[str], str]) -> str:
    """Return the content without parts that may differ between exports: direction marks, the votes of a poll, the names
    in mentions, and the localised notice of an omitted file above a caption.

    Args:
        message: of any kind.
        person: maps any name of a person to one name.
    """
    content = _PLACEHOLDER.sub("<>", message.content) if message.kind == "text" else message.content
    content = _MENTION.sub(lambda match: f"@{person(match[1])}", content)
    content = _MARKS.sub("", content)
    return _VOTES.sub("", content).rstrip() if message.kind == "poll" else content


def _deleted(old: ConversationMessage, new: ConversationMessage) -> int | None:
    if old.deleted and new.deleted:
        return SAME
    standing, gone = (new, old) if old.deleted else (old, new)
    if standing.kind in _UNDELETABLE:
        return None
    met = any(edit.content == standing.content for edit in gone.edits)
    return REREAD if met else DELETED


def _other_kind(old: ConversationMessage, new: ConversationMessage) -> int | None:
    if _file_behind(old, new) or _file_behind(new, old):
        return REREAD
    kinds = {old.kind, new.kind}
    if kinds <= _FILES or ("media" in kinds and caption(old) == caption(new) != ""):
        return REREAD
    return None


def _file(old: ConversationMessage, new: ConversationMessage) -> int:
    ours, theirs = caption(old), caption(new)
    if ours and theirs and ours != theirs:
        return _changed(old, new)
    return OTHER_FILE if old.attachments and new.attachments else REREAD


def _changed(old: ConversationMessage, new: ConversationMessage) -> int:
    if _file_behind(old, new) or _file_behind(new, old):
        return REREAD
    return CHANGED if old.edited or new.edited else UNFLAGGED
