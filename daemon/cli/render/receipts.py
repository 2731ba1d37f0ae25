"""One run for people: what it read of which files, about what, and what it left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .read_files import file_lines
from .sources import outcome
from .terminal import clean, counted, local_time, one_line

_NAMED = 8
"""People, and chats, that a line names."""
_SUM = 12
"""Characters of a checksum that tell a file from others."""


def receipt_lines(run: Mapping[str, Any]) -> Iterator[str]:
    """The lines of `RunAnswer`."""
    ended = f"to {local_time(run['finished'])} " if run["finished"] else "going on "
    yield f"{run['run']}  {clean(run['source'])}"
    yield f"{local_time(run['started'])} {ended}{outcome(run)}"
    if run.get("undone"):
        yield f"undone {local_time(run['undone'])}: what no other run brought was taken back"
    if run.get("detail"):
        yield one_line(run["detail"], 300)
    for export in run["exports"]:
        yield ""
        yield from _export_lines(export)
    skipped = list(file_lines({"skipped": run["skipped"]}, all_of_them=True))
    if skipped:
        yield ""
        yield from skipped
    if not run["exports"] and not skipped:
        yield "no files are known of it"


def _export_lines(export: Mapping[str, Any]) -> Iterator[str]:
    where = one_line(export["path"], 200) or "sent without a file"
    reader = f"{clean(export['format'])} (reader {export['version']})"
    rejected = sum(export["rejected"].values())
    several = len(export["files"]) > 1
    counts = f"{counted(export['messages'], 'message')} in {counted(export['documents'], 'document')} read"
    yield f"{where}  {reader}"
    yield f"  {counts}, {rejected:,} rejected{_changes(export)}"
    if export.get("first"):
        yield f"  {local_time(export['first'])} to {local_time(export['last'])}"
    for name, singular, plural in (("chats", "chat", "chats"), ("people", "person", "people")):
        told = export[name]
        if told["count"]:
            listed = ", ".join(one_line(each, 40) for each in told["names"][:_NAMED])
            more = ", …" if listed and told["count"] > min(_NAMED, len(told["names"])) else ""
            yield f"  {counted(told['count'], singular, plural)}{': ' if listed else ''}{listed}{more}"
    for reason, count in export["rejected"].items():
        yield f"  rejected: {count:,} {one_line(reason, 200)}"
    for code, count in export["notices"].items():
        yield f"  note: {count:,} [{one_line(code)}]"
    for file in export["files"]:
        size = f"{file['size']:,} bytes" if file.get("size") is not None else "size unknown"
        digest = f"  sha256 {file['sha256'][:_SUM]}…" if file.get("sha256") else ""
        messages = f"  {counted(file['messages'], 'message')}" if file.get("messages") is not None else ""
        yield f"  file: {one_line(file['path'], 200)}  {size}{digest}{messages}{_changes(file)}"
        if several:
            for reason, count in file.get("rejected", {}).items():
                yield f"    rejected: {count:,} {one_line(reason, 200)}"


def _changes(told: Mapping[str, Any]) -> str:
    """What the store took of an export or a file, where that is known."""
    return "" if told.get("added") is None else f", {told['added']:,} added, {told['updated']:,} changed"
