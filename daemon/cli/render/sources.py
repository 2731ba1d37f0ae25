"""Sources and runs as lines for people."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .terminal import clean, counted, one_line
from .wall_clock import local_time

_WRONG = {
    "absent": "the folder is not there",
    "overdue": "overdue: its time has passed and nothing ran",
    "interrupted": "its last runs did not end: `memd sync` tries it now",
    "failing": "the last run failed",
    "incomplete": "not everything could be read",
    "silent": "silent: nothing new for much longer than usual",
    "unreadable": "some files cannot be read",
    "schedule": "its schedule cannot be read, or is never due",
    "stopped": "stopped, until somebody does something:",
    "paused": "paused",
}
_FILES = {"unreadable": "cannot be read", "incomplete": "read in part", "left_out": "left out"}
_WEEKDAYS = ("Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays")
"""As crontab(5) counts them."""
_NAMED_FILES = 3
"""Files that the line of a run names."""
_COUNTS = ("added", "updated", "unchanged", "rejected", "failed", "forgotten")


_REFERENCE = re.compile(r": `memd sources show [^`]*` (?:names them|says why)\Z")
"""To what tells more of files, in what went wrong with a run."""


def source_lines(source: Mapping[str, Any], *, alone: bool = False) -> Iterator[str]:
    """A source: what it is, when it is read, how it is.

    Args:
        source: in its wire form.
        alone: its files and its runs are told behind this, so that nobody is sent to them, and nothing is told twice.
    """
    what = source["path"] or source["kind"]
    mirror = source.get("settings", {}).get("mirror")
    marks = [
        each for each, on in (("mirror", mirror), ("watched", source["watch"]), ("declared", source["declared"])) if on
    ]
    extra = f" ({', '.join(marks)})" if marks else ""
    yield f"{clean(source['name'])}  {clean(what)}  {schedule_words(source['schedule'])}{extra}"
    last = source["last"]
    last_run = "never read" if last is None else run_line(last)
    asked = source.get("asked")
    if asked and (last is None or local_time(asked) > local_time(last["finished"])):
        last_run = f"{'' if last is None else f'{last_run}; '}asked {local_time(asked)}, nothing new"
    after = f"; {source['doing']}" if source["doing"] else ""
    due = f"; next {local_time(source['next'])}" if source["next"] else ""
    yield f"  {last_run}{due}{after}"
    if not alone and (last_run := _files_in_short(source["files"])):
        yield f"  {last_run}: `memd sources show {shlex.quote(clean(source['name']))}` says why"
    if (waiting := source.get("waiting")) is not None:
        why = f": {one_line(waiting['why'], 200)}" if waiting["why"] else ""
        yield f"  waits until {local_time(waiting['until'])}{why}"
    for flag in source["flags"]:
        yield f"  ! {_WRONG.get(flag, flag)}"
    told_by_runs = [each.get("detail") for each in source.get("runs", ())[:1]]
    if source["trouble"] and not (alone and source["trouble"] in told_by_runs):
        yield f"  ! {one_line(source['trouble'], 300)}"


def _files_in_short(files: Mapping[str, int]) -> str:
    """``2 files read in part, 1 file left out``; files that cannot be read have a flag."""
    kinds = ("incomplete", "left_out")
    return ", ".join(f"{counted(files[kind], 'file')} {_FILES[kind]}" for kind in kinds if files.get(kind))


def maintenance_lines(job: Mapping[str, Any]) -> Iterator[str]:
    """Scheduled maintenance: when it is done, how it is."""
    last = "never done" if job["last"] is None else run_line(job["last"])
    due = f"; next {local_time(job['next'])}" if job["next"] else ""
    trouble = f" - {one_line(job['trouble'], 200)}" if job["trouble"] else ""
    yield f"{clean(job['name'])}  {schedule_words(job['schedule'])}  {last}{due}{trouble}"
    for flag in job.get("flags", ()):  # a daemon that is older tells none
        yield f"  ! {_WRONG.get(flag, flag)}"


def schedule_words(schedule: str) -> str:
    """``daily at 04:45``, ``Sundays at 05:00``, ``every 6h``; any other schedule as it is written."""
    if re.fullmatch(r"\d+[smhd]", schedule):
        return f"every {schedule}"
    at = re.fullmatch(r"(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7])", schedule)
    if at is None:
        return clean(schedule)
    when = "daily" if at[3] == "*" else _WEEKDAYS[int(at[3]) % 7]
    return f"{when} at {int(at[2]):02d}:{int(at[1]):02d}"


def mirrored(run: Mapping[str, Any]) -> str:
    """``2 notes removed, 1 came back, 3 renamed``; empty where nothing of it happened, or an older daemon does not tell."""
    words = {"removed": "removed", "returned": "came back", "renamed": "renamed"}
    counts = [(run.get("notes", {}).get(name, 0), what) for name, what in words.items()]
    parts = [(counted(count, "note"), f"{count:,}", what) for count, what in counts if count]
    return ", ".join(f"{short if place else whole} {what}" for place, (whole, short, what) in enumerate(parts))


def run_line(run: Mapping[str, Any]) -> str:
    """A run in a line: when, how it ended, what it brought."""
    return f"{local_time(run['finished'])} {outcome(run)}"


def outcome(run: Mapping[str, Any]) -> str:
    """Return the outcome of a run and its counts."""
    counts = ", ".join(f"{int(run[name]):,} {name}" for name in _COUNTS if run.get(name))
    return str(run["outcome"] or "unknown") + (f": {counts}" if counts else "")


def _from_files(run: Mapping[str, Any]) -> str:
    """`` from Family.zip, notes and 3 more``; empty where no file was read, or an older daemon does not tell."""
    read = run.get("read")
    if not read:
        return ""
    names = [one_line(os.path.basename(path.rstrip("/")) or path, 60) for path in read["paths"][:_NAMED_FILES]]  # noqa: PTH119
    more = read["count"] - len(names)
    last = f"{more:,} more" if more else names.pop() if names[1:] else ""
    return f" from {', '.join(names)}{f' and {last}' if last else ''}"


def history_line(run: Mapping[str, Any], *, files_told: bool = False) -> str:
    """A run of the history: also what it was and what started it; ``files_told``: which files cannot be read is told already."""
    why = f" ({run['trigger']})" if run.get("trigger") else ""
    told = _REFERENCE.sub("", run.get("detail", "")) if files_told else run.get("detail", "")
    detail = f" - {one_line(told, 200)}" if told else ""
    notes = f"; {words}" if (words := mirrored(run)) else ""
    undone = f"; undone {local_time(run['undone'])}" if run.get("undone") else ""
    return f"{run['run'][:12]}  {clean(run['source'])}{why}  {run_line(run)}{_from_files(run)}{notes}{undone}{detail}"


def file_lines(source: Mapping[str, Any]) -> Iterator[str]:
    """Files of a source that are not in the memory, or not whole, each with the reason."""
    for kind, words in _FILES.items():
        files: Sequence[Mapping[str, Any]] = source.get(kind, ())  # a daemon that is older tells less
        for each in files:
            yield f"  {words}: {clean(each['path'])}: {one_line(each['reason'], 400)}"
        if (more := source["files"].get(kind, 0) - len(files)) > 0:
            yield f"  {words}: {counted(more, 'more file')}"


def kept_notice_lines(notices: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the notices of a run as lines; their places are not stored."""
    for each in notices:
        times = "" if each["count"] == 1 else f", {each['count']:,} times"
        yield f"  note: {one_line(each['hint'], 500)} [{one_line(each['code'])}{times}]"
