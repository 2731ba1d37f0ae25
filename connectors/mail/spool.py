"""Mails on their way from the order of a file into threads: kept in a temporary database on disk, in bounded memory.

Threads are sets of mails that are linked by ids: a mail is linked with those that it answers, whether they are there or
not. A mail without any reference is linked with an earlier one only where the subject says that it is a reply, some of
its people are the same, and no more than 30 days lie between. A subject alone links nothing.

The database has no name in any folder, and is gone when it is closed.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from typing import Any, Self, cast

import orjson

from ...schemas.errors import SourceError
from .links import LinkedSets

SUBJECT_DAYS = 30
_MOST_CANDIDATES = 50
_COMPRESSED = 16 * 1024
"""Bytes from which on a mail is kept compressed."""
_MICROSECONDS_A_DAY = 86_400_000_000
_SCHEMA = """
CREATE TABLE mail (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, address TEXT, name TEXT, time INTEGER, data BLOB);
CREATE TABLE place (seq INTEGER PRIMARY KEY, node INTEGER, time INTEGER, labels TEXT,
                    topic INTEGER, reply INTEGER, sender TEXT, people TEXT);
CREATE TABLE link (one INTEGER, other INTEGER);
"""
_SEPARATOR = "\0"
"""Between labels."""


@dataclass(frozen=True, slots=True)
class Header:
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


@dataclass(frozen=True, slots=True)
class Spooled:
    """A mail as it comes out again."""

    data: dict[str, Any]
    labels: tuple[str, ...]


class ThreadSpool:
    """Takes mails in any order and gives them out by thread. A context manager: leaving it deletes everything.

    Raises:
        SourceError: from every method, when the temporary database cannot be written.
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._count = 0
        self._replies = 0
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete everything."""
        with suppress(sqlite3.Error):
            self._database.close()

    @property
    def count(self) -> int:
        """How many different mails were taken in."""
        return self._count

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise SourceError(
                "the temporary file for threads of mail cannot be written",
                hint="is there room in the folder for temporary files (SQLITE_TMPDIR, /var/tmp)?",
            ) from error

    def add(self, header: Header, data: Mapping[str, Any], labels: Iterable[str]) -> bool:
        """Take a mail in; false for one more copy of a mail, whose labels are added to the first one's.

        Of different mails with one id, as some programs send them, the later ones get keys of their own.
        """
        key = header.key
        if not self._insert(key, header, data):
            if self._is_copy(key, header, labels):
                return False
            key = f"{key}#{blake2b(f'{header.address} {header.time}'.encode(), digest_size=4).hexdigest()}"
            if not self._insert(key, header, data) and self._is_copy(key, header, labels):
                return False
        self._count += 1
        node = _node(key)
        others = {*map(_node, header.linked), *(_node(f"\0{strong}") for strong in header.strong)} - {node}
        for other in others:
            self._link(other, node)
        reply = header.is_reply and not header.linked and not header.strong and bool(header.subject)
        self._replies += reply
        labelled = _SEPARATOR.join(dict.fromkeys(labels))
        place = (
            self._count,
            node,
            header.time,
            labelled,
            _node(header.subject),
            reply,
            header.address,
            " ".join(header.people),
        )
        self._execute("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?)", place)
        return True

    def _link(self, one: int, other: int) -> None:
        self._execute("INSERT INTO link VALUES (?, ?)", (one, other))

    def _insert(self, key: str, header: Header, data: Mapping[str, Any]) -> bool:
        """Whether the key was new."""
        packed = orjson.dumps({**data, "id": key})
        packed = zlib.compress(packed, 1) if len(packed) >= _COMPRESSED else packed
        values = (self._count + 1, key, header.address, header.name, header.time, packed)
        return self._execute("INSERT OR IGNORE INTO mail VALUES (?, ?, ?, ?, ?, ?)", values).rowcount == 1

    def _is_copy(self, key: str, header: Header, labels: Iterable[str]) -> bool:
        """Whether the mail of this key is the same; its labels are united then."""
        known = self._execute(
            "SELECT mail.seq, address, mail.time, labels FROM mail JOIN place USING (seq) WHERE key = ?", (key,)
        ).fetchone()
        if known[1:3] != (header.address, header.time):
            return False
        before = str(known[3])
        united = _SEPARATOR.join(dict.fromkeys([*filter(None, before.split(_SEPARATOR)), *labels]))
        if united != before:
            self._execute("UPDATE place SET labels = ? WHERE seq = ?", (united, known[0]))
        return True

    def name_of(self, addresses: Sequence[str]) -> str:
        """The name under which somebody with one of these addresses writes most often; empty when there is none."""
        marks = ",".join("?" * len(addresses))
        found = self._execute(
            f"SELECT name FROM mail WHERE name <> '' AND address IN ({marks}) "  # noqa: S608 - marks only
            "GROUP BY name ORDER BY COUNT(*) DESC, MIN(seq) LIMIT 1",
            tuple(addresses),
        ).fetchone()
        return str(found[0]) if found else ""

    def addresses_of(self, name: str) -> list[str]:
        """The addresses from which somebody of this name wrote."""
        rows = self._execute("SELECT DISTINCT address FROM mail WHERE fold(name) = ?", (name.casefold(),))
        return [str(row[0]) for row in rows]

    def threads(self) -> Iterator[Iterator[Spooled]]:
        """The threads, by the time of their first mail; of each its mails, by time. Use one before asking for the next."""
        self._join_by_subject()
        numbers = self._execute("SELECT one FROM link UNION SELECT other FROM link ORDER BY 1")
        sets = LinkedSets((row[0] for row in numbers), self._execute("SELECT one, other FROM link"))
        self._database.create_function("thread_of", 1, sets.find)
        self._execute("CREATE TABLE ordered AS SELECT thread_of(node) AS thread, time, seq FROM place")
        rows = self._execute(
            "SELECT thread, seq FROM (SELECT thread, time, seq, MIN(time) OVER alike AS first, MIN(seq) OVER alike AS earliest "
            "FROM ordered WINDOW alike AS (PARTITION BY thread)) ORDER BY first, earliest, time, seq"
        )
        for _, group in groupby(rows, key=lambda row: cast("int", row[0])):
            yield (self._spooled(cast("int", row[1])) for row in group)

    def _spooled(self, seq: int) -> Spooled:
        row = self._execute("SELECT data, labels FROM mail JOIN place USING (seq) WHERE seq = ?", (seq,)).fetchone()
        packed, labels = cast("tuple[bytes, str]", row)
        plain = packed if packed[:1] == b"{" else zlib.decompress(packed)
        return Spooled(orjson.loads(plain), tuple(filter(None, labels.split(_SEPARATOR))))

    def _join_by_subject(self) -> None:
        """Link replies that name nothing with an earlier mail of their subject and of the same people."""
        if not self._replies:
            return
        self._execute("CREATE INDEX by_topic ON place (topic, time)")
        replies = self._execute("SELECT topic, time, seq, node, sender, people FROM place WHERE reply = 1")
        for topic, time, seq, node, sender, people in replies:
            earlier = self._execute(
                "SELECT node, sender, people FROM place WHERE topic = ? AND time BETWEEN ? AND ? AND seq <> ? "
                "ORDER BY time DESC, seq DESC LIMIT ?",
                (topic, time - SUBJECT_DAYS * _MICROSECONDS_A_DAY, time, seq, _MOST_CANDIDATES),
            )
            ours = {*str(people).split(), str(sender)}
            for other, author, theirs in earlier:
                everybody = {*str(theirs).split(), str(author)}
                if str(author) in ours and len(ours & everybody) > 1:
                    self._link(cast("int", other), cast("int", node))
                    break


def _folded(name: str) -> str:
    return name.casefold()


def _node(key: str) -> int:
    """A key as a number that SQLite keeps."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)
