"""A message's attachment is there or missing whoever else reads the file, and whatever lies beside the export."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.discord.connector import DiscordConnector
from memd.connectors.formats.google_chat.connector import GoogleChatConnector
from memd.connectors.formats.imessage.connector import IMessageConnector
from memd.connectors.formats.llm_chats.chatgpt import ChatGPTConnector
from memd.connectors.formats.matrix.connector import MatrixConnector
from memd.connectors.formats.mattermost.connector import MattermostConnector
from memd.connectors.formats.messenger.connector import MessengerConnector
from memd.connectors.formats.pdf import connector as pdf_connector
from memd.connectors.formats.pdf import process as pdf_process
from memd.connectors.formats.pdf.process import PdfLimits
from memd.connectors.formats.qq.connector import QQConnector
from memd.connectors.formats.signal.connector import SignalConnector
from memd.connectors.formats.slack.connector import SlackConnector
from memd.connectors.formats.telegram.connector import TelegramConnector
from memd.connectors.formats.wechat.connector import WeChatConnector
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.formats.x.connector import XConnector
from memd.connectors.formats.zulip.connector import ZulipConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.daemon.sources.reader_process import frames
from memd.schemas import ConversationDocument, document_from_wire
from memd.tests.cases import check_all
from memd.tests.connectors.discord import exports as discord
from memd.tests.connectors.google_chat import exports as google_chat
from memd.tests.connectors.imessage import databases
from memd.tests.connectors.llm_chats import test_chatgpt as chatgpt
from memd.tests.connectors.matrix import exports as matrix
from memd.tests.connectors.mattermost import test_mattermost as mattermost
from memd.tests.connectors.messenger import exports as messenger
from memd.tests.connectors.qq import test_qq as qq
from memd.tests.connectors.signal import exports as signal
from memd.tests.connectors.slack import exports as slack
from memd.tests.connectors.telegram import exports as telegram
from memd.tests.connectors.wechat import test_wechat as wechat
from memd.tests.connectors.x import exports as x
from memd.tests.connectors.zulip import test_zulip as zulip

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
OTHER_CHAT = "".join(
    f"1/15/24, 10:{minute:02d} - {'Cy' if minute % 2 else 'Di'}: words {minute}\n" for minute in range(9)
)
TEXT, PDF, CALENDAR = b"Buy a rope and two fenders.\n", b"%PDF-1.4\nnothing", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"
NAMES = {"list.txt": TEXT, "plan.pdf": PDF, "tides.ics": CALENDAR}
"""What the messages come with: files that readers of other formats take; and one that is not there."""
ALL = [*NAMES, "lost.pdf"]
Export = tuple[Connector, dict[str, bytes]]


def held(place: str) -> dict[str, bytes]:
    """The files, by paths in which ``*`` stands for their names."""
    return {place.replace("*", name): data for name, data in NAMES.items()}


def signal_export() -> Export:
    """Of the app, where files are named by hashes."""

    def stem(name: str) -> str:
        return sha256(name.encode() + b"key").hexdigest()

    def pointer(name: str) -> dict[str, Any]:
        locator = {"plaintextHash": signal.b64(name.encode()), "localKey": signal.b64(b"key"), "size": 9}
        return {"pointer": {"contentType": "application/octet-stream", "fileName": name, "locatorInfo": locator}}

    messages = [signal.item(n, standardMessage={"attachments": [pointer(name)]}) for n, name in enumerate(ALL)]
    files = {f"files/{stem(name)[:2]}/{stem(name)}.{name[-3:]}": data for name, data in NAMES.items()}
    return SignalConnector(), {"main.jsonl": signal.export(*messages), **files}


def signal_chats() -> Export:
    """Of signal-export."""
    listed = [{"name": name, "path": f"media/{name}"} for name in ALL]
    record = signal.record(0, "Bo", "Look", attachments=listed)
    return SignalConnector(), {"Bo/data.json": signal.lines([record]), **held("Bo/media/*")}


def imessage() -> Export:
    """A database, and the folder of its attachments."""
    said = [databases.said(name, "\N{OBJECT REPLACEMENT CHARACTER}", n) for n, name in enumerate(ALL)]
    paths = [f"~/Library/Messages/Attachments/ab/11/G/{name}" for name in ALL]
    rows = [{"guid": f"F{path}", "filename": path, "transfer_name": path.rpartition("/")[2]} for path in paths]
    data = databases.database(said, files=[(n, row) for n, row in enumerate(rows, 1)])
    return IMessageConnector(), {"chat.db": data, **held("Attachments/ab/11/G/*")}


def mattermost_export() -> Export:
    """A bulk export."""
    listed = [{"path": f"20240115/teams/x/{name}"} for name in ALL]
    data = mattermost.written(mattermost.said(1, "ann", "", attachments=listed))
    return MattermostConnector(), {"import.jsonl": data, **held("data/20240115/teams/x/*")}


def matrix_export() -> Export:
    """Element puts a time into the names."""
    files = [{"msgtype": "m.file", "body": name, "url": "mxc://a/b"} for name in ALL]
    events = [matrix.event(n, matrix.ANN, "m.room.message", file) for n, file in enumerate(files)]
    place = {name: f"files/{name[:-4]}-2024-01-15 at 12-01-00{name[-4:]}" for name in NAMES}
    return MatrixConnector(), {
        "export.json": matrix.written(matrix.export(*events)),
        **{place[name]: data for name, data in NAMES.items()},
    }


def x_archive() -> Export:
    """Direct messages."""
    urls = [f"https://ton.twitter.com/dm/1/2/{name}" for name in ALL]
    talks = x.talks(x.sent(2, x.BO, "", mediaUrls=urls))
    return XConnector(), {
        "data/account.js": x.ACCOUNT,
        "data/direct-messages.js": talks,
        **held("data/direct_messages_media/9002-*"),
    }


def qq_json() -> Export:
    """Of QQChatExporter."""
    resources = [{"type": "file", "filename": name, "size": 12} for name in ALL]
    message = qq.message(1, "", content={"text": "[file]", "resources": resources})
    return QQConnector(), {"chat.json": qq.export(message).encode(), **held("resources/*")}


def qq_text() -> Export:
    """Its text."""
    listed = qq.LABELLED.replace("  - file: b.pdf\n", "".join(f"  - file: {name}\n" for name in ALL))
    return QQConnector(), {"chat.txt": listed.encode(), **held("resources/*")}


def wechat_json() -> Export:
    """Of WeFlow."""
    said = [wechat.message(n, f"MSG/files/{name}", type="文件消息") for n, name in enumerate(ALL)]
    return WeChatConnector(), {"a.json": wechat.export(*said).encode(), **held("MSG/files/*")}


def wechat_table() -> Export:
    """Of PyWxDump."""
    head, *_ = wechat.WEFLOW_TABLE.split("\r\n")
    rows = [f"{n},90{n},image,0,Alice,图片,files/{name},2023-11-15T06:15:23.000Z" for n, name in enumerate(ALL)]
    return WeChatConnector(), {"a.csv": "\r\n".join((head, *rows, "")).encode(), **held("files/*")}


def whatsapp() -> Export:
    """A chat with the files beside it."""
    chat = "".join(f"1/15/24, 11:0{n} - Ann: {name} (file attached)\n" for n, name in enumerate(ALL))
    return WhatsAppConnector(), {"WhatsApp Chat with Ann.txt": chat.encode(), **held("*")}


def slack_dump() -> Export:
    """Of slackdump, which names files by ids."""
    ids = {name: f"F0FILE{n:03d}" for n, name in enumerate(ALL)}
    listed = [{"id": own, "name": name} for name, own in ids.items()]
    files = slack.workspace({"2024-01-15": [slack.message(0, "U0ANN", "x", files=listed)]})
    return SlackConnector(), {
        **files,
        **{f"general/attachments/{ids[name]}-{name}": data for name, data in NAMES.items()},
    }


def telegram_export() -> Export:
    """Of the desktop app, and an account's chat among others."""
    said = [telegram.said(n, file=f"files/{name}", file_name=name) for n, name in enumerate(ALL)]
    return TelegramConnector(), {"result.json": telegram.written(telegram.chat(said)), **held("files/*")}


