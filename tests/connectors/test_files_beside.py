"""What lies beside an export in a folder or an archive and is of no format becomes no document, and is told as skipped."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import Notice, Rejected
from memd.tests.e2e.downloads import make_downloads

STRANGERS = {
    "Profile.json": '{"name": {"given": "Stranger"}, "emails": [{"value": "stranger@example.org"}]}',
    "places.json": '[{"title": "Stranger", "when": 1}]',
    "broken.json": '{"name": Stranger',
    "empty.json": "",
    "comments.csv": "Comment ID,Channel,Video,Text\na1,c1,v1,Stranger here\n",
    "contacts.vcf": "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Stranger\r\nEND:VCARD\r\n",
    "feed.xml": '<?xml version="1.0"?><rss><channel><title>Stranger</title></channel></rss>',
    "style.css": "body { color: red } /* Stranger */",
    "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>Stranger</text></svg>',
    "program.bin": "\0\1Stranger\0\0\0\0",
    "holiday.jpg": "\xff\xd8\xff\xe0\0\0\0\0Stranger",
}
UNREAD = {"holiday.jpg", "setup.exe"}


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One export of every format."""
    folder = tmp_path_factory.mktemp("downloads")
    make_downloads(folder)
    return folder


@pytest.fixture(params=["folder", "archive"])
def mixed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where an export and the strangers lie; it is packed when the export was added, if it is to be an archive."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    for name, text in STRANGERS.items():
        (folder / name).write_bytes(text.encode("latin-1"))
    return folder if request.param == "folder" else tmp_path / "mixed.zip"


def name_of(file: Mapping[str, Any]) -> str:
    """The name of a file of a receipt."""
    return str(file["path"]).replace("!", "/").rpartition("/")[2]


@pytest.mark.slow
def test_beside_every_export_strangers_are_skipped(downloads: Path, mixed: Path) -> None:
    """In folders and in archives."""
    exports = [item for item in sorted(downloads.iterdir()) if item.name not in UNREAD]
    folder = mixed.with_suffix("")
    for export in exports:
        copy = folder / "export"
        if export.is_dir():
            shutil.copytree(export, copy)
        elif export.suffix == ".zip":
            with zipfile.ZipFile(export) as archive:
                archive.extractall(copy)
        else:
            copy.mkdir()
            shutil.copy(export, copy)
        if mixed != folder:
            shutil.make_archive(str(folder), "zip", folder)
        log = ReadingLog()
        records = [*read_records(mixed, ReadOptions(zone=UTC, zone_origin="option"), log=log)]
        documents = [record for record in records if not isinstance(record, Notice | Rejected)]
        assert documents, export.name
        assert not [record for record in documents if "tranger" in repr(record)], export.name
        assert not [record for record in records if isinstance(record, Rejected)], export.name
        receipt = log.to_wire()
        read = {name_of(file) for each in receipt["exports"] for file in each["files"] if file.get("messages")}
        assert read, export.name
        assert not read & STRANGERS.keys(), export.name
        assert STRANGERS.keys() <= {*map(name_of, receipt["skipped"])}, export.name
        shutil.rmtree(copy)
