"""A mirrored folder by the real commands: notes go with their files and come back, also after SIGKILL at any step."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.tests import processes

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.slow
_KILLED = """
import os, signal, sys
from memd.daemon.cli.dispatch import main
from memd.daemon.journal import note_files
from memd.memory.store import retired

place = sys.argv[1]
save, retire, end_checks = note_files.NoteChanges.save, retired.retire, note_files.end_checks

def end():
    os.kill(os.getpid(), signal.SIGKILL)

def saved(self, *arguments):
    save(self, *arguments)
    if place == "saving" and self.gone:
        end()

def retired_rows(connection, changes):
    retire(connection, changes)
    if place == "retiring":
        end()

def ended(connection, checks):
    if place == "retired":
        end()
    end_checks(connection, checks)

note_files.NoteChanges.save, retired.retire, note_files.end_checks = saved, retired_rows, ended
main(["sync", "vault"])
"""
"""Reads the folder, and is killed in the transaction of the journal, in that of the store, or between the two."""


def put(path: Path, text: str) -> Path:
    """A complete file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (5, 5))
    return path


def shown(memd: Memd) -> list[str]:
    """The ids of all documents, without what they have in common."""
    return sorted(each["id"].partition("/")[2] for each in memd.json("documents")["documents"])


def test_notes_go_with_their_files_and_come_back(memd: Memd, tmp_path: Path) -> None:
    """Told with the command that brings them back; answers, counts and exports agree; a renamed note answers once."""
    vault = tmp_path / "vault"
    for name in ("boats", "lamps", "tents"):
        put(vault / f"{name}.md", f"# About {name}\n\nThe {name} stand in the harbour shed.\n")
    memd.json("sources", "add", "folder", str(vault), "--mirror")
    assert b"vault (mirror)" in memd("sources", "show", "vault").stdout.replace(b"  daily at 03:00", b"")
    assert memd("sync").returncode == 0
    assert len(memd.json("query", "harbour shed")["hits"]) == 3
    (vault / "boats.md").unlink()
    (vault / "old").mkdir()
    (vault / "lamps.md").rename(vault / "old" / "lanterns.md")
    (run,) = memd.json("sync")["sources"]
    assert (run["outcome"], run["added"]) == ("ok", 1)
    back = f"memd undo {run['run'][:12]}"
    assert [each["hint"] for each in run["notices"]] == [
        f"1 note is removed, because its file is gone; `{back}` brings it back"
    ]
    assert back.encode() in memd("runs", run["run"][:12]).stdout
    assert shown(memd) == ["old/lanterns.md", "tents.md"]
    hits = memd.json("query", "harbour shed")["hits"]
    assert sorted(hit["text"].split()[2] for hit in hits) == ["lamps", "tents"]
    assert memd.json("stats")["documents"] == 2
    assert b"boats" not in memd("export").stdout
    assert memd("show", "notes:vault/boats.md").returncode == 7
    plan = memd("undo", run["run"], "--dry-run")
    assert b"1 message would come back or get back the former wording" in plan.stderr
    assert memd("undo", run["run"], "--yes").returncode == 0
    assert shown(memd) == ["boats.md", "old/lanterns.md", "tents.md"]
    assert memd("sync").returncode == 0
    assert "boats.md" in shown(memd)
    assert memd("doctor").returncode == 0


@pytest.mark.parametrize("place", [pytest.param("saving", marks=pytest.mark.long), "retiring", "retired"])
def test_a_kill_at_any_step_removes_once(memd: Memd, tmp_path: Path, place: str) -> None:
    """The next run completes it; one run brings the note back, and no other."""
    vault = tmp_path / "vault"
    for name in ("boats", "lamps"):
        put(vault / f"{name}.md", f"# About {name}\n\nThe {name} stand in the harbour shed.\n")
    memd.json("sources", "add", "folder", str(vault), "--mirror")
    assert memd("sync").returncode == 0
    (vault / "boats.md").unlink()
    put(vault / "tents.md", "# About tents\n\nThe tents stand in the harbour shed.\n")
    command = [sys.executable, "-P", "-c", _KILLED, place]
    killed = processes.run(command, env=memd.environment, capture_output=True, timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert memd("sync").returncode == 0
    assert shown(memd) == ["lamps.md", "tents.md"]
    assert memd("doctor").returncode == 0
    runs = [each["run"] for each in memd.json("runs")["runs"]]
    plans = {run: memd("undo", run, "--dry-run", "--json") for run in runs}
    restoring = [run for run, plan in plans.items() if plan.returncode == 0 and b'"restored": 1' in plan.stdout]
    assert len(restoring) == 1
    assert memd("undo", restoring[0], "--yes").returncode == 0
    assert "boats.md" in shown(memd)
