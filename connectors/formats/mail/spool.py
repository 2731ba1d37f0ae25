"""Mails on their way from the order of a file into threads: kept in temporary files on disk, in bounded memory.

The mails themselves are one behind the other in a file; a database has what threading needs and where each mail lies.

Threads are sets of mails that are linked by ids: a mail is linked with those that it answers, whether they are there or
not. A mail without any reference is linked with an earlier one only where the subject says that it is a reply, some of
its people are the same, and no more than 30 days lie between. A subject alone links nothing.

Neither has a name in any folder, and both are gone when they are closed.
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
"""Rows that are written to the database at once."""
_MICROSECONDS_A_DAY = 86_400_000_000
_SCHEMA = """
CREATE TABLE known (node INTEGER PRIMARY KEY, seq INTEGER);
CREATE TABLE mail (seq INTEGER PRIMARY KEY, node INTEGER, time INTEGER, labels TEXT, topic INTEGER, reply INTEGER,
                   sender TEXT, people TEXT, name TEXT, place INTEGER, size INTEGER);
CREATE TABLE link (one INTEGER, other INTEGER);
"""
_SEPARATOR = "\0"
"""Between labels."""


class Header(NamedTuple):
    """What threading needs to know of a mail."""

    key: str
    time: int
    """Microseconds since 1970."""
    address: str
    name: str
    """The sender's."""
    linked: Sequence[str]
    """Keys of the mails that it follows."""
    strong: Sequence[str] = ()
    """Names of threads that the source itself gives, such as Gmail's."""
    subject: str = ""
    """Without prefixes, in small letters."""
    is_reply: bool = False
    """Whether the subject has the prefix of a reply."""
    people: Sequence[str] = ()
    """Addresses of everybody in it."""


class Spooled(NamedTuple):
    """A mail as it comes out again."""

    data: dict[str, Any]
    labels: tuple[str, ...]


class ThreadSpool:
    """Takes mails in any order and gives them out by thread. A context manager: leaving it deletes everything.

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
        """Bytes in the file."""
        self._mails: list[tuple[object, ...]] = []
        self._links: list[tuple[int, int]] = []
        """Rows that are still to be written."""
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
        """How many different mails were taken in."""
        return self._count

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise _no_room() from error

    def add(self, header: Header, data: Mapping[str, Any], labels: Iterable[str]) -> str:
        """Take a mail in; returns the key that it has, as its first copy, to whose labels those of another are added.

        Of different mails with one id, as some programs send them, the later ones get keys of their own. Lone surrogates
        become U+FFFD.
        """
        header, labels = _valid(header), [str(valid_unicode(label)) for label in labels]
        key, packed = header.key, _packed(data, header.key)  # nothing is written of a mail that is no JSON
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
        """Write the rows that wait."""
        try:
            self._database.executemany("INSERT INTO mail VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._mails)
            self._database.executemany("INSERT INTO link VALUES (?, ?)", self._links)
        except sqlite3.Error as error:
            raise _no_room() from error
        self._mails.clear()
        self._links.clear()

    def _is_new(self, node: int) -> bool:
        """Whether no mail had this key; the next one has it now."""
        return self._execute("INSERT OR IGNORE INTO known VALUES (?, ?)", (node, self._count + 1)).rowcount == 1

    def _is_copy(self, node: int, header: Header, labels: Iterable[str]) -> bool:
        """Whether the mail of this key is the same; its labels are united then."""
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
        """The name under which somebody with one of these addresses writes most often; empty when there is none."""
        self._flush()
        marks = ",".join("?" * len(addresses))
        found = self._execute(
            f"SELECT name FROM mail WHERE name <> '' AND sender IN ({marks}) "  # noqa: S608 - marks only
            "GROUP BY name ORDER BY COUNT(*) DESC, MIN(seq) LIMIT 1",
            tuple(addresses),
        ).fetchone()
        return str(found[0]) if found else ""

    def addresses_of(self, name: str) -> list[str]:
        """The addresses from which somebody of this name wrote."""
        self._flush()
        rows = self._execute("SELECT DISTINCT sender FROM mail WHERE fold(name) = ?", (name.casefold(),))
        return [str(row[0]) for row in rows]

    def threads(self) -> Iterator[Iterator[Spooled]]:
        """The threads, by the time of their first mail; of each its mails, by time. Use one before asking for the next."""
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
        """Link replies that name nothing with an earlier mail of their subject and of the same people."""
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
    """Where SQLite has its temporary files: the disk's rather than one in memory."""
    given = (os.environ.get("SQLITE_TMPDIR"), os.environ.get("TMPDIR"), "/var/tmp")  # noqa: S108 - the file has no name
    return next((folder for folder in given if folder and os.access(folder, os.W_OK | os.X_OK)), None)


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
    """A key as a number that SQLite keeps. It is another one in another process, which nothing here outlives."""
    return hash(key)
