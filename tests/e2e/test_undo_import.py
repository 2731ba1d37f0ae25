"""An import and its undoing, by the real commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.tests.e2e.conftest import write_chat

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

TALK = [("Ann", "I live in Oslo"), ("Ben", "the zeppelin is in the quarry"), ("Ann", "I moved: now I live in Rome")]


@pytest.mark.slow
def test_an_import_is_taken_back_and_may_come_again(memd: Memd, tmp_path: Path) -> None:
    """Its receipt tells the file; what an earlier import brought stays, facts too; the same file brings the rest again."""
    chat = write_chat(tmp_path / "WhatsApp Chat with Ben.txt", TALK[:1])
    first = memd.json("ingest", str(chat), "--me", "Ann")
    assert first["files"] == [{"path": str(chat), "format": "whatsapp", "messages": first["messages"]}]
    before, known = memd("export").stdout, memd.json("facts")["facts"]
    write_chat(chat, TALK)
    second = memd.json("ingest", str(chat), "--me", "Ann")
    assert second["added"] == 2
    (export,) = memd.json("runs", second["run"][:12])["exports"]
    assert (export["path"], export["messages"], export["people"]["names"]) == (str(chat), 3, ["Ann", "Ben"])
    assert (export["added"], export["updated"]) == (2, 0)
    plan = memd.json("undo", second["run"], "--dry-run")
    assert (plan["messages"], plan["documents"], plan["dry_run"]) == (2, 0, True)
    assert [(each["title"], each["messages"]) for each in plan["chats"]] == [("Ben", 2)]
    assert b"  Ben \xc2\xb7 whatsapp \xc2\xb7 2 messages on 1 day" in memd("undo", second["run"], "--dry-run").stderr
    assert memd("undo", second["run"]).returncode == 2
    begun = memd("undo", second["run"][:8], "--yes")
    assert (begun.returncode, f"undo {second['run']} --yes" in begun.stderr.decode()) == (2, True)
    assert memd.json("undo", second["run"], "--yes")["messages"] == 2
    assert memd("export").stdout == before
    assert [bool(each.get("undone")) for each in memd.json("runs")["runs"]] == [True, False]
    assert b"; undone 20" in memd("runs").stdout
    assert b"\nundone 20" in memd("runs", second["run"]).stdout
    again = memd("undo", second["run"], "--yes")
    assert (again.returncode, b"taken back already" in again.stderr) == (7, True)
    nothing = memd("undo", "abc", "--yes")
    assert (nothing.returncode, b"`memd runs` lists" in nothing.stderr) == (7, True)
    assert {fact["value"] for fact in memd.json("facts")["facts"]} == {fact["value"] for fact in known}
    assert "quarry" not in str(memd.json("query", "zeppelin"))
    assert memd.json("ingest", str(chat), "--me", "Ann")["added"] == 2
    third = memd.json("runs")["runs"][0]["run"]
    for flags in (("--yes",), ("--dry-run",), ()):  # nothing to ask about: the third brought all of it, too
        kept = memd("undo", first["run"], *flags)
        assert kept.returncode == 7
        assert f"the run {third[:12]} brought the same, too".encode() in kept.stderr
        assert f"`memd undo {first['run']} {third}`".encode() in kept.stderr
    assert not memd.json("runs", first["run"]).get("undone")
    assert "quarry" in str(memd.json("query", "zeppelin"))
    assert memd.json("undo", first["run"], third, "--yes")["messages"] == 3
    assert [bool(each.get("undone")) for each in memd.json("runs")["runs"]] == [True, True, True]
    assert memd("export").stdout == b""
