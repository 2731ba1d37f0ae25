"""Receipts of runs in the journal: what each read of which files. They hold names and no words of messages."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import orjson

from ...memory.text.names import folded

REMOVED = "(forgotten)"
"""Stands for a path that names somebody who was forgotten."""
_LEAST_NAME = 3
"""Characters of a name that is looked for inside paths."""

Receipt = Mapping[str, Any]
"""As `ReadingLog.to_wire` tells it: ``exports`` and ``skipped``."""


def saving_receipt(run: str, receipt: Receipt) -> Callable[[sqlite3.Connection], None]:
    """Adds to what a run read, in the same transaction as its documents."""
    body = zlib.compress(orjson.dumps(receipt))

    def work(connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT INTO receipts (run, number, body) SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM receipts"
            " WHERE run = ?1",
            (run, body),
        )

    return work


def receipt_of(connection: sqlite3.Connection, run: str) -> dict[str, Any]:
    """All that a run read. Documents that were sent without a file are one export."""
    exports: list[dict[str, Any]] = []
    skipped: list[dict[str, Any]] = []
    sent: dict[str, Any] | None = None
    for (body,) in connection.execute("SELECT body FROM receipts WHERE run = ? ORDER BY number", (run,)):
        part = _read(body)
        skipped += part["skipped"]
        for export in part["exports"]:
            if export["files"]:
                exports.append(export)
            elif sent is None:
                exports.append(export)
                sent = export
            else:
                _add(sent, export)
    return {"exports": exports, "skipped": skipped}


def keep_names(connection: sqlite3.Connection, names: Collection[str], chats: Collection[str]) -> int:
    """Take every person and chat out of all receipts that the memory does not know any more, and paths that name one;
    returns how many receipts changed.

    Args:
        connection: of the journal, in a transaction.
        names: people that are known, in folded case.
        chats: titles and ids of chats that are known, in folded case.
    """
    changed = 0
    rows = connection.execute("SELECT run, number, body FROM receipts").fetchall()
    for run, number, body in rows:
        part = _read(body)
        gone: set[str] = set()
        for export in part["exports"]:
            gone |= _keep(export["people"], names)
            gone |= _keep(export["chats"], {*chats, *names})
        if not gone:
            continue
        changed += 1
        for each in (*part["exports"], *part["skipped"], *(f for e in part["exports"] for f in e["files"])):
            _hide_path(each, gone)
        value = zlib.compress(orjson.dumps(part))
        connection.execute("UPDATE receipts SET body = ? WHERE run = ? AND number = ?", (value, run, number))
    return changed


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
