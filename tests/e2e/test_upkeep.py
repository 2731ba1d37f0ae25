"""Upkeep by the real commands: forgetting for good, finding and mending damage, taking over another embedder."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.memory.embedding.bundled import ENGLISH, bundled_model
from memd.tests.e2e.conftest import LINES, write_chat

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

MODEL = bundled_model(ENGLISH)


def holding(directory: Path, *words: str) -> list[str]:
    """The files that hold one of these words, in any spelling of case that an index may keep."""
    needles = [form.encode() for word in words for form in (word, word.lower())]
    return [
        path.name
        for path in directory.rglob("*")
        if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    ]


def findings(memd: Memd, *words: str, code: int = 0) -> dict[str, list[str]]:
    """What doctor says, by severity."""
    done = memd("doctor", "--json", *words)
    assert done.returncode == code, done.stderr.decode() + done.stdout.decode()
    report = json.loads(done.stdout)
    assert report["healthy"] == (code == 0)
    found: dict[str, list[str]] = {}
    for each in report["findings"]:
        found.setdefault(each["severity"], []).append(each["check"])
        assert each["severity"] == "ok" or each["hint"]
    return found


@pytest.mark.parametrize("served", [False, True])
def test_what_is_forgotten_is_in_no_file_and_does_not_come_back(
    memd: Memd, chat: Path, tmp_path: Path, served: bool
) -> None:
    """Planned, asked for, removed: not in the store, its log, its indexes or the journal; before and after a restart."""
    memd.json("ingest", str(chat), "--me", "Ann")
    assert holding(memd.data, "dentist")
    process = memd.start("serve") if served else None
    if process is not None:
        memd.until_served(process)
    plan = memd.json("forget", "--speaker", "bob", "--dry-run")
    assert (plan["messages"], plan["documents"]) == (2, {"whole": 0, "partly": 1})
    assert memd.json("query", "dentist", "-k", "1")["hits"][0]["speaker"] == "Bob"
    refused = memd("forget", "--speaker", "bob")
    assert (refused.returncode, b"--yes" in refused.stderr) == (2, True)
    done = memd.json("forget", "--speaker", "bob", "--yes")
    assert (done["messages"], done["dry_run"]) == (2, False)
    assert holding(memd.data, "dentist", "Lisbon", "Carla", "Bob") == []
    assert {hit["speaker"] for hit in memd.json("query", "where does Bob's sister live?")["hits"]} == {"Ann"}
    again = memd.json("ingest", str(chat), "--me", "Ann")
    assert (again["added"], again["unchanged"], again["forgotten"]) == (0, 2, 2)  # the very export that is known
    shorter = write_chat(tmp_path / "WhatsApp Chat with Two.txt", LINES[:3])
    again = memd.json("ingest", str(shorter), "--me", "Ann")
    assert (again["added"], again["unchanged"], again["forgotten"]) == (0, 2, 1)
    assert findings(memd).get("error") is None
    if process is not None:
        process.terminate()
        assert process.wait(timeout=20) == 0
    assert findings(memd).get("error") is None
    assert holding(memd.data, "dentist", "Lisbon", "Carla", "Bob") == []
    assert memd("forget", "--speaker", "bob", "--yes").returncode == 7
    assert memd.json("ingest", str(chat), "--me", "Ann", "--allow-again")["added"] == 1
    assert memd.json("query", "Lisbon", "-k", "1")["hits"][0]["speaker"] == "Bob"
    assert memd("forget", "--yes").returncode == 2
    gone = memd.json("forget", "--source", "whatsapp", "--yes")
    assert gone["documents"] == {"whole": 1, "partly": 0}
    assert memd.json("stats")["messages"] == 0
    assert holding(memd.data, "Ann", "sister", "Lisbon") == []


@pytest.mark.wheel
@pytest.mark.usefixtures("vectors")
def test_doctor_says_what_is_wrong_and_repairs_what_is_derived(memd: Memd, chat: Path) -> None:
    """Nothing there, all well, readable by others, a damaged index, a damaged message."""
    assert "store" in findings(memd)["warning"]
    memd.json("ingest", str(chat))
    assert findings(memd).get("error") is None
    journal = memd.data / "journal.db"
    journal.chmod(0o644)
    assert findings(memd, code=6)["error"] == ["permissions"]
    assert findings(memd, "--repair").get("error") is None
    assert journal.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(memd.data / "store" / "memory.db") as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(length(vector)) WHERE text = 1")
    connection.close()
    assert "vectors" in findings(memd, code=6)["error"]
    assert findings(memd, "--repair").get("error") is None
    assert memd.json("ingest", str(chat))["vectors"]["pending"] == 0
    with sqlite3.connect(memd.data / "store" / "memory.db") as connection:
        connection.execute("UPDATE messages SET content = 'I moved to Paris' WHERE id = 2")
    connection.close()
    told = memd("doctor", "--repair")
    assert told.returncode == 6
    assert b"texts are not what was stored" in told.stdout
    assert b"restore" in told.stdout
    assert b"Paris" not in told.stdout + told.stderr


def test_a_damaged_journal_is_put_aside_and_what_it_held_can_be_read_again(memd: Memd, chat: Path) -> None:
    """Commands refuse with a hint; a repair keeps what can be read; reading the source again loses and doubles nothing."""
    memd.json("ingest", str(chat))
    journal = memd.data / "journal.db"
    journal.write_bytes(b"no database at all" * 300)
    refused = memd("ingest", str(chat))
    assert refused.returncode == 6
    assert b"doctor" in refused.stderr
    assert findings(memd, code=6)["error"] == ["journal"]
    assert "journal" in findings(memd, "--repair")["warning"]
    assert [path.name for path in memd.data.glob("journal.db.damaged-*")] == ["journal.db.damaged-1"]
    again = memd.json("ingest", str(chat))
    assert (again["added"], again["unchanged"]) == (0, 4)
    assert findings(memd).get("error") is None


@pytest.mark.usefixtures("vectors")
def test_another_embedder_waits_until_it_is_taken_over(
    memd: Memd, long_chat: Callable[[int], Path], tmp_path: Path
) -> None:
    """A changed setting shows, words answer, nothing mixes; reindex makes the vectors anew and drops the others."""
    memd.json("ingest", str(long_chat(60)))
    model = tmp_path / "other"
    model.mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (model / name).symlink_to(MODEL / name)
    memd.environment |= {
        "MEMD_EMBEDDING_PROVIDER": "onnx",
        "MEMD_EMBEDDING_MODEL": str(model),
        "MEMD_EMBEDDING_POOLING": "cls",
    }
    answer = memd.json("query", "message 7 speaks of topic")
    assert answer["degraded"] == ["generation"]
    assert answer["hits"]
    assert "generation" in memd.json("status")["degraded"]
    done = memd.json("reindex", seconds=120)
    assert (done["embedded"], done["pending"], done["dropped"]) == (60, 0, 60)
    answer = memd.json("query", "message 7 speaks of topic")
    assert answer["degraded"] == []
    assert any("vector" in hit["scores"] for hit in answer["hits"])
    assert memd.json("stats")["vectors"] == {"done": 60, "pending": 0}
    assert findings(memd).get("error") is None
    assert memd.json("reindex")["embedded"] == 0


def test_equal_words_of_others_in_one_minute_outlive_a_forgetting(memd: Memd, tmp_path: Path) -> None:
    """A longer export adds what is new, keeps out what was forgotten, and doubles nothing of the others."""
    chat = tmp_path / "WhatsApp Chat with Two.txt"
    stamp, begin = "15/01/2024, 12:00", "15/01/2024, 11:00 - Ann: shall we go?\n"
    lines = [f"{stamp} - {speaker}: {text}\n" for speaker, text in (("Bob", "yes"), ("Ann", "yes"), ("Bob", "yes"))]

    def read(*more: str) -> tuple[int, int, int]:
        chat.write_text("".join((begin, *lines, *more)))
        done = memd.json("ingest", str(chat), "--me", "Ann")
        return done["added"], done["updated"], done["forgotten"]

    assert read() == (4, 0, 0)
    memd.json("forget", "--speaker", "Ann", "--since", "2024-01-15T12:00", "--yes")
    assert read(f"{stamp} - Bob: yes\n", f"{stamp} - Cem: yes\n") == (2, 0, 1)
    (document,) = memd.json("documents")["documents"]
    assert document["messages"] == 5
