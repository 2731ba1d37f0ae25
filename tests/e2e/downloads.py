"""A folder of downloads with an export of each program: archives, folders and single files, and what nobody reads."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from memd.tests.connectors.calendar.test_calendar import calendar
from memd.tests.connectors.discord import exports as discord
from memd.tests.connectors.evernote import test_evernote as evernote
from memd.tests.connectors.google_chat import exports as google_chat
from memd.tests.connectors.imessage import databases as imessage
from memd.tests.connectors.llm_chats import test_claude as claude
from memd.tests.connectors.llm_chats import test_gemini as gemini
from memd.tests.connectors.llm_chats.test_chatgpt import BOATS
from memd.tests.connectors.matrix import exports as matrix
from memd.tests.connectors.mattermost import test_mattermost as mattermost
from memd.tests.connectors.messenger import exports as messenger
from memd.tests.connectors.office_files import docx, epub, pdf
from memd.tests.connectors.rocketchat import test_rocketchat as rocketchat
from memd.tests.connectors.signal import exports as signal
from memd.tests.connectors.slack import exports as slack
from memd.tests.connectors.teams import exports as teams
from memd.tests.connectors.telegram import exports as telegram
from memd.tests.connectors.x import exports as x
from memd.tests.connectors.zulip import test_zulip as zulip

MAIL = b"""From ann@example.org Mon Apr 07 14:31:00 2025
From: Ann <ann@example.org>
To: Bob <bob@example.org>
Subject: The allotment
Message-ID: <a1@example.org>
Date: Mon, 7 Apr 2025 14:31:00 +0000
Content-Type: text/plain; charset=utf-8

The allotment committee wants a beehive.

"""
SENTENCES = {
    "whatsapp": "the kayak has a leak",
    "telegram": "trombone lessons on Tuesday",
    "slack": "the quarterly figures are wrong",
    "discord": "who lost the anchor",
    "messenger": "the accordion needs tuning",
    "instagram": "the pottery class is full",
    "google_chat": "the greenhouse roof is cracked",
    "imessage": "the toaster caught fire",
    "signal": "the violin strings arrived",
    "line": "the lighthouse keeper has a parrot",
    "kakaotalk": "the ferry to Jeju is late",
    "wechat": "the dumplings need more vinegar",
    "qq": "the ping pong table is broken",
    "pidgin": "the tugboat has no whistle",
    "irc": "the compiler hates my semicolons",
    "matrix": "the harpoon is in the cellar",
    "teams": "the gangway needs new paint",
    "x": "the seagull stole my sandwich",
    "zulip": "the barometer is falling",
    "mattermost": "the galley smells of cinnamon",
    "rocketchat": "the porthole is jammed",
    "chatgpt": "Where do I moor?",
    "claude": "How do I varnish a cello?",
    "gemini": "Why do flamingos stand on one leg?",
    "mail": "the allotment committee wants a beehive",
    "transcripts": "the budget for gravel is spent",
    "calendar": "Chimney sweep appointment",
    "pdf": "the glacier lost nine metres",
    "docx": "the tenant must mow the meadow",
    "epub": "the dragon guarded a teapot",
    "html": "sourdough wants a warm cupboard",
    "notion": "the wharf is closed on Mondays",
    "evernote": "the carburettor needs cleaning",
    "source_code": "def pump_the_bilge",
    "notes": "plant garlic in October",
    "documents": "the astronaut misplaced a spoon",
}
"""By format, what its export in the folder says, and no other one."""


def make_downloads(folder: Path) -> None:
    """Write them."""
    _make_chats(folder)
    _make_more_chats(folder)
    _make_texts(folder)
    (folder / "holiday.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8)
    (folder / "setup.exe").write_bytes(b"MZ" + bytes(64))


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _pack(path: Path, files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)


def _make_chats(folder: Path) -> None:
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
    (folder / "2024-01-15.100200+0000GMT.txt").write_text(
        "Conversation with cleo at 2024-01-15 10:02:00 on ann (icq)\n(10:02:01) Cleo: The tugboat has no whistle\n"
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


def _make_more_chats(folder: Path) -> None:
    """Of Meta, Google, Apple, Signal and chats with models."""
    talk = messenger.chat(messenger.said(1, messenger.BO, "The accordion needs tuning"))
    _pack(folder / "facebook-ann.zip", {"messages/inbox/bo_1/message_1.json": messenger.written(talk)})
    thread = "inbox/bo_17900000000000001"
    clay = messenger.chat(messenger.said(1, messenger.BO, "The pottery class is full"), thread_path=thread)
    activity = f"your_instagram_activity/messages/{thread}/message_1.json"
    _pack(folder / "instagram-ann.zip", {activity: messenger.written(clay)})
    space = google_chat.space(google_chat.said(1, google_chat.BO, "The greenhouse roof is cracked"))
    takeout = {name: google_chat.written(value) for name, value in space.items()}
    activities = [gemini.record("Prompted Why do flamingos stand on one leg?", 0, "<p>To keep warm.</p>")]
    takeout["Takeout/My Activity/Gemini Apps/MyActivity.json"] = json.dumps(activities).encode()
    _pack(folder / "takeout-20240201.zip", takeout)
    _write(folder, {"Messages/chat.db": imessage.database([imessage.said("A", "The toaster caught fire")])})
    _write(folder, {"signal/main.jsonl": signal.export(signal.item(0, "The violin strings arrived"))})
    cello = claude.conversation(claude.message("m1", "human", "How do I varnish a cello?", 0))
    _pack(folder / "data-2024.zip", {"conversations.json": json.dumps([cello]).encode()})
    said = {"speaker": "Cleo", "content": "The astronaut misplaced a spoon", "time": "2024-01-15T10:00:00Z"}
    talk = {"source": "diary", "people": ["Cleo", "Ann"], "user": "Ann", "conversation": [said]}
    _write(folder, {"diary.jsonl": json.dumps({"id": "d1", "conversation": talk}).encode() + b"\n"})


def _make_texts(folder: Path) -> None:
    """Calls, calendars, documents and notes."""
    call = "WEBVTT\n\n1\n00:00:02.000 --> 00:00:05.500\nBob: The budget for gravel is spent\n"
    _write(folder, {"GMT20240115-100000_Recording.vtt": call.encode()})
    event = "UID:e2\nDTSTART:20240501T100000Z\nDTEND:20240501T110000Z\nSUMMARY:Chimney sweep appointment\n"
    _write(folder, {"home.ics": calendar(event)})
    _write(folder, {"glacier.pdf": pdf(["The glacier lost nine metres"])})
    _write(folder, {"lease.docx": docx("<w:p><w:r><w:t>The tenant must mow the meadow</w:t></w:r></w:p>")})
    _write(folder, {"tales.epub": epub({"a.xhtml": "<p>The dragon guarded a teapot</p>"})})
    _write(folder, {"bread.html": b"<html><body><p>Sourdough wants a warm cupboard</p></body></html>"})
    garage = evernote.note("Garage", "<div>The carburettor needs cleaning</div>")
    _write(folder, {"Garage.enex": evernote.enex(garage)})
    _write(folder, {"bilge.py": b"import pumps\n\n\ndef pump_the_bilge(litres):\n    return pumps.run(litres)\n"})
