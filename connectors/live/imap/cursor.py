"""The position up to which an account was read, as text. No I/O.

``{"v": 2, "user": {"name": …, "addresses": […]}, "folders": {name: {"label": …, "uidvalidity": …, "done_through_uid": …, …}}}``; names
of folders are those of the server, byte for byte. The user is who the account's first mails showed: later ones do not rename anybody.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, ValidationError

from ...formats.mail.documents import User

VERSION = 2
"""The version of the cursor. 1 is of a memd that did not record the folders of mails: everything is read once more."""


class Witness(BaseModel):
    """A mail by which a folder is known again under another name."""

    model_config = ConfigDict(frozen=True)

    uid: int
    header: str
    """The result of `header_digest`."""


class FolderPosition(BaseModel):
    """The position up to which a folder was read."""

    model_config = ConfigDict(frozen=True)

    uidvalidity: int
    """UIDs mean something together with this number alone."""
    done_through_uid: int = 0
    """The largest UID up to which every mail was given."""
    label: str = ""
    """The name of the folder as people see it."""
    messages: int | None = None
    """The number of mails in the folder when all of it was known; None: it was not yet."""
    modseq: int | None = None
    """The number of the last change that is known (CONDSTORE); None if the server does not count changes."""
    left_out: tuple[tuple[int, int], ...] = ()
    """The UIDs of mails that were not given, since they are drafts or marked as deleted: first and last of each range.
    """
    flagged: tuple[tuple[int, int], ...] | None = None
    """The UIDs of flagged mails; None if not recorded: with Gmail, and by older versions of memd if the server counts
    changes.
    """
    witness: Witness | None = None


@dataclass(frozen=True, slots=True)
class AccountPosition:
    """The position in each folder, by the folder's name."""

    folders: dict[bytes, FolderPosition] = field(default_factory=dict[bytes, FolderPosition])
    user: User | None = None
    """The owner of the account; None if it was not determined."""

    def with_folder(self, name: bytes, position: FolderPosition) -> AccountPosition:
        """Return a copy with another position of one folder."""
        return replace(self, folders={**self.folders, name: position})

    def to_text(self) -> str:
        """Return the cursor."""
        folders = {
            name.decode("latin-1"): each.model_dump(exclude_defaults=True) for name, each in self.folders.items()
        }
        user = {} if self.user is None else {"user": {"name": self.user.name, "addresses": sorted(self.user.addresses)}}
        return json.dumps({"v": VERSION, "folders": folders, **user}, sort_keys=True)

    @classmethod
    def of_text(cls, cursor: str | None) -> AccountPosition:
        """Return the position that a cursor holds. A cursor that cannot be parsed, for example one of a later version
        of memd, gives an empty position: then everything is read again, and the store recognises the messages that it
        has.
        """
        try:
            stored = _Stored.model_validate_json(cursor or "{}")
            folders = {name.encode("latin-1"): each for name, each in stored.folders.items()}
        except (ValidationError, UnicodeEncodeError):
            return cls()
        user = None if stored.user is None else User(stored.user.name, frozenset(stored.user.addresses))
        return cls(folders, user) if stored.v == VERSION else cls()


class _StoredUser(BaseModel):
    name: str
    addresses: tuple[str, ...] = ()


class _Stored(BaseModel):
    v: int = VERSION
    user: _StoredUser | None = None
    folders: dict[str, FolderPosition] = {}
