"""The persons that result from the decisions on names: merged identities, the user, and lookups by any name."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ...schemas.identity_links import mail_link, phone_link
from ...schemas.times import utc_microseconds
from ..people.decisions import THE_USER, Action, Decision, identity_key, labels_by_key, undone_numbers
from ..people.proposals import Identity
from ..text.names import folded
from .codec import utc_of, uuid_of
from .decision_cache import FollowedDecisions, key_parts, note_rewritten
from .errors import decoding
from .sql import rows_for


def decisions(connection: sqlite3.Connection, number: int | None = None) -> list[Decision]:
    """Return all decisions in order, or the one with this number."""
    columns = "SELECT id, action, at, keys, target FROM people_decisions"
    if number is None:
        rows = connection.execute(f"{columns} ORDER BY id")
    else:
        rows = connection.execute(f"{columns} WHERE id = ?", (number,))
    return [_decision(*row) for row in rows]


@decoding
def _decision(number: int, action: Action, at: int, keys: bytes, target: int | None) -> Decision:
    return Decision(number, action, utc_of(at), tuple(map(uuid_of, key_parts(keys))), target)


class Decided(NamedTuple):
    """The result of recording a decision."""

    number: int
    documents: set[int]
    """Row ids of documents that must be extracted again because of it."""
    changed: bool
    """True if any identity now belongs to another person."""


def decide(
    connection: sqlite3.Connection,
    action: Action,
    at: datetime,
    keys: Iterable[UUID],
    target: int | None = None,
    *,
    followed: FollowedDecisions | None = None,
) -> Decided:
    """Record a decision and update the persons accordingly.

    Args:
        connection: within a transaction.
        action: the kind of decision.
        at: the time of the decision.
        keys: the identities it is about; empty for an undo.
        target: the number of the decision that an undo takes back.
        followed: the cached log of this store's decisions; without it the log is read.
    """
    parts = [key.bytes for key in keys]
    log = followed or FollowedDecisions()
    if action != "merge":
        log.follow(connection)  # so that afterwards only this decision is new
    cursor = connection.execute(
        "INSERT INTO people_decisions (action, at, keys, target) VALUES (?, ?, ?, ?)",
        (action, utc_microseconds(at), b"".join(parts), target),
    )
    changed, documents = _follow(connection, action, parts, log)
    return Decided(int(cursor.lastrowid or 0), documents, changed)


def take_over(connection: sqlite3.Connection, decisions_to_add: Sequence[Decision]) -> set[int]:
    """Append the decisions of another store; return the row ids of documents that must be extracted again.

    A decision is identified by its time and action: one that exists already is not added again, even if the names it
    was about have been forgotten here since.
    """
    rows = connection.execute("SELECT at, action, id FROM people_decisions").fetchall()
    numbers_by_decision: dict[tuple[int, str], int] = {(at, action): number for at, action, number in rows}
    numbers: dict[int, int] = {}
    for each in decisions_to_add:
        moment = utc_microseconds(each.at)
        target = None if each.target is None else numbers.get(each.target)
        if (moment, each.action) not in numbers_by_decision and (target is not None or each.target is None):
            cursor = connection.execute(
                "INSERT INTO people_decisions (action, at, keys, target) VALUES (?, ?, ?, ?)",
                (each.action, moment, b"".join(key.bytes for key in each.keys), target),
            )
            numbers_by_decision[moment, each.action] = int(cursor.lastrowid or 0)
        if (moment, each.action) in numbers_by_decision:
            numbers[each.id] = numbers_by_decision[moment, each.action]
    return refresh_persons(connection) if len(numbers_by_decision) > len(rows) else set()


def _follow(
    connection: sqlite3.Connection, action: Action, keys: Sequence[bytes], followed: FollowedDecisions
) -> tuple[bool, set[int]]:
    """Apply a new decision to the persons, as `_write_persons`. A merge or split is computed from the affected persons
    alone, without the earlier decisions; an undo, and a split from the user, need the log.
    """
    statement = "SELECT DISTINCT person FROM persons WHERE key IN ({})"
    people = [row[0] for row in rows_for(connection, statement, keys)]
    statement = "SELECT key, person FROM persons WHERE person IN ({})"
    before: dict[bytes, str] = dict(rows_for(connection, statement, people))
    if action == "undo" or (action == "split" and any(before.get(key) == THE_USER for key in keys)):
        user_keys = [key.bytes for key in own_keys(connection)]
        concerned = followed.follow(connection)  # must come first: it may replace the log
        connected, made = followed.log.people(concerned, user_keys)
        rows = rows_for(connection, "SELECT key, person FROM persons WHERE key IN ({})", connected)
        return _write_persons(connection, dict(rows), made)
    members: defaultdict[str, list[bytes]] = defaultdict(list)
    for key, person in before.items():
        members[person].append(key)
    user_keys = members.pop(THE_USER, [])
    merged: list[tuple[Action, Sequence[bytes]]] = [("merge", some) for some in members.values()]
    return _write_persons(connection, before, labels_by_key([*merged, (action, keys)], user_keys))


def labels(connection: sqlite3.Connection) -> dict[UUID, str]:
    """Return the person of each identity that is merged with others or belongs to the user."""
    return {uuid_of(key): person for key, person in connection.execute("SELECT key, person FROM persons")}


def set_own_names(connection: sqlite3.Connection, names: Mapping[str, str]) -> None:
    """Store the user's names from the settings, by source; the empty source stands for all sources."""
    configured = {(source, _own_form(name)) for source, name in names.items() if name.strip()}
    if configured != set(connection.execute("SELECT source, name FROM own_names").fetchall()):
        connection.execute("DELETE FROM own_names")
        connection.executemany("INSERT INTO own_names VALUES (?, ?)", sorted(configured))
        refresh_persons(connection)


