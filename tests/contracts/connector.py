"""What every connector must keep. A test file subclasses the suite and gives the connector and samples of its format."""

from __future__ import annotations

import hashlib
import io
import random
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import BinaryIO, ClassVar, Literal, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector, Member, Preview, ReadOptions, Record
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import (
    ConversationDocument,
    DocumentCollectionDocument,
    Notice,
    Rejected,
    TextDocument,
    TimelineDocument,
)
from memd.schemas.errors import SourceError
from memd.tests.cases import check_all
from memd.tests.effort import examples

Samples = Mapping[str, Mapping[str, bytes]]
"""The files of small sources (a few hundred bytes), by the sources' names; the connector recognises each."""

# One test runs in several classes with fixtures that hold no state, and on machines of any speed.
SUITE = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]

CONCRETE = ConversationDocument | TextDocument | TimelineDocument | DocumentCollectionDocument

PLACES = 30
"""The number of places of each file at which `make test` flips a byte or cuts it off; `make torture` takes up to a thousand."""

GARBAGE = [
    b"",
    b"\n",
    b"\x00" * 64,
    bytes(range(256)),
    b"\xff\xfe\x00",
    b"\xef\xbb\xbf",
    b"{" * 2_000,
    b"[" * 100_000,
    b'{"id":' * 1_200,
    b'"' * 999,
    b"1/1/24, 10:00 - ",
    b"[1/1/24, 10:00:00] :",
    b"\xe2\x80\x8e" * 100,
    b"word " * 10_000,
    b"PK\x03\x04 but no archive",
    b"\x1f\x8b but no gzip",
    "٠١٢/१२, 午後".encode(),
]


@dataclass
class Shelf:
    """A source in memory that knows which of its streams are still open."""

    name: str
    files: Mapping[str, bytes]
    fail_after: int | None = None
    """Each stream raises SourceError after so many bytes, like a damaged archive."""
    streams: list[BinaryIO] = field(default_factory=list[BinaryIO])

    @property
    def locator(self) -> str:
        """The name."""
        return self.name

    def members(self) -> Sequence[Member]:
        """The files, by name."""
        return [_File(name, self) for name in sorted(self.files)]

    def notices(self) -> Sequence[Notice | Rejected]:
        """Nothing was refused."""
        return ()


@dataclass(frozen=True)
class _File:
    name: str
    shelf: Shelf

    @property
    def locator(self) -> str:
        return f"{self.shelf.name}!{self.name}"

    @property
    def size(self) -> int | None:
        return len(self.shelf.files[self.name])

    def open(self) -> BinaryIO:
        raw = _Failing(self.shelf.files[self.name], self.shelf.fail_after)
        stream = cast("BinaryIO", io.BufferedReader(raw))
        self.shelf.streams.append(stream)
        return stream


class _Failing(io.RawIOBase):
    def __init__(self, data: bytes, fail_after: int | None) -> None:
        super().__init__()
        self._data = io.BytesIO(data if fail_after is None else data[:fail_after])
        self._fails = fail_after is not None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        count = self._data.readinto(cast("bytearray", buffer))
        if not count and self._fails:
            raise SourceError("damaged from here on")
        return count


def _tells(record: Record, skipped: Mapping[str, object]) -> bool:
    return isinstance(record, Rejected) and (record.locator, record.reason) == (skipped["path"], skipped["skipped"])


@dataclass(frozen=True)
class Download:
    """An export as it lies in a folder of downloads beside those of all other programs."""

    sentence: str
    """What this export says, and no other one."""
    files: Mapping[str, bytes]
    archive: str = ""
    """The zip archive that they are in; empty: they lie in the folder."""


