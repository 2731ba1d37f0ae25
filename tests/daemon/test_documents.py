"""Lines of documents, and the digests of lines by which a stored chat is recognised."""

from __future__ import annotations

import json
import tracemalloc
from hashlib import sha256

import pytest

from memd.daemon.client import REQUEST_BYTES, grouped, place_line
from memd.daemon.service.document_lines import read_digests, read_lines
from memd.memory.ingest.batching import concrete_document, day_digest, digest_of
from memd.memory.merge.plan import key_of
from memd.schemas import document_to_line
from memd.schemas.errors import InvalidError
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


def test_the_digest_of_a_line_is_that_of_its_document() -> None:
    """With the key and the title of the chat; what is no day of a chat has none."""
    (talk,), (text,) = (read_lines(json.dumps(each).encode()).documents for each in (TALK, TEXT))
    digest = sha256(document_to_line(talk)[:-1]).digest()
    day = day_digest(talk, digest)
    assert day is not None
    assert day == (key_of(concrete_document(talk)), "Ann", digest_of(talk))
    body = json.dumps([str(day.key), day.chat, digest.hex()]).encode()
    assert read_digests(b"\n" + body + b"\n \n") == [day]
    assert day_digest(text, digest) is None


@for_each([b"{", b"{}", b"1", b"[]", b'["a", "b", "c"]', b'["a", "b"]', b"[1, 2, 3]", b'{"id": "\xff"}'])
def test_what_is_no_digest_is_refused(line: bytes) -> None:
    """Nothing can be told about it."""
    with pytest.raises(InvalidError, match="SHA-256"):
        read_digests(line)


@pytest.mark.parametrize("ends", ["", "\r", " ", "\t \r"])
@pytest.mark.parametrize("line", ['{"read_at":"0/3"}', '{"read_at": "0/3"}', ' { "read_at" : "0/3" }'])
def test_a_line_says_where_the_documents_behind_it_were_read(line: str, ends: str) -> None:
    """Whatever blanks are in it."""
    body = b"\n".join([(line + ends).encode(), json.dumps(TEXT).encode()])
    read = read_lines(body)
    assert ([each.id for each in read.documents], read.places, read.refused) == (["n1"], ["0/3"], 0)


def test_a_document_that_begins_as_such_a_line_is_a_document() -> None:
    """For who reads it and for who sends it."""
    line = b'{"read_at":"0/3",' + json.dumps(TEXT).encode()[1:]
    read = read_lines(place_line("0/1") + line)
    assert ([each.id for each in read.documents], read.places) == (["n1"], ["0/1"])
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
