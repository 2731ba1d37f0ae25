"""Of every file of an export: what was read, rejected and left out is all of its records, also where documents are of several files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.opening.limits import MESSAGE_CAP
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.tests.cases import check_all
from memd.tests.connectors.discord.exports import ANN as DISCORD_ANN
from memd.tests.connectors.discord.exports import export as discord_export
from memd.tests.connectors.discord.exports import message as discord_message
from memd.tests.connectors.google_chat.exports import ANN as GOOGLE_ANN
from memd.tests.connectors.google_chat.exports import event, hangouts
from memd.tests.connectors.google_chat.exports import said as google_said
from memd.tests.connectors.matrix import exports as matrix
from memd.tests.connectors.mattermost import test_mattermost as mattermost
from memd.tests.connectors.messenger.exports import ANN, BO, chat, old, said, written
from memd.tests.connectors.notion import test_notion as notion
from memd.tests.connectors.signal import exports as signal
from memd.tests.connectors.slack.exports import channel, message, stamp, user
from memd.tests.connectors.teams import exports as teams
from memd.tests.connectors.telegram import pages
from memd.tests.connectors.telegram.exports import chat as telegram_chat
from memd.tests.connectors.telegram.exports import said as telegram_said
from memd.tests.connectors.x import exports as x
from memd.tests.connectors.zulip import test_zulip as zulip

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
Counts = tuple[int, int, int]
"""What was read of a file, rejected and left out."""
SKIPPED: Counts = (-1, 0, 0)
"""Of a file that is told as one that was not read."""
NO_JSON = b"{ this is no JSON at all"
BREAK = '{"broken": nothing},'


def receipt_of(path: Path) -> dict[str, Any]:
    """What the log tells of reading a path."""
    log = ReadingLog()
    list(read_records(path, OPTIONS, log=log))
    return log.to_wire()


def counts(folder: Path, files: Mapping[str, bytes], *, packed: bool) -> dict[str, Counts]:
    """Reads the files as a folder or an archive; by name what is told of each, where that is anything."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    path, prefix = folder, f"{folder}/"
    if packed:
        path = folder.with_suffix(".zip")
        prefix = f"{path}!"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
    told = receipt_of(path)
    found: dict[str, Counts] = {file["path"].removeprefix(prefix): SKIPPED for file in told["skipped"]}
    for export in told["exports"]:
        assert sum(file["messages"] for file in export["files"]) == export["messages"]
        rejected = [sum(file.get("rejected", {}).values()) for file in export["files"]]
        assert sum(rejected) == sum(export["rejected"].values())
        for file, refused in zip(export["files"], rejected, strict=True):
            name = file["path"].removeprefix(prefix)
            assert name not in found
            found[name] = file["messages"], refused, sum(file.get("left_out", {}).values())
    assert found.keys() == files.keys()
    return {name: each for name, each in found.items() if any(each)}


def spoiled(value: Any, before: str) -> bytes:
    """JSON with something that is none before a text in it."""
    text = json.dumps(value, indent=1)
    at = text.index(before)
    at = text.rindex("{", 0, at)
    return (text[:at] + BREAK + text[at:]).encode()


BOX = "your_activity_across_facebook/messages/inbox/bobaker_10200000001"
SPACE = "Takeout/Google Chat/Groups/Space AAAAspace0"
LISTS = {
    "users.json": json.dumps([user("U0ANN", "ann", "Ann"), user("U0BO", "bo", "Bo")]).encode(),
    "channels.json": json.dumps([channel("C1", "general", ["U0ANN"])]).encode(),
}
DUMP = {
    "channel_id": "C1",
    "name": "general",
    "messages": [message(86_400, "U0ANN", "one"), message(86_401, "U0BO", "two")],
}


def slack(*records: Any) -> bytes:
    """The file of one day."""
    return json.dumps(records).encode()


