"""``add_memory``, ``search_memory``, ``get_stats``: checks, replies and errors in the words of their contract."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from memd.daemon.mcp.contract import (
    add_memory,
    check_add,
    check_search,
    check_stats,
    document_of,
    get_stats,
    search_memory,
)
from memd.daemon.mcp.exchange import Exchange, Peer
from memd.daemon.mcp.memory import Memory
from memd.daemon.mcp.results import ToolError, error_result
from memd.tests.cases import for_each


class Fake(Memory):
    """A memory that answers from a table."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.asked: list[tuple[str, Any]] = []
        self._answers = answers

    def call(self, operation: Any, values: Any = None, *, idempotent: bool = False) -> dict[str, Any]:
        """Answer by the operation's name."""
        del idempotent
        self.asked.append((operation.name, values))
        answer = self._answers[operation.name]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def store(self, line: bytes, source: str, tell: Any) -> str:
        """Note the document."""
        tell(1, 1)
        self.asked.append((source, json.loads(line)))
        return "run"


@for_each(
    [
        (check_add, {}, "Missing required field: text"),
        (check_add, {"text": ""}, "Missing required field: text"),
        (check_add, {"text": 7}, "text must be string"),
        (check_add, {"text": " \n"}, "text cannot be empty"),
        (check_add, {"text": "a" * 10_000_001}, "text exceeds maximum size"),
        (check_add, {"text": "a", "metadata": [1]}, "metadata must be dict"),
        (check_add, {"text": "a", "metadata": {"a": float("nan")}}, "metadata must be JSON-serializable"),
        (check_add, {"text": "a", "metadata": {"a": object()}}, "metadata must be JSON-serializable"),
        (check_search, {}, "Missing required field: query"),
        (check_search, {"query": ["a"]}, "query must be string"),
        (check_search, {"query": "  "}, "query cannot be empty"),
        (check_search, {"query": "a" * 1001}, "query too long (max 1000 chars)"),
        (check_search, {"query": "a", "limit": "3"}, "limit must be integer"),
        (check_search, {"query": "a", "limit": True}, "limit must be integer"),
        (check_search, {"query": "a", "limit": 0}, "limit must be 1-100"),
        (check_search, {"query": "a", "limit": 101}, "limit must be 1-100"),
        (check_search, {"query": "a", "filters": "b"}, "filters must be dict"),
        (check_stats, [], "arguments must be dict"),
    ]
)
def test_each_broken_rule_is_told_in_its_words(check: Any, arguments: Any, text: str) -> None:
    """The first rule that is broken is told, and nothing of the input."""
    with pytest.raises(ToolError) as raised:
        check(arguments)
    assert error_result(raised.value) == {
        "content": [{"type": "text", "text": f"Validation Error: {text}"}],
        "structuredContent": {
            "error": {"class": "ValidationError", "code": "VAL", "message": text, "retryable": False}
        },
        "isError": True,
    }


@for_each(
    [
        ("PROC", "Processing Error: Failed to chunk document. Please try a different format."),
        ("STORE", "Database Error: Service temporarily unavailable. Please try again in a few moments."),
        ("BUSY", "Database Error: Service temporarily unavailable. Please try again in a few moments."),
        ("EMB", "Embedding Error: words of memd"),
        ("TIMEOUT", "Timeout Error: words of memd"),
        ("NOT_FOUND", "Validation Error: words of memd"),
        ("UNEXPECTED", "Unexpected Error: Something went wrong. The daemon's log has the details."),
        ("NEW_CODE", "Unexpected Error: Something went wrong. The daemon's log has the details."),
    ]
)
def test_each_error_has_its_class(code: str, text: str) -> None:
    """In the text and in the structure alike."""
    result = error_result(ToolError(code, "words of memd", correlation="c0ffee"))
    assert result["content"][0]["text"] == text
    assert result["isError"] is True
    error = result["structuredContent"]["error"]
    assert (error["class"], error["message"]) == (
        text.split(":", maxsplit=1)[0].replace(" ", ""),
        text.split(": ", 1)[1],
    )
    assert error["correlation_id"] == "c0ffee"


def test_what_is_falsy_is_left_out() -> None:
    """As the contract's own checks have it."""
    assert check_add({"text": "a", "metadata": None}) == ("a", {})
    assert check_search({"query": "a", "filters": []}) == ("a", 10, {})


def test_a_memory_is_a_document_of_its_contents() -> None:
    """Its id is the same for the same text and metadata; what is no text in the metadata becomes JSON."""
    metadata = {"source": "wikipedia", "tags": ["python"], "date": "2024-11-22", "n": 3}
    body = json.loads(document_of("Python", metadata))
    assert body["tags"] == ["python"]
    assert body["timestamp"] == "2024-11-22T00:00:00+00:00"
    assert body["metadata"] == {"source": "wikipedia", "n": "3"}
    assert json.loads(document_of("Python", metadata))["id"] == body["id"]
    assert json.loads(document_of("Python", {}))["id"] != body["id"]
    assert json.loads(document_of("a\ud800", {}))["content"] == "a\ufffd"


