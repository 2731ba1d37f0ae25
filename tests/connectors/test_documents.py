"""Documents in JSON: every form they come in, damaged or not."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.jsondocs.connector import DocumentsConnector
from memd.connectors.formats.jsondocs.sniff import document_score
from memd.connectors.opening.limits import MESSAGE_CAP
from memd.connectors.opening.open_source import open_source
from memd.connectors.text.json_parsing import parse_json
from memd.connectors.text.json_splitter import JSONSplitter
from memd.schemas import ConversationDocument, Notice, Rejected
from memd.tests.cases import for_each
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples

OPTIONS = ReadOptions(zone=UTC)
A = b'{"id":"a","content":"one { [ \\" } ]"}'
B = b'{"id":"b","content":"two\\n","tags":["x"]}'
C = b'{"id":"c","content":"three"}'
CHAT = (
    b'{"id":"chat","conversation":{"source":"s","people":["Ann","Bo"],"user":"Ann","conversation":['
    b'{"id":"m1","speaker":"Ann","content":"hi","time":"2024-01-15T12:00:00Z"},'
    b'{"id":"m2","speaker":"Bo","content":"ho","time":"2024-01-15T13:01:00+01:00"}]}}'
)


class TestDocumentsConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("jsondocs.connector:_value_records",)
    download = Download(
        "the astronaut misplaced a spoon",
        {
            "diary.jsonl": json.dumps(
                {
                    "id": "d1",
                    "conversation": {
                        "source": "diary",
                        "people": ["Cleo", "Ann"],
                        "user": "Ann",
                        "conversation": [
                            {
                                "speaker": "Cleo",
                                "content": "The astronaut misplaced a spoon",
                                "time": "2024-01-15T10:00:00Z",
                            }
                        ],
                    },
                }
            ).encode()
            + b"\n"
        },
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return DocumentsConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Lines, a list, one object over many lines, a folder, and UTF-16."""
        return {
            "docs.jsonl": {"docs.jsonl": b"\n".join([A, CHAT, B])},
            "docs.json": {"docs.json": b"[" + b",\n ".join([CHAT, A, B]) + b"]\n"},
            "one.json": {"one.json": json.dumps(json.loads(CHAT), indent=2).encode()},
            "folder": {"a.json": A, "sub/b.json": b"[" + B + b"]"},
            "wide.json": {"wide.json": A.decode().encode("utf-16")},
        }


def read(data: bytes, name: str = "d") -> list[Record]:
    """What one file of these bytes holds."""
    return list(DocumentsConnector().read(Shelf(name, {name: data}), OPTIONS))


def ids(records: list[Record]) -> list[str]:
    """The ids of the documents among the records."""
    return [record.id for record in records if not isinstance(record, Notice | Rejected)]


def rejected(records: list[Record]) -> list[str]:
    """Where records were rejected."""
    return [record.locator for record in records if isinstance(record, Rejected)]


@for_each(
    [
        A + b"\n" + B + b"\n" + C + b"\n",
        b"\n\n" + A + b"\r\n\r\n" + B + b"\n  \n" + C,
        b"\xef\xbb\xbf" + A + b"\n" + B + b"\n" + C,
        b"[" + A + b"," + B + b"," + C + b"]",
        b"\n [\n" + A + b" ,\n" + B + b"\n,\n" + C + b"\n]\n\n",
        b"[" + A + b"]\n[" + B + b"," + C + b"]",
        b"\n".join(json.dumps(json.loads(d), indent=1).encode() for d in (A, B, C)),
        A + B + C,
        (b"[" + A + b"," + B + b"," + C + b"]").decode().encode("utf-16"),
        b"\n".join([A, B, C]).decode().encode("utf-32"),
        A + b"\n[" + B + b"," + C + b"]",
    ]
)
def test_every_form_gives_the_same_documents(data: bytes) -> None:
    """Lines, lists, objects over several lines and their encodings are one format."""
    records = read(data)
    assert ids(records) == ["a", "b", "c"]
    assert len(records) == 3
    assert document_score(data if data[0] not in (0xFF, 0) else A) >= 0.5


def test_parts_of_another_programs_objects_are_no_documents() -> None:
    """An attachment with an id and a content, on lines of its own, is none; a document among the objects is one."""
    message = {"id": "1", "body": "hi", "from": "Ann", "attachments": [{"id": "2", "content": "{}", "name": "x"}]}
    assert document_score(json.dumps([message], indent=1).encode()) < 0.5
    assert document_score(json.dumps([message, {"id": "3", "content": "hi"}], indent=1).encode()) >= 0.5


