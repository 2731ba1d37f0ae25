"""The journal's tables of which message lies in which folder of an account, written along with the cursor of the account.

A folder is a tag of the documents that have a message in it. When a message does not lie there any more, a *check* is noted: when
the documents that were journaled before it are stored, the store takes the tag away, or gives it back, by what lies where then.

Nothing here holds a word of anybody: messages are hashes of their ids, documents are keys.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from uuid import UUID

import orjson

from ...connectors.live import FolderContents, FolderLosses, FolderRename, Membership, MessageTags

TABLES = """
CREATE TABLE IF NOT EXISTS account_folders (
    id INTEGER PRIMARY KEY, job TEXT NOT NULL, account TEXT NOT NULL, folder TEXT NOT NULL, validity INTEGER NOT NULL,
    tag TEXT NOT NULL, UNIQUE (job, account, folder, validity, tag)
);
CREATE TABLE IF NOT EXISTS memberships (
    folder INTEGER NOT NULL, number INTEGER NOT NULL, message BLOB NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (folder, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS memberships_by_document ON memberships (document, message);
CREATE TABLE IF NOT EXISTS tag_checks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document BLOB NOT NULL, message BLOB NOT NULL, tag TEXT NOT NULL, run TEXT NOT NULL,
    after INTEGER NOT NULL, UNIQUE (document, message, tag)
);
CREATE TRIGGER IF NOT EXISTS folders_of_jobs AFTER DELETE ON jobs BEGIN
    DELETE FROM memberships WHERE folder IN (SELECT id FROM account_folders WHERE job = old.job);
    DELETE FROM account_folders WHERE job = old.job;
END;
"""
"""What an older memd leaves alone. ``account``: whose it is, for a source may read another one later. ``after``: the number of the
last entry that was journaled before. The empty tag stands for a message that lies in a folder and has no tag there. What lies
where says nothing any more when a source is removed, and tags stay."""
SALVAGED = {
    "account_folders": ("id", "job", "account", "folder", "validity", "tag"),
    "memberships": ("folder", "number", "message", "document"),
    "tag_checks": ("id", "document", "message", "tag", "run", "after"),
}
_AT_ONCE = 500
"""Checks that are taken at once."""
_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class TagCheck:
    """A tag of a document, and whether something of it lies in a folder of that name."""

    id: int
    """A later check of the same has another one."""
    document: UUID
    tag: str
    run: str
    """That found it out."""
    given: bool


def message_hash(message: str) -> bytes:
    """By what a message is known here."""
    return blake2b(message.encode("utf-8", "surrogatepass"), digest_size=8).digest()


@dataclass(slots=True)
class MembershipChanges:
    """What a batch of an account changes, for the transaction that keeps its documents.

    Args:
        job: that reads the account.
        account: whose it is.
        documents: keys of the batch's documents, by their ids.
    """

    job: str
    account: str
    documents: Mapping[str, UUID]
    renames: Sequence[FolderRename] = ()
    members: Sequence[Membership] = ()
    tags: Sequence[MessageTags] = ()
    losses: Sequence[FolderLosses] = ()
    contents: Sequence[FolderContents] = ()
    noted: bool = False
    """Whether checks were noted, when it is saved."""

    def save(self, connection: sqlite3.Connection, run: str, stored: Collection[UUID] = ()) -> None:
        """Write it; nothing where the source was removed meanwhile.

        Args:
            connection: in whose transaction.
            run: that read it.
            stored: documents of the batch that the store has as they are, so that nothing else will give them their tags.
        """
        if connection.execute("SELECT 1 FROM jobs WHERE job = ?", (self.job,)).fetchone() is None:
            return
        others = "(SELECT id FROM account_folders WHERE job = ? AND account != ?)"
        own = (self.job, self.account)
        connection.execute(f"DELETE FROM memberships WHERE folder IN {others}", own)  # noqa: S608 - ours
        connection.execute(f"DELETE FROM account_folders WHERE id IN {others}", own)  # noqa: S608 - ours
        (after,) = connection.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
        noting = _Noting(connection, run, after)
        self._rename(noting)
        noting.add(self._put(connection, {key.bytes for key in stored}))
        self._tag(noting)
        for losses in self.losses:
            for row in self._folders(connection, losses.folder):
                if row.validity == losses.validity:
                    for first, last in losses.numbers:
                        noting.remove(row, first, last)
        for contents in self.contents:
            self._keep(noting, contents)
        self.noted |= noting.noted

    def part(self, documents: Collection[str], *, last: bool) -> MembershipChanges:
        """What is to be written with some documents of the batch: where they lie, and behind the last of them all the rest, once."""
        members = [each for each in self.members if each.document in documents]
        if last:
            return replace(self, members=members)
        return replace(self, renames=(), members=members, tags=(), losses=(), contents=())

    def _rename(self, noting: _Noting) -> None:
        """Give all folders their new names at once, for one may have the former name of another."""
        connection = noting.connection
        moved = [
            (rename, row)
            for rename in self.renames
            for row in self._folders(connection, rename.old)
            if row.validity == rename.validity
        ]
        numbers = [row.id for _, row in moved]
        for new in {rename.new for rename, _ in moved}:
            for row in self._folders(connection, new):
                if row.id not in numbers:
                    noting.remove(row)
        connection.executemany("DELETE FROM account_folders WHERE id = ?", [(number,) for number in numbers])
        for rename, row in moved:
            tag = rename.new if row.tag == rename.old else row.tag
            columns = "id, job, account, folder, validity, tag"
            place = (self.job, self.account, rename.new, row.validity, tag)
            connection.execute(
                f"INSERT OR IGNORE INTO account_folders ({columns}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608 - ours
                (row.id, *place),
            )
            if (number := _number(connection, *place)) != row.id:  # a label has the new name of the folder
                connection.execute("UPDATE OR REPLACE memberships SET folder = ? WHERE folder = ?", (number, row.id))
            if tag != row.tag:
                noting.all_of(number, (row.tag, tag))

    def _put(self, connection: sqlite3.Connection, stored: Collection[bytes]) -> Iterator[tuple[bytes, bytes, str]]:
        numbers: dict[tuple[str, int, str], int] = {}
        rows: list[tuple[int, int, bytes, bytes]] = []
        for each in self.members:
            document, message = self.documents[each.document].bytes, message_hash(each.message)
            for tag in each.tags or ("",):
                place = (each.folder, each.validity, tag)
                if place not in numbers:
                    numbers[place] = _number(connection, self.job, self.account, *place)
                rows.append((numbers[place], each.number, message, document))
                if document in stored:
                    yield document, message, tag
        connection.executemany(_PUT, rows)

    def _tag(self, noting: _Noting) -> None:
        """Give messages other tags, as far as it is known which they are."""
        connection = noting.connection
        rows: dict[tuple[str, int], dict[int, str]] = {}
        for each in self.tags:
            place = (each.folder, each.validity)
            if place not in rows:
                rows[place] = {
                    row.id: row.tag for row in self._folders(connection, each.folder) if row.validity == place[1]
                }
            tags = rows[place]
            found = connection.execute(
                "SELECT folder, message, document FROM memberships WHERE number = ? AND folder IN"
                " (SELECT value FROM json_each(?))",
                (each.number, orjson.dumps(list(tags)).decode()),
            ).fetchall()
            wanted = {*(each.tags or ("",))}
            has = {tags[folder] for folder, _, _ in found}
            for folder, _, _ in found:
                if tags[folder] not in wanted:
                    noting.remove(_Folder(folder, each.validity, tags[folder]), each.number, each.number)
            for tag in sorted(wanted - has) if found else ():
                number = _number(connection, self.job, self.account, *place, tag)
                tags[number] = tag
                _, message, document = found[0]
                connection.execute(_PUT, (number, each.number, message, document))
                noting.add([(document, message, tag)])

    def _keep(self, noting: _Noting, contents: FolderContents) -> None:
        for row in self._folders(noting.connection, contents.folder):
            if row.validity != contents.validity:
                noting.remove(row)
                continue
            for first, last in _gaps(contents.numbers):
                noting.remove(row, first, last)

    def _folders(self, connection: sqlite3.Connection, folder: str) -> list[_Folder]:
        rows = connection.execute(
            "SELECT id, validity, tag FROM account_folders WHERE job = ? AND account = ? AND folder = ?",
            (self.job, self.account, folder),
        )
        return [_Folder(*row) for row in rows.fetchall()]


@dataclass(frozen=True, slots=True)
class _Folder:
    id: int
    validity: int
    tag: str


_PUT = "INSERT OR REPLACE INTO memberships (folder, number, message, document) VALUES (?, ?, ?, ?)"
_NOTE = "INSERT OR REPLACE INTO tag_checks (document, message, tag, run, after)"


@dataclass(slots=True)
class _Noting:
    """Notes checks of one run; those of a whole folder without a list of its members, of which there may be very many."""

    connection: sqlite3.Connection
    run: str
    after: int
    noted: bool = False

    def add(self, checks: Iterable[tuple[bytes, bytes, str]]) -> None:
        """These, each once."""
        rows = [(*check, self.run, self.after) for check in dict.fromkeys(checks) if check[-1]]
        self.connection.executemany(f"{_NOTE} VALUES (?, ?, ?, ?, ?)", rows)
        self.noted |= bool(rows)

    def all_of(self, folder: int, tags: Sequence[str], first: int = 0, last: int = _LARGEST) -> None:
        """Those of some tags of the members with some numbers; the tags of one member behind each other."""
        if not (tags := [each for each in tags if each]):
            return
        values = ", ".join("(?)" for _ in tags)
        found = self.connection.execute(
            f"{_NOTE} WITH tags (tag) AS (VALUES {values}) SELECT document, message, tag, ?, ?"  # noqa: S608 - ours
            " FROM memberships CROSS JOIN tags WHERE folder = ? AND number BETWEEN ? AND ? ORDER BY number",
            (*tags, self.run, self.after, folder, first, last),
        )
        self.noted |= found.rowcount > 0

    def remove(self, row: _Folder, first: int = 0, last: int = _LARGEST) -> None:
        """Members with some numbers, or all with the folder."""
        self.all_of(row.id, (row.tag,), first, last)
        self.connection.execute(
            "DELETE FROM memberships WHERE folder = ? AND number BETWEEN ? AND ?", (row.id, first, last)
        )
        if (first, last) == (0, _LARGEST):
            self.connection.execute("DELETE FROM account_folders WHERE id = ?", (row.id,))


def _number(connection: sqlite3.Connection, *place: str | int) -> int:
    columns = "job, account, folder, validity, tag"
    connection.execute(f"INSERT OR IGNORE INTO account_folders ({columns}) VALUES (?, ?, ?, ?, ?)", place)  # noqa: S608 - ours
    where = columns.replace(",", " = ? AND")
    (number,) = connection.execute(f"SELECT id FROM account_folders WHERE {where} = ?", place).fetchone()  # noqa: S608 - ours
    return int(number)


def _gaps(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What lies before, between and behind ranges."""
    first = 1
    for begin, end in ranges:
        if begin > first:
            yield first, begin - 1
        first = end + 1
    yield first, _LARGEST


def due_checks(connection: sqlite3.Connection) -> list[TagCheck]:
    """Checks of what was journaled before everything that still waits, and what lies where now."""
    rows = connection.execute(
        "SELECT id, document, tag, run, EXISTS (SELECT 1 FROM memberships m JOIN account_folders f ON f.id = m.folder"
        " WHERE m.document = c.document AND f.tag = c.tag) FROM tag_checks c WHERE after <"
        " coalesce((SELECT min(seq) FROM entries WHERE state = 'queued' AND buffer = ''), ?) ORDER BY id LIMIT ?",
        (_LARGEST, _AT_ONCE),
    )
    return [TagCheck(number, UUID(bytes=document), tag, run, bool(given)) for number, document, tag, run, given in rows]


def lasting_runs(connection: sqlite3.Connection, runs: Collection[str], run: str) -> set[str]:
    """Those of some runs that gave tags for good, for they read no account: imports, and sources of files. Runs that the
    history does not know any more are none of them.

    Args:
        connection: of the journal.
        runs: of which it is asked.
        run: of the account whose checks these are.
    """
    wanted = orjson.dumps(sorted(runs)).decode()
    rows = connection.execute(
        "SELECT run FROM runs WHERE run IN (SELECT value FROM json_each(?)) AND (job = '' OR job NOT IN"
        " (SELECT job FROM runs WHERE run = ? UNION SELECT job FROM account_folders))",
        (wanted, run),
    )
    return {known for (known,) in rows}


def end_checks(connection: sqlite3.Connection, checks: Iterable[TagCheck]) -> None:
    """These are done, but for those that were noted anew meanwhile."""
    connection.executemany("DELETE FROM tag_checks WHERE id = ?", [(each.id,) for each in checks])


def runs_with_checks(connection: sqlite3.Connection) -> set[str]:
    """The runs of which checks wait."""
    return {run for (run,) in connection.execute("SELECT DISTINCT run FROM tag_checks")}


def moves_of(homes: Mapping[UUID, Mapping[str, UUID]]) -> list[tuple[bytes, bytes, bytes]]:
    """What `move` needs: by the documents in which messages came, the other ones in which they are stored."""
    return [
        (home.bytes, given.bytes, message_hash(message))
        for given, moved in homes.items()
        for message, home in moved.items()
    ]


def move(connection: sqlite3.Connection, homes: Sequence[tuple[bytes, bytes, bytes]]) -> None:
    """Messages are in other documents than those in which they came."""
    connection.executemany("UPDATE memberships SET document = ? WHERE document = ? AND message = ?", homes)
    connection.executemany("UPDATE OR REPLACE tag_checks SET document = ? WHERE document = ? AND message = ?", homes)


def forget(connection: sqlite3.Connection, documents: Collection[UUID]) -> None:
    """Something of these documents is forgotten: it is not known any more where they lie, and what is left keeps its tags."""
    keys = [(key.bytes,) for key in documents]
    connection.executemany("DELETE FROM memberships WHERE document = ?", keys)
    connection.executemany("DELETE FROM tag_checks WHERE document = ?", keys)
    # The names of labels; those of folders are in the cursor, too, as long as the account has them.
    connection.execute("DELETE FROM account_folders WHERE tag != folder AND id NOT IN (SELECT folder FROM memberships)")
