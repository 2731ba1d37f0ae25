"""Writes the events of a group as text: members who came or left, its name and picture, shared locations. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...text.json_fields import words_of


def event_text(row: Mapping[str, Any], actor: str, other: str) -> str | None:
    """Return the line that Messages shows for an event; None for an ordinary message and for an unknown event.

    Args:
        row: a row of the table of messages.
        actor: the person who caused the event.
        other: the person whom it affected; empty if there is none.
    """
    item, action = row["item_type"], row["group_action_type"]
    if item == 1:
        return _membership(row, actor, other or "somebody")
    if item == 2:
        title = words_of(row["group_title"])
        return f"{actor} named the conversation {title}" if title else f"{actor} removed the name of the conversation"
    if item == 3:
        return {
            0: f"{actor} left the conversation",
            1: f"{actor} changed the group photo",
            2: f"{actor} removed the group photo",
            4: f"{actor} changed the background",
            6: f"{actor} removed the background",
        }.get(action)
    if item == 4:
        return f"{actor} stopped sharing a location" if row["share_status"] else f"{actor} started sharing a location"
    if item == 5:
        return f"{actor} kept an audio message"
    if item == 6:
        return f"{actor} started SharePlay"
    return None


def _membership(row: Mapping[str, Any], actor: str, whom: str) -> str:
    if row["group_action_type"] == 1:
        return f"{actor} removed {whom} from the conversation"
    if row["other_handle"] and row["other_handle"] == row["handle_id"]:
        return f"{actor} changed the address"
    return f"{actor} added {whom} to the conversation"
