"""Converts one file to one document: its text, with the title, tags, dates and front matter as metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....schemas import TextDocument
from ....schemas.times import rfc3339
from ...connector import ReadOptions
from ...text.charset import Decoded
from ...text.json_fields import words_of
from ...text.markdown import first_heading, links, tags
from ...times.dates_written import WrittenDate
from .dates import day_of_path, read_date
from .detection import Kind
from .frontmatter import Value, front_matter
from .logseq import logseq_page

NAME = "notes"
MOST_KEYS = 100
"""The largest number of front matter keys that become metadata; the content keeps all of them."""
MOST_OF_A_VALUE = 4096

_WRITTEN = ("date", "created", "created_at", "date created", "creation_date")
_WRITTEN_TOO = (
    "creation date", "date_created", "date-created", "created on", "datum", "erstellt", "fecha", "creado", "data", "дата",
)  # fmt: skip
"""Further keys of dates, which may also mean something else."""
_CREATED = ("created", "created_at", "date created", "creation_date")
_UPDATED = ("updated", "modified", "updated_at", "date modified", "last_modified", "lastmod")
_LINKED = re.compile(r"\[\[([^\[\]|\n]{1,200})\]\]")
_BETWEEN_COMMAS = re.compile(r"(?:\[\[[^\[\]|\n]{1,200}\]\]|[^,])+")
"""Matches the parts between commas; commas within links do not separate."""
_TAGS = ("tags", "tag", "keywords")
_ALIASES = ("aliases", "alias")
_SURE = frozenset({*_WRITTEN, *_UPDATED, *_TAGS, "title"})
"""The keys that count in front matter that cannot be read as a whole; all of it stays text."""
_ORG_KEYWORD = re.compile(r"^#\+(?P<key>title|filetags):[ \t]*(?P<value>\S[^\n]{0,300})$", re.IGNORECASE | re.MULTILINE)
_ORG_HEAD = 4096
"""The number of characters that are searched for these keywords."""
_NOTION = re.compile(r" [0-9a-f]{32}$")
_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """A document, with the problems to report to the user."""

    document: TextDocument
    zone_assumed: bool
    unreadable_dates: Sequence[str]
    """The front matter keys with a date that cannot be read."""
    broken_front_matter: bool


def parse_note(path: str, kind: Kind, decoded: Decoded, options: ReadOptions) -> ParsedNote:
    """Return the document of a text that is not blank.

    Args:
        path: below the root, with the root's name: ``vault/people/Ann.md``.
        kind: from its name.
        decoded: its text.
        options: for the zone.
    """
    text = decoded.text
    front = front_matter(text)
    page = logseq_page(path, text, front.end)
    said = {key: value for key, value in front.values.items() if not front.broken or key.strip().lower() in _SURE}
    if page is not None:
        text = page.text
        said = {**page.properties, **said}
        if page.day:
            said = {"date": page.day, **said}
    values = {key.strip().lower(): value for key, value in said.items()}
    markdown = kind.is_markdown(text)
    org = _org_keywords(text) if kind.ending == "org" else {}
    heading = page.title if page is not None else first_heading(text, front.end) if markdown else org.get("title", "")
    title = words_of(values.get("title")) or heading or _stem(path)
    found_tags = [tag for key in _TAGS for tag in _listed(values.get(key), split=key != "keywords")]
    if markdown:
        found_tags += tags(text, front.end)
    found_tags += org.get("filetags", "").replace(":", " ").split()
    media_type = "text/markdown" if markdown else "text/plain"
    metadata = {"source": NAME, "title": title, "path": path, "media_type": media_type}
    names = [name for key in _ALIASES for name in _listed(values.get(key), split=False)]
    _put_list(metadata, "aliases", names)
    _put_list(metadata, "links", links(text, front.end) if markdown else [])
    _put_list(metadata, "block_ids", page.blocks if page is not None else [])
    if decoded.encoding != "utf-8":
        metadata["encoding"] = decoded.encoding
    dates, unreadable = _dates(values, options)
    written = next((dates[key] for key in (*_WRITTEN, *_WRITTEN_TOO, *_UPDATED) if key in dates), None)
    for key, names_of_key in (("created", _CREATED), ("updated", _UPDATED)):
        if (dated := next((dates[name] for name in names_of_key if name in dates), None)) is not None:
            metadata[key] = rfc3339(dated.time)
    assumed = any(dated.naive for dated in dates.values())
    if written is None and (written := day_of_path(path, _stem(path), options.zone)) is not None:
        assumed = assumed or written.naive
    if written is not None:
        metadata["time_precision"] = written.precision
        if written.naive:
            metadata["zone_origin"] = options.zone_origin
    metadata.update(_others(said, read=frozenset({"title", *_TAGS, *_ALIASES, *dates})))
    document = TextDocument(
        id=f"{NAME}:{path}",
        content=text,
        timestamp=None if written is None else written.time,
        tags=tuple(dict.fromkeys(tag for tag in found_tags if tag)),
        metadata=metadata,
    )
    assumed = assumed and options.zone_origin == "assumed"
    return ParsedNote(document, assumed, [] if front.broken else unreadable, front.broken)


def _org_keywords(text: str) -> dict[str, str]:
    """Return the values of ``#+KEY: value`` lines at the beginning of an Org mode file, by lower-case key."""
    result: dict[str, str] = {}
    for match in _ORG_KEYWORD.finditer(text[:_ORG_HEAD]):
        result.setdefault(match["key"].lower(), match["value"].strip())
    return result


def _dates(values: Mapping[str, Value], options: ReadOptions) -> tuple[dict[str, WrittenDate], list[str]]:
    dates: dict[str, WrittenDate] = {}
    unreadable: list[str] = []
    for key in dict.fromkeys((*_WRITTEN, *_WRITTEN_TOO, *_UPDATED)):
        written = words_of(values.get(key))
        if written:
            dated = read_date(written, options.zone)
            if dated is not None:
                dates[key] = dated
            elif key not in _WRITTEN_TOO:
                unreadable.append(key)
    return dates, unreadable


def _others(values: Mapping[str, Value], read: frozenset[str]) -> dict[str, str]:
    """Return the remaining values of the front matter, as ``x-<key>``."""
    result: dict[str, str] = {}
    for key, value in list(values.items())[:MOST_KEYS]:
        if key.strip().lower() in read:
            continue
        text = json.dumps(value, ensure_ascii=False)
        if len(text) <= MOST_OF_A_VALUE:
            result[f"x-{key}"] = text
    return result


def _put_list(metadata: dict[str, str], key: str, values: Sequence[str]) -> None:
    if values:
        metadata[key] = json.dumps(list(dict.fromkeys(values)), ensure_ascii=False)


def _listed(value: Value | None, *, split: bool) -> list[str]:
    """Return the items of a list, or of a string such as ``a, b``; with `split` also ``a b``.

    A link stands for its title, blanks included.
    """
    parts: list[str] = []
    if isinstance(value, str):
        if split:
            for place, piece in enumerate(_LINKED.split(value)):
                parts += [piece] if place % 2 else _SEPARATORS.split(piece)
        else:
            parts = [_LINKED.sub(r"\1", item) for item in _BETWEEN_COMMAS.findall(value)]
    elif isinstance(value, list):
        parts = [_LINKED.sub(r"\1", item) for item in value if isinstance(item, str)]
    return [part for each in parts if (part := each.strip().lstrip("#").strip())]


def _stem(path: str) -> str:
    """Return the file's name without its extension and without the id that Notion's exports append."""
    name = path.rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return _NOTION.sub("", stem if dot and stem else name)