@for_each(
    [
        ({"tags": "x"}, "metadata.tags must be a list of texts"),
        ({"date": "yesterday"}, "metadata.date must be a date: 2024-11-22, or 2024-11-22T10:30:00Z"),
    ]
)
def test_metadata_with_a_meaning_must_have_one(metadata: Any, text: str) -> None:
    """Tags and date are filtered by, so they must be what they are said to be."""
    with pytest.raises(ToolError, match=text):
        document_of("a", metadata)


def test_adding_replies_with_the_id() -> None:
    """In the text and in the metadata of the result."""
    memory = Fake({"show": {"document": {}, "chunks": 3}})
    sent: list[Any] = []
    exchange = Exchange(Peer(), sent.append, lambda _method, _params: {})
    exchange.params = {"_meta": {"progressToken": "t"}}
    result = add_memory({"text": "P" * 120}, memory, exchange)
    assert [each["params"] for each in sent] == [{"progressToken": "t", "progress": 1, "total": 1}]
    identifier = memory.asked[0][1]["id"]
    assert result["content"][0]["text"] == (
        f"Memory stored successfully.\n\nMemory ID: {identifier}\nChunks created: 3\nPreview: {'P' * 100}..."
    )
    assert result["isError"] is False
    assert result["_meta"]["memory_id"] == identifier
    assert result["_meta"]["chunks"] == 3
    assert isinstance(result["_meta"]["processing_time_ms"], int | float)


HIT: dict[str, Any] = {
    "id": "k", "document_id": "d", "text": "Python", "speaker": None, "time": "2024-11-22T00:00:00Z", "source": "wikipedia",
    "tags": ["python", "programming"], "scores": {"vector": 0.874}, "chunk": {"id": "c"},
}  # fmt: skip


def test_searching_replies_in_its_form_with_marks() -> None:
    """The lines of the contract stand between the marks; what was not searched is told, and never hidden."""
    memory = Fake({"query": {"hits": [HIT, HIT | {"source": "", "speaker": "Bob"}], "degraded": ["vector"]}})
    filters = {"tags": ["python"], "date_from": "2024-01-01", "date_to": "2024-12-31", "source": "wikipedia"}
    result = search_memory({"query": "Who?", "limit": 2, "filters": filters}, memory)
    assert memory.asked[0][1] == {
        "text": "Who?", "limit": 2, "context": 0, "tags": ["python"], "since": "2024-01-01", "until": "2025-01-01",
        "sources": ["wikipedia"],
    }  # fmt: skip
    text = result["content"][0]["text"]
    assert text.startswith("Found 2 relevant memories:\n\n<memd-quote ")
    assert "\n1. Python\n   Source: wikipedia\n   Similarity: 0.87\n   Tags: python, programming\n\n" in text
    assert "\n2. Bob: Python\n   Source: unknown\n" in text
    assert text.endswith("Not all of the memory was searched: vector")
    assert result["structuredContent"]["degraded"] == ["vector"]
    first = result["structuredContent"]["results"][0]
    assert first["chunk_id"] == "c"
    assert first["link"] == "memd://message/k"
    assert first["text"].startswith("<memd-quote ")
    assert (result["_meta"]["results_count"], result["_meta"]["query"]) == (2, "Who?")


def test_nothing_found_is_no_error() -> None:
    """The reply says so in its form."""
    result = search_memory({"query": "Who?"}, Fake({"query": {"hits": []}}))
    assert result["content"][0]["text"] == "Found 0 relevant memories:\n\n"
    assert result["isError"] is False


@for_each([({"tags": [1]},), ({"tag": ["a"]},), ({"date_from": 3},)])
def test_filters_that_mean_nothing_are_refused(filters: Any) -> None:
    """A filter that is overlooked would hide itself in the answer."""
    with pytest.raises(ToolError):
        search_memory({"query": "a", "filters": filters}, Fake({}))


def test_statistics_are_told_in_their_form() -> None:
    """What was never measured is left out."""
    stats: dict[str, Any] = {
        "documents": 1542, "chunks": 4821, "bytes": {"database": 200 * 2**20, "words": 34 * 2**20 + 2**19},
        "embedding_cache": {"hits": 640, "misses": 360}, "query_ms": {"mean": 187.4},
    }  # fmt: skip
    result = get_stats({}, Fake({"stats": stats}))
    assert result["content"][0]["text"] == (
        "\nMemory System Statistics:\n━━━━━━━━━━━━━━━━━━━━━━━━━\n\nStorage:\n  • Total Memories: 1,542\n"
        "  • Total Chunks: 4,821\n  • Database Size: 234.5 MB\n  • Graph Name: memd\n\nPerformance:\n"
        "  • Cache Hit Rate: 64.0%\n  • Avg Query Latency: 187 ms\n"
    )
    assert result["_meta"]["statistics"] == {
        "total_memories": 1542, "total_chunks": 4821, "database_size_mb": 234.5, "graph_name": "memd",
        "cache_hit_rate": 0.64, "avg_query_latency_ms": 187,
    }  # fmt: skip
    quiet = stats | {"embedding_cache": {"hits": 0, "misses": 0}, "query_ms": {"mean": None}}
    assert "Performance" not in get_stats({}, Fake({"stats": quiet}))["content"][0]["text"]