def google_chat_export() -> Export:
    """The files of a chat lie in its folder."""
    files = [{"original_name": name, "export_name": f"File-{name}"} for name in ALL]
    space = google_chat.space(google_chat.said(1, google_chat.ANN, "look", attached_files=files))
    data = {name: google_chat.written(value) for name, value in space.items()}
    return GoogleChatConnector(), {**data, **held(f"{google_chat.FOLDER}File-*")}


def messenger_export() -> Export:
    """Files are named from the top of the export."""
    place = messenger.PLACE.rpartition("/")[0]
    said = messenger.said(1, messenger.ANN, "look", files=[{"uri": f"{place}/files/{name}"} for name in ALL])
    return MessengerConnector(), {messenger.PLACE: messenger.written(messenger.chat(said)), **held(f"{place}/files/*")}


def discord_export() -> Export:
    """Of DiscordChatExporter with its media."""
    files = [{"id": f"{n}", "url": f"a.json_Files\\{name}", "fileName": name} for n, name in enumerate(ALL)]
    data = discord.encoded(discord.export(discord.message(1, discord.ANN, "See", attachments=files)))
    return DiscordConnector(), {"a.json": data, **held("a.json_Files/*")}


def zulip_export() -> Export:
    """Of an organisation."""
    words = " ".join(f"[{name}](/user_uploads/2/ab/{name})" for name in ALL)
    listed = [{"path_id": f"2/ab/{name}", "size": 7, "messages": [1]} for name in ALL]
    realm = {**zulip.REALM, "zerver_attachment": listed}
    return ZulipConnector(), {**zulip.export(zulip.said(1, 11, words), realm=realm), **held("uploads/2/ab/*")}


