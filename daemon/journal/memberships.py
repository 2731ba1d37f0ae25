"""The journal's tables of the messages in each folder of an account, written along with the account's cursor.

A folder is a tag of the documents that have a message in it. When a message leaves a folder, a *check* is recorded:
once all documents journaled before it are stored, the store removes or restores the tag according to the contents of
the folders at that time.

The tables contain no text: messages are hashes of their ids, documents are keys.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from uuid import UUID

import orjson

from ...connectors.live.contract import FolderContents, FolderLosses, FolderRename, Membership, MessageTags

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
"""Tables that an older memd ignores. ``account``: its identity, because a source may read another account later.
``after``: the number of the last entry that was journaled before the check. The empty tag stands for a message in a
folder that gives it no tag. When a source is removed, its rows are deleted and the tags stay.
"""
SALVAGED = {
    "account_folders": ("id", "job", "account", "folder", "validity", "tag"),
    "memberships": ("folder", "number", "message", "document"),
    "tag_checks": ("id", "document", "message", "tag", "run", "after"),
}
_AT_ONCE = 500
"""The maximum number of checks taken at a time."""
_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class TagCheck:
    """A tag of a document, and whether a folder of that name contains a message of it."""

    id: int
    """The number of the check; a later check of the same tag has another one."""
    document: UUID
    tag: str
    run: str
    """The run that found the change."""
    given: bool


def message_hash(message: str) -> bytes:
    """Return the hash that identifies a message in these tables."""
    return blake2b(message.encode("utf-8", "surrogatepass"), digest_size=8).digest()


@dataclass(slots=True)
class MembershipChanges:
    """The folder changes of a batch of an account, for the transaction that stores its documents.

    Args:
        job: the job that reads the account.
        account: the identity of the account.
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
    """True if `save` recorded any checks."""

    def save(self, connection: sqlite3.Connection, run: str, stored: Collection[UUID] = ()) -> None:
        """Write the changes; do nothing if the source has been removed.

        Args:
            connection: the connection of the transaction.
            run: the run that read them.
            stored: documents of the batch that the store already has unchanged, so that storing will not give them
                their tags.
        """
        if connection.execute("SELECT 1 FROM jobs WHERE job = ?", (self.job,)).fetchone() is None:
            return
        others = "(SELECT id FROM account_folders WHERE job = ? AND account != ?)"
        account = (self.job, self.account)
        connection.execute(f"DELETE FROM memberships WHERE folder IN {others}", account)  # noqa: S608 - ours
        connection.execute(f"DELETE FROM account_folders WHERE id IN {others}", account)  # noqa: S608 - ours
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
        """Return the changes to write with some documents of the batch: their folders and, with the last documents, all
        the rest.
        """
        members = [each for each in self.members if each.document in documents]
        if last:
            return replace(self, members=members)
        return replace(self, renames=(), members=members, tags=(), losses=(), contents=())

    def _rename(self, noting: _Noting) -> None:
        """Rename all folders at once, because one may take the former name of another."""
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
        """Change the tags of messages whose folder rows are known."""
        connection = noting.connection
        rows: dict[tuple[str, int], dict[int, str]] = {}
        for each in self.tags:
            place = (each.folder, each.validity)
            if place not in rows:
                rows[place] = {
                    row.id: row.tag for row in self._folders(connection, each.folder) if row.validity == place[1]
                }
            tags = rows[place]
            rows_found = connection.execute(
                "SELECT folder, message, document FROM memberships WHERE number = ? AND folder IN"
                " (SELECT value FROM json_each(?))",
                (each.number, orjson.dumps(list(tags)).decode()),
            ).fetchall()
            wanted = {*(each.tags or ("",))}
            present = {tags[folder] for folder, _, _ in rows_found}
            for folder, _, _ in rows_found:
                if tags[folder] not in wanted:
                    noting.remove(_Folder(folder, each.validity, tags[folder]), each.number, each.number)
            for tag in sorted(wanted - present) if rows_found else ():
                number = _number(connection, self.job, self.account, *place, tag)
                tags[number] = tag
                _, message, document = rows_found[0]
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
    """Records checks of one run; those of a whole folder in one statement, because its members may be very many."""

    connection: sqlite3.Connection
    run: str
    after: int
    noted: bool = False

    def add(self, checks: Iterable[tuple[bytes, bytes, str]]) -> None:
        """Record these checks, without repeats."""
        rows = [(*check, self.run, self.after) for check in dict.fromkeys(checks) if check[-1]]
        self.connection.executemany(f"{_NOTE} VALUES (?, ?, ?, ?, ?)", rows)
        self.noted |= bool(rows)

    def all_of(self, folder: int, tags: Sequence[str], first: int = 0, last: int = _LARGEST) -> None:
        """Record checks of these tags for the members in a range of numbers; the tags of one member are adjacent."""
        if not (tags := [each for each in tags if each]):
            return
        values = ", ".join("(?)" for _ in tags)
        inserted = self.connection.execute(
            f"{_NOTE} WITH tags (tag) AS (VALUES {values}) SELECT document, message, tag, ?, ?"  # noqa: S608 - ours
            " FROM memberships CROSS JOIN tags WHERE folder = ? AND number BETWEEN ? AND ? ORDER BY number",
            (*tags, self.run, self.after, folder, first, last),
        )
        self.noted |= inserted.rowcount > 0

    def remove(self, row: _Folder, first: int = 0, last: int = _LARGEST) -> None:
        """Remove the members in a range of numbers; without a range, all of them and the folder."""
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
    """Yield the ranges before, between and behind these ranges."""
    first = 1
    for begin, end in ranges:
        if begin > first:
            yield first, begin - 1
        first = end + 1
    yield first, _LARGEST


