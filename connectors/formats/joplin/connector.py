"""Reads exports of Joplin: JEX, an archive, or RAW, a folder. Every item is a file, and items name each other by id."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ....schemas import Rejected, TextDocument
from ....schemas.errors import SourceError
from ....schemas.times import rfc3339
from ...connector import Member, Record, Source
from ...files.note_exports import SUPERSEDED, TRASH, LastChanges, NoteExportConnector, ReadNote, times_as_metadata
from ...files.whole_files import HEAD, head_of, whole_text
from ...opening.tracked_member import note_role
from ...text.html.text import plain_text
from ...times.instants import instant_of, milliseconds_of
from .items import FOLDER, NOTE, NOTE_TAG, RESOURCE, TAG, JoplinItem, ends_as_item, id_in_name, joplin_item

NAME = "joplin"
_LINKED = re.compile(r"\(:/([0-9a-f]{32})[)#]")
_HTML = "2"
"""The value of `markup_language` for notes that were clipped as pages."""
_UNNAMED = 0.85
"""The confidence where the end alone tells: notes about Joplin end like that, too, and begin as notes do."""
_DEEPEST = 30
"""The largest number of notebooks in each other whose names are told."""


class JoplinConnector(NoteExportConnector):
    """Reads exports of Joplin, whose files belong together."""

    name = NAME
    program = "Joplin"
    version = 1

    def score(self, member: Member) -> float:
        """Return 1 for a file that ends with the properties of an item, and `_UNNAMED` if its name is not an id."""
        head = head_of(member)
        ends = len(head) < HEAD and ends_as_item(head)
        if not id_in_name(member.name):
            return _UNNAMED if ends else 0.0
        if ends:
            return 1.0
        with suppress(SourceError):
            return 1.0 if isinstance(_item(member), JoplinItem) else 0.0
        return 0.0

    def members_of(self, source: Source) -> list[Member]:
        """Return the files that are named as items, too: a damaged one is reported."""
        return [member for member in source.members() if id_in_name(member.name) or self.score(member)]

    def reader(self, members: Sequence[Member], source: Source) -> ReadNote:
        """Collect what notes name, and when each was changed last: exports may lie beside each other."""
        del source
        beside, last = _Beside(), LastChanges()
        for member in members:
            with suppress(SourceError):
                item = _item(member)
                if isinstance(item, JoplinItem) and item.type != NOTE:
                    beside.add(item)
                    note_role(member, "notebooks, tags and files of Joplin", used=True)
                elif isinstance(item, JoplinItem):
                    last.learn(item.id, _changed(item))

        def read(member: Member, path: str) -> Iterator[Record | str]:
            item = _item(member)
            if not isinstance(item, JoplinItem):
                reason = "not an item of Joplin: its properties are missing"
                yield item or Rejected(locator=member.locator, reason=reason)
            elif item.type == NOTE:
                old = last.is_superseded(item.id, _changed(item))
                yield SUPERSEDED if old else _note(item, member.locator, path, beside)

        return read


@dataclass(slots=True)
class _Beside:
    """The items that notes name: notebooks, tags, files."""

    folders: dict[str, JoplinItem] = field(default_factory=dict[str, JoplinItem])
    titles: dict[str, str] = field(default_factory=dict[str, str])
    """The titles of tags and files by id."""
    tags: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The ids of the tags of each note."""

    def add(self, item: JoplinItem) -> None:
        if item.type == FOLDER:
            self.folders[item.id] = item
        elif item.type in (TAG, RESOURCE):
            self.titles[item.id] = item.title
        elif item.type == NOTE_TAG:
            self.tags[item.properties.get("note_id", "")].append(item.properties.get("tag_id", ""))

    def notebook(self, folder: str) -> str:
        """Return the titles of a notebook and of those around it, the outermost first, joined by `` > ``."""
        titles: list[str] = []
        passed: set[str] = set()
        while (item := self.folders.get(folder)) is not None and folder not in passed and len(titles) < _DEEPEST:
            passed.add(folder)
            titles.append(item.title)
            folder = item.properties.get("parent_id", "")
        return " > ".join(reversed(titles))


def _item(member: Member) -> JoplinItem | Rejected | None:
    decoded = whole_text(member)
    return decoded if isinstance(decoded, Rejected) else joplin_item(decoded.text)


def _changed(item: JoplinItem) -> datetime | None:
    return instant_of(item.properties.get("updated_time"), UTC)


def _note(item: JoplinItem, locator: str, path: str, beside: _Beside) -> Record | str:
    """Return the document of a note, or the rule that leaves it out."""
    properties = item.properties
    if properties.get("deleted_time", "0") not in ("", "0"):
        return TRASH
    if properties.get("encryption_applied") == "1":
        reason = "an encrypted note: turn the encryption off in Joplin, and export again"
        return Rejected(locator=locator, reason=reason)
    body = plain_text(item.body) if properties.get("markup_language") == _HTML else item.body
    if not (item.title or body.strip()):
        return Rejected(locator=locator, reason="an empty note")
    created, updated = (
        instant_of(properties.get(f"user_{key}") or properties.get(key), UTC)
        for key in ("created_time", "updated_time")
    )
    metadata = {"source": NAME, "title": item.title or "Untitled", "path": path, "media_type": "text/markdown"}
    metadata |= {"notebook": notebook} if (notebook := beside.notebook(properties.get("parent_id", ""))) else {}
    metadata |= {
        name: value for name, key in (("author", "author"), ("url", "source_url")) if (value := properties.get(key))
    }
    metadata |= times_as_metadata(created, updated)
    metadata |= _place(item) | _task(item) | ({"conflict": "true"} if properties.get("is_conflict") == "1" else {})
    files = [beside.titles[each] for each in dict.fromkeys(_LINKED.findall(item.body)) if each in beside.titles]
    metadata |= {"attachments": json.dumps(files, ensure_ascii=False)} if files else {}
    return TextDocument(
        id=f"{NAME}:{item.id}",
        content="\n\n".join(part for part in (f"# {item.title}" if item.title else "", body.strip("\n")) if part)
        + "\n",
        timestamp=created or updated,
        tags=tuple(dict.fromkeys(title for tag in beside.tags[item.id] if (title := beside.titles.get(tag)))),
        metadata=metadata,
    )


def _place(item: JoplinItem) -> dict[str, str]:
    """Return where a note was made; Joplin writes zeros for nowhere."""
    degrees = [item.properties.get(key, "").strip() for key in ("latitude", "longitude")]
    return {"place": ",".join(degrees)} if all(degrees) and any(each.strip("0.-") for each in degrees) else {}


def _task(item: JoplinItem) -> dict[str, str]:
    """Return whether a to-do is done, and when it is due."""
    if item.properties.get("is_todo") != "1":
        return {}
    done = item.properties.get("todo_completed", "0") not in ("", "0")
    due = milliseconds_of(item.properties.get("todo_due"), UTC)
    return {"todo": "done" if done else "open"} | ({"due": rfc3339(due)} if due is not None else {})
