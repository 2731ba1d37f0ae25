"""The state of whoever owns the memory, in lines for people: what is well in few words, what is wrong with what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .sources import maintenance_lines, outcome, source_lines
from .terminal import clean, counted, joined, lasting, one_line
from .wall_clock import local_time

_DEGRADED = {
    "vector": "questions are answered by words alone: the embedder does not take part",
    "embedder": "a bundled model stands in for the embedder: it finds what came since, words find the rest",
    "generation": "the stored vectors are of another model or chunking: `memd reindex` makes them anew",
    "queue": "what was ingested last is not stored yet",
    "index": "questions are answered by a plain search of the words alone: the server of the index does not take part",
    "indexing": "the index is being filled: not all that is stored is found yet",
    "store": "memory.db was deleted or replaced: nothing can be stored; `memd doctor` tells what to do",
    "journal": "nothing can be kept in the journal, so that nothing comes in",
    "pending": "some messages still wait for their vectors; they are found by their words",
}
_STAGES = {
    "storing": "nothing can be stored",
    "searching": "the search indexes fail",
    "embedding": "the embedder fails",
    "fallback": "the bundled model that stands in for the embedder fails",
}
_LABEL = 13
"""Columns of a label and the blanks behind it."""


def status_lines(status: Mapping[str, Any], columns: int) -> Iterator[str]:
    """Everything that `memd status --json` tells, of what is not as it should be first.

    Args:
        status: the answer; what another version of memd leaves out is left out.
        columns: most of a line; a path that is longer stays in one piece.
    """
    yield from _row("memd", _owner(status), columns)
    for trouble in _troubles(status):
        yield from _row("", f"! {trouble}", columns)
    for name, label in (("data_dir", "data"), ("config", "settings"), ("socket", "socket"), ("http", "http")):
        if status.get(name):
            yield f"{label:<{_LABEL}}{clean(status[name])}"
    if status.get("zone"):
        yield from _row("zone", one_line(status["zone"], 40), columns)
    generation: Mapping[str, Any] = status.get("generation") or {}
    if generation:
        yield from _row("model", one_line(generation.get("model") or "none: found by words alone"), columns)
    for label, name, text in (
        ("vectors", "vectors", _vectors),
        ("fallback", "fallback", _fallback),
        ("index", "index", _index),
        ("facts", "reading", _reading),
        ("waiting", "queue", _queue),
        ("questions", "queries", _queries),
    ):
        if status.get(name) is not None:
            yield from _row(label, text(status[name]), columns)
    for number, update in enumerate(status.get("running", ())):
        source = one_line(update.get("source") or "documents", 30)
        yield from _row("" if number else "running", f"{source}: {running(update)}", columns)
    for number, run in enumerate(status.get("last_runs", ())):
        text = f"{local_time(run['finished'])}  {one_line(run['source'], 30)}  {outcome(run)}"
        yield from _row("" if number else "last runs", text, columns)
    for label, lines in (
        ("sources", [line for source in status.get("sources", ()) for line in source_lines(source)]),
        ("upkeep", [line for job in status.get("maintenance", ()) for line in maintenance_lines(job)]),
    ):
        for number, line in enumerate(lines):
            yield from _row("" if number else label, line, columns)


def _owner(status: Mapping[str, Any]) -> str:
    version = one_line(status.get("version", ""))
    if status.get("pid") is None:
        return f"{version}, not running".lstrip(", ")
    since = f" for {lasting(status['uptime_s'])}" if status.get("uptime_s") is not None else ""
    return f"{version}, running{since}, process {status['pid']}".lstrip(", ")


def _troubles(status: Mapping[str, Any]) -> Iterator[str]:
    """Sentences about what is wrong, with what to do about it."""
    failures: Mapping[str, Any] = status.get("failures") or {}
    for stage, why in failures.items():
        yield f"{_STAGES.get(stage, f'{clean(stage)} fails')}: {one_line(why)}; it is tried again by itself"
    labels = {"queue": "storing", "vector": "embedding"}
    for reason in status.get("degraded", ()):
        if labels.get(reason) not in failures and reason not in ("pending", "model", *failures):
            yield _DEGRADED.get(reason, one_line(reason))
    for worker in status.get("workers", ()):
        yield f"{one_line(worker['worker'])} failed {counted(worker['count'], 'time')}: {one_line(worker['error'])}"
    reading: Mapping[str, Any] = status.get("reading") or {}
    if reading.get("stopped"):
        yield stopped_model(reading)
    elif reading.get("silent_since"):
        why = f": {one_line(reading['trouble'])}" if reading.get("trouble") else ""
        yield f"the language model has answered nothing since {local_time(reading['silent_since'])}{why}"
    elif reading.get("trouble"):
        what = "facts are read by rules alone" if reading.get("by_rules") else "nothing can be read for facts"
        yield f"{what}: {one_line(reading['trouble'])}"
    for each in reading.get("unreadable", ()):
        yield f"cannot be read for facts: {one_line(each['id'])}: {one_line(each['error'])}"
    if reading.get("given_up"):
        labels = f"{counted(reading['given_up'], 'part')} of conversations could not be read for facts"
        yield f"{labels}: `memd retry --list` says why"
    if status.get("dead_letters"):
        yield f"{counted(status['dead_letters'], 'document')} given up: `memd retry --list` says why"


def stopped_model(reading: Mapping[str, Any]) -> str:
    """Return the reason why the language model is asked no more, and the next step."""
    why = one_line(reading["stopped"])
    return f"{why} and is asked no more: `memd llm setup` takes another, `memd llm test` asks it again"


def _vectors(vectors: Mapping[str, Any]) -> str:
    done, pending = vectors["done"], vectors["pending"]
    if not done and not pending:
        return "none"
    return f"all {done:,} made" if not pending else f"{done:,} of {done + pending:,} made"


def _fallback(fallback: Mapping[str, Any]) -> str:
    return f"{counted(fallback['vectors'], 'vector')} of {one_line(fallback['model'])}, until the embedder makes them"


def _index(index: Mapping[str, Any]) -> str:
    behind = ", ".join(
        f"{counted(count, 'change')} of {one_line(what)}" for what, count in index["lag"].items() if count
    )
    state = f"{one_line(index['name'])}, " + (f"behind by {behind}" if behind else "up to date")
    if other := index.get("other"):
        state += f"; {one_line(other)} was filled, too, and memd forget does not reach it"
    return f"{state}: {one_line(index['failure'])}" if index["failure"] else state


def _reading(reading: Mapping[str, Any]) -> str:
    if not reading["unread"]:
        return "everything is read"
    batches = (
        f"; {counted(reading['batches'], 'batch', 'batches')} of questions under way" if reading["batches"] else ""
    )
    by_rules = f", of these {reading['by_rules']:,} read by rules meanwhile" if reading.get("by_rules") else ""
    return f"{counted(reading['unread'], 'document')} to be read{by_rules}{batches}"


def _queue(queue: Mapping[str, Any]) -> str:
    if not queue["depth"] and not queue["buffered"]:
        return "nothing"
    age = f", the oldest for {lasting(queue['oldest_s'])}" if queue["depth"] else ""
    buffered = f"; {counted(queue['buffered'], 'message')} of sessions that go on" if queue["buffered"] else ""
    return f"{counted(queue['depth'], 'message')} to be stored{age}{buffered}"


def _queries(queries: Mapping[str, Any]) -> str:
    rate = queries.get("hit_rate")
    kept = f", {rate:.0%} of them answered by kept answers" if rate else ""
    judged = [f"{one_line(name)}: {word}" for name, word in queries.get("health", {}).items() if word != "ok"]
    return f"{queries['searches']:,} since the start{kept}" + (f"; {', '.join(judged)}" if judged else "")


def running(update: Mapping[str, Any]) -> str:
    """Return the stage of a run and its progress."""
    verbs = {"reading": "reading", "storing": "storing", "embedding": "making vectors"}
    stage = str(update.get("stage", ""))
    done, total = update.get("processed", 0), update.get("total")
    if stage == "embedding":
        done, total = update.get("embedded", 0), update.get("to_embed")
    size = f"{done:,} of {total:,}" if total else f"{done:,}"
    return f"{verbs.get(stage, one_line(stage))}, {size}"


def _row(label: str, text: str, columns: int) -> Sequence[str]:
    """A label and what belongs to it, wrapped between words."""
    margin = len(text) - len(text.lstrip())
    head = f"{label:<{_LABEL}}"
    if len(head) + len(text) <= columns:
        return [head + text]
    return joined(text.split(), " ", " " * (_LABEL + 2 + margin), columns, first=head + " " * margin)
