"""The models of a receipt: what an import read of which files, and what it left out."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ToldNames(_Told):
    """The number of names, and those with most messages."""

    count: int = Field(ge=0)
    names: tuple[str, ...] = ()


class ReceiptFile(_Told):
    """One file of an export."""

    path: str
    size: int | None = None
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
    version: int
    """The version of the reader."""
    path: str = ""
    documents: int = Field(ge=0)
    messages: int = Field(ge=0)
    added: int | None = None
    """Messages that were stored; absent where that is not known."""
    updated: int | None = None
    """Messages that gave stored ones another wording."""
    rejected: dict[str, int] = {}
    """By reason, with `N` for every number."""
    notices: dict[str, int] = {}
    """By code."""
    chats: ToldNames
    people: ToldNames
    first: str | None = None
    last: str | None = None
    together: bool = False
    """A document may be of several of the files."""
    rest: bool = False
    """Its files are further ones of the last export of the request before; nothing else of it counts."""
    files: tuple[ReceiptFile, ...] = ()
    """None where documents were sent without a file."""


class SkippedFile(_Told):
    """A file that was not read."""

    path: str
    skipped: str
    """The reason."""
    size: int | None = None
