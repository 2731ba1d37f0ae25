"""One person who writes in three sources under three names: proposed, merged, found as one, and taken back."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from memd.tests.e2e.conftest import Memd

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("vectors")]
MAIL = b"""From priya@example.org Mon Apr 07 14:31:00 2025
From: Priya Sharma <priya@example.org>
To: Ann <ann@example.org>
Subject: The allotment
Message-ID: <a1@example.org>
Date: Mon, 7 Apr 2025 14:31:00 +0000
Content-Type: text/plain; charset=utf-8

I live in Leeds.

"""
WHATSAPP = "15/01/2024, 10:00 - +49 171 2345678: The kayak has a leak\n15/01/2024, 10:01 - Ann: Oh no\n"


def _slack(path: Path) -> None:
    profile = {"display_name": "priya.s", "email": "Priya@Example.org", "phone": "+49 (171) 234 5678"}
    users = [
        {"id": "U0PRIYA", "name": "priya", "profile": profile},
        {"id": "U0ANN", "name": "ann", "profile": {"display_name": "Ann"}},
    ]
    day = [{"type": "message", "user": "U0PRIYA", "text": "I moved to York.", "ts": "1746612000.000100"}]
    channel = {"id": "C0GENERAL", "name": "general", "members": ["U0PRIYA", "U0ANN"], "created": 1, "creator": "U0ANN"}
    files = {"users.json": users, "channels.json": [channel], "general/2025-05-07.json": day}
    with zipfile.ZipFile(path, "w") as packed:
        for name, body in files.items():
            packed.writestr(name, json.dumps(body))


def test_three_names_become_one_person_and_three_again(memd: Memd, tmp_path: Path) -> None:
    """Questions and facts follow; every step is taken back by one command."""
    folder = tmp_path / "exports"
    folder.mkdir()
    _slack(folder / "Acme Slack export.zip")
    (folder / "WhatsApp Chat with Boats.txt").write_text(WHATSAPP)
    (folder / "all.mbox").write_bytes(MAIL)
    memd.until_served(memd.start("serve"))
    assert memd("ingest", str(folder), "--me", "Ann").returncode == 0
    hers = {"+49 171 2345678", "Priya Sharma", "priya.s"}

    def people() -> dict[str, int]:
        return {each["name"]: each["messages"] for each in memd.json("people")["people"] if each["name"] != "Ann"}

    def homes() -> dict[str, str]:
        return {
            each["value"]: each.get("status", "active")
            for each in memd.json("facts", "--status", "all")["facts"]
            if each["attribute"] == "home"
        }

    assert people() == dict.fromkeys(hers, 1)
    before = homes()
    assert set(before.values()) == {"active"}
    proposed = memd.json("people", "--proposals")["proposals"]
    assert {one["name"] for each in proposed for one in each["identities"]} == hers
    assert {one["kind"] for each in proposed for one in each["evidence"]} == {"mail address", "phone number"}
    assert memd("people", "merge", "nobody", "priya.s", "--yes").returncode == 7
    assert memd("people", "merge", "sharma", "slack:priya.s", "+49 171 2345678", "--dry-run").returncode == 0
    assert people() == dict.fromkeys(hers, 1)
    for words in (("merge", "sharma", "slack:priya.s"), ("merge", "Priya Sharma", "slack:priya")):
        refused = memd("people", *words, "--yes")  # nobody looks at the plan: a part of a name stands for nobody
        assert (refused.returncode, b"it is a part of" in refused.stderr) == (7, True)
    assert people() == dict.fromkeys(hers, 1)
    memd.json("people", "merge", "priya sharma", "slack:priya.s", "+49 171 2345678", "--yes")
    assert list(people().values()) == [3]
    assert memd.json("people", "--proposals")["proposals"] == []
    assert {hit["source"] for hit in memd.json("query", "kayak", "--person", "sharma")["hits"]} == {
        "whatsapp",
        "mail",
        "slack",
    }
    assert sorted(homes().values()) == ["active", "superseded"]
    told = memd.json("facts", "--subject", "+49 171 2345678", "--status", "all")["facts"]
    assert {each["value"] for each in told if each["attribute"] == "home"} == set(homes())
    plan = memd.json("forget", "--person", "sharma", "--dry-run")
    assert {(each["source"], each["name"], each["messages"]) for each in plan["identities"]} == {
        ("mail", "Priya Sharma", 1),
        ("slack", "priya.s", 1),
        ("whatsapp", "+49 171 2345678", 1),
    }
    shown = memd("forget", "--person", "sharma", "--dry-run").stderr
    assert "+49 171 2345678 (whatsapp, 1 message)" in str(shown)
    assert memd("people", "undo", "--dry-run").returncode == 2
    assert memd("people", "undo", "--yes").returncode == 0
    assert people() == dict.fromkeys(hers, 1)
    assert homes() == before
    assert [each["action"] for each in memd.json("people", "log")["decisions"]] == ["merge", "undo"]
    memd.json("people", "merge", "mail:Priya Sharma", "slack:priya.s", "priya@example.org", "+49 171 2345678", "--yes")
    assert memd("people", "split", "sharma", "--yes").returncode == 7
    memd.json("people", "split", "slack:priya.s", "slack:priya.s", "--yes")
    assert memd.json("forget", "--person", "priya sharma", "--yes")["messages"] == 2
    assert people() == {"priya.s": 1}  # the other half of a split person stays
    assert {each["subject"] for each in memd.json("facts", "--status", "all")["facts"]} <= {"priya.s", "Ann"}
    assert memd.json("ingest", str(folder), "--me", "Ann")["added"] == 0
    report = json.loads(memd("doctor", "--json").stdout)
    assert [each for each in report["findings"] if each["severity"] == "error"] == []
