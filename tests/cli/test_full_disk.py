"""A store that has no room: the summary tells what is kept and waits, and the same command later stores it all.

SQLite itself refuses, because its database may not grow beyond the pages that it has; that needs no mount and no rights.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.cli.render.ingest_summary import IngestSummary, print_summary
from memd.tests import processes

DAYS, MESSAGES = 5, 1_000

# Every connection to the database of the store gets the limit; the pauses between two attempts are short.
_LIMITED = """
import sqlite3, sys
import memd.memory.supervision as supervision
from memd.daemon.cli import main

connect, pages = sqlite3.connect, int(sys.argv.pop(1))

def limited(path, *arguments, **options):
    connection = connect(path, *arguments, **options)
    if pages and "memory.db" in str(path):
        connection.execute(f"PRAGMA max_page_count = {pages}")
    return connection

sqlite3.connect = limited
supervision.PAUSES = (0.05,)
sys.exit(main())
"""


def ingest(home: Path, source: Path, pages: int = 0) -> tuple[int, dict[str, Any]]:
    """The exit code and the summary of an ingest, its database of at most so many pages."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMD_")}
    environment |= {"MEMD_DATA_DIR": str(home / "data"), "MEMD_SOCKET": str(home / "s")}
    environment |= {"MEMD_CONFIG": str(home / "config.toml"), "MEMD_EMBEDDING_ENABLED": "false"}
    words = ["ingest", str(source), "--me", "Ann", "--zone", "UTC", "--json"]
    done = processes.run(
        [sys.executable, "-P", "-c", _LIMITED, str(pages), *words],
        stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False, timeout=300,
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_is_kept_on_a_full_disk_is_told_and_stored_later(tmp_path: Path) -> None:
    """Messages and documents are counted rightly by the run that found no room and by its repetition."""
    (tmp_path / "config.toml").touch()
    note = tmp_path / "note.md"
    note.write_text("# A note\n\nthe first")
    assert ingest(tmp_path, note)[0] == 0
    with closing(sqlite3.connect(tmp_path / "data" / "store" / "memory.db")) as database:
        (pages,) = database.execute("PRAGMA page_count").fetchone()
    chat = tmp_path / "WhatsApp Chat with Bob.txt"
    each = MESSAGES // DAYS
    chat.write_text(
        "".join(
            f"{day + 13}/01/2024, {n // 60:02}:{n % 60:02} - {'Ann' if n % 2 else 'Bob'}: message {n} {'word ' * 20}\n"
            for day in range(DAYS)
            for n in range(each)
        )
    )
    code, full = ingest(tmp_path, chat, pages)
    assert (code, full["outcome"], full["messages"], full["documents"]) == (4, "partial", MESSAGES, DAYS)
    assert full["waiting"]["documents"] > 0
    assert full["waiting"]["messages"] + full["added"] == MESSAGES
    assert full["detail"]
    code, later = ingest(tmp_path, chat)
    assert (code, later["outcome"], later["messages"], later["documents"]) == (0, "ok", MESSAGES, DAYS)
    assert later["waiting"] == {"messages": 0, "documents": 0}
    assert later["added"] + later["unchanged"] == MESSAGES
    with closing(sqlite3.connect(tmp_path / "data" / "store" / "memory.db")) as database:
        assert database.execute("SELECT count(*) FROM messages").fetchone() == (MESSAGES,)


def test_what_waits_to_be_stored_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """How much, why, and that nothing of it is lost."""
    last = {
        "processed": 20_006, "added": 6, "documents": 1, "waiting": 7, "outcome": "partial",
        "detail": "kept, not stored yet: the disk is full",
    }  # fmt: skip
    body = IngestSummary().to_wire(last, 1.0)
    assert (body["messages"], body["documents"]) == (20_006, 8)
    assert body["waiting"] == {"messages": 20_000, "documents": 7}
    print_summary(body)
    told = capsys.readouterr().err
    assert "20,006 messages of 8 documents in 1.0 s: 6 added, 20,000 kept but not stored yet" in told
    assert "the disk is full" in told
    assert "nothing of them is lost" in told
