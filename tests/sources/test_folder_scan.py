"""Which files of a folder are to be read."""

from __future__ import annotations

import os
from pathlib import Path

from memd.daemon.sources.folder_scan import plan_reads, scan_folder
from memd.daemon.sources.repository import FileState


def test_a_file_is_read_again_when_its_size_or_its_time_has_changed(tmp_path: Path) -> None:
    """An edit that leaves it as long as it was changes its time alone; what is as it was is not read."""
    for name in ("same.txt", "edited.txt", "longer.txt"):
        (tmp_path / name).write_text("12 words", encoding="utf-8")
    known = {
        found.key: FileState(found.key, "", found.size, found.modified_ns, b"sum")
        for found in scan_folder(tmp_path).files.values()
    }
    (tmp_path / "edited.txt").write_text("21 words", encoding="utf-8")
    os.utime(tmp_path / "edited.txt", ns=(1, 1))
    times = (tmp_path / "longer.txt").stat()
    (tmp_path / "longer.txt").write_text("112 words", encoding="utf-8")
    os.utime(tmp_path / "longer.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    (tmp_path / "new.txt").write_text("12 words", encoding="utf-8")
    plan = plan_reads(scan_folder(tmp_path), known)
    assert {found.path for found in plan.changed} == {"edited.txt", "longer.txt", "new.txt"}
