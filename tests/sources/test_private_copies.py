"""Copies that readers make of private data: gone after any end of the reader, and of the daemon at its next start."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from memd.daemon.sources import export_reader
from memd.tests import processes
from memd.tests.connectors.imessage.databases import database, said
from memd.tests.sources.test_folder import folder_in

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
WAITING = """
import sys
from pathlib import Path
import anyio
from memd.daemon.sources import export_reader
from memd.tests.sources.test_folder import folder_in

async def main():
    export_reader._MODULE = "memd.tests.sources.deadly_copy"
    async with folder_in(Path(sys.argv[1])) as folder:
        await folder.sync()

anyio.run(main)
"""


def copies(data: Path) -> list[Path]:
    """What lies in private folders of readers."""
    return [path for folder in data.glob(".readers.*") for path in (folder, *folder.rglob("*"))]


async def test_a_killed_reader_leaves_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is killed while it copies; the file is told with the reason."""
    monkeypatch.setattr(export_reader, "_MODULE", "memd.tests.sources.deadly_copy")
    async with folder_in(tmp_path) as folder:
        folder.put("chat.db", database([said("A", "Who moors in Kiel?")]))
        done = await folder.sync()
        assert (done["outcome"], done["added"]) == ("partial", 0)
        assert [each["path"] for each in (await folder.show())["unreadable"]] == ["chat.db"]
        assert copies(tmp_path / "data") == []
        monkeypatch.undo()
        assert (await folder.sync())["added"] == 1
        assert copies(tmp_path / "data") == []


async def test_the_next_daemon_sweeps_what_a_killed_one_left(tmp_path: Path) -> None:
    """The daemon is killed while its reader copies: the reader ends, and the copy goes when the next one starts."""
    data = tmp_path / "data"
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / "chat.db").write_bytes(database([said("A", "Who moors in Kiel?")]))
    (tmp_path / "exports" / "wait.jpg").write_bytes(b"\xff\xd8\xff")
    os.utime(tmp_path / "exports" / "chat.db", (5, 5))
    _kill_while_copying(tmp_path)
    assert copies(data)
    async with folder_in(tmp_path):
        assert copies(data) == []


def _kill_while_copying(home: Path) -> None:
    daemon = processes.Popen([sys.executable, "-P", "-c", WAITING, str(home)])
    try:
        until = time.monotonic() + 60
        while not any(path.name == "copy.db" for path in copies(home / "data")):
            assert daemon.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        daemon.send_signal(signal.SIGKILL)
    finally:
        daemon.kill()
        daemon.wait(60)
