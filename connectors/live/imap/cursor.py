"""How far an account was read, as text. No I/O.

``{"v": 1, "user": {"name": …, "addresses": […]}, "folders": {name: {"uidvalidity": …, "done_through_uid": …}}}``; names of folders
are those of the server, byte for byte. The user is who the account's first mails showed: later ones do not rename anybody.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, ValidationError

from ...mail.documents import User

VERSION = 1


class FolderPosition(BaseModel):
    """How far a folder was read."""

    model_config = ConfigDict(frozen=True)

    uidvalidity: int
    """UIDs mean something together with this number alone."""
    done_through_uid: int = 0
    """Every mail with this UID or a smaller one was given."""


@dataclass(frozen=True, slots=True)
class AccountPosition:
    """How far each folder was read, by its name."""

    folders: dict[bytes, FolderPosition] = field(default_factory=dict[bytes, FolderPosition])
    user: User | None = None
    """Whose account it is; None where nobody looked."""

    def with_folder(self, name: bytes, position: FolderPosition) -> AccountPosition:
        """The same with another position of one folder."""
        return replace(self, folders={**self.folders, name: position})

    def only(self, names: set[bytes]) -> AccountPosition:
        """The same without folders that are not there any more."""
        return replace(self, folders={name: each for name, each in self.folders.items() if name in names})

    def to_text(self) -> str:
        """The cursor."""
        folders = {
            name.decode("latin-1"): each.model_dump(exclude_defaults=True) for name, each in self.folders.items()
        }
        user = {} if self.user is None else {"user": {"name": self.user.name, "addresses": sorted(self.user.addresses)}}
        return json.dumps({"v": VERSION, "folders": folders, **user}, sort_keys=True)

    @classmethod
    def of_text(cls, cursor: str | None) -> AccountPosition:
        """What a cursor says. One that cannot be read, of a later version of memd for example, says nothing: then everything
        is read again, and the store knows what it has.
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
