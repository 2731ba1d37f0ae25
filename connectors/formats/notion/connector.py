"""Reads exports of Notion's pages and databases. Notion's ids identify pages, so later exports replace them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ....schemas import Notice, Rejected, TextDocument
from ....schemas.errors import SourceError
from ....schemas.times import rfc3339
from ...connector import Member, ReadOptions, Record, Source
from ...errors import refusal
from ...files.file_connector import DocumentConnector
from ...files.whole_files import encoding_notices, whole_text
from ...opening.left_out import files_left_out
from ...opening.tracked_member import COPY, count_left_out, count_read
from ...record_faults import records_at
from ...text.chat_lines import FileState
from ...text.csv_rows import csv_rows
from .dates import property_date
from .detection import CERTAIN, score
from .names import NotionName, notion_name, without_id
from .pages import Page, html_page, markdown_page, plain_value, row_text

NAME = "notion"
_WRITTEN = (
    *("date", "created time", "created", "created at", "date created"),
    *("erstellt", "erstellt am", "date de création", "créé le", "fecha de creación", "data di creazione"),
    *("作成日時", "생성 일시", "创建时间", "建立時間"),
)
_UPDATED = (
    *("last edited time", "last edited", "last updated", "updated", "updated at", "modified"),
    *("zuletzt bearbeitet", "zuletzt aktualisiert", "dernière modification", "última edición", "ultima modifica"),
    *("最終更新日時", "최종 편집 일시", "上次编辑时间", "上次編輯時間"),
)
"""Notion's default names of these properties, in several languages; pages in HTML mark them whatever their names."""
_TAGS = ("tags", "tag")
_MOST_PROPERTIES = 100
_NEVER = re.compile(r"(?!)")
PAGE_READ = "row whose page was read"
"""The rule that leaves out a table row: its page contains all of it."""


