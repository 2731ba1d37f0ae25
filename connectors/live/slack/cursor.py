"""The position up to which a workspace was read, as text. No I/O.

``{"v": 1, "team": "T1", "user": "U1", "channels": {"C1": {"newest": "1700000000.000100", "backfill_cursor": "…",
"backfill_before": "1690000000.000100"}}, "swept_through": "1700000000.000100", "threads_due": {"C1:1600000000.000100": ""},
"audited": {"C1": 1700000000}}``

A conversation is read from its newest message to the oldest. What came since then is read first; where that is more than one
page, the gap between the pages and what was known is closed in the same way.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

VERSION = 1
NOTHING = "0"
"""The stamp before every message."""


class ChannelPosition(BaseModel):
    """The position up to which a conversation was read. Timestamps are those of messages, as Slack writes them."""

    model_config = ConfigDict(extra="ignore")

    newest: str = NOTHING
    """The timestamp of the newest message that is stored."""
    backfill_before: str = ""
    """Messages before this one are still to be read; empty: all are."""
    backfill_cursor: str = ""
    """Slack's own word for the next page of them, as long as it knows it."""
    gap_after: str = ""
    """Messages between this one and the next are still to be read; empty: there is no gap."""
    gap_before: str = ""

    @property
    def is_whole(self) -> bool:
        """Return whether everything up to the newest message was read."""
        return not (self.backfill_before or self.gap_before)


class Audit(BaseModel):
    """A conversation that is being read once more, to find edits."""

    model_config = ConfigDict(extra="ignore")

    channel: str
    before: str = ""
    """Messages before this one are still to be read; empty: all are."""
    begun: int
    """The time of the start, in seconds since 1970."""


class Round(BaseModel):
    """An interrupted reading: the next one does the steps that are left."""

    model_config = ConfigDict(extra="ignore")

    begun: int
    """The time of the start, in seconds since 1970."""
    looked_at: list[str] = []
    """Conversations whose news were read."""
    swept: bool = False
    """Replies were looked for by search."""


class Position(BaseModel):
    """The position up to which a workspace was read. It changes during reading."""

    model_config = ConfigDict(extra="ignore")

    team: str = ""
    user: str = ""
    channels: dict[str, ChannelPosition] = {}
    swept_through: str = ""
    """Replies until this one were looked for by search."""
    threads_due: dict[str, str] = {}
    """The threads to read, as ``channel:timestamp`` of their first message, in order; each with the timestamp of the
    reply after which to begin, or nothing for the whole thread.
    """
    audited: dict[str, int] = {}
    """By conversation, when it was last read whole, in seconds since 1970."""
    audit: Audit | None = None
    round: Round | None = None
    """None: nothing was interrupted."""
    throttled: dict[str, float] = {}
    """The time from which each method may be called again, in seconds since 1970, if Slack permits one request a
    minute.
    """

    def of_login(self, team: str, user: str) -> Position:
        """Return the position itself, or the beginning if it is of another account."""
        same = (self.team, self.user) == (team, user)
        return self if same else Position(team=team, user=user)

    def to_text(self, *, is_interrupted: bool = False) -> str:
        """Return the cursor, with the progress of an interrupted reading."""
        fields: dict[str, Any] = {
            "v": VERSION,
            "team": self.team,
            "user": self.user,
            "channels": {name: each.model_dump(exclude_defaults=True) for name, each in self.channels.items()},
            "swept_through": self.swept_through,
            "threads_due": self.threads_due,
            "audited": self.audited,
        }
        if self.audit is not None:
            fields["audit"] = self.audit.model_dump()
        if is_interrupted and self.round is not None:
            fields["round"] = self.round.model_dump()
        if self.throttled:
            fields["throttled"] = self.throttled
        return json.dumps(fields)

    @classmethod
    def of_text(cls, cursor: str | None) -> Position:
        """Return the position that a cursor holds. A cursor that cannot be parsed, for example one of a later version
        of memd, gives an empty position: then everything is read again, and the store recognises the messages that it
        has.
        """
        try:
            stored: object = json.loads(cursor or "{}")
            if not isinstance(stored, dict) or stored.get("v") != VERSION:  # pyright: ignore[reportUnknownMemberType]
                return cls()
            return cls.model_validate(stored)
        except (ValueError, ValidationError, RecursionError):
            return cls()