def chatgpt_export() -> Export:
    """Uploads are named by ids."""
    ids = {name: f"file-Abc{n}" for n, name in enumerate(ALL)}
    uploads = {"attachments": [{"id": own, "name": name, "size": 12} for name, own in ids.items()]}
    value = chatgpt.conversation([chatgpt.node("p", "root", "user", "Look", metadata=uploads)], "p")
    return ChatGPTConnector(), {
        "conversations.json": json.dumps([value]).encode(),
        **{f"{ids[name]}-{name}": data for name, data in NAMES.items()},
    }


EXPORTS = {
    "signal": signal_export(), "signal-export": signal_chats(), "imessage": imessage(), "mattermost": mattermost_export(),
    "matrix": matrix_export(), "x": x_archive(), "qq": qq_json(), "qq-text": qq_text(), "wechat": wechat_json(),
    "wechat-table": wechat_table(), "whatsapp": whatsapp(), "slack": slack_dump(), "zulip": zulip_export(),
    "chatgpt": chatgpt_export(), "telegram": telegram_export(), "google_chat": google_chat_export(),
    "messenger": messenger_export(), "discord": discord_export(),
}  # fmt: skip


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    """The folder with these files."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def attachments(records: Iterable[Record], source: str) -> dict[str, tuple[int | None, bool]]:
    """Size and whether it is missing, by name, of the messages of one app."""
    days = [each for each in records if isinstance(each, ConversationDocument) and each.conversation.source == source]
    return {a.name: (a.size, a.missing) for day in days for message in day.messages for a in message.attachments}


@pytest.fixture(scope="module")
def _one_pdf_process() -> Iterator[None]:
    """Start the process that reads a PDF for the first of equal files only; the others get the same answer."""
    known: dict[bytes, list[dict[str, Any]]] = {}

    def answered(descriptor: int, limits: PdfLimits) -> Iterator[dict[str, Any]]:
        data = os.pread(descriptor, limits.file_bytes, 0)
        if data in known:
            os.close(descriptor)
        else:
            known[data] = [*pdf_process.answers(descriptor, limits)]
        yield from known[data]

    with patch.object(pdf_connector, "answers", answered):
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("_one_pdf_process")
@pytest.mark.parametrize(("below", "packed"), [("", False), ("export/", True)], ids=["folder", "archive"])
def test_an_attachment_is_there_though_others_read_it(tmp_path: Path, below: str, *, packed: bool) -> None:
    """As where the connector reads the export alone, with a log and without one; a file of the same name in the folder of
    another chat is not it.
    """

    def check(export: tuple[str, Export]) -> None:
        name, (connector, files) = export
        alone = attachments(
            connector.read(open_source(written(tmp_path / name / "alone", files)), OPTIONS), connector.name
        )
        there = {name for name, (_, missing) in alone.items() if not missing}
        assert {"plan.pdf", "tides.ics"} <= there
        assert alone["lost.pdf"][1]
        assert "list.txt" in (alone if connector.name == "matrix" else there)
        mixed = written(tmp_path / name / "all", {f"{below}{path}": data for path, data in files.items()})
        written(mixed, {"WhatsApp Chat with Di.txt": OTHER_CHAT.encode()})
        written(mixed, {"other/lost.pdf": PDF} if below else {})
        source = Path(shutil.make_archive(str(mixed), "zip", mixed)) if packed else mixed
        for log in (None, ReadingLog()):
            assert attachments(read_records(source, OPTIONS, log=log), connector.name) == alone

    check_all(EXPORTS.items(), check)


@pytest.mark.slow
def test_a_watched_folder_knows_what_others_read(tmp_path: Path) -> None:
    """The daemon reads each chat by itself."""
    connector, files = EXPORTS["whatsapp"]
    folder = written(tmp_path / "all", files)
    alone = attachments(connector.read(open_source(folder), OPTIONS), connector.name)
    order = {"root": str(folder), "groups": [["WhatsApp Chat with Ann.txt"]], "options": {"zone": "UTC"}}
    lines = [line for kind, body in frames(order) if kind == b"D" for line in body.splitlines()]
    records = [record for line in lines for record in document_from_wire(json.loads(line), "frame")]
    assert attachments(records, connector.name) == alone
