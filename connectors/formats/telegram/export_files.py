"""The files of a source that are exports, and the grouping of pages by chat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ....schemas.errors import SourceError
from ...connector import Member, Source
from ...opening.member_names import folder_of
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
    """The files of a source, by kind."""

    json: list[Member] = field(default_factory=list[Member])
    pages: list[list[Member]] = field(default_factory=list[list[Member]])
    """The pages of each chat, in order."""
    doubled: list[list[Member]] = field(default_factory=list[list[Member]])
    """The pages of chats that a JSON file in the same folder or above holds, too."""
    summaries: list[Member] = field(default_factory=list[Member])
    """The pages that name the exported account."""

    @property
    def count(self) -> int:
        """The number of JSON exports and of chats in pages."""
        return len(self.json) + len(self.pages)


def find_files(source: Source) -> ExportFiles:
    """Detect the exports among the source's files."""
    files = ExportFiles()
    folders: dict[str, list[Member]] = {}
    members = source.members()
    for member in members:
        kind, score = likeness(member)
        if kind == "summary":
            files.summaries.append(member)
        elif score < _RECOGNISED:
            continue
        elif kind == "json":
            files.json.append(member)
        else:
            folders.setdefault(folder_of(member), []).append(member)
    if not files.json and not folders and len(members) == 1:
        files.json.append(members[0])  # detection may be wrong about the only file
    above = {folder_of(member) for member in files.json}
    for folder, pages in folders.items():
        pages.sort(key=page_order)
        if any(not each or f"{folder}/".startswith(f"{each}/") for each in above):
            files.doubled.append(pages)
        else:
            files.pages.append(pages)
    return files


def likeness(member: Member) -> tuple[Literal["json", "html", "summary"], float]:
    """Return the kind of a file and the certainty of that."""
    try:
        with member.open() as stream:
            text = as_utf8(stream).stream
            head = text.read(_FIRST)
            if head.lstrip()[:1] not in _BEGINNINGS:
                return "json", 0.0  # an image or a sound: thousands may lie beside a chat
            head += text.read(HEAD - _FIRST)
    except SourceError:
        return "json", 0.0
    if score := json_score(head):
        return "json", score
    return ("summary", 0.0) if _SUMMARY in head else ("html", html_score(head))


def chat_keys(files: ExportFiles) -> set[str]:
    """Return the chats' keys as far as that is cheap; two or more different values if there may be more
    than one chat.
    """
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
            continue  # reported when the file is read
    return keys


def owner(files: ExportFiles) -> Exporter:
    """Return the owner of the exported account, from a page that names it."""
    for member in files.summaries:
        try:
            page = page_of(member)
        except SourceError:
            continue  # it holds no messages; the user stays unknown, which is reported
        if not isinstance(page, str) and (name := owner_of(page.tree).strip()):
            return Exporter(name, links=tuple(told_of(about_owner(page.tree))))
    return Exporter()
