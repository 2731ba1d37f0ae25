"""Keys are told from lines without reading them closely, and are those that the store gives."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from memd.daemon.client import REQUEST_BYTES, grouped, place_line
from memd.daemon.service.document_lines import keyed_lines, read_lines
from memd.memory.ingest.batching import concrete_document
from memd.memory.merge.plan import key_of
from memd.tests.cases import for_each

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


@for_each(
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
    ]
)
def test_what_is_unclear_has_no_key(line: bytes) -> None:
    """Such a line is read closely."""
    assert [key for _, key in keyed_lines(line)] == [None]


@pytest.mark.parametrize("ends", ["", "\r", " ", "\t \r"])
@pytest.mark.parametrize("line", ['{"read_at":"0/3"}', '{"read_at": "0/3"}', ' { "read_at" : "0/3" }'])
def test_a_line_says_where_the_documents_behind_it_were_read(line: str, ends: str) -> None:
    """Whatever blanks are in it."""
    body = b"\n".join([(line + ends).encode(), json.dumps(TEXT).encode()])
    read = read_lines(body)
    assert ([each.id for each in read.documents], read.places, read.refused) == (["n1"], ["0/3"], 0)
    assert [line for line, _ in keyed_lines(body)] == [json.dumps(TEXT).encode()]


def test_a_document_that_begins_as_such_a_line_is_a_document() -> None:
    """For who reads it, for who looks for conflicts, and for who sends it."""
    line = b'{"read_at":"0/3",' + json.dumps(TEXT).encode()[1:]
    read = read_lines(place_line("0/1") + line)
    assert ([each.id for each in read.documents], read.places) == (["n1"], ["0/1"])
    assert keyed_lines(place_line("0/1") + line) == [(line, key_of(concrete_document(read.documents[0])))]
    big = b'{"read_at":"0/3",' + json.dumps({**TEXT, "content": "x" * REQUEST_BYTES}).encode()[1:] + b"\n"
    assert list(grouped([place_line("0/1"), line + b"\n", big, line])) == [
        place_line("0/1") + line + b"\n",
        place_line("0/1") + big,
        place_line("0/1") + line,
    ]


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
