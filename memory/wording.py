"""Which of two wordings of one message is the newer, and the message that remembers both."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from ..schemas import Attachment, ConversationMessage, Edit, ZoneOrigin

_TRUST: Mapping[ZoneOrigin | None, int] = {"assumed": 0, "configuration": 1, "option": 2, "explicit": 3, None: 3}
_FILES = frozenset({"media", "contact"})
_PRECISE = {"day": 0, "minute": 1, "second": 2, None: 2}


def combine(old: ConversationMessage, new: ConversationMessage, names: Mapping[str, str]) -> ConversationMessage:
    """One message out of two readings of it. What nobody contradicts is kept; combining again changes nothing.

    Args:
        old: as it is stored.
        new: as it comes in; the later reading, unless flags say otherwise.
        names: renamed contacts, old to new.
    """
    if old == new:
        return old
    winner, loser = (new, old) if _replaces(old, new) else (old, new)
    changes: dict[str, object] = {
        "speaker": names.get(old.speaker, old.speaker),
        "edits": _history(winner, loser),
        "edited": old.edited or new.edited,
        "edited_at": new.edited_at or old.edited_at,
        "deleted": old.deleted or new.deleted,
        "attachments": max(winner.attachments, loser.attachments, key=_present),
        "reactions": new.reactions or old.reactions,
        "read_by": new.read_by or old.read_by,
        "status": new.status or old.status,
        "metadata": {**old.metadata, **new.metadata},
    }
    for name in ("id", "reply_to", "thread", "role", "forwarded_from", "priority"):
        changes[name] = getattr(old, name) or getattr(new, name)
    clock = new if _better_clock(old, new) else old
    changes |= {"time": clock.time, "zone_origin": clock.zone_origin, "time_precision": clock.time_precision}
    changes["segments"] = winner.segments
    merged = winner.model_copy(update=changes)
    return old if merged == old else merged


def _replaces(old: ConversationMessage, new: ConversationMessage) -> bool:
    """Whether the incoming wording is the newer one."""
    if old.deleted != new.deleted:
        return new.deleted
    if old.kind != "text" or new.kind != "text":
        return _richer(old, new)
    if old.content == new.content:
        return False
    if old.edited != new.edited:
        return new.edited
    return new.content not in {edit.content for edit in old.edits}


def _richer(old: ConversationMessage, new: ConversationMessage) -> bool:
    """Whether the incoming reading of a file, card, poll, … tells more; the stored one stays where they tell alike."""
    ours, theirs = _present(old.attachments), _present(new.attachments)
    if ours != theirs:
        return theirs > ours
    if caption(old) != caption(new):
        if old.edited != new.edited:
            return new.edited
        return bool(caption(new)) and caption(new) not in {caption(edit) for edit in old.edits}
    return old.kind == "media" and new.kind != "media"


def caption(message: ConversationMessage | Edit) -> str:
    """What somebody wrote below the line that tells of the file."""
    return message.content.partition("\n")[2].strip()


def bare(text: str) -> str:
    """The text without invisible characters, composed (NFC): exports of one message differ in both, as around mentions."""
    if text.isascii():
        return text
    return "".join(each for each in unicodedata.normalize("NFC", text) if unicodedata.category(each) != "Cf")


def _history(winner: ConversationMessage, loser: ConversationMessage) -> tuple[Edit, ...]:
    """Every wording but the one in force, the older first.

    The line that stands for a file is no wording, unless the message is deleted, for then nothing else tells what it
    was; and so is a caption that the other reading does not have. A notice of the app that reads otherwise is one: it
    may be another language, or another notice of that minute.
    """
    wordings = {edit.content: edit for edit in (*loser.edits, *winner.edits)}
    told = caption(loser) in {"", caption(winner)}
    file = loser.kind in _FILES or (winner.kind in _FILES and caption(loser) != "")
    worded = winner.deleted or not (file and told)
    if worded and not loser.deleted:
        wordings.setdefault(loser.content, Edit(content=loser.content))
    wordings.pop(winner.content, None)
    return tuple(wordings.values())


def _present(attachments: Sequence[Attachment]) -> tuple[int, int]:
    return sum(1 for item in attachments if not item.missing), len(attachments)


def _better_clock(old: ConversationMessage, new: ConversationMessage) -> bool:
    """Whether the incoming time is known better: a zone that somebody chose, or seconds instead of minutes."""
    return (_TRUST[new.zone_origin], _PRECISE[new.time_precision]) > (
        _TRUST[old.zone_origin],
        _PRECISE[old.time_precision],
    )
