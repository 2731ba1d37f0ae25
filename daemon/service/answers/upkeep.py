"""Answers about upkeep: forgetting, export, doctor, reindex, migration, backup."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from ...diagnostics.checks import Finding
from .wire_form import WireOf


class ExportReport(TypedDict):
    """Counts of an export that came whole."""

    documents: int
    """Number of documents in the lines before."""
    messages: int
    """Number of messages in them; 0 for texts."""
    waiting: int
    """Documents that wait to be stored, and may be missing."""


class DocumentCounts(TypedDict):
    """Documents that go as a whole, and that lose messages."""

    whole: int
    """Number of documents that go as a whole."""
    partly: int
    """Number of documents that lose messages and stay."""


class AffectedDocument(TypedDict):
    """A document of a plan."""

    id: str
    """The id of the document."""
    source: str
    """The source."""
    title: str
    """The title of its chat, or its own."""
    messages: int
    """Number of messages that go."""
    whole: bool
    """True if the document goes as a whole."""


class AffectedChat(TypedDict):
    """A chat of a plan, or the texts of one title; the times are those of the first and last message that goes."""

    title: str
    """The title."""
    source: str
    """The source."""
    kind: Literal["conversation", "text"]
    """The kind: messages, or texts."""
    messages: int
    """Number of messages that go."""
    documents: int
    """Number of documents that lose something."""
    first: NotRequired[datetime]
    """The time of the first message that goes, RFC 3339."""
    last: NotRequired[datetime]
    """The time of the latest message that goes, RFC 3339."""


class AffectedName(TypedDict):
    """A name in a source under which something goes."""

    source: str
    """The source."""
    name: str
    """The name."""
    messages: int
    """Number of messages that go."""


class TakenName(TypedDict):
    """A name that was taken for another one, of which it is a part; or that nobody has, and what it may be meant to be."""

    kind: str
    """``speaker``, ``person``, ``source``, ``chat``, or ``document`` or ``message``, whose key begins as asked."""
    asked: str
    """The name in the request."""
    name: NotRequired[str]
    """The name for which it was taken."""
    nearest: NotRequired[list[str]]
    """The nearest names, if nobody has it."""
    part_of: NotRequired[list[str]]
    """The whole names that contain it, if it is a part of them and stands for none."""


class QuotingPlace(TypedDict):
    """A message or text of others in which forgotten words stand."""

    id: str
    """Its key."""
    kind: Literal["message", "text"]
    """The kind: a message or a text."""
    title: str
    """The title of its chat, or its own."""
    source: str
    """The source."""
    author: str
    """Its speaker or author; empty if it has none."""
    time: NotRequired[datetime]
    """Its time, RFC 3339."""


class Quotes(TypedDict):
    """The messages and texts of others in which forgotten words stand, as far as these words are recognised."""

    treatment: Literal["keep", "redact", "remove"]
    """The treatment of them."""
    messages: int
    """Their number; a text counts as one."""
    places: list[QuotingPlace]
    """The first 20 of them."""
    mentions: int
    """Number of messages and texts of others that contain a name of the forgotten people; they stay."""
    waiting: int
    """Number of documents on the way into the store, in which nobody looked."""
    complete: bool
    """False if there was too much to look for all of it."""


class ForgetExtent(TypedDict):
    """The extent of a forgetting."""

    plan: str
    """The number of the plan, for `plan` of the request that carries it out."""
    messages: int
    """Number of messages that go; a text counts as one."""
    documents: DocumentCounts
    """Number of documents that go."""
    names: list[str]
    """The names whose messages go, folded: without case and accents."""
    identities: list[AffectedName]
    """The names whose messages are removed, if people or speakers were named: every name that was merged with theirs,
    too.
    """
    facts_about: int
    """Number of facts about these people that go."""
    waiting: int
    """Messages that were in the journal only."""
    damaged: int
    """Documents in the journal that cannot be read."""
    largest: list[AffectedDocument]
    """The 20 documents with most messages that go."""
    chats: list[AffectedChat]
    """The 20 chats with most messages that go."""
    chat_count: int
    """Number of chats from which something goes."""
    quotes: NotRequired[Quotes]
    """The messages of others that quote what goes; missing where they were kept: the words are gone then."""


class ForgetReport(ForgetExtent):
    """A plan, or what was done."""

    taken: NotRequired[list[TakenName]]
    """Names that were given and are not the whole name of anybody; told by plans alone."""
    dry_run: bool
    """True if nothing was changed."""
    unpurged: list[str]
    """Files that still hold removed bytes; they are purged later."""


class ReindexReport(TypedDict):
    """Documents that were chunked again, and vectors that were made, are missing, or were dropped."""

    documents: int
    """Number of documents that were chunked again."""
    embedded: int
    """Number of vectors that were made."""
    pending: int
    """Number of vectors that are still to be made."""
    dropped: int
    """Number of vectors of the former model that were removed."""


class MigrateReport(TypedDict):
    """An index that holds what the store holds."""

    index: str
    """The name of the index."""
    in_use: bool
    """True if the settings in force name it."""
    complete: bool
    """True if all comparisons agree."""
    findings: list[Finding]
    """The comparisons of the index with the store."""
    removed: bool
    """True if the other index was removed."""


class BackupReport(TypedDict):
    """A snapshot and its folder; sizes are in bytes."""

    snapshot: str
    """The name of the snapshot, made of its time."""
    time: str
    """The time at which it was made, RFC 3339."""
    memd: str
    """The version of memd that made it."""
    documents: int
    """Number of documents in it."""
    messages: int
    """Number of messages in it."""
    bytes: int
    """The size of the data in it."""
    directory: str
    """The absolute path of the folder."""
    bytes_new: int
    """The size of the parts that were in no earlier snapshot."""
    bytes_written: int
    """The size of these parts as they are stored, compressed."""
    bytes_stored: int
    """The size of all snapshots in the folder."""
    bytes_freed: int
    """The size of removed snapshots that was freed."""
    pruned: list[str]
    """The names of the snapshots that were removed because of `keep`."""
    snapshots: int
    """Number of snapshots in the folder."""


BackupReportWire = Annotated[dict[str, Any], WireOf(BackupReport)]
