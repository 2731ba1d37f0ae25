"""Decides which of two wordings of a message or of a text is newer; the older one of a message becomes an edit."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import structs

from ...schemas import SYSTEM_SPEAKER, UNTERMINATED, Attachment, ConversationMessage, Edit, TextDocument, ZoneOrigin

_TRUST: Mapping[ZoneOrigin | None, int] = {"assumed": 0, "configuration": 1, "option": 2, "explicit": 3, None: 3}
_CHOSEN = frozenset[ZoneOrigin | None]({"configuration", "option"})
_EMPTY = "[empty]"
"""The content that stands for a message without text."""
_FILES = frozenset({"media", "contact"})
_PRECISE = {"day": 0, "minute": 1, "second": 2, None: 2}


def is_older_text(incoming: TextDocument, stored: Mapping[str, str]) -> bool:
    """Return whether an incoming text states an earlier change than the stored metadata: it is of an older export. A text
    that is known by its path is a file, which is what it is now, whatever it states.
    """
    path = incoming.metadata.get("path", "")
    if path and incoming.id.endswith(path):
        return False
    times = [metadata.get("updated") or metadata.get("created", "") for metadata in (incoming.metadata, stored)]
    try:
        earlier, later = map(datetime.fromisoformat, times)
        return earlier < later
    except (ValueError, TypeError):  # no times, or one without a zone
        return False


def is_cut(old: ConversationMessage, new: ConversationMessage) -> bool:
    """Return whether one of two messages of a minute is a truncated reading of the other, from a file that was cut off.

    The rest of a line in which the next message begins belongs to the text; the beginning of a name is a line without
    author; a cut character leaves U+FFFD. A message flagged as edited may have grown by lines that its author added.
    """
    marked = UNTERMINATED in old.metadata, UNTERMINATED in new.metadata
    if not any(marked):
        return False
    named = (old.speaker == SYSTEM_SPEAKER) != (new.speaker == SYSTEM_SPEAKER)
    lines = [_line(message, named=named) for message in (old, new)]
    return any(
        is_marked and (other.startswith(line.rstrip("\ufffd")) or (not edited and line.startswith(f"{other}\n")))
        for is_marked, edited, line, other in zip(marked, (old.edited, new.edited), lines, reversed(lines), strict=True)
    )


def _line(message: ConversationMessage, *, named: bool) -> str:
    content = "" if message.content == _EMPTY and message.kind != "text" else without_invisible(message.content)
    return f"{message.speaker}: {content}" if named and message.speaker != SYSTEM_SPEAKER else content


def _whole(old: ConversationMessage, new: ConversationMessage, names: Mapping[str, str]) -> ConversationMessage:
    """Return the untruncated reading, or the longer one. The stored words stay in `edits`, since the key may derive
    from them.
    """
    if UNTERMINATED not in old.metadata or (UNTERMINATED in new.metadata and len(old.content) >= len(new.content)):
        return old
    edits = {edit.content: edit for edit in (*old.edits, *new.edits)}
    if old.kind == "text":
        edits.setdefault(old.content, Edit(content=old.content))
    edits.pop(new.content, None)
    clock = old if _better_clock(new, old) else new
    return structs.replace(
        new,
        speaker=names.get(new.speaker, new.speaker),
        edits=tuple(edits.values()),
        time=clock.time,
        zone_origin=clock.zone_origin,
        time_precision=clock.time_precision,
    )


def combine(old: ConversationMessage, new: ConversationMessage, names: Mapping[str, str]) -> ConversationMessage:
    """Combine two readings of one message. Uncontradicted values are kept; combining again changes nothing.

    Args:
        old: the stored reading.
        new: the incoming reading, which counts as the later one unless flags say otherwise.
        names: renamed contacts, old to new.
    """
    if old == new:
        return old
    if old.content != new.content and is_cut(old, new):
        return _whole(old, new, names)
    winner, loser = (new, old) if _replaces(old, new) else (old, new)
    changes: dict[str, object] = {
        "speaker": names.get(old.speaker, old.speaker),
        "edits": _history(winner, loser),
        "edited": old.edited or new.edited,
        "edited_at": _later(old.edited_at, new.edited_at),
        "deleted": old.deleted or new.deleted,
        "attachments": max(winner.attachments, loser.attachments, key=_present),
        "reactions": new.reactions or old.reactions,
        "read_by": new.read_by or old.read_by,
        "status": new.status or old.status,
        "metadata": _metadata(old, new),
    }
    for name in ("id", "reply_to", "thread", "role", "forwarded_from", "priority"):
        changes[name] = getattr(old, name) or getattr(new, name)
    clock = new if _better_clock(old, new) else old
    changes |= {"time": clock.time, "zone_origin": clock.zone_origin, "time_precision": clock.time_precision}
    changes["segments"] = winner.segments
    merged = structs.replace(winner, **changes)
    return old if merged == old else merged


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max(one, other) if one and other else one or other


def _replaces(old: ConversationMessage, new: ConversationMessage) -> bool:
    """Return whether the incoming wording is the newer one."""
    if old.deleted != new.deleted:
        return new.deleted
    if old.kind != "text" or new.kind != "text":
        return _richer(old, new)
    if old.content == new.content:
        return False
    if old.edited != new.edited:
        return new.edited
    if old.edited_at and new.edited_at and old.edited_at != new.edited_at:
        return new.edited_at > old.edited_at
    return new.content not in {edit.content for edit in old.edits}


def _richer(old: ConversationMessage, new: ConversationMessage) -> bool:
    """Return whether the incoming reading of a file, card or poll has more information; on a tie the stored one stays."""
    ours, theirs = _present(old.attachments), _present(new.attachments)
    if ours != theirs:
        return theirs > ours
    if caption(old) != caption(new):
        if old.edited != new.edited:
            return new.edited
        return bool(caption(new)) and caption(new) not in {caption(edit) for edit in old.edits}
    return old.kind == "media" and new.kind != "media"


def caption(message: ConversationMessage | Edit) -> str:
    """Return the text below the line that names the file."""
    return message.content.partition("\n")[2].strip()


def without_invisible(text: str) -> str:
    """Return the text without invisible characters and composed (NFC): exports differ in both, for example around
    mentions.
    """
    if text.isascii():
        return text
    return "".join(each for each in unicodedata.normalize("NFC", text) if unicodedata.category(each) != "Cf")


def _history(winner: ConversationMessage, loser: ConversationMessage) -> tuple[Edit, ...]:
    """Return every wording except the current one, older ones first.

    The line that names a file is not a wording, unless the message is deleted and nothing else tells what it was, or
    the other reading has another caption. A different notice of the app is a wording: it may be in another language, or
    another notice of that minute.
    """
    wordings = {edit.content: edit for edit in (*loser.edits, *winner.edits)}
    same_caption = caption(loser) in {"", caption(winner)}
    file = loser.kind in _FILES or (winner.kind in _FILES and caption(loser) != "")
    worded = winner.deleted or not (file and same_caption)
    if worded and not loser.deleted:
        wordings.setdefault(loser.content, Edit(content=loser.content))
    wordings.pop(winner.content, None)
    return tuple(wordings.values())


def _present(attachments: Sequence[Attachment]) -> tuple[int, int]:
    return sum(1 for item in attachments if not item.missing), len(attachments)


def _metadata(old: ConversationMessage, new: ConversationMessage) -> dict[str, str]:
    return {
        name: value
        for name, value in {**old.metadata, **new.metadata}.items()
        if name != UNTERMINATED or (name in old.metadata and name in new.metadata)
    }


def _better_clock(old: ConversationMessage, new: ConversationMessage) -> bool:
    """Return whether the incoming time is more reliable: from a zone that the user chose, the latest of several such,
    or with seconds instead of minutes.
    """
    trust, precise = _TRUST[new.zone_origin], _PRECISE[new.time_precision]
    ranks = (_TRUST[old.zone_origin], _PRECISE[old.time_precision])
    chosen_anew = new.zone_origin in _CHOSEN and new.time != old.time and (trust, precise) == ranks
    return chosen_anew or (trust, precise) > ranks
