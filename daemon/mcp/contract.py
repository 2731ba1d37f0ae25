"""``add_memory``, ``search_memory`` and ``get_stats``: a contract that agents know, kept to the letter.

The names, the schemas, the texts of the checks in their order, and the replies are part of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, cast

from .exchange import Exchange
from .jsonrpc import Json, object_of
from .memory import Memory
from .quotation import Quotation, one_line
from .resource_links import document_link, hit_link
from .results import invalid, result_of

TEXT_CHARACTERS = 10_000_000
QUERY_CHARACTERS = 1000
LIMIT = 100
DEFAULT_LIMIT = 10
PREVIEW = 100
SOURCE = "mcp"
"""The source of memories that name none."""


def check_add(arguments: Any) -> tuple[str, Mapping[str, Any]]:  # noqa: ANN401 - whatever a client sends
    """Return text and metadata.

    Raises:
        ToolError: they break a rule, in the contract's words.
    """
    fields = check_stats(arguments)
    if not fields.get("text"):
        raise invalid("Missing required field: text")
    text, metadata = fields["text"], fields.get("metadata")
    if not isinstance(text, str):
        raise invalid("text must be string")
    if not text.strip():
        raise invalid("text cannot be empty")
    if len(text) > TEXT_CHARACTERS:
        raise invalid("text exceeds maximum size")
    entries = object_of(metadata or {})
    if entries is None:
        raise invalid("metadata must be dict")
    try:
        json.dumps(entries, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise invalid("metadata must be JSON-serializable") from None
    return text, entries


def check_search(arguments: Any) -> tuple[str, int, Mapping[str, Any]]:  # noqa: ANN401 - whatever a client sends
    """Return query, limit and filters.

    Raises:
        ToolError: they break a rule, in the contract's words.
    """
    fields = check_stats(arguments)
    if not fields.get("query"):
        raise invalid("Missing required field: query")
    query, limit, filters = fields["query"], fields.get("limit", DEFAULT_LIMIT), object_of(fields.get("filters") or {})
    if not isinstance(query, str):
        raise invalid("query must be string")
    if not query.strip():
        raise invalid("query cannot be empty")
    if len(query) > QUERY_CHARACTERS:
        raise invalid("query too long (max 1000 chars)")
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise invalid("limit must be integer")
    if not 1 <= limit <= LIMIT:
        raise invalid("limit must be 1-100")
    if filters is None:
        raise invalid("filters must be dict")
    return query, limit, filters


def check_stats(arguments: Any) -> Mapping[str, Any]:  # noqa: ANN401 - whatever a client sends
    """Return the arguments.

    Raises:
        ToolError: they are no object.
    """
    fields = object_of(arguments)
    if fields is None:
        raise invalid("arguments must be dict")
    return fields


def add_memory(arguments: Any, memory: Memory, exchange: Exchange) -> Json:  # noqa: ANN401 - see check_add
    """Store a text; the same text with the same metadata is the same memory."""
    from ..operations import SHOW

    began = time.monotonic()
    text, metadata = check_add(arguments)
    line = document_of(text, metadata)
    memory.store(line, SOURCE, exchange.progress)
    identifier = str(json.loads(line)["id"])
    chunks = int(memory.call(SHOW, {"id": identifier}).get("chunks", 0))
    reply = (
        f"Memory stored successfully.\n\nMemory ID: {identifier}\nChunks created: {chunks}\n"
        f"Preview: {text[:PREVIEW]}..."
    )
    structure = {"memory_id": identifier, "chunks": chunks, "link": document_link(identifier)}
    return result_of(reply, structure, {"processing_time_ms": _since(began), "memory_id": identifier, "chunks": chunks})


def document_of(text: str, metadata: Mapping[str, Any]) -> bytes:
    """Return the document of a memory, one JSON line. Its id is made of its contents.

    Raises:
        ToolError: tags or date are none, or it is too large for one request.
    """
    import hashlib
    import uuid

    from ..client import REQUEST_CAP
    from ..operations import valid

    content = valid(json.dumps([text, metadata], ensure_ascii=False, sort_keys=True)).encode()
    body: Json = {"id": str(uuid.UUID(bytes=hashlib.sha256(content).digest()[:16], version=4)), "content": text}
    tags, date = metadata.get("tags", []), metadata.get("date")
    if not isinstance(tags, list) or not all(isinstance(tag, str) and tag for tag in cast("list[object]", tags)):
        raise invalid("metadata.tags must be a list of texts")
    if tags:
        body["tags"] = tags
    if date is not None:
        body["timestamp"] = _moment(date)
    rest = {name: value for name, value in metadata.items() if name not in ("tags", "date")}
    body["metadata"] = {"source": SOURCE} | {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for name, value in rest.items()
    }
    line = valid(json.dumps(body, ensure_ascii=False)).encode()
    if len(line) >= REQUEST_CAP:
        raise invalid("text exceeds maximum size")
    return line


def _moment(date: object) -> str:
    """Return a date of the metadata as the daemon takes it: a day begins in UTC.

    Raises:
        ToolError: it is none.
    """
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(str(date) if isinstance(date, str) else "")
    except ValueError:
        raise invalid("metadata.date must be a date: 2024-11-22, or 2024-11-22T10:30:00Z") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def search_memory(arguments: Any, memory: Memory) -> Json:  # noqa: ANN401 - see check_search
    """Search everything that is stored."""
    from ..operations import QUERY

    began = time.monotonic()
    query, limit, filters = check_search(arguments)
    answer = memory.call(QUERY, {"text": query, "limit": limit, "context": 0, **_filters(filters)})
    quotation = Quotation()
    results = [_result(hit) for hit in answer["hits"]]
    reply = f"Found {len(results)} relevant memories:\n\n"
    if results:
        reply += quotation.block("".join(_shown(number, result) for number, result in enumerate(results, 1)))
        reply += f"\n{quotation.notice}"
    structure: Json = {
        "notice": quotation.notice,
        "results": [result | {"text": quotation.inline(result["text"])} for result in results],
    }
    if degraded := answer.get("degraded"):
        reply += f"\nNot all of the memory was searched: {', '.join(degraded)}"
        structure["degraded"] = degraded
    meta = {"processing_time_ms": _since(began), "results_count": len(results), "query": query}
    return result_of(reply, structure, meta)


def _filters(filters: Mapping[str, Any]) -> Json:
    names = {"tags", "source", "date_from", "date_to"}
    if unknown := sorted(set(filters) - names):
        raise invalid(f"there is no filter {unknown[0][:64]!r}", f"filters are {', '.join(sorted(names))}")
    values: Json = {}
    for name, field in (("tags", "tags"), ("source", "sources")):
        value: object = filters.get(name) or []
        several = [value] if isinstance(value, str) else value
        if not isinstance(several, list) or not all(isinstance(each, str) for each in cast("list[object]", several)):
            raise invalid(f"filters.{name} must be a list of texts")
        if several:
            values[field] = several
    for name, field in (("date_from", "since"), ("date_to", "until")):
        if (date := filters.get(name)) is not None:
            if not isinstance(date, str):
                raise invalid(f"filters.{name} must be a date")
            values[field] = _day_after(date) if name == "date_to" else date
    return values


def _day_after(date: str) -> str:
    """Return the end of a day, which is inside the filter; any other time as it is."""
    from datetime import date as calendar_day
    from datetime import timedelta

    try:
        return (calendar_day.fromisoformat(date) + timedelta(days=1)).isoformat() if len(date) == 10 else date
    except (ValueError, OverflowError):
        return date


def _result(hit: Mapping[str, Any]) -> Json:
    chunk: Mapping[str, Any] = hit.get("chunk") or {}
    scores: Mapping[str, float] = hit.get("scores") or {}
    return {
        "chunk_id": chunk.get("id") or hit["id"],
        "text": f"{hit['speaker']}: {hit['text']}" if hit.get("speaker") else hit["text"],
        "similarity": round(min(1.0, max(0.0, scores.get("vector", 0.0))), 4),
        "memory_id": hit["document_id"],
        "source": one_line(hit.get("source") or "unknown", 64),
        "tags": [one_line(tag, 64) for tag in hit.get("tags", [])],
        "timestamp": hit.get("time"),
        "link": hit_link(hit),
    }


def _shown(number: int, result: Mapping[str, Any]) -> str:
    return (
        f"{number}. {result['text']}\n   Source: {result['source']}\n   Similarity: {result['similarity']:.2f}\n"
        f"   Tags: {', '.join(result['tags'])}\n\n"
    )


def get_stats(arguments: Any, memory: Memory) -> Json:  # noqa: ANN401 - see check_stats
    """Counts and sizes. Times and the cache are left out before there is a first question or text."""
    from ..operations import STATS

    began = time.monotonic()
    check_stats(arguments)
    answer = memory.call(STATS)
    cache, latency = answer["embedding_cache"], answer["query_ms"].get("mean")
    lookups = cache["hits"] + cache["misses"]
    statistics: Json = {
        "total_memories": answer["documents"],
        "total_chunks": answer["chunks"],
        "database_size_mb": round(sum(answer["bytes"].values()) / (1024 * 1024), 1),
        "graph_name": "memd",
    }
    if lookups:
        statistics["cache_hit_rate"] = round(cache["hits"] / lookups, 4)
    if latency is not None:
        statistics["avg_query_latency_ms"] = round(latency)
    return result_of(
        _statistics_text(statistics), statistics, {"processing_time_ms": _since(began), "statistics": statistics}
    )


def _statistics_text(statistics: Mapping[str, Any]) -> str:
    text = f"""
Memory System Statistics:
━━━━━━━━━━━━━━━━━━━━━━━━━

Storage:
  • Total Memories: {statistics["total_memories"]:,}
  • Total Chunks: {statistics["total_chunks"]:,}
  • Database Size: {statistics["database_size_mb"]:.1f} MB
  • Graph Name: {statistics["graph_name"]}
"""
    lines: list[str] = []
    if "cache_hit_rate" in statistics:
        lines.append(f"  • Cache Hit Rate: {statistics['cache_hit_rate']:.1%}\n")
    if "avg_query_latency_ms" in statistics:
        lines.append(f"  • Avg Query Latency: {statistics['avg_query_latency_ms']:.0f} ms\n")
    return text + ("\nPerformance:\n" + "".join(lines) if lines else "")


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
