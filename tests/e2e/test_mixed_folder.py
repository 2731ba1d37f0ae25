"""A folder of downloads with an export of each program: one command reads all of them, and questions find what is in each."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from memd.tests.connectors.discord import exports as discord
from memd.tests.connectors.llm_chats.test_chatgpt import BOATS
from memd.tests.connectors.matrix import exports as matrix
from memd.tests.connectors.mattermost import test_mattermost as mattermost
from memd.tests.connectors.rocketchat import test_rocketchat as rocketchat
from memd.tests.connectors.slack import exports as slack
from memd.tests.connectors.teams import exports as teams
from memd.tests.connectors.telegram import exports as telegram
from memd.tests.connectors.x import exports as x
from memd.tests.connectors.zulip import test_zulip as zulip
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
    "the lighthouse keeper has a parrot": "line",
    "the ferry to Jeju is late": "kakaotalk",
    "the compiler hates my semicolons": "irc",
    "the dumplings need more vinegar": "wechat",
    "the ping pong table is broken": "qq",
    "the harpoon is in the cellar": "matrix",
    "the gangway needs new paint": "teams",
    "the seagull stole my sandwich": "x",
    "the barometer is falling": "zulip",
    "the galley smells of cinnamon": "mattermost",
    "the porthole is jammed": "rocketchat",
    "the wharf is closed on Mondays": "notion",
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
    (folder / "[LINE] Cleo.txt").write_text(
        "[LINE] Chat history with Cleo\n\n2024.01.15 Monday\n10:00\tCleo\tThe lighthouse keeper has a parrot\n"
    )
    (folder / "KakaoTalk_20240115.txt").write_text(
        "Cleo 님과 카카오톡 대화\n저장한 날짜 : 2024-01-16 10:44:52\n\n"
        "--------------- 2024년 1월 15일 월요일 ---------------\n[Cleo] [오전 10:01] The ferry to Jeju is late\n"
    )
    (folder / "#boats_20240115.log").write_text(
        "[10:02:00] *** Joins: Cleo (c@h)\n[10:02:01] <Cleo> The compiler hates my semicolons\n"
    )
    (folder / "cleo_0_500.csv").write_text(
        "id,MsgSvrID,type_name,is_sender,talker,room_name,msg,src,CreateTime\n"
        "1,9001,文本,0,Cleo,Cleo,The dumplings need more vinegar,,2024-01-15 10:03:00\n"
    )
    (folder / "qq.txt").write_text(
        "消息记录（此消息记录为文本格式，不支持重新导入）\n消息对象:Cleo\n\n"
        "2024-01-15 10:04:00 Cleo(12345678)\nThe ping pong table is broken\n\n"
    )
    room = matrix.export(matrix.said(1, matrix.BO, "The harpoon is in the cellar"))
    (folder / "matrix - Harbour - Chat Export.json").write_bytes(matrix.written(room))
    gangway = teams.history(teams.skype(1, teams.BO, "The gangway needs new paint"))
    _pack(folder / "8_live_ann_export.zip", {"messages.json": teams.written(gangway), "endpoints.json": b"{}"})
    seagull = x.talks(x.sent(1, x.BO, "The seagull stole my sandwich"))
    _pack(folder / "twitter-2024.zip", {"data/account.js": x.ACCOUNT, "data/direct-messages.js": seagull})
    _pack(folder / "zulip-export.zip", zulip.export(zulip.said(1, 12, "The barometer is falling")))
    galley = mattermost.written(mattermost.said(1, "bo", "The galley smells of cinnamon"))
    _pack(folder / "mattermost_export.zip", {"import.jsonl": galley, "data/x.png": b"\x89PNG"})
    for name, data in rocketchat.dump(rocketchat.said(1, rocketchat.BO, "The porthole is jammed")).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    _pack(folder / "Export-1.zip", {f"Wharf {'a' * 32}.md": b"# Wharf\n\nThe wharf is closed on Mondays.\n"})
    (folder / "holiday.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8)
    return folder


def test_everything_in_a_folder_is_read_and_found(memd: Memd, downloads: Path) -> None:
    """Each program's messages come from its own source; once more, nothing is new."""
    done = memd("ingest", str(downloads), "--json", "--no-wait", "--me", "Ann")
    told = json.loads(done.stdout)
    assert told["rejected"] == 0, done.stderr.decode()
    memd.until_served(memd.start("serve"))
    assert {each["source"] for each in memd.json("chats")["chats"]} == set(QUESTIONS.values()) - {"notes", "notion"}
    for question, source in QUESTIONS.items():
        best = memd.json("query", question)["hits"][0]
        assert best["source"] == source, question
    again = memd("ingest", str(downloads), "--json", "--no-wait", "--me", "Ann")
    assert json.loads(again.stdout)["added"] == 0
