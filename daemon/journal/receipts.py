"""Receipts of runs in the journal: the files that each run read, and the counts. They contain names, but no text of
messages.
"""

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
"""The text that replaces a path which names a forgotten person."""
_LEAST_NAME = 3
"""The minimum length in characters of a name that is searched for in paths."""

Receipt = Mapping[str, Any]
"""A receipt in the form of `ReadingLog.to_wire`: ``exports`` and ``skipped``."""


@dataclass(slots=True)
class PlaceCounts:
    """The store's counts of added and updated messages, by the place in the receipt: ``1``, ``1/0`` or ``1/0/4``, the
    numbers of the part of the receipt, of an export in it and of a file of the export. With fewer than three numbers
    the export or file of a document is not known.
    """

    counts: dict[tuple[str, str], list[int]] = field(default_factory=dict[tuple[str, str], list[int]])

    def add(self, run: str, place: str, report: StoreReport) -> None:
        """Count the messages that were added and updated."""
        if place and (report.added or report.updated):
            counted = self.counts.setdefault((run, place), [0, 0])
            counted[0] += report.added
            counted[1] += report.updated

    def save(self, connection: sqlite3.Connection) -> None:
        """Add the counts to those of the runs; counts of deleted runs are dropped."""
        connection.executemany(
            "INSERT INTO place_counts (run, place, added, updated) SELECT ?1, ?2, ?3, ?4"
            " WHERE EXISTS (SELECT 1 FROM runs WHERE run = ?1) ON CONFLICT (run, place)"
            " DO UPDATE SET added = added + excluded.added, updated = updated + excluded.updated",
            [(*key, *counts) for key, counts in self.counts.items()],
        )


def expecting_receipt(run: str) -> Callable[[sqlite3.Connection], None]:
    """Return a function that records that the sender of a run will send its receipt; until then it is incomplete."""
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
    """Return a function that adds a receipt to a run, in the same transaction as its documents.

    Args:
        run: the run that read it.
        receipt: the files read.
        placed: the places of its documents are known. It replaces an incomplete receipt.
        more: it is incomplete until `going_on` adds the rest.
    """
    part = {**receipt, "exports": [*map(_saved, receipt["exports"])], "placed": placed}
    body = _packed(part | ({"incomplete": True} if more else {}))

    def work(connection: sqlite3.Connection) -> None:
        if placed and (row := _incomplete(connection, run)) is not None:
            connection.execute("UPDATE receipts SET body = ? WHERE run = ? AND number = ?", (body, run, row[0]))
            return
        connection.execute(
            "INSERT INTO receipts (run, number, body) SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM receipts"
            " WHERE run = ?1",
            (run, body),
        )

    return work


def going_on(run: str, receipt: Receipt, *, more: bool = False) -> Callable[[sqlite3.Connection], None]:
    """Return a function that appends the next part of a receipt that is sent in several requests; places of documents
    are numbered through all parts. ``more``: it is not the last part.
    """

    def work(connection: sqlite3.Connection) -> None:
        receipt_row = _incomplete(connection, run) or _last(connection, run)
        if receipt_row is None:
            raise NotFoundError("this run has no receipt to go on with")
        number, part = receipt_row
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
    """Return all that a run read. Documents that were sent without a file form one export. ``incomplete`` is present if
    parts of the receipt are missing, and ``complete_in`` if a later run read the same exports.
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
    result: dict[str, Any] = {"exports": exports, "skipped": skipped}
    if incomplete:
        again = _read_again(connection, run, exports)
        result |= {"incomplete": True} | ({"complete_in": again} if again else {})
    return result


def paths_read(connection: sqlite3.Connection, runs: Collection[str]) -> dict[str, list[str]]:
    """Return the paths of the exports that these runs read, in the order of their receipts; runs without a path are
    omitted.
    """
    statement = (
        "SELECT run, body FROM receipts WHERE run IN (SELECT value FROM json_each(?)) ORDER BY run, number"  # its index
    )
    paths: dict[str, list[str]] = {}
    for run, body in connection.execute(statement, (orjson.dumps([*runs]).decode(),)):
        for export in _read(body)["exports"]:
            if export["path"] and export["path"] not in paths.setdefault(run, []):
                paths[run].append(export["path"])
    return {run: names for run, names in paths.items() if names}


def keep_names(connection: sqlite3.Connection, names: Collection[str], chats: Collection[str]) -> int:
    """Remove from all receipts the people and chats that the memory no longer contains, and paths that name one; return
    the number of receipts that changed.

    Args:
        connection: of the journal, in a transaction.
        names: people in the memory, in folded case.
        chats: titles and ids of chats in the memory, in folded case.
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
        # Another receipt may list a file that names a person, also among the files that were not read.
        for each in (*part["exports"], *part["skipped"], *(f for e in part["exports"] for f in e["files"])):
            _hide_path(each, gone)
        if part != before:
            changed += 1
            connection.execute(
                "UPDATE receipts SET body = ? WHERE run = ? AND number = ?", (_packed(part), run, number)
            )
    return changed