class ConnectorContract:
    """Subclass it; give fixtures ``connector`` and ``samples``, and ``options`` where the defaults do not do. One suite of each
    format gives also ``readers`` and ``download``, for the tests of all formats.
    """

    readers: ClassVar[Sequence[str]] = ()
    """What reads one record: ``MODULE:FUNCTION``, the module below ``memd.connectors.formats``."""
    download: ClassVar[Download | None] = None

    @pytest.fixture
    def options(self) -> ReadOptions:
        """UTC, and nothing else known."""
        return ReadOptions(zone=UTC, zone_origin="option")

    def test_it_recognises_its_samples(self, connector: Connector, samples: Samples) -> None:
        """Each sample is claimed by content: also under names that say nothing."""
        for name, files in samples.items():
            anonymous = {f"{index}.txt": data for index, data in enumerate(files.values())}
            assert 0.5 <= connector.sniff(Shelf(name, files)) <= 1
            assert 0.5 <= connector.sniff(Shelf("0", anonymous)) <= 1

    def test_samples_give_documents_that_validate(
        self, connector: Connector, samples: Samples, options: ReadOptions
    ) -> None:
        """Something is read from each sample, and every document survives its own JSON."""
        for name, files in samples.items():
            records = read(connector, Shelf(name, files), options)
            documents = [r for r in records if isinstance(r, CONCRETE)]
            assert documents
            for document in documents:
                assert type(document).from_json(document.to_json()) == document

    def test_a_receipt_counts_every_record(self, connector: Connector, samples: Samples, options: ReadOptions) -> None:
        """What was read and what was rejected is everything, and each file that was read has its checksum."""
        for name, files in samples.items():
            log = ReadingLog()
            records = list(read_records(Shelf(name, files), options, connectors=[connector], log=log))
            told = log.to_wire()
            documents = [r for r in records if isinstance(r, CONCRETE)]
            messages = [len(d.messages) if isinstance(d, ConversationDocument) else 1 for d in documents]
            assert sum(export["messages"] for export in told["exports"]) == sum(messages)
            rejected = sum(sum(export["rejected"].values()) for export in told["exports"])
            refused = sum(1 for record in records if isinstance(record, Rejected))
            assert rejected + len([s for s in told["skipped"] if any(_tells(r, s) for r in records)]) == refused
            for export in told["exports"]:
                if all("messages" in file for file in export["files"]):
                    assert sum(file["messages"] for file in export["files"]) == export["messages"]
                for file in export["files"]:
                    content = files[file["path"].partition("!")[2]]
                    if not content.startswith(b"\x1f\x8b"):
                        assert file["sha256"] == hashlib.sha256(content).hexdigest()

    def test_reading_twice_gives_equal_records(
        self, connector: Connector, samples: Samples, options: ReadOptions
    ) -> None:
        """Nothing depends on a clock, on chance or on what was read before."""
        for name, files in samples.items():
            shelf = Shelf(name, files)
            assert connector.preview(shelf, options) == connector.preview(shelf, options)
            assert read(connector, shelf, options) == read(connector, shelf, options)

    def test_streams_are_closed(self, connector: Connector, samples: Samples, options: ReadOptions) -> None:
        """After sniffing, surveying, reading, and stopping in the middle of reading, no stream is open."""
        for name, files in samples.items():
            shelf = Shelf(name, files)
            connector.sniff(shelf)
            connector.preview(shelf, options)
            read(connector, shelf, options)
            half = iter(connector.read(shelf, options))
            next(half)
            half.close()  # type: ignore[attr-defined] - every connector reads by a generator
            assert shelf.streams
            assert all(stream.closed for stream in shelf.streams)

    @pytest.mark.slow
    def test_garbage_is_no_exception(self, connector: Connector, options: ReadOptions) -> None:
        """Whatever the bytes: a score from 0 to 1, and no exception but SourceError."""

        def check(garbage: bytes) -> None:
            _survives(connector, {"0.txt": garbage}, options)
            _survives(connector, {"0.txt": garbage, "1.bin": garbage}, options)

        check_all(GARBAGE, check)

    @pytest.mark.slow
    @settings(max_examples=examples(25), deadline=None, suppress_health_check=SUITE)
    @given(data=st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
    def test_any_bytes_are_no_exception(self, connector: Connector, options: ReadOptions, data: bytes) -> None:
        """The same for bytes and texts that nobody thought of."""
        _survives(connector, {"0.txt": data}, options)

    @pytest.mark.slow
    def test_any_flipped_byte_is_no_exception(
        self, connector: Connector, samples: Samples, options: ReadOptions
    ) -> None:
        """Single bytes are changed at many places of each file; what comes out is still documents, notices and rejections."""
        _flip_and_cut(connector, samples, options, examples(PLACES), "flip")

    @pytest.mark.slow
    def test_any_truncation_is_no_exception(self, connector: Connector, samples: Samples, options: ReadOptions) -> None:
        """Each sample is cut off in many places."""
        _flip_and_cut(connector, samples, options, examples(PLACES), "cut")

    @pytest.mark.long
    def test_any_damage_anywhere_is_no_exception(
        self, connector: Connector, samples: Samples, options: ReadOptions
    ) -> None:
        """The same at each place of a small file, and at a thousand places of a large one."""
        _flip_and_cut(connector, samples, options, 1000, "flip")
        _flip_and_cut(connector, samples, options, 1000, "cut")

    def test_a_stream_that_breaks_is_no_exception(
        self, connector: Connector, samples: Samples, options: ReadOptions
    ) -> None:
        """A member that fails while it is read, like a damaged archive, costs no more than itself."""
        for name, files in samples.items():
            longest = max(len(data) for data in files.values())
            for place in (0, 1, longest // 2, longest - 1):
                shelf = Shelf(name, files, fail_after=place)
                _attempt(connector, shelf, options)
                assert all(stream.closed for stream in shelf.streams)

    def test_files_folders_and_archives_hold_the_same(
        self, connector: Connector, samples: Samples, options: ReadOptions, tmp_path: Path
    ) -> None:
        """From a folder and from an archive of it come equal documents."""
        for number, files in enumerate(samples.values()):
            folder = tmp_path / str(number)
            folder.mkdir()
            (tmp_path / f"in-{number}").mkdir()
            archive = tmp_path / f"in-{number}" / str(number)
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
                for name, data in sorted(files.items()):
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_bytes(data)
                    packed.writestr(name, data)
            plain = list(connector.read(open_source(folder), options))
            zipped = list(connector.read(open_source(archive), options))
            assert _documents(plain) == _documents(zipped)
            assert _documents(plain)


def read(connector: Connector, source: Shelf, options: ReadOptions) -> list[Record]:
    """Everything that a connector yields; each is of one of the kinds it may yield."""
    records = list(connector.read(source, options))
    for record in records:
        assert isinstance(record, CONCRETE | Notice | Rejected)
    return records


def _documents(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if not isinstance(record, Notice | Rejected)]


def _survives(connector: Connector, files: Mapping[str, bytes], options: ReadOptions, name: str = "0.txt") -> None:
    shelf = Shelf(name, files)
    _attempt(connector, shelf, options)
    assert all(stream.closed for stream in shelf.streams)


def _attempt(connector: Connector, shelf: Shelf, options: ReadOptions) -> None:
    """Sniff, survey and read; only SourceError may come out, and from sniffing not even that, unless a stream broke."""
    try:
        assert 0 <= connector.sniff(shelf) <= 1
    except SourceError:
        assert shelf.fail_after is not None
    with suppress(SourceError):
        assert isinstance(connector.preview(shelf, options), Preview)
    with suppress(SourceError):
        read(connector, shelf, options)


def _flip_and_cut(
    connector: Connector, samples: Samples, options: ReadOptions, count: int, damage: Literal["flip", "cut"]
) -> None:
    """Read each file damaged at some places, one place at a time: a changed byte, or the end cut off."""
    chance = random.Random(1)
    for name, files in samples.items():
        for file, data in files.items():
            for place in _places(data, count, chance):
                damaged = bytearray(data) if damage == "flip" else bytearray(data[:place])
                if damage == "flip":
                    damaged[place] ^= chance.choice((0x01, 0x04, 0x20, 0x80, 0xFF))
                _survives(connector, {**files, file: bytes(damaged)}, options, name)


def _places(data: bytes, count: int, chance: random.Random) -> list[int]:
    """A sorted random choice of `count` offsets; all offsets of shorter data."""
    return sorted(chance.sample(range(len(data)), min(count, len(data))))