def reply(seconds: float, text: str, **more: Any) -> dict[str, Any]:
    """A message of the thread that begins with the first message."""
    return message(seconds, "U0BO", text, thread_ts=stamp(0), parent_user_id="U0ANN", **more)


def mail(own: str, date: str = "Mon, 7 Apr 2025 16:31:00 +0200", **more: str) -> bytes:
    """A mail; headers that are empty are not there."""
    headers = {
        "Message-ID": f"<{own}@example.org>",
        "Date": date,
        "From": "Ann <ann@example.org>",
        "To": "bo@example.org",
    }
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    lines = [f"{name}: {value}" for name, value in headers.items() if value]
    return "\n".join([*lines, "", f"words of {own}", ""]).encode()


def whatsapp(other: str, *more: str) -> bytes:
    """A chat of two with four messages, and lines behind them."""
    lines = [f"1/14/24, 10:{minute:02d} - {'Ann' if minute % 2 else other}: words {minute}" for minute in range(4)]
    return "\n".join([*lines, *more, ""]).encode()


EXPORTS: dict[str, tuple[dict[str, bytes], dict[str, Counts]]] = {
    "messenger": (
        {
            f"{BOX}/message_1.json": spoiled(chat(said(5, ANN, "a"), said(6, BO, "b"), said(7, BO, "c")), '"b"'),
            f"{BOX}/message_2.json": written(chat(said(1, ANN, "d"), {"sender_name": "x", "timestamp_ms": "soon"})),
            f"{BOX}/message_3.json": written(chat(said(-9, ANN, "x" * (MESSAGE_CAP + 1)), said(-10, ANN, "e"))),
            f"{BOX}/message_4.json": NO_JSON,
            f"{BOX}/message_5.json": written(chat(said(-20, ANN, "f"), said(-21, ANN, "g"))).partition(
                b'"content": "f"'
            )[0],
        },
        {
            f"{BOX}/message_1.json": (2, 1, 0),
            f"{BOX}/message_2.json": (1, 1, 0),
            f"{BOX}/message_3.json": (1, 1, 0),
            f"{BOX}/message_4.json": SKIPPED,
            f"{BOX}/message_5.json": (1, 1, 0),
        },
    ),
    "instagram": (
        {
            "a/messages.json": written(
                [
                    {"participants": ["ann", "bo"], "conversation": [old(1, "ann", text="a"), old(2, "bo", text="b")]},
                    {
                        "participants": ["ann", "cy"],
                        "conversation": [old(1, "ann", text="a"), {"sender": "ann", "created_at": "soon"}],
                    },
                ]
            ),
            "b/messages.json": written([{"participants": ["ann", "di"], "conversation": [old(3, "di", text="c")]}, 7]),
        },
        {"a/messages.json": (3, 1, 0), "b/messages.json": (1, 1, 0)},
    ),
    "slack": (
        {
            **LISTS,
            "general/2024-01-15.json": spoiled(
                [message(1, "U0ANN", "a"), message(2, "U0BO", "b"), message(3, "U0BO", "c")], '"b"'
            ),
            "general/2024-01-16.json": slack(message(86_400, "U0ANN", "d"), 7, message(86_400, "U0ANN", "d")),
            "general/2024-01-17.json": NO_JSON,
            "general/2024-01-18.json": slack({"type": "message", "user": "U0ANN", "text": "x", "ts": "soon"}),
        },
        {
            "general/2024-01-15.json": (3, 1, 0),
            "general/2024-01-16.json": (1, 1, 1),
            "general/2024-01-17.json": (0, 1, 0),
            "general/2024-01-18.json": (0, 1, 0),
        },
    ),
    "threads of slack": (
        {
            **LISTS,
            "general/2024-01-15.json": slack(
                message(0, "U0ANN", "root", thread_ts=stamp(0), reply_count=2, latest_reply=stamp(172_800)),
                reply(5, "r"),
            ),
            "general/2024-01-16.json": slack(reply(86_400, "s"), message(86_401, "U0BO", "plain")),
            "general/2024-01-17.json": slack(reply(86_400, "s"), reply(172_800, "t")),
        },
        {
            "general/2024-01-15.json": (2, 0, 0),
            "general/2024-01-16.json": (2, 0, 0),
            "general/2024-01-17.json": (1, 0, 1),
        },
    ),
    "slackdump": (
        {
            "general.json": json.dumps(DUMP).encode(),
            "random.json": json.dumps(
                {
                    **DUMP,
                    "channel_id": "C2",
                    "messages": [message(0, "U0ANN", "a", slackdump_thread_replies=[reply(5, "r"), 7])],
                }
            ).encode(),
        },
        {"general.json": (2, 0, 0), "random.json": (2, 1, 0)},
    ),
    "pages of telegram": (
        {
            "messages.html": pages.page(
                pages.separator("15 January 2024"), pages.written(1, "a"), pages.written(2, "b")
            ),
            "messages2.html": pages.page(
                pages.written(3, "c"), pages.written(4, "x", time="soon"), pages.written(5, "d")
            ),
            "messages3.html": NO_JSON,
        },
        {"messages.html": (2, 0, 0), "messages2.html": (2, 1, 0), "messages3.html": SKIPPED},
    ),
    "pages that repeat a file of telegram": (
        {
            "result.json": json.dumps(telegram_chat([telegram_said(n, f"t{n}") for n in range(3)])).encode(),
            "messages.html": pages.page(
                pages.separator("15 January 2024"), pages.written(1, "a"), pages.written(2, "b")
            ),
            "messages2.html": pages.page(pages.written(3, "c")),
        },
        {"result.json": (3, 0, 0), "messages.html": (0, 0, 2), "messages2.html": (0, 0, 1)},
    ),
    "telegram": (
        {
            "a/result.json": spoiled(telegram_chat([telegram_said(n, f"t{n}") for n in range(3)]), '"t1"'),
            "b/result.json": json.dumps(telegram_chat([telegram_said(0, "a"), 7], number=3)).encode(),
            "c/result.json": NO_JSON,
        },
        {"a/result.json": (2, 1, 0), "b/result.json": (1, 1, 0), "c/result.json": SKIPPED},
    ),
    "discord": (
        {
            "a.json": spoiled(discord_export(*(discord_message(n, DISCORD_ANN, f"t{n}") for n in range(3))), '"t1"'),
            "b.json": json.dumps(discord_export(discord_message(7, DISCORD_ANN, "a"), 7)).encode(),  # type: ignore[arg-type]
            "c.json": NO_JSON,
        },
        {"a.json": (2, 1, 0), "b.json": (1, 1, 0), "c.json": SKIPPED},
    ),
    "google_chat": (
        {
            f"{SPACE}1/messages.json": spoiled(
                {"messages": [google_said(n, GOOGLE_ANN, f"t{n}") for n in range(3)]}, '"t1"'
            ),
            f"{SPACE}2/messages.json": json.dumps({"messages": [google_said(1, GOOGLE_ANN, "a"), 7]}).encode(),
            f"{SPACE}3/messages.json": NO_JSON,
            "Takeout/Hangouts/Hangouts.json": json.dumps(
                hangouts(event(1, "11", "a"), event(2, "22", timestamp="x"))
            ).encode(),
        },
        {
            f"{SPACE}1/messages.json": (2, 1, 0),
            f"{SPACE}2/messages.json": (1, 1, 0),
            f"{SPACE}3/messages.json": SKIPPED,
            "Takeout/Hangouts/Hangouts.json": (1, 1, 0),
        },
    ),
    "mail": (
        {
            "cur/1:2,S": mail("a"),
            "cur/2:2,": mail("b", In_Reply_To="<a@example.org>"),
            "cur/3:2,": mail("a"),
            "cur/4:2,T": mail("c"),
            "cur/5:2,": mail("d", date=""),
            "cur/6:2,": bytes(99),
            "more.mbox": b"".join(
                b"From ann@example.org Mon Apr 07 14:31:02 2025\n" + each + b"\n"
                for each in (mail("e"), mail("f", date=""), mail("b"), mail("g", X_Gmail_Labels="Spam"))
            ),
        },
        {
            "cur/1:2,S": (1, 0, 0),
            "cur/2:2,": (1, 0, 0),
            "cur/3:2,": (0, 0, 1),
            "cur/4:2,T": (0, 0, 1),
            "cur/5:2,": (0, 1, 0),
            "cur/6:2,": SKIPPED,
            "more.mbox": (2, 0, 2),
        },
    ),
    "matrix": (
        {
            "one.json": spoiled(
                matrix.export(*(matrix.said(n, matrix.ANN, f"words {n}") for n in range(3))), '"words 1"'
            ),
            "two.json": matrix.written(matrix.export(*(matrix.said(n, matrix.BO, f"words {n}") for n in (2, 3)))),
        },
        {"one.json": (2, 1, 0), "two.json": (1, 0, 1)},
    ),
    "zulip": (
        {
            "realm.json": zulip.written(zulip.REALM),
            "messages-000001.json": zulip.written(
                {"zerver_message": [zulip.said(1, 11, "a"), zulip.said(2, 12, "b", 999), zulip.said(3, 12, "c")]}
            ),
            "messages-000002.json": zulip.written({"zerver_message": [zulip.said(3, 12, "c"), zulip.said(4, 11, "d")]}),
            "messages-000003.json": NO_JSON,
        },
        {"messages-000001.json": (2, 1, 0), "messages-000002.json": (1, 0, 1), "messages-000003.json": SKIPPED},
    ),
    "mattermost": (
        {
            "one.jsonl": mattermost.written(mattermost.said(1, "ann", "a"), mattermost.said(2, "bo", "b")) + b"{ none",
            "two.jsonl": mattermost.written(mattermost.said(2, "bo", "b"), mattermost.said(3, "bo", "c")),
        },
        {"one.jsonl": (2, 1, 0), "two.jsonl": (1, 0, 1)},
    ),
    "teams": (
        {
            "messages.json": teams.written(
                teams.history(*(teams.skype(n, teams.BO, f"words {n}") for n in range(3)), {"id": "none"})
            ),
            "more/messages.json": teams.written(teams.history(teams.skype(2, teams.BO, "words 2"))),
            "ann/graph.json": teams.written([teams.graph(n, teams.ANNA, "<p>a</p>") for n in (5, 6)]),
            "bo/graph.json": teams.written([teams.graph(n, teams.ANNA, "<p>a</p>") for n in (6, 7)]),
        },
        {
            "messages.json": (3, 1, 0),
            "more/messages.json": (0, 0, 1),
            "ann/graph.json": (2, 0, 0),
            "bo/graph.json": (1, 0, 1),
        },
    ),
    "x": (
        {
            "data/account.js": x.ACCOUNT,
            "data/direct-messages.js": x.talks(x.sent(1, x.ANN, "a"), x.sent(2, x.BO, "b", createdAt="soon")),
            "data/tweets.js": x.assigned("tweets", [x.post(1, "p"), x.post(2, "q")]),
            "data/tweets-part1.js": x.assigned("tweets", [x.post(3, "r"), x.post(3, "r")], part=1),
        },
        {
            "data/direct-messages.js": (1, 1, 0),
            "data/tweets.js": (2, 0, 0),
            "data/tweets-part1.js": (1, 0, 1),
        },
    ),
    "signal": (
        {
            "one/main.jsonl": signal.export(*(signal.item(n, f"words {n}") for n in (0, 1, 1))) + b"{ no frame\n",
            "two/main.jsonl": signal.export(signal.item(5, "a")),
            "Bo/data.json": signal.lines([signal.record(n, "Bo", f"words {n}") for n in range(3)]),
            "Bo/chat.md": b"[2024-01-15 12:00:00] Bo: words 0  \n\n[2024-01-15 12:01:00] Bo: words 1  \n\n",
            "Cy/chat.md": b"[2024-01-15 12:00:00] Cy: Hi  \n\n",
        },
        {
            "one/main.jsonl": (2, 1, 1),
            "two/main.jsonl": (1, 0, 0),
            "Bo/data.json": (3, 0, 0),
            "Bo/chat.md": (0, 0, 2),
            "Cy/chat.md": (1, 0, 0),
        },
    ),
    "notion": (
        {
            **notion.EXPORT,
            f"Empty {'f' * 32}.md": b" \n",
            f"Home {notion.HOME}/Again {notion.BOATS}.md": b"# Again\n\nThe Wren.\n",
        },
        {
            f"Home {notion.HOME}.md": (1, 0, 0),
            f"Home {notion.HOME}/Again {notion.BOATS}.md": (1, 0, 0),
            f"Home {notion.HOME}/Boats {notion.BOATS}.md": (0, 1, 0),
            f"Home {notion.HOME}/photo.png": SKIPPED,
            f"Home {notion.HOME}/Tasks {notion.TASKS}.csv": (0, 0, 1),
            f"Home {notion.HOME}/Tasks {notion.TASKS}_all.csv": (2, 0, 2),
            f"Home {notion.HOME}/Tasks {notion.TASKS}/Paint the hull {notion.PAINT}.md": (1, 0, 0),
            f"Home {notion.HOME}/Tasks {notion.TASKS}/Sew the sail {notion.SAIL}.md": (1, 0, 0),
            f"Empty {'f' * 32}.md": (0, 1, 0),
        },
    ),
    "whatsapp": (
        {
            "WhatsApp Chat with Bo.txt": whatsapp("Bo"),
            "WhatsApp Chat with Cy.txt": whatsapp("Cy", "1/14/24, 10:50 - Cy: " + "x" * (MESSAGE_CAP + 1)),
            "WhatsApp Chat with Di.txt": bytes(99),
        },
        {
            "WhatsApp Chat with Bo.txt": (4, 0, 0),
            "WhatsApp Chat with Cy.txt": (4, 1, 0),
            "WhatsApp Chat with Di.txt": SKIPPED,
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_each_file_is_counted(tmp_path: Path, packed: bool) -> None:
    """With records in it that cannot be read, and files beside it that are none."""

    def check(name: str) -> None:
        files, expected = EXPORTS[name]
        (tmp_path / name).mkdir()
        assert counts(tmp_path / name / "export", files, packed=packed) == expected

    check_all(EXPORTS, check)


@pytest.mark.parametrize(
    ("edit_first", "rule"),
    [
        (False, "tells how another message was changed, and went into that"),
        (True, "message of which the record of an edit was read before, and went into that"),
    ],
)
def test_of_a_message_and_its_edit_the_later_record_is_left_out(tmp_path: Path, rule: str, *, edit_first: bool) -> None:
    """By a rule that says which of the two it is."""
    before, after = message(0, "U0ANN", "at noon"), message(0, "U0ANN", "at one")
    change = {"type": "message", "subtype": "message_changed", "ts": stamp(60), "message": after, "original": before}
    (tmp_path / "general").mkdir()
    (tmp_path / "users.json").write_text(json.dumps([user("U0ANN", "ann", "Ann")]))
    (tmp_path / "channels.json").write_text(json.dumps([channel("C1", "general")]))
    (tmp_path / "general" / "2024-01-15.json").write_text(
        json.dumps([change, before] if edit_first else [before, change])
    )
    (export,) = receipt_of(tmp_path)["exports"]
    assert [file["left_out"] for file in export["files"] if file["messages"]] == [{rule: 1}]
