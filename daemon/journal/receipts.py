"""Receipts of runs in the journal: what each read of which files. They hold names and no words of messages."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from ...memory.text.names import folded
from ...schemas import StoreReport
from ...schemas.errors import NotFoundError

REMOVED = "(forgotten)"
"""Stands for a path that names somebody who was forgotten."""
_LEAST_NAME = 3
"""Characters of a name that is looked for inside paths."""

Receipt = Mapping[str, Any]
"""As `ReadingLog.to_wire` tells it: ``exports`` and ``skipped``."""


@dataclass(slots=True)
class PlaceCounts:
    """What the store made of documents, by the place of the receipt at which each was read: ``1``, ``1/0`` or ``1/0/4``, the
    number of the part of a receipt, of an export in it and of a file of that. With less than three numbers it is not known
    of which file or export a document is.
    """

    counts: dict[tuple[str, str], list[int]] = field(default_factory=dict[tuple[str, str], list[int]])

    def add(self, run: str, place: str, report: StoreReport) -> None:
        """Count what was added and changed."""
        if place and (report.added or report.updated):
            found = self.counts.setdefault((run, place), [0, 0])
            found[0] += report.added
            found[1] += report.updated

    def save(self, connection: sqlite3.Connection) -> None:
        """Add it to what is known of these runs; nobody asks for that of runs that are forgotten."""
        connection.executemany(
            "INSERT INTO place_counts (run, place, added, updated) SELECT ?1, ?2, ?3, ?4"
            " WHERE EXISTS (SELECT 1 FROM runs WHERE run = ?1) ON CONFLICT (run, place)"
            " DO UPDATE SET added = added + excluded.added, updated = updated + excluded.updated",
            [(*key, *counts) for key, counts in self.counts.items()],
        )


def expecting_receipt(run: str) -> Callable[[sqlite3.Connection], None]:
    """Notes that the sender of the first documents of a run is to tell what it read: until it did, its receipt is incomplete."""
    body = _packed({"exports": [], "skipped": [], "placed": True, "incomplete": True})

    def work(connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT INTO receipts (run, number, body) SELECT ?1, 1, ?2"
            " WHERE NOT EXISTS (SELECT 1 FROM receipts WHERE run = ?1)",
            (run, body),
        )

    return work


def saving_receipt(
    run: str, receipt: Receipt, *, placed: bool = False, more: bool = False
) -> Callable[[sqlite3.Connection], None]:
    """Adds to what a run read, in the same transaction as its documents.

    Args:
        run: that read it.
        receipt: what it read.
        placed: of its documents it is known where they were read. It takes the place of an incomplete one.
        more: it is incomplete until `going_on` brought the rest.
    """
    part = {**receipt, "exports": [*map(_saved, receipt["exports"])], "placed": placed}
    body = _packed(part | ({"incomplete": True} if more else {}))

    def work(connection: sqlite3.Connection) -> None:
        if placed and (found := _incomplete(connection, run)) is not None:
            connection.execute("UPDATE receipts SET body = ? WHERE run = ? AND number = ?", (body, run, found[0]))
            return
        connection.execute(
            "INSERT INTO receipts (run, number, body) SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM receipts"
            " WHERE run = ?1",
            (run, body),
        )

    return work


def going_on(run: str, receipt: Receipt, *, more: bool = False) -> Callable[[sqlite3.Connection], None]:
    """Puts the rest of a receipt that was sent in several requests to its beginning, as if it were one: places of documents
    count through all of it. ``more``: it is not the last of them.
    """

    def work(connection: sqlite3.Connection) -> None:
        found = _incomplete(connection, run) or _last(connection, run)
        if found is None:
            raise NotFoundError("this run has no receipt to go on with")
        number, part = found
        for export in receipt["exports"]:
            if export["rest"] and part["exports"]:
                part["exports"][-1]["files"] += export["files"]
            else:
                part["exports"].append(_saved(export))
        part["skipped"] += receipt["skipped"]
        if not more:
            part.pop("incomplete", None)
        connection.execute("UPDATE receipts SET body = ? WHERE run = ? AND number = ?", (_packed(part), run, number))

    return work


def receipt_of(connection: sqlite3.Connection, run: str) -> dict[str, Any]:
    """All that a run read. Documents that were sent without a file are one export. ``incomplete`` is there where not all of
    it was told, and ``complete_in`` where a later run read the same.
    """
    incomplete = False
    exports: list[dict[str, Any]] = []
    skipped: list[dict[str, Any]] = []
    sent: dict[str, Any] | None = None
    places = connection.execute("SELECT place, added, updated FROM place_counts WHERE run = ?", (run,)).fetchall()
    counts = {place: (added, updated) for place, added, updated in places}
    rows = connection.execute("SELECT number, body FROM receipts WHERE run = ? ORDER BY number", (run,)).fetchall()
    for number, body in rows:
        part = _read(body)
        if part.get("placed"):
            _count_changes(part["exports"], str(number), counts)
        skipped += part["skipped"]
        incomplete = incomplete or "incomplete" in part
        for export in part["exports"]:
            if export["files"]:
                exports.append(export)
            elif sent is None:
                exports.append(export)
                sent = export
            else:
                _add(sent, export)
    told: dict[str, Any] = {"exports": exports, "skipped": skipped}
    if incomplete:
        again = _read_again(connection, run, exports)
        told |= {"incomplete": True} | ({"complete_in": again} if again else {})
    return told


def keep_names(connection: sqlite3.Connection, names: Collection[str], chats: Collection[str]) -> int:
    """Take every person and chat out of all receipts that the memory does not know any more, and paths that name one;
    returns how many receipts changed.

    Args:
        connection: of the journal, in a transaction.
        names: people that are known, in folded case.
        chats: titles and ids of chats that are known, in folded case.
    """
    statement = "SELECT run, number, body FROM receipts"
    gone: set[str] = set()
    for _, _, body in connection.execute(statement):
        for export in _read(body)["exports"]:
            gone |= _keep(export["people"], names)
            gone |= _keep(export["chats"], {*chats, *names})
    if not gone:
        return 0
    changed = 0
    for run, number, body in connection.execute(statement).fetchall():
        part, before = _read(body), _read(body)
        for export in part["exports"]:
            _keep(export["people"], names)
            _keep(export["chats"], {*chats, *names})
        # A file that names somebody may be told by another receipt than the messages, also by one of files that were not read.
        for each in (*part["exports"], *part["skipped"], *(f for e in part["exports"] for f in e["files"])):
            _hide_path(each, gone)
        if part != before:
            changed += 1
            connection.execute(
                "UPDATE receipts SET body = ? WHERE run = ? AND number = ?", (_packed(part), run, number)
            )
    return changed


def _count_changes(exports: list[dict[str, Any]], part: str, counts: Mapping[str, tuple[int, int]]) -> None:
    """Tell with every export, and with every file that is read by itself, what the store took from it."""
    for number, export in enumerate(exports):
        own = [counts.get(f"{part}/{number}", (0, 0))]
        if len(exports) == 1:
            own.append(counts.get(part, (0, 0)))
        elif part in counts:
            continue  # it is not known from which of them
        for place, file in enumerate(export["files"]):
            found = counts.get(f"{part}/{number}/{place}", (0, 0))
            own.append(found)
            if len(export["files"]) > 1 and "messages" in file and not export.get("together"):
                file["added"], file["updated"] = found
        export["added"], export["updated"] = map(sum, zip(*own, strict=True))


def _saved(export: Mapping[str, Any]) -> dict[str, Any]:
    """An export without what says how it was sent."""
    return {name: value for name, value in export.items() if name != "rest"}


def _incomplete(connection: sqlite3.Connection, run: str) -> tuple[int, dict[str, Any]] | None:
    """The number and the body of the receipt of which the rest is missing."""
    rows = connection.execute("SELECT number, body FROM receipts WHERE run = ? ORDER BY number", (run,)).fetchall()
    return next(((number, part) for number, body in rows if "incomplete" in (part := _read(body))), None)


def _last(connection: sqlite3.Connection, run: str) -> tuple[int, dict[str, Any]] | None:
    """The receipt that was saved last: senders of older versions do not tell that more follows."""
    row = connection.execute(
        "SELECT number, body FROM receipts WHERE run = ? ORDER BY number DESC LIMIT 1", (run,)
    ).fetchone()
    return None if row is None else (row[0], _read(row[1]))


def _read_again(connection: sqlite3.Connection, run: str, exports: Iterable[Mapping[str, Any]]) -> str:
    """The first later run with a complete receipt that tells all of these exports; empty where there is none."""
    wanted = {(export["format"], export["path"]) for export in exports if export["path"]}
    later = connection.execute(
        "SELECT receipts.run, body FROM receipts JOIN runs USING (run)"
        " WHERE begun > (SELECT begun FROM runs WHERE run = ?) ORDER BY begun, number",
        (run,),
    )
    for other, body in later if wanted else ():
        part = _read(body)
        if "incomplete" not in part and wanted <= {(each["format"], each["path"]) for each in part["exports"]}:
            return str(other)
    return ""


def _packed(part: Mapping[str, Any]) -> bytes:
    return zlib.compress(orjson.dumps(part))


def _read(body: bytes) -> dict[str, Any]:
    return orjson.loads(zlib.decompress(body))


def _keep(told: dict[str, Any], known: Collection[str]) -> set[str]:
    """Keep the known names; returns the others, in folded case."""
    gone = {name for name in told["names"] if folded(name) not in known}
    told["names"] = [name for name in told["names"] if name not in gone]
    return {folded(name) for name in gone}


def _hide_path(told: dict[str, Any], names: Iterable[str]) -> None:
    path = folded(str(told.get("path", "")))
    if any(len(name) >= _LEAST_NAME and name in path for name in names):
        told["path"] = REMOVED
        told.pop("sha256", None)


def _add(sent: dict[str, Any], export: Mapping[str, Any]) -> None:
    """Count documents that were sent later with those before them."""
    for name in ("documents", "messages"):
        sent[name] += export[name]
    for name in ("rejected", "notices"):
        for key, count in export[name].items():
            sent[name][key] = sent[name].get(key, 0) + count
    for name in ("people", "chats"):
        both = list(dict.fromkeys([*sent[name]["names"], *export[name]["names"]]))
        sent[name] = {"count": max(sent[name]["count"], export[name]["count"], len(both)), "names": both}
    for name, choose in (("first", min), ("last", max)):
        times = [each[name] for each in (sent, export) if each.get(name)]
        if times:
            sent[name] = choose(times)
