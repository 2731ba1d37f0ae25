"""Lists the files of an ingest with their formats, and the skipped ones: for people, folded; for programs, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any

from .terminal import counted, one_line, place, say

LISTED = 1000
"""Files that an answer lists; the receipt of the run has all."""
APART = 12
"""Files of one export, and exports of one format, that have a line each; more are told as one."""
ALIKE = 3
"""Files of one kind that are left out with a line each; more are told as one."""
_PATH = 100


def files_of(receipt: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A receipt's files, one object each: ``path`` with ``format``, ``messages`` and what a file without messages is (``role``), or with ``skipped``, the reason. Files
    that are read together are one, with their number in ``files``.
    """
    entries: list[dict[str, Any]] = []
    for export in receipt.get("exports", ()):
        files: Sequence[Mapping[str, Any]] = export["files"]
        if len(files) > 1 and _are_apart(export):
            for f in files:
                entry = {"path": f["path"], "format": export["format"], "messages": f["messages"]}
                entries.append(entry | ({"role": f["role"]} if f.get("role") else {}))
            continue
        whole = {"path": export["path"], "format": export["format"], "messages": export["messages"]}
        entries.append(whole | ({"files": len(files)} if len(files) > 1 else {}))
    return entries + [dict(file) for file in receipt.get("skipped", ())]


def print_files(receipt: Mapping[str, Any], *, all_of_them: bool = False, told: Iterable[str] = ()) -> None:
    """A line for each file that was read or left out; many of one kind are told as one, unless ``all_of_them`` is given.

    Args:
        receipt: as `ReadingLog.to_wire` tells it.
        all_of_them: nothing is folded.
        told: paths that the user knows already not to be read.
    """
    for line in file_lines(receipt, all_of_them=all_of_them, told=told):
        say(line)


def file_lines(receipt: Mapping[str, Any], *, all_of_them: bool = False, told: Iterable[str] = ()) -> Iterator[str]:
    """The lines of `print_files`."""
    shown_names = frozenset(told)
    shown = [each for each in receipt.get("exports", ()) if each["messages"] or each["path"] not in shown_names]
    formats = Counter(export["format"] for export in shown)
    for export in shown:
        if all_of_them or formats[export["format"]] <= APART:
            yield from _export_lines(export, all_of_them=all_of_them)
    for name, number in formats.items():
        if number > APART and not all_of_them:
            yield _many_exports_line(name, [export for export in shown if export["format"] == name])
    skipped = [file for file in receipt.get("skipped", ()) if file["path"] not in shown_names]
    yield from _skipped_lines(skipped, all_of_them=all_of_them)


def _many_exports_line(name: str, exports: Sequence[Mapping[str, Any]]) -> str:
    """One line for many exports of one format, which lie in one folder as often as not."""
    folder = _shared_folder([str(export["path"]) for export in exports])
    where = f"{place(folder, _PATH)} " if folder else ""
    messages = counted(sum(int(export["messages"]) for export in exports), "message")
    return f"read: {name}: {where}({len(exports):,} exports; --verbose names each): {messages}"


def _export_lines(export: Mapping[str, Any], *, all_of_them: bool) -> Iterator[str]:
    files: Sequence[Mapping[str, Any]] = export["files"]
    whole = f"read: {export['format']}: {place(_folder_of(export), _PATH)}"
    with_names = len(files) > 1 and _are_apart(export)
    # A file that gave nothing, such as a hidden one, has a note or a reason of its own, and was not read as anything.
    gave = [file for file in files if file["messages"] or file.get("role")] if with_names and not all_of_them else files
    if with_names and gave and (all_of_them or len(gave) <= APART):
        for file in gave:
            what = one_line(file.get("role", "")) or counted(file["messages"], "message")
            yield f"read: {export['format']}: {place(file['path'], _PATH)}: {what}"
        silent = [str(file["path"]).rpartition("/")[2] for file in files if file not in gave]
        if silent:
            # A list of users, say: its name tells what it is.
            which = ", ".join(one_line(name, 40) for name in silent)
            yield f"{whole}: no message in {which if len(silent) <= ALIKE else counted(len(silent), 'more file')}"
        return
    part = f"{len(gave):,} of " if len(gave) < len(files) else ""
    number = f" ({part}{counted(len(files), 'file')})" if len(files) > 1 else ""
    yield f"{whole}{number}: {counted(export['messages'], 'message')}"
    if all_of_them and len(files) > 1:
        yield from (f"      {place(file['path'], _PATH)}" for file in files)


def _folder_of(export: Mapping[str, Any]) -> str:
    """The folder in which all files of an export lie, where that is inside what was read: `exp/zulip` of `exp`."""
    whole, paths = str(export["path"]), [str(file["path"]) for file in export["files"]]
    shared = _shared_folder(paths)
    return shared if shared.startswith(f"{whole.rstrip('/')}/") and len(paths) > 1 else whole


def _shared_folder(paths: Sequence[str]) -> str:
    """The innermost folder in which all these files lie; empty if there is none. They may be absolute or not."""
    folders = [path.split("/")[:-1] for path in paths]
    return "/".join(parts[0] for parts in takewhile(lambda each: len(set(each)) == 1, zip(*folders, strict=False)))


def _are_apart(export: Mapping[str, Any]) -> bool:
    """Return whether each file of an export stands for itself and has its own counts."""
    return not export.get("together") and all("messages" in file for file in export["files"])


def _skipped_lines(skipped: Sequence[Mapping[str, Any]], *, all_of_them: bool) -> Iterator[str]:
    kinds = sorted(skipped, key=_kind)
    for (reason, ending), group in groupby(kinds, key=_kind):
        files = list(group)
        if len(files) > ALIKE and not all_of_them:
            what = f"{ending} files" if ending else "files without an ending"
            yield f"left out: {len(files):,} {one_line(what, 30)}: {one_line(reason)}"
        else:
            yield from (f"left out: {place(file['path'], _PATH)}: {one_line(reason)}" for file in files)


def _kind(file: Mapping[str, Any]) -> tuple[str, str]:
    """Reason and ending."""
    name = str(file["path"]).rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return str(file["skipped"]), f".{ending.lower()}" if dot and stem else ""
