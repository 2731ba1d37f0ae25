"""Every connector of the registry on its own samples and on whole exports, changed at random: none raises, none differs twice."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.connector import Connector, Preview, ReadOptions
from memd.connectors.reading.read_path import previews, read_records
from memd.connectors.reading.registry import default_connectors
from memd.schemas.errors import InvalidError, SourceError
from memd.tests.contracts.connector import Shelf
from memd.tests.fuzz.contract_samples import samples_by_format
from memd.tests.fuzz.hostile_exports import EXPORTS, hostile_exports
from memd.tests.fuzz.mutation import examples, mutated
from memd.tests.fuzz.test_sources import OPTIONS, checked

FORMATS = [connector.name for connector in default_connectors()]
PROCESSES = frozenset({"pdf"})
"""Formats of which each file is read by a process of its own, which takes its time to begin."""


def survives(connector: Connector, files: Mapping[str, bytes], options: ReadOptions = OPTIONS) -> None:
    """It looks and reads twice alike, what it yields can be written, and no error but of the source comes."""
    shelf = Shelf("x", files)
    assert 0 <= connector.sniff(shelf) <= 1
    with contextlib.suppress(SourceError, InvalidError):
        assert isinstance(connector.preview(shelf, options), Preview)
    with contextlib.suppress(SourceError, InvalidError):
        records = list(connector.read(shelf, options))
        assert records == list(connector.read(shelf, options))
        checked(records)
    assert all(stream.closed for stream in shelf.streams)


def test_every_format_is_here() -> None:
    """A connector without a contract suite, whose samples are changed here, would be read by nobody hostile."""
    assert sorted(samples_by_format()) == sorted(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_samples_that_were_changed(name: str) -> None:
    """One file of a sample after cuts, repetitions, flipped bits and tokens."""
    connector, samples = samples_by_format()[name]

    @examples(2 if name in PROCESSES else 20)
    @given(st.data())
    def run(data: st.DataObject) -> None:
        files = dict(data.draw(st.sampled_from(samples)))
        changed = data.draw(st.sampled_from(sorted(files)))
        files[changed] = data.draw(mutated([files[changed], *files.values()][:4]))
        survives(connector, files)

    run()


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_with_hostile_values(name: str) -> None:
    """Types, times at both ends of the calendar, ids that meet, replies in circles, texts without end."""
    connector, _ = samples_by_format()[name]

    @examples(50)
    @given(hostile_exports(name))
    def run(files: Mapping[str, bytes]) -> None:
        survives(connector, files)

    run()


@pytest.mark.parametrize("name", EXPORTS)
def test_hostile_exports_as_the_commands_read_them(name: str) -> None:
    """Recognised among all formats, out of a folder."""

    @examples(10)
    @given(hostile_exports(name))
    def run(files: Mapping[str, bytes]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for path, data in files.items():
                place = Path(folder) / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            with contextlib.suppress(SourceError, InvalidError):
                list(previews(folder, OPTIONS))
                records = list(read_records(folder, OPTIONS))
                checked(records)
                assert orjson.dumps([record.to_wire() for record in records])

    run()
