"""A folder of downloads with an export of each program: archives, folders and single files, and what nobody reads."""

from __future__ import annotations

import zipfile
from pathlib import Path

from memd.tests.fuzz.contract_samples import downloads_by_format

SENTENCES = {name: each.sentence for name, each in downloads_by_format().items()}
"""By format, what its export in the folder says, and no other one."""


def make_downloads(folder: Path) -> None:
    """Write them."""
    for each in downloads_by_format().values():
        if each.archive:
            with zipfile.ZipFile(folder / each.archive, "w", zipfile.ZIP_DEFLATED) as packed:
                for name, data in each.files.items():
                    packed.writestr(name, data)
            continue
        for name, data in each.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    (folder / "holiday.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8)
    (folder / "setup.exe").write_bytes(b"MZ" + bytes(64))
