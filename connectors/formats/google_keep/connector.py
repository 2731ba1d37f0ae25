"""Reads the notes of Google Keep in a download of Google Takeout. A note is a JSON file, and a page with the same words."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from ....schemas import Rejected, TextDocument
from ...connector import Member, Record, Source
from ...files.file_connector import stem_of
from ...files.note_exports import SUPERSEDED, TRASH, LastChanges, NoteExportConnector, ReadNote, times_as_metadata
from ...files.whole_files import head_of, whole_file, whole_text
from ...text.html.links import addresses_in, as_metadata
from ...text.html.text import nodes_text, plain_text
from ...text.html.tree import TOO_COSTLY, html_tree
from ...text.json_fields import list_of, object_of, text_of, words_of
from ...text.json_parsing import parse_json

NAME = "google_keep"
_KEYS = (b'"isTrashed"', b'"isPinned"', b'"isArchived"')
"""Keys of every note, which stand before its words."""
_PAGE = re.compile(rb'<div class="note(?: [A-Z_]+)?">\s*<div class="heading">')
_READ = frozenset(
    {
        "annotations", "attachments", "color", "createdTimestampUsec", "isArchived", "isPinned", "isTrashed", "labels", "listContent",
        "sharees", "textContent", "textContentHtml", "title", "userEditedTimestampUsec",
    }
)  # fmt: skip
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TWIN = "page of a note whose JSON was read"
"""The rule that leaves out a page."""


class GoogleKeepConnector(NoteExportConnector):
    """Reads notes of Google Keep, whose files belong together in pairs."""

    name = NAME
    program = "Google Keep"
    version = 1

    def score(self, member: Member) -> float:
        """Return 1 for a note, as JSON or as a page."""
        head = head_of(member)
        is_note = head.lstrip()[:1] == b"{" and all(key in head for key in _KEYS)
        return 1.0 if is_note or _PAGE.search(head) else 0.0

    def reader(self, members: Sequence[Member], source: Source) -> ReadNote:
        """Read a page only where its JSON is missing."""
        del source
        with_json = {_stem(member) for member in members if _is_json(member)}
        met = _Met()

        def read(member: Member, path: str) -> Iterator[Record | str]:
            if _is_json(member):
                yield from _note(member, path, met)
            elif _stem(member) in with_json:
                yield TWIN
            else:
                yield from _page(member, path)

        return read


@dataclass(slots=True)
class _Met:
    """The notes that were read before."""

    times: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """The number of notes by folder and time of creation: in one folder those of one instant are several notes, in another
    they are those of another download.
    """
    last: LastChanges = field(default_factory=LastChanges)

    def id_of(self, folder: str, key: str) -> str:
        """Return the id of the next note of a folder with this key."""
        self.times[folder, key] += 1
        number = self.times[folder, key]
        return f"{NAME}:{key}" + (f":{number}" if number > 1 else "")


def _is_json(member: Member) -> bool:
    return member.name.lower().endswith(".json")


def _stem(member: Member) -> str:
    return member.name.rpartition(".")[0]


def _note(member: Member, path: str, met: _Met) -> Iterator[Record | str]:
    """Yield the note of a JSON file, or the rule that leaves it out."""
    data = whole_file(member)
    if isinstance(data, Rejected):
        yield data
        return
    try:
        note = object_of(parse_json(data).value)
    except ValueError as error:
        yield Rejected(locator=member.locator, reason=str(error))
        return
    if note.get("isTrashed") is True:
        yield TRASH
        return
    title, words = words_of(note.get("title")), _words(note)
    words = words or (
        "" if title else "\n".join(_files(note))
    )  # a picture alone is a note, and only its name says which
    if not (title or words):
        yield Rejected(locator=member.locator, reason="an empty note")
        return
    created, edited = _time(note.get("createdTimestampUsec")), _time(note.get("userEditedTimestampUsec"))
    metadata = {
        "source": NAME,
        "title": title or stem_of(path),
        "path": path,
        "media_type": "text/markdown",
        **_about(note),
    }
    metadata |= times_as_metadata(created, edited)
    # A title may change, and the file's name with it; notes of old downloads have no time of creation.
    key = path if created is None else str(note["createdTimestampUsec"])
    identifier = met.id_of(member.name.rpartition("/")[0], key)
    if met.last.is_superseded(identifier, edited):
        yield SUPERSEDED
        return
    met.last.learn(identifier, edited)
    yield TextDocument(
        id=identifier,
        content="\n\n".join(part for part in (f"# {title}" if title else "", words) if part) + "\n",
        timestamp=created or edited,
        tags=tuple(
            dict.fromkeys(
                name for each in list_of(note.get("labels")) if (name := words_of(object_of(each).get("name")))
            )
        ),
        metadata=metadata,
    )


def _words(note: dict[str, Any]) -> str:
    """Return the words of a note, the items of its list with their ticks, and the pages that it names."""
    words = text_of(note.get("textContent")) or plain_text(text_of(note.get("textContentHtml")))
    items: list[str] = []
    for each in map(object_of, list_of(note.get("listContent"))):
        item = text_of(each.get("text")) or plain_text(text_of(each.get("textHtml")))
        if item.strip():
            items.append(f"- [{'x' if each.get('isChecked') is True else ' '}] {item}")
    pages: list[str] = []
    for each in map(object_of, list_of(note.get("annotations"))):
        parts = (words_of(each.get("title")), words_of(each.get("description")), words_of(each.get("url")))
        pages.append(" · ".join(part for part in parts if part and part not in words))
    return "\n\n".join(
        part for part in (words.strip("\n"), "\n".join(items), "\n".join(filter(None, pages))) if part.strip()
    )


def _files(note: dict[str, Any]) -> list[str]:
    """Return the names of a note's pictures and recordings."""
    names = (words_of(object_of(each).get("filePath")) for each in list_of(note.get("attachments")))
    return [name for name in names if name]