def _count_changes(exports: list[dict[str, Any]], part: str, counts: Mapping[str, tuple[int, int]]) -> None:
    """Add the counts of the store to every export, and to every file that is read by itself."""
    for number, export in enumerate(exports):
        export_counts = [counts.get(f"{part}/{number}", (0, 0))]
        if len(exports) == 1:
            export_counts.append(counts.get(part, (0, 0)))
        elif part in counts:
            continue  # the export is not known
        for place, file in enumerate(export["files"]):
            file_counts = counts.get(f"{part}/{number}/{place}", (0, 0))
            export_counts.append(file_counts)
            if len(export["files"]) > 1 and "messages" in file and not export.get("together"):
                file["added"], file["updated"] = file_counts
        export["added"], export["updated"] = map(sum, zip(*export_counts, strict=True))


def _saved(export: Mapping[str, Any]) -> dict[str, Any]:
    """Return an export without the field that belongs to its sending."""
    return {name: value for name, value in export.items() if name != "rest"}


def _incomplete(connection: sqlite3.Connection, run: str) -> tuple[int, dict[str, Any]] | None:
    """Return the number and the body of the incomplete receipt; None if there is none."""
    rows = connection.execute("SELECT number, body FROM receipts WHERE run = ? ORDER BY number", (run,)).fetchall()
    return next(((number, part) for number, body in rows if "incomplete" in (part := _read(body))), None)


def _last(connection: sqlite3.Connection, run: str) -> tuple[int, dict[str, Any]] | None:
    """Return the receipt that was saved last: older senders do not announce that more follows."""
    row = connection.execute(
        "SELECT number, body FROM receipts WHERE run = ? ORDER BY number DESC LIMIT 1", (run,)
    ).fetchone()
    return None if row is None else (row[0], _read(row[1]))


def _read_again(connection: sqlite3.Connection, run: str, exports: Iterable[Mapping[str, Any]]) -> str:
    """Return the first later run with a complete receipt of all these exports; empty if there is none."""
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


def _keep(listing: dict[str, Any], names: Collection[str]) -> set[str]:
    """Keep the known names in the list; return the removed ones, in folded case."""
    gone = {name for name in listing["names"] if folded(name) not in names}
    listing["names"] = [name for name in listing["names"] if name not in gone]
    return {folded(name) for name in gone}


def _hide_path(entry: dict[str, Any], names: Iterable[str]) -> None:
    path = folded(str(entry.get("path", "")))
    if any(len(name) >= _LEAST_NAME and name in path for name in names):
        entry["path"] = REMOVED
        entry.pop("sha256", None)


def _add(sent: dict[str, Any], export: Mapping[str, Any]) -> None:
    """Add the counts of documents that were sent later to the earlier ones."""
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
