"""Reads exported notebooks of Evernote (.enex) of any size as a stream."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from ....schemas import Rejected, TextDocument
from ....schemas.times import rfc3339
from ...connector import Member, ReadOptions, Record
from ...files.file_connector import FileConnector, stem_of
from ...files.whole_files import head_text
from ...record_faults import Failure, attempt
from ...text.html.links import addresses_in, as_metadata
from ...text.html.text import nodes_text
from ...text.html.tree import TOO_COSTLY, html_tree
from ...text.xml_stream import XmlError, xml_records
from .notes import EvernoteNote, enex_notes

NAME = "evernote"
_ENCRYPTED_WHOLE = re.compile(r"\s*RU5D[A-Za-z0-9+/=\s]*+")
"""Matches the content of a note that was encrypted for its export (``base64:aes``)."""
_NOTE = re.compile(rb"<note>")
_EXPORT = re.compile(
    r"\s{0,20}(?:<\?xml[^>]{0,200}\?>\s{0,20})?(?:<!DOCTYPE\s+en-export[^>]{0,300}>\s{0,20})?<en-export[\s>]"
)
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z", re.ASCII)
_CHECKBOX = re.compile(r"<en-todo\b([^<>]*)>(?:\s*</en-todo>)?", re.IGNORECASE)
_CHECKED = re.compile(r"checked\s*=\s*[\"']?true", re.IGNORECASE)
_CHECKED_ITEM = re.compile(
    r"(<li\b[^<>]{0,400}?--en-checked\s*:\s*(true|false)[^<>]{0,400}>)(\s*<div\b[^<>]{0,400}>)?", re.IGNORECASE
)
"""Matches the items of a check list, as Evernote writes them since version 10."""
_SECRET = re.compile(r"<en-crypt\b[^<>]*>[^<]*(?:</en-crypt>)?", re.IGNORECASE)
_MEDIA = re.compile(r"</?en-media\b[^<>]*>", re.IGNORECASE)


class EvernoteConnector(FileConnector):
    """Reads notebooks of Evernote."""

    name = NAME
    version = 4

    def score(self, member: Member) -> float:
        """Return 1 for a file that begins like an export of Evernote."""
        return 1.0 if _EXPORT.match(head_text(member)) else 0.0

    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Yield a document for every note; all times are in UTC."""
        del options
        if self.score(member):
            yield from _notes(member, path)
        else:
            yield Rejected(locator=member.locator, reason="not an export of Evernote")


def _notes(member: Member, path: str) -> Iterator[Record]:
    met: Counter[str] = Counter()
    count, kept = 0, False
    with member.open() as stream:
        for note in xml_records(stream, b"<en-export>", _NOTE, enex_notes):
            if isinstance(note, XmlError):
                count += not kept  # counts the damaged note too, if nothing of it was yielded
                what = "what follows in this note" if note.at >= 0 else "what follows"
                yield Rejected(locator=f"{member.locator}#/{count}", reason=f"{what} cannot be read: {note}")
                kept = False
                continue
            count, kept = count + 1, note.damaged
            place = f"{member.locator}#/{count}"
            made = attempt(_document, note, path, place, met)
            yield Rejected(locator=place, reason=made) if isinstance(made, Failure) else made


def _document(note: EvernoteNote, path: str, locator: str, met: Counter[str]) -> Record:
    if note.too_large:
        return Rejected(locator=locator, reason="more text than a note may have")
    title = note.said.get("title", "")
    words = _words(note.said.get("content", ""), note)
    if words is None:
        return Rejected(locator=locator, reason=TOO_COSTLY)
    if not (title or words):
        return Rejected(locator=locator, reason="an empty note")
    title = title or "Untitled"
    created, updated = _time(note.said.get("created", "")), _time(note.said.get("updated", ""))
    metadata = {
        "source": NAME,
        "title": title,
        "path": path,
        "notebook": stem_of(path),
        "media_type": "text/markdown",
    }
    for key in ("author", "url"):
        if note.said.get(key):
            metadata[key] = note.said[key]
    if note.said.get("latitude") and note.said.get("longitude"):
        metadata["place"] = f"{note.said['latitude']},{note.said['longitude']}"
    for key in ("created", "updated", "reminder", "reminder_done"):
        time = _time(note.said.get(key, ""))
        if time is not None:
            metadata[key] = rfc3339(time)
        elif note.said.get(key):
            metadata[f"x-{key}"] = json.dumps(note.said[key], ensure_ascii=False)
    if note.attachments:
        metadata["attachments"] = json.dumps(note.attachments, ensure_ascii=False)
    metadata |= as_metadata(note.links)
    # Exports contain no ids; the creation time and the title survive most changes.
    digest = hashlib.sha256(f"{note.said.get('created', '')}\0{title}".encode("utf-8", "surrogatepass")).hexdigest()[
        :32
    ]
    met[digest] += 1
    return TextDocument(
        id=f"{NAME}:{digest}" + (f":{met[digest]}" if met[digest] > 1 else ""),
        content=f"# {title}\n\n{words}\n" if words else f"# {title}\n",
        timestamp=created or updated,
        tags=tuple(dict.fromkeys(note.tags)),
        metadata=metadata,
    )


def _words(markup: str, note: EvernoteNote) -> str | None:
    """Return the text of a note with its tasks, and store the links in ``note``; None if the mark-up is too costly to
    parse.
    """
    markup = _CHECKBOX.sub(lambda match: "[x] " if _CHECKED.search(match[1]) else "[ ] ", markup)
    markup = _CHECKED_ITEM.sub(lambda match: f"{match[0]}[{'x' if match[2].lower() == 'true' else ' '}] ", markup)
    markup = markup.replace("<![CDATA[", "")  # some notes contain a nested CDATA section, which HTML would hide
    if _ENCRYPTED_WHOLE.fullmatch(markup):
        return "[encrypted]"
    markup = _MEDIA.sub("", _SECRET.sub("[encrypted]", markup))
    tree = html_tree(markup)
    if tree is None:
        return None
    body = tree.body
    for group in body.css('div[style*="--en-task-group:true"]') if body is not None else ():
        group.decompose()  # it says that the program is too old to show the tasks, which are written beside the content
    words = nodes_text([body], headings=True, code="-en-codeblock:true") if body is not None else ""
    note.links = addresses_in(body) if body is not None else []
    tasks = "\n".join(f"- [{'x' if done else ' '}] {title}" for title, done in note.tasks)
    return "\n\n".join(part for part in (words.strip("\n"), tasks) if part)


def _time(text: str) -> datetime | None:
    match = _TIME.fullmatch(text)
    try:
        return datetime(*(int(part) for part in match.groups()), tzinfo=UTC) if match else None  # type: ignore[arg-type]
    except ValueError:
        return None
