"""From what the scripts measured to the rows of the table: figure, what is asked, what was measured, whether it is met.

A row without a limit shows a rate or a law of growth. `met` is None for those, and where nothing was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Found = Mapping[str, Any]
"""What one script printed."""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    figure: str
    asked: str
    measured: str
    met: bool | None = None


def most(figure: str, value: float, limit: float, told: str, unit: str = "×") -> Row:
    """A figure that must not be above its limit; ``told`` is what stands behind the number."""
    return Row(figure, f"≤ {limit:g} {unit}", f"{_number(value)} {unit} ({told})", value <= limit)


def least(figure: str, value: float, limit: float, told: str, unit: str = "×") -> Row:
    """A figure that must not be below its limit."""
    return Row(figure, f"≥ {limit:g} {unit}", f"{_number(value)} {unit} ({told})", value >= limit)


def absent(figure: str, why: str) -> Row:
    """A figure that could not be measured."""
    return Row(figure, "", f"not measured: {why}")


FORMAT_PEERS = {
    "telegram": ("chat-miner",),
    "messenger": ("chat-miner",),
    "signal_chat": ("chat-miner",),
    "mail": ("mailbox", "mail-parser"),
}
"""Whom bench/formats.py measures beside memd, by its names of formats."""


def formats(found: Found) -> Iterator[Row]:
    """Rows of formats.py."""
    for name, runs in found.items():
        own = runs["memd"]
        asked = 20 if name == "mail" else 50
        told = f"{own['per_s']:,.0f} messages/s, {own['mb_per_cpu_s']:.0f} MB in a second of processor time"
        yield least(f"read {name}", own["mb_per_s"], asked, told, "MB/s")
        yield most(f"read {name}, memory", own["peak_mb"], 200, f"{own['messages']:,.0f} messages", "MB")
        for peer in FORMAT_PEERS.get(name, ()):
            if peer not in runs:
                yield absent(f"read {name} against {peer}", f"{peer} is not installed")
                continue
            other = runs[peer]
            told = f"{own['per_s']:,.0f} against {other['per_s']:,.0f} messages/s"
            told += f"; memory {own['peak_mb']:.0f} against {other['peak_mb']:.0f} MB"
            yield least(f"read {name} against {peer}", own["per_s"] / other["per_s"], 1.0, told)


def parse(found: Found) -> Iterator[Row]:
    """Rows of parse_whatsapp.py."""
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
    """Rows of ingest.py."""
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
    """Rows of query.py; the limits are asked at 100,000 messages (in the quick run at the largest there is)."""
    rows: list[dict[str, Any]] = found["rows"]
    by_size = {row["messages"]: row for row in rows}
    main = by_size.get(100_000, rows[-1])
    size = f"at {main['messages']:,}"
    raw = main["raw_ms"]
    parts = f"embed {raw['embed']:.1f}, tantivy {raw['tantivy']:.2f}, usearch {raw['usearch']:.2f} ms"
    yield most(
        f"query over the socket {size}, p50, of its raw parts",
        main["p50_ratio"],
        2,
        f"{main['p50_ms']:.1f} ms; {parts}",
    )
    yield most(f"query over the socket {size}, p95, of its raw parts", main["p95_ratio"], 4, f"{main['p95_ms']:.1f} ms")
    for row in rows:
        told = f"p50 {row['p50_ms']:.1f}, p95 {row['p95_ms']:.1f} ms; raw parts {row['raw_ms']['sum']:.1f} ms"
        yield Row(f"  query at {row['messages']:,}", "", f"{told}; daemon {row['peak_mb']:.0f} MB")
    if (large := by_size.get(1_000_000)) and (small := by_size.get(100_000)):
        told = f"{large['p50_ms']:.1f} against {small['p50_ms']:.1f} ms"
        yield most("query at 1,000,000 against 100,000, p50", large["p50_ms"] / small["p50_ms"], 3, told)
        told = f"{large['p95_ms']:.1f} against {small['p95_ms']:.1f} ms"
        yield most("query at 1,000,000 against 100,000, p95", large["p95_ms"] / small["p95_ms"], 3, told)
        yield most("memory of the daemon at 1,000,000", large["peak_mb"], 2048, "earlier designs' limit", "MB")
    yield from _starts(main, rows)


def against_mem0(found: Found) -> Iterator[Row]:
    """Rows of against_mem0.py: both programs hold the same texts, embedded by the same model."""
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


def _starts(main: Found, rows: list[dict[str, Any]]) -> Iterator[Row]:
    for row in rows:
        told = f"ready {row['ready_s']:.2f} s, first answer {row['first_answer_s']:.2f} s"
        yield Row(f"  start at {row['messages']:,}", "", told)
    command = main["command"]
    told = f"{command['query_s'] * 1000:.0f} against {command['pydantic_s'] * 1000:.0f} ms"
    told += f"; Python alone {command['nothing_s'] * 1000:.0f} ms"
    yield most("`memd query`, whole process, against `import pydantic`", command["query_to_pydantic"], 3, told)


def footprint(found: Found) -> Iterator[Row]:
    """Rows of footprint.py."""
    told = f"{found['peak_mb']:.0f} of {found['limit_mb']:.0f} MB: 1.5 × {found['only_embed_mb']:.0f} + {found['vectors_mb']:.0f}"
    told += f"; idle {found['idle_mb']:.0f} MB"
    at = f"at {found['messages']:,}"
    yield most(f"memory of the daemon {at} while it embeds, of its limit", found["peak_to_limit"], 1, told)
    told = f"idle {found['idle_own_mb']:.0f} MB; the rest is mapped files"
    yield most(f"  its own alone {at}", found["peak_own_mb"], 280, told, unit="MB")
    yield most(f"memory of `memd query` alone {at}", found["lone_question_mb"], 250, "at its peak", unit="MB")


def store(found: Found) -> Iterator[Row]:
    """Rows of store.py: how the store grows."""
    for row in found["rows"]:
        total = sum(row["bytes"].values())
        told = f"apply {row['apply_per_s']:,}/s, by words {row['searchable_by_words_per_s']:,}/s"
        if "vectors_per_s" in row:
            told += f", vectors {row['vectors_per_s']:,}/s"
        yield Row(f"  store at {row['messages']:,}", "", f"{told}, {total / row['messages']:,.0f} bytes a message")
        told = f"words {row['search_words']['p50_ms']:.2f} (raw {row['tantivy_raw']['p50_ms']:.2f})"
        if "search_vectors" in row:
            told += f", vectors {row['search_vectors']['p50_ms']:.2f} (raw {row['usearch_raw']['p50_ms']:.2f})"
        yield Row(f"  one search at {row['messages']:,}, p50", "", f"{told} ms; open {row['open_s']:.2f} s")


def embed(found: Found) -> Iterator[Row]:
    """Rows of embed.py."""
    told = f"{found['texts_per_second']:,.0f} texts/s of {found['tokens_per_text']} tokens; question p50 "
    told += f"{found['question_ms_p50']:.1f}, p95 {found['question_ms_p95']:.1f} ms; {found['peak_mb']:.0f} MB"
    yield Row("  the bare embedder", "", told)


def recall(found: Found) -> Iterator[Row]:
    """Rows of recall.py: recall@10 of the default ranking by language and half."""
    for row in found["rows"]:
        if row["ranking"] == "default":
            yield Row(
                f"  recall@10, own chats, {row['language']}, {row['half']}",
                "",
                f"{row['recall']['10']:.3f} ({row['questions']} questions)",
            )


def locomo(found: Found) -> Iterator[Row]:
    """Rows of locomo.py."""
    for row in found["rows"]:
        if row["category"] != "all":
            continue
        told = f"{row['questions']} questions"
        if row["ranking"] == "default":
            yield least("LoCoMo evidence recall@10", row["recall"]["10"], 0.82, told, "")
        else:
            yield Row(f"  {row['ranking']}", "", f"{row['recall']['10']:.3f}")


def locomo_facts(found: Found) -> Iterator[Row]:
    """Rows of locomo_facts.py."""
    figures = {row["ranking"]: row["recall"]["10"] for row in found["rows"] if row["category"] == "all"}
    told = f"{figures['facts']:.3f} against {figures['no facts']:.3f}, {found['facts']} facts"
    gained = 100 * (figures["facts"] - figures["no facts"])
    yield least("facts: gain in recall@10", gained, 3, told, " points")
    yield most("facts: calls a message", found["calls_per_message"], 0.1, f"{found['calls']} calls", "")


def budgets(found: Found) -> Iterator[Row]:
    """Rows of budgets.py: 95th percentiles against what earlier designs promised."""
    promised = {100: (150, 70), 1_000: (200, 100), 10_000: (300, 150), 100_000: (500, 250), 1_000_000: (800, 400)}
    rows: list[dict[str, Any]] = found["rows"]
    for row in rows:
        add, search = promised.get(row["messages"], (800, 400))
        size = f"at {row['messages']:,}"
        for name, limit, key in (("add < 1 KB", add, "add_small"), ("search, uncached", search, "search")):
            yield most(f"{name} {size}, p95", row[key]["p95_ms"], limit, f"p50 {row[key]['p50_ms']:.1f}", "ms")
    last = rows[-1]
    size = f"at {last['messages']:,}"
    for name, key, limit in (
        ("add < 1 KB", "add_small", 200),
        ("add 1-10 KB", "add_10kb", 500),
        ("add 10-100 KB", "add_100kb", 3_000),
        ("acknowledge 10-100 KB (durable)", "keep_100kb", 3_000),
        ("search, uncached", "search", 200),
        ("search asked before", "search_again", 50),
        ("statistics", "stats", 100),
    ):
        yield most(f"{name} {size}, p95", last[key]["p95_ms"], limit, f"p50 {last[key]['p50_ms']:.1f}", "ms")
    for name, key, limit in (
        ("adds", "adds_a_s", 10),
        ("searches", "searches_a_s", 50),
        ("statistics", "stats_a_s", 100),
    ):
        yield least(f"{name} a second {size}, one client", last[key], limit, "one after the other", "/s")
    yield most(f"resident {size}", last["resident_mb"], 2048, "peak", "MB")
    yield most(f"processor while idle {size}", last["idle_cores"] * 100, 50, "of one core", "%")
    yield most("disk written while adding", last["disk_mb_a_s"], 10, size, "MB/s")
    parts = found["parts"]
    yield most("cutting a text", parts["cut_ms_a_kb"], 10, "recursive", "ms/KB")
    yield most("embedding one text, p95", parts["embed_one_p95_ms"], 100, "500 characters", "ms")
    yield most("embedding 100 chunks", parts["embed_hundred_ms"], 600, "500 characters each", "ms")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