def _own_form(name: str) -> str:
    return mail_link(name) or phone_link(name) or folded(name.strip())


def refresh_persons(connection: sqlite3.Connection) -> set[int]:
    """Recompute ``persons`` from the decisions and the user's names. Documents in which an identity now belongs to
    another person are queued for extraction and returned as row ids: their known windows cost nothing, only their
    statements are regrouped.
    """
    before: dict[bytes, str] = dict(connection.execute("SELECT key, person FROM persons"))
    return _write_persons(connection, before, _replayed(connection))[1]


def _write_persons(
    connection: sqlite3.Connection, before: Mapping[bytes, str], made: Mapping[bytes, str]
) -> tuple[bool, set[int]]:
    """Replace the person labels; return whether any changed, and the row ids of documents queued for extraction."""
    changed = {key for key in made.keys() | before.keys() if made.get(key) != before.get(key)}
    if not changed:
        return False, set()
    connection.executemany("DELETE FROM persons WHERE key = ?", [(key,) for key in changed])
    connection.executemany("INSERT INTO persons VALUES (?, ?)", [(key, made[key]) for key in changed if key in made])
    documents = _documents_of(connection, set(map(uuid_of, changed)))
    connection.executemany("INSERT OR IGNORE INTO unread VALUES (?)", [(document,) for document in documents])
    return True, documents


def made_persons(connection: sqlite3.Connection) -> dict[UUID, str]:
    """Return the persons computed from all decisions, which ``persons`` must match."""
    return {uuid_of(key): label for key, label in _replayed(connection).items()}


@decoding
def _replayed(connection: sqlite3.Connection) -> dict[bytes, str]:
    """Compute `made_persons` by the keys' bytes."""
    log = connection.execute("SELECT id, action, keys, target FROM people_decisions ORDER BY id").fetchall()
    undone = undone_numbers([(number, target) for number, _, _, target in log])
    steps = ((action, key_parts(keys)) for number, action, keys, _ in log if action != "undo" and number not in undone)
    return labels_by_key(steps, [key.bytes for key in own_keys(connection)])


