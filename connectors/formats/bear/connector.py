"""Reads backups of Bear: an archive of text bundles, folders with the text of a note, its properties and its files."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ....schemas import Rejected, TextDocument
from ....schemas.errors import SourceError
from ...connector import Member, Record, Source
from ...files.note_exports import SUPERSEDED, TRASH, LastChanges, NoteExportConnector, ReadNote, times_as_metadata
from ...files.whole_files import encoding_notices, head_of, whole_file, whole_text
from ...opening.member_names import folder_of
from ...opening.member_subset import held_files
from ...opening.tracked_member import note_role
from ...record_faults import Failure, attempt
from ...text.json_fields import object_of, words_of
from ...text.json_parsing import parse_json
from ...text.markdown import first_heading, links, tags
from ...times.instants import instant_of

NAME = "bear"
_TEXT = re.compile(r"text\.(?:markdown|md|txt)")
_BUNDLE, _PACK = ".textbundle", ".textpack"
_BEAR = "net.shinyfrog.bear"
_MARKS = (f'"{_BEAR}"'.encode(), b'"creatorIdentifier"', b'"net.daringfireball.markdown"')
_INFO_HEAD = 4096
_ASSETS = "/assets/"
_FLAGS = {"pinned": "pinned", "archived": "archived"}
_READ = frozenset({"uniqueIdentifier", "creationDate", "modificationDate", "trashed", "trashedDate", *_FLAGS})
_TITLE = re.compile(r"^#{1,6}[ \t]+|[*_`~]+")
_LONGEST_TITLE = 200


class BearConnector(NoteExportConnector):
    """Reads notes of Bear, each in a folder with its properties and its files."""

    name = NAME
    program = "Bear"
    version = 2

    def score(self, member: Member) -> float:
        """Return 1 for the properties of a note; its text is any text, and belongs to them because it lies beside them."""
        return 1.0 if _is_info(head_of(member, _INFO_HEAD)) else 0.0

    def members_of(self, source: Source) -> list[Member]:
        """Return the texts beside the properties, too."""
        members = list(source.members())
        properties = [member for member in members if self.score(member)]
        folders = {folder_of(member) for member in properties}
        ids = {id(member) for member in properties}
        return [m for m in members if id(m) in ids or (_is_text(m) and folder_of(m) in folders)]

    def reader(self, members: Sequence[Member], source: Source) -> ReadNote:
        """Collect the properties of the notes; backups may lie beside each other."""
        first = {
            folder_of(member): member.name for member in sorted(filter(_is_text, members), key=_name, reverse=True)
        }
        about: dict[str, _About] = {}
        last = LastChanges()
        for member in members:
            if not _is_text(member) and folder_of(member) in first:
                with suppress(SourceError):
                    each = attempt(_about, member)
                    if not isinstance(each, Failure):
                        about[folder_of(member)] = each
                        note_role(member, "dates and ids of notes of Bear", used=True)
                        last.learn(each.id, each.updated)
        files = _attached(source)

        def read(member: Member, path: str) -> Iterator[Record | str]:
            folder = folder_of(member)
            if not _is_text(member):
                if folder not in first:
                    yield Rejected(locator=member.locator, reason="the properties of a note whose text is missing")
                elif folder not in about:
                    yield Rejected(locator=member.locator, reason="the properties of a note that cannot be read")
                return
            each = about.get(folder) or _About()
            if member.name != first[folder]:  # two notes of one id would be one note
                each = replace(each, id="")
            if each.id and last.is_superseded(each.id, each.updated):
                yield SUPERSEDED
            elif each.trashed:
                yield TRASH
            else:
                yield from _note(member, path, each, files.get(folder, []))

        return read


def _attached(source: Source) -> defaultdict[str, list[str]]:
    """Return the names of the files of each bundle, by its folder."""
    files: defaultdict[str, list[str]] = defaultdict(list)
    for file in held_files(source):
        folder, assets, name = f"/{file.name}".partition(_ASSETS)
        if assets:
            files[folder[1:]].append(name)
    return files


@dataclass(frozen=True, slots=True)
class _About:
    """The properties of a note."""

    id: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    trashed: bool = False
    metadata: tuple[tuple[str, str], ...] = ()


def _about(member: Member) -> _About:
    """Return the properties in a file.

    Raises:
        SourceError: it cannot be read.
        ValueError: it is no JSON.
    """
    data = whole_file(member)
    info = {} if isinstance(data, Rejected) else object_of(parse_json(data).value)
    bear = object_of(info.get(_BEAR))
    metadata = {name: "true" for name, key in _FLAGS.items() if bear.get(key) in (1, True)}
    program = words_of(info.get("creatorIdentifier"))
    metadata |= {"program": program} if program and program != _BEAR else {}
    metadata |= {"url": url} if (url := words_of(info.get("sourceURL"))).startswith("http") else {}
    unknown = {key: value for key, value in bear.items() if key not in _READ and value not in (None, 0, "", [])}
    metadata |= {f"x-{key}": json.dumps(value, ensure_ascii=False) for key, value in unknown.items()}
    return _About(
        words_of(bear.get("uniqueIdentifier")),
        instant_of(bear.get("creationDate"), UTC),
        instant_of(bear.get("modificationDate"), UTC),
        bear.get("trashed") in (1, True),
        tuple(metadata.items()),
    )


def _note(member: Member, path: str, about: _About, files: list[str]) -> Iterator[Record]:
    decoded = whole_text(member)
    if isinstance(decoded, Rejected):
        yield decoded
        return
    text = decoded.text
    if not text.strip():
        yield Rejected(locator=member.locator, reason="an empty note, or an encrypted one: remove its lock in Bear")
        return
    metadata = {"source": NAME, "title": _title(text, path), "path": path, "media_type": "text/markdown"}
    metadata |= dict(about.metadata) | times_as_metadata(about.created, about.updated)
    for key, values in (("links", links(text)), ("attachments", files)):
        metadata |= {key: json.dumps(values, ensure_ascii=False)} if values else {}
    yield TextDocument(
        id=f"{NAME}:{about.id or path}",
        content=text,
        timestamp=about.created or about.updated,
        tags=tuple(tags(text, several_words=True)),
        metadata=metadata,
    )
    yield from encoding_notices(member, decoded)


def _title(text: str, path: str) -> str:
    """Return the first heading, else the first line, which Bear shows as the title, else the name of the folder."""
    if heading := first_heading(text):
        return heading
    line = _TITLE.sub("", text.strip().partition("\n")[0].strip()).strip()
    if line and not line.startswith(("#", "!", "[")):
        return line[:_LONGEST_TITLE]
    bundle = path.rpartition("/")[0].rpartition("/")[2]
    return bundle.removesuffix(_BUNDLE).removesuffix(_PACK) or "Untitled"


def _name(member: Member) -> str:
    return member.name


def _is_text(member: Member) -> bool:
    return _TEXT.fullmatch(member.name.rpartition("/")[2]) is not None


def _is_info(head: bytes) -> bool:
    """Return whether a file begins as the properties of a bundle do, which name their version and the program."""
    return head.lstrip().startswith(b"{") and b'"version"' in head and any(mark in head for mark in _MARKS)
