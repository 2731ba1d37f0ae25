"""The layout of a source: exports by folder, each with its lists and the files of its chats."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...connector import Member, Source
from ...opening.member_subset import held_files
from .archives import ArchiveFiles, ArchiveKind, archive_kind, archives_of
from .detection import FileKind, safe_likeness
from .records import dump_fields

_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[^/]*)\.json(?:\.gz)?", re.IGNORECASE)
_ZIPPED = re.compile(r"\.(?:json|zip|gz)$", re.IGNORECASE)
_SET_ASIDE = re.compile(
    r"(?:integration_logs|canvases|lists|content_flags|file_conversations|huddle_transcripts|bookmarks|emoji)\.json"
)
"""Matches the names of an export's files that are no chats."""
_ATTACHMENT_FOLDERS = frozenset({"attachments", "__uploads", "files", "__avatars"})


@dataclass(slots=True)
class Chat:
    """The files of one chat, sorted by name. ``folder``: the name of the chat in the lists."""

    folder: str
    files: list[Member] = field(default_factory=list[Member])
    id: str = ""
    """The chat's id, if its files contain it."""


@dataclass(slots=True)
class Export:
    """One export: everything below a folder with lists, or chats without lists."""

    root: str
    users: list[Member] = field(default_factory=list[Member])
    users_above: list[Member] = field(default_factory=list[Member])
    """The lists of people in the folders above: an organisation's, for all its workspaces."""
    lists: list[Member] = field(default_factory=list[Member])
    chats: dict[str, Chat] = field(default_factory=dict[str, Chat])


@dataclass(slots=True)
class Layout:
    """The files of a source. ``set_aside``: files of exports without messages; ``others``: anything else."""

    exports: list[Export]
    set_aside: list[Member]
    others: list[Member]
    paths: list[str]
    archives: list[ArchiveFiles] = field(default_factory=list[ArchiveFiles])
    """The archives of slackdump in the source."""


def layout_of(source: Source) -> Layout:
    """Sort the members by kind. Files named by day are not opened for that."""
    members = source.members()
    kinds: list[tuple[Member, FileKind]] = []
    set_aside: list[Member] = []
    others: list[Member] = []
    archived: list[tuple[Member, ArchiveKind]] = []
    for member in members:
        folder, _, name = member.name.rpartition("/")
        in_attachments = not _ATTACHMENT_FOLDERS.isdisjoint(folder.split("/"))
        is_day = bool(folder and _DAY.fullmatch(name))
        if not is_day and not in_attachments and (archive := archive_kind(member)):
            archived.append((member, archive))
            continue
        kind: FileKind = "messages" if is_day else safe_likeness(member)[0]
        if in_attachments or kind == "other":
            (set_aside if _SET_ASIDE.fullmatch(name) else others).append(member)
        else:
            kinds.append((member, kind))
    roots = {member.name.rpartition("/")[0] for member, kind in kinds if kind in ("users", "chats")}
    exports: dict[str, Export] = {}
    for member, kind in kinds:
        folder = member.name.rpartition("/")[0]
        if kind == "empty":
            continue  # a list of nothing
        root = _root_of(folder, roots) if kind == "messages" else folder
        export = exports.setdefault(root, Export(root))
        if kind == "users":
            export.users.append(member)
        elif kind == "chats":
            export.lists.append(member)
        else:
            _add_messages(export, member, source)
    for export in exports.values():
        for chat in export.chats.values():
            chat.files.sort(key=lambda member: member.name)
    for export in exports.values():  # an organisation's list of people lies above the folders of its workspaces
        above = [other.users for root, other in exports.items() if root != export.root and _lies_in(export.root, root)]
        export.users_above = [member for users in above for member in users]
    with_chats = [export for export in exports.values() if export.chats]
    paths = [member.name for member in held_files(source)]
    return Layout(with_chats, set_aside, others, paths, archives_of(archived))


def _root_of(folder: str, roots: set[str]) -> str:
    """Return the nearest folder with lists, from this one upwards; the parent folder if there is none."""
    parts = folder.split("/") if folder else []
    for count in range(len(parts), -1, -1):
        if "/".join(parts[:count]) in roots:
            return "/".join(parts[:count])
    return "/".join(parts[:-1])


def _add_messages(export: Export, member: Member, source: Source) -> None:
    folder, _, name = member.name.rpartition("/")
    folder_name = folder.rpartition("/")[2]
    if not _DAY.fullmatch(name):
        fields = dump_fields(member)
        if fields:
            title = fields.get("name") or fields.get("channel_id") or name
            identifier = fields.get("channel_id", "")
            chat = export.chats.setdefault(f"\0{identifier or title}", Chat(title, id=identifier))
            chat.files.append(member)
            return
    if folder == export.root:
        folder_name = _own_folder(source, member) if not folder else folder_name
    export.chats.setdefault(folder, Chat(folder_name)).files.append(member)


def _own_folder(source: Source, member: Member) -> str:
    """Return the chat's name for a file at the top of its source: the opened folder or archive, or a single file's own
    folder.
    """
    if member.locator == source.locator:
        parts = [part for part in source.locator.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if len(parts) > 1 and _DAY.fullmatch(parts[-1]):
            return parts[-2]
    return _ZIPPED.sub("", source.name) or "chat"


def _lies_in(folder: str, other: str) -> bool:
    return not other or folder.startswith(f"{other}/")