_OWN = """
SELECT i.key FROM own_names o CROSS JOIN identities i ON i.folded = o.name
WHERE o.source = i.source OR (o.source = '' AND (instr(o.name, ' ') OR i.own > 0))
UNION SELECT i.key FROM own_names o CROSS JOIN identity_links l ON l.link = o.name
CROSS JOIN identities i ON i.source = l.source AND i.name = l.name WHERE o.source IN ('', i.source)
UNION SELECT i.key FROM own_names o CROSS JOIN identities i ON i.own > 0 AND i.source = o.source
WHERE (SELECT count(DISTINCT folded) FROM identities n WHERE n.own > 0 AND n.source = i.source) = 1
UNION SELECT i.key FROM identities i WHERE i.own > 0 AND EXISTS (SELECT 1 FROM own_names WHERE source = '')
AND (SELECT count(DISTINCT folded) FROM identities n WHERE n.own > 0 AND n.source = i.source) = 1
"""

_CALLED = """
SELECT i.name FROM own_names o CROSS JOIN identities i ON i.folded = o.name WHERE o.source = '' AND i.messages > 0
AND NOT EXISTS (SELECT 1 FROM identities n WHERE n.own > 0 AND n.source = i.source)
"""


def own_keys(connection: sqlite3.Connection) -> set[UUID]:
    """Return the identities that belong to the user: those with the user's name, address or number (a single-word name
    for all sources counts only where documents name it as their user); and, in a source whose user the settings name,
    the only name that its documents give their user. Several such names are proposed, not taken.
    """
    if connection.execute("SELECT 1 FROM own_names LIMIT 1").fetchone() is None:
        return set()
    return {uuid_of(row[0]) for row in connection.execute(_OWN)}


def _documents_of(connection: sqlite3.Connection, keys: Collection[UUID]) -> set[int]:
    """Return the row ids of documents with a statement by or about one of these identities."""
    documents: set[int] = set()
    matches: dict[tuple[str, str], bool] = {}
    rows = connection.execute(
        "SELECT s.document, d.source, json_extract(s.body, '$.speaker'), json_extract(s.body, '$.subject')"
        " FROM statements s JOIN documents d ON d.id = s.document WHERE json_valid(s.body)"
    )
    for document, source, *names in rows:
        for name in names:
            hit = matches.get((source, name))
            if hit is None:
                hit = matches[source, name] = identity_key(source, str(name)) in keys
            if hit:
                documents.add(document)
    return documents


def identities(connection: sqlite3.Connection) -> list[Identity]:
    """Return every named identity once per source and name; of several spellings the one with most messages."""
    links: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for source, name, link in connection.execute("SELECT source, name, link FROM identity_links ORDER BY link"):
        links[source, folded(name)].append(link)
    once: dict[UUID, Identity] = {}
    rows = connection.execute(
        "SELECT source, name, folded, key, messages, own FROM identities ORDER BY messages DESC, source, name"
    )
    for source, name, folded_name, key, messages, own_messages in rows:
        first = once.get(uuid_of(key))
        if first is None:
            own_links = tuple(dict.fromkeys(links[source, folded_name]))
            once[uuid_of(key)] = Identity(source, name, uuid_of(key), messages, own_links, own_messages)
        else:
            total = first.messages + messages
            once[first.key] = Identity(source, first.name, first.key, total, first.links, first.own + own_messages)
    return sorted(once.values(), key=lambda each: (-each.messages, each.source, each.name))


def own_sources(connection: sqlite3.Connection) -> set[str]:
    """Return the sources whose user the settings name and whose documents name several users."""
    rows = connection.execute(
        "SELECT source FROM identities WHERE own > 0 AND (source IN (SELECT source FROM own_names)"
        " OR EXISTS (SELECT 1 FROM own_names WHERE source = '')) GROUP BY source HAVING count(DISTINCT folded) > 1"
    )
    return {row[0] for row in rows}