def _about(note: dict[str, Any]) -> dict[str, str]:
    """Return everything beside the words, as metadata; a key that this version does not know as ``x-<key>``."""
    metadata = {
        name: "true" for name, key in (("pinned", "isPinned"), ("archived", "isArchived")) if note.get(key) is True
    }
    color = words_of(note.get("color"))
    metadata |= {"color": color.lower()} if color not in ("", "DEFAULT") else {}
    files = _files(note)
    metadata |= {"attachments": json.dumps(files, ensure_ascii=False)} if files else {}
    people = [words_of(object_of(each).get("email")) for each in list_of(note.get("sharees"))]
    metadata |= {"shared_with": json.dumps(people, ensure_ascii=False)} if people else {}
    unknown = ((key, value) for key, value in note.items() if key not in _READ)
    return metadata | {f"x-{key}": json.dumps(value, ensure_ascii=False) for key, value in unknown}


def _page(member: Member, path: str) -> Iterator[Record]:
    """Yield the note of a page without JSON. Its time is a text in the language of the account, and stays one."""
    decoded = whole_text(member)
    if isinstance(decoded, Rejected):
        yield decoded
        return
    tree = html_tree(decoded.text)
    body = None if tree is None else tree.body
    if body is None:
        yield Rejected(locator=member.locator, reason=TOO_COSTLY)
        return
    title = " ".join(each.text().strip() for each in body.css("div.title"))
    metadata = {"source": NAME, "title": title or stem_of(path), "path": path, **as_metadata(addresses_in(body))}
    yield TextDocument(id=f"{NAME}:{path}", content=nodes_text([body]).strip("\n") + "\n", metadata=metadata)


def _time(value: object) -> datetime | None:
    """Return a time given in microseconds since 1970, where there is one."""
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        return None
    try:
        return _EPOCH + timedelta(microseconds=value)
    except OverflowError:
        return None