class NotionConnector(DocumentConnector):
    """Reads exports of Notion, whose files belong together."""

    name = NAME
    certain = CERTAIN

    def score(self, member: Member) -> float:
        """Return a high score for pages with a Notion id in name, links or HTML, and tables with one in their name."""
        return score(member)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read the pages in the order of the source, then the rows of databases that have no page."""
        yield from _Reading(source, options).records()


@dataclass(slots=True)
class _Database:
    """A table, and the folder with the pages of its rows."""

    member: Member
    name: NotionName
    columns: list[str] = field(default_factory=list[str])
    pages: Counter[str] = field(default_factory=Counter[str])
    """The titles of rows that were read as pages, with their counts."""


class _Reading:
    """The reading of one export. Keeps the names of files and the titles of database rows in memory."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._source = source
        self._options = options
        self._members = sorted(source.members(), key=lambda member: member.name)
        self._seen: set[str] = set()
        self._titles: dict[str, str] = {}
        self._databases: dict[str, _Database] = {}
        self._by_title: dict[str, _Database] = {}
        self._views: list[Member] = []
        self._left: list[Member] = []
        self._pages: list[tuple[Member, NotionName | None]] = []
        self._unreadable = 0
        self._zone_told = False

    def records(self) -> Iterator[Record]:
        """Yield all documents, rejections and notices."""
        self._list()
        for database in self._databases.values():
            yield from self._guarded(database.member, self._columns(database))
        for member, name in self._pages:
            yield from self._guarded(member, self._page(member, name))
        for database in self._databases.values():
            yield from self._guarded(database.member, self._rows(database))
        for member in self._views:
            yield from self._guarded(member, self._copies(member))
        place = self._source.locator
        if self._views:
            hint = (
                f"{len(self._views)} table(s) show a part of what the table _all.csv beside them holds: that was read"
            )
            yield Notice(code="table-read-once", locator=place, hint=hint)
        if self._unreadable:
            hint = f"{self._unreadable} date(s) of pages can not be read in one way and were kept as text"
            yield Notice(code="date-unreadable", locator=place, hint=hint)
        yield from files_left_out(self._left, place)

    def _guarded(self, member: Member, records: Iterator[Record]) -> Iterator[Record]:
        try:
            for record in records_at(member.locator, lambda: records):
                count_read(member, isinstance(record, TextDocument))
                yield record
        except SourceError as error:
            if len(self._members) == 1:
                raise
            yield refusal(member.locator, error)

    def _list(self) -> None:
        for member in self._members:
            name = notion_name(member.name)
            if name is not None:
                self._titles.setdefault(name.page, name.title)
            if name is None or name.ending != "csv":
                if member.name.lower().endswith((".md", ".html", ".txt")):
                    self._pages.append((member, name))
                else:
                    self._left.append(member)
                continue
            folder = member.name[: -len("_all.csv" if name.every_row else ".csv")]
            other = self._databases.get(folder)
            if other is None or name.every_row > other.name.every_row:
                self._databases[folder] = _Database(member, name)
                if other is not None:
                    self._views.append(other.member)
            else:
                self._views.append(member)
        for folder, database in self._databases.items():
            above, slash, _ = folder.rpartition("/")
            self._by_title.setdefault(f"{above}{slash}{database.name.title}", database)

    def _columns(self, database: _Database) -> Iterator[Record]:
        with database.member.open() as stream:
            rows = csv_rows(stream, FileState(), _NEVER)
            database.columns = next((row for _, row in rows if row), list[str]())
        yield from ()

    def _database_of(self, path: str) -> _Database | None:
        """Return the database whose rows' pages are in this page's folder; newer exports omit the id from its name."""
        folder = path.rpartition("/")[0]
        return self._databases.get(folder) or self._by_title.get(folder)

    def _page(self, member: Member, name: NotionName | None) -> Iterator[Record]:
        decoded = whole_text(member)
        if isinstance(decoded, Rejected):
            yield decoded
            return
        if not decoded.text.strip():
            yield Rejected(locator=member.locator, reason="an empty page")
            return
        yield from encoding_notices(member, decoded)
        database = self._database_of(member.name)
        if decoded.text.lstrip("\ufeff \r\n\t").startswith("<"):
            page = html_page(decoded.text, self._titles)
        else:
            page = markdown_page(decoded.text, database.columns if database is not None else (), self._titles)
        if page is None:
            yield Rejected(locator=member.locator, reason="no page of Notion, or one nested too deep")
            return
        page_id = page.page or (name.page if name is not None else "")
        if not page_id:  # a renamed file: only its path identifies the page
            page_id = member.name
        if page_id in self._seen:
            yield Rejected(locator=member.locator, reason="another page has the same id")
            return
        self._seen.add(page_id)
        if database is not None:
            database.pages[_key(page.title)] += 1
        yield from self._document(f"{NAME}:{page_id}", page, member, database)

    def _rows(self, database: _Database) -> Iterator[Record]:
        """Yield the rows for which no page was read.

        Rows have no ids; the title and its number among equal titles identify them.
        """
        met: Counter[str] = Counter()
        with database.member.open() as stream:
            first = True
            for line, row in csv_rows(stream, FileState(), _NEVER):
                place = f"{database.member.locator}:{line}"
                if row is None:
                    yield Rejected(locator=place, reason="a row longer than a message may be")
                    continue
                if first:
                    first = False
                    continue
                if not any(row):
                    continue
                yield from records_at(place, self._row, database, row, met, place)

    def _row(self, database: _Database, row: list[str], met: Counter[str], place: str) -> Iterator[Record]:
        values = [plain_value(value) for value in row]
        title = " ".join(values[0].split())
        key = _key(title)
        if database.pages[key] > 0:
            database.pages[key] -= 1
            count_left_out(database.member, PAGE_READ)
            return
        cells = zip(database.columns[1:], values[1:], strict=False)
        properties = {name: value for name, value in cells if name and value}
        met[key] += 1
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        number = f":{met[key]}" if met[key] > 1 else ""
        page = Page(title or "Untitled", row_text(title or "Untitled", properties), properties)
        yield from self._document(
            f"{NAME}:{database.name.page}:{digest}{number}", page, database.member, database, place
        )

    def _copies(self, member: Member) -> Iterator[Record]:
        """Count the rows of a table that is contained in another one; none is read."""
        with member.open() as stream:
            rows = sum(row is None or any(row) for _, row in csv_rows(stream, FileState(), _NEVER))
        count_left_out(member, COPY, max(0, rows - 1))
        yield from ()

    def _document(
        self, identifier: str, page: Page, member: Member, database: _Database | None, place: str = ""
    ) -> Iterator[Record]:
        folders = [without_id(part) for part in member.name.split("/")[:-1]]
        if place and database is not None:
            folders.append(database.name.title)
        metadata = {
            "source": NAME,
            "title": page.title,
            "path": "/".join([*folders, page.title]),
            "media_type": "text/markdown",
        }
        if database is not None:
            metadata["database"] = database.name.title
        if page.links:
            metadata["links"] = json.dumps(page.links, ensure_ascii=False)
        timestamp = None
        by_name = {name.casefold(): value for name, value in page.properties.items()}
        for field_name, names in (("updated", _UPDATED), ("created", _WRITTEN)):
            value = page.times.get(field_name) or next((by_name[name] for name in names if by_name.get(name)), "")
            dated = property_date(value, self._options.zone) if value else None
            if dated is None:
                self._unreadable += bool(value)
                continue
            timestamp = dated.time
            metadata |= {field_name: rfc3339(dated.time), "time_precision": dated.precision}
            metadata.pop("zone_origin", None)
            if dated.naive:
                metadata["zone_origin"] = self._options.zone_origin
        if metadata.get("zone_origin") == "assumed" and not self._zone_told:
            self._zone_told = True
            hint = f"dates have no zone; they are taken for {self._options.zone}: --zone decides"
            yield Notice(code="zone-assumed", locator=place or member.locator, hint=hint)
        metadata |= _others(page.properties)
        tags = [tag.strip() for name in _TAGS for tag in by_name.get(name, "").split(",")]
        yield TextDocument(
            id=identifier,
            content=page.text,
            timestamp=timestamp,
            tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
            metadata=metadata,
        )


def _others(properties: Mapping[str, str]) -> dict[str, str]:
    kept = list(properties.items())[:_MOST_PROPERTIES]
    return {f"x-{name}": json.dumps(value, ensure_ascii=False) for name, value in kept}


def _key(title: str) -> str:
    return " ".join(title.split()).casefold()
