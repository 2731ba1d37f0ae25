"""Keys are told from lines without reading them closely, and are those that the store gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memd.daemon.documents import keyed_lines, read_lines
from memd.memory.grouping import typed
from memd.memory.merge import key_of

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
    assert keyed_lines(b"\n" + body + b"\n \n") == [(body, key_of(typed(read)))]


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
