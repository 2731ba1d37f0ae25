"""Sorts mails from file order into threads, with temporary files on disk and bounded memory.

One file holds the mails one after the other; a database holds the data for threading and the offset of each mail.

Threads are sets of mails that are linked by ids: a mail is linked with those that it answers, present or not. A mail
without references is linked with an earlier one only if its subject marks it as a reply, the mails share people, and at
most 30 days lie between. A subject alone links nothing.

Neither file has a name in any folder, and both are deleted when they are closed.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from hashlib import blake2b
from itertools import groupby
from typing import Any, NamedTuple, Self, cast

import orjson

from ....schemas.errors import SourceError
from ....schemas.model import valid_unicode
from ....schemas.wire import mended
from .links import LinkedSets

SUBJECT_DAYS = 30
_MOST_CANDIDATES = 50
_BATCH = 500
"""The number of rows that are written to the database at once."""
_MICROSECONDS_A_DAY = 86_400_000_000
_SCHEMA = """
CREATE TABLE known (node INTEGER PRIMARY KEY, seq INTEGER);
CREATE TABLE mail (seq INTEGER PRIMARY KEY, node INTEGER, time INTEGER, labels TEXT, topic INTEGER, reply INTEGER,
                   sender TEXT, people TEXT, name TEXT, place INTEGER, size INTEGER);
CREATE TABLE link (one INTEGER, other INTEGER);
"""
_SEPARATOR = "\0"
"""The separator of labels."""


class Header(NamedTuple):
    """The fields of a mail that threading needs."""

    key: str
    time: int
    """The time in microseconds since 1970."""
    address: str
    name: str
    """The sender's name."""
    linked: Sequence[str]
    """The keys of the mails that it follows."""
    strong: Sequence[str] = ()
    """The names of threads that the source itself gives, such as Gmail's."""
    subject: str = ""
    """The subject without prefixes, in lower case."""
    is_reply: bool = False
    """True if the subject has the prefix of a reply."""
    people: Sequence[str] = ()
    """The addresses of the recipients."""


class Spooled(NamedTuple):
    """A mail as read back from the spool."""

    data: dict[str, Any]
    labels: tuple[str, ...]


