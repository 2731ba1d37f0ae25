"""One run for people: what it read of which files, about what, and what it left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from .read_files import file_lines
from .sources import mirrored, outcome
from .terminal import clean, counted, one_line
from .wall_clock import local_time

_NAMED = 8
"""People, and chats, that a line names."""
_SUM = 12
"""Characters of a checksum that tell a file from others."""
LISTED = 20
"""Files of an export, and files left out, that have a line each; of more, only those of which something was rejected."""
LISTED_FLAWED = 100
"""So many of those."""
_ALL = "`--json` lists all"


def receipt_lines(run: Mapping[str, Any]) -> Iterator[str]:
    """The lines of `RunAnswer`."""
    ended = f"to {local_time(run['finished'])} " if run["finished"] else "going on "
    yield f"{run['run']}  {clean(run['source'])}"
    yield f"{local_time(run['started'])} {ended}{outcome(run)}{f'; {notes}' if (notes := mirrored(run)) else ''}"
    if run.get("undone"):
        yield f"undone {local_time(run['undone'])}: what no other run brought was taken back"
    if run.get("detail"):
        yield one_line(run["detail"], 300)
    if run.get("incomplete"):
        yield "incomplete: the command that read this has not told all of what it read: it is at work, or was stopped"
        again = run.get("complete_in")
        yield f"complete in run {again}" if again else "read the same paths again: that run tells all of them"
    for export in run["exports"]:
        yield ""
        yield from _export_lines(export)
    skipped = list(file_lines({"skipped": run["skipped"]}, all_of_them=len(run["skipped"]) <= LISTED))
    if skipped:
        yield ""
        yield from skipped
    if not run["exports"] and not skipped:
        yield "no files are known of it"


def _export_lines(export: Mapping[str, Any]) -> Iterator[str]:
    where = one_line(export["path"], 200) or "sent without a file"
    reader = f"{clean(export['format'])} (reader {export['version']})"
    rejected = sum(export["rejected"].values())
    left_out: Counter[str] = Counter()
    for file in export["files"]:
        left_out.update(file.get("left_out", {}))
    left = f", {left_out.total():,} left out" if left_out else ""
    counts = f"{counted(export['messages'], 'message')} in {counted(export['documents'], 'document')} read"
    yield f"{where}  {reader}"
    yield f"  {counts}, {rejected:,} rejected{left}{_changes(export)}"
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
    for rule, count in left_out.items():
        yield f"  left out: {count:,} {one_line(rule, 200)}"
    for code, count in export["notices"].items():
        yield f"  note: {count:,} [{one_line(code)}]"
    yield from _files_lines(export["files"])


def _files_lines(files: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Each file; of many, how many there are, and those of which something was rejected."""
    if len(files) <= LISTED:
        for file in files:
            yield from _file_lines(file, several=len(files) > 1)
        return
    counts = [file["messages"] for file in files if file.get("messages") is not None]
    gave = f" ({sum(map(bool, counts)):,} with messages)" if counts else ""
    yield f"  files: {len(files):,}{gave}, {sum(file.get('size') or 0 for file in files):,} bytes; {_ALL}"
    flawed = [file for file in files if file.get("rejected")]
    for file in islice(flawed, LISTED_FLAWED):
        yield from _file_lines(file, several=True)
    if len(flawed) > LISTED_FLAWED:
        yield f"  {counted(len(flawed) - LISTED_FLAWED, 'more file')} with records that were rejected; {_ALL}"


def _file_lines(file: Mapping[str, Any], *, several: bool) -> Iterator[str]:
    """One file; what of it was rejected or left out, where the export has ``several``."""
    size = f"{file['size']:,} bytes" if file.get("size") is not None else "size unknown"
    digest = f"  sha256 {file['sha256'][:_SUM]}…" if file.get("sha256") else ""
    messages = f"  {counted(file['messages'], 'message')}" if file.get("messages") is not None else ""
    role = f"  ({one_line(file['role'], 100)})" if file.get("role") else ""
    yield f"  file: {one_line(file['path'], 200)}  {size}{digest}{messages}{_changes(file)}{role}"
    if several:
        for name, word in (("rejected", "rejected"), ("left_out", "left out")):
            for reason, count in file.get(name, {}).items():
                yield f"    {word}: {count:,} {one_line(reason, 200)}"


def _changes(counts: Mapping[str, Any]) -> str:
    """Return the numbers of added and changed messages of an export or a file, if known."""
    return "" if counts.get("added") is None else f", {counts['added']:,} added, {counts['updated']:,} changed"
