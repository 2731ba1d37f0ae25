"""Of every format that is JSON: a record that is none, put in the place of one that was read, is told; the others are read."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

import pytest

from memd.connectors.connector import Connector
from memd.connectors.reading.registry import default_connectors
from memd.schemas import Notice, Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.telegram.exports import OPTIONS
from memd.tests.contracts.connector import Shelf
from memd.tests.fuzz.contract_samples import samples_by_format

Files = Mapping[str, bytes]
Place = tuple[str | int, ...]
NO_RECORDS: list[Any] = [7, None, {}]
CHATS = [("chats", "list"), ("left_chats", "list")]
"""Of Telegram: a chat may have no messages."""
FORMATS = sorted(each.name for each in default_connectors() if each.name != "pdf")


def lists_of(value: Any, place: Place = ()) -> Iterator[tuple[Place, int]]:
    """Where lists of objects stand, with their lengths."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if items and all(isinstance(item, dict) for item in items):
            yield place, len(items)
        for number, item in enumerate(items):
            yield from lists_of(item, (*place, number))
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from lists_of(item, (*place, key))


def with_other(value: Any, place: Place, number: int, other: Any) -> Any:
    """The same with something else in a list."""
    changed = copy.deepcopy(value)
    inside = changed
    for key in place:
        inside = inside[key]
    inside[number] = other
    return changed


def spoiled(data: bytes) -> Iterator[bytes]:
    """A file with one record less, and something else in its place: of one JSON value, or of a JSON value a line."""
    with suppress(ValueError):
        whole = json.loads(data)
        for place, length in lists_of(whole):
            for number in range(length):
                for other in NO_RECORDS[:2] if place[-2:] in CHATS else NO_RECORDS:
                    yield json.dumps(with_other(whole, place, number, other)).encode()
        return
    lines = [line for line in data.split(b"\n") if line.strip()]
    with suppress(ValueError):
        if all(isinstance(json.loads(line), dict) for line in lines):
            for number in range(1, len(lines)):  # the first tells what the file is
                for other in NO_RECORDS:
                    yield b"\n".join([*lines[:number], json.dumps(other).encode(), *lines[number + 1 :]])


def read(connector: Connector, files: Files) -> tuple[int, int, int]:
    """Messages (a text is one), records that were rejected, and files that a notice tells as left out."""
    messages = refused = left_out = 0
    for record in connector.read(Shelf("x", files), OPTIONS):
        if isinstance(record, Rejected):
            refused += 1
        elif isinstance(record, Notice):
            left_out += record.code == "files-left-out"
        else:
            conversation = record.as_conversation()
            messages += 1 if conversation is None else len(conversation.messages)
    return messages, refused, left_out


@pytest.mark.slow
@for_each(FORMATS)
def test_a_record_that_is_none_is_told(name: str) -> None:
    """What was read and what was rejected are all records; where nothing else was in a file, the file is told as left out."""
    connector, samples = samples_by_format()[name]
    for files in samples:
        messages, refused, left_out = read(connector, files)
        for path, data in files.items():
            for other in spoiled(data):
                now = read(connector, {**files, path: other})
                if now[0] < messages:
                    assert now[1] > refused or now[2] > left_out, other
