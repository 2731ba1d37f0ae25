"""The process that reads exports for the daemon: parsing does not block the event loop, and a crash does not end the
daemon.

The first line of standard input is one JSON object: ``root``, ``groups`` (lists of paths below it, as listed),
``options``, and ``recognise``. The process writes frames: a line ``<kind> <bytes>``, then that many bytes. The kinds,
group after group: ``K`` the format of the group's only file, if only that is requested; else ``D`` documents as JSON
lines, ``R`` a rejected record, ``N`` the notices of the group by their codes, ``F`` the receipt of the files read,
``E`` the reason why nothing (more) of the group could be read, ``G`` the end of the group. The process ends when its
standard input is closed.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import orjson

from ...connectors.connector import Member, ReadOptions
from ...connectors.errors import UnrecognisedError
from ...connectors.opening.member_subset import MemberSubset, subset_of
from ...connectors.opening.open_source import open_source
from ...connectors.reading.read_path import read_records
from ...connectors.reading.reading_log import ReadingLog
from ...connectors.reading.source_parts import claimant
from ...memory.supervision import describe_error
from ...schemas import Notice, Rejected, document_to_line
from ...schemas.errors import MemdError
from ..client import DOCUMENT_TOO_LARGE, REQUEST_CAP
from ..config.timezones import system_zone, zone_named
from ..notices import Notices

BLOCK_BYTES = 1024 * 1024
"""The size in bytes at which collected documents are sent."""
NICENESS = 10
"""The niceness of the process, so that searches take precedence."""


def main() -> None:
    """Read what the first line of standard input names, and write frames."""
    with suppress(OSError):  # a system call filter may forbid it: it then reads at the daemon's own priority
        os.nice(NICENESS)
    _die_first()
    order: dict[str, Any] = orjson.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    out = os.fdopen(1, "wb")
    try:
        for kind, body in frames(order):
            out.write(b"%s %d\n" % (kind, len(body)))
            out.write(body)
            out.flush()
    except BrokenPipeError:
        os._exit(0)  # the daemon has gone


def frames(order: dict[str, Any]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and body of each frame."""
    options = options_of(order["options"])
    try:
        source = open_source(order["root"])
        members: dict[str, Member] = {}
        for member in source.members():
            members.setdefault(member.name, member)  # of names that look alike the first wins, as in the scan
    except MemdError as error:
        source, members = None, {}
        failure = _told(error)
    else:
        failure = b""
    for group in order["groups"]:
        chosen = tuple(members[name] for name in group if name in members)
        if source is None:
            yield b"E", failure
        elif chosen and order.get("recognise"):
            yield b"K", _format_of(chosen[0], options)
        elif chosen:
            yield from _group_frames(subset_of(source, chosen), options)
        yield b"G", b""


def _format_of(member: Member, options: ReadOptions) -> bytes:
    try:
        return claimant(member, options).encode()
    except Exception:  # noqa: BLE001 - reading the file reports the error
        return b""


def _group_frames(source: MemberSubset, options: ReadOptions) -> Iterator[tuple[bytes, bytes]]:
    block: list[bytes] = []
    size = 0
    notices = Notices()
    log = ReadingLog()
    try:
        for record in read_records(source, options, log=log):
            if isinstance(record, Notice):
                notices.add(record)
                continue
            if isinstance(record, Rejected):
                yield b"R", orjson.dumps(record.to_wire())
                continue
            line = document_to_line(record)
            if len(line) > REQUEST_CAP:
                refused = Rejected(locator=record.id, reason=DOCUMENT_TOO_LARGE)
                frame = b"R", orjson.dumps(refused.to_wire())
                yield from [frame] * log.exports[-1].refuse(record, DOCUMENT_TOO_LARGE)
                continue
            block.append(line)
            size += len(line)
            if size >= BLOCK_BYTES:
                yield b"D", b"".join(block)
                block.clear()
                size = 0
    except Exception as error:  # noqa: BLE001 - any error in a parser is reported, without the file's text
        failure = _told(error)
    else:
        failure = b""
    if block:
        yield b"D", b"".join(block)
    if notices_json := notices.to_wire():
        yield b"N", orjson.dumps(notices_json)
    yield b"F", orjson.dumps(log.to_wire())
    if failure:
        yield b"E", failure


def _told(error: Exception) -> bytes:
    if isinstance(error, MemdError):
        unrecognised = isinstance(error, UnrecognisedError)
        return orjson.dumps({"reason": error.message, "hint": error.hint, "unrecognised": unrecognised})
    return orjson.dumps({"reason": describe_error(error), "hint": "", "unrecognised": False})


def options_of(fields: dict[str, Any]) -> ReadOptions:
    """Build the read options from plain JSON types."""
    zone = fields.get("zone")
    return ReadOptions(
        zone=zone_named(zone) if zone else system_zone(),
        zone_origin=fields.get("zone_origin", "assumed"),
        me=fields.get("me"),
        names=fields.get("names", {}),
        chat=fields.get("chat"),
        date_order=fields.get("date_order"),
        format=fields.get("format"),
        temporary=fields.get("temporary"),
    )


def _die_first() -> None:
    """Make the kernel end this process instead of the daemon when memory runs out."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123 - no path
        file.write("800")


def _end_with_parent() -> None:
    """Exit when standard input is closed: the daemon keeps it open as long as it lives."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
