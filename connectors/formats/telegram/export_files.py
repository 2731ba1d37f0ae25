"""Which files of a source are exports, and which pages belong to one chat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ....schemas.errors import SourceError
from ...connector import Member, Source
from ...text.json_stream import Field, Started
from ...text.unicode import as_utf8
from .accounts import told_of
from .chats import chat_of
from .detection import HEAD, html_score, json_score
from .exporter import Exporter
from .html_export import about_owner, owner_of, page_of, page_order
from .json_export import events_of
from .values import Object

_RECOGNISED = 0.5
_FIRST = 512
_BEGINNINGS = (b"{", b"<")
_SUMMARY = b'<div class="personal_info'


@dataclass(slots=True)
class ExportFiles:
    """What there is to read."""

    json: list[Member] = field(default_factory=list[Member])
    pages: list[list[Member]] = field(default_factory=list[list[Member]])
    """The pages of each chat, in their order."""
    doubled: list[list[Member]] = field(default_factory=list[list[Member]])
    """The pages of chats that a JSON file beside them or above them holds, too."""
    summaries: list[Member] = field(default_factory=list[Member])
    """Pages that say whose account was exported."""

    @property
    def count(self) -> int:
        """How many exports and chats."""
        return len(self.json) + len(self.pages)


def find_files(source: Source) -> ExportFiles:
    """Look at the beginning of every file."""
    found = ExportFiles()
    folders: dict[str, list[Member]] = {}
    members = source.members()
    for member in members:
        kind, score = likeness(member)
        if kind == "summary":
            found.summaries.append(member)
        elif score < _RECOGNISED:
            continue
        elif kind == "json":
            found.json.append(member)
        else:
            folders.setdefault(_folder(member), []).append(member)
    if not found.json and not folders and len(members) == 1:
        found.json.append(members[0])  # the user knows better than sniffing
    above = {_folder(member) for member in found.json}
    for folder, pages in folders.items():
        pages.sort(key=page_order)
        if any(not each or f"{folder}/".startswith(f"{each}/") for each in above):
            found.doubled.append(pages)
        else:
            found.pages.append(pages)
    return found


def likeness(member: Member) -> tuple[Literal["json", "html", "summary"], float]:
    """What a file seems to be, and how surely."""
    try:
        with member.open() as stream:
            text = as_utf8(stream).stream
            head = text.read(_FIRST)
            if head.lstrip()[:1] not in _BEGINNINGS:
                return "json", 0.0  # a picture or a sound: thousands of them lie beside a chat
            head += text.read(HEAD - _FIRST)
    except SourceError:
        return "json", 0.0
    if score := json_score(head):
        return "json", score
    return ("summary", 0.0) if _SUMMARY in head else ("html", html_score(head))


def chat_keys(files: ExportFiles) -> set[str]:
    """The keys of the chats, as far as that is cheap: two different ones, where there may be more than one chat."""
    keys = {f"page {index}" for index in range(len(files.pages))}
    for member in files.json:
        fields: Object = {}
        try:
            for event in events_of(member):
                if isinstance(event, Field) and not event.holder:
                    fields[event.key] = event.value
                elif isinstance(event, Started):
                    keys |= {chat_of(fields, None, "").key} if not event.holder else {"an account", "its chats"}
                    break
        except SourceError:
            continue  # it is read, and told, later
    return keys


def owner(files: ExportFiles) -> Exporter:
    """Whose account was exported, from a page that says it."""
    for member in files.summaries:
        try:
            found = page_of(member)
        except SourceError:
            continue  # it holds no message; the user is unknown, and that is told
        if not isinstance(found, str) and (name := owner_of(found.tree).strip()):
            return Exporter(name, links=tuple(told_of(about_owner(found.tree))))
    return Exporter()


def _folder(member: Member) -> str:
    return member.name.rpartition("/")[0]
