"""The position up to which the updates of a bot were read, as text. No I/O.

``{"v": 1, "bot": 42, "offset": 1001, "last_update_at": 1700000000, "asked_at": 1700000300}``
"""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, ValidationError

VERSION = 1
RANDOM_AFTER_S = 6 * 86_400
"""The seconds without an update after which the saved offset is not sent. After a week without one the next id is
random (https://core.telegram.org/bots/api#update): an old offset would confirm updates that were never read.
"""


class Position(BaseModel):
    """The position of the next updates."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    bot: int = 0
    offset: int = 0
    """The smallest id that was not given yet; requesting it confirms all smaller ones. 0: nothing was given."""
    last_update_at: int = 0
    """Seconds since 1970, when the last updates came."""
    asked_at: int = 0
    """The time of Telegram's last answer, with or without updates, in seconds since 1970; 0 in a cursor of an older
    memd.
    """

    @property
    def seen_at(self) -> int:
        """Return the last time at which certainly no update was missing; 0: never."""
        return max(self.asked_at, self.last_update_at)

    def of_bot(self, bot: int) -> Position:
        """Return the position itself, or the beginning if it is of another bot."""
        return self if self.bot == bot else Position(bot=bot)

    def offset_at(self, now: int) -> int | None:
        """Return the offset to request; None: all unconfirmed updates."""
        return self.offset if self.offset and now - self.last_update_at < RANDOM_AFTER_S else None

    def after(self, update: int, now: int) -> Position:
        """Return the position behind an update."""
        return Position(bot=self.bot, offset=update + 1, last_update_at=now, asked_at=now)

    def asked(self, now: int) -> Position:
        """Return the position after an answer without updates."""
        return self.model_copy(update={"asked_at": now})

    def to_text(self) -> str:
        """Return the cursor."""
        return json.dumps({"v": VERSION, **self.model_dump()}, sort_keys=True)

    @classmethod
    def of_text(cls, cursor: str | None) -> Position:
        """Return the position that a cursor holds. A cursor that cannot be parsed, for example one of a later version
        of memd, gives an empty position: then all unconfirmed updates are read, and the store recognises the messages
        that it has.
        """
        try:
            stored: object = json.loads(cursor or "{}")
            if not isinstance(stored, dict) or stored.get("v") != VERSION:  # pyright: ignore[reportUnknownMemberType]
                return cls()
            return cls.model_validate(stored)
        except (ValueError, ValidationError):
            return cls()
