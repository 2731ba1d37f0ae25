"""Files that end in the middle, in every format: the receipt still adds up, and what was lost is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.connectors.reading.registry import default_connectors
from memd.schemas import ConversationDocument, Notice, Rejected, TimelineDocument
from memd.schemas.errors import SourceError
from memd.tests.cases import for_each
from memd.tests.contracts.connector import CONCRETE, Shelf
from memd.tests.fuzz.contract_samples import Files, samples_by_format

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
FORMATS = sorted(each.name for each in default_connectors())
LINES = frozenset(
    {"irc", "kakaotalk", "line", "mail", "notes", "pidgin", "qq", "source_code", "transcripts", "whatsapp"}
)
"""Where any number of lines is a whole file: a shorter one is an earlier one."""
LINE_FILES = (".csv", ".jsonl", ".md", "data.json", ".txt")
"""The same within other formats: signal-export's ``data.json`` has a message in each line."""


def counted(records: Iterable[Record]) -> tuple[int, Counter[str]]:
    """How many messages, events and texts there are, and what is told of all others."""
    count, told = 0, Counter[str]()
    for record in records:
        if isinstance(record, ConversationDocument):
            count += len(record.messages)
        elif isinstance(record, TimelineDocument):
            count += len(record.events)
        elif isinstance(record, Notice):
            told[record.code] += 1
        elif isinstance(record, Rejected):
            told[record.reason] += 1
        else:
            count += 1
    return count, told


def read(connector: Connector, files: Files) -> tuple[int, Counter[str]]:
    """How much of it there is, and what is told, with a receipt that adds up; it tells also which files nobody read."""
    log = ReadingLog()
    records = list(read_records(Shelf("export", files), OPTIONS, connectors=[connector], log=log))
    receipt = log.to_wire()
    documents = [record for record in records if isinstance(record, CONCRETE)]
    messages = sum(len(each.messages) if isinstance(each, ConversationDocument) else 1 for each in documents)
    assert sum(export["messages"] for export in receipt["exports"]) == messages
    refused = Counter(record.reason for record in records if isinstance(record, Rejected))
    listed = Counter[str]()
    for export in receipt["exports"]:
        listed.update(export["rejected"])
    skipped = len(receipt["skipped"])
    assert refused.total() - listed.total() in range(skipped + 1), json.dumps(receipt)
    paths = [file["path"] for export in receipt["exports"] for file in export["files"]]
    paths += [each["path"] for each in receipt["skipped"]]
    assert sorted(paths) == sorted(f"export!{name}" for name in files)
    count, told = counted(records)
    return count, told + Counter(each["path"] for each in receipt["skipped"])


def check_cut_files(name: str, parts: int) -> None:
    """Cut each file of a format off behind each of so many parts of it; where less is read, something more is told."""
    connector, samples = samples_by_format()[name]
    for files in samples:
        whole, said = read(connector, files)
        for path, data in files.items():
            for place in range(1, parts):
                cut = {**files, path: data[: len(data) * place // parts]}
                try:
                    count, told = read(connector, cut)
                except SourceError:
                    continue  # the import ends with an error: all of it was lost, and that is told
                lines = name in LINES or path.endswith(LINE_FILES)
                assert count >= whole or told - said or lines, (path, place)


@pytest.mark.slow
@for_each(FORMATS)
def test_a_file_that_ends_in_the_middle_is_told(name: str) -> None:
    """Less than before was read: then something is rejected or noticed that was not."""
    check_cut_files(name, 5)


@pytest.mark.long
@for_each(FORMATS)
def test_a_file_that_ends_anywhere_is_told(name: str) -> None:
    """The same at many places."""
    check_cut_files(name, 8)
    check_cut_files(name, 31)
