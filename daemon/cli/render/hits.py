"""An answer for people's eyes: rank, time, who, what, and where it stands, so that each hit can be looked up."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from ....memory.retrieval.standing_out import MOST_SHOWN, standing_out
from .facts import grouped_fact_lines
from .terminal import (
    TerminalStyle,
    clean,
    columns_of,
    counted,
    joined,
    one_line,
    place,
    told,
    width_of,
    wrapped,
    wrapped_with_marks,
)  # fmt: skip
from .wall_clock import local_time

_DEGRADED = {
    "index": "found by a plain search of the words alone: the server of the index did not answer, see `memd status`",
    "vector": "found by words alone: the embedder did not take part",
    "embedder": "the embedding endpoint does not answer: a bundled model finds what came since, words find the rest",
    "generation": "found by words alone, for the vectors are of another model or chunking: memd reindex makes them anew",
    "queue": "some of what was ingested is not stored yet, and not found: see `memd status`",
    "indexing": "the index is being filled: ask again in a while, not all that is stored is found yet",
    "rerank": "not reranked: the reranker did not take part, for it is not set, failed or was too slow",
    "pending": "some messages still wait for their vectors; they are found by words",
}


_NEXT = "other words or fewer filters; `memd documents` lists what is stored"
_NEXT_EMPTY = "nothing is stored yet in {}; memd ingest PATH stores an export"
_NEXT_QUOTED = "words in quotes must stand together in one message: try without the quotes"
_QUOTES = re.compile('["\u201c\u201e\u00ab\u300c\u300e\uff02]')
MOST_LINES = 10
"""The maximum number of lines of one hit; of a longer hit, those with most matching words are shown."""
SHOWN_LINES = 8
MOST_DATES = 4
"""The most further dates that are shown of an event, the latest ones."""
_SHORT = 5
"""The most lines of a hit between which and the next one stands no empty line."""


def print_answer(
    result: Mapping[str, Any],
    stream: TextIO | None = None,
    *,
    facts: Sequence[Mapping[str, Any]] = (),
    as_of: str | None = None,
    ids: bool = False,
    explain: bool = False,
    most: int | None = 100,
    empty: str = "",
) -> Mapping[int, str]:
    """Print the known facts, then the hits of a query's JSON form, or advice when there are none; returns the ids of the
    hits that were shown by their numbers.

    Args:
        result: of the query.
        stream: standard output where it is not given.
        facts: those that are shown above the hits.
        as_of: the time for which facts were asked.
        ids: with the ids of hits and facts.
        explain: with the words in which the question was understood.
        most: number of hits that are shown; None for those that stand out.
        empty: the data directory in which nothing is stored that could have been found.
    """
    out = stream or sys.stdout
    paint = TerminalStyle(out)
    for line in _before_facts(result, paint, out, explain=explain):
        print(line, file=out)
    if facts:
        of = f"as of {one_line(as_of)}" if as_of else ""
        print("\n".join(grouped_fact_lines(facts, of=of, ids=ids, stream=out)), file=out)
        print(paint.dim("messages:"), file=out)
    hits = result.get("hits", ())
    if not hits:
        quoted = _NEXT_QUOTED if _QUOTES.search(result["query"]) else _NEXT
        print("no hits", file=out)
        for line in told(f"next: {_NEXT_EMPTY.format(place(empty, 80)) if empty else quoted}", out):
            print(line, file=out)
        return {}
    if result.get("weak") and not any(str(notice).endswith("the nearest:") for notice in result.get("notices") or ()):
        print("nothing matches well; the nearest:", file=out)
    columns = columns_of(out)
    most = _screenful(result) if most is None else most
    # By their places on the screen: in an order of times their ranks are in none.
    shown = [{**hit, "rank": number} for number, hit in enumerate(hits[:most], 1)]
    blocks = [list(_hit(hit, paint, columns, ids=ids)) for hit in shown]
    # Short hits are told apart by their numbers, of long ones one would not see where they begin.
    apart = "\n\n" if any(len(lines) > _SHORT for lines in blocks) else "\n"
    print(apart.join("\n".join(lines) for lines in blocks), file=out)
    left = len(hits) - len(shown)
    more = f"; {left:,} more like {'this' if len(shown) == 1 else 'these'}: -k {len(hits)}" if left else ""
    ids_here = {hit["rank"]: str(hit["id"]) for hit in shown if not hit.get("memory")}
    where = f"memd show {min(ids_here)}" if ids_here else "memd --data-dir DIR show ID, in the memory that has it"
    print(paint.dim(f"look one up: {where}{more}"), file=out)
    return ids_here


_NOT_ASKED = "could not be asked: it is absent, damaged, of a newer memd, or does not answer"


def _missing(reason: str) -> str:
    """Return a reason of `degraded` in words."""
    if reason.startswith("mount:"):
        name, _, part = reason.removeprefix("mount:").partition("/")
        what = f"did not search everything: {clean(part)}" if part else _NOT_ASKED
        return f"the mounted memory {one_line(name)} {what}"
    return _DEGRADED.get(reason, clean(reason))


def _screenful(result: Mapping[str, Any]) -> int:
    """Return the number of hits that stand out; in an order of times the scores tell nothing."""
    understood: Mapping[str, Any] = result.get("understood") or {}
    if any(hit.get("waiting") or hit.get("memory") for hit in result["hits"]):
        return min(len(result["hits"]), MOST_SHOWN)  # scores of two sources cannot be compared
    scores = [hit["score"] for hit in result["hits"]]
    return standing_out(scores) if understood.get("order", "best") == "best" else min(len(scores), MOST_SHOWN)


def _before_facts(result: Mapping[str, Any], paint: TerminalStyle, out: TextIO, *, explain: bool) -> Iterator[str]:
    """Yield the lines on the answer as a whole: what did not take part, what it comes to, how the question was understood."""
    for reason in result.get("degraded", ()):
        yield from map(paint.dim, told(f"({_missing(str(reason))})", out))
    if summary := result.get("summary"):
        yield from map(paint.bold, told(one_line(summary), out))
    understood: Mapping[str, Any] = result.get("understood") or {}
    if explain and understood.get("words"):
        yield from map(paint.dim, told(f"understood: {one_line(understood['words'])}", out))
    for notice in result.get("notices") or ():
        yield from told(one_line(notice), out)
    if meant := result.get("did_you_mean", ()):
        yield from map(paint.dim, told(f"did you mean {' or '.join(one_line(name, 40) for name in meant)}?", out))


def _hit(hit: Mapping[str, Any], paint: TerminalStyle, columns: int, *, ids: bool) -> Iterator[str]:
    indent = "    "
    yield from _head(hit, paint, columns, ids=ids)
    time = hit.get("time") or ""
    around = hit.get("context", ())
    before = [line for line in around if line.get("before", line["time"] < time)]
    after = [line for line in around if line not in before]
    yield from _context(before, paint, indent, columns)
    yield from _text(hit, paint, indent + " ", columns)
    yield from _context(after, paint, indent, columns)
    if dates := _dates(hit):
        for line in joined(dates, " ", indent + "   ", paint.line_columns, first=indent + " "):
            yield paint.dim(line)
    if ids:
        where = [one_line(hit["document_id"]), one_line(hit["id"])]
        for line in joined(where, " · ", indent + "   ", paint.line_columns, first=indent + " — "):
            yield paint.dim(line)
    for chunk in hit.get("chunks") or ():
        line = f"{one_line(chunk['alias'])} [{chunk['start']}:{chunk['end']}] {one_line(chunk['strategy'])}"
        yield from (
            paint.dim(each)
            for each in joined(line.split(" "), " ", indent + "   ", paint.line_columns, first=indent + " ")
        )
    if hit.get("explain"):
        for told_line in _explained(hit["explain"], hit["score"]):
            further = " " * (len(indent) + 17)
            for line in joined(told_line.split(" "), " ", further, paint.line_columns, first=f"{indent}   "):
                yield paint.dim(line)


def _dates(hit: Mapping[str, Any]) -> list[str]:
    """Return the dates of an event that repeats, and of others of its title, without the one above the hit: in the parts
    between which a line may end.
    """
    occurrences: Mapping[str, Any] = hit.get("occurrences") or {}
    around = [(name, _date(occurrences.get(name))) for name in ("next", "last")]
    above = _when(hit)
    groups = [[f"{name} {date}"] for name, date in around if date and date != above]
    others = [date for each in occurrences.get("others", ()) if (date := _date(each)) != above]
    if others:
        more = f" and {len(others) - MOST_DATES} more" if len(others) > MOST_DATES else ""
        *rest, latest = others[-MOST_DATES:]
        also = [*(f"{each}," for each in rest), f"{latest}{more}"]
        groups.append([f"also {also[0]}", *also[1:]])
    last = [f"{group[-1]} ·" for group in groups[:-1]] + [group[-1] for group in groups[-1:]]
    return [part for group, end in zip(groups, last, strict=True) for part in (*group[:-1], end)]


def _when(hit: Mapping[str, Any]) -> str:
    """Return the time above a hit, of a text without a time of day the date."""
    return _date(hit.get("time")) if hit.get("chunk") else local_time(hit.get("time"))


def _date(text: str | None) -> str:
    """Return a time by the clock on the wall, and of midnight, as days without a time of day begin, the date alone."""
    return local_time(text).removesuffix(" 00:00")


def _head(hit: Mapping[str, Any], paint: TerminalStyle, columns: int, *, ids: bool) -> Iterator[str]:
    """Yield the number, the time and who or which part of what, and where it stands: beside them if there is room."""
    chunk = hit.get("chunk")
    title = one_line(hit.get("chat") or "")
    document = one_line(hit["document_id"]).removeprefix(f"{one_line(hit['source'])}:")
    names: list[str] = []
    if hit.get("speaker"):
        names.append(one_line(hit["speaker"], min(40, columns - 36)))
    if chunk:
        names.append(one_line(chunk["section"] or title or document, min(60, columns - 24)))
    # A text is known by its file's name, a message by its chat's title, an event by its calendar; none is named twice.
    name = title or document
    parts = [] if name in names or (chunk and ids) else [name]
    also = [f"memory {one_line(hit['memory'])}"] if hit.get("memory") else []
    also += ["not stored yet"] if hit.get("waiting") else []
    where = " · ".join([*parts, one_line(hit["source"]), *also])
    kind = f"[{clean(hit['kind'])}]" if hit.get("kind", "text") != "text" else ""
    begin, when = f"{hit['rank']:>3}  ", _when(hit)
    plain = begin + "  ".join(filter(None, (when, *names, kind)))
    head = begin + "  ".join(filter(None, (when, *map(paint.bold, names), kind)))
    if width_of(f"{plain} — {where}") <= paint.line_columns:
        yield head + paint.dim(f" — {where}")
        return
    yield head
    # A title may be cut to the terminal; ids, below, are to be copied.
    yield paint.dim("     — " + one_line(where, paint.line_columns - width_of("     — ")))


def _text(hit: Mapping[str, Any], paint: TerminalStyle, indent: str, columns: int) -> Iterator[str]:
    """The text, of a long one its passage, of a long passage the lines around most of what matches."""
    text = str(hit["text"])
    passage = hit.get("passage") or {"start": 0, "end": len(text)}
    start, end = passage["start"], passage["end"]
    marks = [(each["start"] - start, each["end"] - start) for each in hit.get("highlights", ())]
    if not passage.get("start"):
        start = _own_words(text, end, min((begin for begin, _ in marks), default=end))
        marks = [(first - start, last - start) for first, last in marks]
    end = start + len(text[start:end].rstrip())
    marks = [(first, last) for first, last in marks if last <= end - start]
    lines = wrapped_with_marks(text[start:end], marks, indent, columns, paint)
    first, last = 0, len(lines)
    if len(lines) > MOST_LINES:
        counts = [count for _, count in lines]
        begins = range(len(lines) - SHOWN_LINES + 1)
        first = max(begins, key=lambda begin: (sum(counts[begin : begin + SHOWN_LINES]), -begin))
        last = first + SHOWN_LINES
    above = _lines_of(text[:start], indent, columns) + first
    below = len(lines) - last + _lines_of(text[end:], indent, columns)
    if above:
        yield paint.dim(f"{indent}… {counted(above, 'line')} above")
    shown = [line for line, _ in lines[first:last]]
    while shown and not shown[0].strip():  # a break between paragraphs shows nothing where a passage begins
        del shown[0]
    yield from shown
    if above or below:
        more = counted(below, "more line") if below else "all of it"
        # `memd show` looks into this memory alone.
        parts = [f"… {more}:", f"memd show {hit['rank']}"] if not hit.get("memory") else [f"… {more}"]
        for line in joined(parts, " ", indent + "  ", paint.line_columns, first=indent):
            yield paint.dim(line)


_QUOTED = re.compile(r"(?:[ \t]*(?:>[^\n]*)?(?:\n|$))+")
"""Lines of an earlier mail at the beginning of a reply, and blank ones."""


def _own_words(text: str, end: int, first: int) -> int:
    """Return the offset of a mail's own words after a quoted mail; 0 if nothing else follows, or if the first mark is
    before it.
    """
    match = _QUOTED.match(text)
    return match.end() if match is not None and match.end() <= first and text[match.end() : end].strip() else 0


def _lines_of(text: str, indent: str, columns: int) -> int:
    return sum(1 for _ in wrapped(text.strip(), indent, columns)) if text.strip() else 0


def _context(lines: list[Mapping[str, Any]], paint: TerminalStyle, indent: str, columns: int) -> Iterator[str]:
    for line in lines:
        words = f"{line['speaker']}: {line['text']}"
        if line.get("matches"):  # it is shown here alone, so it is as plain to see as a hit
            yield from wrapped(words, f"{indent}┃ ", columns)
        else:
            yield paint.dim(f"{indent}│ {one_line(words, columns - len(indent) - 2)}")


_NOTHING = 0.0005
"""A share that would be shown as 0."""


def _explained(explain: Mapping[str, Any], score: float) -> Iterator[str]:
    yield f"score {score:.3f}"
    for each in explain.get("times", ()):
        yield f"{'time':<12}  “{clean(each['words'])}”: {local_time(each['start'])} to {local_time(each['end'])}"
    ranks, raw, shares = explain.get("ranks", {}), explain.get("raw", {}), explain.get("shares", {})
    for name in dict.fromkeys([*ranks, *raw, *shares]):
        rank = ranks.get(name)
        if rank is None and name not in raw and abs(shares.get(name, 0.0)) < _NOTHING:
            continue
        parts = [f"{clean(name):<12}", f"rank {rank}" if rank is not None else "rank –"]
        if name in raw:
            parts.append(f"raw {raw[name]:.3f}")
        if name in shares:
            parts.append(f"share {shares[name]:+.3f}")
        yield "  ".join(parts)