@for_each([b"{bad}", b'{"id":"x', b'{"id":"x","content":', b"word", b'{"id":"x"]', b"\x00", b"{}}"])
def test_a_broken_line_costs_itself_alone(broken: bytes) -> None:
    """Its place is told by file and line; the lines around it stay."""
    records = read(A + b"\n" + broken + b"\n" + B, "d.jsonl")
    assert ids(records) == ["a", "b"]
    assert set(rejected(records)) == {"d.jsonl!d.jsonl:2"}


@pytest.mark.slow
@pytest.mark.parametrize("broken", [b"1 ", b'""', b"[0]"])
def test_a_line_of_many_values_costs_itself_alone(broken: bytes) -> None:
    """It is one rejection, not as many as there are values in it, and takes no more room than the line."""
    line = A + broken * 6_000 + B
    read(C + b"\n" + A + broken + B)  # what is imported late is not counted
    tracemalloc.start()
    try:
        records = read(C + b"\n" + line, "d.jsonl")
        assert tracemalloc.get_traced_memory()[1] < 1_000_000 + 3 * len(line)
    finally:
        tracemalloc.stop()
    assert ids(records) == ["c", "a", "b"]
    assert rejected(records) == ["d.jsonl!d.jsonl:2"]


@for_each([b"{bad}", b'{"id":"x', b'{"id":"x","content":', b"word", b'{"id":"x"]'])
def test_a_broken_first_line_does_not_hide_the_others(broken: bytes) -> None:
    """Also when it looks like the start of an object over several lines."""
    records = read(broken + b"\n" + A + b"\n" + B)
    assert ids(records) == ["a", "b"]
    assert rejected(records) == ["d!d:1"]


@for_each(
    [
        b'{"id":"x","content":NaN}',
        b'{"id":"x","content":oops"}',
        b'{"id":"x,"content":"y"}',
        b'{"id":"x","content":"y}',
        b'{"id":"x","content":["y"}',
        b'{"id":"x","conversation":{"conversation":[{"id":"m","speaker":"Ann","content":"hi}]}}',
        b'{"id":"x","content":{"y"}',
    ]
)
def test_a_broken_element_of_a_list_costs_itself_alone(broken: bytes) -> None:
    """A lost quote or bracket does not swallow the rest of the list, even on one line."""
    records = read(b"[" + A + b"," + broken + b"," + B + b"," + CHAT + b"]")
    assert ids(records) == ["a", "b", "chat"]
    assert rejected(records) == ["d!d#/1"]


def test_every_flipped_byte_of_lines_costs_at_most_two_documents() -> None:
    """A changed byte breaks its own line, or joins it with the next; the others are read."""
    data = b"\n".join([A, B, C, CHAT])
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 0x04
        assert len(ids(read(bytes(flipped)))) >= 2, place


def test_every_flipped_byte_of_a_list_leaves_most_of_it() -> None:
    """The same for a list that is all on one line."""
    documents = [b'{"id":"%d","content":"text %d","tags":["t"]}' % (n, n) for n in range(6)]
    data = b"[" + b",".join(documents) + b"]"
    for place in range(1, len(data)):
        for bit in (0x01, 0x04, 0x20):
            flipped = bytearray(data)
            flipped[place] ^= bit
            assert len(ids(read(bytes(flipped)))) >= 4, (place, bit)


def test_a_list_that_is_cut_off_says_so() -> None:
    """Between two elements as well as inside one."""
    data = b"[" + A + b"," + B + b"," + C + b"]"
    for end in range(len(A) + 1, len(data)):
        records = read(data[:end])
        assert ids(records)[0] == "a"
        assert rejected(records), end


@for_each(
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "9" * 30,
        "-" + "9" * 5000,
        "[" * 5000 + "]" * 5000,
        "[" * 260 + "]" * 260,
    ]
)
def test_what_json_cannot_carry_is_rejected(value: str) -> None:
    """Numbers that would be altered and endless nesting are refused, not guessed at."""
    records = read(b'{"id":"x","content":"y","n":%s}\n' % value.encode() + A)
    assert ids(records) == ["a"]
    assert rejected(records) == ["d!d:1"]


def test_long_digits_in_text_are_only_text() -> None:
    """What is refused as a number may stand in a string."""
    assert ids(read(b'{"id":"99999999999999999999999","content":"y"}')) == ["9" * 23]


@pytest.mark.parametrize("content", [b"caf\xe9", b"\\ud83d", b"\xed\xa0\x80"])
def test_damaged_text_is_replaced_and_told(content: bytes) -> None:
    """Bytes that are no UTF-8 and lone surrogates become U+FFFD, with a notice."""
    records = read(b'{"id":"x","content":"' + content + b'"}')
    assert [r.code for r in records if isinstance(r, Notice)] == ["replaced-text"]
    document = records[-1]
    assert not isinstance(document, Notice | Rejected)
    assert "\N{REPLACEMENT CHARACTER}" in document.content