class ThreadSpool:
    """Takes mails in any order and yields them by thread. A context manager; leaving it deletes everything.

    Raises:
        SourceError: from every method, when the temporary database cannot be written.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._open.callback(self._database.close)
        self._count = 0
        self._replies = 0
        self._written = 0
        """The number of bytes in the file."""
        self._mails: list[tuple[object, ...]] = []
        self._links: list[tuple[int, int]] = []
        """The rows that are still to be written."""
        for statement in (
            "PRAGMA journal_mode=OFF",
            "PRAGMA synchronous=OFF",
            "PRAGMA cache_size=-16000",
            "PRAGMA temp_store=FILE",
            "BEGIN",
        ):
            self._execute(statement)
        for statement in filter(str.strip, _SCHEMA.split(";")):
            self._execute(statement)
        self._database.create_function("fold", 1, _folded)
        try:
            file = tempfile.TemporaryFile(dir=_folder(), buffering=1 << 17)  # noqa: SIM115 - closed by the stack
        except OSError as error:
            self.close()
            raise _no_room() from error
        self._file = self._open.enter_context(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete everything."""
        with suppress(sqlite3.Error, OSError):
            self._open.close()

    @property
    def count(self) -> int:
        """The number of different mails in the spool."""
        return self._count

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise _no_room() from error

    def add(self, header: Header, data: Mapping[str, Any], labels: Iterable[str]) -> str:
        """Add a mail; return its key. A copy gets the key of the first one, and its labels are added to that one's.

        Some programs send different mails with one id; later ones get keys of their own. Lone surrogates become U+FFFD.
        """
        header, labels = _valid(header), [str(valid_unicode(label)) for label in labels]
        key, packed = header.key, _packed(data, header.key)  # first, because it may fail
        node = _node(key)
        if not self._is_new(node):
            if self._is_copy(node, header, labels):
                return key
            key = f"{key}#{blake2b(f'{header.address} {header.time}'.encode(), digest_size=4).hexdigest()}"
            node, packed = _node(key), _packed(data, key)
            if not self._is_new(node) and self._is_copy(node, header, labels):
                return key
        self._count += 1
        others = {*map(_node, header.linked), *(_node(f"\0{strong}") for strong in header.strong)} - {node}
        self._links += [(other, node) for other in others]
        reply = header.is_reply and not header.linked and not header.strong and bool(header.subject)
        self._replies += reply
        self._mails.append(
            (
                self._count,
                node,
                header.time,
                _SEPARATOR.join(dict.fromkeys(labels)),
                _node(header.subject),
                reply,
                header.address,
                " ".join(header.people),
                header.name,
                self._written,
                len(packed),
            )
        )
        try:
            self._written += self._file.write(packed)
        except OSError as error:
            raise _no_room() from error
        if len(self._mails) >= _BATCH:
            self._flush()
        return key

    def _flush(self) -> None:
        """Write the waiting rows."""
        try:
            self._database.executemany("INSERT INTO mail VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._mails)
            self._database.executemany("INSERT INTO link VALUES (?, ?)", self._links)
        except sqlite3.Error as error:
            raise _no_room() from error
        self._mails.clear()
        self._links.clear()

    def _is_new(self, node: int) -> bool:
        """Reserve the key for the next mail; return whether it was unused."""
        return self._execute("INSERT OR IGNORE INTO known VALUES (?, ?)", (node, self._count + 1)).rowcount == 1

    def _is_copy(self, node: int, header: Header, labels: Iterable[str]) -> bool:
        """Return whether the mail with this key is the same; if so, merge the labels."""
        self._flush()
        seq, sender, time, before = self._execute(
            "SELECT mail.seq, sender, time, labels FROM known JOIN mail USING (seq) WHERE known.node = ?", (node,)
        ).fetchone()
        if (sender, time) != (header.address, header.time):
            return False
        united = _SEPARATOR.join(dict.fromkeys([*filter(None, str(before).split(_SEPARATOR)), *labels]))
        if united != before:
            self._execute("UPDATE mail SET labels = ? WHERE seq = ?", (united, seq))
        return True

    def name_of(self, addresses: Sequence[str]) -> str:
        """Return the name most often used by senders with one of these addresses; empty if there is none."""
        self._flush()
        marks = ",".join("?" * len(addresses))
        row = self._execute(
            f"SELECT name FROM mail WHERE name <> '' AND sender IN ({marks}) "  # noqa: S608 - marks only
            "GROUP BY name ORDER BY COUNT(*) DESC, MIN(seq) LIMIT 1",
            tuple(addresses),
        ).fetchone()
        return str(row[0]) if row else ""

    def addresses_of(self, name: str) -> list[str]:
        """Return the addresses from which people of this name wrote."""
        self._flush()
        rows = self._execute("SELECT DISTINCT sender FROM mail WHERE fold(name) = ?", (name.casefold(),))
        return [str(row[0]) for row in rows]

    def threads(self) -> Iterator[Iterator[Spooled]]:
        """Yield the threads by the time of their first mail, each as its mails by time. Use one up before the next."""
        self._join_by_subject()
        self._flush()
        numbers = self._execute("SELECT one FROM link UNION SELECT other FROM link ORDER BY 1")
        sets = LinkedSets((row[0] for row in numbers), self._execute("SELECT one, other FROM link"))
        self._database.create_function("thread_of", 1, sets.find)
        self._execute(
            "CREATE TABLE ordered AS SELECT thread_of(node) AS thread, time, seq, labels, place, size FROM mail"
        )
        rows = self._execute(
            "SELECT thread, labels, place, size FROM (SELECT *, MIN(time) OVER alike AS first, MIN(seq) OVER alike AS earliest "
            "FROM ordered WINDOW alike AS (PARTITION BY thread)) ORDER BY first, earliest, time, seq"
        )
        try:
            self._file.flush()
        except OSError as error:
            raise _no_room() from error
        for _, group in groupby(rows, key=lambda row: cast("int", row[0])):
            yield (self._spooled(*row[1:]) for row in group)

    def _spooled(self, labels: str, place: int, size: int) -> Spooled:
        try:
            packed = os.pread(self._file.fileno(), size, place)
        except OSError as error:
            raise _no_room() from error
        return Spooled(orjson.loads(packed), tuple(filter(None, labels.split(_SEPARATOR))))

    def _join_by_subject(self) -> None:
        """Link replies without references with an earlier mail of the same subject and people."""
        self._flush()
        if not self._replies:
            return
        self._execute("CREATE INDEX by_topic ON mail (topic, time)")
        replies = self._execute("SELECT topic, time, seq, node, sender, people FROM mail WHERE reply = 1")
        for topic, time, seq, node, sender, people in replies:
            earlier = self._execute(
                "SELECT node, sender, people FROM mail WHERE topic = ? AND time BETWEEN ? AND ? AND seq <> ? "
                "ORDER BY time DESC, seq DESC LIMIT ?",
                (topic, time - SUBJECT_DAYS * _MICROSECONDS_A_DAY, time, seq, _MOST_CANDIDATES),
            )
            ours = {*str(people).split(), str(sender)}
            for other, author, theirs in earlier:
                everybody = {*str(theirs).split(), str(author)}
                if str(author) in ours and len(ours & everybody) > 1:
                    self._links.append((cast("int", other), cast("int", node)))
                    if len(self._links) >= _BATCH:
                        self._flush()
                    break


def _folder() -> str | None:
    """Return a folder for temporary files, chosen as SQLite does: on disk rather than in memory."""
    folders = (os.environ.get("SQLITE_TMPDIR"), os.environ.get("TMPDIR"), "/var/tmp")  # noqa: S108 - the file has no name
    return next((folder for folder in folders if folder and os.access(folder, os.W_OK | os.X_OK)), None)


def _no_room() -> SourceError:
    return SourceError(
        "the temporary file for threads of mail cannot be written",
        hint="is there room in the folder for temporary files (SQLITE_TMPDIR, /var/tmp)?",
    )


def _valid(header: Header) -> Header:
    return header._replace(
        key=str(valid_unicode(header.key)),
        address=str(valid_unicode(header.address)),
        name=str(valid_unicode(header.name)),
        linked=[str(valid_unicode(key)) for key in header.linked],
        people=[str(valid_unicode(address)) for address in header.people],
    )


def _packed(data: Mapping[str, Any], key: str) -> bytes:
    whole = {**data, "id": key}
    try:
        return orjson.dumps(whole)
    except TypeError:  # lone surrogates
        return orjson.dumps(mended(whole))


def _folded(name: str) -> str:
    return name.casefold()


def _node(key: str) -> int:
    """Return a number for a key, for SQLite. It differs between processes, but the spool lives in one."""
    return hash(key)