def due_checks(connection: sqlite3.Connection) -> list[TagCheck]:
    """Return the checks that precede every queued entry, each with the present state of its tag."""
    rows = connection.execute(
        "SELECT id, document, tag, run, EXISTS (SELECT 1 FROM memberships m JOIN account_folders f ON f.id = m.folder"
        " WHERE m.document = c.document AND f.tag = c.tag) FROM tag_checks c WHERE after <"
        " coalesce((SELECT min(seq) FROM entries WHERE state = 'queued' AND buffer = ''), ?) ORDER BY id LIMIT ?",
        (_LARGEST, _AT_ONCE),
    )
    return [
        TagCheck(number, UUID(bytes=document), tag, run, bool(present)) for number, document, tag, run, present in rows
    ]


def lasting_runs(connection: sqlite3.Connection, runs: Collection[str], run: str) -> set[str]:
    """Return those of ``runs`` whose tags are permanent, because they read no account: imports, and sources of files.
    Omits runs that are no longer in the history.

    Args:
        connection: of the journal.
        runs: the candidates.
        run: the run of the account whose checks these are.
    """
    wanted = orjson.dumps(sorted(runs)).decode()
    rows = connection.execute(
        "SELECT run FROM runs WHERE run IN (SELECT value FROM json_each(?)) AND (job = '' OR job NOT IN"
        " (SELECT job FROM runs WHERE run = ? UNION SELECT job FROM account_folders))",
        (wanted, run),
    )
    return {name for (name,) in rows}


def end_checks(connection: sqlite3.Connection, checks: Iterable[TagCheck]) -> None:
    """Delete finished checks, except those recorded anew meanwhile."""
    connection.executemany("DELETE FROM tag_checks WHERE id = ?", [(each.id,) for each in checks])


def runs_with_checks(connection: sqlite3.Connection) -> set[str]:
    """Return the runs that have pending checks."""
    return {run for (run,) in connection.execute("SELECT DISTINCT run FROM tag_checks")}


def moves_of(homes: Mapping[UUID, Mapping[str, UUID]]) -> list[tuple[bytes, bytes, bytes]]:
    """Return the arguments for `move`: (new document, original document, message hash) for messages stored in other
    documents.
    """
    return [
        (home.bytes, original.bytes, message_hash(message))
        for original, moved in homes.items()
        for message, home in moved.items()
    ]


def move(connection: sqlite3.Connection, homes: Sequence[tuple[bytes, bytes, bytes]]) -> None:
    """Record that messages are stored in other documents than those in which they came."""
    connection.executemany("UPDATE memberships SET document = ? WHERE document = ? AND message = ?", homes)
    connection.executemany("UPDATE OR REPLACE tag_checks SET document = ? WHERE document = ? AND message = ?", homes)


def forget(connection: sqlite3.Connection, documents: Collection[UUID]) -> None:
    """Delete the folders and checks of documents of which something was forgotten; their remaining text keeps its tags."""
    keys = [(key.bytes,) for key in documents]
    connection.executemany("DELETE FROM memberships WHERE document = ?", keys)
    connection.executemany("DELETE FROM tag_checks WHERE document = ?", keys)
    # These are names of labels; the cursor holds folder names, too, as long as the account has them.
    connection.execute("DELETE FROM account_folders WHERE tag != folder AND id NOT IN (SELECT folder FROM memberships)")