def test_an_unknown_key_is_kept_with_a_notice() -> None:
    """It moves into the metadata, and the id stays as it is."""
    records = read(b'{"id":" odd id ","content":"y","mood":{"good":1}}')
    assert [r.code for r in records if isinstance(r, Notice)] == ["unknown-key"]
    assert ids(records) == [" odd id "]


@pytest.mark.parametrize("form", [b"%s\n", b"[%s]", b'[{"id":"a","content":"\\"b\\":"},\n%s]'])
def test_a_key_that_occurs_twice_is_told(form: bytes) -> None:
    """The last value is taken, in lines and in lists."""
    records = read(form % b'{"id":"x","content":"y","content":"z"}')
    (notice,) = [r for r in records if isinstance(r, Notice)]
    assert (notice.code, notice.hint[-9:]) == ("repeated-key", ": content")
    assert ids(records)[-1] == "x"


@pytest.mark.slow
def test_a_message_over_the_cap_is_rejected_and_the_others_stay() -> None:
    """16 MiB are a message, one byte more is not."""
    chat = json.loads(CHAT)
    chat["conversation"]["conversation"][0]["content"] = "x" * (MESSAGE_CAP + 1)
    records = read(json.dumps(chat).encode())
    assert rejected(records) == ["d!d:1"]
    document = records[-1]
    assert isinstance(document, ConversationDocument)
    assert [message.id for message in document.messages] == ["m2"]


def test_something_else_is_one_rejection() -> None:
    """A file that is no JSON at all does not give a rejection for each of its lines."""
    assert len(rejected(read(b"some words\n" * 100_000))) == 1
    assert len(rejected(read(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50))) == 1
    assert len(read(b"{\nnothing\n" * 100_000)) < 300


@pytest.mark.slow
def test_a_list_streams_in_constant_memory(tmp_path: Path) -> None:
    """Neither a long list nor many lines are ever held as a whole."""
    line = b'{"id":"x","content":"' + b"word " * 400 + b'"}'
    for name, begin, between, end in (("l.json", b"[", b",", b"]"), ("l.jsonl", b"", b"\n", b"\n")):
        path = tmp_path / (name + ".gz")
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(begin + line)
            for _ in range(4_000):
                file.write(between + line)
            file.write(end)
        tracemalloc.start()
        count = sum(1 for _ in DocumentsConnector().read(open_source(path), OPTIONS))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 4_001
        assert peak < 4_000_000  # of 8 MB


def test_lines_are_read_as_they_come() -> None:
    """A pipe that stays open gives its documents before it ends."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.lines = [A + b"\n", B + b"\n", C + b"\n"]

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object, /) -> int:
            if not self.lines:
                raise AssertionError("read on before telling what was read")
            line = self.lines.pop(0)
            memoryview(cast("bytearray", buffer))[: len(line)] = line
            return len(line)

    source = open_source("-", stdin=io.BufferedReader(Pipe()))
    records: Iterator[Record] = DocumentsConnector().read(source, OPTIONS)
    assert ids([next(records), next(records)]) == ["a", "b"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=examples(30), deadline=None)
@given(
    values=st.lists(JSON, max_size=6),
    indent=st.none() | st.integers(0, 3),
    ascii_only=st.booleans(),
    step=st.integers(1, 40),
)
def test_the_splitter_agrees_with_the_standard_library(
    values: list[object], indent: int | None, ascii_only: bool, step: int
) -> None:
    """However a list is laid out and however its bytes arrive, its elements are those of ``json.loads``."""
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only).encode()
    stream = io.BytesIO(text)
    splitter = JSONSplitter(lambda _: stream.read(step), parse_json, lambda _: True, 1 << 20)
    pieces = list(splitter.pieces())
    assert [piece.reason for piece in pieces] == [""] * len(values)
    assert [piece.value.value for piece in pieces if piece.value] == json.loads(text)
    assert [piece.index for piece in pieces] == list(range(len(values)))


@settings(max_examples=examples(30), deadline=None)
@given(data=st.binary(max_size=200) | st.text('[]{}",:\\ \n1ab', max_size=200).map(str.encode), step=st.integers(1, 40))
def test_the_splitter_ends_on_any_bytes(data: bytes, step: int) -> None:
    """Whatever comes in, it goes forward and raises nothing."""
    stream = io.BytesIO(data)
    pieces = list(JSONSplitter(lambda _: stream.read(step), parse_json, lambda _: True, 64).pieces())
    assert len(pieces) <= len(data) + 1
