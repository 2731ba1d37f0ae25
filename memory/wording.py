"""Which of two wordings of one message is the newer, and the message that remembers both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..schemas import Attachment, ConversationMessage, Edit, ZoneOrigin

_TRUST: Mapping[ZoneOrigin | None, int] = {"assumed": 0, "configuration": 1, "option": 2, "explicit": 3, None: 3}
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
        "attachments": max(old.attachments, new.attachments, key=_present) if winner is old else new.attachments,
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
    if old.kind == "media" and new.kind == "media":
        return _present(new.attachments) > _present(old.attachments)
    if old.content == new.content:
        return False
    if old.edited != new.edited:
        return new.edited
    return new.content not in {edit.content for edit in old.edits}


def _history(winner: ConversationMessage, loser: ConversationMessage) -> tuple[Edit, ...]:
    """Every wording but the one in force, the older first. Placeholders of media and deletions are no wordings."""
    wordings = {edit.content: edit for edit in (*loser.edits, *winner.edits)}
    if loser.kind == "text" and not loser.deleted:
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
