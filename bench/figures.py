"""From what the scripts measured to the rows of the table: figure, what is asked, what was measured, whether it is met.

A row without a limit shows a rate or a law of growth. `met` is None for those, and where nothing was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Found = Mapping[str, Any]
"""The JSON object that one script printed."""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    figure: str
    asked: str
    measured: str
    met: bool | None = None


def most(figure: str, value: float, limit: float, told: str, unit: str = "×") -> Row:
    """Return a figure that must not be above its limit; ``told`` is the text behind the number."""
    return Row(figure, f"≤ {limit:g} {unit}", f"{_number(value)} {unit} ({told})", value <= limit)


def least(figure: str, value: float, limit: float, told: str, unit: str = "×") -> Row:
    """Return a figure that must not be below its limit."""
    return Row(figure, f"≥ {limit:g} {unit}", f"{_number(value)} {unit} ({told})", value >= limit)


def absent(figure: str, why: str) -> Row:
    """Return a figure that could not be measured."""
    return Row(figure, "", f"not measured: {why}")


FORMAT_PEERS = {
    "telegram": ("chat-miner",),
    "messenger": ("chat-miner",),
    "signal_chat": ("chat-miner",),
    "mail": ("mailbox", "mail-parser"),
    "mailbox": ("mailbox", "mail-parser"),
}
"""The peers that bench/formats.py measures beside memd, by its names of formats."""


def formats(found: Found) -> Iterator[Row]:
    """Yield the rows of formats.py, one a format: its rate over that of each peer, which must be 1 at least."""
    for name, runs in found.items():
        own = runs["memd"]
        asked = 20 if name == "mail" else 50
        met = own["mb_per_s"] >= asked
        measured = f"{_number(own['mb_per_s'])} MB/s, {own['per_s']:,.0f} messages/s"
        for peer in FORMAT_PEERS.get(name, ()):
            if peer not in runs:
                measured += f"; {peer} is not installed"
                continue
            ratio = own["per_s"] / runs[peer]["per_s"]
            met = met and ratio >= 1
            measured += f"; {_number(ratio)} × {peer}, {own['peak_mb']:.0f} against {runs[peer]['peak_mb']:.0f} MB"
        yield Row(f"read {name}", f"≥ {asked} MB/s" + ", ≥ 1 × others" * (name in FORMAT_PEERS), measured, met)
    peaks = {name: runs["memd"]["peak_mb"] for name, runs in found.items()}
    largest = max(peaks, key=peaks.__getitem__)
    yield most("read any of these, memory", peaks[largest], 200, f"the most, with {largest}", "MB")


def parse(found: Found) -> Iterator[Row]:
    """Yield the rows of parse_whatsapp.py."""
    own = found["memd"]
    for peer, rate, memory in (("whatstk", 2.0, 0.3), ("chat-miner", None, None)):
        name = f"parse WhatsApp against {peer}"
        other = found.get(peer)
        if other is None:
            yield absent(name, f"{peer} is not installed")
            continue
        told = f"{own['per_s']:,.0f} against {other['per_s']:,.0f} messages/s"
        told += f"; by processor time {_number(other['cpu_s'] / own['cpu_s'])} ×"
        told_memory = f"{own['peak_mb']:.0f} against {other['peak_mb']:.0f} MB"
        faster, larger = own["per_s"] / other["per_s"], own["peak_mb"] / other["peak_mb"]
        if rate is None or memory is None:
            yield Row(name, "", f"{_number(faster)} × ({told}), {_number(larger)} × memory ({told_memory})")
            continue
        yield least(f"{name}, rate", faster, rate, told)
        yield most(f"{name}, memory", larger, memory, told_memory)
    if large := found.get("memd_large"):
        told = (
            f"{own['peak_mb']:.0f} MB at {own['messages']:,.0f}, {large['peak_mb']:.0f} MB at {large['messages']:,.0f}"
        )
        yield most("parse, memory when the export grows", large["peak_mb"] / own["peak_mb"], 1.1, told)


def ingest(found: Found) -> Iterator[Row]:
    """Yield the rows of ingest.py."""
    told = f"{found['ingest_per_s']:,.0f} of {found['bare_per_s']:,.0f} messages/s, {found['messages']:,} messages"
    yield least("ingest with vectors, of the bare embedder", found["ingest_to_bare"], 0.85, told)
    told = f"{found['words_per_s']:,.0f} against {found['ingest_per_s']:,.0f} messages/s"
    yield least("searchable by words, of the rate with vectors", found["words_to_vectors"], 20, told)
    if again := found.get("again"):
        how = "measured" if again["first_measured"] else "at this run's rates of words and of the bare embedder"
        told = f"{again['again_s']:.2f} of {again['first_s']:.0f} s ({how}), {again['messages']:,} messages"
        yield most("ingest of an unchanged export, of the first", again["again_to_first"] * 100, 2, told, "%")
        asked = again["messages"] - again["unchanged"]
        told = f"{again['unchanged']:,} unchanged"
        yield most("  texts embedded again", again["embedded"] + asked, 0, told, "texts")


def query(found: Found) -> Iterator[Row]:
    """Yield the rows of query.py; limits are asked at 100,000 messages (in the quick run at the largest there is)."""
    rows: list[dict[str, Any]] = found["rows"]
    by_size = {row["messages"]: row for row in rows}
    main = by_size.get(100_000, rows[-1])
    size = f"at {main['messages']:,}"
    raw = main["raw_ms"]
    parts = f"embed {raw['embed']:.1f}, tantivy {raw['tantivy']:.2f}, scan {raw['scan']:.2f} ms"
    ratios = [main["p50_ratio"], main["p95_ratio"]]
    told = f"{main['p50_ms']:.1f} and {main['p95_ms']:.1f} ms; {parts}"
    yield _all_below(f"query over the socket {size}, p50 and p95, of its raw parts", ratios, (2, 4), "×", told)
    for row in rows:
        told = f"p50 {row['p50_ms']:.1f}, p95 {row['p95_ms']:.1f} ms; raw parts {row['raw_ms']['sum']:.1f} ms"
        told += f"; daemon {row['peak_mb']:.0f} MB, ready after {row['ready_s']:.2f} s, first answer {row['first_answer_s']:.2f} s"
        yield Row(f"  query and start at {row['messages']:,}", "", told)
    if (large := by_size.get(1_000_000)) and (small := by_size.get(100_000)):
        ratios = [large[each] / small[each] for each in ("p50_ms", "p95_ms")]
        yield _all_below("query at 1,000,000 against 100,000, p50 and p95", ratios, (3, 3), "×")
        yield most("memory of the daemon at 1,000,000", large["peak_mb"], 2048, "earlier designs' limit", "MB")
    command = main["command"]
    told = f"{command['query_s'] * 1000:.0f} against {command['pydantic_s'] * 1000:.0f} ms"
    told += f"; Python alone {command['nothing_s'] * 1000:.0f} ms"
    yield most("`memd query`, whole process, against `import pydantic`", command["query_to_pydantic"], 3, told)


def against_mem0(found: Found) -> Iterator[Row]:
    """Yield the rows of against_mem0.py: both programs hold the same texts, embedded by the same model."""
    size = f"at {found['messages']:,}"
    memd, mem0 = found.get("memd"), found["mem0"]
    if memd is None or mem0 is None:
        yield absent(f"memd against mem0 {size}", "mem0 is not installed")
        return
    told = f"{memd['per_s']:,.0f} against {mem0['per_s']:,.1f} texts/s"
    yield least(f"adding texts {size} against mem0, rate", found["ingest_to_mem0"], 3.5, told)
    told = f"p50 {memd['p50_ms']:.1f} against {mem0['p50_ms']:.1f} ms, p95 {memd['p95_ms']:.1f} against {mem0['p95_ms']:.1f} ms"
    yield least(f"answers {size} against mem0, rate", found["answers_to_mem0"], 8, told)
    told = f"first answer after {memd['first_answer_s']:.2f} against {mem0['first_answer_s']:.2f} s"
    yield most(f"start {size} against mem0's", found["start_to_mem0"], 0.7, told)
    told = f"first answer after {found['large_start_s']:.2f} s"
    yield most(f"start at {found['large']:,} against mem0's {size}", found["large_start_to_mem0"], 0.7, told)
    yield Row(f"  memory while answering {size}", "", f"memd {memd['peak_mb']:.0f}, mem0 {mem0['peak_mb']:.0f} MB")


def footprint(found: Found) -> Iterator[Row]:
    """Yield the rows of footprint.py."""
    told = f"{found['peak_mb']:.0f} of {found['limit_mb']:.0f} MB: 1.5 × {found['only_embed_mb']:.0f} + {found['vectors_mb']:.0f}"
    told += f"; idle {found['idle_mb']:.0f} MB"
    at = f"at {found['messages']:,}"
    yield most(f"memory of the daemon {at} while it embeds, of its limit", found["peak_to_limit"], 1, told)
    told = f"idle {found['idle_own_mb']:.0f} MB; the rest is mapped files"
    yield most(f"  its own alone {at}", found["peak_own_mb"], 280, told, unit="MB")
    yield most(f"memory of `memd query` alone {at}", found["lone_question_mb"], 250, "at its peak", unit="MB")


def store(found: Found) -> Iterator[Row]:
    """Yield the rows of store.py: how the store grows."""
    for row in found["rows"]:
        total = sum(row["bytes"].values())
        told = f"apply {row['apply_per_s']:,}/s, by words {row['searchable_by_words_per_s']:,}/s"
        if "vectors_per_s" in row:
            told += f", vectors {row['vectors_per_s']:,}/s"
        told += f"; {total / row['messages']:,.0f} bytes a message, open {row['open_s']:.2f} s"
        told += f"; search p50: words {row['search_words']['p50_ms']:.2f} (raw {row['tantivy_raw']['p50_ms']:.2f})"
        if "search_vectors" in row:
            told += f", vectors {row['search_vectors']['p50_ms']:.2f} (raw {row['scan_raw']['p50_ms']:.2f})"
        yield Row(f"  store at {row['messages']:,}", "", f"{told} ms")


def embed(found: Found) -> Iterator[Row]:
    """Yield the rows of embed.py."""
    told = f"{found['texts_per_second']:,.0f} texts/s of {found['tokens_per_text']} tokens; question p50 "
    told += f"{found['question_ms_p50']:.1f}, p95 {found['question_ms_p95']:.1f} ms; {found['peak_mb']:.0f} MB"
    yield Row("  the bare embedder", "", told)


def recall(found: Found) -> Iterator[Row]:
    """Yield the rows of recall.py: recall@10 of the default ranking by half, and by language of question and chats."""
    told: dict[str, list[str]] = {}
    for row in found["rows"]:
        if row["ranking"] == "default":
            kind = "other" if row["language"].startswith("cross ") else "same"
            name = f"  recall@10, labelled chats, {row['half']}, asked in the {kind} language"
            value = f"{row['language'].removeprefix('cross ')} {row['recall']['10']:.3f}"
            told.setdefault(name, []).append(value)
    for name, values in told.items():
        yield Row(name, "", ", ".join(values))


def locomo(found: Found) -> Iterator[Row]:
    """Yield the row of locomo.py, over all categories of questions."""
    rows = {row["ranking"]: row for row in found["rows"] if row["category"] == "all"}
    told = [f"{name} {row['recall']['10']:.3f}" for name, row in rows.items() if name != "default"]
    main = rows["default"]
    told.append(f"{main['questions']} questions")
    yield least("LoCoMo evidence recall@10", main["recall"]["10"], 0.82, ", ".join(told), "")


def locomo_facts(found: Found) -> Iterator[Row]:
    """Yield the rows of locomo_facts.py."""
    figures = {row["ranking"]: row["recall"]["10"] for row in found["rows"] if row["category"] == "all"}
    told = f"{figures['facts']:.3f} against {figures['no facts']:.3f}, {found['facts']} facts"
    gained = 100 * (figures["facts"] - figures["no facts"])
    yield least("facts: gain in recall@10", gained, 3, told, " points")
    yield most("facts: calls a message", found["calls_per_message"], 0.1, f"{found['calls']} calls", "")


PROMISED_ADD = {100: 150, 1_000: 200, 10_000: 300, 100_000: 200}
PROMISED_SEARCH = {100: 70, 1_000: 100, 10_000: 150, 100_000: 200}
"""Milliseconds that earlier designs promised by number of messages; the stricter limit where two designs name one."""


def budgets(found: Found) -> Iterator[Row]:
    """Yield the rows of budgets.py: response times (95th percentiles) and rates against those of earlier designs."""
    rows: list[dict[str, Any]] = found["rows"]
    sizes = ", ".join(f"{row['messages']:,}" for row in rows)
    by_meaning = [row["add_small"][-1]["p95_ms"] for row in rows]
    searches = [row["search"]["p95_ms"] for row in rows]
    for name, waits, by_size in (
        ("add < 1 KB", by_meaning, PROMISED_ADD),
        ("new question", searches, PROMISED_SEARCH),
    ):
        limits = [by_size.get(row["messages"], max(by_size.values())) for row in rows]
        yield _all_below(f"{name} at {sizes}, p95", waits, limits, "ms")
    last = rows[-1]
    size = f"at {last['messages']:,}"
    for name, key, limit in (("1-10 KB", "add_10kb", 500), ("10-100 KB", "add_100kb", 3_000)):
        waits = [each["p95_ms"] for each in last[key]]
        yield _all_below(f"add {name} {size}: durable, by words, by meaning, p95", waits, (limit,) * 3, "ms")
    waits = [last[key]["p95_ms"] for key in ("search_again", "stats")]
    yield _all_below(f"repeated question, statistics {size}, p95", waits, (50, 100), "ms")
    for name, key, limit in (
        ("adds", "adds_a_s", 10),
        ("questions", "searches_a_s", 50),
        ("statistics", "stats_a_s", 100),
    ):
        yield least(f"{name} a second {size}, one client", last[key], limit, "one after the other", "/s")
    yield most(f"resident {size}", last["resident_mb"], 2048, "peak", "MB")
    yield most(f"processor while idle {size}", last["idle_cores"] * 100, 50, "of one core", "%")
    yield most("disk written while adding", last["disk_mb_a_s"], 10, size, "MB/s")
    parts = found["parts"]
    yield most("cutting a text", parts["cut_ms_a_kb"], 10, "recursive", "ms/KB")
    waits = [parts["embed_one_p95_ms"], parts["embed_hundred_ms"]]
    yield _all_below("embedding one text of 500 characters (p95), a hundred", waits, (100, 600), "ms")


def _all_below(figure: str, values: Sequence[float], limits: Sequence[float], unit: str, told: str = "") -> Row:
    """Return a row of several values, each with a limit of its own."""
    asked, measured = (", ".join(map(_number, numbers)) for numbers in (limits, values))
    met = all(value <= limit for value, limit in zip(values, limits, strict=True))
    return Row(figure, f"≤ {asked} {unit}", f"{measured} {unit}" + f" ({told})" * bool(told), met)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
