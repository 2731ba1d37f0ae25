"""A folder of downloads with an export of each program: one command reads all of them, and questions find what is in each."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from memd.tests.connectors.discord import exports as discord
from memd.tests.connectors.llm_chats.test_chatgpt import BOATS
from memd.tests.connectors.slack import exports as slack
from memd.tests.connectors.telegram import exports as telegram
from memd.tests.e2e.conftest import Memd

MAIL = b"""From ann@example.org Mon Apr 07 14:31:00 2025
From: Ann <ann@example.org>
To: Bob <bob@example.org>
Subject: The allotment
Message-ID: <a1@example.org>
Date: Mon, 7 Apr 2025 14:31:00 +0000
Content-Type: text/plain; charset=utf-8

The allotment committee wants a beehive.

"""
QUESTIONS = {
    "the kayak has a leak": "whatsapp",
    "trombone lessons on Tuesday": "telegram",
    "the quarterly figures are wrong": "slack",
    "who lost the anchor": "discord",
    "Where do I moor?": "chatgpt",
    "the allotment committee wants a beehive": "mail",
    "plant garlic in October": "notes",
}
"""A sentence of each source."""


def _pack(path: Path, files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """Archives, folders and single files, and what nobody reads."""
    folder = tmp_path / "Downloads"
    (folder / "ChatExport_2024-01-15").mkdir(parents=True)
    (folder / "Vault").mkdir()
    (folder / "WhatsApp Chat with Cleo.txt").write_text(
        "15/01/2024, 10:00 - Cleo: The kayak has a leak\n15/01/2024, 10:01 - Ann: Oh no\n"
    )
    chat = telegram.chat(
        [telegram.said(1, "Trombone lessons on Tuesday"), telegram.said(2, "See you there", who="Bob", peer="user2")]
    )
    (folder / "ChatExport_2024-01-15" / "result.json").write_bytes(telegram.written(chat))
    days = {"2024-01-15": [slack.message(0, "U0ANN", "The quarterly figures are wrong")]}
    _pack(folder / "Acme Slack export.zip", slack.workspace(days))
    lost = discord.export(discord.message(1, discord.BO, "Who lost the anchor?"))
    (folder / "Sailors - harbour [824930000000000001].json").write_bytes(discord.encoded(lost))
    _pack(folder / "chatgpt.zip", {"conversations.json": json.dumps([BOATS]).encode(), "chat.html": b"<html></html>"})
    (folder / "All mail.mbox").write_bytes(MAIL)
    (folder / "Vault" / "garden.md").write_text("# Garden\n\nPlant garlic in October.\n")
    (folder / "holiday.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8)
    return folder


def test_everything_in_a_folder_is_read_and_found(memd: Memd, downloads: Path) -> None:
    """Each program's messages come from its own source; once more, nothing is new."""
    done = memd("ingest", str(downloads), "--json", "--no-wait", "--me", "Ann")
    told = json.loads(done.stdout)
    assert told["rejected"] == 0, done.stderr.decode()
    memd.until_served(memd.start("serve"))
    assert {each["source"] for each in memd.json("chats")["chats"]} == set(QUESTIONS.values()) - {"notes"}
    for question, source in QUESTIONS.items():
        best = memd.json("query", question)["hits"][0]
        assert best["source"] == source, question
    again = memd("ingest", str(downloads), "--json", "--no-wait", "--me", "Ann")
    assert json.loads(again.stdout)["added"] == 0
