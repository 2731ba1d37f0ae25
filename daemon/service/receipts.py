"""The models of a receipt: what an import read of which files, and what it left out."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ToldNames(_Told):
    """The number of names, and those with most messages."""

    count: int = Field(ge=0)
    """The number of names."""
    names: tuple[str, ...] = ()
    """The names with most messages."""


class ReceiptFile(_Told):
    """One file of an export."""

    path: str
    """The path of the file; of one in an archive, the archive's and its own."""
    size: int | None = None
    """The size in bytes; null if it is not known."""
    sha256: str = ""
    """The hash of the bytes as they were read; for a file in an archive, of the packed bytes."""
    messages: int | None = None
    """Absent where they are not counted for each file."""
    added: int | None = None
    """Messages of it that were stored; absent where files are read together, or one file is the export."""
    updated: int | None = None
    """Messages of it that gave stored ones another wording."""
    rejected: dict[str, int] = {}
    """By reason, with `N` for every number."""
    left_out: dict[str, int] = {}
    """Records that are in no document, by the rule: copies, spam."""
    role: str = ""
    """The role of a file without messages: the account, votes, a copy of the conversations."""


class ReadExport(_Told):
    """One export: one file, or several that are read together."""

    format: str
    """The name of the format."""
    version: int
    """The version of the reader."""
    path: str = ""
    """The path of the export; empty for documents that were sent."""
    documents: int = Field(ge=0)
    """Number of documents."""
    messages: int = Field(ge=0)
    """Number of messages; a text counts as one."""
    added: int | None = None
    """Messages that were stored; absent where that is not known."""
    updated: int | None = None
    """Messages that gave stored ones another wording."""
    rejected: dict[str, int] = {}
    """By reason, with `N` for every number."""
    notices: dict[str, int] = {}
    """By code."""
    chats: ToldNames
    """The titles of the chats."""
    people: ToldNames
    """The names of those who wrote."""
    first: str | None = None
    """The time of the first message, RFC 3339; null without one."""
    last: str | None = None
    """The time of the latest message, RFC 3339; null without one."""
    together: bool = False
    """A document may be of several of the files."""
    rest: bool = False
    """Its files are further ones of the last export of the request before; nothing else of it counts."""
    files: tuple[ReceiptFile, ...] = ()
    """None where documents were sent without a file."""


class SkippedFile(_Told):
    """A file that was not read."""

    path: str
    """The path of the file."""
    skipped: str
    """The reason."""
    size: int | None = None
    """The size in bytes; null if it is not known."""
