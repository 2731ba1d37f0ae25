"""Receipts of runs: kept with the run, shown by its id, without the names of those who are forgotten."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.cli.render.receipts import receipt_lines
from memd.daemon.journal.journal import open_journal
from memd.daemon.journal.receipts import REMOVED, keep_names, receipt_of, saving_receipt

pytestmark = pytest.mark.anyio


def export(path: str, people: list[str], messages: int = 3, **more: Any) -> dict[str, Any]:
    """One export of a chat with somebody."""
    files = [{"path": path, "size": 9, "sha256": "ab" * 32, "messages": messages}] if path else []
    names = {"count": len(people), "names": people}
    return {
        "format": "whatsapp",
        "version": 1,
        "path": path,
        "documents": 1,
        "messages": messages,
        "rejected": {},
        "notices": {"zone-assumed": 1},
        "chats": {"count": 1, "names": people[-1:]},
        "people": names,
        "first": "2024-01-14T10:00:00Z",
        "last": "2024-01-15T10:00:00Z",
        "files": files,
    } | more


async def test_parts_of_a_receipt_are_one(tmp_path: Path) -> None:
    """Files one by one; documents that were sent without a file as one export; none without the run."""
    async with open_journal(tmp_path / "journal.db") as journal:
        for run in ("aa1", "aa2"):
            await journal.begin(run, "api")
        sent = export("", ["Ann", "Bob"]), export("", ["Ann", "Cy"], 4, last="2024-02-01T00:00:00Z")
        for each in (export("a.txt", ["Ann", "Bob"]), *sent):
            await journal.run(saving_receipt("aa1", {"exports": [each], "skipped": []}))
        found = await journal.run(lambda connection: receipt_of(connection, "aa1"))
        assert [(each["path"], each["messages"]) for each in found["exports"]] == [("a.txt", 3), ("", 7)]
        assert found["exports"][1]["people"] == {"count": 3, "names": ["Ann", "Bob", "Cy"]}
        assert found["exports"][1]["last"] == "2024-02-01T00:00:00Z"
        assert found["exports"][1]["notices"] == {"zone-assumed": 2}
        assert await journal.run_like("aa") is None
        assert getattr(await journal.run_like("aa1"), "run", "") == "aa1"
        await journal.withdraw("aa1")
        empty = await journal.run(lambda connection: receipt_of(connection, "aa1"))
        assert empty == {"exports": [], "skipped": []}


async def test_who_is_forgotten_is_named_in_no_receipt(tmp_path: Path) -> None:
    """Not as a person, as a chat or in the name of a file; whoever is known stays."""
    async with open_journal(tmp_path / "journal.db") as journal:
        receipt = {
            "exports": [export("WhatsApp Chat with BOB.txt", ["Ann", "Bob"]), export("Cy.txt", ["Ann", "Cy"])],
            "skipped": [{"path": "bob/p.jpg", "skipped": "picture"}],
        }
        await journal.begin("r", "ingest")
        await journal.run(saving_receipt("r", receipt))

        def keep(connection: sqlite3.Connection) -> int:
            return keep_names(connection, {"ann", "cy"}, set())

        assert await journal.run(keep) == 1
        assert await journal.run(keep) == 0
        found = await journal.run(lambda connection: receipt_of(connection, "r"))
        assert "bob" not in str(found).lower()
        assert found["exports"][0]["path"] == found["exports"][0]["files"][0]["path"] == REMOVED
        assert found["exports"][1] == receipt["exports"][1]


def test_a_receipt_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what a person asks: which file, read by what, how many, about whom, why not."""
    monkeypatch.setenv("TZ", "UTC")
    told = export("a\x1b.txt", ["Ann", "Bob"], rejected={"line N: no time": 2})
    times = {"started": "2024-03-01T00:00:00Z", "finished": "2024-03-01T00:01:00Z"}
    run = {"run": "aa1", "source": "ingest", **times, "outcome": "ok", "added": 3, "exports": [told], "skipped": []}
    lines = list(receipt_lines(run))
    text = "\n".join(lines)
    assert "3 messages in 1 document read, 2 rejected" in text
    assert "2 people: Ann, Bob" in text
    assert "line N: no time" in text
    assert "\x1b" not in text
    assert f"sha256 {'ab' * 6}" in text
