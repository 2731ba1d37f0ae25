"""Keys are told from lines without reading them closely, and are those that the store gives."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from memd.daemon.service.document_lines import keyed_lines, read_lines
from memd.memory.ingest.batching import concrete_document
from memd.memory.merge.plan import key_of

TALK = {
    "id": "whatsapp:Ann:2024-01-15",
    "conversation": {
        "source": "whatsapp",
        "people": ["Ann"],
        "user": "Ann",
        "conversation": [{"speaker": "Ann", "content": "hello", "time": "2024-01-15T12:00:00Z"}],
    },
    "metadata": {"chat": "Ann"},
}
TEXT = {"id": "n1", "content": "hello", "metadata": {"source": "notes"}}


@pytest.mark.parametrize(
    "document", [TALK, TEXT, {**TALK, "metadata": {"account": "work"}}, {**TEXT, "metadata": {"account": "home"}}]
)
def test_the_key_is_that_of_the_document(document: dict[str, Any]) -> None:
    """With and without an account."""
    body = json.dumps(document).encode()
    (read,) = read_lines(body).documents
    assert keyed_lines(b"\n" + body + b"\n \n") == [(body, key_of(concrete_document(read)))]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"1",
        b'{"id": 5}',
        b'{"id": "a", "metadata": [1]}',
        b'{"id": "a", "metadata": {"source": 1}}',
        b'{"id": "a", "conversation": {}}',
        b'{"id": "\xff"}',
        b'{"id": "\\ud800"}',
    ],
)
def test_what_is_unclear_has_no_key(line: bytes) -> None:
    """Such a line is read closely."""
    assert [key for _, key in keyed_lines(line)] == [None]


def test_broken_lines_without_number_are_counted_and_the_first_are_named() -> None:
    """Each has its number; a body of nothing else takes no more room than with twenty of them."""
    body = b"0\n" * 100 + json.dumps(TEXT).encode() + b"\n{" * 3
    tracemalloc.start()
    try:
        read = read_lines(body)
        small = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        many = read_lines(b"0\n" * 20_000)
        assert tracemalloc.get_traced_memory()[1] < small + 500_000
    finally:
        tracemalloc.stop()
    assert [document.id for document in read.documents] == ["n1"]
    assert (read.refused, many.refused) == (103, 20_000)
    assert [record.locator for record in read.rejected] == [f"line {number}" for number in range(1, 21)]