def members_of(connection: sqlite3.Connection, names: Collection[str]) -> dict[str, set[tuple[str, str]]]:
    """Return the people with one of these folded names, by label: all their (source, folded name) pairs."""
    members: dict[str, set[tuple[str, str]]] = {}
    statement = (
        "SELECT DISTINCT p.person FROM identities i CROSS JOIN persons p ON p.key = i.key WHERE i.folded IN ({})"
    )
    people = [row[0] for row in rows_for(connection, statement, names)]
    statement = (
        "SELECT p.person, i.source, i.folded FROM persons p CROSS JOIN identities i ON i.key = p.key"
        " WHERE p.person IN ({})"
    )
    for person, source, name in rows_for(connection, statement, people):
        members.setdefault(person, set()).add((source, name))
    return members


def merged_names(connection: sqlite3.Connection) -> list[set[str]]:
    """Return the written names of each person who has several."""
    by_person: defaultdict[str, set[str]] = defaultdict(set)
    rows = connection.execute(
        "SELECT p.person, i.name FROM persons p CROSS JOIN identities i ON i.key = p.key WHERE i.messages > 0"
    )
    for person, name in rows:
        by_person[person].add(name)
    return [names for names in by_person.values() if len(names) > 1]


def users_names(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the user who wrote messages: those that documents give their user, and those that the settings
    say. A name of one word that the settings say for all sources is the user's wherever no document of the source gives
    its user; it does not make one person of those who have it.
    """
    names = {
        name for (name,) in connection.execute("SELECT DISTINCT name FROM identities WHERE own > 0 AND messages > 0")
    }
    keys = [key.bytes for key in own_keys(connection)]
    names.update(
        name for (name,) in rows_for(connection, "SELECT name FROM identities WHERE messages > 0 AND key IN ({})", keys)
    )
    names.update(name for (name,) in connection.execute(_CALLED))
    return sorted(names)


def keys_of_people(
    connection: sqlite3.Connection, names: Collection[str], merged: Iterable[tuple[str, str]]
) -> set[bytes]:
    """Return the keys of all identities of the people with one of these folded names, or with one in its source,
    including identities of names that no document has any more.
    """
    keys = {row[0] for row in rows_for(connection, "SELECT key FROM identities WHERE folded IN ({})", names)}
    keys |= {identity_key(source, name).bytes for source, name in merged}
    people = {row[0] for row in rows_for(connection, "SELECT person FROM persons WHERE key IN ({})", keys)}
    return keys | {row[0] for row in rows_for(connection, "SELECT key FROM persons WHERE person IN ({})", people)}


def forget_keys(connection: sqlite3.Connection, keys: Collection[bytes]) -> None:
    """Remove those of these keys whose names no document has any more from the decisions, so that a forgotten person
    who comes back is not merged with anyone.
    """
    left = {row[0] for row in rows_for(connection, "SELECT key FROM identities WHERE key IN ({})", keys)}
    gone = frozenset(keys) - left
    if not gone:
        return
    rows = connection.execute("SELECT id, keys FROM people_decisions WHERE keys <> x''").fetchall()
    rewritten: list[tuple[bytes, int]] = []
    for number, joined in rows:
        parts = decoding(key_parts)(joined)
        if not gone.isdisjoint(parts):
            rewritten.append((b"".join(part for part in parts if part not in gone), number))
    if rewritten:
        connection.executemany("UPDATE people_decisions SET keys = ? WHERE id = ?", rewritten)
        note_rewritten(connection)
    refresh_persons(connection)


def forget_own_names(connection: sqlite3.Connection) -> None:
    """Delete configured user names that no stored name matches any more; the settings can supply them again."""
    connection.execute(
        "DELETE FROM own_names WHERE name NOT IN (SELECT folded FROM identities)"
        " AND name NOT IN (SELECT link FROM identity_links)"
    )


def document_keys(connection: sqlite3.Connection, documents: Collection[int]) -> list[UUID]:
    """Return the keys of these documents (row ids)."""
    rows = rows_for(connection, "SELECT key FROM documents WHERE id IN ({})", sorted(documents))
    return [uuid_of(row[0]) for row in rows]
