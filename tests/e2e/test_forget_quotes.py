"""Forgetting a person by the real commands where others quote them: what the plan says, what goes, and what stays gone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.tests.byte_scan import traces
from memd.tests.e2e.conftest import write_chat

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

WORDS = "the wobblegate opens at seven, bring the snorkelbane"
GONE = ("wobblegate", "snorkelbane")
CHAT = [
    ("Ann", "where is the quibblefrost?"),
    ("Bob", WORDS),
    ("Cem", f"I live in Tromso. Bob says {WORDS}!"),
    ("Ann", "thank you, Bob"),
]
MAIL = """\
From: Dora <dora@example.org>
To: Ann <ann@example.org>
Subject: Saturday
Message-ID: <1@example.org>
Date: Mon, 15 Jan 2024 13:00:00 +0000
Content-Type: text/plain; charset=utf-8

I pass this on for the fandangle:

> The wobblegate opens at seven,
> bring the snorkelbane.
"""
pytestmark = pytest.mark.slow


def write_exports(folder: Path) -> list[str]:
    """A chat and a mail that quotes it; returns the paths."""
    folder.mkdir(exist_ok=True)
    mail = folder / "saturday.eml"
    mail.write_text(MAIL, encoding="utf-8")
    return [str(write_chat(folder / "WhatsApp Chat with Three.txt", CHAT)), str(mail)]


@pytest.mark.parametrize(("served", "quotes"), [(False, "redact"), (True, "redact"), (True, "remove")])
def test_quotes_go_with_the_person(memd: Memd, tmp_path: Path, served: bool, quotes: str) -> None:
    """With and without a daemon; the same exports bring nothing back, before and after a restart, until that is allowed."""
    paths = write_exports(tmp_path / "in")
    memd.json("ingest", *paths, "--me", "Ann")
    process = memd.start("serve") if served else None
    if process is not None:
        memd.until_served(process)
    plan = memd.json("forget", "--person", "Bob", "--dry-run")["quotes"]
    assert (plan["treatment"], plan["messages"], plan["mentions"]) == ("keep", 2, 2)
    assert sorted(each["author"] for each in plan["places"]) == ["Cem", "Dora"]
    told = memd("forget", "--person", "Bob", "--quotes", quotes, "--yes")
    assert told.returncode == 0
    assert b"2 messages of others" in told.stderr
    assert traces(memd.data, *GONE) == {}
    assert set(traces(memd.data, "quibblefrost")) == {"quibblefrost"}
    assert ("fandangle" in traces(memd.data, "fandangle")) == (quotes == "redact")
    again = memd.json("ingest", *paths, "--me", "Ann")
    assert (again["added"], again["updated"]) == (0, 0)
    if process is not None:
        process.terminate()
        assert process.wait(timeout=20) == 0
    assert memd("forget", "--person", "Bob", "--dry-run").returncode == 7
    assert traces(memd.data, *GONE) == {}
    assert memd("doctor").returncode == 0
    memd.json("ingest", *paths, "--me", "Ann", "--allow-again")
    assert set(traces(memd.data, *GONE, "fandangle")) == {*GONE, "fandangle"}


def test_the_commands_say_what_stays(memd: Memd, tmp_path: Path) -> None:
    """The plan has the commands that take the quotes out, and says that it is the last occasion; the end claims no more."""
    memd.json("ingest", *write_exports(tmp_path / "in"), "--me", "Ann")
    config = Path(memd.environment["MEMD_CONFIG"])
    config.write_text(f'[maintenance]\nbackup_to = "{tmp_path / "backups"}"\n', encoding="utf-8")
    assert memd("backup", str(tmp_path / "backups")).returncode == 0
    plan = memd("forget", "--person", "Bob", "--dry-run").stderr.decode()
    assert "2 messages of others quote this, and stay:" in plan
    assert "memd forget --person Bob --quotes redact" in plan
    assert "after this forgetting memd can no longer find the words there" in plan
    assert "2 messages of others name this person, and stay" in plan
    assert "wobblegate" not in plan
    done = memd("forget", "--person", "Bob", "--yes").stderr.decode()
    assert "2 messages of others still quote it" in done
    assert "no file of the store holds" not in done
    assert f"in {tmp_path / 'backups'} may hold it" in done
    assert set(traces(memd.data, *GONE)) == set(GONE)
